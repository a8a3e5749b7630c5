//! The folder and the processes of the demo. Knows how the runtime and the worker are started; not
//! what happens in the session.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::child::Guarded;
use super::story::Story;
use super::witness::{self, Start};
use crate::connect::Runtime;
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::Exit;
use crate::failure::Failure;

/// How often, and how many times, the file with the runtime's address is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(50);
const LOOKS_MAX: u32 = 400;
/// A port that was just in use may need a moment.
const STARTS_MAX: u32 = 3;
const TAIL_LINES: usize = 20;

/// The folder and the processes.
#[derive(Debug)]
pub(super) struct Stage {
    // Processes first: they are dropped in this order, and the folder must outlive them.
    worker: Option<Guarded>,
    runtime: Option<Guarded>,
    folder: TempDir,
    environment: Environment,
    program: String,
    address: Option<SocketAddr>,
    starts: u32,
}

impl Stage {
    pub(super) fn set(context: &Context) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new()
            .prefix("ordain-demo-")
            .tempdir()
            .map_err(|why| Failure::new(Exit::Failed, "make a folder").because(&why))?;
        Ok(Self {
            worker: None,
            runtime: None,
            folder,
            environment: context.environment.clone(),
            program: context.program.clone(),
            address: None,
            starts: 0,
        })
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn address(&self) -> Result<SocketAddr, Failure> {
        self.address
            .ok_or_else(|| Failure::new(Exit::Failed, "the runtime has no address yet"))
    }

    pub(super) fn client(&self) -> Result<Runtime, Failure> {
        Runtime::at(&self.address()?.to_string(), &self.program)
    }

    /// Starts the runtime: on any free port at first, on the same one later.
    pub(super) async fn start_runtime(&mut self, story: &Story<'_>) -> Result<(), Failure> {
        let mut failure = Failure::new(Exit::Failed, "the runtime does not start");
        for _ in 0..STARTS_MAX {
            match self.try_start_runtime().await {
                Ok(process) => {
                    let address = self.address()?;
                    story.row(
                        "runtime",
                        &format!("process {} serves at {address}", process.id()),
                    )?;
                    self.runtime = Some(process);
                    return Ok(());
                }
                Err(why) => failure = why,
            }
        }
        Err(failure)
    }

    async fn try_start_runtime(&mut self) -> Result<Guarded, Failure> {
        self.starts = self.starts.saturating_add(1);
        let file = self.folder().join(format!("address-{}", self.starts));
        let listen = self
            .address
            .unwrap_or(SocketAddr::from(([127, 0, 0, 1], 0)));
        let mut process = Guarded::start("runtime", &self.log("runtime.log"), |command| {
            // The user's own settings are for the user's own runtime.
            for name in self.environment.runtime_names() {
                command.env_remove(name);
            }
            command
                .arg("serve")
                .arg("--data-dir")
                .arg(self.folder().join("data"))
                .arg("--listen")
                .arg(listen.to_string())
                .arg("--address-file")
                .arg(&file)
                .arg("--until-stdin-closes")
                .env("RUNTIME_ENABLE_STUB_PROVIDER", "1");
        })?;
        for _ in 0..LOOKS_MAX {
            if let Some(address) = read_address(&file) {
                self.address = Some(address);
                return Ok(process);
            }
            if let Some(status) = process.ended() {
                let message = format!("the runtime ended before it served ({status})");
                return Err(Failure::new(Exit::Failed, message));
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Err(Failure::new(
            Exit::LimitReached,
            "the runtime does not say where it serves",
        ))
    }

    pub(super) fn start_worker(&mut self, story: &Story<'_>) -> Result<(), Failure> {
        let address = self.address()?.to_string();
        let process = Guarded::start("worker", &self.log("worker.log"), |command| {
            command
                .arg("demo-worker")
                .arg("--runtime")
                .arg(address)
                .arg("--witness")
                .arg(self.witness());
        })?;
        let tools = super::worker::TOOLS.map(|(name, _)| name).join(" and ");
        story.row(
            "worker",
            &format!("process {} serves {tools}", process.id()),
        )?;
        self.worker = Some(process);
        Ok(())
    }

    /// Kills the runtime as a power cut would, and says what is left of it.
    pub(super) async fn kill_runtime(&mut self, story: &Story<'_>) -> Result<(), Failure> {
        let mut process = self
            .runtime
            .take()
            .ok_or_else(|| Failure::new(Exit::Failed, "there is no runtime to kill"))?;
        let id = process.id();
        let status = process.kill().await?;
        story.row(
            "killed",
            &format!("process {id}, with no chance to tidy up ({status})"),
        )?;
        let address = self.address()?;
        if tokio::net::TcpStream::connect(address).await.is_ok() {
            let message = format!("something still answers at {address}");
            return Err(Failure::new(Exit::Failed, message));
        }
        story.row("dead", &format!("nothing answers at {address} any more"))
    }

    /// Whether the worker is the process that was started at first.
    pub(super) fn worker_lives(&mut self) -> bool {
        self.worker.as_mut().is_some_and(|it| it.ended().is_none())
    }

    pub(super) fn witnessed(&self) -> Result<Vec<Start>, Failure> {
        witness::read(&self.witness())
            .map_err(|why| Failure::new(Exit::Failed, "read what the worker wrote").because(&why))
    }

    /// The last lines that the processes logged.
    pub(super) fn log_tail(&self) -> String {
        let tail = |name: &str| {
            let bytes = std::fs::read(self.log(name)).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let lines: Vec<&str> = text.lines().collect();
            let skipped = lines.len().saturating_sub(TAIL_LINES);
            let last = lines
                .iter()
                .skip(skipped)
                .map(|line| format!("{name}: {line}\n"));
            last.collect::<String>()
        };
        tail("runtime.log") + &tail("worker.log")
    }

    /// Leaves the folder when the stage is gone.
    pub(super) fn keep(&mut self) -> PathBuf {
        self.folder.disable_cleanup(true);
        self.folder().to_owned()
    }

    fn log(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    fn witness(&self) -> PathBuf {
        self.folder().join("witness.jsonl")
    }
}

/// The address, once the file holds a whole one.
fn read_address(file: &Path) -> Option<SocketAddr> {
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}
