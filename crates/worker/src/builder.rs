//! Builds a worker and refuses settings that could not work. Knows what is configured; dials nothing.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tonic::transport::Endpoint;

use crate::backoff::Backoff;
use crate::calls::Limits;
use crate::connection::endpoint;
use crate::drain::{Drained, Grace};
use crate::exec::ExecTool;
use crate::handler::{Concurrency, Tool, ToolError};
use crate::invocation::Invocation;
use crate::run::{Driver, RunError};

const LOCAL: &str = "127.0.0.1:7777";
const RESULT_BYTES_MAX: usize = 16 * 1024 * 1024;
const QUEUE_MAX: usize = 64;
const HELD_MAX: usize = 1024;
const HELD_BYTES_MAX: usize = 256 * 1024 * 1024;
const DRAIN_GRACE: Duration = Duration::from_secs(30);
const ACK_WAIT: Duration = Duration::from_secs(5);

/// Why a worker cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("a worker needs an id")]
    NoWorkerId,
    #[error("a worker needs at least one tool")]
    NoTool,
    #[error("a tool needs a name and a version, got `{name}@{version}`")]
    UnnamedTool { name: String, version: String },
    #[error("the tool {name}@{version} is given twice")]
    RepeatedTool { name: String, version: String },
    #[error("`{address}` is not the address of a runtime")]
    BadAddress {
        address: String,
        #[source]
        why: tonic::transport::Error,
    },
    #[error("`{address}` must begin with http:// or have no scheme")]
    UnknownScheme { address: String },
}

/// What a worker says of itself when it registers.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) worker_id: String,
    pub(crate) workload_identity: String,
    pub(crate) image_digest: String,
    pub(crate) contract_version: String,
}

/// Everything that the driver is given.
pub(crate) struct Settings {
    pub(crate) endpoint: Endpoint,
    pub(crate) identity: Identity,
    pub(crate) tools: BTreeMap<(String, String), Arc<Tool>>,
    pub(crate) backoff: Backoff,
    pub(crate) grace: Grace,
    pub(crate) limits: Limits,
    pub(crate) result_bytes_max: usize,
}

/// A worker that is ready to run.
pub struct Worker {
    settings: Settings,
}

impl Worker {
    /// Begins a worker. No other connected worker may have the same id.
    pub fn builder(worker_id: impl Into<String>) -> Builder {
        Builder {
            identity: Identity {
                worker_id: worker_id.into(),
                workload_identity: String::new(),
                image_digest: String::new(),
                contract_version: String::new(),
            },
            address: LOCAL.to_owned(),
            tools: Vec::new(),
            backoff: Backoff::USUAL,
            grace: Grace {
                handlers: DRAIN_GRACE,
                acks: ACK_WAIT,
            },
            limits: Limits {
                queue_max: QUEUE_MAX,
                held_max: HELD_MAX,
                held_bytes_max: HELD_BYTES_MAX,
            },
            result_bytes_max: RESULT_BYTES_MAX,
        }
    }

    /// Connects and serves calls until `shutdown` ends; then takes no new calls, lets the running ones
    /// finish, delivers their results and returns. A lost runtime is dialled again for as long as it
    /// takes.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> Result<Drained, RunError> {
        Driver::new(self.settings).run(shutdown).await
    }
}

/// Settings of a worker to be.
#[must_use]
pub struct Builder {
    identity: Identity,
    address: String,
    tools: Vec<Tool>,
    backoff: Backoff,
    grace: Grace,
    limits: Limits,
    result_bytes_max: usize,
}

impl Builder {
    /// Where the runtime listens: `http://host:port` or `host:port`. Default `127.0.0.1:7777`.
    pub fn runtime(mut self, address: impl Into<String>) -> Self {
        self.address = address.into();
        self
    }

    /// Adds a tool. The runtime sends a call here when it names exactly this tool and version.
    pub fn tool<F, R>(
        mut self,
        name: impl Into<String>,
        version: impl Into<String>,
        concurrency: Concurrency,
        handler: F,
    ) -> Self
    where
        F: Fn(Invocation) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        let tool = Tool::new(name.into(), version.into(), concurrency, handler);
        self.tools.push(tool);
        self
    }

    /// Adds a tool whose calls each run a program.
    pub fn exec_tool(
        mut self,
        name: impl Into<String>,
        version: impl Into<String>,
        concurrency: Concurrency,
        program: ExecTool,
    ) -> Self {
        let program = Arc::new(program);
        let handler = move |call| Arc::clone(&program).run(call);
        let tool = Tool::of_text(name.into(), version.into(), concurrency, handler);
        self.tools.push(tool);
        self
    }

    /// Who this worker claims to be, such as a SPIFFE id.
    pub fn workload_identity(mut self, identity: impl Into<String>) -> Self {
        self.identity.workload_identity = identity.into();
        self
    }

    /// The digest of the image that this worker runs from.
    pub fn image_digest(mut self, digest: impl Into<String>) -> Self {
        self.identity.image_digest = digest.into();
        self
    }

    /// The version of the contract that the handlers fulfil.
    pub fn contract_version(mut self, version: impl Into<String>) -> Self {
        self.identity.contract_version = version.into();
        self
    }

    /// How long to wait between attempts to connect.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// How long handlers may go on after the shutdown. Default 30 s.
    pub fn drain_grace(mut self, grace: Duration) -> Self {
        self.grace.handlers = grace;
        self
    }

    /// How long to wait, at the end, for the runtime to acknowledge results. Default 5 s.
    pub fn ack_wait(mut self, wait: Duration) -> Self {
        self.grace.acks = wait;
        self
    }

    /// A larger result is replaced by the error `result_too_large`. Default 16 MiB.
    pub fn result_bytes_max(mut self, bytes: usize) -> Self {
        self.result_bytes_max = bytes;
        self
    }

    /// How many calls may wait for a slot, over all tools, before more are refused. Default 64.
    pub fn queue_max(mut self, calls: usize) -> Self {
        self.limits.queue_max = calls;
        self
    }

    /// How many results may wait for an acknowledgement before new calls are refused. Default 1024.
    pub fn held_max(mut self, results: usize) -> Self {
        self.limits.held_max = results;
        self
    }

    pub fn build(self) -> Result<Worker, BuildError> {
        if self.identity.worker_id.is_empty() {
            return Err(BuildError::NoWorkerId);
        }
        Ok(Worker {
            settings: Settings {
                endpoint: parse(self.address)?,
                identity: self.identity,
                tools: by_name(self.tools)?,
                backoff: self.backoff,
                grace: self.grace,
                limits: self.limits,
                result_bytes_max: self.result_bytes_max,
            },
        })
    }
}

fn parse(address: String) -> Result<Endpoint, BuildError> {
    let full = match address.split_once("://") {
        Some(("http", _)) => address.clone(),
        Some(_) => return Err(BuildError::UnknownScheme { address }),
        None => format!("http://{address}"),
    };
    endpoint(full).map_err(|why| BuildError::BadAddress { address, why })
}

fn by_name(tools: Vec<Tool>) -> Result<BTreeMap<(String, String), Arc<Tool>>, BuildError> {
    if tools.is_empty() {
        return Err(BuildError::NoTool);
    }
    let mut named = BTreeMap::new();
    for tool in tools {
        let (name, version) = (tool.name.clone(), tool.version.clone());
        if name.is_empty() || version.is_empty() {
            return Err(BuildError::UnnamedTool { name, version });
        }
        if named
            .insert((name.clone(), version.clone()), Arc::new(tool))
            .is_some()
        {
            return Err(BuildError::RepeatedTool { name, version });
        }
    }
    Ok(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn nothing(_: Invocation) -> Result<Value, ToolError> {
        Ok(Value::Null)
    }

    fn one_tool() -> Builder {
        Worker::builder("w").tool("t", "1", Concurrency(1), nothing)
    }

    #[test]
    fn an_address_may_lack_its_scheme() {
        assert!(one_tool().runtime("127.0.0.1:7777").build().is_ok());
        assert!(one_tool().runtime("http://localhost:7777").build().is_ok());
    }

    #[test]
    fn an_address_must_be_one() {
        let bad = one_tool().runtime("not an address").build();
        assert!(matches!(bad, Err(BuildError::BadAddress { .. })));
        let foreign = one_tool().runtime("ftp://localhost").build();
        assert!(matches!(foreign, Err(BuildError::UnknownScheme { .. })));
    }

    #[test]
    fn tools_are_named_and_distinct() {
        let none = Worker::builder("w").build();
        assert!(matches!(none, Err(BuildError::NoTool)));
        let unnamed = Worker::builder("w").tool("t", "", Concurrency(1), nothing);
        assert!(matches!(
            unnamed.build(),
            Err(BuildError::UnnamedTool { .. })
        ));
        let twice = one_tool().tool("t", "1", Concurrency(2), nothing);
        assert!(matches!(
            twice.build(),
            Err(BuildError::RepeatedTool { .. })
        ));
        let versions = one_tool().tool("t", "2", Concurrency(2), nothing);
        assert!(versions.build().is_ok());
    }

    #[test]
    fn a_worker_has_an_id() {
        let nameless = Worker::builder("").tool("t", "1", Concurrency(1), nothing);
        assert!(matches!(nameless.build(), Err(BuildError::NoWorkerId)));
    }
}
