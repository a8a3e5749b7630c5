//! Compiles a bundle on this machine, as `validate` and `publish` both do. Knows paths of manifests
//! and what diagnostics look like as data; the compiling is in the `publish` crate.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use publish::{Compiled, Diagnostic, Recorder, Severity};
use spec::Snapshot;

use crate::context::Context;
use crate::disk::Disk;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::findings::Findings;
use crate::render::escape;

/// The file of an Agent in a folder that is named instead of it.
const MANIFEST: &str = "agent.yaml";

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

/// Compiles the bundle of the Agent at `path`, a file or the folder that it is in.
pub(crate) fn compile(path: &Path) -> Result<Local, Failure> {
    let failed = || Failure::new(Exit::Failed, "read manifest");
    let file = if path.is_dir() {
        path.join(MANIFEST)
    } else {
        path.to_owned()
    };
    // A missing file is said as the system says it.
    std::fs::metadata(&file).map_err(|why| {
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
    })?;
    let name = file.file_name().and_then(|it| it.to_str());
    let manifest = name.ok_or_else(failed)?.to_owned();
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).to_owned();
    let disk = Disk::open(&folder).map_err(|why| failed().because(&why))?;
    let recorder = Recorder::new(&disk);
    let compiled = publish::compile(&recorder, &manifest);
    Ok(Local {
        compiled,
        sources: recorder.into_sources(),
        manifest,
        folder,
    })
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
        let source = |file: &str| {
            let bytes = self.sources.get(file)?;
            Some(String::from_utf8_lossy(bytes).into_owned())
        };
        let found = &self.compiled.diagnostics;
        let text = publish::render(found, &source, context.printer.err_has_color());
        // The drawing has replaced control characters itself; its own are colours.
        context.printer.diagnostics(&escape::hidden(&text));
    }

    /// The snapshot, or the error that there is none.
    pub(crate) fn snapshot(&self) -> Result<&Snapshot, Failure> {
        self.compiled.snapshot.as_ref().ok_or_else(|| {
            let errors = self.findings().count(Severity::Error);
            let plural = if errors == 1 { "" } else { "s" };
            Failure::new(
                Exit::Invalid,
                format!("invalid manifest ({errors} error{plural})"),
            )
        })
    }
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
    text
}

/// Whether the server found what was found here too.
pub(crate) fn is_same(ours: &Diagnostic, theirs: &proto::ordain::v1::Diagnostic) -> bool {
    ours.code.as_str() == theirs.code && ours.file == theirs.file && ours.message == theirs.message
}
