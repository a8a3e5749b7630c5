//! Compiling here, with the runtime's catalog asked for what the files here do not have. Knows rounds
//! and the connection; not what is compiled.

use std::time::Duration;

use proto::ordain::v1::{LookUpRequest, LookedUpDocument, WantedDocument};
use publish::{Catalog, Entry, Wanted};
use spec::DocumentKind;
use tonic::{Code, Status};

use crate::connect::Runtime;
use crate::context::Context;
use crate::documents;
use crate::failure::{self, Failure};
use crate::render::escape;

/// Each answer may be about the first of what was asked for only.
const ROUNDS_MAX: usize = 64;
/// The most that a runtime answers about at once.
const WANTED_MAX: usize = 256;

/// How long one question may hold a command up that could do without.
const ANSWER_WAIT: Duration = Duration::from_secs(10);

/// Compiles; if something is missing that the catalog may have, looks it up and compiles again. A
/// runtime that cannot be asked is no failure: what is missing then says so. The catalog, as far as it
/// was looked up, comes back with what was compiled last.
pub(crate) async fn with_catalog<T>(
    context: &Context,
    compile: impl Fn(&Catalog) -> (T, Vec<Wanted>),
) -> Result<(T, Catalog), Failure> {
    let mut catalog = Catalog::default();
    let (mut compiled, mut wanted) = compile(&catalog);
    // What the files here have themselves is no reason to call anybody.
    if !wanted.iter().any(|it| it.required) {
        return Ok((compiled, catalog));
    }
    let runtime = Runtime::dial_quietly(context)?;
    for _ in 0..ROUNDS_MAX {
        if wanted.is_empty() {
            break;
        }
        let answer = tokio::time::timeout(ANSWER_WAIT, ask(&runtime, &wanted, &mut catalog));
        let answer = answer.await.unwrap_or_else(|_| {
            let seconds = ANSWER_WAIT.as_secs();
            Err(Status::deadline_exceeded(format!(
                "no answer within {seconds} s"
            )))
        });
        let is_asked = match answer {
            Ok(learnt) => learnt,
            Err(status) => {
                catalog.set_unavailable(&why(&status, &context.address));
                false
            }
        };
        (compiled, wanted) = compile(&catalog);
        if !is_asked {
            break;
        }
    }
    Ok((compiled, catalog))
}

/// Whether anything new was learnt.
async fn ask(runtime: &Runtime, wanted: &[Wanted], catalog: &mut Catalog) -> Result<bool, Status> {
    let asked = wanted.iter().take(WANTED_MAX);
    let one = |it: &Wanted| WantedDocument {
        kind: documents::wire_kind(it.kind).into(),
        id: it.id.clone(),
    };
    let request = LookUpRequest {
        wanted: asked.clone().map(one).collect(),
    };
    let answer = runtime.catalog().look_up(request).await?.into_inner();
    let mut has_learnt = false;
    for (it, answer) in asked.zip(answer.documents) {
        // Answers come in the order of the questions; one that does not is about something else.
        if answer.id == it.id && answer.kind() == documents::wire_kind(it.kind) {
            take(it, answer, catalog);
            has_learnt = true;
        }
    }
    Ok(has_learnt)
}

fn take(wanted: &Wanted, answer: LookedUpDocument, catalog: &mut Catalog) {
    let kind: DocumentKind = wanted.kind;
    catalog.add_names(kind, answer.others);
    let entry = |it: proto::ordain::v1::CatalogEntry| Entry {
        version: it.version,
        document: it.document,
        deprecated: it.deprecated,
    };
    catalog.insert(wanted, answer.entries.into_iter().map(entry).collect());
}

fn why(status: &Status, address: &str) -> String {
    if failure::is_transport(status) {
        return format!("nothing answers at {address}");
    }
    if status.code() == Code::Unimplemented {
        return format!("the runtime at {address} has none");
    }
    let message = escape::inline(status.message());
    format!("the runtime at {address} says: {message}")
}

#[cfg(test)]
mod tests {
    use tonic::Status;

    use super::why;

    #[test]
    fn why_nobody_was_asked() {
        for (status, text) in [
            (Status::unimplemented(""), "the runtime at host:1 has none"),
            (
                Status::unavailable("the store\u{1b} is away"),
                "the runtime at host:1 says: the store\\u{1b} is away",
            ),
        ] {
            assert_eq!(why(&status, "host:1"), text);
        }
    }
}
