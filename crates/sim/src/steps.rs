//! What can happen next, and how it happens.

use std::sync::Arc;

use runtime::workers::{ConnectionId, Frame, Receipt};
use runtime::{Signal, block_on};
use session::{ApprovalSubject, CallResult, Decision, Input, Phase, Vote};
use spec::{ApprovalId, CallId, Digest, SessionId};

use crate::journal::Fault as JournalFault;
use crate::simulation::{Began, Simulation};

/// Something that may happen now.
#[derive(Clone, Debug)]
enum Step {
    Reload(usize),
    Signal(usize),
    Frame(usize),
    Connect(usize),
    Finish(usize, usize),
    Decide(SessionId, ApprovalId),
    Wait,
}

impl Simulation {
    /// One step: maybe a fault, then one of the things that can happen.
    pub(crate) fn step(&mut self) {
        if self.chaos.is_dead() {
            self.restart();
        }
        self.inject();
        let steps = self.possible();
        let choice = if self.healed {
            0
        } else {
            self.rng.usize(..steps.len().max(1))
        };
        let step = steps.get(choice).cloned().unwrap_or(Step::Wait);
        match step {
            Step::Reload(at) => {
                let id = self.reload.swap_remove(at);
                self.sessions.remove(&id);
                self.load(&id);
            }
            Step::Signal(at) => self.signal(at),
            Step::Frame(at) => self.frame(at),
            Step::Connect(at) => self.connect(at),
            Step::Finish(worker, at) => self.finish_handler(worker, at),
            Step::Decide(session, approval) => self.decide(&session, approval),
            Step::Wait => self.wait(),
        }
        self.close_connections();
        self.look_up_claims();
    }

    /// In the order in which a healed world takes them: the first is what happens.
    fn possible(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        steps.extend((0..self.reload.len()).map(Step::Reload));
        let inner = self.world.lock();
        steps.extend((0..inner.frames.len()).map(Step::Frame));
        steps.extend((0..inner.signals.len()).map(Step::Signal));
        drop(inner);
        for (at, worker) in self.workers.iter().enumerate() {
            if worker.connection.is_none() {
                steps.push(Step::Connect(at));
            }
            steps.extend((0..worker.running.len()).map(|place| Step::Finish(at, place)));
        }
        // People see what is on record, whether or not the session is in memory.
        for id in self.journal.sessions() {
            let state = self.recorded(&id);
            for approval in state.approvals.values().filter(|it| it.is_pending()) {
                if state.ended.is_none() {
                    steps.push(Step::Decide(id.clone(), approval.id.clone()));
                }
            }
        }
        steps.push(Step::Wait);
        steps
    }

    fn chance(&mut self, weight: u32) -> bool {
        weight > 0 && self.rng.u32(..1000) < weight
    }

    fn inject(&mut self) {
        let faults = self.faults;
        if self.chance(faults.crash) {
            let points = self.rng.u64(..12);
            self.chaos.die_after(points);
        }
        if self.chance(faults.append) {
            let fault = if self.rng.bool() {
                JournalFault::Refused
            } else {
                JournalFault::CommittedUnanswered
            };
            self.note(format!("next append: {fault:?}"));
            self.journal.fail_next(fault);
        }
        let which = self.rng.usize(..self.workers.len());
        if self.chance(faults.worker_dies) {
            self.note(format!("worker {which} dies"));
            self.drop_connection(which);
            if let Some(worker) = self.workers.get_mut(which) {
                worker.running.clear();
                worker.held.clear();
            }
        }
        if self.chance(faults.worker_drops) {
            self.note(format!("worker {which} loses its connection"));
            self.drop_connection(which);
        }
        if self.chance(faults.leap) {
            let ms = self.rng.u64(..3_600_000);
            self.pass(ms);
        }
        if self.chance(faults.duplicate)
            && self
                .workers
                .get(which)
                .is_some_and(|it| !it.held.is_empty())
        {
            self.resend(which, 0);
        }
        if self.chance(faults.cancel)
            && let Some(id) = self.sessions.keys().next().cloned()
        {
            let by = "sim".to_owned();
            let result = self.deliver(&id, Signal::Input(Input::Cancel { by }));
            self.note(format!("cancel {id}: {result:?}"));
        }
    }

    fn drop_connection(&mut self, which: usize) {
        let Some(worker) = self.workers.get_mut(which) else {
            return;
        };
        let Some(connection) = worker.connection.take() else {
            return;
        };
        let mut inner = self.world.lock();
        let now = inner.now;
        let outs = inner.registry.disconnected(connection, now);
        inner.frames.retain(|(it, _)| *it != connection);
        inner.take_in(outs);
    }

    fn close_connections(&mut self) {
        let closed = std::mem::take(&mut self.world.lock().closed);
        for connection in closed {
            for worker in &mut self.workers {
                if worker.connection == Some(connection) {
                    worker.connection = None;
                }
            }
            self.world.lock().frames.retain(|(it, _)| *it != connection);
        }
    }

    /// A worker claims calls that nothing waits for: those that are finished are acknowledged.
    fn look_up_claims(&mut self) {
        let claimed = std::mem::take(&mut self.world.lock().claimed);
        for (connection, call) in claimed {
            let Some(id) = call.session() else { continue };
            let Ok(Some(session)) = block_on(self.driver.load(&id)) else {
                continue;
            };
            if session
                .state()
                .call(&call)
                .is_some_and(|it| !it.phase.is_open() && it.phase != Phase::Indeterminate)
            {
                self.acknowledge(connection, &call);
            }
        }
    }

    fn connect(&mut self, at: usize) {
        let Some(worker) = self.workers.get_mut(at) else {
            return;
        };
        let mut inner = self.world.lock();
        let now = inner.now;
        match inner.registry.register(worker.registration(), now) {
            Ok((connection, outs)) => {
                worker.connection = Some(connection);
                inner.take_in(outs);
            }
            Err(refused) => self.log.push(format!("worker {at}: {refused}")),
        }
        drop(inner);
        // A worker re-sends what it holds right after it has registered.
        let held = self.workers.get(at).map_or(0, |it| it.held.len());
        for place in (0..held).rev() {
            self.resend(at, place);
        }
    }

    fn worker_on(&mut self, connection: ConnectionId) -> Option<usize> {
        self.workers
            .iter()
            .position(|it| it.connection == Some(connection))
    }

    fn frame(&mut self, at: usize) {
        let (connection, frame) = self.world.lock().frames.remove(at);
        let Some(which) = self.worker_on(connection) else {
            return;
        };
        match frame {
            Frame::Invoke(invocation, _) => {
                let call = invocation.call.clone();
                if self.chance(self.faults.nack) {
                    self.note(format!("worker {which} nacks {call}"));
                    let worker = self.workers.get(which).map(|it| it.id.clone());
                    let worker = worker.unwrap_or_else(|| spec::WorkerId::new(""));
                    let (code, message) = ("busy".to_owned(), String::new());
                    self.said(
                        connection,
                        Input::Nacked {
                            call,
                            worker,
                            code,
                            message,
                        },
                    );
                    return;
                }
                // What was sent counts, whether or not the worker notices that it has it already.
                self.witness.push(Began {
                    call: call.clone(),
                    args: Digest::of(&invocation.args),
                    amount: amount(&invocation.args),
                    class: invocation.class,
                });
                let Some(worker) = self.workers.get_mut(which) else {
                    return;
                };
                if worker.has(&call) {
                    return;
                }
                worker.running.push(*invocation);
                self.note(format!("worker {which} begins {call}"));
            }
            Frame::Cancel(call) | Frame::Ack(call) => {
                if let Some(worker) = self.workers.get_mut(which) {
                    worker.forget(&call);
                }
            }
        }
    }

    fn said(&mut self, connection: ConnectionId, input: Input) {
        let mut inner = self.world.lock();
        let now = inner.now;
        let mut outs = inner.registry.heard(connection, now);
        outs.extend(inner.registry.outcome(connection, input));
        inner.take_in(outs);
    }

    fn finish_handler(&mut self, which: usize, place: usize) {
        let Some(worker) = self.workers.get_mut(which) else {
            return;
        };
        let done = worker.running.remove(place);
        let failed = self.failed.entry(done.call.clone()).or_default();
        let result = if *failed < (self.scenario.failures)(amount(&done.args)) {
            *failed += 1;
            CallResult::Failed {
                code: "E42".to_owned(),
                message: format!("for the {failed}th time"),
            }
        } else {
            let did = format!(r#"{{"did":"{}"}}"#, done.call);
            CallResult::Returned(Arc::from(did.into_bytes()))
        };
        worker.held.push((done.call, result));
        let last = worker.held.len().saturating_sub(1);
        self.resend(which, last);
    }

    fn resend(&mut self, which: usize, place: usize) {
        let Some(worker) = self.workers.get(which) else {
            return;
        };
        let (Some(connection), Some((call, result))) = (worker.connection, worker.held.get(place))
        else {
            return;
        };
        let input = Input::Result {
            call: call.clone(),
            worker: worker.id.clone(),
            result: result.clone(),
        };
        self.said(connection, input);
    }

    fn acknowledge(&mut self, connection: ConnectionId, call: &CallId) {
        self.acked.push(call.clone());
        if let Some(which) = self.worker_on(connection)
            && let Some(worker) = self.workers.get_mut(which)
        {
            worker.forget(call);
        }
    }

    fn signal(&mut self, at: usize) {
        let (id, signal) = self.world.lock().signals.remove(at);
        let about = match &signal {
            Signal::Input(Input::Result { call, worker, .. }) => {
                Some((call.clone(), worker.clone()))
            }
            Signal::Input(_) | Signal::Replied { .. } => None,
        };
        let handled = self.deliver(&id, signal);
        if let Err(fault) = &handled {
            let line = format!("{id}: {fault}");
            self.note(line);
        }
        let Some((call, worker)) = about else { return };
        if self.chaos.is_dead() {
            return;
        }
        let receipt = Receipt::of(&handled);
        if receipt == Receipt::Ack {
            self.acked.push(call.clone());
        }
        let mut inner = self.world.lock();
        let outs = inner.registry.answer(&call, &worker, receipt);
        inner.take_in(outs);
    }

    /// People say yes more often than no, sometimes twice, sometimes with other arguments.
    fn decide(&mut self, id: &SessionId, approval: ApprovalId) {
        let state = self.recorded(id);
        let subject = state.approvals.get(&approval).map(|it| it.subject);
        let person = if self.healed {
            // In a healed world everybody is asked in turn until the quorum is met.
            let voted = state
                .approvals
                .get(&approval)
                .map_or(0, |it| it.votes.len());
            u32::try_from(voted).unwrap_or(0) % self.scenario.people.max(1)
        } else {
            self.rng.u32(..self.scenario.people.max(1))
        };
        let no = !self.healed && self.rng.u32(..4) == 0;
        let edit = !self.healed && subject == Some(ApprovalSubject::Call) && self.rng.u32(..6) == 0;
        let amount = *self.rng.choice(&[20_u32, 300, 700, 4000]).unwrap_or(&20);
        // Who approves after an edit says what was on the screen.
        let asked = state.approvals.get(&approval);
        let edited = asked.is_some_and(|it| it.edited_by.is_some());
        let shown = asked.and_then(|it| self.journal.bytes(id, it.args));
        let decision = Decision {
            approval,
            actor: format!("person-{person}"),
            vote: if no { Vote::Reject } else { Vote::Approve },
            comment: String::new(),
            comprehension_acknowledged: true,
            args: if edit {
                Some(format!(r#"{{"amount":{amount}}}"#).into_bytes())
            } else {
                shown.filter(|_| edited)
            },
            slot: None,
        };
        let line = format!(
            "{} {:?} {}",
            decision.actor, decision.vote, decision.approval
        );
        let result = self.deliver(id, Signal::Input(Input::Decide(decision)));
        self.note(format!("{line}: {result:?}"));
    }

    fn wait(&mut self) {
        let ms = if self.healed {
            5_000
        } else {
            self.rng.u64(1..20_000)
        };
        self.pass(ms);
    }

    /// Time passes: workers that are connected say so, the registry and the sessions look up.
    fn pass(&mut self, ms: u64) {
        let mut inner = self.world.lock();
        inner.now = inner.now.plus_ms(ms);
        let now = inner.now;
        for worker in &self.workers {
            if let Some(connection) = worker.connection {
                let outs = inner.registry.heard(connection, now);
                inner.take_in(outs);
            }
        }
        let outs = inner.registry.tick(now);
        inner.take_in(outs);
        drop(inner);
        let due = block_on(runtime::Journal::due(&self.journal, now, usize::MAX));
        for id in due.unwrap_or_default() {
            self.tick(&id);
        }
    }
}

/// The amount that a handler is given; one that cannot be read is beyond every limit.
fn amount(args: &[u8]) -> u64 {
    let args = spec::Json::parse(args).unwrap_or(spec::Json::Null);
    let amount = args.get("amount").and_then(spec::Json::as_number);
    amount.and_then(spec::Decimal::to_u64).unwrap_or(u64::MAX)
}
