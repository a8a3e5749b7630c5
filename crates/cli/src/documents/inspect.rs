//! `tools inspect`, `policies inspect`: one version of a document, with the document.

use proto::ordain::v1::{DocumentVersion, GetDocumentRequest};
use spec::{DocumentKind, Json};

use super::{Reference, versions, wire_kind, word};
use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{Format, Output, escape, text};
use crate::wire;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Its id, as namespace.name, with a version or a constraint as in a document. Without one it is
    /// what a reference without one means: the highest stable version that is not deprecated.
    #[arg(value_name = "ID[@CONSTRAINT]")]
    id: String,
    /// Print JSON; the same as -o json.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(
    args: Args,
    kind: DocumentKind,
    context: &Context,
) -> Result<Exit, Failure> {
    let reference = Reference::parse(kind, &args.id)?;
    let runtime = Runtime::dial(context).await?;
    let request = GetDocumentRequest {
        kind: wire_kind(kind).into(),
        namespace: reference.namespace.clone(),
        name: reference.name.clone(),
        constraint: reference.version.clone(),
    };
    let action = format!("get {}", word(kind));
    let answer = runtime.catalog().get_document(request).await;
    let answer = answer.map_err(runtime.failed(&action))?.into_inner();
    let version = answer.version.unwrap_or_default();
    let document = wire::from_bytes(&answer.document).unwrap_or(Json::Null);
    let format = if args.json {
        Format::Json
    } else {
        args.output.format
    };
    let data = to_json(kind, &reference, &version, &document);
    context.printer.data(format, &data, || {
        sheet(kind, &reference, &version, &document)
    })?;
    Ok(Exit::Done)
}

fn sheet(
    kind: DocumentKind,
    reference: &Reference,
    version: &DocumentVersion,
    document: &Json,
) -> String {
    let Reference {
        namespace, name, ..
    } = reference;
    let id = format!("{namespace}.{name}@{}", version.version);
    let mut sheet = String::new();
    for (key, value) in [
        (word(kind), id.as_str()),
        ("digest", &version.digest),
        ("published_at", &version.published_at),
        ("published_by", &version.published_by),
        ("deprecated_at", &version.deprecated_at),
        ("deprecated_by", &version.deprecated_by),
    ] {
        if !value.is_empty() {
            let key = format!("{key}:");
            sheet.push_str(&escape::inline(&format!("{key:<14} {value}")));
            sheet.push('\n');
        }
    }
    sheet.push('\n');
    sheet.push_str(&text::yaml(document));
    sheet
}

fn to_json(
    kind: DocumentKind,
    reference: &Reference,
    version: &DocumentVersion,
    document: &Json,
) -> Json {
    let mut members = versions::to_json(version);
    if let Json::Object(members) = &mut members {
        members.extend([
            ("kind".to_owned(), Json::from(kind.as_str())),
            (
                "namespace".to_owned(),
                Json::from(reference.namespace.as_str()),
            ),
            ("name".to_owned(), Json::from(reference.name.as_str())),
            ("document".to_owned(), document.clone()),
        ]);
    }
    members
}
