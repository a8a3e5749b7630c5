//! Asks one tool all the pairs. The tool is a process of its own: one that crashes or hangs is
//! counted, ended and started anew, and the run goes on.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Failure;
use crate::arguments::Tool;
use crate::pairs::Pair;

/// A solver loads slowly on a busy machine, and that is not what is measured.
const START_TIME_MAX: Duration = Duration::from_secs(120);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Yes,
    No,
    Undecided,
    /// The tool refused the question with an error, or its process ended.
    Crashed,
    Late,
}

#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) said: Said,
    pub(crate) time: Duration,
    pub(crate) witness: Option<Value>,
    pub(crate) why: String,
}

pub(crate) struct Run {
    pub(crate) name: String,
    pub(crate) replies: Vec<Reply>,
    pub(crate) wall: Duration,
    /// Why there are no replies, if the tool never started.
    pub(crate) failed: Option<String>,
}

struct Process {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Process {
    fn start(tool: &Tool) -> Result<Self, Failure> {
        let (program, arguments) = tool.command.split_first().ok_or("an empty command")?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let stdin = child.stdin.take().ok_or("no stdin")?;
        let stdout = child.stdout.take().ok_or("no stdout")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut it = Self {
            child,
            stdin,
            lines,
        };
        match it.lines.recv_timeout(START_TIME_MAX) {
            Ok(line) if line == "ready" => Ok(it),
            Ok(line) => it.end().and(Err(line.into())),
            Err(_) => it.end().and(Err("it did not start".into())),
        }
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    fn ask(&mut self, question: &str, limit: Duration) -> Reply {
        let started = Instant::now();
        let empty = |said, why: &str| Reply {
            said,
            time: started.elapsed(),
            witness: None,
            why: why.to_owned(),
        };
        let sent = writeln!(self.stdin, "{question}").and_then(|()| self.stdin.flush());
        if let Err(why) = sent {
            return empty(Said::Crashed, &why.to_string());
        }
        match self.lines.recv_timeout(limit) {
            Ok(line) => read(&line).unwrap_or_else(|| empty(Said::Crashed, &line)),
            Err(RecvTimeoutError::Timeout) => empty(Said::Late, "out of time"),
            Err(RecvTimeoutError::Disconnected) => empty(Said::Crashed, "the process ended"),
        }
    }
}

fn read(line: &str) -> Option<Reply> {
    let mut value: Value = serde_json::from_str(line).ok()?;
    let said = match value.get("answer")?.as_str()? {
        "yes" => Said::Yes,
        "no" => Said::No,
        "undecided" => Said::Undecided,
        _ => Said::Crashed,
    };
    Some(Reply {
        said,
        time: Duration::from_micros(value.get("micros")?.as_u64()?),
        why: value
            .get("why")
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_owned(),
        witness: value.as_object_mut()?.remove("witness"),
    })
}

pub(crate) fn run(tool: &Tool, pairs: &[Pair], limit: Duration) -> Result<Run, Failure> {
    let started = Instant::now();
    let mut run = Run {
        name: tool.name.clone(),
        replies: Vec::new(),
        wall: Duration::ZERO,
        failed: None,
    };
    let mut process = match Process::start(tool) {
        Ok(it) => it,
        Err(why) => {
            run.failed = Some(why.to_string());
            return Ok(run);
        }
    };
    for pair in pairs {
        let reply = process.ask(&pair.question(), limit);
        let is_over = match reply.said {
            Said::Late => true,
            Said::Crashed => {
                process.child.try_wait()?.is_some() || reply.why == "the process ended"
            }
            Said::Yes | Said::No | Said::Undecided => false,
        };
        run.replies.push(reply);
        if is_over {
            process.end()?;
            process = Process::start(tool)?;
        }
    }
    process.end()?;
    run.wall = started.elapsed();
    Ok(run)
}
