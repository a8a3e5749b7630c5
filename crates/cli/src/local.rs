//! Compiles a bundle on this machine, as `validate` and `publish` both do. Knows paths of manifests
//! and what diagnostics look like; the compiling is in the `publish` crate, and asking the catalog in
//! `lookup`.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use publish::{Compiled, Diagnostic, Recorder, Severity};
use spec::Snapshot;

use crate::context::Context;
use crate::disk::Disk;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::findings::Findings;
use crate::lookup;
use crate::render::escape;

/// The file of an Agent in a folder that is named instead of it.
const MANIFEST: &str = "agent.yaml";

/// The code of a Bundle where an Agent is due.
const FOUND_A_BUNDLE: &str = "E0810";

/// What compiling came to.
pub(crate) struct Local {
    pub(crate) compiled: Compiled,
    /// Exactly the files that were read, by path from the bundle's root.
    pub(crate) sources: BTreeMap<String, Vec<u8>>,
    /// The Agent's path among them.
    pub(crate) manifest: String,
    /// The bundle's root, as the user named it.
    folder: PathBuf,
}

/// A manifest on this machine, with what lies around it.
pub(crate) struct Opened {
    pub(crate) disk: Disk,
    pub(crate) folder: PathBuf,
    /// The manifest's name in the folder.
    pub(crate) manifest: String,
}

/// Finds the manifest at `path`: a file, or the folder of one that is called `usual`.
pub(crate) fn open(path: &Path, usual: &str) -> Result<Opened, Failure> {
    open_as(path, usual, "read manifest")
}

/// The same; `action` is what an error names.
pub(crate) fn open_as(path: &Path, usual: &str, action: &str) -> Result<Opened, Failure> {
    let failed = || Failure::new(Exit::Failed, action);
    let file = if path.is_dir() {
        path.join(usual)
    } else {
        path.to_owned()
    };
    must_exist(&file, &failed)?;
    let name = file.file_name().and_then(|it| it.to_str());
    let manifest = name.ok_or_else(failed)?.to_owned();
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).to_owned();
    let disk = Disk::open(&folder).map_err(|why| failed().because(&why))?;
    Ok(Opened {
        disk,
        folder,
        manifest,
    })
}

/// Says of a missing file what the system says.
pub(crate) fn must_exist(file: &Path, failed: &dyn Fn() -> Failure) -> Result<(), Failure> {
    std::fs::metadata(file).map(drop).map_err(|why| {
        let cause = io::Error::new(why.kind(), format!("{}: {why}", file.display()));
        let exit = if why.kind() == io::ErrorKind::NotFound {
            Exit::NotFound
        } else {
            Exit::Failed
        };
        Failure {
            exit,
            ..failed().because(&cause)
        }
    })
}

/// Bindings that are let through without a proof.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Unproven {
    /// Let the binding of this tool through where it cannot be told whether it only narrows its
    /// contract. Calls are checked against both schemas all the same. May be given several times.
    #[arg(long = "allow-unproven", value_name = "TOOL")]
    names: Vec<String>,
}

impl Unproven {
    pub(crate) fn names(&self) -> BTreeSet<String> {
        self.names.iter().cloned().collect()
    }
}

/// Compiles the bundle of the Agent at `path`, a file or the folder that it is in. What its files do
/// not have is looked for in the catalog of the runtime.
pub(crate) async fn compile(path: &Path, context: &Context) -> Result<Local, Failure> {
    compile_allowing(path, &Unproven::default(), context).await
}

/// As [`compile`], where some bindings are let through without a proof.
pub(crate) async fn compile_allowing(
    path: &Path,
    unproven: &Unproven,
    context: &Context,
) -> Result<Local, Failure> {
    let unproven = unproven.names();
    let Opened {
        disk,
        folder,
        manifest,
    } = open(path, MANIFEST)?;
    let (local, _) = lookup::with_catalog(context, |catalog| {
        let recorder = Recorder::new(&disk);
        let compiled = publish::compile_allowing(&recorder, catalog, &manifest, &unproven);
        let wanted = compiled.wanted.clone();
        let local = Local {
            compiled,
            sources: recorder.into_sources(),
            manifest: manifest.clone(),
            folder: folder.clone(),
        };
        (local, wanted)
    })
    .await?;
    let found = &local.compiled.diagnostics;
    let is_bundle = |it: &Diagnostic| it.code.as_str() == FOUND_A_BUNDLE && it.file == manifest;
    if found.iter().any(is_bundle) {
        let program = &context.program;
        let message = format!("bundle manifest: use {program} bundles validate instead");
        return Err(Failure::usage(message));
    }
    Ok(local)
}

impl Local {
    /// What was found, for programs.
    pub(crate) fn findings(&self) -> Findings<'_> {
        Findings {
            diagnostics: &self.compiled.diagnostics,
            sources: &self.sources,
            folder: &self.folder,
        }
    }

    /// Draws everything that was found on stderr.
    pub(crate) fn report(&self, context: &Context) {
        report(&self.compiled.diagnostics, &self.sources, context);
    }

    /// The snapshot, or the error that there is none.
    pub(crate) fn snapshot(&self) -> Result<&Snapshot, Failure> {
        self.compiled
            .snapshot
            .as_ref()
            .ok_or_else(|| invalid("manifest", &self.compiled.diagnostics))
    }
}

pub(crate) fn count(found: &[Diagnostic], severity: Severity) -> usize {
    found.iter().filter(|it| it.severity == severity).count()
}

/// The error that there are errors in `what`.
pub(crate) fn invalid(what: &str, found: &[Diagnostic]) -> Failure {
    let errors = count(found, Severity::Error);
    let plural = if errors == 1 { "" } else { "s" };
    Failure::new(
        Exit::Invalid,
        format!("invalid {what} ({errors} error{plural})"),
    )
}

/// Draws what was found on stderr.
pub(crate) fn report(found: &[Diagnostic], sources: &BTreeMap<String, Vec<u8>>, context: &Context) {
    let source = |file: &str| {
        let bytes = sources.get(file)?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    };
    let text = publish::render(found, &source, context.printer.err_has_color());
    // The drawing has replaced control characters itself; its own are colours.
    context.printer.diagnostics(&escape::hidden(&text));
}

/// A diagnostic of the server, which has no source lines to show.
pub(crate) fn remote(diagnostic: &proto::ordain::v1::Diagnostic) -> String {
    let proto::ordain::v1::Diagnostic {
        code,
        severity,
        file,
        line,
        column,
        ..
    } = diagnostic;
    let mut text = format!(
        "{}[{}]: {}\n",
        escape::inline(severity),
        escape::inline(code),
        escape::inline(&diagnostic.message)
    );
    if !file.is_empty() {
        let place = if *line > 0 {
            format!(":{line}:{column}")
        } else {
            String::new()
        };
        text.push_str(&format!("  --> {}{place}\n", escape::inline(file)));
    }
    if !diagnostic.help.is_empty() {
        text.push_str(&format!("  help: {}\n", escape::block(&diagnostic.help)));
    }
    for related in &diagnostic.related {
        let line = related.line;
        let place = if line > 0 {
            format!(":{line}:{}", related.column)
        } else {
            String::new()
        };
        text.push_str(&format!(
            "  note: {}{place}: {}\n",
            escape::inline(&related.file),
            escape::block(&related.message)
        ));
    }
    text
}

/// Whether the server found what was found here too.
pub(crate) fn is_same(ours: &Diagnostic, theirs: &proto::ordain::v1::Diagnostic) -> bool {
    ours.code.as_str() == theirs.code && ours.file == theirs.file && ours.message == theirs.message
}
