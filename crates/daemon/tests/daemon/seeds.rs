//! The bundles of the seed texts, published as sources and run: what the texts promise happens.

use proto::ordain::v1 as ordain;
use proto::runtime::v1 as wire;
use serde_json::{Value as Json, json};
use tonic::{Code, Status};
use wire::work_server_msg::Body as Heard;

use self::load::{BLOCKS, BUNDLES, seed};
use crate::bed::{Bed, Serving, errors, of, payload, script, serve_tools, text};
use crate::workers::{ByHand, result};

#[path = "../../../publish/testdata/seeds/load.rs"]
mod load;

const SENT: &str = r#"{"alert_id":"a-1","status":"sent"}"#;

fn sources(name: &str, script: &str) -> Vec<(String, String)> {
    let mut files = seed(name).files;
    files.push(("stub-script.json".to_owned(), script.to_owned()));
    files
}

async fn publish(
    bed: &Bed,
    name: &str,
    dry_run: bool,
) -> Result<ordain::PublishSourcesResponse, Status> {
    let files = sources(name, &script(&[])).into_iter();
    let files = files.map(|(path, text)| ordain::SourceFile {
        path,
        content: text.into_bytes(),
    });
    let request = ordain::PublishSourcesRequest {
        files: files.collect(),
        manifest: "agent.yaml".to_owned(),
        actor: "tester".to_owned(),
        dry_run,
        allow_unproven: Vec::new(),
    };
    let published = bed.publishing().await.publish_sources(request).await?;
    Ok(published.into_inner())
}

fn assistant() -> wire::AgentRef {
    wire::AgentRef {
        namespace: "weather".to_owned(),
        name: "weather-assistant".to_owned(),
        version: String::new(),
    }
}

async fn deploy(bed: &mut Bed, files: &[(String, String)]) {
    let files = files.iter();
    let files: Vec<(&str, &str)> = files.map(|(path, text)| (&**path, &**text)).collect();
    bed.deploy(&files).await;
}

/// Publishes and deploys the bundle, and starts a session in which the model makes these calls.
async fn start(bed: &mut Bed, name: &str, turns: &[&[(&str, &str)]]) -> String {
    let script = script(turns);
    deploy(bed, &sources(name, &script)).await;
    let request = wire::RunSessionRequest {
        agent_ref: Some(assistant()),
        input: br#"{"message":"go"}"#.to_vec(),
        ..Default::default()
    };
    bed.started(request).await
}

/// Everything up to the model's last words, which come after every call has its outcome.
async fn to_the_end(bed: &Bed, session: &str) -> Vec<ordain::WatchEvent> {
    let said = |it: &ordain::WatchEvent| it.r#type == "message.assistant";
    bed.follow(session, |it| said(it) && text(it, "text") == "done")
        .await
}

/// A worker with both tools, all versions of them, that answers as they promise.
fn serve(bed: &Bed) -> Serving {
    let tools = [
        "weather.get-forecast@1.0.0",
        "weather.send-alert@1.0.0",
        "weather.send-alert@1.4.0",
        "weather.send-alert@2.0.0",
    ];
    serve_tools(&bed.address, &tools, |tool, _| {
        Ok(match tool {
            "weather.get-forecast" => json!({"sky": "clear"}),
            _ => serde_json::from_str(SENT).unwrap(),
        })
    })
}

fn call(tool: &str, args: &str) -> (String, String) {
    (tool.to_owned(), args.to_owned())
}

fn results(events: &[ordain::WatchEvent]) -> Vec<Json> {
    let completed = of(events, "tool.completed");
    completed
        .iter()
        .map(|it| payload(it)["result"].clone())
        .collect()
}

#[test]
fn no_block_and_no_bundle_is_left_out() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../publish/testdata/seeds");
    for (sort, listed) in [("blocks", BLOCKS), ("bundles", BUNDLES)] {
        let there = std::fs::read_dir(format!("{folder}/{sort}")).unwrap();
        let mut there: Vec<String> = there
            .map(|it| it.unwrap().path())
            .map(|it| it.file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        there.sort();
        let mut listed: Vec<&str> = listed.iter().map(|(name, _)| *name).collect();
        listed.sort_unstable();
        assert_eq!(there, listed);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_runtime_says_of_each_bundle_what_is_listed() {
    let bed = Bed::new().await;
    for (name, _) in BUNDLES {
        let expected = seed(name).said;
        let errors: Vec<&String> = expected
            .iter()
            .filter(|it| it.starts_with("error"))
            .collect();
        match publish(&bed, name, true).await {
            Ok(published) => {
                let said: Vec<String> = published
                    .diagnostics
                    .iter()
                    .map(|it| format!("{} {} {} {}", it.severity, it.code, it.file, it.field))
                    .collect();
                assert_eq!(said, expected, "{name}");
            }
            Err(status) => {
                assert_eq!(status.code(), Code::InvalidArgument, "{name}: {status:?}");
                assert_eq!(errors.len(), 1, "{name}: {status:?}");
                let code = errors[0].split(' ').nth(1).unwrap();
                let wanted = format!("invalid manifest (1 error):\n{code} ");
                let message = status.message();
                assert!(message.starts_with(&wanted), "{name}: {message}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_capability_nothing_is_published() {
    let mut bed = Bed::new().await;
    let refused = publish(&bed, "without-capability", false)
        .await
        .unwrap_err();
    assert!(refused.message().contains("E0505"), "{refused:?}");
    let get = wire::GetAgentVersionRequest {
        agent_ref: Some(wire::AgentRef {
            version: "2.4.0".to_owned(),
            ..assistant()
        }),
    };
    let missing = bed.client.get_agent_version(get).await.unwrap_err();
    assert_eq!(missing.code(), Code::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contract_alone_is_enough_to_be_called_by() {
    let mut bed = Bed::new().await;
    let served = serve(&bed);
    let calls = [
        ("get_forecast", r#"{"city":"Oslo"}"#),
        ("get_forecast", r#"{"city":7}"#),
    ];
    let session = start(&mut bed, "contract", &[&calls]).await;
    let events = to_the_end(&bed, &session).await;
    assert_eq!(
        served.calls(),
        [call("weather.get-forecast@1.0.0", r#"{"city":"Oslo"}"#)]
    );
    assert_eq!(results(&events), [json!({"sky": "clear"})]);
    let told = errors(&events);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].0, "invalid_args");
    assert!(told[0].1.contains("city"), "{told:?}");
    let requested = of(&events, "tool.requested");
    assert_eq!(text(requested[0], "side_effect_class"), "read_only");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_safe_to_retry_is_retried_and_the_other_never_runs_twice() {
    let mut bed = Bed::with(&[("ORDAIN_RESYNC_GRACE", "1ms")]).await;
    let tools = ["weather.get-forecast@1.0.0", "weather.send-alert@1.0.0"];
    let mut worker = ByHand::serving(&bed.address, "w-1", &tools).await;
    let calls = [("get_forecast", "{}"), ("send_alert", r#"{"severity":1}"#)];
    let session = start(&mut bed, "side-effect-class", &[&calls]).await;
    let invoked = [worker.invoke().await, worker.invoke().await];
    let id = |tool: &str| {
        let found = invoked.iter().find(|it| it.tool == tool);
        found.unwrap().call_id.clone()
    };
    let (forecast, alert) = (id("weather.get-forecast"), id("weather.send-alert"));
    drop(worker);
    let events = bed.until(&session, "approval.required").await;
    let asked = events.last().unwrap();
    assert_eq!(asked.call_id, alert);
    assert_eq!(text(asked, "subject"), "indeterminate");
    let mut worker = ByHand::serving(&bed.address, "w-2", &tools).await;
    let again = worker.invoke().await;
    assert_eq!(again.call_id, forecast);
    worker.say(result(&again.call_id, b"{}")).await;
    let approval = text(asked, "approval_id");
    let decided = bed
        .decide(&approval, wire::ApprovalDecision::Reject, "ana")
        .await;
    assert_eq!(decided.unwrap().status, "denied");
    let events = to_the_end(&bed, &session).await;
    let sent = |call: &str| {
        let sent = of(&events, "tool.dispatched").into_iter();
        sent.filter(|it| it.call_id == call).count()
    };
    assert_eq!((sent(&forecast), sent(&alert)), (2, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alert_within_the_limits_runs_and_a_severe_one_asks_two_people() {
    let mut bed = Bed::new().await;
    let served = serve(&bed);
    let mild = r#"{"region":"north","severity":3}"#;
    let drill = r#"{"region":"test-north","severity":5}"#;
    let severe = r#"{"region":"north","severity":4}"#;
    let beyond = r#"{"region":"north","severity":6}"#;
    let turns = [mild, drill, beyond, severe].map(|args| [("send_alert", args)]);
    let turns: Vec<&[(&str, &str)]> = turns.iter().map(<[_; 1]>::as_slice).collect();
    let session = start(&mut bed, "weather-assistant", &turns).await;
    let events = bed.until(&session, "approval.required").await;
    let tool = "weather.send-alert@1.0.0";
    assert_eq!(served.calls(), [call(tool, mild), call(tool, drill)]);
    let told = errors(&events);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].0, "invalid_args");
    let asked = events.last().unwrap();
    assert_eq!(
        text(asked, "reason"),
        "A severe alert reaches the whole region."
    );
    assert_eq!(text(asked, "route"), "duty-forecaster");
    let question = payload(asked);
    assert_eq!(
        question["args"],
        json!({"region": "north", "severity": 4.0})
    );
    assert_eq!(question["approvals_required"], json!(2.0));
    let policies = question["policies"].to_string();
    assert!(
        policies.contains("weather.high-severity-alert-boundary@1.0.0"),
        "{policies}"
    );
    assert!(policies.contains("weather.alert-authority"), "{policies}");

    let approval = text(asked, "approval_id");
    for (who, status) in [("ana", "pending"), ("bo", "approved")] {
        let decided = bed
            .decide(&approval, wire::ApprovalDecision::Approve, who)
            .await;
        assert_eq!(decided.unwrap().status, status);
    }
    to_the_end(&bed, &session).await;
    assert_eq!(
        served.calls(),
        [call(tool, mild), call(tool, drill), call(tool, severe)]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_breaks_the_output_schema_is_told_as_such() {
    let mut bed = Bed::new().await;
    let bad = [
        json!({"alert_id": "a-1", "status": "lost"}),
        json!({"alert_id": "a-1"}),
        json!({"alert_id": "a-1", "status": "sent", "cost": 1}),
    ];
    let served = serve_tools(
        &bed.address,
        &["weather.send-alert@1.0.0"],
        move |_, before| Ok(bad[before].clone()),
    );
    let one = [("send_alert", r#"{"severity":1}"#)];
    let session = start(&mut bed, "weather-assistant", &[&one, &one, &one]).await;
    let events = to_the_end(&bed, &session).await;
    let told = errors(&events);
    assert_eq!(told.len(), 3);
    for ((code, message), word) in told.iter().zip(["status", "status", "cost"]) {
        assert_eq!(code, "invalid_result");
        assert!(
            message.contains("did run") && message.contains(word),
            "{message}"
        );
    }
    // None of them ran again.
    assert_eq!(served.calls().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_documents_say_about_themselves_is_in_the_evidence() {
    let mut bed = Bed::new().await;
    let session = start(&mut bed, "weather-assistant", &[]).await;
    let events = to_the_end(&bed, &session).await;
    let evidence = payload(of(&events, "evidence.recorded")[0]);
    assert_eq!(
        evidence["governance"]["authority_boundaries"],
        json!(["weather.alert-authority"])
    );
    let tools = evidence["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0]["tool"], "weather.send-alert@1.0.0");
    assert_eq!(
        tools[0]["labels"],
        json!({"owning-team": "weather-platform"})
    );
    assert_eq!(tools[0]["governance"]["risk_tier"], "high");
    assert_eq!(
        tools[0]["governance"]["classifications"],
        json!(["weather.high-impact-external"])
    );
    let availability = evidence["availability"].to_string();
    assert!(availability.contains("weather-alerts"), "{availability}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_binding_narrows_is_enforced_and_the_rest_is_the_tools() {
    let mut bed = Bed::new().await;
    let served = serve(&bed);
    let calls = [
        ("send_alert", r#"{"severity":3}"#),
        ("send_alert", r#"{"severity":4}"#),
        ("send_alert", r#"{"severity":0}"#),
        ("send_alert", r#"{"severity":"3"}"#),
    ];
    let session = start(&mut bed, "narrowing", &[&calls]).await;
    let events = to_the_end(&bed, &session).await;
    let tool = "weather.send-alert@1.0.0";
    assert_eq!(served.calls(), [call(tool, r#"{"severity":3}"#)]);
    let told = errors(&events);
    let told: Vec<(&str, &str)> = told.iter().map(|it| (&*it.0, &*it.1)).collect();
    assert_eq!(told.len(), 3);
    for ((code, message), rule) in told.into_iter().zip(["maximum", "minimum", "type"]) {
        assert_eq!(code, "invalid_args");
        assert!(message.contains(&format!("({rule})")), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_of_a_version_is_the_one_that_is_enforced() {
    let mut bed = Bed::new().await;
    let served = serve(&bed);
    let calls = [
        ("send_alert", r#"{"level":"red"}"#),
        ("send_alert", r#"{"severity":2}"#),
    ];
    let session = start(&mut bed, "versioned-schema", &[&calls]).await;
    let events = to_the_end(&bed, &session).await;
    assert_eq!(
        served.calls(),
        [call("weather.send-alert@1.0.0", r#"{"level":"red"}"#)]
    );
    assert_eq!(errors(&events)[0].0, "invalid_args");
    let requested = of(&events, "tool.requested");
    assert_eq!(text(requested[0], "side_effect_class"), "idempotent_write");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_go_to_the_version_that_was_pinned() {
    let mut bed = Bed::new().await;
    let served = serve(&bed);
    let one = [("send_alert", r#"{"severity":2}"#)];
    let session = start(&mut bed, "logical-ref", &[&one]).await;
    to_the_end(&bed, &session).await;
    assert_eq!(
        served.calls(),
        [call("weather.send-alert@1.4.0", r#"{"severity":2}"#)]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shared_contract_is_called_under_the_bindings_name_and_rules() {
    let mut bed = Bed::new().await;
    let served = serve(&bed);
    let calls = [
        ("send-alert", r#"{"severity":1}"#),
        ("send_alert", r#"{"severity":2}"#),
        ("send_alert", r#"{"severity":5}"#),
    ];
    let session = start(&mut bed, "shared-contract", &[&calls]).await;
    let events = bed.until(&session, "approval.required").await;
    let severe = &of(&events, "tool.requested")[2].call_id;
    assert_eq!(&events.last().unwrap().call_id, severe);
    let told = errors(&events);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].0, "unavailable_tool");
    let approval = text(events.last().unwrap(), "approval_id");
    let decided = bed
        .decide(&approval, wire::ApprovalDecision::Reject, "ana")
        .await;
    assert_eq!(decided.unwrap().status, "denied");
    to_the_end(&bed, &session).await;
    assert_eq!(
        served.calls(),
        [call("weather.send-alert@1.0.0", r#"{"severity":2}"#)]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_inline_schema_is_enforced() {
    let mut bed = Bed::new().await;
    let served = serve(&bed);
    let args = [
        r#"{"severity":3}"#,
        r#"{"severity":"3"}"#,
        r#"{"severity":3.5}"#,
        "{}",
    ];
    let calls = args.map(|args| ("send_alert", args));
    let session = start(&mut bed, "inline-schema", &[&calls]).await;
    let events = to_the_end(&bed, &session).await;
    assert_eq!(served.calls(), [call("weather.send-alert@1.0.0", args[0])]);
    let told: Vec<String> = errors(&events).into_iter().map(|it| it.0).collect();
    assert_eq!(told, ["invalid_args"; 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_of_the_agent_stands_in_every_verdict() {
    let mut bed = Bed::new().await;
    let served = serve(&bed);
    let calls = [("get_forecast", "{}"), ("send_alert", r#"{"severity":5}"#)];
    let session = start(&mut bed, "agent-wide", &[&calls]).await;
    let events = to_the_end(&bed, &session).await;
    assert_eq!(served.calls().len(), 2);
    let requested = of(&events, "tool.requested");
    assert_eq!(requested.len(), 2);
    for it in requested {
        let explained = payload(it)["explain"].to_string();
        assert!(
            explained.contains("weather.audit-log-required@1.0.0"),
            "{explained}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn strict_geo_stops_france_and_lets_its_three_countries_through() {
    let mut bed = Bed::new().await;
    let served = serve(&bed);
    let args = ["US", "FR", "CA", "fr", "MX"].map(|it| format!(r#"{{"country":"{it}"}}"#));
    let calls: Vec<(&str, &str)> = args
        .iter()
        .map(|args| ("weather_get-forecast", args.as_str()))
        .collect();
    let session = start(&mut bed, "strict-geo", &[&calls]).await;
    let events = to_the_end(&bed, &session).await;
    let mut countries: Vec<String> = served.calls().into_iter().map(|it| it.1).collect();
    countries.sort();
    assert_eq!(countries, [&*args[2], &*args[4], &*args[0]]);
    let denied = of(&events, "tool.policy_denied");
    let requested = of(&events, "tool.requested");
    let ids: Vec<&String> = denied.iter().map(|it| &it.call_id).collect();
    assert_eq!(ids, [&requested[1].call_id, &requested[3].call_id]);
    for (code, message) in errors(&events) {
        assert_eq!(code, "policy_denied");
        assert!(message.contains("weather.strict-geo"), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_review_asks_its_role_about_every_unknown_outcome() {
    let mut bed = Bed::with(&[("ORDAIN_RESYNC_GRACE", "1ms")]).await;
    let tools = ["weather.get-forecast@1.0.0", "weather.send-alert@1.0.0"];
    let mut worker = ByHand::serving(&bed.address, "w-1", &tools).await;
    let calls = [("get_forecast", "{}"), ("send_alert", r#"{"severity":1}"#)];
    let session = start(&mut bed, "indeterminate-review", &[&calls]).await;
    worker.invoke().await;
    worker.invoke().await;
    drop(worker);
    let mut asked = Vec::new();
    // One that waits for an answer already says nothing more.
    let events = bed
        .follow(&session, {
            let seen = std::cell::Cell::new(0);
            move |it| {
                seen.set(seen.get() + usize::from(it.r#type == "approval.required"));
                seen.get() == calls.len()
            }
        })
        .await;
    for it in of(&events, "approval.required") {
        assert_eq!(text(it, "subject"), "indeterminate");
        assert_eq!(text(it, "route"), "on-call");
        assert_eq!(
            text(it, "reason"),
            "Tool outcome indeterminate; operator review required."
        );
        let policies = payload(it)["policies"].to_string();
        let review = "weather.indeterminate-dispatch-review@1.0.0";
        assert!(policies.contains(review), "{policies}");
        asked.push(text(it, "approval_id"));
    }
    // Not even the one that could run again by itself has.
    assert_eq!(of(&events, "tool.dispatched").len(), 2);
    let mut worker = ByHand::serving(&bed.address, "w-2", &tools).await;
    for approval in asked {
        let decided = bed
            .decide(&approval, wire::ApprovalDecision::Approve, "ana")
            .await;
        assert_eq!(decided.unwrap().status, "approved");
        let again = worker.invoke().await;
        worker.say(result(&again.call_id, b"{}")).await;
        assert!(matches!(worker.hear().await.unwrap(), Heard::ResultAck(_)));
    }
    to_the_end(&bed, &session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_of_an_mcp_server_has_no_handler_yet() {
    let mut bed = Bed::new().await;
    let served = serve_tools(&bed.address, &["search.web@1.0.0"], |_, _| Ok(json!({})));
    let calls = [
        ("web_search", r#"{"query":"storm"}"#),
        ("web_search", r#"{"quary":"storm"}"#),
    ];
    let script = script(&[&calls]);
    deploy(&mut bed, &sources("mcp", &script)).await;
    let mut request = wire::RunSessionRequest {
        agent_ref: Some(assistant()),
        input: b"{}".to_vec(),
        ..Default::default()
    };
    // The secret is asked for, although nothing is dialled.
    let refused = bed.client.run_session(request.clone()).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(refused.message().contains("mcp_token"), "{refused:?}");
    let secret = ("mcp_token".to_owned(), b"s3cret".to_vec());
    request.resolved_secrets = [secret].into();
    let session = bed.started(request).await;
    let events = to_the_end(&bed, &session).await;
    let told: Vec<String> = errors(&events).into_iter().map(|it| it.0).collect();
    assert_eq!(told, ["no_handler", "invalid_args"]);
    assert!(served.calls().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_is_not_for_an_mcp_server_alone_keeps_an_agent_from_running() {
    let cases: [(&str, &str, &[&str], &str); 2] = [
        (
            "secrets: {",
            "secrets: {other_key: {fromEnv: OTHER_KEY}, ",
            &["mcp_token", "other_key"],
            "other_key",
        ),
        (
            "name: scripted",
            "name: scripted, secret: mcp_token",
            &["mcp_token"],
            "mcp_token",
        ),
    ];
    for (from, to, given, named) in cases {
        let mut bed = Bed::new().await;
        let mut files = sources("mcp", &script(&[]));
        let (_, agent) = files.iter_mut().find(|it| it.0 == "agent.yaml").unwrap();
        assert_eq!(agent.matches(from).count(), 1);
        *agent = agent.replace(from, to);
        deploy(&mut bed, &files).await;
        let secret = |name: &&str| ((*name).to_owned(), b"s3cret".to_vec());
        let request = wire::RunSessionRequest {
            agent_ref: Some(assistant()),
            input: b"{}".to_vec(),
            resolved_secrets: given.iter().map(secret).collect(),
            ..Default::default()
        };
        let refused = bed.client.run_session(request).await.unwrap_err();
        assert_eq!(refused.code(), Code::FailedPrecondition);
        assert!(refused.message().contains(named), "{refused:?}");
        assert!(!refused.message().contains("s3cret"));
    }
}
