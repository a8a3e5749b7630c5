//! Mends an answer that is nearly JSON, without guessing: code fences, prose around one value,
//! commas before a closing bracket. Knows nothing of schemas.

use spec::Json;

/// The one JSON value that `text` plainly means; `None` where that is not plain.
pub(crate) fn repair(text: &str) -> Option<Json> {
    lenient(text)
        .or_else(|| fenced(text).and_then(lenient))
        .or_else(|| embedded(text))
}

/// A value as it is written, or without its trailing commas.
fn lenient(text: &str) -> Option<Json> {
    let read = |text: &str| Json::parse(text.trim().as_bytes()).ok();
    read(text).or_else(|| read(&without_trailing_commas(text)))
}

/// What stands in the one code block of the text; none where the marks may be part of a value.
fn fenced(text: &str) -> Option<&str> {
    let mut parts = text.split("```");
    let (before, block, after) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || before.contains(['{', '[']) || after.contains(['{', '[']) {
        return None;
    }
    // The rest of the opening line says which language it is.
    let (language, body) = block.split_once('\n').unwrap_or(("", block));
    let is_word = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '+');
    language.trim().chars().all(is_word).then_some(body)
}

/// The one object or array among other words. What stands inside a broken one is never taken for
/// the whole, and of two none is chosen.
fn embedded(text: &str) -> Option<Json> {
    let mut found = None;
    let mut rest = text;
    while let Some(start) = rest.find(['{', '[']) {
        let (_, from) = rest.split_at_checked(start)?;
        let (span, after) = from.split_at_checked(closing(from)?)?;
        if let Some(value) = lenient(span)
            && found.replace(value).is_some()
        {
            return None;
        }
        rest = after;
    }
    found
}

/// Where the bracket that `text` begins with is closed: the byte after it.
fn closing(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut string = StringScan::default();
    for (at, it) in text.char_indices() {
        if string.is_inside(it) {
            continue;
        }
        match it {
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' => {
                if open.pop() != Some(it) {
                    return None;
                }
                if open.is_empty() {
                    return Some(at.saturating_add(it.len_utf8()));
                }
            }
            _ => {}
        }
    }
    None
}

fn without_trailing_commas(text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    let mut string = StringScan::default();
    let mut before = None;
    for (at, it) in text.char_indices() {
        let trails = |before: Option<char>| {
            let after = text.get(at.saturating_add(1)..).unwrap_or_default();
            let follows_value = !matches!(before, None | Some('{' | '[' | ','));
            follows_value && after.trim_start().starts_with(['}', ']'])
        };
        if string.is_inside(it) || it != ',' || !trails(before) {
            mended.push(it);
        }
        if !it.is_whitespace() {
            before = Some(it);
        }
    }
    mended
}

/// Tells what stands in a JSON string from what stands outside.
#[derive(Default)]
struct StringScan {
    inside: bool,
    escaped: bool,
}

impl StringScan {
    /// Takes the next character in; whether it is part of a string, its quotes included.
    fn is_inside(&mut self, it: char) -> bool {
        let escaped = std::mem::take(&mut self.escaped);
        if !self.inside {
            self.inside = it == '"';
            return self.inside;
        }
        match it {
            '\\' if !escaped => self.escaped = true,
            '"' if !escaped => self.inside = false,
            _ => {}
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::repair;

    #[test]
    fn what_is_plain_is_mended_and_nothing_else() {
        let cases: [(&str, Option<&str>); 24] = [
            (r#" {"a":1} "#, Some(r#"{"a":1}"#)),
            ("```json\n{\"a\":1}\n```", Some(r#"{"a":1}"#)),
            ("```\n[1,2,]\n```\n", Some("[1,2]")),
            ("Here it is:\n```json\n7\n```\nBye.", Some("7")),
            ("```{\"a\":1}```", Some(r#"{"a":1}"#)),
            (
                r#"Sure, here's the answer: {"a":1}. Anything else?"#,
                Some(r#"{"a":1}"#),
            ),
            (
                r#"As asked [see above], {"a":[1,{"b":2,},],}"#,
                Some(r#"{"a":[1,{"b":2}]}"#),
            ),
            (
                r#"{"a":"x}{ ,] \" ,} ```","b":[1 , ]}"#,
                Some(r#"{"a":"x}{ ,] \" ,} ```","b":[1]}"#),
            ),
            (
                r#"{"a":9007199254740993,}"#,
                Some(r#"{"a":9007199254740993}"#),
            ),
            (r#"{"a":1} or {"a":2}"#, None),
            (r#"[1] {"a":2}"#, None),
            // The inner value of a broken one is not what was meant.
            (r#"{"outer": {"a":1}, oops}"#, None),
            (r#"{"outer": {"a":1}"#, None),
            (r#"{"a":1]"#, None),
            (r#"{"a":1,,}"#, None),
            (r"{'a':1}", None),
            (r#"{"a":1,"a":2}"#, None),
            ("{,}", None),
            (
                r#"So: {"code":"```[1]```"}"#,
                Some(r#"{"code":"```[1]```"}"#),
            ),
            (
                "So: {\"code\":\"```x\\n[1]\\n```\"}",
                Some("{\"code\":\"```x\\n[1]\\n```\"}"),
            ),
            ("no value at all", None),
            ("", None),
            ("42 or so", None),
            ("```json\n{\"a\":1}\n```\n```json\n{\"a\":2}\n```", None),
        ];
        for (text, expected) in cases {
            let mended = repair(text).map(|it| it.to_canonical());
            assert_eq!(mended.as_deref(), expected, "{text}");
        }
    }
}
