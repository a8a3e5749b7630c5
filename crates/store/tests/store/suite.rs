//! Every journal passes one suite; this one does in memory and in a folder.

use std::cell::RefCell;

use store::Store;

use crate::world::{folder, open};

#[test]
fn in_memory_passes() {
    runtime::suite::run(|| Store::in_memory().expect("a store in memory opens"));
}

#[test]
fn in_a_folder_passes() {
    let folders = RefCell::new(Vec::new());
    runtime::suite::run(|| {
        let folder = folder();
        let store = open(folder.path());
        folders.borrow_mut().push(folder);
        store
    });
}
