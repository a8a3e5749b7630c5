//! A runtime to type commands against, and how they are typed.

use std::path::Path;
use std::process::Command;

use daemon::{Config, Daemon};

/// A runtime that keeps its data in a folder `data` below this one.
pub(crate) async fn runtime(dir: &Path) -> Daemon {
    let data = dir.join("data").to_str().unwrap().to_owned();
    let get = |name: &str| match name {
        "ORDAIN_DATA_DIR" => Some(data.clone()),
        "RUNTIME_GRPC_ADDR" => Some("127.0.0.1:0".to_owned()),
        _ => None,
    };
    Daemon::start(Config::from_env(&get).unwrap())
        .await
        .unwrap()
}

/// The command line `ordain <line>` in a folder, with the runtime at this address.
pub(crate) fn ordain(line: &str, dir: &Path, address: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    command
        .args(line.split_whitespace())
        .current_dir(dir)
        .env("PHRONY_RUNTIME_ADDR", address)
        .env("PHRONY_ACTOR", "ana")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS");
    command
}
