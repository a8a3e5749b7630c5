//! The files of a bundle on disk. Knows folders, links and sizes; not what is in the files.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use publish::{FileError, Files};

/// More than any document or schema may have; it keeps a wrong path from filling the memory.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
const ENTRIES_MAX: usize = 10_000;

/// The files below a folder. No path leads out of it, neither through `..` nor through links.
#[derive(Debug)]
pub(crate) struct Disk {
    root: PathBuf,
}

impl Disk {
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        let root = root.canonicalize()?;
        Ok(Self { root })
    }

    /// The real path of what is at `path`, if something is.
    fn locate(&self, path: &str) -> Result<Option<PathBuf>, FileError> {
        let relative = Path::new(path);
        let is_inside = relative
            .components()
            .all(|it| matches!(it, Component::Normal(_) | Component::CurDir));
        if !is_inside {
            return Err(FileError(format!("{path} lies outside the bundle")));
        }
        let real = match self.root.join(relative).canonicalize() {
            Ok(real) => real,
            Err(why) if is_absent(&why) => return Ok(None),
            Err(why) => return Err(unreadable(&why)),
        };
        if !real.starts_with(&self.root) {
            let text = format!("the symbolic link {path} leads out of the bundle");
            return Err(FileError(text));
        }
        Ok(Some(real))
    }
}

impl Files for Disk {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, FileError> {
        let Some(real) = self.locate(path)? else {
            return Ok(None);
        };
        let failed = |why: io::Error| unreadable(&why);
        // Opening a pipe would wait for a writer, so the kind is looked at first.
        let kind = std::fs::metadata(&real).map_err(failed)?;
        if kind.is_dir() {
            return Ok(None);
        }
        if !kind.is_file() {
            return Err(FileError(format!("{path} is not a regular file")));
        }
        let file = File::open(&real).map_err(failed)?;
        let mut bytes = Vec::new();
        let limit = FILE_BYTES_MAX.saturating_add(1);
        file.take(limit).read_to_end(&mut bytes).map_err(failed)?;
        if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > FILE_BYTES_MAX {
            let text = format!("{path} has more than {FILE_BYTES_MAX} bytes");
            return Err(FileError(text));
        }
        Ok(Some(bytes))
    }

    fn list(&self, dir: &str) -> Result<Vec<String>, FileError> {
        let Some(real) = self.locate(dir)? else {
            return Ok(Vec::new());
        };
        if !real.is_dir() {
            return Ok(Vec::new());
        }
        let failed = |why: io::Error| unreadable(&why);
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&real).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            // A reference could not name a file whose name is no text.
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if !entry.path().is_dir() {
                names.push(name);
            }
            if names.len() > ENTRIES_MAX {
                return Err(FileError(format!(
                    "{dir} has more than {ENTRIES_MAX} files"
                )));
            }
        }
        names.sort();
        Ok(names)
    }
}

fn is_absent(why: &io::Error) -> bool {
    matches!(
        why.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn unreadable(why: &io::Error) -> FileError {
    FileError(why.to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use publish::Files as _;
    use tempfile::TempDir;

    use super::{Disk, FILE_BYTES_MAX};

    fn bundle() -> (TempDir, Disk) {
        let outer = tempfile::tempdir().unwrap();
        fs::write(outer.path().join("secret.txt"), "secret").unwrap();
        let root = outer.path().join("bundle");
        fs::create_dir_all(root.join("tools/deep")).unwrap();
        fs::write(root.join("agent.yaml"), "a").unwrap();
        fs::write(root.join("tools/b.yaml"), "b").unwrap();
        fs::write(root.join("tools/a.yaml"), "a").unwrap();
        let disk = Disk::open(&root).unwrap();
        (outer, disk)
    }

    #[test]
    fn reads_and_lists() {
        let (_outer, disk) = bundle();
        assert_eq!(disk.read("tools/b.yaml"), Ok(Some(b"b".to_vec())));
        assert_eq!(disk.read("./agent.yaml"), Ok(Some(b"a".to_vec())));
        assert_eq!(disk.read("missing"), Ok(None));
        assert_eq!(disk.read("agent.yaml/below"), Ok(None));
        assert_eq!(disk.read("tools"), Ok(None));
        assert_eq!(disk.list("tools").unwrap(), ["a.yaml", "b.yaml"]);
        assert_eq!(disk.list("").unwrap(), ["agent.yaml"]);
        assert!(disk.list("policies").unwrap().is_empty());
    }

    #[test]
    fn stays_inside() {
        let (_outer, disk) = bundle();
        for path in ["../secret.txt", "tools/../../secret.txt", "/etc/hostname"] {
            assert!(disk.read(path).is_err(), "{path}");
            assert!(disk.list(path).is_err(), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        use std::os::unix::fs::symlink;
        let (outer, disk) = bundle();
        let root = outer.path().join("bundle");
        symlink(outer.path().join("secret.txt"), root.join("tools/out.yaml")).unwrap();
        symlink(outer.path(), root.join("out")).unwrap();
        symlink(root.join("agent.yaml"), root.join("tools/in.yaml")).unwrap();
        let refusal = disk.read("tools/out.yaml").unwrap_err();
        assert!(refusal.0.contains("symbolic link"), "{refusal}");
        assert!(disk.read("out/secret.txt").is_err());
        assert!(disk.list("out").is_err());
        assert_eq!(disk.read("tools/in.yaml"), Ok(Some(b"a".to_vec())));
    }

    #[test]
    fn huge_files_are_refused() {
        let (outer, disk) = bundle();
        let file = fs::File::create(outer.path().join("bundle/huge.json")).unwrap();
        file.set_len(FILE_BYTES_MAX + 1).unwrap();
        assert!(disk.read("huge.json").is_err());
    }
}
