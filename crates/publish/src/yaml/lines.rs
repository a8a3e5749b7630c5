//! Offsets to places: characters to bytes, bytes to lines and columns.

use crate::diagnostic::Span;

/// A text without its byte-order mark, and the way from its offsets to places in the file.
pub(super) struct Lines<'a> {
    pub(super) text: &'a str,
    /// Bytes before `text` in the file: the length of the mark.
    skipped: usize,
    /// Byte offset of each character; empty when all are ASCII and the two offsets agree.
    chars: Vec<usize>,
    /// Byte offset of each line's start.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(file: &'a str) -> Self {
        let text = file.strip_prefix('\u{feff}').unwrap_or(file);
        let chars = if text.is_ascii() {
            Vec::new()
        } else {
            text.char_indices().map(|(at, _)| at).collect()
        };
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at.saturating_add(1)));
        Self {
            text,
            skipped: file.len().saturating_sub(text.len()),
            chars,
            starts: starts.collect(),
        }
    }

    /// The byte offset, in `text`, of a character.
    pub(super) fn byte(&self, char_index: usize) -> usize {
        if self.chars.is_empty() {
            return char_index.min(self.text.len());
        }
        let at = self.chars.get(char_index).copied();
        at.unwrap_or(self.text.len())
    }

    /// How many characters of `text` begin before a byte.
    fn char(&self, byte: usize) -> usize {
        if self.chars.is_empty() {
            return byte.min(self.text.len());
        }
        self.chars.partition_point(|at| *at < byte)
    }

    /// The place of a stretch of bytes of `text`.
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        let after = self.starts.partition_point(|line| *line <= start);
        let line_start = self
            .starts
            .get(after.saturating_sub(1))
            .copied()
            .unwrap_or(0);
        // Counting the line's characters would make a file of one long line take its square.
        let column = self.char(start).saturating_sub(self.char(line_start));
        Span {
            start: start.saturating_add(self.skipped),
            end: end.max(start).saturating_add(self.skipped),
            line: u32::try_from(after).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX).saturating_add(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn counts_lines_in_bytes_and_columns_in_characters() {
        let lines = Lines::new("\u{feff}ä: 1\r\nö: é\n");
        let e = lines.byte(9);
        assert_eq!(lines.text.get(e..), Some("é\n"));
        let span = lines.span(e, lines.byte(10));
        assert_eq!((span.line, span.column), (2, 4));
        assert_eq!((span.start, span.end), (3 + 11, 3 + 13));
        assert_eq!(lines.span(0, 0).line, 1);
        assert_eq!(lines.byte(99), lines.text.len());
    }
}
