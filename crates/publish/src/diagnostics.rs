//! One file for each kind of mistake: its stable code, its explanation (the `//!` text of the
//! file), how it is worded, and a test that triggers it.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::diagnostic::Code;

macro_rules! codes {
    ($($module:ident)*) => {
        $(pub(crate) mod $module;)*

        /// Every code and the file that it lives in.
        const SOURCES: &[(Code, &str)] = &[
            $(($module::CODE, include_str!(concat!("diagnostics/", stringify!($module), ".rs"))),)*
        ];
    };
}

codes! {
    e0101 e0102 e0103 e0104 e0105 e0106
    e0201 e0202 e0203 e0204 e0205 e0206 e0207 e0208 e0209 e0210 e0211
    e0301 e0302 e0303 e0304 e0305 e0306 e0307 e0308 e0309
    e0401 e0402 e0403 e0404 e0405 e0406
    e0501 e0502 e0503 e0504
    e0601 e0602 e0603 e0604 e0605 e0606
    e0701 e0702 e0703
}

/// What a code means, why it matters and how to mend it.
#[must_use]
pub fn explain(code: &str) -> Option<&'static str> {
    static TEXTS: OnceLock<BTreeMap<&'static str, String>> = OnceLock::new();
    let texts = TEXTS.get_or_init(|| {
        let text = |source: &str| {
            let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
            let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
            lines.collect::<Vec<_>>().join("\n")
        };
        let of = |(code, source): &(Code, &'static str)| (code.as_str(), text(source));
        SOURCES.iter().map(of).collect()
    });
    texts.get(code.to_ascii_uppercase().as_str()).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::{SOURCES, explain};

    #[test]
    fn every_code_is_explained() {
        for (code, _) in SOURCES {
            let text = explain(code.as_str()).unwrap();
            assert!(text.len() > 60, "{code}: {text}");
        }
        assert_eq!(explain("e0201"), explain("E0201"));
        assert_eq!(explain("E9999"), None);
    }

    /// The expected text of a passing test is what was drawn, so a file that has its own code in
    /// one has an example that triggers it.
    #[test]
    fn every_code_has_an_example_that_triggers_it() {
        for (code, source) in SOURCES {
            let tests = source.split_once("#[cfg(test)]").map_or("", |(_, tests)| tests);
            let drawn = ["error", "warning"].iter().any(|it| tests.contains(&format!("{it}[{code}]")));
            assert!(drawn, "{code} has no example");
        }
    }

    #[test]
    fn codes_are_distinct_and_named_after_their_files() {
        for pair in SOURCES.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{} {}", pair[0].0, pair[1].0);
        }
    }
}
