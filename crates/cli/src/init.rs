//! `init`: begins an agent in a folder. Knows the files of the beginning; overwrites nothing.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{escape, plain_path};

/// The files, the Agent first.
const FILES: [(&str, &str); 5] = [
    ("agent.yaml", include_str!("init/agent.yaml")),
    (
        "tools/send-message.yaml",
        include_str!("init/tools/send-message.yaml"),
    ),
    (
        "policies/ask-before-sending.yaml",
        include_str!("init/policies/ask-before-sending.yaml"),
    ),
    // Not in policies/, where every file is taken for a Policy.
    (
        "tests/ask-before-sending.policytest.yaml",
        include_str!("init/tests/ask-before-sending.policytest.yaml"),
    ),
    ("stub-script.json", include_str!("init/stub-script.json")),
];

/// Begin an agent: a manifest, a tool, a policy with a test, and a scripted model to try them with.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  ordain init\n  ordain init my-agent")]
pub(crate) struct Args {
    /// The folder, made if need be [default: this one].
    dir: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let failed = |what: &Path, why: &io::Error| {
        Failure::new(Exit::Failed, format!("create {}", what.display())).because(why)
    };
    let dir = match &args.dir {
        Some(dir) => dir.clone(),
        None => std::env::current_dir().map_err(|why| failed(Path::new("."), &why))?,
    };
    let paths: Vec<(PathBuf, &str)> = FILES
        .iter()
        .map(|(path, text)| (dir.join(path), *text))
        .collect();
    // Everything is looked at first, so that a refusal leaves nothing half made.
    if let Some((path, _)) = paths
        .iter()
        .find(|(path, _)| path.symlink_metadata().is_ok())
    {
        let message = format!("{} already exists", path.display());
        return Err(Failure::new(Exit::Conflict, message));
    }
    for (path, text) in &paths {
        create(path, text).map_err(|why| failed(path, &why))?;
        let path = plain_path(path).display().to_string();
        context
            .printer
            .line(&format!("created {}", escape::inline(&path)))?;
    }
    let program = &context.program;
    let dir = for_shell(&escape::inline(&plain_path(&dir).display().to_string()));
    context.printer.note(&format!(
        "next: {program} agents validate {dir} && {program} policies test {dir}"
    ));
    Ok(Exit::Done)
}

/// A path as a shell takes it for one word that is no flag.
fn for_shell(path: &str) -> String {
    let path = if path.starts_with('-') {
        format!("./{path}")
    } else {
        path.to_owned()
    };
    let plain = |c: char| c.is_alphanumeric() || "/._-~+:@".contains(c);
    if path.chars().all(plain) {
        path
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    }
}

fn create(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // What an agent may do is its owner's business until they say otherwise.
    #[cfg(unix)]
    options.mode(0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use clap::Parser as _;
    use publish::MemoryFiles;

    use super::{Args, FILES, run};
    use crate::cli::{Cli, Command};
    use crate::context::Context;
    use crate::environment::Environment;
    use crate::exit::Exit;

    fn context() -> Context {
        let cli = Cli::parse_from(["ordain", "--quiet", "status"]);
        Context::new("ordain".to_owned(), &cli.global, Environment::default())
    }

    #[test]
    fn the_beginning_is_valid_without_a_warning() {
        let compiled = publish::compile(&MemoryFiles::from(FILES), "agent.yaml");
        assert_eq!(compiled.diagnostics, []);
        let snapshot = compiled.snapshot.unwrap();
        assert_eq!(snapshot.agent.to_string(), "default.my-agent@0.1.0");
        assert_eq!(snapshot.tools.len(), 1);
        assert_eq!(snapshot.policies.len(), 1);
        let script = snapshot
            .metadata
            .annotations
            .get(spec::snapshot::STUB_SCRIPT)
            .unwrap();
        assert!(script.contains(&snapshot.tools[0].wire_name));
    }

    #[tokio::test]
    async fn the_beginning_keeps_its_own_test() {
        let outer = tempfile::tempdir().unwrap();
        let args = Args {
            dir: Some(outer.path().to_owned()),
        };
        assert_eq!(run(&args, &context()).unwrap(), Exit::Done);
        assert_eq!(policies_test(outer.path()).await, Exit::Done);
        // The test notices when the rule is gone.
        let policy = outer.path().join("policies/ask-before-sending.yaml");
        let text = fs::read_to_string(&policy).unwrap();
        fs::write(&policy, text.replace("ends_with", "eq")).unwrap();
        assert_eq!(policies_test(outer.path()).await, Exit::Failed);
        fs::write(&policy, text.replace("ends_with", "ends_wth")).unwrap();
        assert_eq!(policies_test(outer.path()).await, Exit::Invalid);
    }

    async fn policies_test(dir: &Path) -> Exit {
        let dir = dir.to_str().unwrap();
        let cli = Cli::parse_from(["ordain", "--quiet", "policies", "test", dir]);
        let Some(Command::Policies(group)) = cli.command else {
            panic!("another command");
        };
        group.verb.unwrap().run(&context()).await.unwrap()
    }

    #[cfg(unix)]
    #[test]
    fn files_are_their_owners() {
        use std::os::unix::fs::PermissionsExt as _;
        let outer = tempfile::tempdir().unwrap();
        let args = Args {
            dir: Some(outer.path().to_owned()),
        };
        run(&args, &context()).unwrap();
        for (path, _) in FILES {
            let mode = outer.path().join(path).metadata().unwrap().permissions();
            assert_eq!(mode.mode() & 0o777, 0o600, "{path}");
        }
    }

    #[test]
    fn nothing_is_overwritten() {
        let outer = tempfile::tempdir().unwrap();
        let dir = outer.path().join("new");
        let args = Args {
            dir: Some(dir.clone()),
        };
        assert_eq!(run(&args, &context()).unwrap(), Exit::Done);
        for (path, text) in FILES {
            assert_eq!(fs::read_to_string(dir.join(path)).unwrap(), text);
        }
        fs::write(dir.join("agent.yaml"), "mine").unwrap();
        fs::remove_file(dir.join("stub-script.json")).unwrap();
        let refusal = run(&args, &context()).unwrap_err();
        assert_eq!(refusal.exit, Exit::Conflict);
        assert_eq!(
            refusal.message,
            format!("{} already exists", dir.join("agent.yaml").display())
        );
        assert_eq!(fs::read_to_string(dir.join("agent.yaml")).unwrap(), "mine");
        assert!(!dir.join("stub-script.json").exists());
    }
}
