//! The life of an agent, from its first version to the archive, with the codes that clients rely on.

use proto::runtime::v1 as wire;
use tonic::{Code, Status};

use crate::bed::{Bed, agent, bundle, script};

type Answer<T> = Result<T, Status>;

async fn publish(bed: &Bed, version: &str) -> Answer<String> {
    let script = script(&[]);
    let mut files = bundle(&script);
    let manifest = files[0]
        .1
        .replace("version: 1.0.0}", &format!("version: {version}}}"));
    files[0].1 = &manifest;
    Ok(bed.publish(&files).await?.version_id)
}

async fn deploy(bed: &mut Bed, version: &str) -> Answer<wire::DeployResponse> {
    let request = wire::DeployRequest {
        agent_ref: Some(agent(version)),
        actor: "ana".to_owned(),
    };
    Ok(bed.client.deploy(request).await?.into_inner())
}

async fn rollback(bed: &mut Bed, to: &str) -> Answer<(String, String)> {
    let request = wire::RollbackRequest {
        agent_ref: Some(agent("")),
        to_version: to.to_owned(),
        actor: "bo".to_owned(),
    };
    let it = bed.client.rollback(request).await?.into_inner();
    Ok((it.version, it.previous_version))
}

async fn deprecate(bed: &mut Bed, version: &str) -> Answer<String> {
    let agent_ref = Some(agent(version));
    let request = wire::DeprecateAgentVersionRequest { agent_ref };
    let answer = bed.client.deprecate_agent_version(request).await?;
    Ok(answer.into_inner().version_id)
}

async fn retire(bed: &mut Bed, version: &str) -> Answer<String> {
    let agent_ref = Some(agent(version));
    let request = wire::RetireAgentVersionRequest { agent_ref };
    let answer = bed.client.retire_agent_version(request).await?;
    Ok(answer.into_inner().version_id)
}

async fn archive(bed: &mut Bed) -> Answer<()> {
    let agent_ref = Some(agent(""));
    let request = wire::ArchiveAgentRequest { agent_ref };
    bed.client.archive_agent(request).await.map(|_| ())
}

async fn run(bed: &mut Bed, version: &str) -> Answer<String> {
    let request = wire::RunSessionRequest {
        agent_ref: Some(agent(version)),
        ..Default::default()
    };
    Ok(bed
        .client
        .run_session(request)
        .await?
        .into_inner()
        .session_id)
}

async fn active(bed: &mut Bed) -> Answer<String> {
    let agent_ref = Some(agent(""));
    let request = wire::GetActiveVersionRequest { agent_ref };
    Ok(bed
        .client
        .get_active_version(request)
        .await?
        .into_inner()
        .version)
}

async fn history(bed: &mut Bed) -> Answer<Vec<wire::DeploymentEntry>> {
    let agent_ref = Some(agent(""));
    let request = wire::ListDeploymentsRequest { agent_ref };
    Ok(bed
        .client
        .list_deployments(request)
        .await?
        .into_inner()
        .deployments)
}

async fn version(bed: &mut Bed, version: &str) -> wire::GetAgentVersionResponse {
    let agent_ref = Some(agent(version));
    let request = wire::GetAgentVersionRequest { agent_ref };
    bed.client
        .get_agent_version(request)
        .await
        .unwrap()
        .into_inner()
}

#[track_caller]
fn refused<T: std::fmt::Debug>(answer: Answer<T>, code: Code, text: &str) {
    let status = answer.unwrap_err();
    assert_eq!(status.code(), code, "{status:?}");
    assert!(status.message().contains(text), "{status:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_life() {
    let mut bed = Bed::new().await;
    // Nobody was born yet.
    refused(
        active(&mut bed).await,
        Code::FailedPrecondition,
        "no active deployment",
    );
    refused(history(&mut bed).await, Code::NotFound, "not found");
    refused(rollback(&mut bed, "").await, Code::NotFound, "no agent");
    refused(
        deprecate(&mut bed, "1.0.0").await,
        Code::NotFound,
        "no agent",
    );
    refused(retire(&mut bed, "1.0.0").await, Code::NotFound, "no agent");
    refused(archive(&mut bed).await, Code::NotFound, "no agent");

    // Published, and not deployed.
    let first = publish(&bed, "1.0.0").await.unwrap();
    let second = publish(&bed, "2.0.0").await.unwrap();
    assert_eq!(history(&mut bed).await.unwrap(), []);
    refused(
        active(&mut bed).await,
        Code::FailedPrecondition,
        "no active deployment",
    );
    refused(
        rollback(&mut bed, "").await,
        Code::FailedPrecondition,
        "deployed",
    );
    refused(
        rollback(&mut bed, "1.0.0").await,
        Code::FailedPrecondition,
        "deployed",
    );

    // Deployed, and back.
    deploy(&mut bed, "1.0.0").await.unwrap();
    refused(
        rollback(&mut bed, "").await,
        Code::FailedPrecondition,
        "no previous deployment",
    );
    deploy(&mut bed, "2.0.0").await.unwrap();
    let again = deploy(&mut bed, "2.0.0").await.unwrap();
    assert_eq!(again.previous_version, "2.0.0");
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(
        rollback(&mut bed, "").await.unwrap(),
        pair("1.0.0", "2.0.0")
    );
    assert_eq!(active(&mut bed).await.unwrap(), "1.0.0");
    assert_eq!(
        rollback(&mut bed, "1.0.0").await.unwrap(),
        pair("1.0.0", "1.0.0")
    );
    assert_eq!(
        rollback(&mut bed, "2.0.0").await.unwrap(),
        pair("2.0.0", "1.0.0")
    );
    refused(rollback(&mut bed, "9.9.9").await, Code::NotFound, "9.9.9");
    let session = run(&mut bed, "").await.unwrap();
    bed.until(&session, "session.completed").await;

    // Deprecated: still active, may be deployed, cannot run.
    refused(
        deprecate(&mut bed, "").await,
        Code::InvalidArgument,
        "version",
    );
    refused(deprecate(&mut bed, "9.9.9").await, Code::NotFound, "9.9.9");
    assert_eq!(deprecate(&mut bed, "2.0.0").await.unwrap(), second);
    refused(
        deprecate(&mut bed, "2.0.0").await,
        Code::NotFound,
        "already deprecated",
    );
    assert_eq!(active(&mut bed).await.unwrap(), "2.0.0");
    deploy(&mut bed, "2.0.0").await.unwrap();
    refused(
        run(&mut bed, "").await,
        Code::FailedPrecondition,
        "is deprecated",
    );

    // Retired: cannot be deployed either.
    assert_eq!(retire(&mut bed, "2.0.0").await.unwrap(), second);
    refused(
        retire(&mut bed, "2.0.0").await,
        Code::NotFound,
        "already retired",
    );
    let retired = "is retired and cannot be deployed";
    refused(
        deploy(&mut bed, "2.0.0").await,
        Code::FailedPrecondition,
        retired,
    );
    assert_eq!(active(&mut bed).await.unwrap(), "2.0.0");
    refused(
        run(&mut bed, "2.0.0").await,
        Code::FailedPrecondition,
        "is retired",
    );
    let row = version(&mut bed, "2.0.0").await;
    assert!(!row.deprecated_at.is_empty() && !row.retired_at.is_empty());

    // What was retired is left by the way back, and does not return on it.
    assert_eq!(
        rollback(&mut bed, "").await.unwrap(),
        pair("1.0.0", "2.0.0")
    );
    refused(
        rollback(&mut bed, "").await,
        Code::FailedPrecondition,
        retired,
    );
    let session = run(&mut bed, "1.0.0").await.unwrap();
    bed.until(&session, "session.completed").await;

    let actions = |entries: Vec<wire::DeploymentEntry>| -> Vec<String> {
        assert!(
            entries.iter().all(|it| it.created_at.ends_with('Z')),
            "{entries:?}"
        );
        let line = |it: wire::DeploymentEntry| format!("{} {} {}", it.action, it.version, it.actor);
        entries.into_iter().map(line).collect()
    };
    let expected = [
        "rollback 1.0.0 bo",
        "deploy 2.0.0 ana",
        "rollback 2.0.0 bo",
        "rollback 1.0.0 bo",
        "rollback 1.0.0 bo",
        "deploy 2.0.0 ana",
        "deploy 2.0.0 ana",
        "deploy 1.0.0 ana",
    ];
    assert_eq!(actions(history(&mut bed).await.unwrap()), expected);

    archived(&mut bed, &first).await;
    // All of it is on disk.
    bed.restart().await;
    refused(
        archive(&mut bed).await,
        Code::FailedPrecondition,
        "already archived",
    );
    assert_eq!(actions(history(&mut bed).await.unwrap()), expected);
}

async fn archived(bed: &mut Bed, first: &str) {
    let waiting = run(bed, "").await.unwrap();
    archive(bed).await.unwrap();
    refused(
        archive(bed).await,
        Code::FailedPrecondition,
        "already archived",
    );
    // A session that had begun goes to its end.
    bed.until(&waiting, "session.completed").await;
    refused(run(bed, "").await, Code::FailedPrecondition, "is archived");
    refused(
        deploy(bed, "1.0.0").await,
        Code::FailedPrecondition,
        "is archived",
    );
    refused(
        rollback(bed, "1.0.0").await,
        Code::FailedPrecondition,
        "is archived",
    );
    // Said before "already exists".
    let closed = "is archived and cannot accept new versions";
    for it in ["1.0.0", "3.0.0"] {
        refused(publish(bed, it).await, Code::FailedPrecondition, closed);
    }
    refused(
        deprecate(bed, "1.0.0").await,
        Code::NotFound,
        "already deprecated",
    );
    assert!(!version(bed, "1.0.0").await.deprecated_at.is_empty());
    assert_eq!(retire(bed, "1.0.0").await.unwrap(), first);
    assert_eq!(active(bed).await.unwrap(), "1.0.0");
    let listed = bed
        .client
        .list_agents(wire::ListAgentsRequest::default())
        .await;
    let listed = listed.unwrap().into_inner().agents;
    assert!(
        listed.len() == 1 && !listed[0].archived_at.is_empty(),
        "{listed:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_without_an_agent_is_refused() {
    let mut bed = Bed::new().await;
    let nameless = wire::AgentRef {
        name: String::new(),
        ..agent("1.0.0")
    };
    for agent_ref in [None, Some(nameless)] {
        let it = agent_ref.clone();
        let request = wire::RollbackRequest {
            agent_ref: it,
            ..Default::default()
        };
        refused(
            bed.client.rollback(request).await,
            Code::InvalidArgument,
            "agent_ref",
        );
        let it = agent_ref.clone();
        let request = wire::RetireAgentVersionRequest { agent_ref: it };
        refused(
            bed.client.retire_agent_version(request).await,
            Code::InvalidArgument,
            "agent_ref",
        );
        let it = agent_ref.clone();
        let request = wire::DeprecateAgentVersionRequest { agent_ref: it };
        let answer = bed.client.deprecate_agent_version(request).await;
        refused(answer, Code::InvalidArgument, "agent_ref");
        let it = agent_ref.clone();
        let request = wire::ArchiveAgentRequest { agent_ref: it };
        refused(
            bed.client.archive_agent(request).await,
            Code::InvalidArgument,
            "agent_ref",
        );
        let request = wire::ListDeploymentsRequest { agent_ref };
        refused(
            bed.client.list_deployments(request).await,
            Code::InvalidArgument,
            "agent_ref",
        );
    }
}
