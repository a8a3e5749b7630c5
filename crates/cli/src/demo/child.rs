//! A process of the demo. It dies with its guard, and with the demo itself even if that is killed.

use std::path::Path;
use std::process::{ExitStatus, Stdio};

use tokio::process::{Child, Command};

use crate::exit::Exit;
use crate::failure::Failure;

/// The process, and the end of its stdin that keeps it going.
#[derive(Debug)]
pub(super) struct Guarded {
    what: &'static str,
    child: Child,
}

impl Guarded {
    /// Starts this very program with other arguments; what it writes goes to `log`.
    pub(super) fn start(
        what: &'static str,
        log: &Path,
        prepare: impl FnOnce(&mut Command),
    ) -> Result<Self, Failure> {
        let failed = |why: std::io::Error| {
            Failure::new(Exit::Failed, format!("start the {what}")).because(&why)
        };
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(log)
            .map_err(failed)?;
        let mut command = Command::new(std::env::current_exe().map_err(failed)?);
        prepare(&mut command);
        command
            .stdin(Stdio::piped())
            .stdout(log.try_clone().map_err(failed)?)
            .stderr(log)
            .kill_on_drop(true);
        // A Ctrl-C in the terminal is the demo's to handle, not that of its processes.
        #[cfg(unix)]
        command.process_group(0);
        let child = command.spawn().map_err(failed)?;
        Ok(Self { what, child })
    }

    pub(super) fn id(&self) -> String {
        self.child
            .id()
            .map_or_else(|| "none".to_owned(), |it| it.to_string())
    }

    /// How the process ended, if it has.
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Kills the process without a warning, and waits until it is gone.
    pub(super) async fn kill(&mut self) -> Result<ExitStatus, Failure> {
        let failed = |why: std::io::Error| {
            Failure::new(Exit::Failed, format!("kill the {}", self.what)).because(&why)
        };
        self.child.start_kill().map_err(failed)?;
        self.child.wait().await.map_err(failed)
    }
}
