//! Settings, read once. Others get plain structs.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use runtime::workers;

/// Where the runtime listens when nobody says otherwise.
const LISTEN: &str = "127.0.0.1:7777";
/// How long a drain lasts when nobody says otherwise, in milliseconds.
const DRAIN_MS: u64 = 10_000;

/// Everything that the runtime is told.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where gRPC is served.
    pub listen: SocketAddr,
    /// The folder of the embedded store.
    pub data_dir: PathBuf,
    /// Written with the bound address once the runtime serves.
    pub address_file: Option<PathBuf>,
    /// Serve without TLS on an address that is not loopback.
    pub insecure: bool,
    /// Whether agents may use the scripted provider.
    pub enable_stub: bool,
    /// How long sessions that are underway may still go on after the runtime was told to stop, in
    /// milliseconds.
    pub drain_ms: u64,
    /// What is logged, like `info` or `daemon=debug`.
    pub log: String,
    /// Who is on record for what a client does that does not say who it is.
    pub default_actor: String,
    /// Variables that agents' predicates may look at, those that are set, as they are at the start.
    pub exposed_env: BTreeMap<String, String>,
    /// Spans and bounds of worker connections and queues.
    pub workers: workers::Settings,
    /// Spans and bounds of sessions. No variable sets them.
    pub sessions: session::Settings,
}

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The value of a variable.
    #[error("{name}={value}: {why}")]
    Variable {
        /// Which.
        name: &'static str,
        /// What it says.
        value: String,
        /// What is wrong, and what to write.
        why: String,
    },
    /// No place for the store.
    #[error("no folder for the store: set ORDAIN_DATA_DIR, or HOME")]
    NoDataDir,
    /// A public address without TLS.
    #[error(
        "{0} is not a loopback address and this version has no TLS: listen on 127.0.0.1, or say --insecure"
    )]
    Exposed(SocketAddr),
    /// Asked for a check that this version does not make.
    #[error(
        "RUNTIME_TOOL_ALLOWLIST: this version does not check workers against a list yet; unset it to run with unattested workers"
    )]
    Allowlist,
    /// Asked for a store that this version does not have.
    #[error(
        "RUNTIME_DATABASE_URL: this version keeps its store in a folder (ORDAIN_DATA_DIR); {0}"
    )]
    Database(String),
}

impl Config {
    /// Reads the environment through `get`. A variable that is set but blank counts as unset.
    ///
    /// # Errors
    /// The first setting that cannot be used.
    pub fn from_env(get: &dyn Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let set = |name: &str| get(name).filter(|value| !value.trim().is_empty());
        if let Some(url) = set("RUNTIME_DATABASE_URL") {
            let scheme = url.split(':').next().unwrap_or_default().to_owned();
            return Err(ConfigError::Database(format!(
                "`{scheme}:` stores are not supported yet"
            )));
        }
        // A list that nobody checks must not look like one that somebody does.
        if set("RUNTIME_TOOL_ALLOWLIST").is_some() {
            return Err(ConfigError::Allowlist);
        }
        let listen = set("RUNTIME_GRPC_ADDR").unwrap_or_else(|| LISTEN.to_owned());
        let listen = listen_address(&listen).map_err(|why| ConfigError::Variable {
            name: "RUNTIME_GRPC_ADDR",
            value: listen,
            why,
        })?;
        let mut workers = workers::Settings::STANDARD;
        let mut drain_ms = DRAIN_MS;
        let spans: [(&'static str, &mut u64); 4] = [
            ("RUNTIME_DISPATCH_QUEUE_WAIT", &mut workers.queue_wait_ms),
            ("ORDAIN_RESYNC_GRACE", &mut workers.resync_ms),
            ("ORDAIN_LEASE_TTL", &mut workers.lease_ms),
            ("ORDAIN_DRAIN", &mut drain_ms),
        ];
        for (name, span) in spans {
            if let Some(value) = set(name) {
                *span = duration_ms(&value).map_err(|why| ConfigError::Variable {
                    name,
                    value: value.clone(),
                    why,
                })?;
            }
        }
        workers.silence_ms = workers.lease_ms.saturating_mul(2);
        let mut exposed_env = BTreeMap::new();
        if let Some(keys) = set("ORDAIN_EXPOSE_ENV") {
            exposed_env = exposed(&keys, get)?;
        }
        Ok(Self {
            listen,
            data_dir: data_dir(&set)?,
            address_file: None,
            insecure: false,
            enable_stub: set("RUNTIME_ENABLE_STUB_PROVIDER")
                .is_some_and(|value| matches!(value.trim(), "1" | "true" | "yes")),
            drain_ms,
            log: set("ORDAIN_LOG")
                .or_else(|| set("RUST_LOG"))
                .unwrap_or_else(|| "info".to_owned()),
            default_actor: set("PHRONY_ACTOR")
                .or_else(|| set("USER"))
                .unwrap_or_else(|| "unknown".to_owned()),
            exposed_env,
            workers,
            sessions: session::Settings::STANDARD,
        })
    }

    /// Refuses what would be unsafe.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if self.listen.ip().is_loopback() || self.insecure {
            Ok(())
        } else {
            Err(ConfigError::Exposed(self.listen))
        }
    }
}

/// The variables of a comma-separated list that are set, as they are.
fn exposed(
    keys: &str,
    get: &dyn Fn(&str) -> Option<String>,
) -> Result<BTreeMap<String, String>, ConfigError> {
    let mut exposed = BTreeMap::new();
    for key in keys.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
        if !key.chars().all(is_name) || key.starts_with(|it: char| it.is_ascii_digit()) {
            return Err(ConfigError::Variable {
                name: "ORDAIN_EXPOSE_ENV",
                value: keys.to_owned(),
                why: format!(
                    "`{key}` is not the name of a variable: write names alone, like REGION,TIER"
                ),
            });
        }
        if let Some(value) = get(key) {
            exposed.insert(key.to_owned(), value);
        }
    }
    Ok(exposed)
}

fn data_dir(set: &dyn Fn(&str) -> Option<String>) -> Result<PathBuf, ConfigError> {
    if let Some(dir) = set("ORDAIN_DATA_DIR") {
        return Ok(PathBuf::from(dir));
    }
    if let Some(dir) = set("XDG_DATA_HOME") {
        return Ok(PathBuf::from(dir).join("ordain"));
    }
    let home = set("HOME").ok_or(ConfigError::NoDataDir)?;
    Ok(PathBuf::from(home)
        .join(".local")
        .join("share")
        .join("ordain"))
}

/// `host:port`, `:port` for all interfaces, `localhost:port`.
fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let text = text.trim();
    let spelled = match (text.strip_prefix(':'), text.strip_prefix("localhost:")) {
        (Some(port), _) => format!("0.0.0.0:{port}"),
        (None, Some(port)) => format!("127.0.0.1:{port}"),
        (None, None) => text.to_owned(),
    };
    spelled
        .parse()
        .map_err(|_| "write an address and a port, like 127.0.0.1:7777".to_owned())
}

/// `500ms`, `10s`, `5m`, `1h30m`, or whole seconds.
fn duration_ms(text: &str) -> Result<u64, String> {
    let wrong = || "write a duration like 10s, 500ms, 1m30s, or whole seconds".to_owned();
    let text = text.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Ok(seconds.saturating_mul(1000));
    }
    let mut total = 0_u64;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, tail) = rest.split_at_checked(digits).ok_or_else(wrong)?;
        let unit = tail.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, tail) = tail.split_at_checked(unit).ok_or_else(wrong)?;
        let scale = match unit {
            "ms" => 1,
            "s" => 1000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return Err(wrong()),
        };
        let number: u64 = number.parse().map_err(|_| wrong())?;
        total = total.saturating_add(number.saturating_mul(scale));
        rest = tail;
    }
    if text.is_empty() {
        Err(wrong())
    } else {
        Ok(total)
    }
}

#[cfg(test)]
mod tests {
    use super::{Config, ConfigError, duration_ms, listen_address};

    fn config(vars: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::from_env(&|name| {
            vars.iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn nothing_set_starts_in_the_users_data_folder() {
        let config = config(&[("HOME", "/home/ana")]).unwrap();
        assert_eq!(
            config.data_dir.to_str(),
            Some("/home/ana/.local/share/ordain")
        );
        assert_eq!(config.listen.to_string(), "127.0.0.1:7777");
        assert!(!config.enable_stub);
        assert_eq!(config.workers.queue_wait_ms, 10_000);
        config.check().unwrap();
    }

    #[test]
    fn durations() {
        for (text, ms) in [
            ("500ms", 500),
            ("10s", 10_000),
            ("30", 30_000),
            ("1h30m", 5_400_000),
        ] {
            assert_eq!(duration_ms(text), Ok(ms), "{text}");
        }
        for text in ["", "fast", "10 s", "1d", "-5s", "1.5s", "s"] {
            assert!(duration_ms(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_listed_variables_are_exposed() {
        let vars = [
            ("HOME", "/h"),
            ("REGION", "eu"),
            ("TIER", " "),
            ("TOKEN", "secret"),
        ];
        assert!(config(&vars).unwrap().exposed_env.is_empty());
        let listed = [&vars[..], &[("ORDAIN_EXPOSE_ENV", "REGION, TIER,,UNSET")]].concat();
        let exposed = config(&listed).unwrap().exposed_env;
        let exposed: Vec<_> = exposed
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
            .collect();
        assert_eq!(exposed, [("REGION", "eu"), ("TIER", " ")]);
        for wrong in ["REGION=eu", "a b", "1A", "*"] {
            let listed = [("HOME", "/h"), ("ORDAIN_EXPOSE_ENV", wrong)];
            let error = config(&listed).unwrap_err().to_string();
            assert!(error.starts_with("ORDAIN_EXPOSE_ENV="), "{error}");
        }
    }

    #[test]
    fn addresses() {
        assert_eq!(listen_address(":7000").unwrap().to_string(), "0.0.0.0:7000");
        assert_eq!(
            listen_address("localhost:1").unwrap().to_string(),
            "127.0.0.1:1"
        );
        assert!(listen_address("7777").is_err());
    }

    #[test]
    fn unsafe_or_unknown_settings_are_refused() {
        let exposed = config(&[("HOME", "/h"), ("RUNTIME_GRPC_ADDR", "0.0.0.0:7777")]).unwrap();
        assert!(
            exposed
                .check()
                .unwrap_err()
                .to_string()
                .contains("--insecure")
        );
        assert!(config(&[("HOME", "/h"), ("RUNTIME_DISPATCH_QUEUE_WAIT", "soon")]).is_err());
        assert!(
            config(&[
                ("HOME", "/h"),
                ("RUNTIME_DATABASE_URL", "postgres://u:secret@h/d")
            ])
            .unwrap_err()
            .to_string()
            .contains("`postgres:`")
        );
        assert_eq!(config(&[]).unwrap_err(), ConfigError::NoDataDir);
        let listed = [
            ("HOME", "/h"),
            ("RUNTIME_TOOL_ALLOWLIST", "/etc/allowlist.yaml"),
        ];
        assert_eq!(config(&listed).unwrap_err(), ConfigError::Allowlist);
    }
}
