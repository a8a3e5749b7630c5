//! Journal, payloads, lists, agents and documents on SQLite.
//!
//! Invariant: what was acknowledged is on disk, under the path that the store was opened at. One
//! thread writes and commits whatever has gathered while it was syncing; lists are written in the
//! transaction of the entries that they follow from. It knows nothing of what entries mean, of
//! sockets, of clocks, or of who asks.

mod catalog;
mod checkpoint;
mod documents;
mod fault;
mod journal;
mod link;
mod lists;
mod open;
mod readers;
mod rows;
mod schema;
mod writer;

pub use catalog::{
    Active, AgentRow, CatalogError, Deployed, DeploymentRow, LifecycleError, NewDeployment,
    NewRollback, NewVersion, PublishError, Published, VersionRow,
};
pub use documents::{
    DOCUMENT_BYTES_MAX, DOCUMENT_PAGE_MAX, DOCUMENT_VERSIONS_MAX, DocumentError, DocumentId,
    DocumentRow, DocumentVersion, NewDocument,
};
pub use lists::{
    AgentFilter, ApprovalFilter, ApprovalRow, LIST_ROWS_MAX, SessionFilter, SessionRow,
};
pub use open::{OpenError, Store, StoreSettings};
