//! Compiled versions, each with the overlay of its last deployment, shared by their sessions.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use runtime::PlanUnavailable;
use session::{Plan, Settings};
use spec::{Digest, Snapshot, VersionId};
use store::Store;

/// Plans kept in memory; beyond it one is dropped and compiled again when needed.
const PLANS_MAX: usize = 256;

pub(crate) struct Plans {
    store: Store,
    settings: Settings,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    compiled: BTreeMap<VersionId, (Digest, Arc<Plan>)>,
    /// Counts the times that something was forgotten: what was read before is not kept after.
    forgotten: u64,
}

impl Plans {
    pub(crate) fn new(store: Store, settings: Settings) -> Self {
        Self {
            store,
            settings,
            kept: Mutex::default(),
        }
    }

    /// The version as its sessions go by it now.
    pub(crate) async fn get(
        &self,
        version: &VersionId,
        digest: Digest,
    ) -> Result<Arc<Plan>, PlanUnavailable> {
        let (known, forgotten) = self.cached(version, digest);
        if let Some(plan) = known {
            return Ok(plan);
        }
        let plan = Arc::new(self.compile(version, digest).await?);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.forgotten == forgotten {
            if kept.compiled.len() >= PLANS_MAX {
                kept.compiled.pop_first();
            }
            let entry = (digest, Arc::clone(&plan));
            kept.compiled.insert(version.clone(), entry);
        }
        Ok(plan)
    }

    /// Has the version be read again, since it was deployed with another overlay or without one.
    pub(crate) fn forget(&self, version: &VersionId) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.compiled.remove(version);
        kept.forgotten = kept.forgotten.wrapping_add(1);
    }

    async fn compile(&self, version: &VersionId, digest: Digest) -> Result<Plan, PlanUnavailable> {
        let unusable = |why: String| PlanUnavailable {
            version: version.clone(),
            why,
            transient: false,
        };
        let unread = |error: runtime::LoadError| PlanUnavailable {
            transient: true,
            ..unusable(error.to_string())
        };
        let stored = self.store.snapshot(version).await.map_err(unread)?;
        let (recorded, bytes) =
            stored.ok_or_else(|| unusable("it is not in the catalog".to_owned()))?;
        if recorded != digest || Digest::of(&bytes) != digest {
            return Err(unusable(format!(
                "its content hash is {recorded}, not {digest}"
            )));
        }
        let overlaid = self.store.overlaid(version).await.map_err(unread)?;
        let read = |bytes: &[u8]| {
            let snapshot = Snapshot::from_canonical(bytes).map_err(|e| unusable(e.to_string()))?;
            Plan::compile(version.clone(), snapshot, self.settings)
                .map_err(|e| unusable(e.to_string()))
        };
        match overlaid {
            Some(bytes) => Ok(read(&bytes)?.overlaid(Digest::of(&bytes))),
            None => read(&bytes),
        }
    }

    /// The plan, if it is kept, and how often something has been forgotten so far.
    fn cached(&self, version: &VersionId, digest: Digest) -> (Option<Arc<Plan>>, u64) {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept
            .compiled
            .get(version)
            .filter(|(it, _)| *it == digest)
            .map(|(_, plan)| Arc::clone(plan));
        (known, kept.forgotten)
    }
}
