//! Columns to values and back. A column that does not read is an error, never a guess.

use rusqlite::types::Type;
use rusqlite::{Error, Row};
use session::Status;
use spec::{Digest, Time};

#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a word that this binary knows")]
struct UnknownWord(String);

/// A sequence number, which SQLite keeps signed.
pub(crate) fn seq_in(seq: u64) -> rusqlite::Result<i64> {
    i64::try_from(seq).map_err(|error| Error::ToSqlConversionFailure(error.into()))
}

pub(crate) fn seq(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let signed: i64 = row.get(column)?;
    u64::try_from(signed).map_err(|_| Error::IntegralValueOutOfRange(column, signed))
}

pub(crate) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Time> {
    seq(row, column).map(Time::from_unix_ms)
}

pub(crate) fn time_maybe(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Time>> {
    let signed: Option<i64> = row.get(column)?;
    signed.map(|_| time(row, column)).transpose()
}

pub(crate) fn digest(row: &Row<'_>, column: usize) -> rusqlite::Result<Digest> {
    row.get(column).map(Digest::from_bytes)
}

pub(crate) fn status(row: &Row<'_>, column: usize) -> rusqlite::Result<Status> {
    let word: String = row.get(column)?;
    Status::ALL
        .into_iter()
        .find(|status| status.as_str() == word)
        .ok_or_else(|| unknown(column, word))
}

/// One of the four words of approvals on the wire.
pub(crate) fn approval_word(row: &Row<'_>, column: usize) -> rusqlite::Result<&'static str> {
    const WORDS: [&str; 4] = ["pending", "approved", "denied", "escalated"];
    let word: String = row.get(column)?;
    WORDS
        .into_iter()
        .find(|it| *it == word)
        .ok_or_else(|| unknown(column, word))
}

fn unknown(column: usize, word: String) -> Error {
    Error::FromSqlConversionFailure(column, Type::Text, UnknownWord(word).into())
}
