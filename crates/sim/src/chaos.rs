//! When the runtime dies: a countdown over all the points at which it may.

use std::sync::{Arc, Mutex, PoisonError};

/// Shared by the journal and the world, since both die at once.
#[derive(Clone, Default)]
pub struct Chaos(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    passed: u64,
    fuse: Option<u64>,
    dead: bool,
}

impl Chaos {
    fn with<T>(&self, body: impl FnOnce(&mut Inner) -> T) -> T {
        body(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A point at which the process may die. True when it is dead: nothing may happen any more.
    #[must_use]
    pub fn point(&self) -> bool {
        self.with(|it| {
            if !it.dead {
                if it.fuse == Some(it.passed) {
                    it.dead = true;
                }
                it.passed += 1;
            }
            it.dead
        })
    }

    /// Whether the process is dead.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.with(|it| it.dead)
    }

    /// Points passed so far, over all lives.
    #[must_use]
    pub fn passed(&self) -> u64 {
        self.with(|it| it.passed)
    }

    /// Dies at the `points`-th point from now (0 is the next).
    pub fn die_after(&self, points: u64) {
        self.with(|it| it.fuse = Some(it.passed + points));
    }

    /// A new process.
    pub fn revive(&self) {
        self.with(|it| {
            it.dead = false;
            it.fuse = None;
        });
    }
}
