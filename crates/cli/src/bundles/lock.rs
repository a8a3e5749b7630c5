//! `bundles lock`: the only writer of `bundle.lock.json`. Knows where it lies and how it is replaced;
//! what it says is made in the `publish` crate.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use publish::LOCK_FILE;
use spec::Json;

use super::load;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::local;
use crate::render::{Output, escape};

/// Write down exactly which content a Bundle consists of.
///
/// Commit bundle.lock.json with the Bundle: publishing demands it. A runtime is asked only for
/// versions that the Bundle pins, and for tools and policies that its files do not have.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain bundles lock bundle.yaml\n  ordain bundles lock ./support-desk -o json"
)]
pub(crate) struct Args {
    /// The Bundle's file, or the folder of its bundle.yaml.
    #[arg(value_name = "BUNDLE_YAML")]
    bundle: PathBuf,
    #[command(flatten)]
    output: Output,
}

pub(super) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let loaded = load::load(&args.bundle, context).await?;
    local::report(&loaded.closure.diagnostics, &loaded.sources, context);
    let (bundle, lock) = loaded.lock()?;
    let bytes = lock.to_file().into_bytes();
    let path = loaded.folder.join(LOCK_FILE);
    // A lock that says the same already keeps its times.
    let is_new = loaded.committed.as_ref() != Some(&bytes);
    if is_new {
        replace(&path, &loaded.folder, &bytes).map_err(|why| {
            let path = path.display();
            Failure::new(Exit::Failed, format!("write {path}")).because(&why)
        })?;
    }
    let data = Json::from_members([
        ("bundle", Json::from(bundle.to_string())),
        ("lock_hash", Json::from(lock.version())),
        ("root", Json::from(lock.root_child_name())),
        ("members", load::members_to_json(lock)),
        ("file", Json::from(path.display().to_string())),
        ("changed", Json::from(is_new)),
    ]);
    context.printer.data(args.output.format, &data, || {
        let first = format!(
            "locked: {}/{} {}",
            bundle.namespace,
            bundle.name,
            lock.version()
        );
        let lines = [first, load::members_line(lock)];
        lines.iter().map(|it| escape::inline(it) + "\n").collect()
    })?;
    Ok(Exit::Done)
}

/// The file is either as it was or as it should be, whatever happens in between.
fn replace(path: &Path, folder: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".bundle.lock.");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o644));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
