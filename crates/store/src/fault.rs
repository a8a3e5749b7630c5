//! The one inner fault, "not available", and how each public error says it.

use runtime::{AppendError, LoadError};

use crate::catalog::{CatalogError, PublishError};

/// The store could not do it now; a later attempt may succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unavailable(pub(crate) String);

impl Unavailable {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }

    /// The thread that would answer is gone.
    pub(crate) fn stopped() -> Self {
        Self::new("the store has stopped")
    }
}

impl From<rusqlite::Error> for Unavailable {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<Unavailable> for AppendError {
    fn from(Unavailable(why): Unavailable) -> Self {
        AppendError::Unavailable(why)
    }
}

impl From<Unavailable> for LoadError {
    fn from(Unavailable(why): Unavailable) -> Self {
        LoadError::Unavailable(why)
    }
}

impl From<Unavailable> for PublishError {
    fn from(Unavailable(why): Unavailable) -> Self {
        PublishError::Unavailable(why)
    }
}

impl From<Unavailable> for CatalogError {
    fn from(Unavailable(why): Unavailable) -> Self {
        CatalogError::Unavailable(why)
    }
}
