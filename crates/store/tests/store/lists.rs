//! Lists of sessions and approvals: order, filters, bounds.

use std::slice;

use runtime::{Epoch, Journal as _};
use session::{ApprovalView, Status};
use spec::{ApprovalId, CallId, VersionId};
use store::{AgentFilter, ApprovalFilter, LIST_ROWS_MAX, SessionFilter, Store};

use crate::world::{ask, at, batch, claim, entry, id, identity};

const ALL_SESSIONS: SessionFilter = SessionFilter {
    agent: None,
    status: None,
    limit: 100,
};
const ALL_APPROVALS: ApprovalFilter = ApprovalFilter {
    status: None,
    route: None,
    session: None,
    agent_namespace: None,
    agent_name: None,
    limit: 100,
};

fn memory() -> (Store, Epoch) {
    let store = Store::in_memory().expect("a store in memory opens");
    let epoch = claim(&store);
    (store, epoch)
}

/// A session, its agent, its status and when it last changed.
type Given = (&'static str, (&'static str, &'static str), Status, u64);

const GIVEN: [Given; 4] = [
    ("run_a", ("clerk", "1.0.0"), Status::Running, 300),
    ("run_b", ("clerk", "2.0.0"), Status::AwaitingApproval, 400),
    ("run_c", ("buyer", "1.0.0"), Status::Running, 100),
    ("run_d", ("buyer", "1.0.0"), Status::Completed, 300),
];

fn given(store: &Store, epoch: Epoch) {
    for (name, (agent, version), status, updated_at) in GIVEN {
        let id = id(name);
        let mut first = batch(&id, entry(None, "one"));
        first.agent = identity(agent, version);
        first.session.version = VersionId::new(format!("{agent}-{version}"));
        first.session.status = status;
        first.session.updated_at = at(updated_at);
        first.session.wake_at = (status == Status::AwaitingApproval).then(|| at(500));
        first.session.runnable = status == Status::Running;
        ask(store.append(&id, 0, epoch, first));
    }
}

fn names(store: &Store, filter: SessionFilter) -> Vec<String> {
    let rows = ask(store.sessions(filter));
    rows.into_iter()
        .map(|it| it.view.session.as_str().to_owned())
        .collect()
}

fn of_agent(name: &str, version: Option<&str>) -> Option<AgentFilter> {
    let version = version.map(str::to_owned);
    Some(AgentFilter {
        namespace: "acme".to_owned(),
        name: name.to_owned(),
        version,
    })
}

#[test]
fn sessions_are_listed_by_last_change_and_filtered() {
    let (store, epoch) = memory();
    assert_eq!(names(&store, ALL_SESSIONS), [""; 0]);
    given(&store, epoch);
    assert_eq!(
        names(&store, ALL_SESSIONS),
        ["run_b", "run_a", "run_d", "run_c"]
    );
    let two = SessionFilter {
        limit: 2,
        ..ALL_SESSIONS
    };
    assert_eq!(names(&store, two), ["run_b", "run_a"]);
    let running = SessionFilter {
        status: Some(Status::Running),
        ..ALL_SESSIONS
    };
    assert_eq!(names(&store, running.clone()), ["run_a", "run_c"]);
    let clerks = SessionFilter {
        agent: of_agent("clerk", None),
        ..ALL_SESSIONS
    };
    assert_eq!(names(&store, clerks), ["run_b", "run_a"]);
    let second = SessionFilter {
        agent: of_agent("clerk", Some("2.0.0")),
        ..ALL_SESSIONS
    };
    assert_eq!(names(&store, second), ["run_b"]);
    let both = SessionFilter {
        agent: of_agent("buyer", Some("1.0.0")),
        ..running
    };
    assert_eq!(names(&store, both), ["run_c"]);
}

#[test]
fn one_session_is_found_as_it_was_last_written() {
    let (store, epoch) = memory();
    given(&store, epoch);
    let found = ask(store.session(&id("run_b"))).expect("it is there");
    assert_eq!(found.agent, identity("clerk", "2.0.0"));
    assert_eq!(found.view.version, VersionId::new("clerk-2.0.0"));
    assert_eq!(found.view.status, Status::AwaitingApproval);
    assert_eq!(
        (found.view.created_at, found.view.updated_at),
        (at(1_000), at(400))
    );
    assert_eq!(
        (found.view.wake_at, found.view.runnable),
        (Some(at(500)), false)
    );
    assert_eq!(ask(store.session(&id("run_none"))), None);

    let mut next = batch(&id("run_b"), entry(Some(&entry(None, "one")), "two"));
    next.session.status = Status::Completed;
    next.session.updated_at = at(600);
    next.session.runnable = false;
    ask(store.append(&id("run_b"), 1, epoch, next));
    let found = ask(store.session(&id("run_b"))).expect("it is there");
    assert_eq!(
        (found.view.status, found.view.updated_at),
        (Status::Completed, at(600))
    );
    assert_eq!((found.view.wake_at, found.view.runnable), (None, false));
}

#[test]
fn no_list_is_longer_than_its_bound() {
    let (store, epoch) = memory();
    for number in 0..=LIST_ROWS_MAX {
        let id = id(&format!("run_{number}"));
        ask(store.append(&id, 0, epoch, batch(&id, entry(None, "one"))));
    }
    let rows = ask(store.sessions(SessionFilter {
        limit: usize::MAX,
        ..ALL_SESSIONS
    }));
    assert_eq!(rows.len(), LIST_ROWS_MAX);
}

fn approval(session: &str, ordinal: u32, status: &'static str, created_at: u64) -> ApprovalView {
    let call = CallId::new(format!("{session}:v-1:1:0"));
    ApprovalView {
        approval: ApprovalId::derive(call.as_str(), ordinal),
        session: id(session),
        call,
        status,
        route: if ordinal == 0 { "finance" } else { "legal" }.to_owned(),
        created_at: at(created_at),
    }
}

#[test]
fn approvals_are_listed_by_age_and_filtered() {
    let (store, epoch) = memory();
    given(&store, epoch);
    let a0 = approval("run_a", 0, "escalated", 30);
    let a1 = approval("run_a", 1, "pending", 20);
    let c0 = approval("run_c", 0, "pending", 10);
    for (name, approvals) in [
        ("run_a", vec![a0.clone(), a1.clone()]),
        ("run_c", vec![c0.clone()]),
    ] {
        let mut next = batch(&id(name), entry(Some(&entry(None, "one")), "two"));
        next.approvals = approvals;
        ask(store.append(&id(name), 1, epoch, next));
    }
    let list = |filter: ApprovalFilter| -> Vec<ApprovalView> {
        ask(store.approvals(filter))
            .into_iter()
            .map(|it| it.view)
            .collect()
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(list(ALL_APPROVALS), [c0.clone(), a1.clone(), a0.clone()]);
    assert_eq!(
        list(ApprovalFilter {
            limit: 1,
            ..ALL_APPROVALS
        }),
        slice::from_ref(&c0)
    );
    let pending = ApprovalFilter {
        status: some("pending"),
        ..ALL_APPROVALS
    };
    assert_eq!(list(pending.clone()), [c0.clone(), a1.clone()]);
    let finance = ApprovalFilter {
        route: some("finance"),
        ..ALL_APPROVALS
    };
    assert_eq!(list(finance), [c0.clone(), a0.clone()]);
    let of_a = ApprovalFilter {
        session: Some(id("run_a")),
        ..ALL_APPROVALS
    };
    assert_eq!(list(of_a), [a1.clone(), a0.clone()]);
    let buyer = ApprovalFilter {
        agent_name: some("buyer"),
        ..ALL_APPROVALS
    };
    assert_eq!(list(buyer), slice::from_ref(&c0));
    let nobody = ApprovalFilter {
        agent_namespace: some("other"),
        ..pending
    };
    assert_eq!(list(nobody), []);

    let found = ask(store.approval(&a0.approval)).expect("it is there");
    assert_eq!((found.view, found.agent), (a0, identity("clerk", "1.0.0")));
    assert_eq!(ask(store.approval(&ApprovalId::new("none"))), None);

    let mut last = batch(
        &id("run_c"),
        entry(ask(store.load(&id("run_c"))).last(), "three"),
    );
    last.approvals = vec![ApprovalView {
        status: "approved",
        ..c0.clone()
    }];
    ask(store.append(&id("run_c"), 2, epoch, last));
    let found = ask(store.approval(&c0.approval)).expect("it is there");
    assert_eq!(found.view.status, "approved");
}
