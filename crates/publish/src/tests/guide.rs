//! What the guide to Bundles shows is what there is.

use std::collections::BTreeMap;

use crate::{MemoryFiles, closure};

const GUIDE: &str = include_str!("../../../../docs/bundles.md");

/// The texts of the guide's blocks in one language.
fn blocks(language: &str) -> Vec<String> {
    let parts = GUIDE.split("```").skip(1).step_by(2);
    let own = parts.filter_map(|it| it.strip_prefix(&format!("{language}\n")));
    own.map(str::to_owned).collect()
}

#[test]
fn the_example_of_the_guide_has_the_lock_that_the_guide_shows() {
    let files = blocks("yaml").into_iter().map(|text| {
        let (first, _) = text.split_once('\n').unwrap();
        (first.strip_prefix("# ").unwrap().to_owned(), text)
    });
    let files: MemoryFiles = files.collect();
    let closure = closure(&files, "bundle.yaml", &BTreeMap::new());
    assert_eq!(closure.diagnostics, []);
    assert_eq!(closure.members.len(), 2);
    assert_eq!(blocks("json"), [closure.lock.unwrap().to_file()]);
}
