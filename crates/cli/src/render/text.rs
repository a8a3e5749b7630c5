//! JSON values as text: indented JSON, one line of JSON, and YAML. What could hide in a string is
//! written as an escape, which every reader of the format undoes. Knows values; not their meaning.

use std::fmt::Write as _;

use spec::Json;

use super::escape::is_hidden;

/// How a character beyond U+FFFF is escaped.
#[derive(Clone, Copy)]
enum Dialect {
    Json,
    Yaml,
}

/// JSON over several lines, two spaces a level.
pub(crate) fn pretty(value: &Json) -> String {
    let mut out = String::new();
    write_json(&mut out, value, Some(0));
    out
}

/// JSON on one line.
pub(crate) fn compact(value: &Json) -> String {
    let mut out = String::new();
    write_json(&mut out, value, None);
    out
}

/// YAML in block style.
pub(crate) fn yaml(value: &Json) -> String {
    let mut out = String::new();
    write_yaml(&mut out, value, 0);
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// `indent` is the level; without one everything stays on the line.
fn write_json(out: &mut String, value: &Json, indent: Option<usize>) {
    let deeper = indent.map(|level| level.saturating_add(1));
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => out.push_str(&value.to_canonical()),
        Json::String(text) => quote(out, text, Dialect::Json),
        Json::Array(elements) if elements.is_empty() => out.push_str("[]"),
        Json::Object(members) if members.is_empty() => out.push_str("{}"),
        Json::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                separate(out, index, deeper);
                write_json(out, element, deeper);
            }
            break_line(out, indent);
            out.push(']');
        }
        Json::Object(members) => {
            out.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                separate(out, index, deeper);
                quote(out, key, Dialect::Json);
                out.push_str(if indent.is_some() { ": " } else { ":" });
                write_json(out, member, deeper);
            }
            break_line(out, indent);
            out.push('}');
        }
    }
}

fn separate(out: &mut String, index: usize, indent: Option<usize>) {
    if index > 0 {
        out.push(',');
    }
    break_line(out, indent);
}

fn break_line(out: &mut String, indent: Option<usize>) {
    if let Some(level) = indent {
        out.push('\n');
        out.push_str(&"  ".repeat(level));
    }
}

fn write_yaml(out: &mut String, value: &Json, level: usize) {
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => out.push_str(&value.to_canonical()),
        Json::String(text) if is_plain(text) => out.push_str(text),
        Json::String(text) => quote(out, text, Dialect::Yaml),
        Json::Array(elements) if elements.is_empty() => out.push_str("[]"),
        Json::Object(members) if members.is_empty() => out.push_str("{}"),
        Json::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                start_entry(out, index, level);
                out.push_str("- ");
                write_yaml(out, element, level.saturating_add(1));
            }
        }
        Json::Object(members) => {
            for (index, (key, member)) in members.iter().enumerate() {
                start_entry(out, index, level);
                if is_plain(key) {
                    out.push_str(key);
                } else {
                    quote(out, key, Dialect::Yaml);
                }
                out.push(':');
                write_member(out, member, level);
            }
        }
    }
}

/// The first entry continues the line that its parent began.
fn start_entry(out: &mut String, index: usize, level: usize) {
    if index > 0 {
        break_line(out, Some(level));
    }
}

fn write_member(out: &mut String, member: &Json, level: usize) {
    let deeper = level.saturating_add(1);
    let nests = match member {
        Json::Array(elements) => !elements.is_empty(),
        Json::Object(members) => !members.is_empty(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    };
    if nests {
        break_line(out, Some(deeper));
    } else {
        out.push(' ');
    }
    write_yaml(out, member, deeper);
}

/// Whether YAML reads `text` back as the same string without quotes. Says no when in doubt.
fn is_plain(text: &str) -> bool {
    const OTHERWISE: [&str; 11] = [
        "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf",
    ];
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@');
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(inner)
        && !OTHERWISE.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// `text` as one JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::new();
    quote(&mut out, text, Dialect::Json);
    out
}

fn quote(out: &mut String, text: &str, dialect: Dialect) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if c.is_control() || is_hidden(c) => numeric_escape(out, c, dialect),
            _ => out.push(c),
        }
    }
    out.push('"');
}

fn numeric_escape(out: &mut String, c: char, dialect: Dialect) {
    // Writing into a string cannot fail.
    match dialect {
        Dialect::Yaml if u32::from(c) > 0xffff => {
            let _infallible = write!(out, "\\U{:08x}", u32::from(c));
        }
        Dialect::Json | Dialect::Yaml => {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _infallible = write!(out, "\\u{unit:04x}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use spec::Json;

    use super::{compact, pretty, quoted, yaml};

    fn sample() -> Json {
        Json::parse(
            br#"{"id":12345678901234567890,"empty":{},"none":[],"when":"2026-01-01","yes":"yes",
                "list":[{"a":1,"b":[2,[3]]},"x: y"],"nested":{"k":1.50}}"#,
        )
        .unwrap()
    }

    #[test]
    fn numbers_stay_exact() {
        assert_eq!(
            compact(&sample()),
            r#"{"empty":{},"id":12345678901234567890,"list":[{"a":1,"b":[2,[3]]},"x: y"],"nested":{"k":1.5},"none":[],"when":"2026-01-01","yes":"yes"}"#
        );
    }

    #[test]
    fn indented_json() {
        let value = Json::parse(br#"{"a":[1,{"b":{}}],"c":"d"}"#).unwrap();
        expect![[r#"
            {
              "a": [
                1,
                {
                  "b": {}
                }
              ],
              "c": "d"
            }"#]]
        .assert_eq(&pretty(&value));
    }

    #[test]
    fn block_yaml() {
        expect![[r#"
            empty: {}
            id: 12345678901234567890
            list:
              - a: 1
                b:
                  - 2
                  - - 3
              - "x: y"
            nested:
              k: 1.5
            none: []
            when: "2026-01-01"
            "yes": "yes"
        "#]]
        .assert_eq(&yaml(&sample()));
    }

    #[test]
    fn hidden_characters_are_escaped_and_come_back() {
        let text = "\u{202e}a\u{1b}\u{e0041}\n";
        assert_eq!(quoted(text), r#""\u202ea\u001b\udb40\udc41\n""#);
        assert_eq!(Json::parse(quoted(text).as_bytes()), Ok(Json::from(text)));
        assert_eq!(yaml(&Json::from("\u{e0041}")), "\"\\U000e0041\"\n");
    }
}
