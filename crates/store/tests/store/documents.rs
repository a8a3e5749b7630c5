//! Documents of the catalog: published once, deprecated for good, listed by name.

use runtime::block_on;
use spec::{Digest, DocumentKind};
use store::{DocumentError, DocumentId, DocumentVersion, NewDocument, Store};

use crate::catalog::memory;
use crate::world::{ask, at, folder, open};

fn id(kind: DocumentKind, id: &str) -> DocumentId {
    let (namespace, name) = id.rsplit_once('.').expect("an id has a dot");
    DocumentId {
        kind,
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    }
}

fn refund() -> DocumentId {
    id(DocumentKind::Tool, "pay.refund")
}

fn new(of: DocumentId, version: &str, content: &str) -> NewDocument {
    NewDocument {
        id: of,
        version: version.to_owned(),
        version_key: version.split('+').next().unwrap_or(version).to_owned(),
        digest: Digest::of(content.as_bytes()),
        document: content.as_bytes().to_vec(),
        actor: "bo".to_owned(),
        now: at(1_000),
    }
}

fn publish(store: &Store, of: DocumentId, version: &str, content: &str) {
    ask(store.publish_document(new(of, version, content)));
}

#[test]
fn a_version_is_published_once() {
    let store = memory();
    publish(&store, refund(), "1.0.0+a", "one");
    let hash = |content: &str| Digest::of(content.as_bytes());
    for (version, content, said) in [
        ("1.0.0+a", "one", "identical"),
        ("1.0.0+b", "one", "identical"),
        ("1.0.0+b", "two", "other content"),
        ("1.0.0", "two", "other content"),
    ] {
        let refused = block_on(store.publish_document(new(refund(), version, content)));
        let expected = DocumentError::AlreadyExists {
            label: "Tool pay.refund@1.0.0".to_owned(),
            existing: hash("one"),
            offered: hash(content),
            document: b"one".to_vec(),
        };
        assert_eq!(refused, Err(expected.clone()), "{version} {content}");
        let text = expected.to_string();
        assert!(
            text.contains(said) && text.contains("Tool pay.refund@1.0.0"),
            "{text}"
        );
    }
    // Another kind, another namespace, another version: each is something else.
    publish(
        &store,
        id(DocumentKind::Policy, "pay.refund"),
        "1.0.0",
        "two",
    );
    publish(
        &store,
        id(DocumentKind::Tool, "pay.eu.refund"),
        "1.0.0",
        "two",
    );
    publish(&store, refund(), "1.0.1", "two");
    let expected = DocumentVersion {
        version: "1.0.0+a".to_owned(),
        digest: hash("one"),
        published_at: at(1_000),
        published_by: "bo".to_owned(),
        deprecated_at: None,
        deprecated_by: None,
    };
    let versions = ask(store.document_versions(refund()));
    assert_eq!((versions.len(), &versions[0]), (2, &expected));
    let documents = ask(store.documents(refund()));
    let texts: Vec<_> = documents.iter().map(|(_, text)| text.as_slice()).collect();
    assert_eq!(texts, [b"one", b"two"]);
    assert_eq!(
        ask(store.document(refund(), "1.0.0")),
        Some(b"one".to_vec())
    );
    assert_eq!(ask(store.document(refund(), "2.0.0")), None);
    assert!(ask(store.documents(id(DocumentKind::Policy, "pay.none"))).is_empty());
}

#[test]
fn a_version_is_deprecated_once() {
    let store = memory();
    let deprecate = |version: &str, now: u64| {
        block_on(store.deprecate_document(refund(), version, "cy", at(now)))
    };
    let label = || "Tool pay.refund@1.0.0".to_owned();
    assert_eq!(
        deprecate("1.0.0", 1),
        Err(DocumentError::NotFound { label: label() })
    );
    publish(&store, refund(), "1.0.0", "one");
    publish(&store, refund(), "1.1.0", "two");
    assert_eq!(deprecate("1.0.0", 2), Ok(()));
    let again = DocumentError::AlreadyDeprecated { label: label() };
    assert_eq!(deprecate("1.0.0", 3), Err(again));
    let versions = ask(store.document_versions(refund()));
    let marks: Vec<_> = versions
        .iter()
        .map(|it| (it.deprecated_at, it.deprecated_by.as_deref()))
        .collect();
    assert_eq!(marks, [(Some(at(2)), Some("cy")), (None, None)]);
    // It is there all the same, and stays what it is.
    assert_eq!(
        ask(store.document(refund(), "1.0.0")),
        Some(b"one".to_vec())
    );
    assert!(block_on(store.publish_document(new(refund(), "1.0.0", "two"))).is_err());
}

#[test]
fn pages_go_by_name() {
    let store = memory();
    let ids = ["b.x", "a.y", "a.x", "a.b.x", "a-b.x"];
    for it in ids {
        publish(&store, id(DocumentKind::Tool, it), "1.0.0", it);
        publish(&store, id(DocumentKind::Tool, it), "0.9.0", it);
    }
    publish(&store, id(DocumentKind::Policy, "a.p"), "1.0.0", "p");
    let page = |namespace: Option<&str>, after: (&str, &str), limit: usize| -> Vec<String> {
        let rows = ask(store.document_page(DocumentKind::Tool, namespace, after, limit));
        assert!(rows.iter().all(|it| it.versions.len() == 2));
        rows.into_iter()
            .map(|it| format!("{}.{}", it.id.namespace, it.id.name))
            .collect()
    };
    let sorted = ["a.x", "a.y", "a-b.x", "a.b.x", "b.x"];
    assert_eq!(page(None, ("", ""), 100), sorted);
    assert_eq!(page(None, ("", ""), 2), sorted[..2]);
    assert_eq!(page(None, ("a", "y"), 2), sorted[2..4]);
    assert_eq!(page(None, ("a", "xx"), 1), ["a.y"]);
    assert_eq!(page(Some("a"), ("", ""), 100), ["a.x", "a.y"]);
    assert_eq!(page(Some("none"), ("", ""), 100), [""; 0]);
    let ids = ask(store.document_ids(DocumentKind::Policy, 10));
    assert_eq!(ids, [id(DocumentKind::Policy, "a.p")]);
    assert_eq!(ids[0].to_string(), "Policy a.p");
    assert_eq!(ask(store.document_ids(DocumentKind::Tool, 3)).len(), 3);
}

#[test]
fn all_versions_of_a_document_can_be_looked_at() {
    let store = memory();
    let large = "x".repeat(6 * 1024 * 1024);
    publish(&store, refund(), "1.0.0", &large);
    publish(&store, refund(), "1.1.0", &large);
    let refused = block_on(store.publish_document(new(refund(), "1.2.0", &large)));
    let full = DocumentError::Full {
        label: "Tool pay.refund".to_owned(),
        versions: 2,
        bytes: 12 * 1024 * 1024,
    };
    assert_eq!(refused, Err(full));
    // There is room for a small one, and for other documents.
    publish(&store, refund(), "1.2.0", "small");
    publish(&store, id(DocumentKind::Tool, "pay.other"), "1.0.0", &large);

    let many = id(DocumentKind::Policy, "pay.many");
    for patch in 0..store::DOCUMENT_VERSIONS_MAX {
        publish(&store, many.clone(), &format!("1.0.{patch}"), "");
    }
    let refused = block_on(store.publish_document(new(many, "2.0.0", "")));
    assert!(
        matches!(refused, Err(DocumentError::Full { .. })),
        "{refused:?}"
    );
}

#[test]
fn documents_are_there_after_a_restart() {
    let folder = folder();
    let store = open(folder.path());
    publish(&store, refund(), "1.0.0", "one");
    ask(store.deprecate_document(refund(), "1.0.0", "cy", at(2)));
    let before = ask(store.documents(refund()));
    drop(store);
    assert_eq!(ask(open(folder.path()).documents(refund())), before);
}
