//! Regular expressions of `matches`: compiled once, searched in linear time. Knows how to tell
//! whether every match must cover the whole text.

use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Look;

use crate::fault::Fault;

/// Compiles `pattern` for a search by code point; `insensitive` as by a leading `(?i)`.
pub(crate) fn compile(pattern: &str, insensitive: bool) -> Result<Regex, Fault> {
    RegexBuilder::new(pattern)
        .case_insensitive(insensitive)
        .build()
        .map_err(|error| {
            let text = error.to_string();
            let what = text.lines().last().unwrap_or("").trim();
            let what = what.strip_prefix("error: ").unwrap_or(what);
            Fault::new(
                format!("the regular expression `{pattern}` is invalid: {what}"),
                "write it in the syntax of the regex crate, which has neither look-around nor back-references",
            )
        })
}

/// Refuses a pattern that could match a mere part of a text.
pub(crate) fn require_anchors(pattern: &str) -> Result<(), Fault> {
    if is_anchored(pattern) {
        return Ok(());
    }
    // The plainest mend first; the last one holds whatever the pattern is.
    let mended = [
        format!("{pattern}$"),
        format!("^{pattern}"),
        format!("^({pattern})$"),
        format!("^({pattern}\n)$"),
    ]
    .into_iter()
    .find(|mended| is_anchored(mended));
    let help = match mended {
        Some(mended) => format!("write `{mended}`"),
        None => "begin every branch with `^` and end it with `$`".to_owned(),
    };
    Err(Fault::new(
        format!(
            "the regular expression `{pattern}` of an allow-list is not anchored at both ends on every branch, so it lets longer texts through"
        ),
        help,
    ))
}

/// Whether every match begins at the text's start and ends at its end.
fn is_anchored(pattern: &str) -> bool {
    let Ok(hir) = ParserBuilder::new().build().parse(pattern) else {
        return false;
    };
    let properties = hir.properties();
    properties.look_set_prefix().contains(Look::Start)
        && properties.look_set_suffix().contains(Look::End)
}

#[cfg(test)]
mod tests {
    use super::{compile, is_anchored, require_anchors};

    #[test]
    fn anchored_on_every_branch() {
        for pattern in [
            "^(main|develop)$",
            "^main$|^develop$",
            r"\Amain\z",
            "^(?i)main$",
            "^(?:a|b)c?$",
            "(?x) ^ a $ # note",
        ] {
            assert!(is_anchored(pattern), "{pattern}");
            assert!(require_anchors(pattern).is_ok(), "{pattern}");
        }
    }

    #[test]
    fn mends() {
        for (pattern, mended) in [
            ("main|develop", "^(main|develop)$"),
            ("^main|develop$", "^(^main|develop$)$"),
            ("^main", "^main$"),
            ("main$", "^main$"),
            (r"prod\.example\.com", r"^(prod\.example\.com)$"),
            ("(?m)^main$", "^((?m)^main$)$"),
            ("(^a|b)$", "^(^a|b)$"),
            ("", "^()$"),
            ("(?x)a # note", "^((?x)a # note\n)$"),
        ] {
            let fault = require_anchors(pattern).unwrap_err();
            assert_eq!(fault.help, format!("write `{mended}`"), "{pattern}");
            assert!(is_anchored(mended), "{mended}");
        }
    }

    #[test]
    fn the_mend_matches_whole_texts_only() {
        let whole = compile("^(main|develop)$", false).unwrap();
        assert!(whole.is_match("main") && whole.is_match("develop"));
        for text in ["main2", "xdevelop", "main\n", "develop\nmain", ""] {
            assert!(!whole.is_match(text), "{text:?}");
        }
    }

    #[test]
    fn invalid_patterns_say_why() {
        for (pattern, part) in [
            ("(", "unclosed group"),
            ("a(?=b)", "look-around"),
            (r"(a)\1", "backreferences"),
            ("[z-a]", "invalid character class range"),
        ] {
            let fault = compile(pattern, false).unwrap_err();
            assert!(fault.message.contains(part), "{}", fault.message);
            assert!(!fault.message.contains('\n'));
        }
    }
}
