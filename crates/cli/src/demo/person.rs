//! The one who decides: somebody at the terminal, or a flag.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::deadline::Deadline;
use super::story::Story;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

const QUESTIONS_MAX: u32 = 5;
const PATIENCE: Duration = Duration::from_secs(600);

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Approve,
    Reject,
}

/// How the demo gets its answer.
#[derive(Debug)]
enum Means {
    Flag,
    Terminal,
    Nobody,
}

/// Whoever decides.
#[derive(Debug)]
pub(super) struct Person {
    means: Means,
    program: String,
    /// By which name the vote is recorded.
    pub(super) name: String,
}

impl Person {
    pub(super) fn new(yes: bool, context: &Context) -> Self {
        let means = if yes {
            Means::Flag
        } else if io::stdin().is_terminal() && io::stdout().is_terminal() {
            Means::Terminal
        } else {
            Means::Nobody
        };
        let actor = context.environment.actor();
        let name = if actor.is_empty() {
            "you".to_owned()
        } else {
            actor
        };
        Self {
            means,
            program: context.program.clone(),
            name,
        }
    }

    /// The answer. The time that a person takes is not the demo's.
    pub(super) async fn decide(
        &self,
        story: &Story<'_>,
        deadline: &mut Deadline,
    ) -> Result<Answer, Failure> {
        match self.means {
            Means::Flag => {
                story.row("person", "approved by --yes")?;
                Ok(Answer::Approve)
            }
            Means::Nobody => {
                let message = "the refund waits for a person, and there is none at a terminal";
                let hint = format!(
                    "run {0} demo in a terminal to decide yourself, or {0} demo --yes to approve",
                    self.program
                );
                Err(Failure::new(Exit::AwaitsPerson, message).hint(hint))
            }
            Means::Terminal => {
                let start = Instant::now();
                let answer = tokio::time::timeout(PATIENCE, ask(story)).await;
                deadline.exclude_since(start);
                answer.unwrap_or_else(|_elapsed| Err(unanswered()))
            }
        }
    }
}

fn unanswered() -> Failure {
    Failure::new(Exit::AwaitsPerson, "the question was not answered")
}

async fn ask(story: &Story<'_>) -> Result<Answer, Failure> {
    for _ in 0..QUESTIONS_MAX {
        story.question("Approve this refund? [y/n] ")?;
        match read_line().await?.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Ok(Answer::Approve),
            "n" | "no" => return Ok(Answer::Reject),
            _ => {}
        }
    }
    Err(unanswered())
}

/// A line of stdin, read on a thread that may be left behind: nothing can interrupt it.
async fn read_line() -> Result<String, Failure> {
    let (sender, receiver) = oneshot::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line);
        // Nobody waits any more once the demo was interrupted.
        let _ignored = sender.send(read.map(|bytes| (bytes, line)));
    });
    match receiver.await {
        Ok(Ok((bytes, line))) if bytes > 0 => Ok(line),
        Ok(Err(why)) => Err(unanswered().because(&why)),
        Ok(Ok(_)) | Err(_) => Err(unanswered()),
    }
}
