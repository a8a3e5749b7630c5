//! One task for each session that has something to do; none for one that is parked. Every signal
//! of a session passes through its task, in order, so that a session is never moved twice at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use runtime::workers::Receipt;
use runtime::{Fault, Session, Signal, World};
use session::{Input, Start, State};
use spec::{CallId, SessionId, WorkerId};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::serve::Core;

/// First and longest wait before a session is loaded again when the store does not answer.
const RETRY_FIRST: Duration = Duration::from_millis(50);
const RETRY_LAST: Duration = Duration::from_secs(5);

/// Called with what became of a signal, and with the session as it is then (`None` when there is
/// no such session).
pub(crate) type Answer = Box<dyn FnOnce(Option<&State>, Result<(), Fault>) + Send>;

pub(crate) enum Mail {
    /// Something happened; nobody waits for what it comes to.
    Signal(Signal),
    /// Somebody waits.
    Ask(Signal, Answer),
    /// Begin the session.
    Start(Box<Start>, Answer),
}

/// The mailboxes. They have no bound of their own: signals are bounded by the calls in flight, and
/// asks by [`Core`]'s count of those.
#[derive(Default)]
pub(crate) struct Actors {
    mailboxes: Mutex<HashMap<SessionId, UnboundedSender<Mail>>>,
    /// Sessions that cannot be driven, and why: parked until the next start, with the evidence in
    /// the journal and the log.
    parked: Mutex<HashMap<SessionId, Fault>>,
}

impl Actors {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, UnboundedSender<Mail>>> {
        self.mailboxes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn parked(&self, id: &SessionId) -> Option<Fault> {
        let parked = self.parked.lock().unwrap_or_else(PoisonError::into_inner);
        parked.get(id).cloned()
    }

    fn park(&self, id: &SessionId, why: Fault) {
        // First the mark, so that nobody starts another task in between.
        let mut parked = self.parked.lock().unwrap_or_else(PoisonError::into_inner);
        parked.insert(id.clone(), why);
        drop(parked);
        self.lock().remove(id);
    }

    /// Tasks that are running.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    /// Hands mail to the session's task, which is started if there is none.
    pub(crate) fn send(&self, core: &Arc<Core>, id: &SessionId, mail: Option<Mail>) {
        if let Some(why) = self.parked(id) {
            if let Some(Mail::Ask(_, answer) | Mail::Start(_, answer)) = mail {
                answer(None, Err(why));
            }
            return;
        }
        let mut mailboxes = self.lock();
        let sender = mailboxes.entry(id.clone()).or_insert_with(|| {
            let (sender, receiver) = unbounded_channel();
            spawn(Arc::clone(core), id.clone(), receiver);
            sender
        });
        let Some(mail) = mail else { return };
        if let Err(unsent) = sender.send(mail) {
            // The task is going down by a panic; its watcher will say so. The signal is not lost:
            // whatever it was about is still outstanding.
            if let Mail::Ask(_, answer) | Mail::Start(_, answer) = unsent.0 {
                answer(None, Err(bug(id)));
            }
        }
    }

    /// Ends a task if its mailbox is empty; whoever sends next starts another.
    fn retire(&self, id: &SessionId, mailbox: &mut UnboundedReceiver<Mail>) -> Option<Mail> {
        let mut mailboxes = self.lock();
        match mailbox.try_recv() {
            Ok(mail) => Some(mail),
            Err(_) => {
                mailboxes.remove(id);
                None
            }
        }
    }
}

fn bug(id: &SessionId) -> Fault {
    Fault::Damaged {
        session: id.clone(),
        seq: 0,
        why: "the engine failed on this session; it is parked until the runtime restarts"
            .to_owned(),
    }
}

fn spawn(core: Arc<Core>, id: SessionId, mailbox: UnboundedReceiver<Mail>) {
    tokio::spawn(async move {
        let task = tokio::spawn(Actor::new(Arc::clone(&core), id.clone(), mailbox).run());
        if let Err(error) = task.await
            && error.is_panic()
        {
            tracing::error!(session = %id, %error, "a bug: the session is parked, with its journal as evidence");
            core.actors.park(&id, bug(&id));
            core.driver.world.release_all_but(&id, &[]);
        }
    });
}

struct Actor {
    core: Arc<Core>,
    id: SessionId,
    mailbox: UnboundedReceiver<Mail>,
    session: Option<Session>,
    retry: Duration,
}

/// Whether a session can be driven.
enum Presence {
    Here,
    NoSuchSession,
    Unusable(Fault),
}

/// What a task does next.
#[expect(
    clippy::large_enum_variant,
    reason = "one at a time, and mail is the usual case"
)]
enum Next {
    Mail(Mail),
    Wake,
    Stop,
}

impl Actor {
    fn new(core: Arc<Core>, id: SessionId, mailbox: UnboundedReceiver<Mail>) -> Self {
        Self {
            core,
            id,
            mailbox,
            session: None,
            retry: RETRY_FIRST,
        }
    }

    async fn run(self) {
        let mut stopped = self.core.stopped.clone();
        tokio::select! {
            () = self.live() => {}
            // Wherever it is: what is on record is whole, and the rest was never promised.
            _ = stopped.wait_for(|it| *it) => {}
        }
    }

    async fn live(mut self) {
        // The first mail of a new session starts it; there is nothing to load yet.
        let mut mail = self.mailbox.try_recv().ok();
        if let Some(Mail::Start(start, answer)) = mail {
            self.start(*start, answer).await;
            mail = None;
        }
        loop {
            match self.loaded().await {
                Presence::Here => {}
                Presence::NoSuchSession => {
                    let next = mail
                        .take()
                        .or_else(|| self.core.actors.retire(&self.id, &mut self.mailbox));
                    match next {
                        Some(next) => self.refuse(next).await,
                        None => return,
                    }
                    continue;
                }
                Presence::Unusable(why) => {
                    // Nothing is acknowledged that is not on record.
                    if let Some(Mail::Ask(_, answer) | Mail::Start(_, answer)) = mail {
                        answer(None, Err(why.clone()));
                    }
                    self.core.actors.park(&self.id, why);
                    return;
                }
            }
            if let Some(mail) = mail.take() {
                self.take(mail).await;
                continue;
            }
            match self.next().await {
                Next::Mail(mail) => self.take(mail).await,
                Next::Wake => self.take(Mail::Signal(Signal::Input(Input::Tick))).await,
                Next::Stop => return,
            }
        }
    }

    async fn next(&mut self) -> Next {
        let now = self.core.clock.now();
        let Some(session) = &self.session else {
            return Next::Stop;
        };
        if session.is_parked(now) {
            return match self.core.actors.retire(&self.id, &mut self.mailbox) {
                Some(mail) => Next::Mail(mail),
                None => Next::Stop,
            };
        }
        let wake = session.next_wake(now);
        let sleep = async {
            match wake {
                Some(at) => tokio::time::sleep(self.core.clock.until(at)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            mail = self.mailbox.recv() => mail.map_or(Next::Stop, Next::Mail),
            () = sleep => Next::Wake,
        }
    }

    /// Loads the session, waiting for the store as long as it takes.
    async fn loaded(&mut self) -> Presence {
        while self.session.is_none() {
            match self.core.driver.resume(&self.id).await {
                Ok(Some(session)) => self.session = Some(session),
                Ok(None) => return Presence::NoSuchSession,
                Err(Fault::Unavailable(why)) => self.wait_for_store(&why).await,
                // Another writer was in between: what is on record now is loaded at once.
                Err(Fault::Moved) => {}
                Err(
                    fault @ (Fault::Refused(_)
                    | Fault::Fenced
                    | Fault::Plan(_)
                    | Fault::Damaged { .. }),
                ) => {
                    tracing::error!(session = %self.id, %fault, "the session cannot be driven; it is parked");
                    return Presence::Unusable(fault);
                }
            }
        }
        Presence::Here
    }

    /// Nobody is left waiting while the store is away: asks are answered with the reason, signals
    /// are dropped, since what they are about stays outstanding.
    async fn wait_for_store(&mut self, why: &str) {
        tracing::warn!(session = %self.id, why, "the store does not answer; trying again");
        let until = tokio::time::sleep(self.retry);
        tokio::pin!(until);
        self.retry = (self.retry * 2).min(RETRY_LAST);
        loop {
            tokio::select! {
                () = &mut until => return,
                mail = self.mailbox.recv() => match mail {
                    Some(Mail::Ask(_, answer) | Mail::Start(_, answer)) => {
                        answer(None, Err(Fault::Unavailable(why.to_owned())));
                    }
                    Some(Mail::Signal(_)) => {}
                    None => return,
                },
            }
        }
    }

    async fn start(&mut self, start: Start, answer: Answer) {
        match self.core.driver.start(self.id.clone(), start).await {
            Ok(session) => {
                answer(Some(session.state()), Ok(()));
                self.session = Some(session);
            }
            Err(fault) => answer(None, Err(fault)),
        }
    }

    async fn take(&mut self, mail: Mail) {
        let (signal, answer) = match mail {
            Mail::Signal(signal) => (signal, None),
            Mail::Ask(signal, answer) => (signal, Some(answer)),
            Mail::Start(_, answer) => {
                let refusal = session::Refusal::AlreadyStarted;
                answer(None, Err(Fault::Refused(refusal)));
                return;
            }
        };
        let about = about(&signal);
        let Some(mut session) = self.session.take() else {
            return;
        };
        let handled = self.core.driver.handle(&mut session, signal).await;
        self.acknowledge(about, &handled);
        match &handled {
            Ok(()) => {
                self.session = Some(session);
                self.retry = RETRY_FIRST;
            }
            Err(Fault::Refused(refusal)) => {
                tracing::debug!(session = %self.id, %refusal, "refused");
                self.session = Some(session);
            }
            Err(
                Fault::Moved
                | Fault::Fenced
                | Fault::Unavailable(_)
                | Fault::Plan(_)
                | Fault::Damaged { .. },
            ) => {}
        }
        // What is in memory may be stale: the session is loaded again. Where the store does not
        // take what it should keep, not at once, so that no model is asked in vain again and again.
        let away = match &handled {
            Err(Fault::Unavailable(why)) => Some(why.clone()),
            Ok(()) | Err(_) => None,
        };
        if let Some(answer) = answer {
            answer(self.session.as_ref().map(Session::state), handled);
        }
        if let Some(why) = away {
            self.wait_for_store(&why).await;
        }
    }

    /// Mail for a session that is not there.
    async fn refuse(&mut self, mail: Mail) {
        match mail {
            Mail::Ask(_, answer) => answer(None, Ok(())),
            Mail::Start(start, answer) => self.start(*start, answer).await,
            // Whatever a worker says about a session that does not exist, it may forget.
            Mail::Signal(signal) => self.acknowledge(about(&signal), &Ok(())),
        }
    }

    fn acknowledge(&self, about: Option<(CallId, WorkerId)>, handled: &Result<(), Fault>) {
        let Some((call, worker)) = about else { return };
        let receipt = Receipt::of(handled);
        let outs = self
            .core
            .workers
            .with(|registry| registry.answer(&call, &worker, receipt));
        self.core.take_in(outs);
    }
}

/// The result that a worker waits to have acknowledged.
fn about(signal: &Signal) -> Option<(CallId, WorkerId)> {
    if let Signal::Input(Input::Result { call, worker, .. }) = signal {
        Some((call.clone(), worker.clone()))
    } else {
        None
    }
}
