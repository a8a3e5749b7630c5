//! References to bytes that lie beside the events, and the bytes that a decision is given.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use spec::Digest;

/// Bytes on record, named by their digest. Events commit to payloads through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payload {
    /// SHA-256 of the bytes.
    pub digest: Digest,
    /// Length in bytes.
    pub len: u64,
}

/// Payload bytes by digest: those that a decision reads, or those that it adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payloads(BTreeMap<Digest, Arc<[u8]>>);

impl Payloads {
    /// Adds `bytes` and returns their reference.
    pub fn insert(&mut self, bytes: impl Into<Arc<[u8]>>) -> Payload {
        let bytes = bytes.into();
        let digest = Digest::of(&bytes);
        let len = bytes.len() as u64;
        self.0.insert(digest, bytes);
        Payload { digest, len }
    }

    /// The bytes of `digest`, if present.
    #[must_use]
    pub fn get(&self, digest: &Digest) -> Option<&Arc<[u8]>> {
        self.0.get(digest)
    }

    /// Everything held, in digest order.
    pub fn iter(&self) -> impl Iterator<Item = (&Digest, &Arc<[u8]>)> {
        self.0.iter()
    }

    /// Adds everything that `other` holds.
    pub fn extend(&mut self, other: Payloads) {
        self.0.extend(other.0);
    }
}
