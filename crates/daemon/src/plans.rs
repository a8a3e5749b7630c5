//! Compiled versions, shared by their sessions.

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
    compiled: Mutex<BTreeMap<VersionId, (Digest, Arc<Plan>)>>,
}

impl Plans {
    pub(crate) fn new(store: Store, settings: Settings) -> Self {
        Self {
            store,
            settings,
            compiled: Mutex::default(),
        }
    }

    pub(crate) async fn get(
        &self,
        version: &VersionId,
        digest: Digest,
    ) -> Result<Arc<Plan>, PlanUnavailable> {
        if let Some(plan) = self.cached(version, digest) {
            return Ok(plan);
        }
        let unusable = |why: String| PlanUnavailable {
            version: version.clone(),
            why,
            transient: false,
        };
        let stored = self.store.snapshot(version).await;
        let stored = stored.map_err(|error| PlanUnavailable {
            transient: true,
            ..unusable(error.to_string())
        })?;
        let (recorded, bytes) =
            stored.ok_or_else(|| unusable("it is not in the catalog".to_owned()))?;
        if recorded != digest || Digest::of(&bytes) != digest {
            return Err(unusable(format!(
                "its content hash is {recorded}, not {digest}"
            )));
        }
        let snapshot = Snapshot::from_canonical(&bytes).map_err(|e| unusable(e.to_string()))?;
        let plan = Plan::compile(version.clone(), snapshot, self.settings)
            .map_err(|e| unusable(e.to_string()))?;
        let plan = Arc::new(plan);
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if compiled.len() >= PLANS_MAX {
            compiled.pop_first();
        }
        compiled.insert(version.clone(), (digest, Arc::clone(&plan)));
        Ok(plan)
    }

    fn cached(&self, version: &VersionId, digest: Digest) -> Option<Arc<Plan>> {
        let compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        compiled
            .get(version)
            .filter(|(it, _)| *it == digest)
            .map(|(_, plan)| Arc::clone(plan))
    }
}
