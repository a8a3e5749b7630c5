//! Deployments with overlays: what is narrower for one runtime counts from the next decision on, in
//! sessions that run as well.

use proto::ordain::v1 as ordain;
use proto::runtime::v1 as wire;
use tonic::{Code, Status};

use crate::bed::{Bed, Served, agent, bundle, errors, of, payload, script, serve, text};

const CAP: &str = "tools: {pay: {input_schema: {inline: {properties: {amount: {maximum: 50}}}}}}";
const STRICTER: &str = "tools: {pay: {side_effect_class: irreversible_action}}";

/// An overlay with one policy of its own about amounts above 150.
fn rule(name: &str, decision: &str) -> Vec<(String, String)> {
    let policy = format!(
        "apiVersion: phrony.com/v1\nkind: Policy\nmetadata: {{name: {name}, namespace: ops, version: 1.0.0}}\nspec:\n  conditions: {{field: amount, op: gt, value: 150}}\n  decision: {{type: {decision}, reason: operators said so}}\n"
    );
    vec![
        (
            "o.yaml".to_owned(),
            format!("tools: {{pay: {{policies: [ops.{name}]}}}}"),
        ),
        ("policies/rule.yaml".to_owned(), policy),
    ]
}

fn plain(overlay: &str) -> Vec<(String, String)> {
    vec![("o.yaml".to_owned(), overlay.to_owned())]
}

async fn deploy(
    bed: &Bed,
    files: Vec<(String, String)>,
) -> Result<ordain::DeployOverlaidResponse, Status> {
    let agent = agent("1.0.0");
    let files = files.into_iter().map(|(path, text)| ordain::SourceFile {
        path,
        content: text.into_bytes(),
    });
    let request = ordain::DeployOverlaidRequest {
        namespace: agent.namespace,
        name: agent.name,
        version: agent.version,
        files: files.collect(),
        overlay: "o.yaml".to_owned(),
        actor: "ops".to_owned(),
        allow_unproven: Vec::new(),
    };
    Ok(bed
        .publishing()
        .await
        .deploy_overlaid(request)
        .await?
        .into_inner())
}

async fn deploy_plainly(bed: &mut Bed) {
    let request = wire::DeployRequest {
        agent_ref: Some(agent("1.0.0")),
        actor: String::new(),
    };
    bed.client.deploy(request).await.unwrap();
}

async fn approve(bed: &mut Bed, approval: &str) -> String {
    let decided = bed
        .decide(approval, wire::ApprovalDecision::Approve, "ana")
        .await;
    decided.unwrap().status
}

async fn to_the_end(bed: &Bed, session: &str) -> Vec<ordain::WatchEvent> {
    bed.follow(session, |it| {
        it.r#type == "message.assistant" && text(it, "text") == "done"
    })
    .await
}

fn paid(served: &Served) -> usize {
    served.witness.lock().unwrap().values().map(Vec::len).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_narrower_schema_is_enforced_and_told_and_outlives_a_restart() {
    let mut bed = Bed::new().await;
    let turns = [("pay", r#"{"amount":60}"#), ("pay", r#"{"amount":40}"#)];
    bed.deploy(&bundle(&script(&[&turns]))).await;
    let deployed = deploy(&bed, plain(CAP)).await.unwrap();
    bed.restart().await;
    let served = serve(&bed.address, "w-1");
    let session = bed.start().await;
    let events = to_the_end(&bed, &session).await;
    let told = errors(&events);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].0, "invalid_args");
    assert!(told[0].1.contains("(maximum)"), "{told:?}");
    assert_eq!(paid(&served), 1);
    for kind in ["tool.requested", "tool.dispatched"] {
        let event = of(&events, kind)[0];
        assert_eq!(text(event, "overlay"), deployed.overlay_digest, "{kind}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overlay_that_widens_deploys_nothing() {
    let mut bed = Bed::new().await;
    bed.deploy(&bundle(&script(&[]))).await;
    let wider =
        "tools: {pay: {input_schema: {inline: {properties: {amount: {type: [number, string]}}}}}}";
    let refused = deploy(&bed, plain(wider)).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    let message = refused.message();
    assert!(
        message.contains(r#"E0504 o.yaml:1:"#) && message.contains(r#"{"amount":""}"#),
        "{message}"
    );
    let laxer = deploy(&bed, plain("tools: {pay: {side_effect_class: read_only}}")).await;
    assert!(laxer.unwrap_err().message().contains("E0503"));
    let request = wire::ListDeploymentsRequest {
        agent_ref: Some(agent("")),
    };
    let history = bed.client.list_deployments(request).await.unwrap();
    assert_eq!(history.into_inner().deployments.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_comes_while_people_are_asked_counts() {
    for (decision, expected) in [("deny", "policy_denied"), ("require_approval", "")] {
        let mut bed = Bed::new().await;
        let served = serve(&bed.address, "w-1");
        let session = bed.run(&script(&[&[("pay", r#"{"amount":200}"#)]])).await;
        let events = bed.until(&session, "approval.required").await;
        let asked = text(events.last().unwrap(), "approval_id");
        deploy(&bed, rule("late", decision)).await.unwrap();
        assert_eq!(approve(&mut bed, &asked).await, "approved");
        if decision == "require_approval" {
            let again = bed
                .follow(&session, |it| {
                    it.r#type == "approval.required" && text(it, "approval_id") != asked
                })
                .await;
            let event = again.last().unwrap();
            assert_eq!(text(event, "reason"), "operators said so");
            assert_eq!(paid(&served), 0);
            let second = text(event, "approval_id");
            assert_eq!(approve(&mut bed, &second).await, "approved");
        }
        let events = to_the_end(&bed, &session).await;
        let told = errors(&events);
        if expected.is_empty() {
            assert!(told.is_empty(), "{told:?}");
            assert_eq!(paid(&served), 1);
        } else {
            assert_eq!(told.len(), 1, "{told:?}");
            assert_eq!(told[0].0, expected);
            assert!(told[0].1.contains("ops.late@1.0.0"), "{told:?}");
            assert_eq!(paid(&served), 0);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_waits_for_a_worker_is_judged_once_more() {
    let mut bed = Bed::new().await;
    let session = bed.run(&script(&[&[("pay", r#"{"amount":60}"#)]])).await;
    bed.until(&session, "tool.queued").await;
    deploy(&bed, plain(CAP)).await.unwrap();
    let served = serve(&bed.address, "w-1");
    let events = to_the_end(&bed, &session).await;
    let told = errors(&events);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].0, "invalid_args");
    assert_eq!(paid(&served), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deployment_without_an_overlay_lifts_it() {
    let mut bed = Bed::new().await;
    let served = serve(&bed.address, "w-1");
    let turns: [&[(&str, &str)]; 2] = [
        &[("pay", r#"{"amount":200}"#)],
        &[("pay", r#"{"amount":60}"#)],
    ];
    bed.deploy(&bundle(&script(&turns))).await;
    deploy(&bed, rule("extra", "require_approval"))
        .await
        .unwrap();
    let session = bed.start().await;
    let events = bed.until(&session, "approval.required").await;
    deploy_plainly(&mut bed).await;
    let asked = text(events.last().unwrap(), "approval_id");
    assert_eq!(approve(&mut bed, &asked).await, "approved");
    let events = to_the_end(&bed, &session).await;
    assert_eq!(paid(&served), 2);
    let dispatched = of(&events, "tool.dispatched");
    assert!(dispatched.iter().all(|it| payload(it)["overlay"].is_null()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stricter_class_is_the_one_that_recovery_follows() {
    let mut bed = Bed::new().await;
    bed.deploy(&bundle(&script(&[&[("pay", r#"{"amount":60}"#)]])))
        .await;
    deploy(&bed, plain(STRICTER)).await.unwrap();
    let served = serve(&bed.address, "w-1");
    let session = bed.start().await;
    let events = to_the_end(&bed, &session).await;
    let requested = of(&events, "tool.requested");
    assert_eq!(
        text(requested[0], "side_effect_class"),
        "irreversible_action"
    );
    assert_eq!(paid(&served), 1);
}
