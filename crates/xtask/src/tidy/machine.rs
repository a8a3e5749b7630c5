//! Nothing in the project depends on the machine that it was written on: no paths of it, and no hosts
//! from which packages happen to be fetched.

use super::{Offence, Tree};

// Put together from parts, or this file would hold them itself.
const PATHS: [&str; 2] = [concat!("/wo", "rk/"), concat!("/ro", "ot/")];
const HOSTS: [&str; 7] = [
    concat!("index.crates", ".io"),
    concat!("static.crates", ".io"),
    concat!("crates.io", "-index"),
    concat!("pypi", ".org"),
    concat!("files.python", "hosted.org"),
    concat!("registry.npm", "js.org"),
    concat!("proxy.golang", ".org"),
];

/// Cargo writes it, and writes its registry into it.
const LOCK: &str = "Cargo.lock";

pub(super) fn check(tree: &Tree) -> Vec<Offence> {
    let mut offences = Vec::new();
    for file in &tree.files {
        let is_lock = file.path == LOCK || file.path.ends_with("/Cargo.lock");
        for (number, line) in file.text.lines().enumerate() {
            for path in PATHS.into_iter().filter(|it| holds_path(line, it)) {
                let text = format!("names the machine's path `{path}`");
                offences.push(Offence::at(file, number, text));
            }
            let host = |it: &&str| !is_lock && line.contains(it);
            for host in HOSTS.into_iter().filter(host) {
                let text = format!("names the package host `{host}`");
                offences.push(Offence::at(file, number, text));
            }
        }
    }
    offences
}

/// Whether a path begins there, rather than a folder of the same name lying deeper.
fn holds_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line.get(..at).and_then(|it| it.chars().next_back());
        !before.is_some_and(|it| it.is_alphanumeric() || "._-{}*".contains(it))
    })
}

#[cfg(test)]
mod tests {
    use super::super::made;
    use super::*;

    #[test]
    fn a_path_of_the_machine_is_found() {
        for path in PATHS {
            let text = format!("ok\ncd {path}main\n\"{path}x\"\nfile://{path}y\n");
            let tree = made::files(&[("README.md", &text)]);
            let expected = ["README.md:2", "README.md:3", "README.md:4"];
            assert_eq!(made::places(check, &tree), expected);
        }
    }

    #[test]
    fn a_folder_of_the_same_name_is_fine() {
        let text = format!("src/rpc{0}mod.rs ..{0}x\n", PATHS[0]);
        assert!(check(&made::files(&[("a.md", &text)])).is_empty());
    }

    #[test]
    fn a_package_host_is_found_but_not_in_the_lock_file() {
        for host in HOSTS {
            let tree = made::files(&[("a.toml", host), ("Cargo.lock", host)]);
            assert_eq!(made::places(check, &tree), ["a.toml:1"]);
        }
    }
}
