//! Tools and Policies in the catalog: published by themselves, used by agents that do not have them.

use proto::ordain::v1 as wire;
use proto::ordain::v1::catalog_client::CatalogClient;
use proto::runtime::v1::PublishRequest;
use tonic::transport::Channel;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::bed::{Bed, bundle, script, serve, text};

const TOOL: i32 = wire::DocumentKind::Tool as i32;
const POLICY: i32 = wire::DocumentKind::Policy as i32;

/// A tool whose schema is a file, and which brings a policy along.
const PAY: &str = "apiVersion: phrony.com/v1
kind: Tool
metadata: {name: pay, namespace: test, version: 1.0.0}
spec:
  description: Pay something.
  side_effect_class: non_idempotent_write
  input_schema: {ref: schemas/pay}
  default_policies: [test.cap@^1]
";

const PAY_INPUT: &str = r#"{"type": "object", "properties": {"amount": {"type": "number"}},
  "required": ["amount"], "additionalProperties": false}"#;

const CAP: &str = "apiVersion: phrony.com/v1
kind: Policy
metadata: {name: cap, namespace: test, version: 1.0.0}
spec:
  conditions: {field: amount, op: gt, value: 500}
  decision: {type: deny, reason: over the cap}
";

struct Desk {
    client: CatalogClient<Channel>,
}

impl Desk {
    async fn at(bed: &Bed) -> Self {
        let client = CatalogClient::connect(format!("http://{}", bed.address));
        Self {
            client: client.await.unwrap(),
        }
    }

    async fn publish(
        &mut self,
        path: &str,
        files: &[(&str, &str)],
    ) -> Result<wire::PublishDocumentResponse, Status> {
        let file = |(path, text): &(&str, &str)| wire::SourceFile {
            path: (*path).to_owned(),
            content: text.as_bytes().to_vec(),
        };
        let request = wire::PublishDocumentRequest {
            files: files.iter().map(file).collect(),
            path: path.to_owned(),
            actor: "tester".to_owned(),
            ..Default::default()
        };
        Ok(self.client.publish_document(request).await?.into_inner())
    }

    async fn pay(&mut self, text: &str) -> Result<wire::PublishDocumentResponse, Status> {
        let files = [("tools/pay.yaml", text), ("schemas/pay.json", PAY_INPUT)];
        self.publish("tools/pay.yaml", &files).await
    }

    async fn cap(&mut self, text: &str) -> Result<wire::PublishDocumentResponse, Status> {
        self.publish("cap.yaml", &[("cap.yaml", text)]).await
    }

    async fn get(
        &mut self,
        kind: i32,
        name: &str,
        constraint: &str,
    ) -> Result<wire::GetDocumentResponse, Status> {
        let request = wire::GetDocumentRequest {
            kind,
            namespace: "test".to_owned(),
            name: name.to_owned(),
            constraint: constraint.to_owned(),
        };
        Ok(self.client.get_document(request).await?.into_inner())
    }

    async fn deprecate(&mut self, version: &str) -> Result<String, Status> {
        let request = wire::DeprecateDocumentRequest {
            kind: TOOL,
            namespace: "test".to_owned(),
            name: "pay".to_owned(),
            version: version.to_owned(),
            actor: "ana".to_owned(),
        };
        let answer = self.client.deprecate_document(request).await?;
        Ok(answer.into_inner().version)
    }

    async fn look_up(&mut self, wanted: &[(i32, &str)]) -> Vec<wire::LookedUpDocument> {
        let one = |(kind, id): &(i32, &str)| wire::WantedDocument {
            kind: *kind,
            id: (*id).to_owned(),
        };
        let request = wire::LookUpRequest {
            wanted: wanted.iter().map(one).collect(),
        };
        let answer = self.client.look_up(request).await.unwrap();
        answer.into_inner().documents
    }
}

/// The bed's agent, without the file of the tool `pay`.
fn without_pay(script: &str) -> Vec<(&str, &str)> {
    let mut files = bundle(script);
    files.retain(|(path, _)| *path != "tools/pay.yaml");
    files
}

fn codes(response: &wire::PublishSourcesResponse) -> Vec<&str> {
    response
        .diagnostics
        .iter()
        .map(|it| it.code.as_str())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_runs_with_what_is_in_the_catalog() {
    let mut bed = Bed::new().await;
    let mut desk = Desk::at(&bed).await;
    let script = script(&[&[("pay", r#"{"amount":7}"#), ("pay", r#"{"amount":900}"#)]]);

    // Nobody has the tool.
    let status = bed.publish(&without_pay(&script)).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("E0305"), "{status}");
    assert!(status.message().contains("nor in the catalog"), "{status}");

    let tool = desk.pay(PAY).await.unwrap();
    assert_eq!(
        tool.diagnostics[0].code, "E0315",
        "its policy is not there yet"
    );
    let policy = desk.cap(CAP).await.unwrap();
    assert_eq!(
        (
            policy.kind,
            policy.namespace.as_str(),
            policy.name.as_str(),
            policy.version.as_str()
        ),
        (POLICY, "test", "cap", "1.0.0")
    );

    // Both are found, and are there after a restart.
    bed.restart().await;
    let served = serve(&bed.address, "w-1");
    let published = bed.publish(&without_pay(&script)).await.unwrap();
    assert_eq!(codes(&published), [""; 0]);
    let deploy = proto::runtime::v1::DeployRequest {
        agent_ref: Some(crate::bed::agent("1.0.0")),
        ..Default::default()
    };
    bed.client.deploy(deploy).await.unwrap();
    let session = bed.start().await;
    let events = bed.until(&session, "session.completed").await;
    let denied = events
        .iter()
        .find(|it| it.r#type == "tool.policy_denied")
        .unwrap();
    assert!(text(denied, "message").starts_with("over the cap"));
    assert_eq!(
        served.witness.lock().unwrap()["test.pay"],
        [r#"{"amount":7}"#]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_is_one_content() {
    let bed = Bed::new().await;
    let mut desk = Desk::at(&bed).await;
    let first = desk.pay(PAY).await.unwrap();
    let same = desk.pay(PAY).await.unwrap_err();
    assert_eq!(same.code(), Code::AlreadyExists);
    assert!(same.message().contains("identical"), "{same}");
    assert!(same.message().contains(&first.digest), "{same}");
    // As it is spelt differently, and as it differs.
    let spelt = PAY.replace("version: 1.0.0", "version: v1.0.0+other");
    let same = desk.pay(&spelt).await.unwrap_err();
    assert!(same.message().contains("identical"), "{same}");
    let other = spelt.replace("Pay something.", "Pay anything.");
    let other = desk.pay(&other).await.unwrap_err();
    assert_eq!(other.code(), Code::AlreadyExists);
    assert!(
        other.message().contains("what differs: /spec/description"),
        "{other}"
    );

    // An agent may bring the very same, and nothing else under that version.
    let script = script(&[]);
    let mut files = without_pay(&script);
    files.extend([
        ("tools/own.yaml", PAY),
        ("schemas/pay.json", PAY_INPUT),
        ("policies/cap.yaml", CAP),
    ]);
    let whole = bed.publish(&files).await.unwrap();
    assert_eq!(codes(&whole), [""; 0]);
    let changed = PAY.replace("non_idempotent_write", "read_only");
    let changed: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| {
            (
                *path,
                if *path == "tools/own.yaml" {
                    changed.as_str()
                } else {
                    *text
                },
            )
        })
        .collect();
    let status = bed.publish(&changed).await.unwrap_err();
    let violations = status.get_details_bad_request().unwrap().field_violations;
    assert_eq!(violations[0].field, "tools/own.yaml:3:18 metadata.name");
    assert!(
        violations[0].description.starts_with("E0310"),
        "{violations:?}"
    );

    // Wherever the tool comes from, the agent is the same.
    desk.cap(CAP).await.unwrap();
    let status = bed.publish(&without_pay(&script)).await.unwrap_err();
    assert_eq!(status.code(), Code::AlreadyExists);
    assert!(status.message().contains("identical"), "{status}");
    assert!(status.message().contains(&whole.content_hash), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn deprecated_versions_are_passed_over() {
    let bed = Bed::new().await;
    let mut desk = Desk::at(&bed).await;
    desk.cap(CAP).await.unwrap();
    for version in ["1.0.0", "1.1.0", "1.10.0"] {
        let text = PAY.replace("version: 1.0.0", &format!("version: {version}"));
        desk.pay(&text).await.unwrap();
    }
    let latest = |got: wire::GetDocumentResponse| got.version.unwrap().version;
    assert_eq!(latest(desk.get(TOOL, "pay", "").await.unwrap()), "1.10.0");
    assert_eq!(desk.deprecate("v1.10.0").await.unwrap(), "1.10.0");
    assert_eq!(latest(desk.get(TOOL, "pay", "").await.unwrap()), "1.1.0");
    assert_eq!(
        latest(desk.get(TOOL, "pay", ">1.1").await.unwrap()),
        "1.10.0"
    );
    for (version, code, part) in [
        ("1.10.0", Code::NotFound, "already deprecated"),
        ("9.0.0", Code::NotFound, "Tool test.pay@9.0.0 not found"),
        ("1", Code::InvalidArgument, "whole version"),
        ("", Code::InvalidArgument, "whole version"),
    ] {
        let status = desk.deprecate(version).await.unwrap_err();
        assert_eq!(status.code(), code, "{version}");
        assert!(status.message().contains(part), "{status}");
    }

    let request = wire::ListDocumentVersionsRequest {
        kind: TOOL,
        namespace: "test".to_owned(),
        name: "pay".to_owned(),
    };
    let versions = desk.client.list_document_versions(request).await.unwrap();
    let rows: Vec<_> = versions
        .into_inner()
        .versions
        .into_iter()
        .map(|it| (it.version, it.published_by, it.deprecated_by))
        .collect();
    let row = |version: &str, by: &str| (version.to_owned(), "tester".to_owned(), by.to_owned());
    assert_eq!(
        rows,
        [row("1.10.0", "ana"), row("1.1.0", ""), row("1.0.0", "")]
    );

    let script = script(&[]);
    for (own, reference, found) in [("1.0.0", "^1", ""), ("1.0.1", ">1.1", "E0311")] {
        let manifest = bundle(&script)[0]
            .1
            .replace("version: 1.0.0", &format!("version: {own}"))
            .replace("test.pay@1.0.0", &format!("test.pay@{reference}"));
        let mut files = without_pay(&script);
        files[0].1 = &manifest;
        let published = bed.publish(&files).await.unwrap();
        assert_eq!(codes(&published).concat(), found, "{reference}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_catalog_is_listed_page_by_page() {
    let bed = Bed::new().await;
    let mut desk = Desk::at(&bed).await;
    for name in ["cap", "low", "high"] {
        for version in ["0.1.0", "0.2.0-rc.1"] {
            let text = CAP
                .replace("name: cap", &format!("name: {name}"))
                .replace("version: 1.0.0", &format!("version: {version}"));
            desk.cap(&text).await.unwrap();
        }
    }
    desk.pay(PAY).await.unwrap();
    let mut request = wire::ListDocumentsRequest {
        kind: POLICY,
        page_size: 2,
        ..Default::default()
    };
    let mut names = Vec::new();
    let mut pages = 0;
    loop {
        let page = desk.client.list_documents(request.clone()).await.unwrap();
        let page = page.into_inner();
        assert!(page.documents.len() <= 2);
        for it in &page.documents {
            assert_eq!(
                (it.latest.as_str(), it.versions, it.deprecated),
                ("0.1.0", 2, false)
            );
            names.push(format!("{}.{}", it.namespace, it.name));
        }
        pages += 1;
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    assert_eq!(names, ["test.cap", "test.high", "test.low"]);
    assert_eq!(pages, 2);
    let other = wire::ListDocumentsRequest {
        kind: POLICY,
        namespace: "other".to_owned(),
        ..Default::default()
    };
    let page = desk.client.list_documents(other).await.unwrap();
    assert_eq!(page.into_inner().documents, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_looked_up_whole() {
    let bed = Bed::new().await;
    let mut desk = Desk::at(&bed).await;
    desk.pay(PAY).await.unwrap();
    let wanted = [
        (TOOL, "test.pay"),
        (TOOL, "test.pau"),
        (TOOL, "none"),
        (POLICY, "test.pay"),
    ];
    let answers = desk.look_up(&wanted).await;
    let shape: Vec<_> = answers
        .iter()
        .map(|it| (it.kind, it.id.as_str(), it.entries.len(), it.others.len()))
        .collect();
    assert_eq!(
        shape,
        [
            (TOOL, "test.pay", 1, 0),
            (TOOL, "test.pau", 0, 1),
            (TOOL, "none", 0, 0),
            (POLICY, "test.pay", 0, 0)
        ]
    );
    let document = &answers[0].entries[0].document;
    let text = std::str::from_utf8(document).unwrap();
    assert!(text.contains(r#""input_schema":{"inline":{"#), "{text}");
    assert_eq!(answers[1].others, ["test.pay"]);
    assert_eq!(&desk.get(TOOL, "pay", "").await.unwrap().document, document);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_document_is_refused() {
    let bed = Bed::new().await;
    let mut desk = Desk::at(&bed).await;
    let script = script(&[]);
    let agent = bundle(&script)[0].1;
    for (path, text, part) in [
        ("tool.yaml", PAY, "E0302"),
        ("agent.yaml", agent, "E0313"),
        ("other.yaml", PAY, "E0101"),
        ("tool.yaml", "kind: [", "E0103"),
    ] {
        let name = if path == "other.yaml" {
            "tool.yaml"
        } else {
            path
        };
        let status = desk.publish(path, &[(name, text)]).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{path}");
        let violations = status.get_details_bad_request().unwrap().field_violations;
        assert!(
            violations[0].description.starts_with(part),
            "{violations:?}"
        );
    }
    let file = wire::SourceFile {
        path: "cap.yaml".to_owned(),
        content: CAP.as_bytes().to_vec(),
    };
    let mut request = wire::PublishDocumentRequest {
        files: vec![file],
        path: "cap.yaml".to_owned(),
        kind: TOOL,
        ..Default::default()
    };
    let status = desk
        .client
        .publish_document(request.clone())
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(
        status.message().contains("is a Policy, not a Tool"),
        "{status}"
    );
    // Tried and not kept.
    request.kind = POLICY;
    request.dry_run = true;
    let tried = desk
        .client
        .publish_document(request)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(tried.digest.len(), 64);
    let status = desk.get(POLICY, "cap", "").await.unwrap_err();
    assert_eq!(
        (status.code(), status.message()),
        (Code::NotFound, "Policy test.cap not found")
    );

    desk.cap(CAP).await.unwrap();
    for (kind, name, constraint, code) in [
        (0, "cap", "", Code::InvalidArgument),
        (7, "cap", "", Code::InvalidArgument),
        (POLICY, "", "", Code::InvalidArgument),
        (POLICY, "cap", "latest", Code::InvalidArgument),
        (POLICY, "cap", "^2", Code::NotFound),
        (TOOL, "cap", "", Code::NotFound),
    ] {
        let status = desk.get(kind, name, constraint).await.unwrap_err();
        assert_eq!(status.code(), code, "{kind} {name} {constraint}: {status}");
    }
}

/// The form that other tools resolve brings its Tools along. Of one that the catalog has it is only
/// believed to bind it, and what it does not bring it finds there.
#[tokio::test(flavor = "multi_thread")]
async fn a_resolved_manifest_reaches_the_catalog_too() {
    let mut bed = Bed::new().await;
    let mut desk = Desk::at(&bed).await;
    desk.pay(PAY).await.unwrap();
    desk.cap(CAP).await.unwrap();
    let manifest = |tool: &str, version: &str| {
        let text = format!(
            r#"{{"apiVersion":"phrony.com/v1","kind":"Agent",
            "metadata":{{"name":"agent","namespace":"test","version":"{version}"}},
            "spec":{{"purpose":"p","instructions":{{"text":"i"}},"model":{{"provider":"stub","name":"s"}},
            "tools":[{tool}]}}}}"#
        );
        PublishRequest {
            manifest: text.into_bytes(),
            actor: String::new(),
        }
    };
    let other = r#"{"ref":"test.pay","version":"1.0.0","side_effect_class":"irreversible_action",
        "input_schema":{"inline":{"type":["object","null"]}}}"#;
    let lax = r#"{"ref":"test.pay","version":"1.0.0","side_effect_class":"read_only"}"#;
    for (tool, code) in [(other, "E0504"), (lax, "E0503")] {
        let status = bed.client.publish(manifest(tool, "1.0.0")).await;
        let status = status.unwrap_err();
        assert!(status.message().contains(code), "{status}");
    }
    let stricter =
        r#"{"ref":"test.pay","version":"1.0.0","side_effect_class":"irreversible_action"}"#;
    bed.client
        .publish(manifest(stricter, "1.0.0"))
        .await
        .unwrap();
    let filed = r#"{"ref":"test.pay@^1"}"#;
    bed.client.publish(manifest(filed, "1.1.0")).await.unwrap();
    let missing = r#"{"ref":"test.pay@^2"}"#;
    let status = bed
        .client
        .publish(manifest(missing, "1.2.0"))
        .await
        .unwrap_err();
    assert!(status.message().contains("E0306"), "{status}");
}
