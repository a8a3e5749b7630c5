//! Interactive sessions. A stream shows a session and says things to it; it is never what drives
//! it. Every event comes from the journal, so nothing is lost on the way, a client that reads
//! slowly reads more at once, and leaving cancels nothing.

use std::collections::VecDeque;
use std::sync::Arc;

use proto::runtime::v1 as wire;
use runtime::{Fault, Signal};
use session::{Decision, Event, Input, Refusal, State, Vote, fold};
use spec::{ApprovalId, Digest, SessionId, Snapshot};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};
use wire::run_session_interactive_client_msg::Body as Said;
use wire::run_session_interactive_server_msg::Body as Told;

use super::Service;
use super::sessions::Recorded;
use crate::actors::Mail;
use crate::serve::AskError;
use crate::wire::interactive as show;
use crate::wire::json::SHOWN_BYTES_MAX;
use crate::wire::status::of_ask;

/// Events that wait for a client before the journal is read on.
const AHEAD_MAX: usize = 64;
/// User messages that one stream may send ahead of the turn that they are for.
const MESSAGES_MAX: usize = 16;
/// The longest user message, in bytes.
const MESSAGE_BYTES_MAX: usize = 1024 * 1024;
/// Who is on record for a decision made on a stream, which cannot say who it is.
const ACTOR: &str = "interactive";
/// A stream has no way to acknowledge.
const ACKNOWLEDGE: &str = "this approval requires the text to be acknowledged, which a stream \
     cannot do: use `approvals approve ID --comprehension`";

type Inbound = Streaming<wire::RunSessionInteractiveClientMsg>;
type Outbound = mpsc::Sender<Result<wire::RunSessionInteractiveServerMsg, Status>>;

/// One client's view of a session.
struct View {
    service: Service,
    id: SessionId,
    state: State,
    outbound: Outbound,
    /// Messages for turns to come.
    waiting: VecDeque<String>,
    /// Whether the client has said all that it will say.
    closed: bool,
}

/// Where a message that has to wait is put.
enum Place {
    First,
    Last,
}

/// What a stream does next.
enum Flow {
    On,
    End,
}

impl Service {
    pub(super) fn interact(
        &self,
        inbound: Inbound,
    ) -> ReceiverStream<Result<wire::RunSessionInteractiveServerMsg, Status>> {
        let (outbound, receiver) = mpsc::channel(AHEAD_MAX);
        let service = self.clone();
        tokio::spawn(async move {
            if let Err(status) = service.converse(inbound, &outbound).await {
                // The client may be gone; then nobody reads why.
                let _gone = outbound.send(Err(status)).await;
            }
        });
        ReceiverStream::new(receiver)
    }

    async fn converse(&self, mut inbound: Inbound, outbound: &Outbound) -> Result<(), Status> {
        let first = tokio::select! {
            first = inbound.message() => first?,
            () = self.core.stopping() => {
                return Err(Status::unavailable("the runtime is stopping"));
            }
        };
        let Some(first) = first else {
            return Ok(());
        };
        let start = match first.body {
            Some(Said::Start(start)) => start,
            Some(Said::UserMessage(_) | Said::ToolApproval(_)) | None => {
                return Err(Status::invalid_argument("the first message must be start"));
            }
        };
        let attach = !start.session_id.is_empty();
        let id = SessionId::new(self.session_of(start).await?);
        let grown = self.core.watchers.subscribe(&id);
        let mut view = View {
            service: self.clone(),
            state: State::new(id.clone()),
            id,
            outbound: outbound.clone(),
            waiting: VecDeque::new(),
            closed: false,
        };
        if let Flow::End = view.open(attach).await? {
            return Ok(());
        }
        view.live(inbound, grown).await
    }

    async fn session_of(&self, start: wire::RunSessionInteractiveStart) -> Result<String, Status> {
        if !start.session_id.is_empty() {
            if start.agent_ref.is_some() || start.bundle_ref.is_some() {
                let text = "start names a session or an agent, not both";
                return Err(Status::invalid_argument(text));
            }
            return Ok(start.session_id);
        }
        let request = wire::RunSessionRequest {
            agent_ref: start.agent_ref,
            input: start.input,
            resolved_secrets: start.resolved_secrets,
            bundle_ref: start.bundle_ref,
        };
        Ok(self.start_session(request).await?.session_id)
    }
}

impl View {
    async fn send(&self, message: wire::RunSessionInteractiveServerMsg) -> Flow {
        let last = show::is_last(&message);
        match self.outbound.send(Ok(message)).await {
            Ok(()) if !last => Flow::On,
            Ok(()) | Err(_) => Flow::End,
        }
    }

    async fn snapshot(&self, recorded: &Recorded) -> Result<Snapshot, Status> {
        let started = recorded.state.started.as_ref();
        let started = started.ok_or_else(|| Status::not_found("the session has not started"))?;
        let plans = &self.service.core.plans;
        let plan = plans.get(&started.version, started.snapshot).await;
        let plan = plan.map_err(|error| Status::failed_precondition(error.to_string()))?;
        Ok(plan.snapshot.clone())
    }

    /// The first messages. A client that has just started the session sees everything happen; one
    /// that attaches gets what was said, the calls and open questions, and where the session stands.
    async fn open(&mut self, attach: bool) -> Result<Flow, Status> {
        let recorded = self.service.recorded(&self.id, 0).await?;
        let snapshot = self.snapshot(&recorded).await?;
        if !attach {
            let started = show::session_started(&recorded.state, &snapshot, Vec::new());
            return Ok(match self.send(started).await {
                Flow::On => self.show(&recorded, false).await,
                Flow::End => Flow::End,
            });
        }
        let history = show::history(&recorded.state, &|digest| {
            recorded.shown(digest, SHOWN_BYTES_MAX)
        });
        let started = show::session_started(&recorded.state, &snapshot, history);
        if let Flow::End = self.send(started).await {
            return Ok(Flow::End);
        }
        if let Flow::End = self.show(&recorded, true).await {
            return Ok(Flow::End);
        }
        Ok(match show::standing(&self.state) {
            Some(message) => self.send(message).await,
            None => Flow::On,
        })
    }

    /// Shows what is on record beyond what was shown.
    async fn show(&mut self, recorded: &Recorded, replay: bool) -> Flow {
        let shown = usize::try_from(self.state.seq).unwrap_or(usize::MAX);
        for at in shown..recorded.entries.len() {
            for message in self.messages(at, recorded, replay) {
                let parked = matches!(&message.body, Some(Told::AwaitingInput(_)));
                if let Flow::End = self.send(message).await {
                    return Flow::End;
                }
                if parked && self.closed && self.waiting.is_empty() {
                    return Flow::End;
                }
            }
        }
        Flow::On
    }

    /// Takes the entry at a place in, and says what the client is told about it.
    fn messages(
        &mut self,
        at: usize,
        recorded: &Recorded,
        replay: bool,
    ) -> Vec<wire::RunSessionInteractiveServerMsg> {
        let Some(entry) = recorded.entries.get(at) else {
            return Vec::new();
        };
        let bytes = |digest: &Digest| recorded.shown(digest, SHOWN_BYTES_MAX);
        let late = show::is_late(entry, &self.state);
        let before = std::mem::replace(&mut self.state, State::new(self.id.clone()));
        self.state = fold(before, entry);
        // An open question is asked as it stands on record, with the arguments in force.
        let asked = |id: &ApprovalId| {
            let asked = recorded.state.approvals.get(id)?;
            let open = asked
                .is_pending()
                .then(|| show::approval_required(&recorded.state, id, &bytes));
            open.flatten()
        };
        // In a replay one that is answered is not asked again.
        if let (Event::ApprovalOpened { approval, .. }, true) = (&entry.event, replay) {
            return asked(approval).into_iter().collect();
        }
        // The same question about other arguments: whoever decides must see these.
        if let (Event::ArgumentsEdited { approval, .. }, false) = (&entry.event, replay) {
            return asked(approval).into_iter().collect();
        }
        if !replay {
            let next = recorded.entries.get(at.saturating_add(1));
            return show::live((entry, next), late, &self.state, &bytes);
        }
        show::replayed(entry, late, &self.state, &bytes)
            .into_iter()
            .collect()
    }

    async fn live(
        mut self,
        mut inbound: Inbound,
        mut grown: watch::Receiver<u64>,
    ) -> Result<(), Status> {
        let core = Arc::clone(&self.service.core);
        loop {
            grown.mark_unchanged();
            let recorded = self.service.recorded(&self.id, self.state.seq).await?;
            if let Flow::End = self.show(&recorded, false).await {
                return Ok(());
            }
            if self.state.turn_is_over() {
                if let Some(text) = self.waiting.pop_front() {
                    if let Flow::End = self.say(text, Place::First).await? {
                        return Ok(());
                    }
                } else if self.closed {
                    return Ok(());
                }
            }
            let outbound = self.outbound.clone();
            tokio::select! {
                changed = grown.changed() => {
                    if changed.is_err() {
                        // Nobody is left who would say so; the journal can still be read.
                        grown = self.service.core.watchers.subscribe(&self.id);
                    }
                }
                message = inbound.message(), if !self.closed => {
                    // A client that says no more, or is gone, detaches: the session goes on.
                    match message {
                        Ok(Some(message)) => {
                            if let Flow::End = self.take(message).await? {
                                return Ok(());
                            }
                        }
                        Ok(None) => self.closed = true,
                        Err(_) => return Ok(()),
                    }
                }
                () = outbound.closed() => return Ok(()),
                () = core.stopping() => {
                    return Err(Status::unavailable("the runtime is stopping"));
                }
            }
        }
    }

    async fn take(
        &mut self,
        message: wire::RunSessionInteractiveClientMsg,
    ) -> Result<Flow, Status> {
        match message.body {
            Some(Said::UserMessage(message)) => self.hear(message.text).await,
            Some(Said::ToolApproval(decision)) => self.decide(decision).await,
            Some(Said::Start(_)) => self.refuse("the session is started already").await,
            None => self.refuse("the message has no body").await,
        }
    }

    /// A message that cannot be taken is refused; the session lives, and where it waits for input it
    /// says so again, since a client takes the refusal for a block.
    async fn refuse(&self, why: &str) -> Result<Flow, Status> {
        if let Flow::End = self.send(show::refused(&self.state, why)).await {
            return Ok(Flow::End);
        }
        Ok(match show::standing(&self.state) {
            Some(message) => self.send(message).await,
            None => Flow::On,
        })
    }

    async fn ask(&self, input: Input) -> Result<(), AskError> {
        let signal = Signal::Input(input);
        let core = &self.service.core;
        core.ask(&self.id, |answer| Mail::Ask(signal, answer), |_| ())
            .await
    }

    /// Takes a user message in; those that wait already come first.
    async fn hear(&mut self, text: String) -> Result<Flow, Status> {
        if text.trim().is_empty() {
            return self.refuse("the message is empty").await;
        }
        if text.len() > MESSAGE_BYTES_MAX {
            let bytes = text.len();
            let why = format!("the message is too long: {bytes} > {MESSAGE_BYTES_MAX} bytes");
            return self.refuse(&why).await;
        }
        if self.waiting.len() >= MESSAGES_MAX {
            return self
                .refuse("too many messages wait for the turn to end")
                .await;
        }
        if !self.waiting.is_empty() {
            self.waiting.push_back(text);
            return Ok(Flow::On);
        }
        self.say(text, Place::Last).await
    }

    /// Says something to the session, or puts it (back) where it waits for the turn to come.
    async fn say(&mut self, text: String, place: Place) -> Result<Flow, Status> {
        match self.ask(Input::Say { text: text.clone() }).await {
            Ok(()) => Ok(Flow::On),
            Err(AskError::Fault(Fault::Refused(Refusal::Busy))) => {
                match place {
                    Place::First => self.waiting.push_front(text),
                    Place::Last => self.waiting.push_back(text),
                }
                Ok(Flow::On)
            }
            Err(error) => self.answer(error).await,
        }
    }

    /// What a client is told about a message that did not go through. The session lives, and so
    /// does the stream, unless there is no such session.
    async fn answer(&self, error: AskError) -> Result<Flow, Status> {
        match error {
            AskError::Fault(Fault::Refused(refusal)) => self.refuse(&refusal.to_string()).await,
            AskError::Busy => {
                self.refuse("too many requests wait for sessions; try again")
                    .await
            }
            AskError::Fault(fault @ (Fault::Moved | Fault::Unavailable(_))) => {
                self.refuse(&format!("{fault}; try again")).await
            }
            error @ (AskError::NotFound
            | AskError::Fault(Fault::Fenced | Fault::Plan(_) | Fault::Damaged { .. })) => {
                Err(of_ask(error, self.id.as_str()))
            }
        }
    }

    async fn decide(
        &self,
        decision: wire::RunSessionInteractiveToolApproval,
    ) -> Result<Flow, Status> {
        let vote = if decision.approved {
            Vote::Approve
        } else {
            Vote::Reject
        };
        let input = Input::Decide(Decision {
            approval: ApprovalId::new(decision.approval_id),
            actor: ACTOR.to_owned(),
            vote,
            comment: decision.comment,
            comprehension_acknowledged: false,
            args: Some(decision.args).filter(|it| !it.is_empty()),
            slot: None,
        });
        match self.ask(input).await {
            Ok(()) | Err(AskError::Fault(Fault::Refused(Refusal::SameDecision))) => Ok(Flow::On),
            Err(AskError::Fault(Fault::Refused(Refusal::ComprehensionRequired))) => {
                self.refuse(ACKNOWLEDGE).await
            }
            Err(error) => self.answer(error).await,
        }
    }
}
