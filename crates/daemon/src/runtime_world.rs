//! The driver's world: the worker registry, model calls, watchers, plans. Begins things; what
//! becomes of them comes back to the sessions' actors.

use std::future::Future;
use std::sync::{Arc, Weak};
use std::time::Duration;

use runtime::workers::{HandlerKey, Wanted};
use runtime::{PlanUnavailable, Signal, Work, World};
use session::{Input, Plan, Slot, State};
use spec::{CallId, Digest, SessionId, Time, VersionId};

use crate::models;
use crate::serve::Core;

/// How long until a plan is looked for again while the store does not answer.
const PLAN_RETRY: Duration = Duration::from_secs(1);

/// A handle that does not keep the core alive, since the core's driver owns it.
#[derive(Clone)]
pub(crate) struct DaemonWorld(pub(crate) Weak<Core>);

impl DaemonWorld {
    fn with<T>(&self, body: impl FnOnce(&Arc<Core>) -> T) -> Option<T> {
        self.0.upgrade().as_ref().map(body)
    }
}

impl World for DaemonWorld {
    fn now(&self) -> Time {
        self.with(|core| core.clock.now()).unwrap_or_default()
    }

    fn plan(
        &self,
        version: &VersionId,
        snapshot: Digest,
    ) -> impl Future<Output = Result<Arc<Plan>, PlanUnavailable>> + Send {
        let core = self.0.upgrade();
        let version = version.clone();
        async move {
            match core {
                Some(core) => core.plans.get(&version, snapshot).await,
                None => Err(PlanUnavailable {
                    version,
                    why: "the runtime stops".to_owned(),
                    transient: true,
                }),
            }
        }
    }

    fn reserve(&self, call: &CallId, tool: &str, version: &str) -> Option<Slot> {
        let wanted = Wanted {
            session: call.session()?,
            call: call.clone(),
            key: HandlerKey {
                tool: tool.to_owned(),
                version: version.to_owned(),
            },
        };
        self.with(|core| core.workers.reserve(wanted, core.clock.now()))
            .flatten()
    }

    fn holds(&self, call: &CallId, slot: &Slot) -> bool {
        self.with(|core| core.workers.with(|registry| registry.holds(call, slot)))
            .unwrap_or(false)
    }

    fn release(&self, call: &CallId) {
        self.with(|core| {
            let outs = core
                .workers
                .with(|registry| registry.release(call, core.clock.now()));
            core.take_in(outs);
        });
    }

    fn release_all_but(&self, session: &SessionId, calls: &[CallId]) {
        self.with(|core| {
            let now = core.clock.now();
            let outs = core
                .workers
                .with(|registry| registry.release_all_but(session, calls, now));
            core.take_in(outs);
        });
    }

    fn perform(&self, session: &SessionId, work: Work) {
        self.with(|core| begin(core, session, work));
    }

    fn recorded(&self, state: &State) {
        self.with(|core| {
            core.watchers.grown(&state.session, state.seq);
            let outs = core
                .workers
                .with(|registry| registry.settle(state, core.clock.now()));
            core.take_in(outs);
        });
    }
}

fn begin(core: &Arc<Core>, session: &SessionId, work: Work) {
    let now = core.clock.now();
    let outs = match work {
        Work::Complete {
            completion,
            version,
            snapshot,
            transcript: _,
            tools: _,
        } => {
            complete(core, session, completion, (version, snapshot));
            return;
        }
        Work::Reserve {
            call,
            tool,
            version,
            since: _,
        } => {
            let key = HandlerKey { tool, version };
            let wanted = Wanted {
                session: session.clone(),
                call,
                key,
            };
            core.workers.with(|registry| registry.queue(wanted, now))
        }
        Work::Invoke(invocation) => core
            .workers
            .with(|registry| registry.invoke(session, invocation, now)),
        Work::Cancel { call, slot: _ } => core.workers.with(|registry| registry.cancel(&call)),
    };
    core.take_in(outs);
}

fn complete(
    core: &Arc<Core>,
    session: &SessionId,
    completion: u32,
    (version, snapshot): (VersionId, Digest),
) {
    if !core.completing.begin(session, completion) {
        return;
    }
    let core = Arc::clone(core);
    let session = session.clone();
    tokio::spawn(async move {
        // A task of its own, so that a bug in it is an answer too and strands nobody.
        let asking = tokio::spawn(ask(Arc::clone(&core), completion, version, snapshot));
        let signal = match asking.await {
            Ok(signal) => signal,
            Err(error) => Some(failed(
                completion,
                format!("the completion failed: {error}"),
            )),
        };
        core.completing.end(&session, completion);
        if let Some(signal) = signal {
            core.signal(&session, signal);
        }
    });
}

/// Asks the model; `None` when the runtime stops first.
async fn ask(
    core: Arc<Core>,
    completion: u32,
    version: VersionId,
    snapshot: Digest,
) -> Option<Signal> {
    let mut stopped = core.stopped.clone();
    let asking = async {
        let plan = loop {
            match core.plans.get(&version, snapshot).await {
                Ok(plan) => break plan,
                Err(error) if error.transient => tokio::time::sleep(PLAN_RETRY).await,
                Err(error) => return failed(completion, error.to_string()),
            }
        };
        match models::complete(&plan, completion, core.enable_stub).await {
            Ok(reply) => Signal::Replied { completion, reply },
            Err(error) => failed(completion, error.to_string()),
        }
    };
    tokio::select! {
        signal = asking => Some(signal),
        _ = stopped.wait_for(|it| *it) => None,
    }
}

fn failed(completion: u32, error: String) -> Signal {
    Signal::Input(Input::CompletionFailed { completion, error })
}
