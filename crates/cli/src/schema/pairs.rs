//! Takes a list of JSON values apart while it is read, so that a list of any length takes the memory
//! of its largest element. Knows where values begin and end; not what they are.

use std::io::{self, BufRead};

/// The most bytes of one element.
pub(super) const ELEMENT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// A JSON array, or values one after another as in JSON Lines.
pub(super) struct Pairs<R> {
    input: R,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    /// Within an array, before its first element.
    First,
    /// Within an array, after an element.
    Later,
    /// Values without an array around them.
    Bare,
    Ended,
}

/// Why there is no element where one could be.
#[derive(Debug)]
pub(super) enum Fault {
    /// The element is too large; those after it can be read.
    TooLarge,
    /// What follows cannot be told apart.
    Broken(String),
    /// The input failed.
    Unreadable(io::Error),
}

impl<R: BufRead> Pairs<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            state: State::Start,
        }
    }

    /// The bytes of the next element, which may be no JSON; `None` at the end.
    fn element(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        if self.state == State::Start {
            self.skip_mark()?;
            self.state = State::Bare;
            if self.peek_past_space()? == Some(b'[') {
                self.input.consume(1);
                self.state = State::First;
            }
        }
        match (self.state, self.peek_past_space()?) {
            (State::Ended | State::Bare, None) => return Ok(None),
            (State::First | State::Later, Some(b']')) => {
                self.input.consume(1);
                return match self.peek_past_space()? {
                    None => Ok(None),
                    Some(_) => Err(broken("something follows the list")),
                };
            }
            (State::Later, Some(b',')) => {
                self.input.consume(1);
                self.peek_past_space()?;
            }
            (State::Later, Some(_)) => return Err(broken("a comma is missing")),
            (State::First | State::Later, None) => return Err(broken("the list has no end")),
            (State::Start | State::First | State::Bare | State::Ended, _) => {}
        }
        let element = self.value();
        if self.state == State::First {
            self.state = State::Later;
        }
        element.map(Some)
    }

    /// Passes over a byte order mark.
    fn skip_mark(&mut self) -> Result<(), Fault> {
        if self.buffer()?.starts_with(b"\xef\xbb\xbf") {
            self.input.consume(3);
        }
        Ok(())
    }

    fn buffer(&mut self) -> Result<&[u8], Fault> {
        self.input.fill_buf().map_err(Fault::Unreadable)
    }

    fn peek_past_space(&mut self) -> Result<Option<u8>, Fault> {
        loop {
            let buffer = self.buffer()?;
            let space = buffer.iter().take_while(|it| it.is_ascii_whitespace());
            let (space, length) = (space.count(), buffer.len());
            let next = buffer.get(space).copied();
            self.input.consume(space);
            if next.is_some() || length == 0 {
                return Ok(next);
            }
        }
    }

    /// Reads one value, from its first byte to its last.
    fn value(&mut self) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        let mut extent = Extent::default();
        let mut is_too_large = false;
        loop {
            let buffer = self.buffer()?;
            if buffer.is_empty() {
                return match extent.is_open() {
                    true => Err(broken("the text ends inside a value")),
                    false if is_too_large => Err(Fault::TooLarge),
                    false => Ok(bytes),
                };
            }
            let taken = buffer.iter().take_while(|it| extent.takes(**it)).count();
            let has_ended = taken < buffer.len();
            if bytes.len().saturating_add(taken) > ELEMENT_BYTES_MAX {
                is_too_large = true;
                bytes.clear();
            }
            if !is_too_large {
                bytes.extend(buffer.iter().take(taken));
            }
            self.input.consume(taken);
            if !has_ended {
                continue;
            }
            if is_too_large {
                return Err(Fault::TooLarge);
            }
            if bytes.is_empty() {
                return Err(broken("a value is missing"));
            }
            return Ok(bytes);
        }
    }
}

fn broken(why: &str) -> Fault {
    Fault::Broken(why.to_owned())
}

impl<R: BufRead> Iterator for Pairs<R> {
    type Item = Result<Vec<u8>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.state == State::Ended {
            return None;
        }
        let element = self.element().transpose();
        if !matches!(element, Some(Ok(_) | Err(Fault::TooLarge))) {
            self.state = State::Ended;
        }
        element
    }
}

/// How far a value reaches.
#[derive(Default)]
struct Extent {
    depth: usize,
    in_text: bool,
    is_escaped: bool,
    is_over: bool,
}

impl Extent {
    /// Whether the value goes on with this byte.
    fn takes(&mut self, byte: u8) -> bool {
        if self.is_over {
            return false;
        }
        if self.in_text {
            let is_plain = self.is_escaped || !matches!(byte, b'"' | b'\\');
            self.is_escaped = !self.is_escaped && byte == b'\\';
            self.in_text = is_plain || byte != b'"';
            self.is_over = !self.in_text && self.depth == 0;
            return true;
        }
        match byte {
            b'"' => self.in_text = true,
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' if self.depth == 0 => return false,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.is_over = self.depth == 0;
            }
            b',' if self.depth == 0 => return false,
            _ if self.depth == 0 && byte.is_ascii_whitespace() => return false,
            _ => {}
        }
        true
    }

    /// Whether the value cannot end here.
    fn is_open(&self) -> bool {
        self.in_text || self.depth > 0
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::{ELEMENT_BYTES_MAX, Fault, Pairs};

    /// The elements, and why there are no more of them if that is no end.
    fn read(text: &[u8], capacity: usize) -> (Vec<String>, Option<String>) {
        let mut elements = Vec::new();
        for it in Pairs::new(BufReader::with_capacity(capacity, text)) {
            match it {
                Ok(bytes) => elements.push(String::from_utf8(bytes).unwrap()),
                Err(Fault::TooLarge) => elements.push("too large".to_owned()),
                Err(Fault::Broken(why)) => return (elements, Some(why)),
                Err(Fault::Unreadable(why)) => panic!("{why}"),
            }
        }
        (elements, None)
    }

    #[test]
    fn elements_are_told_apart_however_the_bytes_come() {
        let table: &[(&str, &[&str], Option<&str>)] = &[
            ("", &[], None),
            (" [ ] ", &[], None),
            ("[1,2 , 3]", &["1", "2", "3"], None),
            (
                r#"[{"a":[1]},"x]\"\\","]"]"#,
                &[r#"{"a":[1]}"#, r#""x]\"\\""#, r#""]""#],
                None,
            ),
            (
                "{\"a\": 1}\n{\"b\": 2}\n",
                &["{\"a\": 1}", "{\"b\": 2}"],
                None,
            ),
            ("{}{}", &["{}", "{}"], None),
            ("\u{feff}[null]", &["null"], None),
            ("[1 2]", &["1"], Some("a comma is missing")),
            ("[1,]", &["1"], Some("a value is missing")),
            ("[,1]", &[], Some("a value is missing")),
            ("[1", &["1"], Some("the list has no end")),
            ("[{\"a\":", &[], Some("the text ends inside a value")),
            ("[\"a", &[], Some("the text ends inside a value")),
            ("[1] 2", &["1"], Some("something follows the list")),
            ("}", &[], Some("a value is missing")),
        ];
        for (text, elements, why) in table {
            for capacity in [4, 5, 7, 4096] {
                let (read, broken) = read(text.as_bytes(), capacity);
                assert_eq!(read, *elements, "{text}");
                assert_eq!(broken.as_deref(), *why, "{text}");
            }
        }
    }

    #[test]
    fn an_element_that_is_too_large_is_passed_over() {
        let large = "x".repeat(ELEMENT_BYTES_MAX);
        let text = format!("[1,\"{large}\",2]");
        let (elements, why) = read(text.as_bytes(), 4096);
        assert_eq!(
            (elements.as_slice(), why),
            (["1", "too large", "2"].map(str::to_owned).as_slice(), None)
        );
    }
}
