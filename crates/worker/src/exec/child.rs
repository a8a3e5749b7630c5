//! One run of a program, from its start until nothing of its process group is left. Knows pipes,
//! signals and waiting; not what the output means.
//!
//! Invariant: the group is signalled only while its leader has not been reaped. Until then the kernel
//! gives the leader's id, which is the group's, to nobody else.

use std::future::Future;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::signal::unix::{Signal as Signals, SignalKind, signal};
use tokio::time::{Instant, sleep_until, timeout};

use super::stderr::Lines;

const CHUNK_BYTES: usize = 8 * 1024;
/// For a killed group to close its pipes and be gone. Only what left the group, or hangs inside the
/// kernel, takes longer.
const KILLED_WAIT: Duration = Duration::from_secs(2);

/// Why a program was told to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    TimedOut,
    Cancelled,
    TooLarge,
}

/// What a run came to.
#[derive(Debug)]
pub(super) struct Ended {
    /// `None`: the program could not be ended.
    pub(super) status: Option<ExitStatus>,
    /// The first reason to end the program early; `None` if it ended by itself.
    pub(super) cut: Option<Cut>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr_tail: String,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) timeout: Duration,
    pub(super) kill_grace: Duration,
    pub(super) output_bytes_max: usize,
}

/// How far the end of a program has come, and until when that may last.
#[derive(Clone, Copy, Debug)]
enum Phase {
    Running(Instant),
    /// The leader has ended, and somebody may still write what it began to write.
    Leaving(Instant),
    /// The group was told to end.
    Asked(Instant),
    Killed(Instant),
}

impl Phase {
    fn until(self) -> Instant {
        match self {
            Self::Running(it) | Self::Leaving(it) | Self::Asked(it) | Self::Killed(it) => it,
        }
    }
}

/// A running program. Dropping it kills the whole group.
pub(super) struct Run {
    group: Group,
    child_exits: Signals,
    leader_is_gone: bool,
    stdin: Option<ChildStdin>,
    input: Vec<u8>,
    written: usize,
    stdout: Option<ChildStdout>,
    output: Vec<u8>,
    stderr: Option<ChildStderr>,
    chunk: Vec<u8>,
    lines: Lines,
    limits: Limits,
    phase: Phase,
    cut: Option<Cut>,
}

impl Run {
    pub(super) fn start(mut command: Command, input: Vec<u8>, limits: Limits) -> io::Result<Self> {
        // Listening before there is a child misses no exit.
        let child_exits = signal(SignalKind::child())?;
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        Ok(Self {
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            group: Group::led_by(child)?,
            child_exits,
            leader_is_gone: false,
            input,
            written: 0,
            output: Vec::new(),
            chunk: vec![0; CHUNK_BYTES],
            lines: Lines::default(),
            limits,
            phase: Phase::Running(after(limits.timeout)),
            cut: None,
        })
    }

    /// Waits for the end of the program, or brings it about.
    pub(super) async fn attend(
        mut self,
        cancelled: impl Future<Output = ()>,
        pass_on: &(dyn Fn(&str) + Sync),
    ) -> Ended {
        let mut cancelled = std::pin::pin!(cancelled);
        while !self.is_over() {
            let is_running = matches!(self.phase, Phase::Running(_));
            tokio::select! {
                () = self.group.leader_gone(&mut self.child_exits), if !self.leader_is_gone => {
                    self.leader_is_gone = true;
                    if is_running {
                        self.phase = Phase::Leaving(after(self.limits.kill_grace));
                    }
                }
                done = feed(&mut self.stdin, self.input.get(self.written..)) => self.fed(done),
                read = pull(&mut self.stdout, &mut self.output) => self.printed(read),
                read = read(&mut self.stderr, &mut self.chunk) => self.said(read, pass_on),
                () = &mut cancelled, if is_running => self.ask(Cut::Cancelled),
                () = sleep_until(self.phase.until()) => {
                    if self.phase_over() {
                        break;
                    }
                }
            }
        }
        self.lines.end(pass_on);
        Ended {
            status: self.group.end(self.leader_is_gone).await,
            cut: self.cut,
            stdout: self.output,
            stderr_tail: self.lines.tail(),
        }
    }

    fn is_over(&self) -> bool {
        self.leader_is_gone && self.stdout.is_none() && self.stderr.is_none()
    }

    fn fed(&mut self, done: io::Result<usize>) {
        match done {
            Ok(bytes) if bytes > 0 => self.written += bytes,
            // A program may leave its input unread; that is its own affair.
            Ok(_) | Err(_) => self.stdin = None,
        }
    }

    fn printed(&mut self, read: io::Result<usize>) {
        if !matches!(read, Ok(bytes) if bytes > 0) {
            self.stdout = None;
        }
        if self.output.len() > self.limits.output_bytes_max {
            self.output = Vec::new();
            self.stdout = None;
            self.ask(Cut::TooLarge);
        }
    }

    fn said(&mut self, read: io::Result<usize>, pass_on: &dyn Fn(&str)) {
        match read {
            Ok(bytes) if bytes > 0 => {
                let said = self.chunk.get(..bytes).unwrap_or_default();
                self.lines.take(said, pass_on);
            }
            Ok(_) | Err(_) => self.stderr = None,
        }
    }

    /// Tells the group to end. A second reason changes nothing but the report of a too large output,
    /// which is then not there.
    fn ask(&mut self, why: Cut) {
        if self.cut.is_none() || why == Cut::TooLarge {
            self.cut = Some(why);
        }
        match self.phase {
            Phase::Running(_) | Phase::Leaving(_) => {
                self.group.signal(Signal::TERM);
                self.phase = Phase::Asked(after(self.limits.kill_grace));
            }
            Phase::Asked(_) | Phase::Killed(_) => {}
        }
    }

    /// `true`: there is nothing left to try.
    fn phase_over(&mut self) -> bool {
        match self.phase {
            Phase::Running(_) => self.ask(Cut::TimedOut),
            Phase::Leaving(_) | Phase::Asked(_) => {
                self.group.signal(Signal::KILL);
                self.phase = Phase::Killed(after(KILLED_WAIT));
            }
            Phase::Killed(_) => return true,
        }
        false
    }
}

/// The processes that a program has started and that did not leave.
struct Group {
    leader: Child,
    id: Pid,
    is_reaped: bool,
}

impl Group {
    fn led_by(leader: Child) -> io::Result<Self> {
        let id = leader.id().and_then(|it| i32::try_from(it).ok());
        let id = id.and_then(Pid::from_raw);
        let id = id.ok_or_else(|| io::Error::other("the program has no process id"))?;
        Ok(Self {
            leader,
            id,
            is_reaped: false,
        })
    }

    /// Ends when the leader has, and leaves it to be reaped.
    async fn leader_gone(&self, child_exits: &mut Signals) {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        while let Ok(None) = waitid(WaitId::Pid(self.id), look) {
            if child_exits.recv().await.is_none() {
                std::future::pending::<()>().await;
            }
        }
    }

    fn signal(&self, signal: Signal) {
        if self.is_reaped {
            return;
        }
        if let Err(why) = kill_process_group(self.id, signal) {
            tracing::warn!(group = ?self.id, ?signal, %why, "cannot signal a program");
        }
    }

    /// Kills what is left of the group and reaps the leader.
    async fn end(&mut self, leader_is_gone: bool) -> Option<ExitStatus> {
        self.signal(Signal::KILL);
        if !leader_is_gone {
            tracing::warn!(group = ?self.id, "a killed program does not end");
            return None;
        }
        // The leader is gone, so this takes no time. From here on its id may be another's.
        self.is_reaped = true;
        match timeout(KILLED_WAIT, self.leader.wait()).await {
            Ok(Ok(status)) => Some(status),
            Ok(Err(_)) | Err(_) => None,
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

fn after(wait: Duration) -> Instant {
    let now = Instant::now();
    // What is further away than a clock can tell is never reached either.
    now.checked_add(wait)
        .unwrap_or_else(|| now + Duration::from_hours(24 * 365))
}

/// Writes some of `rest`; 0 when there is none. Waits for ever where there is no pipe.
async fn feed(pipe: &mut Option<ChildStdin>, rest: Option<&[u8]>) -> io::Result<usize> {
    match (pipe, rest) {
        (None, _) => std::future::pending().await,
        (Some(_), None | Some([])) => Ok(0),
        (Some(pipe), Some(rest)) => pipe.write(rest).await,
    }
}

async fn pull(pipe: &mut Option<ChildStdout>, into: &mut Vec<u8>) -> io::Result<usize> {
    match pipe {
        None => std::future::pending().await,
        Some(pipe) => {
            into.reserve(CHUNK_BYTES);
            pipe.read_buf(into).await
        }
    }
}

async fn read<R: AsyncRead + Unpin>(pipe: &mut Option<R>, into: &mut [u8]) -> io::Result<usize> {
    match pipe {
        None => std::future::pending().await,
        Some(pipe) => pipe.read(into).await,
    }
}
