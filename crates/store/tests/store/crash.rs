//! What was acknowledged is there after the process is gone, however it went.

use std::fs;
use std::path::Path;

use runtime::{AppendError, Journal as _};

use crate::world::{Writing, ask, claim, folder, open};

const APPENDS: usize = 20;

#[test]
fn a_closed_store_opens_with_everything() {
    let folder = folder();
    let store = open(folder.path());
    let mut writing = Writing::new(&store, "run_a");
    for text in ["one", "two", "three"] {
        assert_eq!(writing.append(&store, text), Ok(()));
    }
    drop(store);

    let store = open(folder.path());
    writing.check(&store);
    assert_eq!(ask(store.runnable()), [writing.id.clone()]);
    assert_eq!(
        writing.append(&store, "four"),
        Ok(()),
        "the epoch is still the newest"
    );
    let newer = claim(&store);
    assert!(newer > writing.epoch, "epochs go on from where they were");
    assert_eq!(writing.append(&store, "five"), Err(AppendError::Fenced));
    writing.epoch = newer;
    assert_eq!(writing.append(&store, "five"), Ok(()));
    writing.check(&store);
}

// What a killed process leaves behind is what is in its files at that moment.
#[test]
fn files_of_a_store_that_was_not_closed_hold_every_acknowledged_append() {
    let folder = folder();
    let store = open(&folder.path().join("alive"));
    let mut writing = Writing::new(&store, "run_a");
    for number in 0..APPENDS {
        assert_eq!(writing.append(&store, &format!("entry {number}")), Ok(()));
        let copy = folder.path().join(format!("copy-{number}"));
        copy_files(&folder.path().join("alive"), &copy);
        writing.check(&open(&copy));
    }
}

#[test]
fn a_torn_last_write_costs_no_earlier_append() {
    let folder = folder();
    let store = open(&folder.path().join("alive"));
    let mut writing = Writing::new(&store, "run_a");
    assert_eq!(writing.append(&store, "one"), Ok(()));
    let whole = fs::metadata(folder.path().join("alive/ordain.db-wal"))
        .expect("a log")
        .len();
    let mut longer = Writing {
        written: writing.written.clone(),
        ..Writing::new(&store, "run_a")
    };
    assert_eq!(longer.append(&store, "two"), Ok(()));

    let copy = folder.path().join("copy");
    copy_files(&folder.path().join("alive"), &copy);
    let log = fs::OpenOptions::new()
        .write(true)
        .open(copy.join("ordain.db-wal"))
        .expect("a log");
    log.set_len(whole + 100).expect("the log can be cut");
    writing.check(&open(&copy));
}

fn copy_files(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a folder can be made");
    for name in ["ordain.db", "ordain.db-wal"] {
        fs::copy(from.join(name), to.join(name)).expect("a file can be copied");
    }
}
