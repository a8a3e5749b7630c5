//! What compiling asks of the catalog, looked up in the store. Knows rounds and bounds; not what is
//! compiled.

use std::collections::BTreeSet;
use std::sync::Arc;

use publish::{Catalog, Entry, Wanted};
use spec::DocumentKind;
use store::{DocumentId, Store};
use tonic::Status;

use super::Service;
use crate::wire::status::of_load;

/// An agent's tools, their policies and probes, and the policies of those: each round knows more.
const ROUNDS_MAX: usize = 16;
/// The most documents that one compilation looks up.
const WANTED_MAX: usize = 1024;
/// The most bytes that one compilation looks up.
const BYTES_MAX: usize = 128 * 1024 * 1024;
/// The most ids that are offered to whoever has mistyped one.
const OTHERS_MAX: usize = 1000;

/// How much of what is wanted is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// What the bundle has itself too, so that one version is one content.
    Everything,
    /// What is not there, and every Tool: of those the catalog has it knows better.
    ToolsAndWhatIsRequired,
}

impl Asked {
    fn about(self, wanted: &Wanted) -> bool {
        match self {
            Asked::Everything => true,
            Asked::ToolsAndWhatIsRequired => wanted.required || wanted.kind == DocumentKind::Tool,
        }
    }
}

impl Service {
    /// Compiles, looks up what is wanted, and compiles again until nothing new is.
    pub(super) async fn with_catalog<T: Send + 'static>(
        &self,
        asked: Asked,
        compile: impl Fn(&Catalog) -> (T, Vec<Wanted>) + Send + Sync + 'static,
    ) -> Result<T, Status> {
        let compile = Arc::new(compile);
        let mut catalog = Catalog::default();
        let mut count = 0_usize;
        let mut bytes = 0_usize;
        for _ in 0..ROUNDS_MAX {
            let (compile, given) = (Arc::clone(&compile), catalog.clone());
            // Compiling takes milliseconds of plain computing: not on a thread that serves others.
            let compiled = tokio::task::spawn_blocking(move || compile(&given));
            let (compiled, wanted) = compiled
                .await
                .map_err(|error| Status::internal(error.to_string()))?;
            let wanted: Vec<Wanted> = wanted.into_iter().filter(|it| asked.about(it)).collect();
            if wanted.is_empty() {
                return Ok(compiled);
            }
            count = count.saturating_add(wanted.len());
            if count > WANTED_MAX {
                let text = format!("more than {WANTED_MAX} Tools and Policies in one bundle");
                return Err(Status::invalid_argument(text));
            }
            answer(&self.core.store, &wanted, &mut catalog, &mut bytes).await?;
        }
        let text = format!("the references lead further than {ROUNDS_MAX} documents");
        Err(Status::invalid_argument(text))
    }
}

/// Looks everything up that is wanted, and counts its bytes; one document more than there may be is the
/// last that is read.
async fn answer(
    store: &Store,
    wanted: &[Wanted],
    catalog: &mut Catalog,
    bytes: &mut usize,
) -> Result<(), Status> {
    let mut named = BTreeSet::new();
    for it in wanted {
        let entries = look_up(store, it.kind, &it.id).await?;
        let size: usize = entries.iter().map(|it| it.document.len()).sum();
        *bytes = bytes.saturating_add(size);
        if *bytes > BYTES_MAX {
            let text = format!("more than {BYTES_MAX} bytes of the catalog for one bundle");
            return Err(Status::resource_exhausted(text));
        }
        if entries.is_empty() && named.insert(it.kind) {
            catalog.add_names(it.kind, others(store, it.kind).await?);
        }
        catalog.insert(it, entries);
    }
    Ok(())
}

/// Every version of a document.
pub(super) async fn look_up(
    store: &Store,
    kind: DocumentKind,
    id: &str,
) -> Result<Vec<Entry>, Status> {
    let Some((namespace, name)) = id.rsplit_once('.') else {
        return Ok(Vec::new());
    };
    let id = DocumentId {
        kind,
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    };
    let rows = store.documents(id).await.map_err(|error| of_load(&error))?;
    let entry = |(row, document): (store::DocumentVersion, Vec<u8>)| Entry {
        version: row.version,
        document,
        deprecated: row.deprecated_at.is_some(),
    };
    Ok(rows.into_iter().map(entry).collect())
}

/// Ids of documents of this kind.
pub(super) async fn others(store: &Store, kind: DocumentKind) -> Result<Vec<String>, Status> {
    let ids = store.document_ids(kind, OTHERS_MAX).await;
    let ids = ids.map_err(|error| of_load(&error))?;
    Ok(ids
        .into_iter()
        .map(|it| format!("{}.{}", it.namespace, it.name))
        .collect())
}
