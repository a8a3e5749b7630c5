//! What a program says on stderr: every line is passed on, and the last ones are kept. Knows lines
//! and their bounds; not where they go.

use std::collections::VecDeque;
use std::mem;

const TAIL_LINES_MAX: usize = 20;
const TAIL_BYTES_MAX: usize = 8 * 1024;
/// A longer line is passed on in pieces. Replacing what is not UTF-8 can make a piece three times as
/// long, which must still fit into the tail.
const LINE_BYTES_MAX: usize = 2 * 1024;

#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The beginning of a line whose end has not been read.
    open: Vec<u8>,
    tail: VecDeque<String>,
    tail_bytes: usize,
    /// Lines that are no longer in the tail.
    dropped: usize,
}

impl Lines {
    pub(super) fn take(&mut self, mut bytes: &[u8], pass_on: &dyn Fn(&str)) {
        while let Some(first) = bytes.first() {
            if self.open.len() >= LINE_BYTES_MAX && *first != b'\n' {
                self.close(pass_on);
            }
            let room = LINE_BYTES_MAX.saturating_sub(self.open.len());
            let end = bytes.iter().take(room + 1).position(|it| *it == b'\n');
            let (line, rest) = bytes.split_at(end.unwrap_or(room.min(bytes.len())));
            self.open.extend_from_slice(line);
            bytes = rest;
            if end.is_some() {
                self.close(pass_on);
                bytes = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
        }
    }

    /// The last line may lack its end.
    pub(super) fn end(&mut self, pass_on: &dyn Fn(&str)) {
        if !self.open.is_empty() {
            self.close(pass_on);
        }
    }

    fn close(&mut self, pass_on: &dyn Fn(&str)) {
        let line = mem::take(&mut self.open);
        let line = String::from_utf8_lossy(&line).into_owned();
        pass_on(&line);
        self.tail_bytes += line.len();
        self.tail.push_back(line);
        while self.tail.len() > TAIL_LINES_MAX || self.tail_bytes > TAIL_BYTES_MAX {
            let Some(oldest) = self.tail.pop_front() else {
                break;
            };
            self.tail_bytes -= oldest.len();
            self.dropped += 1;
        }
    }

    /// The last lines, with a mark where some are missing; empty if there was none.
    pub(super) fn tail(&self) -> String {
        let mut text = String::with_capacity(self.tail_bytes + self.tail.len());
        if self.dropped > 0 {
            text.push_str(&format!("[{} earlier lines]\n", self.dropped));
        }
        for (at, line) in self.tail.iter().enumerate() {
            if at > 0 {
                text.push('\n');
            }
            text.push_str(line);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn read(chunks: &[&[u8]]) -> (Vec<String>, String) {
        let passed = RefCell::new(Vec::new());
        let pass_on = |line: &str| passed.borrow_mut().push(line.to_owned());
        let mut lines = Lines::default();
        for chunk in chunks {
            lines.take(chunk, &pass_on);
        }
        lines.end(&pass_on);
        let tail = lines.tail();
        (passed.into_inner(), tail)
    }

    #[test]
    fn lines_come_whole_however_they_are_cut() {
        let (passed, tail) = read(&[b"on", b"e\ntwo\n\nth", b"ree"]);
        assert_eq!(passed, ["one", "two", "", "three"]);
        assert_eq!(tail, "one\ntwo\n\nthree");
    }

    #[test]
    fn nothing_is_nothing() {
        assert_eq!(read(&[]), (Vec::new(), String::new()));
    }

    #[test]
    fn only_the_last_lines_are_kept() {
        let text: String = (0..50).map(|it| format!("{it}\n")).collect();
        let (passed, tail) = read(&[text.as_bytes()]);
        assert_eq!(passed.len(), 50);
        assert!(tail.starts_with("[30 earlier lines]\n30\n"), "{tail}");
        assert!(tail.ends_with("\n49"));
    }

    #[test]
    fn a_line_without_end_is_bounded_and_text() {
        let (passed, tail) = read(&[&[0xff; 100_000]]);
        assert!(passed.iter().all(|it| it.len() <= 3 * LINE_BYTES_MAX));
        assert_eq!(passed.iter().map(String::len).sum::<usize>(), 300_000);
        assert!(!tail.is_empty() && tail.len() < TAIL_BYTES_MAX + 100);
    }

    #[test]
    fn a_line_of_exactly_the_bound_is_one_line() {
        let mut text = vec![b'x'; LINE_BYTES_MAX];
        text.extend_from_slice(b"\nnext\n");
        let (passed, _) = read(&[&text]);
        assert_eq!(passed.len(), 2);
        assert_eq!(passed[1], "next");
    }
}
