//! `Publish` of the form that other tools resolve.

use proto::runtime::v1 as wire;
use tonic::Code;

use crate::bed::{Bed, agent, serve, text};

const MANIFEST: &str = r#"{
  "apiVersion":"phrony.com/v1","kind":"Agent",
  "metadata":{"name":"agent","namespace":"test","version":"1.0.0","annotations":{
    "phrony.com/policies-compiled":"true",
    "phrony.com/stub-script":"{\"turns\":[[{\"type\":\"tool_call\",\"name\":\"pay\",\"args\":{\"amount\":7}},{\"type\":\"tool_call\",\"name\":\"pay\",\"args\":{\"amount\":900}}],[{\"type\":\"text_delta\",\"text\":\"done\"}]]}"}},
  "spec":{"purpose":"p","instructions":{"text":"i"},"session":"single_turn",
    "model":{"provider":"stub","name":"s"},
    "tools":[{"ref":"test.pay","as":"pay","version":"1.0.0","description":"Pay.",
      "side_effect_class":"non_idempotent_write",
      "input_schema":{"inline":{"type":"object","properties":{"amount":{"type":"number"}},
        "required":["amount"],"additionalProperties":false}}}],
    "policies":[{"name":"limit","scope":"tool:test.pay","action":"deny","reason":"too much",
      "conditions":{"field":"amount","op":"gt","value":100}}]}}"#;

fn request(manifest: &str) -> wire::PublishRequest {
    wire::PublishRequest {
        manifest: manifest.as_bytes().to_vec(),
        actor: String::new(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resolved_manifest_is_compiled_again_and_runs() {
    let mut bed = Bed::new().await;
    let served = serve(&bed.address, "w-1");
    let published = bed
        .client
        .publish(request(MANIFEST))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        (published.namespace.as_str(), published.name.as_str()),
        ("test", "agent")
    );
    let again = bed.client.publish(request(MANIFEST)).await.unwrap_err();
    assert_eq!(again.code(), Code::AlreadyExists);
    let get = wire::GetAgentVersionRequest {
        agent_ref: Some(agent("1.0.0")),
    };
    let kept = bed
        .client
        .get_agent_version(get)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(kept.manifest, MANIFEST.as_bytes());
    assert_eq!(kept.content_hash, published.content_hash);

    let deploy = wire::DeployRequest {
        agent_ref: Some(agent("1.0.0")),
        ..Default::default()
    };
    bed.client.deploy(deploy).await.unwrap();
    let session = bed.start().await;
    let events = bed.until(&session, "session.completed").await;
    let denied = events
        .iter()
        .find(|it| it.r#type == "tool.policy_denied")
        .unwrap();
    assert!(text(denied, "message").starts_with("too much"));
    assert_eq!(
        served.witness.lock().unwrap()["test.pay"],
        [r#"{"amount":7}"#]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_manifest_claims_is_checked() {
    let mut bed = Bed::new().await;
    for manifest in [
        "",
        "{",
        "[]",
        "{}",
        &MANIFEST.replace("\"gt\"", "\"above\""),
    ] {
        let status = bed.client.publish(request(manifest)).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{manifest}");
        assert!(!status.message().is_empty());
    }
}
