//! One session on a bench: tells it things and keeps what follows.

use std::collections::BTreeMap;
use std::sync::Arc;

use session::{
    CallResult, Decided, Decision, Entry, Event, Input, Payloads, Plan, Proposal, Refusal, Reply,
    Settings, Slot, Start, State, Usage, Vote, decide, decode, encode, fold, judge,
};
use sim::scenario;
use spec::snapshot::{Decision as Rule, DecisionKind, Timeout, TimeoutDefault};
use spec::{CallId, Digest, Json, SessionId, Snapshot, Time, VersionId, WorkerId};

pub struct Bench {
    pub plan: Plan,
    pub state: State,
    pub now: Time,
    pub journal: Vec<Entry>,
    payloads: Payloads,
}

/// The snapshot of the approval scenario: asks one person above 100, two above 500, never above
/// 1000.
pub fn snapshot() -> Snapshot {
    scenario::all()
        .into_iter()
        .find(|it| it.name == "approval")
        .unwrap()
        .snapshot
}

impl Bench {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    /// A session that has started, of a snapshot with a change.
    pub fn with(change: impl FnOnce(&mut Snapshot)) -> Self {
        Self::started(change, r#"{"message":"go"}"#, &[])
    }

    /// The same, with an input and with the variables that predicates may look at.
    pub fn started(change: impl FnOnce(&mut Snapshot), input: &str, env: &[(&str, &str)]) -> Self {
        let mut snapshot = snapshot();
        change(&mut snapshot);
        let mode = snapshot.session;
        let plan = Plan::compile(VersionId::new("v"), snapshot, Settings::STANDARD).unwrap();
        let mut bench = Self {
            plan,
            state: State::new(SessionId::new("run_1")),
            now: Time::from_unix_ms(1_000_000),
            journal: Vec::new(),
            payloads: Payloads::default(),
        };
        let start = Start {
            version: VersionId::new("v"),
            snapshot: Digest::ZERO,
            mode,
            input: Json::parse(input.as_bytes()).unwrap(),
            requester: None,
            env: Arc::new(
                env.iter()
                    .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                    .collect(),
            ),
        };
        bench.tell(Input::Start(start)).unwrap();
        bench
    }

    /// The first rule of the snapshot with a change: the one that asks above 100.
    pub fn with_rule(change: impl FnOnce(&mut Rule)) -> Self {
        Self::with(|snapshot| {
            let asks = |rule: &Rule| rule.kind == DecisionKind::RequireApproval;
            let policies = snapshot.policies.iter_mut();
            let policy = policies
                .map(|it| &mut it.decision)
                .find(|it| asks(it))
                .unwrap();
            change(policy);
        })
    }

    pub fn tell(&mut self, input: Input) -> Result<Vec<Event>, Refusal> {
        let Decided { events, payloads } =
            decide(&self.plan, &self.state, &input, &self.payloads, self.now)?;
        self.payloads.extend(payloads);
        for event in &events {
            let entry = Entry {
                at: self.now,
                event: event.clone(),
            };
            // Whatever happens must survive being stored.
            assert_eq!(decode(&encode(&entry).unwrap()).unwrap(), entry);
            self.state = fold(
                std::mem::replace(&mut self.state, State::new(SessionId::new(""))),
                &entry,
            );
            self.journal.push(entry);
        }
        Ok(events)
    }

    pub fn pass_minutes(&mut self, minutes: u64) -> Vec<Event> {
        self.now = self.now.plus_ms(minutes * 60_000);
        self.tell(Input::Tick).unwrap()
    }

    pub fn reply(&mut self, reply: Reply, slot: bool) -> Vec<Event> {
        let turn = judge(&self.plan, &self.state, reply, &self.payloads, self.now).unwrap();
        let slots: BTreeMap<u32, Slot> = if slot {
            turn.going()
                .map(|(index, ..)| (index, worker_slot("w-1")))
                .collect()
        } else {
            BTreeMap::new()
        };
        self.tell(Input::Completed {
            turn: Box::new(turn),
            slots,
        })
        .unwrap()
    }

    /// The model asks for calls, and workers are free.
    pub fn ask(&mut self, calls: &[(&str, &str)]) -> Vec<Event> {
        self.reply(reply(calls, "tool_use"), true)
    }

    pub fn call(&self, completion: u32, index: u32) -> CallId {
        CallId::derive(&self.state.session, &VersionId::new("v"), completion, index)
    }

    pub fn status(&self, completion: u32, index: u32) -> &'static str {
        self.state
            .call(&self.call(completion, index))
            .unwrap()
            .status()
    }

    pub fn result(
        &mut self,
        call: &CallId,
        worker: &str,
        json: &str,
    ) -> Result<Vec<Event>, Refusal> {
        self.tell(Input::Result {
            call: call.clone(),
            worker: WorkerId::new(worker),
            result: CallResult::Returned(Arc::from(json.as_bytes())),
        })
    }

    /// The handler says that it failed.
    pub fn fails(&mut self, call: &CallId, worker: &str) -> Result<Vec<Event>, Refusal> {
        self.tell(Input::Result {
            call: call.clone(),
            worker: WorkerId::new(worker),
            result: CallResult::Failed {
                code: "E42".to_owned(),
                message: "the printer is on fire".to_owned(),
            },
        })
    }

    /// A queued call gets its turn on a worker.
    pub fn slot(&mut self, call: &CallId, worker: &str) -> Vec<Event> {
        let (call, slot) = (call.clone(), worker_slot(worker));
        self.tell(Input::SlotReady { call, slot }).unwrap()
    }

    pub fn pass_ms(&mut self, ms: u64) -> Vec<Event> {
        self.now = self.now.plus_ms(ms);
        self.tell(Input::Tick).unwrap()
    }

    /// The model answers and asks for nothing.
    pub fn say(&mut self, text: &str) -> Vec<Event> {
        let reply = Reply {
            text: text.to_owned(),
            ..reply(&[], "end_turn")
        };
        self.reply(reply, true)
    }

    /// A new process: the state is what is on record.
    pub fn restart(&mut self) {
        let new = State::new(self.state.session.clone());
        let replayed = self.journal.iter().fold(new, fold);
        assert_eq!(replayed, self.state);
        self.state = replayed;
    }

    pub fn bytes(&self, payload: &session::Payload) -> String {
        String::from_utf8(self.payloads.get(&payload.digest).unwrap().to_vec()).unwrap()
    }

    /// The approval that waits.
    pub fn pending(&self) -> spec::ApprovalId {
        let mut pending = self.state.approvals.values().filter(|it| it.is_pending());
        let first = pending.next().expect("an approval waits").id.clone();
        assert!(pending.next().is_none(), "only one waits");
        first
    }

    pub fn vote(
        &mut self,
        actor: &str,
        vote: Vote,
        args: Option<&str>,
    ) -> Result<Vec<Event>, Refusal> {
        let decision = Decision {
            approval: self.pending(),
            actor: actor.to_owned(),
            vote,
            comment: String::new(),
            comprehension_acknowledged: false,
            args: args.map(|it| it.as_bytes().to_vec()),
            slot: Some(worker_slot("w-1")),
        };
        self.tell(Input::Decide(decision))
    }
}

pub fn reply(calls: &[(&str, &str)], stop_reason: &str) -> Reply {
    let proposal = |(name, args): &(&str, &str)| Proposal {
        provider_id: "call_0".to_owned(),
        name: (*name).to_owned(),
        args: args.as_bytes().to_vec(),
    };
    Reply {
        text: "words".to_owned(),
        calls: calls.iter().map(proposal).collect(),
        stop_reason: stop_reason.to_owned(),
        usage: Usage {
            input_tokens: 70,
            output_tokens: 30,
            estimated: false,
        },
        duration_ms: 5,
    }
}

pub fn worker_slot(worker: &str) -> Slot {
    Slot {
        worker: WorkerId::new(worker),
        connection: format!("{worker}-1"),
        identity: String::new(),
        image: String::new(),
    }
}

pub fn timeout(minutes: u64, default: TimeoutDefault) -> Option<Timeout> {
    Some(Timeout {
        after_minutes: minutes,
        default,
    })
}

/// The kind of each event, by the word it is stored under.
pub fn kinds(events: &[Event]) -> Vec<String> {
    let word = |event: &Event| {
        let json = serde_json::to_value(event).unwrap();
        json["type"].as_str().unwrap().to_owned()
    };
    events.iter().map(word).collect()
}
