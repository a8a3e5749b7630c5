//! What a schema leaves out, said in words. Knows bounds; not schemas.

use spec::Json;

/// The longest thing that is said of one keyword, in bytes of JSON.
const VALUE_BYTES_MAX: usize = 200;
/// The most words at one place, in characters.
const SENTENCE_CHARS_MAX: usize = 400;

/// A keyword and its value; `None` when that would be long.
pub(super) fn keyword(keyword: &str, value: &Json) -> Option<String> {
    let text = short(value)?;
    Some(format!("{keyword} {text}"))
}

/// The same for a list of values.
pub(super) fn list(keyword: &str, values: &[Json]) -> Option<String> {
    let mut left = VALUE_BYTES_MAX;
    let is_short = values.iter().all(|it| is_within(it, &mut left));
    let value = is_short.then(|| Json::Array(values.to_vec()))?;
    self::keyword(keyword, &value)
}

/// The value as JSON, when that is short.
pub(super) fn short(value: &Json) -> Option<String> {
    let mut left = VALUE_BYTES_MAX;
    is_within(value, &mut left).then(|| value.to_canonical())
}

/// Whether the JSON of a value takes at most about `left` bytes, which are taken off; looks at no more
/// of it than that.
pub(super) fn is_within(value: &Json, left: &mut usize) -> bool {
    let own = match value {
        Json::Null | Json::Bool(_) => 4,
        Json::Number(number) => number.to_string().len(),
        Json::String(text) => text.len().saturating_add(2),
        Json::Array(_) | Json::Object(_) => 2,
    };
    let Some(rest) = left.checked_sub(own) else {
        return false;
    };
    *left = rest;
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => true,
        Json::Array(elements) => elements.iter().all(|it| is_within(it, left)),
        Json::Object(members) => members.iter().all(|(key, member)| {
            let Some(rest) = left.checked_sub(key.len().saturating_add(4)) else {
                return false;
            };
            *left = rest;
            is_within(member, left)
        }),
    }
}

/// Everything that is said at one place; empty for nothing. What no longer fits is left unsaid.
pub(super) fn sentence(said: &[String]) -> String {
    let mut text = String::new();
    for it in said {
        let so_far = text.chars().count();
        if so_far.saturating_add(it.chars().count()) > SENTENCE_CHARS_MAX {
            continue;
        }
        text.push_str(if text.is_empty() { "Also: " } else { "; " });
        text.push_str(it);
    }
    if !text.is_empty() {
        text.push('.');
    }
    text
}

/// An author's description with our words after it, in at most `chars_max` characters, and whether
/// the author's had to be cut.
pub(super) fn described(description: &str, words: &str, chars_max: usize) -> (String, bool) {
    let gap = if description.is_empty() || words.is_empty() {
        ""
    } else {
        " "
    };
    let room = chars_max.saturating_sub(gap.len() + words.chars().count());
    let is_cut = description.chars().count() > room;
    let mut text: String = if is_cut {
        let kept = description.chars().take(room.saturating_sub(1));
        kept.chain(['\u{2026}']).collect()
    } else {
        description.to_owned()
    };
    text.push_str(gap);
    text.push_str(words);
    (text, is_cut)
}

#[cfg(test)]
mod tests {
    use super::{described, keyword, sentence};
    use spec::Json;

    #[test]
    fn long_values_stay_unsaid() {
        let text = |chars: usize| Json::from("x".repeat(chars));
        assert!(keyword("pattern", &text(198)).is_some());
        assert_eq!(keyword("pattern", &text(199)), None);
        assert_eq!(
            keyword("not", &Json::from(vec![text(100), text(100)])),
            None
        );
    }

    #[test]
    fn sentences_are_bounded() {
        assert_eq!(sentence(&[]), "");
        let said = ["a 1".to_owned(), "x".repeat(400), "b 2".to_owned()];
        assert_eq!(sentence(&said), "Also: a 1; b 2.");
    }

    #[test]
    fn words_outlive_a_long_description() {
        assert_eq!(
            described("abcd", "Also: x.", 14),
            ("abcd Also: x.".to_owned(), false)
        );
        assert_eq!(
            described("ab\u{e9}def", "Also: x.", 13),
            ("ab\u{e9}\u{2026} Also: x.".to_owned(), true)
        );
        assert_eq!(
            described("", "Also: x.", 13),
            ("Also: x.".to_owned(), false)
        );
    }
}
