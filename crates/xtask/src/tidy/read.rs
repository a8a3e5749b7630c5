//! Reads the tree that the rules look at. Knows git, cargo and the disk; not the rules.

use std::io;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{Dependency, File, Package, Tree};

/// Not looked into when git cannot say what belongs to the project.
const NOT_OURS: [&str; 2] = [".git", "target"];

pub(super) fn tree(root: &Path) -> io::Result<Tree> {
    let mut paths = match listed(root) {
        Some(paths) => paths,
        // An unpacked archive has no git to ask.
        None => walked(root)?,
    };
    paths.sort();
    paths.dedup();
    // Files that are no UTF-8 text, or are deleted but still listed, have nothing to check.
    let files = paths.into_iter().filter_map(|path| {
        let text = std::fs::read_to_string(root.join(&path)).ok()?;
        Some(File { path, text })
    });
    Ok(Tree {
        files: files.collect(),
        packages: packages(root)?,
    })
}

/// Tracked files and new ones that are not ignored: a mistake is best found before it is committed.
fn listed(root: &Path) -> Option<Vec<String>> {
    let args = [
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ];
    let output = Command::new("git").args(args).current_dir(root).output();
    let output = output.ok().filter(|it| it.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    let paths: Vec<String> = text.split_terminator('\0').map(str::to_owned).collect();
    (!paths.is_empty()).then_some(paths)
}

fn walked(root: &Path) -> io::Result<Vec<String>> {
    let mut paths = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() {
                name.clone()
            } else {
                format!("{folder}/{name}")
            };
            let kind = entry.file_type()?;
            if kind.is_dir() && !NOT_OURS.contains(&name.as_str()) {
                folders.push(path);
            } else if kind.is_file() {
                paths.push(path);
            }
        }
    }
    Ok(paths)
}

fn packages(root: &Path) -> io::Result<Vec<Package>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let args = [
        "metadata",
        "--format-version",
        "1",
        "--no-deps",
        "--offline",
    ];
    let output = Command::new(cargo).args(args).current_dir(root).output()?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(io::Error::other(why));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata.get("packages").and_then(Value::as_array);
    let packages = packages.and_then(|it| it.iter().map(package).collect());
    packages.ok_or_else(|| io::Error::other("the metadata of cargo lack what they should have"))
}

fn package(it: &Value) -> Option<Package> {
    let dependencies = it.get("dependencies")?.as_array()?.iter().map(dependency);
    Some(Package {
        name: text(it, "name")?,
        dependencies: dependencies.collect::<Option<_>>()?,
    })
}

fn dependency(it: &Value) -> Option<Dependency> {
    Some(Dependency {
        name: text(it, "name")?,
        is_workspace: text(it, "path").is_some(),
        is_dev: text(it, "kind").as_deref() == Some("dev"),
    })
}

fn text(it: &Value, key: &str) -> Option<String> {
    it.get(key)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metadata_tell_kinds_and_places_apart() {
        let json = r#"{ "name": "a", "dependencies": [
            { "name": "b", "kind": null, "path": "/b" },
            { "name": "c", "kind": "dev" },
            { "name": "d", "kind": "build" } ] }"#;
        let package = package(&serde_json::from_str(json).unwrap()).unwrap();
        let told = |it: &Dependency| (it.is_workspace, it.is_dev);
        let told: Vec<_> = package.dependencies.iter().map(told).collect();
        assert_eq!(told, [(true, false), (false, true), (false, false)]);
    }

    #[test]
    fn git_and_the_disk_list_the_same_sources() {
        let rust = |paths: Vec<String>| -> Vec<String> {
            let ours = |it: &String| it.starts_with("crates/xtask/src/");
            let mut paths: Vec<String> = paths.into_iter().filter(ours).collect();
            paths.sort();
            paths
        };
        let walked = rust(walked(&crate::root()).unwrap());
        assert!(walked.contains(&"crates/xtask/src/tidy/read.rs".to_owned()));
        if let Some(listed) = listed(&crate::root()) {
            assert_eq!(rust(listed), walked);
        }
    }
}
