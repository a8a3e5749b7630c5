//! Completions: asks the provider of a plan, and brings back what it says.

use std::time::{Duration, Instant};

use model::{Completion, Script, ScriptError, Step};
use session::{Plan, Proposal, Reply, Usage};
use spec::snapshot::STUB_SCRIPT;

/// The scripted provider's name in manifests.
const STUB: &str = "stub";

/// Why a model cannot be asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelError {
    #[error("model provider `{0}` is not supported by this version (only `stub` is)")]
    Unsupported(String),
    #[error("the stub provider is off: start the runtime with RUNTIME_ENABLE_STUB_PROVIDER=1")]
    StubDisabled,
    #[error("the agent has no stub-script.json beside its manifest")]
    NoScript,
    #[error(transparent)]
    Script(#[from] ScriptError),
}

/// Whether a version can be run by this runtime at all; asked before a session starts.
pub(crate) fn check(snapshot: &spec::Snapshot, stub_enabled: bool) -> Result<(), ModelError> {
    let provider = snapshot.model.provider.as_str();
    if provider != STUB {
        return Err(ModelError::Unsupported(provider.to_owned()));
    }
    if !stub_enabled {
        return Err(ModelError::StubDisabled);
    }
    Ok(())
}

/// One completion, counted from 1 over the whole session.
pub(crate) async fn complete(
    plan: &Plan,
    completion: u32,
    stub_enabled: bool,
) -> Result<Reply, ModelError> {
    check(&plan.snapshot, stub_enabled)?;
    let began = Instant::now();
    let script = plan.snapshot.metadata.annotations.get(STUB_SCRIPT);
    let script = Script::parse(script.ok_or(ModelError::NoScript)?)?;
    let steps = script.turn(completion)?;
    for step in steps {
        if let Step::Delay(ms) = step {
            tokio::time::sleep(Duration::from_millis(*ms)).await;
        }
    }
    let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(reply(Completion::of_steps(steps)?, took))
}

fn reply(completion: Completion, duration_ms: u64) -> Reply {
    Reply {
        text: completion.text,
        calls: completion
            .calls
            .into_iter()
            .map(|call| Proposal {
                provider_id: call.id,
                name: call.name,
                args: call.args,
            })
            .collect(),
        stop_reason: completion.stop_reason,
        usage: Usage {
            input_tokens: completion.usage.input_tokens,
            output_tokens: completion.usage.output_tokens,
            estimated: false,
        },
        duration_ms,
    }
}
