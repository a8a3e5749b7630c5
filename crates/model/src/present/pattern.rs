//! Whether a pattern reads the same in every dialect of regular expressions that providers use.

/// The longest pattern that is shown.
const PATTERN_BYTES_MAX: usize = 512;

/// Whether the pattern uses only what all dialects share: no lookaround, no flags, no named groups,
/// no back references, no Unicode classes, no set operations.
pub(super) fn is_portable(pattern: &str) -> bool {
    if pattern.len() > PATTERN_BYTES_MAX {
        return false;
    }
    let mut rest = pattern.chars().peekable();
    let mut in_class = false;
    let mut last = None;
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        let is_fine = match c {
            '\\' => {
                let escaped = rest.next();
                last = None;
                if escaped.is_none_or(|it| !is_portable_escape(it, in_class)) {
                    return false;
                }
                continue;
            }
            '(' if !in_class && next == Some('?') => {
                rest.next();
                rest.next() == Some(':')
            }
            '[' => !std::mem::replace(&mut in_class, true),
            ']' => std::mem::replace(&mut in_class, false),
            // `a*+` and `a{2}+` give nothing back in some dialects.
            '+' if !in_class => !matches!(last, Some('*' | '+' | '?' | '}')),
            '&' | '-' | '~' if in_class => last != Some(c),
            _ => true,
        };
        if !is_fine {
            return false;
        }
        last = Some(c);
    }
    !in_class
}

fn is_portable_escape(escaped: char, in_class: bool) -> bool {
    match escaped {
        'd' | 'D' | 'w' | 'W' | 's' | 'S' | 'n' | 'r' | 't' | 'f' | 'v' => true,
        'b' | 'B' => !in_class,
        it => it.is_ascii_punctuation() && !matches!(it, '<' | '>' | '_'),
    }
}

#[cfg(test)]
mod tests {
    use super::is_portable;

    #[test]
    fn what_all_dialects_share() {
        for pattern in [
            "^[a-z]+$",
            r"^A-[0-9]{1,3}(?:\.\d+)?$",
            r"[\w.-]+@[^@\s]+",
            "a*?b",
            "",
            r"^\$\{x\}|\/$",
        ] {
            assert!(is_portable(pattern), "{pattern}");
        }
    }

    #[test]
    fn what_only_some_have() {
        let long = "a".repeat(513);
        for pattern in [
            "^(?!admin)",
            "(?<=a)b",
            "(?i)a",
            "(?P<n>a)",
            "(?<n>a)",
            r"(a)\1",
            r"\p{L}",
            r"\Aa\z",
            r"\x{1F600}",
            "[[:alpha:]]",
            "[a-z&&[^b]]",
            "[a--b]",
            "a++",
            "(?>a)",
            r"\",
            "[a",
            "a]",
            &long,
        ] {
            assert!(!is_portable(pattern), "{pattern}");
        }
    }
}
