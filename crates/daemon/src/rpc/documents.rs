//! The catalog's own service: documents published by themselves, listed, looked up, deprecated. The
//! server compiles what it is given; the rules of versions are in the store.

use std::collections::BTreeSet;

use proto::ordain::v1 as wire;
use proto::ordain::v1::catalog_server::Catalog;
use publish::CatalogDocument;
use spec::DocumentKind;
use store::{DOCUMENT_PAGE_MAX, DocumentError, DocumentId, DocumentVersion, NewDocument};
use tonic::{Request, Response, Status};

use super::Service;
use super::lookups::{self, Asked};
use super::publishing::{diagnostic, invalid, sources};
use crate::clock::rfc3339;
use crate::wire::status::{invalid_field, of_document, of_load};

/// The most documents that are looked up at once.
const WANTED_MAX: usize = 256;
/// When an answer has so many bytes, what else was asked for is left out of it.
const ANSWER_BYTES_MAX: usize = 32 * 1024 * 1024;
/// The most versions that are listed of a document in which none was found.
const LISTED_MAX: usize = 10;

#[tonic::async_trait]
impl Catalog for Service {
    async fn publish_document(
        &self,
        request: Request<wire::PublishDocumentRequest>,
    ) -> Result<Response<wire::PublishDocumentResponse>, Status> {
        self.accepting()?;
        let request = request.into_inner();
        let expected = optional_kind(request.kind)?;
        let files = sources(request.files)?;
        let path = request.path;
        let compiled = self
            .with_catalog(Asked::Everything, move |catalog| {
                let compiled = publish::document(&files, catalog, &path);
                let wanted = compiled.wanted.clone();
                (compiled, wanted)
            })
            .await?;
        let Some(entry) = compiled.entry else {
            return Err(invalid("document", &compiled.diagnostics));
        };
        if let Some(expected) = expected.filter(|it| *it != entry.kind) {
            let text = format!("{} is a {}, not a {expected}", entry.id, entry.kind);
            return Err(invalid_field("kind", text));
        }
        let mut response = wire::PublishDocumentResponse {
            namespace: entry.id.namespace.clone(),
            name: entry.id.name.clone(),
            version: entry.id.version.clone(),
            digest: entry.digest.to_string(),
            diagnostics: compiled.diagnostics.iter().map(diagnostic).collect(),
            ..Default::default()
        };
        response.set_kind(wire_kind(entry.kind));
        if !request.dry_run {
            self.keep_document(entry, &request.actor).await?;
        }
        Ok(Response::new(response))
    }

    async fn list_documents(
        &self,
        request: Request<wire::ListDocumentsRequest>,
    ) -> Result<Response<wire::ListDocumentsResponse>, Status> {
        let request = request.into_inner();
        let kind = kind(request.kind)?;
        let size = usize::try_from(request.page_size)
            .map_err(|_| invalid_field("page_size", "page_size is negative"))?;
        let size = if size == 0 { DOCUMENT_PAGE_MAX } else { size }.min(DOCUMENT_PAGE_MAX);
        let after = match request.page_token.as_str() {
            "" => ("", ""),
            token => token
                .rsplit_once('.')
                .ok_or_else(|| invalid_field("page_token", "page_token is none of ours"))?,
        };
        let namespace = Some(request.namespace.as_str()).filter(|it| !it.is_empty());
        let page = self.core.store.document_page(kind, namespace, after, size);
        let page = page.await.map_err(|error| of_load(&error))?;
        let next = page.last().filter(|_| page.len() == size);
        let next = next.map(|it| format!("{}.{}", it.id.namespace, it.id.name));
        Ok(Response::new(wire::ListDocumentsResponse {
            next_page_token: next.unwrap_or_default(),
            documents: page.iter().map(summary).collect(),
        }))
    }

    async fn list_document_versions(
        &self,
        request: Request<wire::ListDocumentVersionsRequest>,
    ) -> Result<Response<wire::ListDocumentVersionsResponse>, Status> {
        let request = request.into_inner();
        let id = id(request.kind, request.namespace, request.name)?;
        let mut versions = self.versions_of(&id).await?;
        versions.reverse();
        Ok(Response::new(wire::ListDocumentVersionsResponse {
            versions: versions.into_iter().map(version).collect(),
        }))
    }

    async fn get_document(
        &self,
        request: Request<wire::GetDocumentRequest>,
    ) -> Result<Response<wire::GetDocumentResponse>, Status> {
        let request = request.into_inner();
        let id = id(request.kind, request.namespace, request.name)?;
        let mut versions = self.versions_of(&id).await?;
        let constraint = Some(request.constraint.as_str()).filter(|it| !it.is_empty());
        let index = chosen(constraint, &versions)
            .map_err(|why| invalid_field("constraint", format!("not a constraint: {why}")))?;
        let Some(index) = index else {
            let there: Vec<&str> = versions
                .iter()
                .rev()
                .take(LISTED_MAX)
                .map(|it| it.version.as_str())
                .collect();
            let constraint = constraint.unwrap_or("*");
            let text = format!(
                "no version of {id} satisfies {constraint}; there is {}",
                there.join(", ")
            );
            return Err(Status::not_found(text));
        };
        let found = versions.swap_remove(index);
        let document = self.core.store.document(id.clone(), &found.version).await;
        let document = document.map_err(|error| of_load(&error))?;
        let document = document.ok_or_else(|| {
            Status::data_loss(format!("{id}@{} is listed and not there", found.version))
        })?;
        Ok(Response::new(wire::GetDocumentResponse {
            version: Some(version(found)),
            document,
        }))
    }

    async fn deprecate_document(
        &self,
        request: Request<wire::DeprecateDocumentRequest>,
    ) -> Result<Response<wire::DeprecateDocumentResponse>, Status> {
        self.accepting()?;
        let request = request.into_inner();
        let id = id(request.kind, request.namespace, request.name)?;
        let version = publish::plain_version(&request.version).ok_or_else(|| {
            let text = format!(
                "\"{}\" is not a whole version, such as 1.2.0",
                request.version
            );
            invalid_field("version", text)
        })?;
        let actor = self.actor(&request.actor);
        let now = self.core.clock.now();
        let store = &self.core.store;
        let done = store.deprecate_document(id, &version, &actor, now).await;
        done.map_err(|error| of_document(&error))?;
        Ok(Response::new(wire::DeprecateDocumentResponse { version }))
    }

    async fn look_up(
        &self,
        request: Request<wire::LookUpRequest>,
    ) -> Result<Response<wire::LookUpResponse>, Status> {
        let wanted = request.into_inner().wanted;
        if wanted.len() > WANTED_MAX {
            let text = format!("{} documents; ask for at most {WANTED_MAX}", wanted.len());
            return Err(invalid_field("wanted", text));
        }
        let store = &self.core.store;
        let mut bytes = 0_usize;
        let mut documents = Vec::new();
        let mut named = BTreeSet::new();
        for it in wanted {
            let kind = kind(it.kind)?;
            let entries = lookups::look_up(store, kind, &it.id).await?;
            let size: usize = entries.iter().map(|it| it.document.len()).sum();
            bytes = bytes.saturating_add(size);
            if bytes > ANSWER_BYTES_MAX && !documents.is_empty() {
                break;
            }
            // The same ids would do for the next one too.
            let others = if entries.is_empty() && named.insert(kind) {
                lookups::others(store, kind).await?
            } else {
                Vec::new()
            };
            let entry = |it: publish::Entry| wire::CatalogEntry {
                version: it.version,
                document: it.document,
                deprecated: it.deprecated,
            };
            documents.push(wire::LookedUpDocument {
                kind: it.kind,
                id: it.id,
                entries: entries.into_iter().map(entry).collect(),
                others,
            });
        }
        Ok(Response::new(wire::LookUpResponse { documents }))
    }
}

impl Service {
    async fn keep_document(&self, entry: CatalogDocument, actor: &str) -> Result<(), Status> {
        let offered = entry.document.clone();
        let new = NewDocument {
            id: DocumentId {
                kind: entry.kind,
                namespace: entry.id.namespace,
                name: entry.id.name,
            },
            // Compiling has taken build metadata off.
            version_key: entry.id.version.clone(),
            version: entry.id.version,
            digest: entry.digest,
            document: entry.document,
            actor: self.actor(actor),
            now: self.core.clock.now(),
        };
        let kept = self.core.store.publish_document(new).await;
        kept.map_err(|error| match &error {
            DocumentError::AlreadyExists { document, .. } if *document != offered => {
                let differ = publish::differences(document, &offered).join(", ");
                Status::already_exists(format!("{error}; what differs: {differ}"))
            }
            DocumentError::AlreadyExists { .. }
            | DocumentError::Full { .. }
            | DocumentError::NotFound { .. }
            | DocumentError::AlreadyDeprecated { .. }
            | DocumentError::Unavailable(_) => of_document(&error),
        })
    }

    /// The versions of a document that is there.
    async fn versions_of(&self, id: &DocumentId) -> Result<Vec<DocumentVersion>, Status> {
        let versions = self.core.store.document_versions(id.clone()).await;
        let versions = versions.map_err(|error| of_load(&error))?;
        if versions.is_empty() {
            return Err(Status::not_found(format!("{id} not found")));
        }
        Ok(versions)
    }
}

fn optional_kind(kind: i32) -> Result<Option<DocumentKind>, Status> {
    match wire::DocumentKind::try_from(kind) {
        Ok(wire::DocumentKind::Unspecified) => Ok(None),
        Ok(wire::DocumentKind::Tool) => Ok(Some(DocumentKind::Tool)),
        Ok(wire::DocumentKind::Policy) => Ok(Some(DocumentKind::Policy)),
        Err(error) => Err(invalid_field("kind", error.to_string())),
    }
}

fn kind(kind: i32) -> Result<DocumentKind, Status> {
    let kind = optional_kind(kind)?;
    kind.ok_or_else(|| invalid_field("kind", "kind is missing"))
}

fn wire_kind(kind: DocumentKind) -> wire::DocumentKind {
    match kind {
        DocumentKind::Tool => wire::DocumentKind::Tool,
        DocumentKind::Policy => wire::DocumentKind::Policy,
    }
}

fn id(of: i32, namespace: String, name: String) -> Result<DocumentId, Status> {
    let kind = kind(of)?;
    for (field, value) in [("namespace", &namespace), ("name", &name)] {
        if value.is_empty() {
            return Err(invalid_field(field, format!("{field} is missing")));
        }
    }
    Ok(DocumentId {
        kind,
        namespace,
        name,
    })
}

/// The version that a reference with this constraint means.
fn chosen(constraint: Option<&str>, versions: &[DocumentVersion]) -> Result<Option<usize>, String> {
    let versions: Vec<(&str, bool)> = versions
        .iter()
        .map(|it| (it.version.as_str(), it.deprecated_at.is_some()))
        .collect();
    publish::choose(constraint, &versions)
}

fn summary(row: &store::DocumentRow) -> wire::DocumentSummary {
    // Without a constraint there is nothing to be wrong with one.
    let latest = chosen(None, &row.versions).ok().flatten();
    let latest = latest.and_then(|index| row.versions.get(index));
    wire::DocumentSummary {
        namespace: row.id.namespace.clone(),
        name: row.id.name.clone(),
        latest: latest.map(|it| it.version.clone()).unwrap_or_default(),
        versions: i32::try_from(row.versions.len()).unwrap_or(i32::MAX),
        deprecated: row.versions.iter().all(|it| it.deprecated_at.is_some()),
    }
}

fn version(it: DocumentVersion) -> wire::DocumentVersion {
    wire::DocumentVersion {
        version: it.version,
        digest: it.digest.to_string(),
        published_at: rfc3339(it.published_at),
        published_by: it.published_by,
        deprecated_at: it.deprecated_at.map(rfc3339).unwrap_or_default(),
        deprecated_by: it.deprecated_by.unwrap_or_default(),
    }
}
