//! The health protocol. `Check` of an unknown name answers SERVICE_UNKNOWN with an OK status, as
//! existing clients expect.

use std::collections::HashMap;

use proto::health::v1 as wire;
use proto::health::v1::health_check_response::ServingStatus;
use proto::health::v1::health_server::Health;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use super::Service;

const SERVICES: [&str; 2] = ["", "phrony.runtime.v1.Runtime"];

impl Service {
    async fn serving(&self) -> ServingStatus {
        let stopping = self.accepting().is_err();
        if stopping || self.core.store.agents(None).await.is_err() {
            ServingStatus::NotServing
        } else {
            ServingStatus::Serving
        }
    }

    async fn status_of(&self, service: &str) -> ServingStatus {
        if SERVICES.contains(&service) {
            self.serving().await
        } else {
            ServingStatus::ServiceUnknown
        }
    }
}

#[tonic::async_trait]
impl Health for Service {
    type WatchStream = ReceiverStream<Result<wire::HealthCheckResponse, Status>>;

    async fn check(
        &self,
        request: Request<wire::HealthCheckRequest>,
    ) -> Result<Response<wire::HealthCheckResponse>, Status> {
        let status = self.status_of(&request.into_inner().service).await.into();
        Ok(Response::new(wire::HealthCheckResponse { status }))
    }

    async fn list(
        &self,
        _: Request<wire::HealthListRequest>,
    ) -> Result<Response<wire::HealthListResponse>, Status> {
        let status = i32::from(self.serving().await);
        let statuses: HashMap<String, i32> = SERVICES
            .iter()
            .map(|name| ((*name).to_owned(), status))
            .collect();
        Ok(Response::new(wire::HealthListResponse { statuses }))
    }

    async fn watch(
        &self,
        request: Request<wire::HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let service = request.into_inner().service;
        let me = self.clone();
        let (sender, receiver) = mpsc::channel(1);
        tokio::spawn(async move {
            let mut last = None;
            let mut interval = tokio::time::interval(std::time::Duration::from_secs(1));
            loop {
                interval.tick().await;
                let status = i32::from(me.status_of(&service).await);
                if last.replace(status) != Some(status)
                    && sender
                        .send(Ok(wire::HealthCheckResponse { status }))
                        .await
                        .is_err()
                {
                    return;
                }
                if sender.is_closed() || *me.core.stopped.borrow() {
                    return;
                }
            }
        });
        Ok(Response::new(ReceiverStream::new(receiver)))
    }
}
