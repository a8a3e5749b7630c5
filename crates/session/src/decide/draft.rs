//! The events of one decision while it is being made, and the predicates that later steps of the
//! same decision ask.

use std::collections::BTreeSet;
use std::sync::Arc;

use policy::{Ask, Context};
use spec::{ApprovalId, CallId, Digest, Json, Time};

use crate::state::{Call, Started, State, WaitsFor};
use crate::{ApprovalSubject, Decided, Event, Payload, Payloads, Plan, Refusal, Slot};

pub(super) struct Draft<'a> {
    pub(super) plan: &'a Plan,
    pub(super) state: &'a State,
    pub(super) now: Time,
    given: &'a Payloads,
    decided: Decided,
    open: BTreeSet<CallId>,
    pub(super) turn_over: bool,
    proposed: usize,
    pub(super) ended: bool,
}

impl<'a> Draft<'a> {
    pub(super) fn new(plan: &'a Plan, state: &'a State, given: &'a Payloads, now: Time) -> Self {
        Self {
            plan,
            state,
            now,
            given,
            decided: Decided::default(),
            open: state.open_calls().map(|call| call.id.clone()).collect(),
            turn_over: state.turn_is_over(),
            proposed: 0,
            ended: state.ended.is_some(),
        }
    }

    pub(super) fn finish(self) -> Decided {
        self.decided
    }

    pub(super) fn push(&mut self, event: Event) {
        match &event {
            Event::CallProposed { call, .. } => {
                self.open.insert(call.clone());
                self.proposed = self.proposed.saturating_add(1);
                self.turn_over = false;
            }
            Event::CallRefused { call, .. }
            | Event::CallSucceeded { call, .. }
            | Event::CallFailed { call, .. }
            | Event::CallIndeterminate { call, .. }
            | Event::CallCancelled { call } => {
                self.open.remove(call);
            }
            Event::AssistantMessage { .. } => self.turn_over = true,
            Event::UserMessage { .. } | Event::OutputRejected { .. } => self.turn_over = false,
            Event::Ended { .. } => self.ended = true,
            Event::Started { .. }
            | Event::EvidenceRecorded { .. }
            | Event::OutputAccepted { .. }
            | Event::CallErred { .. }
            | Event::CallQueued { .. }
            | Event::CallDispatched { .. }
            | Event::CallNacked { .. }
            | Event::CallUnknown { .. }
            | Event::ResultConflict { .. }
            | Event::ApprovalOpened { .. }
            | Event::ApprovalVoted { .. }
            | Event::ArgumentsEdited { .. }
            | Event::ApprovalClosed { .. } => {}
        }
        self.decided.events.push(event);
    }

    pub(super) fn keep(&mut self, bytes: impl Into<Arc<[u8]>>) -> Payload {
        self.decided.payloads.insert(bytes)
    }

    pub(super) fn events(&self) -> &[Event] {
        &self.decided.events
    }

    /// Whether some call has no outcome yet.
    pub(super) fn any_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub(super) fn is_open(&self, call: &CallId) -> bool {
        self.open.contains(call)
    }

    /// The call, while its session has it.
    pub(super) fn call(&self, id: &CallId) -> Result<&'a Call, Refusal> {
        self.state
            .call(id)
            .ok_or_else(|| Refusal::UnknownCall(id.clone()))
    }

    pub(super) fn started(&self) -> Result<&'a Started, Refusal> {
        self.state.started.as_ref().ok_or(Refusal::NotStarted)
    }

    /// A payload on record, read as JSON.
    /// A payload that was handed in, or that this decision keeps.
    pub(super) fn json(&self, digest: Digest) -> Result<Json, Refusal> {
        if self.decided.payloads.get(&digest).is_some() {
            return read_json(&self.decided.payloads, digest);
        }
        read_json(self.given, digest)
    }

    pub(super) fn still_running(&self) -> Result<(), Refusal> {
        if self.ended {
            Err(Refusal::Ended {
                status: self.state.status().as_str(),
            })
        } else {
            Ok(())
        }
    }

    /// When a call dispatched now must be answered: inside the run's remaining wall clock.
    pub(super) fn call_deadline(&self) -> Time {
        let settings = &self.plan.settings;
        let left = self.plan.snapshot.limits.max_wall_clock_seconds.map_or(
            settings.call_ms_max,
            |seconds| {
                seconds
                    .saturating_mul(1000)
                    .saturating_sub(self.running_ms())
            },
        );
        self.now.plus_ms(left)
    }

    /// Milliseconds that count against the wall clock, up to now.
    pub(super) fn running_ms(&self) -> u64 {
        let clock = &self.state.clock;
        let since = self.now.ms_since(clock.last);
        match self.state.waits_for() {
            WaitsFor::Machines => clock.running_ms.saturating_add(since),
            WaitsFor::People | WaitsFor::Input | WaitsFor::Nothing => clock.running_ms,
        }
    }

    /// Milliseconds of waiting for people, up to now.
    pub(super) fn people_ms(&self) -> u64 {
        let clock = &self.state.clock;
        let since = self.now.ms_since(clock.last);
        match self.state.waits_for() {
            WaitsFor::People => clock.people_ms.saturating_add(since),
            WaitsFor::Machines | WaitsFor::Input | WaitsFor::Nothing => clock.people_ms,
        }
    }

    /// Dispatches `call`, or queues it where no slot is reserved.
    pub(super) fn send_or_queue(&mut self, call: &Call, args: Digest, slot: Option<&Slot>) {
        match slot {
            Some(slot) => {
                let event = Event::CallDispatched {
                    call: call.id.clone(),
                    attempt: call.attempts.saturating_add(1),
                    slot: slot.clone(),
                    args,
                    deadline: self.call_deadline(),
                    overlay: self.plan.overlay,
                };
                self.push(event);
            }
            None => self.push(Event::CallQueued {
                call: call.id.clone(),
            }),
        }
    }

    /// Opens an approval about a call. `ordinal` counts those opened about it before.
    pub(super) fn open_approval(
        &mut self,
        call: &CallId,
        ordinal: u32,
        question: Question,
        ask: &Ask,
    ) {
        let causes: Vec<Json> = ask.causes.iter().map(cause_json).collect();
        let causes = self.keep(Json::Array(causes).to_canonical().into_bytes());
        let first = ask.causes.first();
        let event = Event::ApprovalOpened {
            approval: ApprovalId::derive(call.as_str(), ordinal),
            call: call.clone(),
            subject: question.subject,
            args: question.args,
            required: ask.approvals_required.max(1),
            on_reject: ask.on_reject,
            comprehension_required: ask.comprehension_required,
            expires_at: ask.timeout.map(|timeout| {
                self.now
                    .plus_ms(timeout.after_minutes.saturating_mul(60_000))
            }),
            timeout_default: ask
                .timeout
                .map_or(spec::snapshot::TimeoutDefault::Deny, |timeout| {
                    timeout.default
                }),
            route: first.and_then(|it| it.route.clone()).unwrap_or_default(),
            escalate_to: ask.causes.iter().find_map(|it| it.escalate_to.clone()),
            reason: question.reason.unwrap_or_else(|| reason_of(ask)),
            causes,
        };
        self.push(event);
    }

    /// Ends the run where its next completion would be one too many.
    pub(super) fn check_limits(&mut self) {
        if self.ended || !self.open.is_empty() || self.turn_over || self.decided.events.is_empty() {
            return;
        }
        let limits = &self.plan.snapshot.limits;
        let mut completions = self.state.completions;
        let mut tokens = self.state.usage.total();
        for event in &self.decided.events {
            if let Event::AssistantMessage {
                completion, usage, ..
            } = event
            {
                completions = *completion;
                tokens = tokens.saturating_add(usage.total());
            }
        }
        let calls = self.state.calls.len().saturating_add(self.proposed);
        let over_calls = limits
            .max_tool_calls
            .is_some_and(|max| calls > usize::try_from(max).unwrap_or(usize::MAX));
        let limit = if limits
            .max_loop_iterations
            .is_some_and(|max| completions >= max)
        {
            "max_loop_iterations"
        } else if limits.max_tokens_per_run.is_some_and(|max| tokens >= max) {
            "max_tokens_per_run"
        } else if over_calls {
            "max_tool_calls"
        } else {
            return;
        };
        super::end::limit(self, limit);
    }
}

/// What an approval asks about.
pub(super) struct Question {
    pub(super) subject: ApprovalSubject,
    pub(super) args: Digest,
    /// Replaces the policies' own reason.
    pub(super) reason: Option<String>,
}

impl Question {
    pub(super) fn new(subject: ApprovalSubject, args: Digest, reason: Option<String>) -> Self {
        Self {
            subject,
            args,
            reason,
        }
    }
}

pub(super) fn read_json(given: &Payloads, digest: Digest) -> Result<Json, Refusal> {
    let bytes = given.get(&digest).ok_or(Refusal::MissingPayload(digest))?;
    Json::parse(bytes).map_err(|error| Refusal::DamagedPayload(error.to_string()))
}

/// What came before a call, which the rules may ask about.
pub(super) struct Before {
    /// Calls of the session.
    pub(super) calls: usize,
    /// Calls of the same tool.
    pub(super) tool_calls: usize,
    /// The completion that asks for the call.
    pub(super) turn: u32,
}

/// What the rules may ask about the session.
pub(super) fn context<'a>(session_input: &'a Json, before: &Before, now: Time) -> Context<'a> {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Context {
        session_input,
        calls: count(before.calls),
        tool_calls: count(before.tool_calls),
        turn: before.turn,
        depth: 0,
        now,
    }
}

/// The same for a call on record: whenever it is judged, what came before it is the same.
pub(super) fn context_of_call<'a>(
    state: &State,
    session_input: &'a Json,
    call: &Call,
    now: Time,
) -> Context<'a> {
    let earlier = state.calls.iter().take_while(|it| it.id != call.id);
    let before = Before {
        calls: earlier.clone().count(),
        tool_calls: earlier.filter(|it| it.tool == call.tool).count(),
        turn: call.completion,
    };
    context(session_input, &before, now)
}

fn reason_of(ask: &Ask) -> String {
    let reasons: Vec<&str> = ask
        .causes
        .iter()
        .filter_map(|it| it.reason.as_deref())
        .collect();
    if let Some(first) = reasons.first() {
        return (*first).to_owned();
    }
    match ask.causes.first() {
        Some(cause) => format!("policy {} asks for an approval", cause.policy),
        None => "a person has to decide".to_owned(),
    }
}

fn cause_json(cause: &policy::Cause) -> Json {
    Json::from_members([
        ("policy", Json::from(cause.policy.to_string())),
        ("name", Json::from(cause.policy.name.clone())),
        ("reason", Json::from(cause.reason.clone())),
        ("route", Json::from(cause.route.clone())),
        ("authority_ref", Json::from(cause.authority_ref.clone())),
        ("runtime", Json::Object(cause.runtime.clone())),
    ])
}
