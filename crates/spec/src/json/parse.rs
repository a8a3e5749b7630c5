//! The strict reader.

use std::collections::BTreeMap;

use super::Json;
use crate::{Decimal, NumberError};

/// How deep arrays and objects may nest.
pub const DEPTH_MAX: usize = 128;

/// Why bytes are not one JSON value, and at which byte (from 0).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// The text ends inside a value.
    #[error("the JSON text ends too early, at byte {at}")]
    Truncated {
        /// Offset in bytes.
        at: usize,
    },
    /// Something else stands where JSON asks for `expected`.
    #[error("expected {expected} at byte {at}")]
    Expected {
        /// What the grammar asks for.
        expected: &'static str,
        /// Offset in bytes.
        at: usize,
    },
    /// The same key twice in one object: readers disagree about which one counts.
    #[error("the key \"{key}\" appears twice (second time at byte {at})")]
    DuplicateKey {
        /// The key, unescaped.
        key: String,
        /// Offset in bytes.
        at: usize,
    },
    /// A number that we cannot keep.
    #[error("{source} at byte {at}")]
    Number {
        /// What is wrong with it.
        source: NumberError,
        /// Offset in bytes.
        at: usize,
    },
    /// Nested deeper than [`DEPTH_MAX`].
    #[error("nested deeper than {DEPTH_MAX} levels at byte {at}")]
    TooDeep {
        /// Offset in bytes.
        at: usize,
    },
    /// The bytes are not UTF-8.
    #[error("not UTF-8 at byte {at}")]
    NotUtf8 {
        /// Offset in bytes.
        at: usize,
    },
}

pub(super) fn parse(bytes: &[u8]) -> Result<Json, JsonError> {
    let text = std::str::from_utf8(bytes).map_err(|error| JsonError::NotUtf8 {
        at: error.valid_up_to(),
    })?;
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.space();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.expected("the end of the text")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn expected(&self, expected: &'static str) -> JsonError {
        if self.at >= self.text.len() {
            JsonError::Truncated { at: self.at }
        } else {
            JsonError::Expected {
                expected,
                at: self.at,
            }
        }
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8, expected: &'static str) -> Result<(), JsonError> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(self.expected(expected))
        }
    }

    fn word(&mut self, word: &'static str, value: Json) -> Result<Json, JsonError> {
        if self.rest().starts_with(word) {
            self.at += word.len();
            Ok(value)
        } else if word.starts_with(self.rest()) {
            Err(JsonError::Truncated {
                at: self.text.len(),
            })
        } else {
            Err(self.expected("a JSON value"))
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.space();
        match self.peek() {
            Some(b'{' | b'[') if depth >= DEPTH_MAX => Err(JsonError::TooDeep { at: self.at }),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Json::String),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) | None => Err(self.expected("a JSON value")),
        }
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        let at = self.at;
        let rest = self.rest();
        let length = rest
            .bytes()
            .position(|b| !matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'))
            .unwrap_or(rest.len());
        let text = rest.get(..length).unwrap_or(rest);
        self.at += length;
        text.parse::<Decimal>()
            .map(Json::Number)
            .map_err(|source| JsonError::Number { source, at })
    }

    fn array(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.eat(b'[', "`[`")?;
        let mut elements = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Json::Array(elements));
        }
        loop {
            elements.push(self.value(depth + 1)?);
            self.space();
            if self.peek() == Some(b']') {
                self.at += 1;
                return Ok(Json::Array(elements));
            }
            self.eat(b',', "`,` or `]`")?;
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.eat(b'{', "`{`")?;
        let mut members = BTreeMap::new();
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Json::Object(members));
        }
        loop {
            self.space();
            let at = self.at;
            let key = self.string()?;
            self.space();
            self.eat(b':', "`:`")?;
            let value = self.value(depth + 1)?;
            if members.contains_key(&key) {
                return Err(JsonError::DuplicateKey { key, at });
            }
            members.insert(key, value);
            self.space();
            if self.peek() == Some(b'}') {
                self.at += 1;
                return Ok(Json::Object(members));
            }
            self.eat(b',', "`,` or `}`")?;
        }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.eat(b'"', "a string")?;
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let plain = rest
                .bytes()
                .position(|b| b == b'"' || b == b'\\' || b < 0x20)
                .unwrap_or(rest.len());
            out.push_str(rest.get(..plain).unwrap_or(""));
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.at += 1;
                    out.push(self.escape()?);
                }
                Some(_) | None => {
                    return Err(self.expected("no bare control character in a string"));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let c = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode();
            }
            Some(_) | None => return Err(self.expected("an escape")),
        };
        self.at += 1;
        Ok(c)
    }

    /// After `\u`: one code unit, or two that form a pair. A half alone becomes U+FFFD.
    fn unicode(&mut self) -> Result<char, JsonError> {
        let unit = self.hex4()?;
        if let Some(c) = char::from_u32(unit) {
            return Ok(c);
        }
        let before = self.at;
        if (0xD800..0xDC00).contains(&unit) && self.rest().starts_with("\\u") {
            self.at += 2;
            let low = self.hex4()?;
            if (0xDC00..0xE000).contains(&low) {
                let combined = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                return Ok(char::from_u32(combined).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            // The second escape is no low half: it stands for itself.
            self.at = before;
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex4(&mut self) -> Result<u32, JsonError> {
        let mut unit = 0_u32;
        for _ in 0..4 {
            let digit = self
                .peek()
                .and_then(|b| char::from(b).to_digit(16))
                .ok_or_else(|| self.expected("four hex digits"))?;
            unit = unit * 16 + digit;
            self.at += 1;
        }
        Ok(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::{DEPTH_MAX, JsonError, parse};

    #[test]
    fn refuses_what_readers_disagree_about() {
        for text in [r#"{"a":1,"a":2}"#, r#"{"o":{"am\u006funt":1,"amount":2}}"#] {
            assert!(
                matches!(parse(text.as_bytes()), Err(JsonError::DuplicateKey { .. })),
                "{text}"
            );
        }
        for text in [
            "NaN", "[1,]", "{}{}", "{'a':1}", "\"a\tb\"", "01", "[1 2]", "nul", "tru e", "// x",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(matches!(
            parse(&[b'"', 0xff, b'"']),
            Err(JsonError::NotUtf8 { at: 1 })
        ));
    }

    #[test]
    fn truncation_is_told_apart() {
        for text in [
            "", "{", r#"{"a""#, r#"{"a":"#, "[1,", r#""ab"#, r#""\u12"#, "tr",
        ] {
            assert!(
                matches!(parse(text.as_bytes()), Err(JsonError::Truncated { .. })),
                "{text}"
            );
        }
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize, inner: &str| {
            format!("{}{inner}{}", "[".repeat(depth), "]".repeat(depth))
        };
        for inner in ["", "1", "\"a\""] {
            assert!(parse(nested(DEPTH_MAX, inner).as_bytes()).is_ok());
            assert!(matches!(
                parse(nested(DEPTH_MAX + 1, inner).as_bytes()),
                Err(JsonError::TooDeep { at }) if at == DEPTH_MAX
            ));
        }
        let deep = "[".repeat(100_000);
        assert!(matches!(
            parse(deep.as_bytes()),
            Err(JsonError::TooDeep { .. })
        ));
    }

    #[test]
    fn surrogates() {
        let text = |json: &str| parse(json.as_bytes()).unwrap().as_str().unwrap().to_owned();
        assert_eq!(text(r#""\ud83d\ude00""#), "😀");
        assert_eq!(text(r#""\ud83d""#), "\u{fffd}");
        assert_eq!(text(r#""\ud83d\u0041""#), "\u{fffd}A");
        assert_eq!(text(r#""\ude00x""#), "\u{fffd}x");
        assert_eq!(text(r#""x}{y""#), "x}{y");
    }
}
