//! `tools versions`, `policies versions`: what was published of one document.

use proto::ordain::v1::{DocumentVersion, ListDocumentVersionsRequest};
use spec::{DocumentKind, Json};

use super::{Reference, status, wire_kind, word};
use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{self, Output};
use crate::wire;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Its id, as namespace.name.
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(
    args: Args,
    kind: DocumentKind,
    context: &Context,
) -> Result<Exit, Failure> {
    let reference = Reference::parse_id(kind, &args.id)?;
    let runtime = Runtime::dial(context).await?;
    let request = ListDocumentVersionsRequest {
        kind: wire_kind(kind).into(),
        namespace: reference.namespace,
        name: reference.name,
    };
    let action = format!("list {} versions", word(kind));
    let answer = runtime.catalog().list_document_versions(request).await;
    let versions = answer
        .map_err(runtime.failed(&action))?
        .into_inner()
        .versions;
    let data = wire::list(versions.iter().map(to_json).collect());
    context.printer.data(args.output.format, &data, || {
        let rows: Vec<_> = versions.iter().map(row).collect();
        let header = [
            "VERSION",
            "DIGEST",
            "PUBLISHED_AT",
            "PUBLISHED_BY",
            "STATUS",
        ];
        render::table(header, &rows)
    })?;
    Ok(Exit::Done)
}

fn row(it: &DocumentVersion) -> [String; 5] {
    [
        it.version.clone(),
        it.digest.clone(),
        it.published_at.clone(),
        it.published_by.clone(),
        status(!it.deprecated_at.is_empty()).to_owned(),
    ]
}

/// A version as data.
pub(super) fn to_json(it: &DocumentVersion) -> Json {
    Json::from_members([
        ("version", Json::from(it.version.as_str())),
        ("digest", Json::from(it.digest.as_str())),
        ("published_at", wire::text_or_null(&it.published_at)),
        ("published_by", Json::from(it.published_by.as_str())),
        ("deprecated_at", wire::text_or_null(&it.deprecated_at)),
        ("deprecated_by", wire::text_or_null(&it.deprecated_by)),
        ("status", Json::from(status(!it.deprecated_at.is_empty()))),
    ])
}
