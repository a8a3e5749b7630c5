//! What is in the way of opening is said, and nothing is written over.

use std::fs;

use rusqlite::Connection;
use spec::DocumentKind;
use store::{OpenError, Store, StoreSettings};

use crate::world::{Writing, ask, folder, open};

fn refusal(dir: &std::path::Path) -> OpenError {
    Store::open(dir, StoreSettings::STANDARD).expect_err("the store does not open")
}

#[test]
fn a_folder_is_made() {
    let folder = folder();
    open(&folder.path().join("a/b/c"));
    assert!(folder.path().join("a/b/c/ordain.db").is_file());
}

#[test]
fn a_folder_in_use_is_refused_until_it_is_let_go() {
    let folder = folder();
    let store = open(folder.path());
    let other_handle = store.clone();
    let refused = refusal(folder.path());
    assert_eq!(
        refused,
        OpenError::InUse {
            path: folder.path().to_owned()
        }
    );
    drop(store);
    assert_eq!(refusal(folder.path()), refused, "a clone still has it");
    let mut writing = Writing::new(&other_handle, "run_a");
    assert_eq!(writing.append(&other_handle, "one"), Ok(()));
    drop(other_handle);
    writing.check(&open(folder.path()));
}

#[test]
fn a_file_is_not_a_folder() {
    let folder = folder();
    let file = folder.path().join("file");
    fs::write(&file, "text").expect("a file can be written");
    assert_eq!(
        refusal(&file),
        OpenError::NotADirectory { path: file.clone() }
    );
    let below = file.join("store");
    assert_eq!(
        refusal(&below),
        OpenError::NotADirectory {
            path: below.clone()
        }
    );
}

#[test]
fn what_is_not_a_store_is_left_as_it_is() {
    let folder = folder();
    let database = folder.path().join("ordain.db");
    let text = "not a database, but long enough to look like one to somebody. ".repeat(100);
    fs::write(&database, &text).expect("a file can be written");
    assert_eq!(
        refusal(folder.path()),
        OpenError::NotAStore {
            path: database.clone()
        }
    );
    assert_eq!(fs::read_to_string(&database).expect("it is there"), text);

    fs::remove_file(&database).expect("a file can be deleted");
    let foreign = Connection::open(&database).expect("a database can be made");
    foreign
        .execute_batch("CREATE TABLE theirs (a)")
        .expect("a table can be made");
    drop(foreign);
    assert_eq!(
        refusal(folder.path()),
        OpenError::NotAStore {
            path: database.clone()
        }
    );

    fs::remove_file(&database).expect("a file can be deleted");
    fs::create_dir(&database).expect("a folder can be made");
    assert_eq!(
        refusal(folder.path()),
        OpenError::NotAStore { path: database }
    );
}

#[test]
fn a_damaged_file_is_said_to_be() {
    let folder = folder();
    drop(open(folder.path()));
    let database = folder.path().join("ordain.db");
    let mut bytes = fs::read(&database).expect("a file can be read");
    bytes.iter_mut().skip(100).for_each(|byte| *byte = 0xff);
    fs::write(&database, &bytes).expect("a file can be written");
    let refused = refusal(folder.path());
    assert!(matches!(refused, OpenError::Damaged { .. }), "{refused:?}");
}

#[test]
fn a_newer_schema_is_refused() {
    let folder = folder();
    drop(open(folder.path()));
    let database = folder.path().join("ordain.db");
    let newer = Connection::open(&database).expect("the file opens");
    newer
        .pragma_update(None, "user_version", 99)
        .expect("it can be written");
    drop(newer);
    let refused = refusal(folder.path());
    assert_eq!(
        refused,
        OpenError::TooNew {
            path: database,
            found: 99,
            known: 2
        }
    );
}

/// What the first release wrote is taken along.
#[test]
fn an_older_schema_is_brought_up() {
    let folder = folder();
    let store = open(folder.path());
    let mut writing = Writing::new(&store, "run_a");
    assert_eq!(writing.append(&store, "one"), Ok(()));
    drop(store);
    let database = folder.path().join("ordain.db");
    let older = Connection::open(&database).expect("the file opens");
    older
        .execute_batch("DROP TABLE documents; PRAGMA user_version = 1")
        .expect("it can be written");
    drop(older);
    let store = open(folder.path());
    writing.check(&store);
    let ids = ask(store.document_ids(DocumentKind::Tool, 10));
    assert!(ids.is_empty(), "{ids:?}");
}

#[test]
fn refusals_read_as_sentences() {
    let path = std::path::PathBuf::from("data");
    let in_use = OpenError::InUse { path: path.clone() };
    assert_eq!(in_use.to_string(), "data is in use by another runtime");
    let new = OpenError::TooNew {
        path,
        found: 2,
        known: 1,
    };
    let text = "data has schema version 2, and this binary knows up to 1: use a newer one";
    assert_eq!(new.to_string(), text);
}
