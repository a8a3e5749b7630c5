//! Events to bytes and back. The bytes are what the hash chain commits to.

use crate::Entry;

/// Why stored bytes are not an entry.
#[derive(Debug, thiserror::Error)]
#[error("an entry of the journal cannot be read: {0}")]
pub struct CodecError(String);

/// The stored form of an entry: one JSON object.
///
/// # Errors
/// Never for events built by this crate; reported rather than lost if it happens.
pub fn encode(entry: &Entry) -> Result<Vec<u8>, CodecError> {
    serde_json::to_vec(entry).map_err(|error| CodecError(error.to_string()))
}

/// Reads what [`encode`] wrote, in this version or an earlier one.
///
/// # Errors
/// The bytes are no entry, or one of a newer version.
pub fn decode(bytes: &[u8]) -> Result<Entry, CodecError> {
    serde_json::from_slice(bytes).map_err(|error| CodecError(error.to_string()))
}
