//! What a program that serves a tool is run with, and the checks that can be made before any call.
//! Knows files and variables; starts nothing.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The variables that say which call a program runs for.
pub(super) mod variable {
    pub(in crate::exec) const CALL_ID: &str = "ORDAIN_CALL_ID";
    pub(in crate::exec) const SESSION_ID: &str = "ORDAIN_SESSION_ID";
    pub(in crate::exec) const AGENT_VERSION_ID: &str = "ORDAIN_AGENT_VERSION_ID";
    pub(in crate::exec) const TOOL: &str = "ORDAIN_TOOL";
    pub(in crate::exec) const TOOL_VERSION: &str = "ORDAIN_TOOL_VERSION";
    pub(in crate::exec) const TURN: &str = "ORDAIN_TURN";
    pub(in crate::exec) const SIDE_EFFECT_CLASS: &str = "ORDAIN_SIDE_EFFECT_CLASS";
    pub(in crate::exec) const DEADLINE: &str = "ORDAIN_DEADLINE_UNIX_MS";

    pub(super) const ALL: [&str; 8] = [
        CALL_ID,
        SESSION_ID,
        AGENT_VERSION_ID,
        TOOL,
        TOOL_VERSION,
        TURN,
        SIDE_EFFECT_CLASS,
        DEADLINE,
    ];
}

/// How to run a program for each call.
#[derive(Clone, Debug)]
pub struct Settings {
    /// A path, from the folder that the worker was started in, or a bare name that is looked for.
    pub program: OsString,
    pub args: Vec<OsString>,
    /// Variables over those of the worker itself.
    pub env: Vec<(OsString, OsString)>,
    /// Where the program runs; `None` is the worker's own folder.
    pub cwd: Option<PathBuf>,
    /// The folders that a bare name is looked for in, written as `PATH` is.
    pub search_path: OsString,
    /// How long a call may take before its program is told to end.
    pub timeout: Duration,
    /// How long a program that was told to end may go on before it is killed.
    pub kill_grace: Duration,
    /// More output than this ends the program, and the call fails.
    pub output_bytes_max: usize,
}

/// Why a program cannot serve a tool.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("no program named `{name}` in the folders of PATH: {search_path}")]
    NotFound { name: String, search_path: String },
    #[error("cannot read the program {}", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        why: std::io::Error,
    },
    #[error("{} is not a file", .0.display())]
    NotAFile(PathBuf),
    #[error("{} is not executable; chmod +x makes it so", .0.display())]
    NotExecutable(PathBuf),
    #[error("the folder {} cannot be run in: it is not there, or not a folder", .0.display())]
    NoFolder(PathBuf),
    #[error("the variable {0} is set for each call, and cannot be given")]
    Reserved(String),
    #[error("`{0}` is not the name of a variable")]
    NotAVariable(String),
}

/// Settings whose program was there when they were checked.
#[derive(Debug)]
pub(super) struct Checked {
    /// Absolute, so that the folder of the program is no matter.
    pub(super) path: PathBuf,
    pub(super) settings: Settings,
}

pub(super) fn check(settings: Settings) -> Result<Checked, SettingsError> {
    for (name, _) in &settings.env {
        let text = name.to_string_lossy();
        if variable::ALL.contains(&text.as_ref()) {
            return Err(SettingsError::Reserved(text.into_owned()));
        }
        if name.is_empty() || name.as_bytes().contains(&b'=') {
            return Err(SettingsError::NotAVariable(text.into_owned()));
        }
    }
    if let Some(folder) = settings.cwd.as_ref().filter(|it| !it.is_dir()) {
        return Err(SettingsError::NoFolder(folder.clone()));
    }
    let path = find(&settings.program, &settings.search_path)?;
    Ok(Checked { path, settings })
}

/// The path of a program that is named as a shell takes it.
fn find(program: &OsStr, search_path: &OsStr) -> Result<PathBuf, SettingsError> {
    if program.as_bytes().contains(&b'/') {
        let path = absolute(Path::new(program))?;
        runnable(&path)?;
        return Ok(path);
    }
    let mut nearly = None;
    for folder in std::env::split_paths(search_path) {
        let path = absolute(&folder.join(program))?;
        match runnable(&path) {
            Ok(()) if !program.is_empty() => return Ok(path),
            Err(why @ SettingsError::NotExecutable(_)) => nearly = nearly.or(Some(why)),
            Ok(()) | Err(_) => {}
        }
    }
    Err(nearly.unwrap_or_else(|| SettingsError::NotFound {
        name: program.to_string_lossy().into_owned(),
        search_path: search_path.to_string_lossy().into_owned(),
    }))
}

fn absolute(path: &Path) -> Result<PathBuf, SettingsError> {
    std::path::absolute(path).map_err(|why| SettingsError::Unreadable {
        path: path.to_owned(),
        why,
    })
}

fn runnable(path: &Path) -> Result<(), SettingsError> {
    let found = std::fs::metadata(path).map_err(|why| SettingsError::Unreadable {
        path: path.to_owned(),
        why,
    })?;
    if !found.is_file() {
        return Err(SettingsError::NotAFile(path.to_owned()));
    }
    if found.permissions().mode() & 0o111 == 0 {
        return Err(SettingsError::NotExecutable(path.to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(program: &str) -> Settings {
        Settings {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: None,
            search_path: "/usr/bin:/bin".into(),
            timeout: Duration::from_secs(1),
            kill_grace: Duration::from_secs(1),
            output_bytes_max: 1,
        }
    }

    #[test]
    fn a_bare_name_is_looked_for_and_a_path_is_taken() {
        assert!(check(settings("sh")).unwrap().path.ends_with("bin/sh"));
        assert_eq!(
            check(settings("/bin/sh")).unwrap().path,
            Path::new("/bin/sh")
        );
        for missing in ["no-such-program", ""] {
            let refusal = check(settings(missing)).unwrap_err();
            assert!(
                matches!(refusal, SettingsError::NotFound { .. }),
                "{missing}"
            );
        }
        let refusal = check(settings("./no/such/program")).unwrap_err();
        assert!(matches!(refusal, SettingsError::Unreadable { .. }));
    }

    #[test]
    fn a_program_must_be_an_executable_file() {
        let refusal = check(settings("/bin/")).unwrap_err();
        assert!(matches!(refusal, SettingsError::NotAFile(_)));
        let file = tempfile::NamedTempFile::new().unwrap();
        let name = file.path().to_str().unwrap();
        let refusal = check(settings(name)).unwrap_err();
        assert!(matches!(refusal, SettingsError::NotExecutable(_)));
    }

    #[test]
    fn a_name_that_is_there_but_not_executable_is_told_so() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tool"), "").unwrap();
        let mut settings = settings("tool");
        settings.search_path = folder.path().into();
        let refusal = check(settings).unwrap_err();
        assert!(matches!(refusal, SettingsError::NotExecutable(_)));
    }

    #[test]
    fn folders_and_variables_are_checked() {
        let mut bad = settings("sh");
        bad.cwd = Some("/no/such/folder".into());
        assert!(matches!(check(bad), Err(SettingsError::NoFolder(_))));
        for (name, reserved) in [("ORDAIN_CALL_ID", true), ("", false), ("A=B", false)] {
            let mut bad = settings("sh");
            bad.env = vec![(name.into(), "x".into())];
            match check(bad).unwrap_err() {
                SettingsError::Reserved(_) => assert!(reserved),
                SettingsError::NotAVariable(_) => assert!(!reserved),
                other => panic!("{other}"),
            }
        }
    }
}
