//! One file for each kind of mistake: its stable code, its explanation (the `//!` text of the
//! file), how it is worded, and a test that triggers it.

pub(crate) mod e0101;
pub(crate) mod e0102;
pub(crate) mod e0103;
pub(crate) mod e0104;
pub(crate) mod e0105;
pub(crate) mod e0106;
pub(crate) mod e0201;
pub(crate) mod e0202;
pub(crate) mod e0203;
pub(crate) mod e0204;
pub(crate) mod e0205;
pub(crate) mod e0206;
pub(crate) mod e0207;
pub(crate) mod e0208;
pub(crate) mod e0209;
pub(crate) mod e0210;
pub(crate) mod e0211;
pub(crate) mod e0212;
pub(crate) mod e0301;
pub(crate) mod e0302;
pub(crate) mod e0303;
pub(crate) mod e0304;
pub(crate) mod e0305;
pub(crate) mod e0306;
pub(crate) mod e0307;
pub(crate) mod e0308;
pub(crate) mod e0309;
pub(crate) mod e0310;
pub(crate) mod e0311;
pub(crate) mod e0312;
pub(crate) mod e0313;
pub(crate) mod e0314;
pub(crate) mod e0315;
pub(crate) mod e0401;
pub(crate) mod e0402;
pub(crate) mod e0403;
pub(crate) mod e0404;
pub(crate) mod e0405;
pub(crate) mod e0406;
pub(crate) mod e0407;
pub(crate) mod e0408;
pub(crate) mod e0409;
pub(crate) mod e0410;
pub(crate) mod e0411;
pub(crate) mod e0412;
pub(crate) mod e0413;
pub(crate) mod e0414;
pub(crate) mod e0415;
pub(crate) mod e0501;
pub(crate) mod e0502;
pub(crate) mod e0503;
pub(crate) mod e0504;
pub(crate) mod e0505;
pub(crate) mod e0506;
pub(crate) mod e0507;
pub(crate) mod e0508;
pub(crate) mod e0509;
pub(crate) mod e0510;
pub(crate) mod e0511;
pub(crate) mod e0512;
pub(crate) mod e0513;
pub(crate) mod e0514;
pub(crate) mod e0515;
pub(crate) mod e0516;
pub(crate) mod e0517;
pub(crate) mod e0518;
pub(crate) mod e0519;
pub(crate) mod e0520;
pub(crate) mod e0601;
pub(crate) mod e0602;
pub(crate) mod e0603;
pub(crate) mod e0604;
pub(crate) mod e0605;
pub(crate) mod e0606;
pub(crate) mod e0607;
pub(crate) mod e0608;
pub(crate) mod e0609;
pub(crate) mod e0610;
pub(crate) mod e0611;
pub(crate) mod e0612;
pub(crate) mod e0701;
pub(crate) mod e0702;
pub(crate) mod e0703;
pub(crate) mod e0704;
pub(crate) mod e0705;
pub(crate) mod e0801;
pub(crate) mod e0802;
pub(crate) mod e0803;
pub(crate) mod e0804;
pub(crate) mod e0805;
pub(crate) mod e0806;
pub(crate) mod e0807;
pub(crate) mod e0808;
pub(crate) mod e0809;
pub(crate) mod e0810;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::diagnostic::Code;

macro_rules! sources {
    ($($module:ident)*) => {
        &[$(($module::CODE, include_str!(concat!("diagnostics/", stringify!($module), ".rs"))),)*]
    };
}

/// Every code and the file that it lives in.
const SOURCES: &[(Code, &str)] = sources! {
    e0101 e0102 e0103 e0104 e0105 e0106
    e0201 e0202 e0203 e0204 e0205 e0206 e0207 e0208 e0209 e0210 e0211 e0212
    e0301 e0302 e0303 e0304 e0305 e0306 e0307 e0308 e0309 e0310 e0311 e0312 e0313 e0314 e0315
    e0401 e0402 e0403 e0404 e0405 e0406 e0407 e0408 e0409 e0410 e0411 e0412 e0413 e0414 e0415
    e0501 e0502 e0503 e0504 e0505 e0506 e0507 e0508 e0509 e0510 e0511 e0512 e0513 e0514 e0515
    e0516 e0517 e0518 e0519 e0520
    e0601 e0602 e0603 e0604 e0605 e0606 e0607 e0608 e0609 e0610 e0611 e0612
    e0701 e0702 e0703 e0704 e0705
    e0801 e0802 e0803 e0804 e0805 e0806 e0807 e0808 e0809 e0810
};

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
    texts
        .get(code.to_ascii_uppercase().as_str())
        .map(String::as_str)
}

/// Every code, in order.
#[cfg(test)]
pub(crate) fn codes() -> Vec<Code> {
    SOURCES.iter().map(|(code, _)| *code).collect()
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
            let tests = source
                .split_once("#[cfg(test)]")
                .map_or("", |(_, tests)| tests);
            let drawn = ["error", "warning"]
                .iter()
                .any(|it| tests.contains(&format!("{it}[{code}]")));
            assert!(drawn, "{code} has no example");
        }
    }

    #[test]
    fn every_file_is_listed() {
        let modules = include_str!("diagnostics.rs").lines();
        let modules = modules.filter(|line| line.starts_with("pub(crate) mod e"));
        assert_eq!(modules.count(), SOURCES.len());
    }

    #[test]
    fn codes_are_distinct_and_named_after_their_files() {
        for pair in SOURCES.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{} {}", pair[0].0, pair[1].0);
        }
    }
}
