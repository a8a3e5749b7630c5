//! `tools ls`, `policies ls`: what is in the catalog.

use proto::ordain::v1::{DocumentSummary, ListDocumentsRequest};
use spec::{DocumentKind, Json};

use super::{status, wire_kind};
use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{self, Output};
use crate::wire;

/// The most pages that are asked for.
const PAGES_MAX: usize = 100;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only those of this namespace.
    #[arg(
        short,
        long,
        value_name = "NS",
        default_value = "",
        hide_default_value = true
    )]
    namespace: String,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(
    args: Args,
    kind: DocumentKind,
    context: &Context,
) -> Result<Exit, Failure> {
    let runtime = Runtime::dial(context).await?;
    let mut documents = Vec::new();
    let mut request = ListDocumentsRequest {
        kind: wire_kind(kind).into(),
        namespace: args.namespace,
        ..ListDocumentsRequest::default()
    };
    let action = format!("list {}", kind.folder());
    for _ in 0..PAGES_MAX {
        let answer = runtime.catalog().list_documents(request.clone()).await;
        let page = answer.map_err(runtime.failed(&action))?.into_inner();
        documents.extend(page.documents);
        request.page_token = page.next_page_token;
        if request.page_token.is_empty() {
            break;
        }
    }
    let data = Json::from_members([
        (
            "items",
            Json::Array(documents.iter().map(to_json).collect()),
        ),
        ("next_page_token", Json::from(request.page_token.as_str())),
    ]);
    context.printer.data(args.output.format, &data, || {
        let rows: Vec<_> = documents.iter().map(row).collect();
        render::table(["NAMESPACE", "NAME", "LATEST", "VERSIONS", "STATUS"], &rows)
    })?;
    if !request.page_token.is_empty() {
        let shown = documents.len();
        let text = format!(
            "only the first {shown} {} are shown; name a namespace",
            kind.folder()
        );
        context.printer.warn(&text);
    }
    Ok(Exit::Done)
}

fn row(it: &DocumentSummary) -> [String; 5] {
    [
        it.namespace.clone(),
        it.name.clone(),
        it.latest.clone(),
        it.versions.to_string(),
        status(it.deprecated).to_owned(),
    ]
}

fn to_json(it: &DocumentSummary) -> Json {
    Json::from_members([
        ("namespace", Json::from(it.namespace.as_str())),
        ("name", Json::from(it.name.as_str())),
        ("latest", Json::from(it.latest.as_str())),
        ("versions", wire::count(it.versions)),
        ("status", Json::from(status(it.deprecated))),
    ])
}
