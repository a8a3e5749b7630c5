//! Decide, record, act. The one line that moves a session, whoever asks for it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ::session::{
    Decided, Effect, Entry, Event, Input, Payloads, Refusal, Reply, Slot, Start, State,
    approval_view, decide, decode, encode, fold, judge, needs, offered, outstanding, session_view,
    slot_wanted,
};
use spec::{ApprovalId, CallId, Digest, SessionId, Time};

use crate::ports::{
    AppendError, Batch, Epoch, Invocation, Journal, LoadError, Stored, Work, World,
};
use crate::session::{Key, Session};
use crate::{PlanUnavailable, chain, transcript};

/// Something that happened for a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Signal {
    /// The model answered; it is judged here, so that slots can be reserved.
    Replied {
        /// Which completion.
        completion: u32,
        /// What it said.
        reply: Reply,
    },
    /// Anything else.
    Input(Input),
}

/// Why a signal did not go through.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Fault {
    /// It changes nothing. The session is as it was.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Nothing was written; the session in memory is stale and must be loaded again.
    #[error("the session was changed by another writer")]
    Moved,
    /// Another runtime has taken the store over; this one must stop writing.
    #[error("another runtime has taken over this store")]
    Fenced,
    /// The store did not answer. What was being written may be on record: load the session again
    /// before anything else.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// The version that drives the session cannot be had.
    #[error(transparent)]
    Plan(PlanUnavailable),
    /// The journal is not what was written: the chain breaks, or an entry does not read.
    #[error("the journal of session {session} is damaged at entry {seq}: {why}")]
    Damaged {
        /// Which session.
        session: SessionId,
        /// The first bad entry.
        seq: u64,
        /// What is wrong.
        why: String,
    },
}

impl From<PlanUnavailable> for Fault {
    fn from(error: PlanUnavailable) -> Self {
        if error.transient {
            Fault::Unavailable(error.to_string())
        } else {
            Fault::Plan(error)
        }
    }
}

impl From<LoadError> for Fault {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Unavailable(why) => Fault::Unavailable(why),
        }
    }
}

/// Drives sessions over a journal and a world.
pub struct Driver<J, W> {
    /// What keeps.
    pub journal: J,
    /// What acts.
    pub world: W,
    epoch: Epoch,
}

impl<J: Journal, W: World> Driver<J, W> {
    /// A driver that writes in `epoch`, which [`Journal::claim`] gave.
    pub fn new(journal: J, world: W, epoch: Epoch) -> Self {
        Self {
            journal,
            world,
            epoch,
        }
    }

    /// Begins a session under an id that nobody has.
    ///
    /// # Errors
    /// See [`Fault`].
    pub async fn start(&self, id: SessionId, start: Start) -> Result<Session, Fault> {
        let plan = self.world.plan(&start.version, start.snapshot).await?;
        let mut session = Session {
            state: State::new(id),
            head: Digest::ZERO,
            plan,
            payloads: Payloads::default(),
            begun: BTreeSet::new(),
        };
        self.handle(&mut session, Signal::Input(Input::Start(start)))
            .await?;
        Ok(session)
    }

    /// Loads a session, checks its chain, and performs what is outstanding; `None` when there is no
    /// such session.
    ///
    /// # Errors
    /// See [`Fault`].
    pub async fn resume(&self, id: &SessionId) -> Result<Option<Session>, Fault> {
        let Some(mut session) = self.load(id).await? else {
            return Ok(None);
        };
        let held: Vec<CallId> = outstanding(&session.state, self.world.now())
            .into_iter()
            .filter_map(|effect| match effect {
                Effect::Invoke { call, .. } => Some(call),
                Effect::Complete { .. } | Effect::Reserve { .. } | Effect::Cancel { .. } => None,
            })
            .collect();
        self.world.release_all_but(id, &held);
        // An append whose answer was lost is on record all the same: whoever waits for it is told.
        self.world.recorded(&session.state);
        self.perform(&mut session).await?;
        Ok(Some(session))
    }

    /// Loads a session without acting for it.
    ///
    /// # Errors
    /// See [`Fault`].
    pub async fn load(&self, id: &SessionId) -> Result<Option<Session>, Fault> {
        let stored = self.journal.load(id).await?;
        let (state, head) = replay(id, &stored)?;
        let Some(started) = &state.started else {
            return Ok(None);
        };
        let plan = self.world.plan(&started.version, started.snapshot).await?;
        let payloads = Payloads::default();
        Ok(Some(Session {
            state,
            head,
            plan,
            payloads,
            begun: BTreeSet::new(),
        }))
    }

    /// Takes a signal in: decides, records, acts.
    ///
    /// # Errors
    /// See [`Fault`]. After anything but `Refused` the session must be loaded again.
    pub async fn handle(&self, session: &mut Session, signal: Signal) -> Result<(), Fault> {
        // A deployment may have changed its overlay since; what is decided now is decided by that.
        if let Some(started) = &session.state.started {
            session.plan = self.world.plan(&started.version, started.snapshot).await?;
        }
        let now = self.world.now();
        let mut held = BTreeMap::new();
        let decided = self.decide(session, signal, now, &mut held).await;
        let decided = match decided {
            Ok(decided) => decided,
            Err(fault) => {
                for call in held.keys() {
                    self.world.release(call);
                }
                return Err(fault);
            }
        };
        for event in &decided.events {
            if let Event::CallDispatched { call, .. } = event {
                held.remove(call);
            }
        }
        for call in held.keys() {
            self.world.release(call);
        }
        if !decided.events.is_empty() {
            self.record(session, decided, now).await?;
        }
        self.perform(session).await
    }

    async fn decide(
        &self,
        session: &mut Session,
        signal: Signal,
        now: Time,
        held: &mut BTreeMap<CallId, Slot>,
    ) -> Result<Decided, Fault> {
        let mut input = match signal {
            Signal::Replied { completion, reply } => {
                if completion != session.state.completions.saturating_add(1) {
                    return Err(Refusal::Stale.into());
                }
                self.judge(session, reply, now, held).await?
            }
            Signal::Input(input) => input,
        };
        if let Input::SlotReady { call, slot } = &input {
            // After a reload the slot may have been given back, and be somebody else's by now.
            if !self.world.holds(call, slot) {
                return Err(Refusal::Stale.into());
            }
            held.insert(call.clone(), slot.clone());
        }
        let wanted = slot_wanted(&session.state, &input)
            .map(|call| (call.id.clone(), call.tool.clone(), call.version.clone()));
        if let (Some((call, tool, version)), Input::Decide(decision)) = (wanted, &mut input)
            && let Some(slot) = self.world.reserve(&call, &tool, &version)
        {
            held.insert(call, slot.clone());
            decision.slot = Some(slot);
        }
        self.fetch(session, &needs(&session.state, Some(&input)))
            .await?;
        Ok(decide(
            &session.plan,
            &session.state,
            &input,
            &session.payloads,
            now,
        )?)
    }

    async fn judge(
        &self,
        session: &mut Session,
        reply: Reply,
        now: Time,
        held: &mut BTreeMap<CallId, Slot>,
    ) -> Result<Input, Fault> {
        self.fetch(session, &needs(&session.state, None)).await?;
        let turn = judge(&session.plan, &session.state, reply, &session.payloads, now)?;
        let mut slots = BTreeMap::new();
        for (index, call, tool, version) in turn.going() {
            if let Some(slot) = self.world.reserve(call, tool, version) {
                held.insert(call.clone(), slot.clone());
                slots.insert(index, slot);
            }
        }
        Ok(Input::Completed {
            turn: Box::new(turn),
            slots,
        })
    }

    /// Appends what was decided, then moves the state in memory.
    async fn record(
        &self,
        session: &mut Session,
        decided: Decided,
        now: Time,
    ) -> Result<(), Fault> {
        let expected = session.state.seq;
        let id = session.state.session.clone();
        let mut state = std::mem::replace(&mut session.state, State::new(id.clone()));
        let mut head = session.head;
        let mut entries = Vec::with_capacity(decided.events.len());
        let mut touched: BTreeSet<ApprovalId> = BTreeSet::new();
        for event in decided.events {
            touched.extend(approval_of(&event).cloned());
            let entry = Entry { at: now, event };
            let seq = state.seq.saturating_add(1);
            let bytes = encode(&entry).map_err(|error| Fault::Damaged {
                session: id.clone(),
                seq,
                why: error.to_string(),
            })?;
            head = chain(&head, seq, &bytes);
            entries.push(Stored {
                seq,
                hash: head,
                bytes,
            });
            state = fold(state, &entry);
        }
        // Only before the first event is there no line; and that event is always `Started`.
        let view = session_view(&session.plan, &state, now).ok_or(Refusal::NotStarted)?;
        let batch = Batch {
            entries,
            payloads: decided
                .payloads
                .iter()
                .map(|(digest, bytes)| (*digest, Arc::clone(bytes)))
                .collect(),
            session: view,
            agent: session.plan.snapshot.agent.clone(),
            approvals: touched
                .iter()
                .filter_map(|it| approval_view(&state, it))
                .collect(),
        };
        match self.journal.append(&id, expected, self.epoch, batch).await {
            Ok(()) => {}
            Err(AppendError::Conflict { .. }) => return Err(Fault::Moved),
            Err(AppendError::Fenced) => return Err(Fault::Fenced),
            Err(AppendError::Unavailable(why)) => return Err(Fault::Unavailable(why)),
        }
        session.state = state;
        session.head = head;
        session.payloads.extend(decided.payloads);
        self.world.recorded(&session.state);
        Ok(())
    }

    /// For each effect outstanding, perform it.
    async fn perform(&self, session: &mut Session) -> Result<(), Fault> {
        let effects = outstanding(&session.state, self.world.now());
        let due: BTreeSet<Key> = effects.iter().map(Key::of).collect();
        session.begun.retain(|key| due.contains(key));
        for effect in effects {
            let key = Key::of(&effect);
            if session.begun.contains(&key) {
                continue;
            }
            let work = self.prepare(session, effect).await?;
            self.world.perform(&session.state.session, work);
            session.begun.insert(key);
        }
        Ok(())
    }

    /// Adds the bytes that an effect takes.
    async fn prepare(&self, session: &mut Session, effect: Effect) -> Result<Work, Fault> {
        Ok(match effect {
            Effect::Complete { completion } => {
                self.fetch(session, &transcript::digests(&session.state))
                    .await?;
                let payloads = &session.payloads;
                let transcript =
                    transcript::build(&session.state, |digest| payloads.get(digest).cloned());
                let started = session.state.started.as_ref().ok_or(Refusal::NotStarted)?;
                let tools = offered(&session.plan, &session.state);
                Work::Complete {
                    completion,
                    version: started.version.clone(),
                    snapshot: started.snapshot,
                    transcript,
                    tools: tools.iter().map(|it| it.wire_name.clone()).collect(),
                }
            }
            Effect::Reserve {
                call,
                tool,
                version,
                since,
            } => Work::Reserve {
                call,
                tool,
                version,
                since,
            },
            Effect::Invoke {
                call,
                attempt,
                slot,
                tool,
                version,
                args,
                class,
                deadline,
                turn,
            } => {
                self.fetch(session, &[args.digest]).await?;
                let bytes = session
                    .payloads
                    .get(&args.digest)
                    .cloned()
                    .ok_or(Refusal::MissingPayload(args.digest))?;
                Work::Invoke(Box::new(Invocation {
                    call,
                    version_id: session.plan.version.clone(),
                    attempt,
                    slot,
                    tool,
                    version,
                    args: bytes,
                    class,
                    deadline,
                    turn,
                }))
            }
            Effect::Cancel {
                call,
                attempt: _,
                slot,
            } => Work::Cancel { call, slot },
        })
    }

    /// Loads payloads that are not in memory yet.
    async fn fetch(&self, session: &mut Session, digests: &[Digest]) -> Result<(), Fault> {
        for digest in digests {
            if session.payloads.get(digest).is_none() {
                let found = self
                    .journal
                    .payload(&session.state.session, *digest)
                    .await?;
                let bytes = found.ok_or(Refusal::MissingPayload(*digest))?;
                session.payloads.insert(bytes);
            }
        }
        Ok(())
    }
}

/// Checks the chain and folds.
fn replay(id: &SessionId, stored: &[Stored]) -> Result<(State, Digest), Fault> {
    let mut state = State::new(id.clone());
    let mut head = Digest::ZERO;
    for entry in stored {
        let expected = state.seq.saturating_add(1);
        let damaged = |why: String| Fault::Damaged {
            session: id.clone(),
            seq: expected,
            why,
        };
        if entry.seq != expected {
            return Err(damaged(format!("entry {} stands there", entry.seq)));
        }
        head = chain(&head, entry.seq, &entry.bytes);
        if head != entry.hash {
            return Err(damaged("its hash does not match".to_owned()));
        }
        let decoded = decode(&entry.bytes).map_err(|error| damaged(error.to_string()))?;
        state = fold(state, &decoded);
    }
    Ok((state, head))
}

fn approval_of(event: &Event) -> Option<&ApprovalId> {
    match event {
        Event::ApprovalOpened { approval, .. }
        | Event::ApprovalVoted { approval, .. }
        | Event::ArgumentsEdited { approval, .. }
        | Event::ApprovalClosed { approval, .. } => Some(approval),
        Event::Started { .. }
        | Event::EvidenceRecorded { .. }
        | Event::OutputAccepted { .. }
        | Event::OutputRejected { .. }
        | Event::CallErred { .. }
        | Event::UserMessage { .. }
        | Event::AssistantMessage { .. }
        | Event::CallProposed { .. }
        | Event::CallRefused { .. }
        | Event::CallQueued { .. }
        | Event::CallDispatched { .. }
        | Event::CallNacked { .. }
        | Event::CallUnknown { .. }
        | Event::CallSucceeded { .. }
        | Event::CallFailed { .. }
        | Event::CallIndeterminate { .. }
        | Event::CallCancelled { .. }
        | Event::ResultConflict { .. }
        | Event::Ended { .. } => None,
    }
}
