//! Follows a session's journal, over runtimes that go away and come back. Knows where it was cut
//! off; not what the entries mean.

use std::time::Duration;

use proto::ordain::v1::{WatchEvent, WatchRequest};
use tonic::{Code, Status, Streaming};

use crate::connect::Runtime;
use crate::failure::Failure;
use crate::progress::{Entry, Kind};

/// How often in a row a lost runtime is dialled again.
const RETRIES_MAX: u32 = 60;
const RETRY_WAIT: Duration = Duration::from_millis(250);

/// The entries of one session, each once and in order.
#[derive(Debug)]
pub(crate) struct Follow {
    runtime: Runtime,
    session: String,
    after_seq: i64,
    stream: Option<Streaming<WatchEvent>>,
    retries: u32,
    has_ended: bool,
}

impl Follow {
    /// Begins at the first entry.
    pub(crate) fn new(runtime: &Runtime, session: &str) -> Self {
        Self {
            runtime: runtime.clone(),
            session: session.to_owned(),
            after_seq: 0,
            stream: None,
            retries: 0,
            has_ended: false,
        }
    }

    /// The next entry, as soon as there is one; `None` after the session's last. May be dropped at
    /// any time without losing an entry.
    pub(crate) async fn next(&mut self) -> Result<Option<Entry>, Failure> {
        while !self.has_ended {
            match self.receive().await {
                Ok(Some(event)) => {
                    self.retries = 0;
                    // A runtime may repeat what it sent before the cut.
                    if event.seq > self.after_seq {
                        return Ok(Some(self.pass(event)));
                    }
                }
                Ok(None) => {
                    self.wait_or(&Status::unavailable("the stream ended"))
                        .await?
                }
                Err(status) => self.wait_or(&status).await?,
            }
        }
        Ok(None)
    }

    fn pass(&mut self, event: WatchEvent) -> Entry {
        let entry = Entry::from(event);
        self.after_seq = entry.seq;
        self.has_ended = matches!(
            entry.kind,
            Kind::SessionCompleted | Kind::SessionFailed | Kind::SessionCancelled
        );
        entry
    }

    async fn receive(&mut self) -> Result<Option<WatchEvent>, Status> {
        if let Some(stream) = &mut self.stream {
            return stream.message().await;
        }
        let request = WatchRequest {
            session_id: self.session.clone(),
            after_seq: self.after_seq,
        };
        let stream = self.runtime.sessions().watch(request).await?.into_inner();
        self.stream.insert(stream).message().await
    }

    /// Waits a little before the next attempt, unless none would help.
    async fn wait_or(&mut self, status: &Status) -> Result<(), Failure> {
        self.stream = None;
        self.retries = self.retries.saturating_add(1);
        if !may_pass(status.code()) || self.retries > RETRIES_MAX {
            return Err(self.runtime.failed("watch session")(status.clone()));
        }
        tokio::time::sleep(RETRY_WAIT).await;
        Ok(())
    }
}

/// Whether a stream that broke with `code` may work again; a killed runtime shows as any of these.
fn may_pass(code: Code) -> bool {
    matches!(
        code,
        Code::Unavailable | Code::Unknown | Code::Internal | Code::Cancelled
    )
}
