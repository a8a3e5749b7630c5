//! The variables of the process and those of env files over them. Knows names and values; not what
//! they are for, but for the actor.

use std::collections::BTreeMap;
use std::path::Path;

use crate::exit::Exit;
use crate::failure::Failure;

const ENV_FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Variables by name. Changing those of the process itself is not safe, so env files fill this.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment(BTreeMap<String, String>);

impl Environment {
    /// The variables of this process that are UTF-8.
    pub(crate) fn of_process() -> Self {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Self(std::env::vars_os().filter_map(text).collect())
    }

    /// The value of a variable that is set and not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .filter(|it| !it.is_empty())
    }

    /// The names of the variables that the runtime reads.
    pub(crate) fn runtime_names(&self) -> impl Iterator<Item = &str> {
        let names = self.0.keys().map(String::as_str);
        names.filter(|it| it.starts_with("RUNTIME_") || it.starts_with("ORDAIN_"))
    }

    /// The trimmed value of a variable that says something.
    pub(crate) fn get_trimmed(&self, name: &str) -> Option<&str> {
        self.get(name).map(str::trim).filter(|it| !it.is_empty())
    }

    /// Who acts, as far as the environment tells.
    pub(crate) fn actor(&self) -> String {
        ["PHRONY_ACTOR", "USER", "LOGNAME", "USERNAME"]
            .into_iter()
            .find_map(|name| self.get_trimmed(name))
            .unwrap_or_default()
            .to_owned()
    }

    /// Adds the variables of a file. What is set and not blank stays.
    pub(crate) fn load_file(&mut self, path: &Path) -> Result<(), Failure> {
        let failed = || {
            Failure::new(
                Exit::Failed,
                format!("load env file \"{}\"", path.display()),
            )
        };
        let size = std::fs::metadata(path)
            .map_err(|why| failed().because(&why))?
            .len();
        if size > ENV_FILE_BYTES_MAX {
            let text = format!("it has {size} bytes; at most {ENV_FILE_BYTES_MAX} are allowed");
            return Err(failed().because(&std::io::Error::other(text)));
        }
        let text = std::fs::read_to_string(path).map_err(|why| failed().because(&why))?;
        for (name, value) in text.lines().filter_map(assignment) {
            if self.get_trimmed(&name).is_none() {
                self.0.insert(name, value);
            }
        }
        Ok(())
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(variables: I) -> Self {
        let owned = |(name, value): (K, V)| (name.into(), value.into());
        Self(variables.into_iter().map(owned).collect())
    }
}

/// `KEY=VALUE`, maybe after `export`. Lines of another shape say nothing.
fn assignment(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    if line.starts_with('#') {
        return None;
    }
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    (!name.is_empty()).then(|| (name.to_owned(), unquoted(value.trim())))
}

fn unquoted(value: &str) -> String {
    let within = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    if let Some(inner) = within('"') {
        return inner.replace("\\\"", "\"");
    }
    within('\'').unwrap_or(value).to_owned()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::{Environment, assignment};

    fn pair(name: &str, value: &str) -> Option<(String, String)> {
        Some((name.to_owned(), value.to_owned()))
    }

    #[test]
    fn lines_of_an_env_file() {
        assert_eq!(assignment("A=b c"), pair("A", "b c"));
        assert_eq!(assignment(" export A = b "), pair("A", "b"));
        assert_eq!(assignment(r#"A="x \"y\" z""#), pair("A", r#"x "y" z"#));
        assert_eq!(assignment("A='x=\"y\"'"), pair("A", "x=\"y\""));
        assert_eq!(assignment("A="), pair("A", ""));
        for nothing in ["", "# A=b", "no assignment", "=b"] {
            assert_eq!(assignment(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn a_file_fills_only_what_is_blank() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"SET=file\nBLANK=file\nNEW=file\n").unwrap();
        let mut environment = Environment::from_iter([("SET", "own"), ("BLANK", " ")]);
        environment.load_file(file.path()).unwrap();
        assert_eq!(environment.get("SET"), Some("own"));
        assert_eq!(environment.get("BLANK"), Some("file"));
        assert_eq!(environment.get("NEW"), Some("file"));
    }

    #[test]
    fn a_missing_file_is_an_error_with_its_cause() {
        let missing = std::path::Path::new("no/such/file");
        let failure = Environment::default().load_file(missing).unwrap_err();
        assert_eq!(failure.message, "load env file \"no/such/file\"");
        assert_eq!(failure.causes.len(), 1);
    }

    #[test]
    fn the_actor_is_named_before_it_is_guessed() {
        let both = Environment::from_iter([("PHRONY_ACTOR", " ana "), ("USER", "root")]);
        assert_eq!(both.actor(), "ana");
        assert_eq!(Environment::from_iter([("USER", "root")]).actor(), "root");
        assert_eq!(Environment::default().actor(), "");
    }
}
