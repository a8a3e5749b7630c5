//! The connection to a runtime. Knows addresses, clients and how a failed call becomes an error; not
//! what is asked.

use std::time::Duration;

use proto::health::v1::health_client::HealthClient;
use proto::ordain::v1::catalog_client::CatalogClient;
use proto::ordain::v1::publishing_client::PublishingClient;
use proto::ordain::v1::sessions_client::SessionsClient;
use proto::runtime::v1::GetVersionRequest;
use proto::runtime::v1::runtime_client::RuntimeClient;
use tonic::Status;
use tonic::transport::{Channel, Endpoint};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{self, Asked, Failure};
use crate::render::text::quoted;

/// The release of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Far above what a runtime sends, so that its own limits speak first.
const MESSAGE_BYTES_MAX: usize = 64 * 1024 * 1024;
const CONNECT_WAIT: Duration = Duration::from_secs(5);
const KEEP_ALIVE: Duration = Duration::from_secs(20);
/// How long the question for the version may hold a command up.
const VERSION_WAIT: Duration = Duration::from_secs(3);

/// A runtime to talk to.
#[derive(Clone, Debug)]
pub(crate) struct Runtime {
    channel: Channel,
    address: String,
    program: String,
}

impl Runtime {
    /// A runtime that answers is asked for its version; another release than ours is worth a warning.
    pub(crate) async fn dial(context: &Context) -> Result<Self, Failure> {
        let runtime = Self::dial_quietly(context)?;
        if context.printer.is_quiet() {
            return Ok(runtime);
        }
        let mut api = runtime.api();
        let asked = tokio::time::timeout(VERSION_WAIT, api.get_version(GetVersionRequest {}));
        if let Ok(Ok(answer)) = asked.await
            && let Some(text) = skew(&answer.into_inner().version, &context.program)
        {
            context.printer.warn(&text);
        }
        Ok(runtime)
    }

    /// Asks nothing; the first call connects.
    pub(crate) fn dial_quietly(context: &Context) -> Result<Self, Failure> {
        Self::at(&context.address, &context.program)
    }

    pub(crate) fn at(address: &str, program: &str) -> Result<Self, Failure> {
        let uri = if address.contains("://") {
            address.to_owned()
        } else {
            format!("http://{address}")
        };
        let bad = || {
            Failure::usage(format!(
                "{} is not the address of a runtime",
                quoted(address)
            ))
        };
        if !uri.starts_with("http://") {
            return Err(bad().hint("write host:port, such as 127.0.0.1:7777"));
        }
        let endpoint = Endpoint::from_shared(uri).map_err(|why| bad().because(&why))?;
        let channel = endpoint
            .connect_timeout(CONNECT_WAIT)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(KEEP_ALIVE)
            .keep_alive_timeout(KEEP_ALIVE)
            .connect_lazy();
        Ok(Self {
            channel,
            address: address.to_owned(),
            program: program.to_owned(),
        })
    }

    pub(crate) fn api(&self) -> RuntimeClient<Channel> {
        RuntimeClient::new(self.channel.clone()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    pub(crate) fn publishing(&self) -> PublishingClient<Channel> {
        PublishingClient::new(self.channel.clone()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    pub(crate) fn catalog(&self) -> CatalogClient<Channel> {
        CatalogClient::new(self.channel.clone()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    pub(crate) fn sessions(&self) -> SessionsClient<Channel> {
        SessionsClient::new(self.channel.clone()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    pub(crate) fn health(&self) -> HealthClient<Channel> {
        HealthClient::new(self.channel.clone())
    }

    /// Turns the status of a failed call into an error that names the `action`.
    pub(crate) fn failed<'a>(&'a self, action: &'a str) -> impl Fn(Status) -> Failure + 'a {
        self.failed_as(action, Asked::Other)
    }

    pub(crate) fn failed_as<'a>(
        &'a self,
        action: &'a str,
        asked: Asked,
    ) -> impl Fn(Status) -> Failure + 'a {
        move |status| {
            let failure = failure::rpc(action, &status, asked);
            if failure.exit == Exit::Unreachable && failure::is_transport(&status) {
                let Self {
                    address, program, ..
                } = self;
                return failure.hint(format!(
                    "nothing answers at {address}; is `{program} serve` running?"
                ));
            }
            failure
        }
    }
}

/// What to say when the runtime is of another release.
pub(crate) fn skew(theirs: &str, program: &str) -> Option<String> {
    let release = |text: &str| text.trim().trim_start_matches('v').to_owned();
    let theirs = release(theirs);
    (theirs != VERSION).then(|| {
        format!(
            "CLI version ({VERSION}) does not match runtime version ({}).\n\
             Commands may fail, or mean something else, between releases.\n\
             Use a {program} of the runtime's release, or\n\
             bring the runtime to the release of this {program}.",
            crate::render::escape::inline(&theirs)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{Runtime, VERSION, skew};

    #[test]
    fn only_another_release_is_worth_a_word() {
        assert_eq!(skew(VERSION, "ordain"), None);
        assert_eq!(skew(&format!("v{VERSION}"), "ordain"), None);
        let text = skew("0.0.9", "phrony").unwrap();
        assert!(text.contains("runtime version (0.0.9)") && text.contains("phrony"));
        assert_eq!(text.lines().count(), 4);
    }

    #[tokio::test]
    async fn addresses() {
        for good in [
            "127.0.0.1:7777",
            "localhost:1",
            "[::1]:7777",
            "http://host:1",
        ] {
            assert!(Runtime::at(good, "ordain").is_ok(), "{good}");
        }
        for bad in ["", "not an address", "https://host:1", "ftp://host"] {
            assert!(Runtime::at(bad, "ordain").is_err(), "{bad}");
        }
    }

    #[tokio::test]
    async fn a_runtime_that_is_not_there_is_unreachable() {
        // Nobody listens on a port that was just given back.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        drop(listener);
        let runtime = Runtime::at(&address, "ordain").unwrap();
        let asked = runtime
            .api()
            .get_version(proto::runtime::v1::GetVersionRequest {})
            .await;
        let failure = asked.map_err(runtime.failed("get version")).unwrap_err();
        assert_eq!(failure.exit, crate::exit::Exit::Unreachable);
        assert!(
            failure.message.starts_with("get version: "),
            "{}",
            failure.message
        );
        assert!(
            failure.message.ends_with("(Unavailable)"),
            "{}",
            failure.message
        );
        assert!(failure.hint.unwrap().contains("ordain serve"));
    }
}
