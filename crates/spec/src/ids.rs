//! Identifiers. Those of calls and approvals are derived, never drawn, so that a replay or a
//! restart names the same thing by the same name.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// The id spelled `text`; foreign ids are opaque, so any text is one.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The id's text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id! {
    /// A session: `run_<uuid>`, opaque to clients.
    SessionId
}
text_id! {
    /// One published version of an agent: a UUID's text.
    VersionId
}
text_id! {
    /// One tool call: `<session>:<agent version>:<completion>:<index>`. Never reused.
    CallId
}
text_id! {
    /// One approval: a UUIDv5's text, derived from what it is about.
    ApprovalId
}
text_id! {
    /// What a worker calls itself.
    WorkerId
}

/// The namespace under which approval ids are derived; a constant of ours, drawn once.
const APPROVALS: Uuid = Uuid::from_u128(0x5b0f_8f0e_3c5d_4d6b_9d0e_7f0a_61c2_94e7);

impl CallId {
    /// The id of the call at `index` (from 0) of the session's `completion` (from 1).
    #[must_use]
    pub fn derive(session: &SessionId, version: &VersionId, completion: u32, index: u32) -> Self {
        Self(format!("{session}:{version}:{completion}:{index}"))
    }

    /// The session that the call belongs to, when the text has the form that we derive.
    #[must_use]
    pub fn session(&self) -> Option<SessionId> {
        let mut parts = self.0.rsplitn(4, ':');
        let index = parts.next()?;
        let completion = parts.next()?;
        let _version = parts.next()?;
        let session = parts.next()?;
        let decimal = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        (decimal(index) && decimal(completion) && !session.is_empty())
            .then(|| SessionId::new(session))
    }
}

impl ApprovalId {
    /// The id of the `ordinal`-th approval (from 0) opened about `subject` — a call id, or a
    /// session id for an approval about the run itself.
    #[must_use]
    pub fn derive(subject: &str, ordinal: u32) -> Self {
        let name = format!("{subject}#{ordinal}");
        Self(Uuid::new_v5(&APPROVALS, name.as_bytes()).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::{ApprovalId, CallId, SessionId, VersionId};

    #[test]
    fn call_ids_are_golden() {
        let id = CallId::derive(&SessionId::new("run_a"), &VersionId::new("v-1"), 3, 0);
        assert_eq!(id.as_str(), "run_a:v-1:3:0");
        assert_eq!(id.session(), Some(SessionId::new("run_a")));
    }

    #[test]
    fn foreign_call_ids_name_no_session() {
        for text in ["", "x", "a:b:c", "a:b:c:d", ":v:1:0", "a:b:1:"] {
            assert_eq!(CallId::new(text).session(), None, "{text}");
        }
    }

    #[test]
    fn approval_ids_are_golden() {
        let id = |ordinal| ApprovalId::derive("run_a:v-1:3:0", ordinal).to_string();
        assert_eq!(id(0), "a0cdbe4a-6445-541c-a99e-28bea72d1437");
        assert_eq!(id(1), "b8e127a5-02b5-5d92-8bea-100d60d8d444");
    }
}
