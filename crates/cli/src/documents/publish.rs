//! `tools publish`, `policies publish`: compiles a document here first, then sends exactly the files
//! that the compilation read; the runtime compiles them again. Knows both answers; trusts neither
//! alone.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use proto::ordain::v1::{PublishDocumentRequest, PublishDocumentResponse, SourceFile};
use publish::{Catalog, Diagnostic, Recorder};
use spec::{DocumentKind, Json};

use super::{wire_kind, word};
use crate::connect::Runtime;
use crate::context::Context;
use crate::disk::Disk;
use crate::exit::Exit;
use crate::failure::{Asked, Failure};
use crate::local;
use crate::render::{Output, escape};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The document's file. What it refers to is looked for in the folder above `tools/` or
    /// `policies/` when the file lies in such a folder, else beside the file.
    file: PathBuf,
    /// Have the runtime check it, and publish nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(
    args: Args,
    kind: DocumentKind,
    context: &Context,
) -> Result<Exit, Failure> {
    let local = Local::compile(&args.file, kind)?;
    local::report(&local.diagnostics, &local.sources, context);
    local.check(kind, context)?;
    let runtime = Runtime::dial(context).await?;
    let published = local.send(&runtime, kind, args.dry_run, context).await?;
    let data = Json::from_members([
        ("kind", Json::from(kind.as_str())),
        ("namespace", Json::from(published.namespace.as_str())),
        ("name", Json::from(published.name.as_str())),
        ("version", Json::from(published.version.as_str())),
        ("digest", Json::from(published.digest.as_str())),
        ("dry_run", Json::from(args.dry_run)),
    ]);
    context.printer.data(args.output.format, &data, || {
        let PublishDocumentResponse {
            namespace,
            name,
            version,
            ..
        } = &published;
        escape::inline(&format!("{namespace}.{name} {version}")) + "\n"
    })?;
    if args.dry_run {
        context.printer.note("note: nothing was published");
    }
    Ok(Exit::Done)
}

/// What compiling here came to.
struct Local {
    /// What it was found to be.
    kind: Option<DocumentKind>,
    diagnostics: Vec<Diagnostic>,
    sources: BTreeMap<String, Vec<u8>>,
    path: String,
}

impl Local {
    fn compile(file: &Path, kind: DocumentKind) -> Result<Self, Failure> {
        let failed = || Failure::new(Exit::Failed, format!("read {}", word(kind)));
        local::must_exist(file, &failed)?;
        if file.is_dir() {
            let text = format!("{} is a folder", file.display());
            let why = io::Error::new(io::ErrorKind::IsADirectory, text);
            let folder = kind.folder();
            let hint = format!("name a file, such as {folder}/NAME.yaml");
            return Err(failed().because(&why).hint(hint));
        }
        let (root, path) = root(file, kind).ok_or_else(failed)?;
        let disk = Disk::open(&root).map_err(|why| failed().because(&why))?;
        let recorder = Recorder::new(&disk);
        let compiled = publish::document(&recorder, &Catalog::default(), &path);
        Ok(Self {
            kind: compiled.entry.map(|it| it.kind),
            diagnostics: compiled.diagnostics,
            sources: recorder.into_sources(),
            path,
        })
    }

    fn check(&self, kind: DocumentKind, context: &Context) -> Result<(), Failure> {
        match self.kind {
            Some(found) if found == kind => Ok(()),
            Some(found) => {
                let message = format!("{} is a {found}, not a {kind}", self.path);
                let program = &context.program;
                let hint = format!("use `{program} {} publish`", found.folder());
                Err(Failure::new(Exit::Invalid, message).hint(hint))
            }
            None => Err(local::invalid(word(kind), &self.diagnostics)),
        }
    }

    async fn send(
        &self,
        runtime: &Runtime,
        kind: DocumentKind,
        dry_run: bool,
        context: &Context,
    ) -> Result<PublishDocumentResponse, Failure> {
        let file = |(path, content): (&String, &Vec<u8>)| SourceFile {
            path: path.clone(),
            content: content.clone(),
        };
        let request = PublishDocumentRequest {
            files: self.sources.iter().map(file).collect(),
            path: self.path.clone(),
            actor: context.environment.actor(),
            dry_run,
            kind: wire_kind(kind).into(),
        };
        let action = format!("publish {}", word(kind));
        let answer = runtime.catalog().publish_document(request).await;
        let published = answer
            .map_err(runtime.failed_as(&action, Asked::Publish))?
            .into_inner();
        for theirs in &published.diagnostics {
            if !self.diagnostics.iter().any(|it| local::is_same(it, theirs)) {
                context.printer.diagnostics(&local::remote(theirs));
            }
        }
        Ok(published)
    }
}

/// The folder that references start from, and the file's path from there.
fn root(file: &Path, kind: DocumentKind) -> Option<(PathBuf, String)> {
    let name = file.file_name()?.to_str()?;
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // `.` and `..` have names of their own.
    let real = folder.canonicalize().ok()?;
    if real.file_name().is_some_and(|it| it == kind.folder()) {
        let root = real.parent()?.to_owned();
        return Some((root, format!("{}/{name}", kind.folder())));
    }
    Some((real, name.to_owned()))
}

#[cfg(test)]
mod tests {
    use spec::DocumentKind;

    use super::root;

    #[test]
    fn where_references_start() {
        let outer = tempfile::tempdir().unwrap();
        let bundle = outer.path().canonicalize().unwrap();
        std::fs::create_dir_all(bundle.join("tools/deep")).unwrap();
        for (file, kind, folder, path) in [
            ("tools/pay.yaml", DocumentKind::Tool, "", "tools/pay.yaml"),
            (
                "tools/deep/../pay.yaml",
                DocumentKind::Tool,
                "",
                "tools/pay.yaml",
            ),
            (
                "tools/deep/pay.yaml",
                DocumentKind::Tool,
                "tools/deep",
                "pay.yaml",
            ),
            ("pay.yaml", DocumentKind::Tool, "", "pay.yaml"),
            ("tools/pay.yaml", DocumentKind::Policy, "tools", "pay.yaml"),
        ] {
            let (found, name) = root(&bundle.join(file), kind).unwrap();
            let expected = bundle.join(folder);
            assert_eq!(
                found.components().as_path(),
                expected.components().as_path()
            );
            assert_eq!(name, path);
        }
        assert_eq!(
            root(&bundle.join("none/pay.yaml"), DocumentKind::Tool),
            None
        );
    }
}
