//! Makes visible what a terminal would act on or hide: text of others must not repaint the screen of
//! whoever decides about it. Knows characters; not where the text comes from.

/// Text on one line: line breaks and tabs are shown too.
pub(crate) fn inline(text: &str) -> String {
    escape(text, |c| is_hidden(c) || is_control(c))
}

/// Text that may have lines.
pub(crate) fn block(text: &str) -> String {
    escape(text, |c| is_hidden(c) || (is_control(c) && c != '\n'))
}

/// Text whose control characters are wanted or gone: only what draws nothing is shown.
pub(crate) fn hidden(text: &str) -> String {
    escape(text, is_hidden)
}

/// Whether a reader could overlook something in `text`: characters that cannot be seen, or so much
/// white space that what follows is out of sight.
pub(crate) fn is_deceptive(text: &str) -> bool {
    const SPACES_MAX: usize = 64;
    let mut spaces: usize = 0;
    for c in text.chars() {
        if is_hidden(c) || (is_control(c) && !matches!(c, '\n' | '\t' | '\r')) {
            return true;
        }
        spaces = if c.is_whitespace() {
            spaces.saturating_add(1)
        } else {
            0
        };
        if spaces > SPACES_MAX {
            return true;
        }
    }
    false
}

fn escape(text: &str, hide: impl Fn(char) -> bool) -> String {
    if !text.chars().any(&hide) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if !hide(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ => out.extend(c.escape_unicode()),
        }
    }
    out
}

/// C0, DEL and C1.
fn is_control(c: char) -> bool {
    c.is_control()
}

/// Characters that draw nothing, or that change the order in which others are drawn.
pub(crate) fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        // Zero width, then left-to-right and right-to-left marks.
        | '\u{200b}'..='\u{200f}'
        // Line and paragraph separators, embeddings and overrides.
        | '\u{2028}'..='\u{202e}'
        // Invisible operators, isolates, deprecated format characters.
        | '\u{2060}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        // Tags and variation selectors, which can carry a whole hidden text.
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::{block, hidden, inline, is_deceptive};

    #[test]
    fn ordinary_text_stays() {
        for text in ["plain", "größer 日本 😀", "a \\ b", ""] {
            assert_eq!(inline(text), text);
            assert!(!is_deceptive(text));
        }
    }

    #[test]
    fn controls_are_shown() {
        assert_eq!(inline("a\u{1b}[2Kb"), "a\\u{1b}[2Kb");
        assert_eq!(inline("a\u{9b}2K\u{7f}\0"), "a\\u{9b}2K\\u{7f}\\u{0}");
        assert_eq!(inline("a\nb\tc\r"), "a\\nb\\tc\\r");
        assert_eq!(block("a\nb\tc\r"), "a\nb\\tc\\r");
    }

    #[test]
    fn direction_and_zero_width_are_shown() {
        assert_eq!(block("\u{202e}x\u{200b}y"), "\\u{202e}x\\u{200b}y");
        assert_eq!(
            inline("\u{2028}\u{2066}\u{feff}"),
            "\\u{2028}\\u{2066}\\u{feff}"
        );
        assert_eq!(inline("\u{e0041}"), "\\u{e0041}");
        assert!(is_deceptive("\u{200d}"));
    }

    #[test]
    fn colours_may_stay() {
        assert_eq!(hidden("\u{1b}[31mx\u{200b}"), "\u{1b}[31mx\\u{200b}");
    }

    #[test]
    fn long_white_space_deceives() {
        assert!(is_deceptive(&format!("a{}b", " ".repeat(65))));
        assert!(is_deceptive(&"\n".repeat(300)));
        assert!(!is_deceptive("a\n\n  b"));
    }
}
