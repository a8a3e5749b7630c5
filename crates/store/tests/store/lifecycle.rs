//! Rolling back, and taking versions and agents out of use.

use runtime::block_on;
use spec::VersionId;
use store::{CatalogError, Deployed, LifecycleError, NewRollback, PublishError, Store};

use crate::catalog::{deployment, memory, version};
use crate::world::{ask, at, folder, open};

fn rollback(to: Option<&str>, now: u64) -> NewRollback {
    NewRollback {
        namespace: "acme".to_owned(),
        name: "clerk".to_owned(),
        to: to.map(str::to_owned),
        actor: "dee".to_owned(),
        now: at(now),
        deployment_id: format!("rollback-{now}"),
    }
}

fn id() -> (String, String) {
    ("acme".to_owned(), "clerk".to_owned())
}

/// Three versions, none deployed.
fn published() -> Store {
    let store = memory();
    for it in ["1.0.0", "2.0.0", "3.0.0"] {
        ask(store.publish(version(it, it)));
    }
    store
}

/// What the history shows, the newest first.
fn history(store: &Store) -> Vec<String> {
    let rows = ask(store.deployments("acme", "clerk"));
    rows.into_iter()
        .map(|it| {
            format!(
                "{} {} {} {}",
                it.action,
                it.version,
                it.actor,
                it.created_at.unix_ms()
            )
        })
        .collect()
}

fn active(store: &Store) -> String {
    ask(store.active("acme", "clerk"))
        .expect("a version is active")
        .version
}

#[test]
fn without_a_version_it_goes_to_the_one_before() {
    let store = published();
    ask(store.deploy(deployment("1.0.0", 1)));
    ask(store.deploy(deployment("2.0.0", 2)));
    // The active one once more is no step that a way back would undo.
    ask(store.deploy(deployment("2.0.0", 3)));
    let expected = Deployed {
        version_id: VersionId::new("id-1.0.0"),
        version: "1.0.0".to_owned(),
        previous: Some("2.0.0".to_owned()),
        deployed_at: at(4),
    };
    assert_eq!(block_on(store.rollback(rollback(None, 4))), Ok(expected));
    assert_eq!(active(&store), "1.0.0");
    let again = ask(store.rollback(rollback(None, 5)));
    assert_eq!(
        again.version, "2.0.0",
        "a rollback can itself be rolled back"
    );
    assert_eq!(
        history(&store),
        [
            "rollback 2.0.0 dee 5",
            "rollback 1.0.0 dee 4",
            "deploy 2.0.0 cy 3",
            "deploy 2.0.0 cy 2",
            "deploy 1.0.0 cy 1",
        ]
    );
}

#[test]
fn a_named_version_need_not_have_been_deployed() {
    let store = published();
    ask(store.deploy(deployment("1.0.0", 1)));
    let there = ask(store.rollback(rollback(Some("3.0.0"), 2)));
    assert_eq!(
        (there.version.as_str(), there.previous.as_deref()),
        ("3.0.0", Some("1.0.0"))
    );
    let same = ask(store.rollback(rollback(Some("3.0.0"), 3)));
    assert_eq!(
        same.previous.as_deref(),
        Some("3.0.0"),
        "to what is active succeeds"
    );
    assert_eq!(active(&store), "3.0.0");
    let unknown = CatalogError::VersionNotFound {
        namespace: "acme".to_owned(),
        name: "clerk".to_owned(),
        version: "9.0.0".to_owned(),
    };
    let refused = block_on(store.rollback(rollback(Some("9.0.0"), 4)));
    assert_eq!(refused, Err(LifecycleError::Catalog(unknown)));
}

#[test]
fn a_way_that_leads_nowhere_says_so() {
    let store = memory();
    let (namespace, name) = id();
    let missing = CatalogError::AgentNotFound { namespace, name };
    for to in [None, Some("1.0.0")] {
        let refused = block_on(store.rollback(rollback(to, 1)));
        assert_eq!(refused, Err(missing.clone().into()));
    }
    ask(store.publish(version("1.0.0", "one")));
    ask(store.publish(version("2.0.0", "two")));
    let (namespace, name) = id();
    let nothing = CatalogError::NothingDeployed { namespace, name };
    for to in [None, Some("1.0.0")] {
        let refused = block_on(store.rollback(rollback(to, 2)));
        assert_eq!(refused, Err(nothing.clone().into()));
    }
    ask(store.deploy(deployment("1.0.0", 3)));
    let (namespace, name) = id();
    let first = LifecycleError::NothingBefore { namespace, name };
    assert_eq!(
        block_on(store.rollback(rollback(None, 4))),
        Err(first.clone())
    );
    ask(store.deploy(deployment("1.0.0", 5)));
    assert_eq!(block_on(store.rollback(rollback(None, 6))), Err(first));

    // Not past it either: the version before that may be years old.
    ask(store.deploy(deployment("2.0.0", 7)));
    ask(store.retire("acme", "clerk", "1.0.0", at(8)));
    let retired = CatalogError::Retired {
        version: "1.0.0".to_owned(),
    };
    for to in [None, Some("1.0.0")] {
        let refused = block_on(store.rollback(rollback(to, 9)));
        assert_eq!(refused, Err(retired.clone().into()));
    }
    assert_eq!(history(&store).len(), 3, "a refusal leaves no trace");
    assert_eq!(active(&store), "2.0.0");
}

#[test]
fn a_version_is_marked_once_and_may_stay_active() {
    let store = published();
    ask(store.deploy(deployment("2.0.0", 1)));
    let marked = ask(store.deprecate("acme", "clerk", "2.0.0", at(2)));
    assert_eq!(marked, VersionId::new("id-2.0.0"));
    let version = || "2.0.0".to_owned();
    assert_eq!(
        block_on(store.deprecate("acme", "clerk", "2.0.0", at(3))),
        Err(LifecycleError::AlreadyDeprecated { version: version() })
    );
    let marked = ask(store.retire("acme", "clerk", "2.0.0", at(4)));
    assert_eq!(marked, VersionId::new("id-2.0.0"));
    assert_eq!(
        block_on(store.retire("acme", "clerk", "2.0.0", at(5))),
        Err(LifecycleError::AlreadyRetired { version: version() })
    );
    let row = ask(store.version("acme", "clerk", "2.0.0")).expect("it is there");
    assert_eq!(
        (row.deprecated_at, row.retired_at),
        (Some(at(2)), Some(at(4)))
    );
    let active = ask(store.active("acme", "clerk")).expect("it is still active");
    assert!(active.version == "2.0.0" && active.deprecated && active.retired);
    let other = ask(store.version("acme", "clerk", "1.0.0")).expect("it is there");
    assert_eq!((other.deprecated_at, other.retired_at), (None, None));

    let (namespace, name) = id();
    let unknown = CatalogError::VersionNotFound {
        namespace,
        name,
        version: "9.0.0".to_owned(),
    };
    let refused = block_on(store.retire("acme", "clerk", "9.0.0", at(6)));
    assert_eq!(refused, Err(unknown.clone().into()));
    let refused = block_on(store.deprecate("acme", "clerk", "9.0.0", at(6)));
    assert_eq!(refused, Err(unknown.into()));
    let missing = CatalogError::AgentNotFound {
        namespace: "acme".to_owned(),
        name: "none".to_owned(),
    };
    let refused = block_on(store.deprecate("acme", "none", "1.0.0", at(6)));
    assert_eq!(refused, Err(missing.into()));
}

#[test]
fn an_archived_agent_takes_nothing_more_and_stays_listed() {
    let store = published();
    let other = store::NewVersion {
        name: "buyer".to_owned(),
        agent_id: "buyer".to_owned(),
        version_id: VersionId::new("buyer"),
        ..version("1.0.0", "one")
    };
    ask(store.publish(other));
    ask(store.deploy(deployment("1.0.0", 1)));
    ask(store.deploy(deployment("2.0.0", 2)));
    ask(store.deprecate("acme", "clerk", "1.0.0", at(3)));
    ask(store.archive("acme", "clerk", at(4)));

    let (namespace, name) = id();
    let again = block_on(store.archive("acme", "clerk", at(5)));
    let already = LifecycleError::AlreadyArchived { namespace, name };
    assert!(
        already.to_string().contains("already archived"),
        "{already}"
    );
    assert_eq!(again, Err(already));
    let marks: Vec<_> = ask(store.versions("acme", "clerk"))
        .into_iter()
        .map(|it| (it.version, it.deprecated_at, it.retired_at))
        .collect();
    assert_eq!(
        marks,
        [
            ("3.0.0".to_owned(), Some(at(4)), None),
            ("2.0.0".to_owned(), Some(at(4)), None),
            ("1.0.0".to_owned(), Some(at(3)), None),
        ]
    );
    let (namespace, name) = id();
    let archived = CatalogError::Archived { namespace, name };
    let refused = block_on(store.rollback(rollback(None, 6)));
    assert_eq!(refused, Err(archived.clone().into()));
    assert_eq!(
        block_on(store.deploy(deployment("2.0.0", 7))),
        Err(archived)
    );
    let (namespace, name) = id();
    for it in ["4.0.0", "1.0.0"] {
        let refused = block_on(store.publish(version(it, it)));
        let (namespace, name) = (namespace.clone(), name.clone());
        assert_eq!(refused, Err(PublishError::Archived { namespace, name }));
    }
    // It can still be retired, and its neighbour is as before.
    ask(store.retire("acme", "clerk", "3.0.0", at(8)));
    let rows = ask(store.agents(None));
    let marks: Vec<_> = rows
        .iter()
        .map(|it| (it.name.as_str(), it.archived_at))
        .collect();
    assert_eq!(marks, [("buyer", None), ("clerk", Some(at(4)))]);
    let neighbour = ask(store.version("acme", "buyer", "1.0.0")).expect("it is there");
    assert_eq!(neighbour.deprecated_at, None);
    let missing = CatalogError::AgentNotFound {
        namespace: "acme".to_owned(),
        name: "none".to_owned(),
    };
    let refused = block_on(store.archive("acme", "none", at(9)));
    assert_eq!(refused, Err(missing.into()));
}

#[test]
fn it_is_there_after_a_restart() {
    let folder = folder();
    let store = open(folder.path());
    for it in ["1.0.0", "2.0.0"] {
        ask(store.publish(version(it, it)));
    }
    ask(store.deploy(deployment("1.0.0", 1)));
    ask(store.deploy(deployment("2.0.0", 2)));
    ask(store.rollback(rollback(None, 3)));
    ask(store.retire("acme", "clerk", "2.0.0", at(4)));
    ask(store.archive("acme", "clerk", at(5)));
    let seen = |store: &Store| {
        (
            history(store),
            ask(store.versions("acme", "clerk")),
            ask(store.agent("acme", "clerk")),
        )
    };
    let before = seen(&store);
    drop(store);
    assert_eq!(seen(&open(folder.path())), before);
}
