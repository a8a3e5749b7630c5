//! What every gRPC client may ask: health, and which methods there are.

use proto::health::v1 as health;
use proto::health::v1::health_check_response::ServingStatus;
use proto::health::v1::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

use crate::bed::Bed;

#[tokio::test(flavor = "multi_thread")]
async fn health_knows_its_services_and_says_so_of_others() {
    let bed = Bed::new().await;
    let mut client = HealthClient::connect(format!("http://{}", bed.address))
        .await
        .unwrap();
    for (service, status) in [
        ("", ServingStatus::Serving),
        ("phrony.runtime.v1.Runtime", ServingStatus::Serving),
        ("nobody.v1.Nothing", ServingStatus::ServiceUnknown),
    ] {
        let request = health::HealthCheckRequest {
            service: service.to_owned(),
        };
        let answer = client.check(request.clone()).await.unwrap().into_inner();
        assert_eq!(answer.status(), status, "{service}");
        let mut watch = client.watch(request).await.unwrap().into_inner();
        assert_eq!(
            watch.message().await.unwrap().unwrap().status(),
            status,
            "{service}"
        );
    }
    let listed = client
        .list(health::HealthListRequest {})
        .await
        .unwrap()
        .into_inner();
    assert_eq!(listed.statuses.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn reflection_lists_the_services() {
    let bed = Bed::new().await;
    let address = format!("http://{}", bed.address);
    let channel = tonic::transport::Channel::from_shared(address).unwrap();
    let mut client = ServerReflectionClient::new(channel.connect().await.unwrap());
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let answers = client
        .server_reflection_info(tokio_stream::once(request))
        .await
        .unwrap();
    let answer = answers.into_inner().message().await.unwrap().unwrap();
    let Some(MessageResponse::ListServicesResponse(listed)) = answer.message_response else {
        panic!("{answer:?}");
    };
    let names: Vec<&str> = listed.service.iter().map(|it| it.name.as_str()).collect();
    for name in [
        "phrony.runtime.v1.Runtime",
        "ordain.v1.Publishing",
        "grpc.health.v1.Health",
    ] {
        assert!(names.contains(&name), "{names:?}");
    }
}
