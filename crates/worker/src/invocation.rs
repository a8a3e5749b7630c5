//! A call as its handler sees it. Knows the call's data and whether it was cancelled; not how its
//! outcome travels.

use std::time::{Duration, SystemTime};

use proto::runtime::v1::WorkInvoke;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use tokio::sync::watch;

/// What the author of the tool declared about repeating a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideEffectClass {
    ReadOnly,
    IdempotentWrite,
    NonIdempotentWrite,
    IrreversibleAction,
}

impl SideEffectClass {
    fn from_wire(word: &str) -> Option<Self> {
        match word {
            "read_only" => Some(Self::ReadOnly),
            "idempotent_write" => Some(Self::IdempotentWrite),
            "non_idempotent_write" => Some(Self::NonIdempotentWrite),
            "irreversible_action" => Some(Self::IrreversibleAction),
            _ => None,
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::ReadOnly => "read_only",
            Self::IdempotentWrite => "idempotent_write",
            Self::NonIdempotentWrite => "non_idempotent_write",
            Self::IrreversibleAction => "irreversible_action",
        }
    }
}

/// One call of a tool.
#[derive(Debug)]
pub struct Invocation {
    /// The same for every attempt at this call: the key to make a repetition harmless.
    pub call_id: String,
    pub session_id: String,
    pub agent_version_id: String,
    pub turn: i32,
    pub tool: String,
    pub version: String,
    /// Valid JSON text.
    pub args: Vec<u8>,
    /// `None` when the runtime names no class that this SDK knows.
    pub side_effect_class: Option<SideEffectClass>,
    /// By this worker's clock. After it the runtime no longer waits.
    pub deadline: Option<SystemTime>,
    cancelled: watch::Receiver<bool>,
}

impl Invocation {
    pub(crate) fn new(invoke: WorkInvoke, cancelled: watch::Receiver<bool>) -> Self {
        Self {
            call_id: invoke.call_id,
            session_id: invoke.session_id,
            agent_version_id: invoke.agent_version_id,
            turn: invoke.turn,
            tool: invoke.tool,
            version: invoke.version,
            args: invoke.args,
            side_effect_class: SideEffectClass::from_wire(&invoke.side_effect_class),
            deadline: deadline(invoke.deadline_unix_ms),
            cancelled,
        }
    }

    /// The arguments as a JSON value.
    pub fn json(&self) -> Result<Value, serde_json::Error> {
        self.parse()
    }

    /// The arguments as a type of the handler's own.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&self.args)
    }

    /// Whether the runtime has asked for this call to stop. The handler's outcome is delivered all the
    /// same: only the handler knows how far it came.
    pub fn is_cancelled(&self) -> bool {
        *self.cancelled.borrow()
    }

    /// Ends when the runtime asks for this call to stop; otherwise never.
    pub async fn cancelled(&self) {
        let mut cancelled = self.cancelled.clone();
        // An error means that nobody can cancel any more, not that somebody did.
        if cancelled.wait_for(|it| *it).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Fills in the empty object that absent arguments stand for; `Err` says why they are not JSON.
pub(crate) fn checked_args(args: Vec<u8>) -> Result<Vec<u8>, String> {
    if args.is_empty() {
        return Ok(b"{}".to_vec());
    }
    is_json(&args)?;
    Ok(args)
}

/// Whether `text` is exactly one JSON value; `Err` says why not.
pub(crate) fn is_json(text: &[u8]) -> Result<(), String> {
    // Skipping over a string does not look at its bytes, so they are looked at first.
    let text = std::str::from_utf8(text).map_err(|why| why.to_string())?;
    serde_json::from_str::<IgnoredAny>(text).map_err(|why| why.to_string())?;
    Ok(())
}

fn deadline(unix_ms: i64) -> Option<SystemTime> {
    let ms = u64::try_from(unix_ms).ok().filter(|it| *it > 0)?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_arguments_are_an_empty_object() {
        assert_eq!(checked_args(Vec::new()).unwrap(), b"{}");
    }

    #[test]
    fn arguments_are_kept_as_written() {
        assert_eq!(checked_args(b"[1.10]".to_vec()).unwrap(), b"[1.10]");
    }

    #[test]
    fn arguments_must_be_one_json_text() {
        for bad in ["{", "{} {}", "nul", "\u{feff}{}"] {
            assert!(checked_args(bad.into()).is_err(), "{bad}");
        }
        assert!(checked_args(vec![b'"', 0xff, b'"']).is_err());
    }

    #[test]
    fn no_deadline_is_zero_or_less() {
        assert_eq!(deadline(0), None);
        assert_eq!(deadline(-1), None);
        assert_eq!(
            deadline(1500),
            Some(SystemTime::UNIX_EPOCH + Duration::from_millis(1500))
        );
    }

    #[test]
    fn an_unknown_class_is_none() {
        assert_eq!(
            SideEffectClass::from_wire("irreversible_action"),
            Some(SideEffectClass::IrreversibleAction)
        );
        assert_eq!(SideEffectClass::from_wire("harmless"), None);
    }

    #[test]
    fn a_class_and_its_word_belong_together() {
        use SideEffectClass::{IdempotentWrite, IrreversibleAction, NonIdempotentWrite, ReadOnly};
        for class in [
            ReadOnly,
            IdempotentWrite,
            NonIdempotentWrite,
            IrreversibleAction,
        ] {
            assert_eq!(SideEffectClass::from_wire(class.word()), Some(class));
        }
    }
}
