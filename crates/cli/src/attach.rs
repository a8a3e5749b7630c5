//! The plain view of a session, over one interactive stream: what happens is printed as it comes, and
//! lines of stdin are said to the agent. Knows the stream and how a view ends; how things are worded
//! is in `transcript`, what a typed line means in `asking`. Leaving ends nothing but the view.

mod asking;
mod lines;
mod transcript;

use std::future::{Future, pending};
use std::io::IsTerminal as _;
use std::pin::pin;

use proto::runtime::v1 as wire;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;
use wire::run_session_interactive_client_msg::Body as Said;
use wire::run_session_interactive_server_msg::Body as Told;

use self::asking::{Asking, Meaning, Question};
use self::lines::{Line, Lines};
use self::transcript::Completion;
use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::escape;

/// Messages on their way to the runtime. Each answers something that it said, so few are.
const SAID_MAX: usize = 16;
const ACTION: &str = "run session";

/// Who began the session that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begun {
    /// This very command, so its exit code says how the session went.
    Here,
    /// Somebody, some time ago.
    Elsewhere,
}

/// Shows a session until it ends, or the user leaves.
pub(crate) async fn attach(
    runtime: &Runtime,
    id: &str,
    begun: Begun,
    context: &Context,
) -> Result<Exit, Failure> {
    let mut interrupted = pin!(interrupted());
    let (say, said) = mpsc::channel(SAID_MAX);
    let mut view = View::new(id, begun, say, context);
    view.say(Said::Start(wire::RunSessionInteractiveStart {
        session_id: id.to_owned(),
        ..Default::default()
    }))?;
    let mut api = runtime.api();
    let opened = tokio::select! {
        opened = api.run_session_interactive(ReceiverStream::new(said)) => opened,
        () = &mut interrupted => return view.detach(),
    };
    let mut stream = opened.map_err(runtime.failed(ACTION))?.into_inner();
    let message = async || stream.message().await;
    view.watch(message, interrupted)
        .await
        .map_err(|why| match why {
            Lost::Call(status) => runtime.failed(ACTION)(*status),
            Lost::Here(failure) => failure,
        })
}

/// Waits for Ctrl-C; for ever where it cannot be listened for.
async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        pending::<()>().await;
    }
}

/// Why a view breaks off.
#[derive(Debug)]
enum Lost {
    Call(Box<Status>),
    Here(Failure),
}

impl From<Failure> for Lost {
    fn from(failure: Failure) -> Self {
        Lost::Here(failure)
    }
}

struct View<'a> {
    context: &'a Context,
    id: String,
    begun: Begun,
    /// Gone once this side has said all that it will say.
    say: Option<mpsc::Sender<wire::RunSessionInteractiveClientMsg>>,
    lines: Lines,
    asking: Asking,
    completion: Completion,
    /// Whether stdout is in the middle of a line.
    is_mid_line: bool,
    /// Whether more than text came, so that the output would only repeat what was read.
    has_turned: bool,
}

impl<'a> View<'a> {
    fn new(
        id: &str,
        begun: Begun,
        say: mpsc::Sender<wire::RunSessionInteractiveClientMsg>,
        context: &'a Context,
    ) -> Self {
        let on_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        Self {
            context,
            id: id.to_owned(),
            begun,
            say: Some(say),
            lines: Lines::default(),
            asking: Asking::new(on_terminal),
            completion: Completion::default(),
            is_mid_line: false,
            has_turned: false,
        }
    }

    /// Both sides at once: what is typed waits for nothing that the runtime does, nor the reverse.
    async fn watch(
        mut self,
        mut message: impl AsyncFnMut() -> Result<Option<wire::RunSessionInteractiveServerMsg>, Status>,
        mut interrupted: impl Future<Output = ()> + Unpin,
    ) -> Result<Exit, Lost> {
        loop {
            self.prompt()?;
            tokio::select! {
                message = message() => {
                    match message.map_err(|status| Lost::Call(Box::new(status)))? {
                        Some(message) => {
                            if let Some(exit) = self.hear(message)? {
                                return Ok(exit);
                            }
                        }
                        None => {
                            self.flush()?;
                            self.fresh_line()?;
                            return Ok(Exit::Done);
                        }
                    }
                }
                line = self.lines.next(), if self.asking.is_reading() => self.read(line?)?,
                () = &mut interrupted => return Ok(self.detach()?),
            }
        }
    }

    fn detach(mut self) -> Result<Exit, Failure> {
        self.interrupt_prompt();
        self.flush()?;
        self.fresh_line()?;
        let id = escape::inline(&self.id);
        self.context.printer.note(&format!(
            "detached; session {id} goes on: {} sessions attach {id} comes back to it",
            self.context.program
        ));
        Ok(Exit::Interrupted)
    }

    /// Takes a message of the runtime; the exit code, if it was the last.
    fn hear(
        &mut self,
        message: wire::RunSessionInteractiveServerMsg,
    ) -> Result<Option<Exit>, Failure> {
        let unexpected =
            || Failure::new(Exit::Failed, format!("{ACTION}: unexpected server message"));
        let body = message.body.ok_or_else(unexpected)?;
        self.interrupt_prompt();
        if let Told::TextDelta(it) = &body {
            let text = self.completion.take(&it.delta);
            self.out(&text)?;
            return Ok(None);
        }
        self.flush()?;
        match body {
            Told::TextDelta(_) => {}
            Told::SessionStarted(it) => self.out(&transcript::started(&it))?,
            Told::ToolCall(it) => {
                self.has_turned = true;
                self.context.printer.note(&transcript::calling(&it));
            }
            Told::ToolResult(it) => {
                self.asking.settle(&it.call_id);
                self.context.printer.note(&transcript::result(&it));
            }
            Told::ApprovalRequired(it) => self.approval(&it)?,
            Told::AwaitingInput(it) => self.awaiting(&it)?,
            Told::Completed(it) => return self.completed(&it).map(Some),
            Told::Failed(it) => {
                self.fresh_line()?;
                // Always said: without it the exit code of `run` says too little.
                let text = transcript::failed(&it);
                self.context.printer.diagnostics(&format!("{text}\n"));
                return Ok(Some(match self.begun {
                    Begun::Here => Exit::Failed,
                    Begun::Elsewhere => Exit::Done,
                }));
            }
            Told::Cancelled(_) => {
                self.fresh_line()?;
                self.context.printer.diagnostics(transcript::CANCELLED);
                return Ok(Some(Exit::Done));
            }
        }
        Ok(None)
    }

    fn approval(
        &mut self,
        it: &wire::RunSessionInteractiveApprovalRequired,
    ) -> Result<(), Failure> {
        self.has_turned = true;
        self.fresh_line()?;
        let question = Question {
            approval: it.approval_id.clone(),
            call: it.call_id.clone(),
            missing: it.approvals_required.saturating_sub(it.approvals_received),
            needs_comprehension: it.comprehension_required,
            args: it.args.clone(),
            text: transcript::approval(it),
        };
        if let Some(question) = self.asking.offer(question) {
            // Whoever waits for an answer says so, however quiet.
            self.context.printer.diagnostics(&question.text);
            self.hint(&question);
        }
        Ok(())
    }

    /// How to decide without this view.
    fn hint(&self, question: &Question) {
        let text = transcript::elsewhere(question, &self.context.program);
        self.context.printer.diagnostics(&text);
    }

    fn awaiting(&mut self, it: &wire::RunSessionInteractiveAwaitingInput) -> Result<(), Failure> {
        self.has_turned = true;
        self.out(&transcript::turn(it))?;
        if it.input_blocked_reason.is_empty() {
            self.asking.ask_for_message();
        } else if !self.asking.has_question() {
            self.context
                .printer
                .diagnostics(&transcript::blocked(&it.input_blocked_reason));
        }
        Ok(())
    }

    fn completed(&mut self, it: &wire::RunSessionInteractiveCompleted) -> Result<Exit, Failure> {
        if !self.has_turned
            && let Some(output) = transcript::output(it)
        {
            self.fresh_line()?;
            self.out(&output)?;
        }
        self.out(&transcript::complete(it))?;
        Ok(Exit::Done)
    }

    /// Shows what is asked, and has a line read for it.
    fn prompt(&mut self) -> Result<(), Failure> {
        let next = self.asking.next(Instant::now());
        if let Some(text) = next.show {
            self.context.printer.diagnostics(&text);
        }
        if next.read {
            self.lines.ask()?;
        }
        Ok(())
    }

    fn read(&mut self, line: Line) -> Result<(), Failure> {
        match self.asking.take(line, Instant::now()) {
            Meaning::Say(text) => {
                let message = wire::RunSessionInteractiveUserMessage { text };
                self.say(Said::UserMessage(message))
            }
            Meaning::Vote(question, approved) => self.vote(question, approved),
            Meaning::Blank => Err(Failure::new(
                Exit::Failed,
                "empty message; enter text or end input with Ctrl-D",
            )),
            Meaning::NoMore => {
                self.say = None;
                Ok(())
            }
            Meaning::Left(question) => {
                self.context.printer.diagnostics("\n");
                self.hint(&question);
                Ok(())
            }
            Meaning::Nothing(why) => {
                self.context.printer.note(why);
                Ok(())
            }
        }
    }

    fn vote(&mut self, question: Question, approved: bool) -> Result<(), Failure> {
        if approved && question.missing > 1 {
            let missing = question.missing.saturating_sub(1);
            self.context
                .printer
                .note(&format!("approvals that are still missing: {missing}"));
        }
        self.say(Said::ToolApproval(
            wire::RunSessionInteractiveToolApproval {
                approval_id: question.approval,
                approved,
                // What was on the screen, should somebody change it meanwhile.
                args: if approved { question.args } else { Vec::new() },
                ..Default::default()
            },
        ))
    }

    fn say(&mut self, body: Said) -> Result<(), Failure> {
        let Some(say) = &self.say else {
            return Ok(());
        };
        let message = wire::RunSessionInteractiveClientMsg { body: Some(body) };
        match say.try_send(message) {
            // Why the stream is over is on its way here.
            Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => Ok(()),
            Err(mpsc::error::TrySendError::Full(_)) => Err(Failure::new(
                Exit::Failed,
                format!("{ACTION}: the runtime takes no more messages"),
            )),
        }
    }

    /// Something else is about to be printed where the user was typing.
    fn interrupt_prompt(&mut self) {
        if self.asking.interrupt() {
            self.context.printer.diagnostics("\n");
        }
    }

    /// The completion is over; what was held back of it is printed.
    fn flush(&mut self) -> Result<(), Failure> {
        let text = self.completion.finish();
        self.out(&text)
    }

    fn fresh_line(&mut self) -> Result<(), Failure> {
        if self.is_mid_line {
            self.out("\n")?;
        }
        Ok(())
    }

    fn out(&mut self, text: &str) -> Result<(), Failure> {
        if !text.is_empty() {
            self.is_mid_line = !text.ends_with('\n');
            self.context.printer.out(text)?;
        }
        Ok(())
    }
}
