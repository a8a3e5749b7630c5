//! Between our nouns and the messages on the wire. Knows nothing of who asks.

pub(crate) mod approval;
pub(crate) mod event;
pub(crate) mod inspect;
pub(crate) mod interactive;
pub(crate) mod json;
pub(crate) mod status;
pub(crate) mod work;

use proto::runtime::v1 as wire;
use session::Usage;

/// 64 bits to the wire's signed 32, saturating.
pub(crate) fn int32(value: u64) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// 64 unsigned bits to signed ones, saturating.
pub(crate) fn int64(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(crate) fn usage(usage: Usage) -> wire::TokenUsage {
    wire::TokenUsage {
        input_tokens: int32(usage.input_tokens),
        output_tokens: int32(usage.output_tokens),
        total_tokens: int32(usage.total()),
        estimated: usage.estimated,
    }
}
