//! `tools deprecate`, `policies deprecate`: a version that nobody new should use.

use proto::ordain::v1::DeprecateDocumentRequest;
use spec::{DocumentKind, Json};

use super::{Reference, wire_kind, word};
use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{Output, escape};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Its version, as namespace.name@version.
    #[arg(value_name = "ID@VERSION")]
    id: String,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(
    args: Args,
    kind: DocumentKind,
    context: &Context,
) -> Result<Exit, Failure> {
    let reference = Reference::parse_version(kind, &args.id)?;
    let Reference {
        namespace,
        name,
        version,
    } = reference;
    let runtime = Runtime::dial(context).await?;
    let request = DeprecateDocumentRequest {
        kind: wire_kind(kind).into(),
        namespace: namespace.clone(),
        name: name.clone(),
        version,
        actor: context.environment.actor(),
    };
    let action = format!("deprecate {}", word(kind));
    let answer = runtime.catalog().deprecate_document(request).await;
    let version = answer
        .map_err(runtime.failed(&action))?
        .into_inner()
        .version;
    let data = Json::from_members([
        ("kind", Json::from(kind.as_str())),
        ("namespace", Json::from(namespace.as_str())),
        ("name", Json::from(name.as_str())),
        ("version", Json::from(version.as_str())),
    ]);
    context.printer.data(args.output.format, &data, || {
        escape::inline(&format!("deprecated {namespace}.{name}@{version}")) + "\n"
    })?;
    Ok(Exit::Done)
}
