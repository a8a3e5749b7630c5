//! A worker process: outlives the runtime, may die itself. Whatever its handlers began is written
//! to a witness that nobody can take back.

use runtime::Invocation;
use runtime::workers::{ConnectionId, HandlerKey, Registration};
use session::CallResult;
use spec::{CallId, Digest, SideEffectClass, WorkerId};

/// A handler began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Began {
    /// Which call.
    pub call: CallId,
    /// Digest of the arguments that it was given.
    pub args: Digest,
    /// The amount in them.
    pub amount: u64,
    /// Its declared class.
    pub class: SideEffectClass,
}

pub(crate) struct Worker {
    pub(crate) id: WorkerId,
    pub(crate) connection: Option<ConnectionId>,
    pub(crate) running: Vec<Invocation>,
    /// Results that are not acknowledged yet.
    pub(crate) held: Vec<(CallId, CallResult)>,
}

impl Worker {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            id: WorkerId::new(name),
            connection: None,
            running: Vec::new(),
            held: Vec::new(),
        }
    }

    pub(crate) fn registration(&self) -> Registration {
        let handlers = SideEffectClass::ALL
            .map(|class| {
                let tool = format!("sim.{}", class.as_str().replace('_', "-"));
                (
                    HandlerKey {
                        tool,
                        version: "1.0.0".to_owned(),
                    },
                    2,
                )
            })
            .to_vec();
        let running = self.running.iter().map(|it| it.call.clone());
        let held = self.held.iter().map(|(call, _)| call.clone());
        Registration {
            worker: self.id.clone(),
            identity: String::new(),
            image: String::new(),
            handlers,
            in_flight: running.chain(held).collect(),
        }
    }

    /// Whether the worker has the call already, as the SDKs see it.
    pub(crate) fn has(&self, call: &CallId) -> bool {
        self.running.iter().any(|it| it.call == *call) || self.held.iter().any(|it| it.0 == *call)
    }

    pub(crate) fn forget(&mut self, call: &CallId) {
        self.held.retain(|it| it.0 != *call);
    }
}
