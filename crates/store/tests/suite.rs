//! Every journal passes one suite; this one does in memory and in a folder.

use std::cell::RefCell;

use store::{Store, StoreSettings};
use tempfile::TempDir;

#[test]
fn in_memory_passes() {
    runtime::suite::run(|| Store::in_memory().expect("a store in memory opens"));
}

#[test]
fn in_a_folder_passes() {
    let folders = RefCell::new(Vec::new());
    runtime::suite::run(|| {
        let folder = TempDir::new().expect("a folder can be made");
        let store = Store::open(folder.path(), StoreSettings::STANDARD).expect("a store opens");
        folders.borrow_mut().push(folder);
        store
    });
}
