//! What was frozen with a version, and which version a question without one means.

use proto::ordain::v1 as ordain;
use proto::ordain::v1::publishing_client::PublishingClient;
use proto::runtime::v1 as wire;
use spec::{Digest, Snapshot};
use tonic::{Code, Status};

use crate::bed::{Bed, agent, bundle, script};

async fn publish(bed: &Bed, version: &str) {
    let script = script(&[]);
    let mut files = bundle(&script);
    let manifest = files[0]
        .1
        .replace("version: 1.0.0}", &format!("version: {version}}}"));
    files[0].1 = &manifest;
    bed.publish(&files).await.unwrap();
}

async fn get(bed: &Bed, name: &str, version: &str) -> Result<ordain::GetSnapshotResponse, Status> {
    let url = format!("http://{}", bed.address);
    let mut client = PublishingClient::connect(url).await.unwrap();
    let request = ordain::GetSnapshotRequest {
        namespace: agent("").namespace,
        name: name.to_owned(),
        version: version.to_owned(),
    };
    Ok(client.get_snapshot(request).await?.into_inner())
}

async fn deploy(bed: &mut Bed, version: &str) {
    let request = wire::DeployRequest {
        agent_ref: Some(agent(version)),
        actor: "ana".to_owned(),
    };
    bed.client.deploy(request).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_version_that_is_named_or_deployed_or_newest() {
    let mut bed = Bed::new().await;
    let name = agent("").name;
    for version in ["1.0.0", "1.2.0", "1.10.0", "2.0.0-rc.1"] {
        publish(&bed, version).await;
    }
    let newest = get(&bed, &name, "").await.unwrap();
    assert_eq!(newest.version, "1.10.0");
    assert_eq!(
        (newest.deployed_at.as_str(), newest.deployed_by.as_str()),
        ("", "")
    );

    deploy(&mut bed, "1.2.0").await;
    let deployed = get(&bed, &name, "").await.unwrap();
    assert_eq!(deployed.version, "1.2.0");
    assert_eq!(deployed.deployed_by, "ana");
    assert!(!deployed.deployed_at.is_empty() && !deployed.version_id.is_empty());
    assert_eq!(
        Digest::of(&deployed.snapshot).to_string(),
        deployed.content_hash
    );
    let snapshot = Snapshot::from_canonical(&deployed.snapshot).unwrap();
    assert_eq!(snapshot.agent.version, "1.2.0");

    let other = get(&bed, &name, "2.0.0-rc.1").await.unwrap();
    assert_eq!(
        (other.version.as_str(), other.deployed_at.as_str()),
        ("2.0.0-rc.1", "")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn deprecated_and_retired_versions_are_the_last_that_are_meant() {
    let mut bed = Bed::new().await;
    let name = agent("").name;
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        publish(&bed, version).await;
    }
    let agent_ref = Some(agent("1.2.0"));
    let request = wire::DeprecateAgentVersionRequest { agent_ref };
    bed.client.deprecate_agent_version(request).await.unwrap();
    let agent_ref = Some(agent("1.1.0"));
    let request = wire::RetireAgentVersionRequest { agent_ref };
    bed.client.retire_agent_version(request).await.unwrap();
    assert_eq!(get(&bed, &name, "").await.unwrap().version, "1.0.0");
    let deprecated = get(&bed, &name, "1.2.0").await.unwrap();
    assert!(!deprecated.deprecated_at.is_empty() && deprecated.retired_at.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there() {
    let bed = Bed::new().await;
    let name = agent("").name;
    publish(&bed, "1.0.0").await;
    let code = async |name: &str, version: &str| get(&bed, name, version).await.unwrap_err().code();
    assert_eq!(code(&name, "1.0.1").await, Code::NotFound);
    assert_eq!(code("stranger", "").await, Code::NotFound);
    assert_eq!(code("stranger", "1.0.0").await, Code::NotFound);
    assert_eq!(code("", "1.0.0").await, Code::InvalidArgument);
}
