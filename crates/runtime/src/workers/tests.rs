//! How the outcome of a call comes to be unknown.

use ::session::{Input, UnknownCause};
use spec::{CallId, SessionId, SideEffectClass, Time, VersionId, WorkerId};

use super::{ConnectionId, HandlerKey, Out, Registration, Registry, Settings, Wanted};
use crate::{Invocation, Signal};

/// A registry with one worker that holds one call, since the moment 0.
fn holding(class: SideEffectClass) -> (Registry, ConnectionId) {
    let settings = Settings {
        lease_ms: 10,
        silence_ms: 20,
        resync_ms: 5,
        ..Settings::STANDARD
    };
    let mut registry = Registry::new("e1".to_owned(), settings);
    let start = Time::from_unix_ms(0);
    let key = HandlerKey {
        tool: "test.act".to_owned(),
        version: "1.0.0".to_owned(),
    };
    let registration = Registration {
        worker: WorkerId::new("w-1"),
        identity: String::new(),
        image: String::new(),
        handlers: vec![(key.clone(), 1)],
        in_flight: Vec::new(),
    };
    let (connection, _) = registry.register(registration, start).unwrap();
    let (session, call) = (SessionId::new("s"), CallId::new("c"));
    let wanted = Wanted {
        session: session.clone(),
        call: call.clone(),
        key: key.clone(),
    };
    let slot = registry.reserve(wanted, start).unwrap();
    let invocation = Invocation {
        call,
        version_id: VersionId::new("v"),
        attempt: 1,
        slot,
        tool: key.tool,
        version: key.version,
        args: b"{}".as_slice().into(),
        class,
        deadline: Time::from_unix_ms(1_000),
        turn: 1,
    };
    registry.invoke(&session, Box::new(invocation), start);
    (registry, connection)
}

fn causes(outs: &[Out]) -> Vec<UnknownCause> {
    let told = outs.iter().filter_map(|it| match it {
        Out::Signal(_, Signal::Input(Input::Unknown { cause, .. })) => Some(*cause),
        _ => None,
    });
    told.collect()
}

#[test]
fn a_lost_connection_is_an_unknown_outcome_and_silence_a_lease_that_is_over() {
    use SideEffectClass::{IdempotentWrite, IrreversibleAction, NonIdempotentWrite, ReadOnly};
    let at = Time::from_unix_ms;
    for class in [
        ReadOnly,
        IdempotentWrite,
        NonIdempotentWrite,
        IrreversibleAction,
    ] {
        // The two that may run again are not waited for.
        let (at_once, later) = if class.may_rerun() { (1, 0) } else { (0, 1) };

        let (mut registry, connection) = holding(class);
        let lost = causes(&registry.disconnected(connection, at(1)));
        assert_eq!(lost, vec![UnknownCause::Indeterminate; at_once]);
        assert_eq!(causes(&registry.disconnected(connection, at(1))), []);
        if later > 0 {
            assert_eq!(causes(&registry.tick(at(5))), []);
            assert_eq!(causes(&registry.tick(at(6))), [UnknownCause::Indeterminate]);
        }

        let (mut registry, _) = holding(class);
        assert_eq!(causes(&registry.tick(at(30))), []);
        let silent = causes(&registry.tick(at(31)));
        assert_eq!(silent, vec![UnknownCause::LeaseExpired; at_once]);
        if later > 0 {
            assert_eq!(causes(&registry.tick(at(36))), [UnknownCause::LeaseExpired]);
        }
    }
}
