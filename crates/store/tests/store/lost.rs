//! A store whose files are deleted, moved or replaced under it acknowledges nothing, and works
//! again when they are back.

use std::fs;

use runtime::{AppendError, Journal as _, LoadError, block_on};
use store::{OpenError, Store, StoreSettings};

use crate::world::{Writing, claim, folder, open};

fn unavailable(outcome: &Result<(), AppendError>) -> bool {
    matches!(outcome, Err(AppendError::Unavailable(_)))
}

#[test]
fn a_deleted_folder_acknowledges_nothing() {
    let folder = folder();
    let store = open(&folder.path().join("store"));
    let mut writing = Writing::new(&store, "run_a");
    assert_eq!(writing.append(&store, "one"), Ok(()));
    fs::remove_dir_all(folder.path().join("store")).expect("the folder can be deleted");
    for _ in 0..3 {
        let outcome = writing.append(&store, "two");
        assert!(unavailable(&outcome), "{outcome:?}");
    }
    let loaded = block_on(store.load(&writing.id));
    assert!(
        matches!(loaded, Err(LoadError::Unavailable(_))),
        "{loaded:?}"
    );
    assert!(block_on(store.claim()).is_err());
    assert_eq!(store.appends(), 1);
}

#[test]
fn a_folder_that_comes_back_is_written_to_again() {
    let folder = folder();
    let (here, away) = (folder.path().join("store"), folder.path().join("away"));
    let store = open(&here);
    let mut writing = Writing::new(&store, "run_a");
    assert_eq!(writing.append(&store, "one"), Ok(()));
    fs::rename(&here, &away).expect("the folder can be moved");
    let outcome = writing.append(&store, "lost");
    assert!(unavailable(&outcome), "{outcome:?}");
    fs::rename(&away, &here).expect("the folder can be moved back");
    assert_eq!(writing.append(&store, "two"), Ok(()));
    writing.check(&store);
    drop(store);
    writing.check(&open(&here));
}

#[test]
fn an_empty_folder_in_its_place_is_not_begun_anew() {
    let folder = folder();
    let here = folder.path().join("store");
    let store = open(&here);
    let mut writing = Writing::new(&store, "run_a");
    assert_eq!(writing.append(&store, "one"), Ok(()));
    fs::remove_dir_all(&here).expect("the folder can be deleted");
    fs::create_dir(&here).expect("and made again");
    let outcome = writing.append(&store, "two");
    assert!(unavailable(&outcome), "{outcome:?}");
    let left = fs::read_dir(&here).expect("it is there").count();
    assert_eq!(left, 0, "nothing is put into it");
}

#[test]
fn a_strange_store_in_its_place_is_left_alone() {
    let folder = folder();
    let (here, away) = (folder.path().join("store"), folder.path().join("away"));
    let store = open(&here);
    let mut writing = Writing::new(&store, "run_a");
    assert_eq!(writing.append(&store, "one"), Ok(()));
    fs::rename(&here, &away).expect("the folder can be moved");

    let strange = open(&here);
    let mut other = Writing::new(&strange, "run_a");
    assert_eq!(other.append(&strange, "strange"), Ok(()));
    let outcome = writing.append(&store, "two");
    assert!(
        unavailable(&outcome),
        "while another runtime has it: {outcome:?}"
    );
    drop(strange);
    let outcome = writing.append(&store, "two");
    assert!(unavailable(&outcome), "nor afterwards: {outcome:?}");
    drop(store);

    other.check(&open(&here));
    writing.check(&open(&away));
}

#[test]
fn a_backup_put_back_is_taken_up() {
    let folder = folder();
    let here = folder.path().join("store");
    let store = open(&here);
    let mut writing = Writing::new(&store, "run_a");
    assert_eq!(writing.append(&store, "one"), Ok(()));
    let files = ["ordain.db", "ordain.db-wal"];
    let backup = files.map(|it| fs::read(here.join(it)).expect("a file can be read"));
    fs::remove_dir_all(&here).expect("the folder can be deleted");
    let outcome = writing.append(&store, "two");
    assert!(unavailable(&outcome), "{outcome:?}");
    fs::create_dir(&here).expect("a folder can be made");
    for (name, bytes) in files.into_iter().zip(backup) {
        fs::write(here.join(name), bytes).expect("a file can be written");
    }
    writing.check(&store);
    assert_eq!(writing.append(&store, "two"), Ok(()));
    writing.check(&store);
    // The lock went with the folder, and has been taken again.
    let second = Store::open(&here, StoreSettings::STANDARD).expect_err("it is in use");
    assert_eq!(second, OpenError::InUse { path: here });
}

#[test]
fn a_deleted_log_loses_nothing_that_was_acknowledged() {
    let folder = folder();
    let store = open(folder.path());
    let mut writing = Writing::new(&store, "run_a");
    assert_eq!(writing.append(&store, "one"), Ok(()));
    assert_eq!(writing.append(&store, "two"), Ok(()));
    fs::remove_file(folder.path().join("ordain.db-wal")).expect("the log can be deleted");
    for _ in 0..3 {
        let outcome = writing.append(&store, "three");
        assert!(unavailable(&outcome), "{outcome:?}");
    }
    drop(store);
    let store = open(folder.path());
    claim(&store);
    writing.check(&store);
}
