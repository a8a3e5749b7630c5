//! Publishing and deploying.

use runtime::block_on;
use spec::{Digest, VersionId};
use store::{CatalogError, Deployed, NewDeployment, NewVersion, PublishError, Published, Store};

use crate::world::{ask, at, folder, open};

pub(crate) fn memory() -> Store {
    Store::in_memory().expect("a store in memory opens")
}

pub(crate) fn version(version: &str, content: &str) -> NewVersion {
    NewVersion {
        namespace: "acme".to_owned(),
        name: "clerk".to_owned(),
        version: version.to_owned(),
        version_key: version.split('+').next().unwrap_or(version).to_owned(),
        owner: Some("ana".to_owned()),
        content_hash: Digest::of(content.as_bytes()),
        snapshot: content.as_bytes().to_vec(),
        manifest: format!("manifest of {content}").into_bytes(),
        actor: "bo".to_owned(),
        now: at(1_000),
        agent_id: format!("agent-by-{version}"),
        version_id: VersionId::new(format!("id-{version}")),
    }
}

pub(crate) fn deployment(version: &str, now: u64) -> NewDeployment {
    NewDeployment {
        namespace: "acme".to_owned(),
        name: "clerk".to_owned(),
        version: version.to_owned(),
        actor: "cy".to_owned(),
        now: at(now),
        deployment_id: format!("deployment-{now}"),
        overlay: None,
    }
}

#[test]
fn a_version_is_published_once() {
    let store = memory();
    let published = block_on(store.publish(version("1.0.0", "one")));
    let ids = Published {
        agent_id: "agent-by-1.0.0".to_owned(),
        version_id: VersionId::new("id-1.0.0"),
    };
    assert_eq!(published, Ok(ids));

    let hash = |content: &str| Digest::of(content.as_bytes());
    let again = NewVersion {
        version_id: VersionId::new("other"),
        ..version("1.0.0", "one")
    };
    let (existing, offered) = (hash("one"), hash("one"));
    let same = PublishError::AlreadyExists {
        same: true,
        existing,
        offered,
    };
    assert_eq!(block_on(store.publish(again)), Err(same.clone()));
    assert!(same.to_string().contains("identical"), "{same}");

    let built = version("1.0.0+build.7", "two");
    let other = PublishError::AlreadyExists {
        same: false,
        existing,
        offered: hash("two"),
    };
    assert_eq!(block_on(store.publish(built)), Err(other.clone()));
    let text = other.to_string();
    assert!(text.contains(&existing.to_string()), "{text}");
    assert!(text.contains(&hash("two").to_string()), "{text}");

    let next = ask(store.publish(version("1.1.0", "two")));
    assert_eq!(
        next.agent_id, "agent-by-1.0.0",
        "the agent is the one that was there"
    );
    let rows = ask(store.versions("acme", "clerk"));
    let versions: Vec<_> = rows.iter().map(|it| it.version.as_str()).collect();
    assert_eq!(versions, ["1.1.0", "1.0.0"]);
}

#[test]
fn a_published_version_is_found() {
    let store = memory();
    ask(store.publish(version("1.0.0+b", "one")));
    let row = ask(store.version("acme", "clerk", "1.0.0+b")).expect("it is there");
    assert_eq!(row.version_id, VersionId::new("id-1.0.0+b"));
    assert_eq!(
        (row.published_at, row.published_by.as_str()),
        (at(1_000), "bo")
    );
    assert_eq!((row.deprecated_at, row.retired_at), (None, None));
    assert_eq!(ask(store.version("acme", "clerk", "1.0.0")), None);
    assert_eq!(ask(store.version("acme", "other", "1.0.0+b")), None);

    let snapshot = ask(store.snapshot(&row.version_id));
    assert_eq!(snapshot, Some((Digest::of(b"one"), b"one".to_vec())));
    let manifest = ask(store.manifest(&row.version_id));
    assert_eq!(manifest, Some(b"manifest of one".to_vec()));
    assert_eq!(ask(store.snapshot(&VersionId::new("none"))), None);
    assert_eq!(ask(store.manifest(&VersionId::new("none"))), None);
}

#[test]
fn agents_are_listed_by_name() {
    let store = memory();
    ask(store.publish(version("1.0.0", "one")));
    let nameless = NewVersion {
        owner: None,
        ..version("2.0.0", "two")
    };
    ask(store.publish(nameless));
    for (namespace, name) in [("acme", "buyer"), ("zeta", "clerk")] {
        let id = format!("{namespace}-{name}");
        let other = NewVersion {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            agent_id: id.clone(),
            version_id: VersionId::new(id),
            owner: None,
            ..version("1.0.0", "one")
        };
        ask(store.publish(other));
    }
    let names = |namespace: Option<&str>| -> Vec<(String, Option<String>)> {
        let rows = ask(store.agents(namespace));
        rows.into_iter()
            .map(|it| (format!("{}/{}", it.namespace, it.name), it.owner))
            .collect()
    };
    let (buyer, other) = (
        ("acme/buyer".to_owned(), None),
        ("zeta/clerk".to_owned(), None),
    );
    let clerk = ("acme/clerk".to_owned(), Some("ana".to_owned()));
    assert_eq!(names(None), [buyer.clone(), clerk.clone(), other]);
    assert_eq!(names(Some("acme")), [buyer, clerk]);
    assert_eq!(names(Some("none")), []);
}

#[test]
fn the_last_deployment_is_active() {
    let store = memory();
    assert_eq!(ask(store.active("acme", "clerk")), None, "no agent");
    ask(store.publish(version("1.0.0", "one")));
    ask(store.publish(version("2.0.0", "two")));
    assert_eq!(
        ask(store.active("acme", "clerk")),
        None,
        "published is not deployed"
    );

    let steps = [
        ("1.0.0", None),
        ("2.0.0", Some("1.0.0")),
        ("1.0.0", Some("2.0.0")),
    ];
    for (now, (version, previous)) in (1..).zip(steps) {
        let deployed = ask(store.deploy(deployment(version, now)));
        let expected = Deployed {
            version_id: VersionId::new(format!("id-{version}")),
            version: version.to_owned(),
            previous: previous.map(str::to_owned),
            deployed_at: at(now),
        };
        assert_eq!(deployed, expected);
    }
    let again = ask(store.deploy(deployment("1.0.0", 4)));
    assert_eq!(
        again.previous.as_deref(),
        Some("1.0.0"),
        "deploying what is active succeeds"
    );

    let active = ask(store.active("acme", "clerk")).expect("a version is active");
    assert_eq!(
        (active.version.as_str(), active.actor.as_str()),
        ("1.0.0", "cy")
    );
    assert_eq!(active.deployed_at, at(4));
    assert_eq!(active.content_hash, Digest::of(b"one"));
    assert!(!active.deprecated && !active.retired && !active.archived);
    let history = ask(store.deployments("acme", "clerk"));
    let versions: Vec<_> = history.iter().map(|it| it.version.as_str()).collect();
    assert_eq!(
        versions,
        ["1.0.0", "1.0.0", "2.0.0", "1.0.0"],
        "the newest comes first"
    );
    assert!(
        history
            .iter()
            .all(|it| it.action == "deploy" && it.actor == "cy")
    );
}

#[test]
fn what_cannot_be_deployed_says_why() {
    let store = memory();
    let (namespace, name) = ("acme".to_owned(), "clerk".to_owned());
    let missing = CatalogError::AgentNotFound {
        namespace: namespace.clone(),
        name: name.clone(),
    };
    assert_eq!(block_on(store.deploy(deployment("1.0.0", 1))), Err(missing));

    ask(store.publish(version("1.0.0", "one")));
    ask(store.publish(version("2.0.0", "two")));
    let unknown = CatalogError::VersionNotFound {
        namespace: namespace.clone(),
        name: name.clone(),
        version: "3.0.0".to_owned(),
    };
    assert_eq!(block_on(store.deploy(deployment("3.0.0", 1))), Err(unknown));

    ask(store.retire("acme", "clerk", "1.0.0", at(5)));
    ask(store.deprecate("acme", "clerk", "2.0.0", at(5)));
    let refused = block_on(store.deploy(deployment("1.0.0", 6)));
    let retired = CatalogError::Retired {
        version: "1.0.0".to_owned(),
    };
    assert_eq!(refused, Err(retired.clone()));
    assert!(
        retired
            .to_string()
            .contains("is retired and cannot be deployed"),
        "{retired}"
    );
    ask(store.deploy(deployment("2.0.0", 7)));
    let active = ask(store.active("acme", "clerk")).expect("a deprecated version may be deployed");
    assert!(active.deprecated && !active.retired);

    ask(store.archive("acme", "clerk", at(8)));
    let refused = block_on(store.deploy(deployment("2.0.0", 9)));
    let archived = CatalogError::Archived {
        namespace: namespace.clone(),
        name: name.clone(),
    };
    assert_eq!(refused, Err(archived));
    // Said before "already exists".
    let refused = block_on(store.publish(version("2.0.0", "two")));
    let archived = PublishError::Archived { namespace, name };
    assert_eq!(refused, Err(archived.clone()));
    assert!(
        archived
            .to_string()
            .contains("is archived and cannot accept new versions")
    );
    assert_eq!(
        ask(store.agents(None)).len(),
        1,
        "an archived agent stays listed"
    );
}

#[test]
fn the_catalog_is_there_after_a_restart() {
    let folder = folder();
    let store = open(folder.path());
    ask(store.publish(version("1.0.0", "one")));
    ask(store.deploy(deployment("1.0.0", 1)));
    let active = ask(store.active("acme", "clerk"));
    drop(store);
    let store = open(folder.path());
    assert_eq!(ask(store.active("acme", "clerk")), active);
    assert_eq!((store.appends(), store.commits()), (0, 0));
}
