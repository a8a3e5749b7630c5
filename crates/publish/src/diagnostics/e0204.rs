//! A word that is not one of those allowed here.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0204");

pub(crate) fn unknown_word(at: &Location, word: &str, words: &[&str]) -> Diagnostic {
    let all = format!("one of {}", words.join(", "));
    let help = suggest::did_you_mean(word, words.iter().copied())
        .map_or_else(|| all.clone(), |near| format!("{near} ({all})"));
    at.error(CODE, format!("unknown value `{word}`")).with_help(help)
}
