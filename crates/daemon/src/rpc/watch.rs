//! A session's journal as it grows. Every event comes from the journal itself: none is lost, a
//! slow reader reads more at once, and a reader that comes back says where it was.

use proto::ordain::v1 as wire;
use proto::ordain::v1::sessions_server::Sessions;
use session::{State, fold};
use spec::{Digest, SessionId};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use super::Service;
use crate::wire::{event, int32, int64, json};

/// Events that wait for a reader before the journal is read on.
const AHEAD_MAX: usize = 64;

type Sender = mpsc::Sender<Result<wire::WatchEvent, Status>>;

#[tonic::async_trait]
impl Sessions for Service {
    type WatchStream = ReceiverStream<Result<wire::WatchEvent, Status>>;

    async fn watch(
        &self,
        request: Request<wire::WatchRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let request = request.into_inner();
        let id = SessionId::new(request.session_id);
        let after = u64::try_from(request.after_seq).map_err(|_| {
            Status::invalid_argument("after_seq is the last sequence number that you have, or 0")
        })?;
        // Asked once before the stream opens, so that an unknown session is an error and no stream.
        self.recorded(&id, u64::MAX).await?;
        let (sender, receiver) = mpsc::channel(AHEAD_MAX);
        let me = self.clone();
        tokio::spawn(async move {
            if let Err(status) = me.follow(&id, after, &sender).await {
                // The reader may be gone.
                let _gone = sender.send(Err(status)).await;
            }
        });
        Ok(Response::new(ReceiverStream::new(receiver)))
    }
}

impl Service {
    async fn follow(&self, id: &SessionId, mut after: u64, sender: &Sender) -> Result<(), Status> {
        let mut grown = self.core.watchers.subscribe(id);
        let mut stopped = self.core.stopped.clone();
        loop {
            grown.mark_unchanged();
            let recorded = self.recorded(id, after).await?;
            let mut then = State::new(id.clone());
            for (entry, hash) in recorded.entries.iter().zip(&recorded.hashes) {
                then = fold(then, entry);
                if then.seq <= after {
                    continue;
                }
                let message = json::fitting(json::SHOWN_BYTES_MAX, |max| {
                    let bytes = |digest: &Digest| recorded.shown(digest, max);
                    let shown = event::show(entry, &then, &bytes);
                    wire::WatchEvent {
                        seq: int64(then.seq),
                        r#type: shown.kind.to_owned(),
                        payload: Some(json::value(&shown.payload)),
                        ts_unix_ms: entry.at.unix_ms_i64(),
                        turn: int32(shown.turn.into()),
                        call_id: shown.call,
                        actor: shown.actor,
                        hash: hash.to_string(),
                    }
                });
                if sender.send(Ok(message)).await.is_err() {
                    return Ok(());
                }
                after = then.seq;
            }
            let over = then.ended.is_some() && then.open_calls().next().is_none();
            if over {
                return Ok(());
            }
            tokio::select! {
                changed = grown.changed() => {
                    if changed.is_err() {
                        // Nobody is left who would say so; the journal can still be read.
                        grown = self.core.watchers.subscribe(id);
                    }
                }
                () = sender.closed() => return Ok(()),
                _ = stopped.wait_for(|it| *it) => {
                    return Err(Status::unavailable("the runtime is stopping"));
                }
            }
        }
    }
}
