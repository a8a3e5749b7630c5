//! Paths into JSON: dots, `[0]`, `[*]`, and quotes around keys that hold a dot. Knows nothing of
//! what a path's root is.

use std::fmt;

use crate::fault::Fault;

/// The most steps that a path may have.
const STEPS_MAX: usize = 64;
/// The most digits that an index may have.
const INDEX_DIGITS_MAX: usize = 9;

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// The member of an object.
    Key(String),
    /// The element of an array.
    Index(usize),
    /// Every element of an array.
    Each,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Key(key) if is_plain(key) => f.write_str(key),
            Step::Key(key) => write!(f, "\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\"")),
            Step::Index(index) => write!(f, "[{index}]"),
            Step::Each => f.write_str("[*]"),
        }
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && !key.contains(|c: char| {
            matches!(c, '.' | '[' | ']' | '"' | '\\') || c.is_whitespace() || c.is_control()
        })
}

/// The text of a path.
pub(crate) fn render(steps: &[Step]) -> String {
    let mut out = String::new();
    for step in steps {
        if matches!(step, Step::Key(_)) && !out.is_empty() {
            out.push('.');
        }
        out.push_str(&step.to_string());
    }
    out
}

/// A parsed path: its steps, and whether the first was a plain word (a quoted one never names a
/// root such as `ctx`).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Parsed {
    pub(crate) steps: Vec<Step>,
    pub(crate) plain_head: bool,
}

/// Reads a path.
pub(crate) fn parse(text: &str) -> Result<Parsed, Fault> {
    let mut reader = Reader {
        text,
        rest: text,
        steps: Vec::new(),
    };
    let plain_head = !text.starts_with('"');
    reader.key()?;
    while let Some(c) = reader.rest.chars().next() {
        match c {
            '.' => {
                reader.advance(1);
                reader.key()?;
            }
            '[' => reader.bracket()?,
            _ => return Err(reader.fault(&format!("`{c}` after a closing bracket or quote"))),
        }
        if reader.steps.len() > STEPS_MAX {
            return Err(reader.fault(&format!("more than {STEPS_MAX} steps")));
        }
    }
    Ok(Parsed {
        steps: reader.steps,
        plain_head,
    })
}

struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
    steps: Vec<Step>,
}

impl<'a> Reader<'a> {
    fn fault(&self, what: &str) -> Fault {
        Fault::new(
            format!("the path `{}` has {what}", self.text),
            "write keys with dots between them, `[0]` or `[*]` for elements, and a key that holds a dot, a bracket or a space in double quotes: items[*].\"unit.price\"",
        )
    }

    fn advance(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or("");
    }

    /// Takes the bytes up to the first character for which `stop` holds.
    fn take_until(&mut self, stop: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(stop).unwrap_or(self.rest.len());
        let taken = self.rest.get(..end).unwrap_or("");
        self.advance(end);
        taken
    }

    fn key(&mut self) -> Result<(), Fault> {
        if self.rest.starts_with('"') {
            self.advance(1);
            return self.quoted_key();
        }
        let key = self.take_until(|c| c == '.' || c == '[');
        if key.is_empty() {
            return Err(self.fault("an empty key"));
        }
        if !is_plain(key) {
            return Err(self.fault(&format!("`{key}` where a plain key belongs")));
        }
        self.steps.push(Step::Key(key.to_owned()));
        Ok(())
    }

    fn quoted_key(&mut self) -> Result<(), Fault> {
        let mut key = String::new();
        loop {
            key.push_str(self.take_until(|c| c == '"' || c == '\\'));
            let mut chars = self.rest.chars();
            match (chars.next(), chars.next()) {
                (Some('"'), _) => {
                    self.advance(1);
                    self.steps.push(Step::Key(key));
                    return Ok(());
                }
                (Some('\\'), Some(c @ ('"' | '\\'))) => {
                    key.push(c);
                    self.advance(2);
                }
                (Some('\\'), _) => return Err(self.fault("an unknown escape in quotes")),
                _ => return Err(self.fault("an unclosed quote")),
            }
        }
    }

    fn bracket(&mut self) -> Result<(), Fault> {
        self.advance(1);
        let inside = self.take_until(|c| c == ']');
        if self.rest.is_empty() {
            return Err(self.fault("an unclosed bracket"));
        }
        self.advance(1);
        if inside == "*" {
            self.steps.push(Step::Each);
            return Ok(());
        }
        let digits = !inside.is_empty()
            && inside.len() <= INDEX_DIGITS_MAX
            && inside.bytes().all(|b| b.is_ascii_digit());
        match inside.parse() {
            Ok(index) if digits => {
                self.steps.push(Step::Index(index));
                Ok(())
            }
            _ => Err(self.fault(&format!("`[{inside}]` where an index or `[*]` belongs"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Step, parse, render};

    fn key(text: &str) -> Step {
        Step::Key(text.to_owned())
    }

    #[test]
    fn reads_and_writes() {
        for (text, steps) in [
            ("amount", vec![key("amount")]),
            ("a.b", vec![key("a"), key("b")]),
            (
                "items[0].price",
                vec![key("items"), Step::Index(0), key("price")],
            ),
            (
                "items[*][2]",
                vec![key("items"), Step::Each, Step::Index(2)],
            ),
            ("\"a.b\".c", vec![key("a.b"), key("c")]),
            ("a.\"b.c\"[*]", vec![key("a"), key("b.c"), Step::Each]),
            ("a.\"\"", vec![key("a"), key("")]),
            ("\"q\\\"\\\\\"", vec![key("q\"\\")]),
            ("größe.it's", vec![key("größe"), key("it's")]),
        ] {
            let parsed = parse(text).unwrap();
            assert_eq!(parsed.steps, steps, "{text}");
            assert_eq!(render(&steps), text);
            assert_eq!(parsed.plain_head, !text.starts_with('"'), "{text}");
        }
    }

    #[test]
    fn refuses_what_it_cannot_read() {
        for (text, part) in [
            ("", "an empty key"),
            (".a", "an empty key"),
            ("a.", "an empty key"),
            ("a..b", "an empty key"),
            ("[0]", "an empty key"),
            ("a.[0]", "an empty key"),
            ("a b", "where a plain key belongs"),
            ("amount ", "where a plain key belongs"),
            ("a]", "where a plain key belongs"),
            ("a\"b\"", "where a plain key belongs"),
            ("a[", "an unclosed bracket"),
            ("a[0", "an unclosed bracket"),
            ("a[]", "where an index"),
            ("a[-1]", "where an index"),
            ("a[+1]", "where an index"),
            ("a[1e3]", "where an index"),
            ("a[9999999999]", "where an index"),
            ("a[0]b", "after a closing"),
            ("\"a\"b", "after a closing"),
            ("\"a", "an unclosed quote"),
            ("\"a\\", "an unknown escape"),
            ("\"a\\n\"", "an unknown escape"),
            (&"a.".repeat(70), "more than 64 steps"),
        ] {
            let fault = parse(text).unwrap_err();
            assert!(fault.message.contains(part), "{text}: {}", fault.message);
        }
    }
}
