//! The gRPC services.

mod approvals;
mod catalog;
mod documents;
mod health;
mod interactive;
mod lifecycle;
mod lookups;
mod publishing;
mod sessions;
mod snapshot;
mod watch;
mod work;

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use proto::health::v1::health_server::HealthServer;
use proto::ordain::v1::catalog_server::CatalogServer;
use proto::ordain::v1::publishing_server::PublishingServer;
use proto::ordain::v1::sessions_server::SessionsServer;
use proto::runtime::v1 as wire;
use proto::runtime::v1::runtime_server::{Runtime, RuntimeServer};
use tokio::net::TcpListener;
use tokio::sync::watch as signal;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status, Streaming};
use tonic_reflection::server::v1::{ServerReflection, ServerReflectionServer};

use crate::serve::Core;

/// The largest message that the transport takes, far above the limits that we enforce ourselves.
const MESSAGE_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Windows wide enough that a worker's two large results do not block its heartbeats.
const WINDOW_BYTES: u32 = 4 * 1024 * 1024;

/// Serves until told to stop.
pub(crate) fn serve(
    core: Arc<Core>,
    listener: TcpListener,
    mut stopped: signal::Receiver<bool>,
) -> impl Future<Output = Result<(), tonic::transport::Error>> + Send {
    let service = Service { core };
    // What anybody may look up on this machine is no help to strangers on another one.
    let local = listener.local_addr().is_ok_and(|it| it.ip().is_loopback());
    let reflection = local.then(reflection).flatten();
    // Small frames must not wait for each other's acknowledgements (40 ms a call otherwise).
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    tonic::transport::Server::builder()
        .initial_stream_window_size(WINDOW_BYTES)
        .initial_connection_window_size(4 * WINDOW_BYTES)
        .http2_keepalive_interval(Some(Duration::from_secs(10)))
        .http2_keepalive_timeout(Some(Duration::from_secs(10)))
        .add_service(
            RuntimeServer::new(service.clone())
                .max_decoding_message_size(MESSAGE_BYTES_MAX)
                .max_encoding_message_size(MESSAGE_BYTES_MAX),
        )
        .add_service(
            PublishingServer::new(service.clone()).max_decoding_message_size(MESSAGE_BYTES_MAX),
        )
        .add_service(
            CatalogServer::new(service.clone())
                .max_decoding_message_size(MESSAGE_BYTES_MAX)
                .max_encoding_message_size(MESSAGE_BYTES_MAX),
        )
        .add_service(SessionsServer::new(service.clone()))
        .add_service(HealthServer::new(service))
        .add_optional_service(reflection)
        .serve_with_incoming_shutdown(incoming, async move {
            // An error means that the daemon is gone, which is a stop as well.
            let _stopped = stopped.wait_for(|it| *it).await;
        })
}

/// Lets clients like `grpcurl` ask which methods and messages there are.
fn reflection() -> Option<ServerReflectionServer<impl ServerReflection>> {
    let built = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(proto::DESCRIPTORS)
        .build_v1();
    match built {
        Ok(service) => Some(service),
        Err(error) => {
            tracing::error!(%error, "no reflection: the descriptors cannot be read");
            None
        }
    }
}

/// One value behind every service.
#[derive(Clone)]
pub(crate) struct Service {
    pub(crate) core: Arc<Core>,
}

impl Service {
    fn accepting(&self) -> Result<(), Status> {
        if self.core.draining.load(Ordering::Relaxed) {
            return Err(Status::unavailable("the runtime is stopping"));
        }
        Ok(())
    }

    /// Who is on record: on an unauthenticated loopback a client may say.
    fn actor(&self, said: &str) -> String {
        let said = said.trim();
        if said.is_empty() {
            self.core.default_actor.clone()
        } else {
            said.to_owned()
        }
    }
}

/// Methods that this version does not have yet.
fn not_yet<T>(what: &str) -> Result<Response<T>, Status> {
    Err(Status::unimplemented(format!(
        "{what} is not built yet in this version of Ordain"
    )))
}

macro_rules! answer {
    ($call:expr) => {
        $call.await.map(Response::new)
    };
}

#[tonic::async_trait]
impl Runtime for Service {
    type RunSessionInteractiveStream =
        ReceiverStream<Result<wire::RunSessionInteractiveServerMsg, Status>>;
    type WorkStream = ReceiverStream<Result<wire::WorkServerMsg, Status>>;

    async fn get_version(
        &self,
        _: Request<wire::GetVersionRequest>,
    ) -> Result<Response<wire::GetVersionResponse>, Status> {
        Ok(Response::new(wire::GetVersionResponse {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            schema_version: "1".to_owned(),
        }))
    }

    async fn run_session(
        &self,
        request: Request<wire::RunSessionRequest>,
    ) -> Result<Response<wire::RunSessionResponse>, Status> {
        answer!(self.start_session(request.into_inner()))
    }

    async fn run_session_interactive(
        &self,
        request: Request<Streaming<wire::RunSessionInteractiveClientMsg>>,
    ) -> Result<Response<Self::RunSessionInteractiveStream>, Status> {
        self.accepting()?;
        Ok(Response::new(self.interact(request.into_inner())))
    }

    async fn publish(
        &self,
        request: Request<wire::PublishRequest>,
    ) -> Result<Response<wire::PublishResponse>, Status> {
        answer!(self.publish_resolved(request.into_inner()))
    }

    async fn publish_bundle(
        &self,
        _: Request<wire::PublishBundleRequest>,
    ) -> Result<Response<wire::PublishBundleResponse>, Status> {
        not_yet("PublishBundle")
    }

    async fn deploy(
        &self,
        request: Request<wire::DeployRequest>,
    ) -> Result<Response<wire::DeployResponse>, Status> {
        answer!(self.deploy_version(request.into_inner()))
    }

    async fn deploy_bundle(
        &self,
        _: Request<wire::DeployBundleRequest>,
    ) -> Result<Response<wire::DeployBundleResponse>, Status> {
        not_yet("DeployBundle")
    }

    async fn rollback(
        &self,
        request: Request<wire::RollbackRequest>,
    ) -> Result<Response<wire::RollbackResponse>, Status> {
        answer!(self.roll_back(request.into_inner()))
    }

    async fn get_active_version(
        &self,
        request: Request<wire::GetActiveVersionRequest>,
    ) -> Result<Response<wire::GetActiveVersionResponse>, Status> {
        answer!(self.active_version(request.into_inner()))
    }

    async fn get_active_bundle(
        &self,
        _: Request<wire::GetActiveBundleRequest>,
    ) -> Result<Response<wire::GetActiveBundleResponse>, Status> {
        not_yet("GetActiveBundle")
    }

    async fn get_bundle_secret_requirements(
        &self,
        _: Request<wire::GetBundleSecretRequirementsRequest>,
    ) -> Result<Response<wire::GetBundleSecretRequirementsResponse>, Status> {
        not_yet("GetBundleSecretRequirements")
    }

    async fn list_bundles(
        &self,
        _: Request<wire::ListBundlesRequest>,
    ) -> Result<Response<wire::ListBundlesResponse>, Status> {
        not_yet("ListBundles")
    }

    async fn list_bundle_versions(
        &self,
        _: Request<wire::ListBundleVersionsRequest>,
    ) -> Result<Response<wire::ListBundleVersionsResponse>, Status> {
        not_yet("ListBundleVersions")
    }

    async fn list_bundle_deployments(
        &self,
        _: Request<wire::ListBundleDeploymentsRequest>,
    ) -> Result<Response<wire::ListBundleDeploymentsResponse>, Status> {
        not_yet("ListBundleDeployments")
    }

    async fn list_deployments(
        &self,
        request: Request<wire::ListDeploymentsRequest>,
    ) -> Result<Response<wire::ListDeploymentsResponse>, Status> {
        answer!(self.deployments(request.into_inner()))
    }

    async fn get_agent_version(
        &self,
        request: Request<wire::GetAgentVersionRequest>,
    ) -> Result<Response<wire::GetAgentVersionResponse>, Status> {
        answer!(self.agent_version(request.into_inner()))
    }

    async fn retire_agent_version(
        &self,
        request: Request<wire::RetireAgentVersionRequest>,
    ) -> Result<Response<wire::RetireAgentVersionResponse>, Status> {
        answer!(self.retire(request.into_inner()))
    }

    async fn cancel_session(
        &self,
        request: Request<wire::CancelSessionRequest>,
    ) -> Result<Response<wire::CancelSessionResponse>, Status> {
        answer!(self.cancel(request.into_inner()))
    }

    async fn complete_session(
        &self,
        request: Request<wire::CompleteSessionRequest>,
    ) -> Result<Response<wire::CompleteSessionResponse>, Status> {
        answer!(self.complete(request.into_inner()))
    }

    async fn list_agents(
        &self,
        request: Request<wire::ListAgentsRequest>,
    ) -> Result<Response<wire::ListAgentsResponse>, Status> {
        answer!(self.agents(request.into_inner()))
    }

    async fn list_agent_versions(
        &self,
        request: Request<wire::ListAgentVersionsRequest>,
    ) -> Result<Response<wire::ListAgentVersionsResponse>, Status> {
        answer!(self.agent_versions(request.into_inner()))
    }

    async fn list_sessions(
        &self,
        request: Request<wire::ListSessionsRequest>,
    ) -> Result<Response<wire::ListSessionsResponse>, Status> {
        answer!(self.sessions(request.into_inner()))
    }

    async fn inspect_session(
        &self,
        request: Request<wire::InspectSessionRequest>,
    ) -> Result<Response<wire::InspectSessionResponse>, Status> {
        answer!(self.inspect(request.into_inner()))
    }

    async fn get_approval(
        &self,
        request: Request<wire::GetApprovalRequest>,
    ) -> Result<Response<wire::Approval>, Status> {
        answer!(self.approval(request.into_inner()))
    }

    async fn list_approvals(
        &self,
        request: Request<wire::ListApprovalsRequest>,
    ) -> Result<Response<wire::ListApprovalsResponse>, Status> {
        answer!(self.approvals(request.into_inner()))
    }

    async fn decide_approval(
        &self,
        request: Request<wire::DecideApprovalRequest>,
    ) -> Result<Response<wire::DecideApprovalResponse>, Status> {
        answer!(self.decide(request.into_inner()))
    }

    async fn deprecate_agent_version(
        &self,
        request: Request<wire::DeprecateAgentVersionRequest>,
    ) -> Result<Response<wire::DeprecateAgentVersionResponse>, Status> {
        answer!(self.deprecate(request.into_inner()))
    }

    async fn archive_agent(
        &self,
        request: Request<wire::ArchiveAgentRequest>,
    ) -> Result<Response<wire::ArchiveAgentResponse>, Status> {
        answer!(self.archive(request.into_inner()))
    }

    async fn work(
        &self,
        request: Request<Streaming<wire::WorkClientMsg>>,
    ) -> Result<Response<Self::WorkStream>, Status> {
        self.accepting()?;
        Ok(Response::new(work::accept(
            Arc::clone(&self.core),
            request.into_inner(),
        )))
    }
}
