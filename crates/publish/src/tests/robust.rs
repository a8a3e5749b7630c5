//! Whatever the bytes, publish answers: no panic, no loop, and an error wherever there is no
//! snapshot.

use super::bundle::Bundle;
use super::{desk, sample};
use crate::{Diagnostic, Severity, render};

const FILES: [&str; 4] = [
    "agent.yaml",
    "tools/refund.yaml",
    "policies/limit.yaml",
    "schemas/refund.json",
];

fn answer(bundle: &Bundle) {
    let compiled = bundle.compile();
    let refused = compiled
        .diagnostics
        .iter()
        .any(|it| it.severity == Severity::Error);
    assert_eq!(compiled.snapshot.is_none(), refused);
    check_places(bundle, &compiled.diagnostics);
}

fn check_places(bundle: &Bundle, found: &[Diagnostic]) {
    let drawn = render(found, &|path| bundle.text(path), true);
    assert_eq!(drawn.is_empty(), found.is_empty());
    for diagnostic in found {
        assert!(diagnostic.help.is_some(), "{diagnostic:?}");
        let Some(span) = diagnostic.span else {
            // Only what is not there has no line.
            assert_eq!(bundle.text(&diagnostic.file), None, "{diagnostic:?}");
            continue;
        };
        let text = bundle.text(&diagnostic.file).unwrap();
        assert!(text.get(span.start..span.end).is_some(), "{diagnostic:?}");
        let line = text.get(..span.start).unwrap().matches('\n').count() + 1;
        assert_eq!(u32::try_from(line), Ok(span.line), "{diagnostic:?}");
    }
}

#[test]
fn truncated_anywhere() {
    for path in FILES {
        let text = sample().text(path).unwrap();
        for end in (0..text.len()).step_by(3) {
            answer(&sample().file(path, text.get(..end).unwrap()));
        }
    }
}

#[test]
fn a_character_replaced_anywhere() {
    for path in FILES {
        let text = sample().text(path).unwrap();
        for (index, other) in (0..text.len()).step_by(5).zip(
            [
                "\t", ":", "{", "é", "&", "\"", "\0", "-", "!", "\u{202e}", "[", "\n",
            ]
            .into_iter()
            .cycle(),
        ) {
            let (before, after) = text.split_at(index);
            let after = after.get(1..).unwrap();
            answer(&sample().file(path, format!("{before}{other}{after}")));
        }
    }
}

#[test]
fn a_line_left_out() {
    for path in FILES {
        let text = sample().text(path).unwrap();
        for left_out in 0..text.lines().count() {
            let lines = text
                .lines()
                .enumerate()
                .filter(|(index, _)| *index != left_out);
            let lines: Vec<_> = lines.map(|(_, line)| line).collect();
            answer(&sample().file(path, lines.join("\n")));
        }
    }
}

#[test]
fn bundles_of_agents_too() {
    for path in ["bundle.yaml", "desk.yaml", "refunds/clerk.yaml"] {
        let text = desk().text(path).unwrap();
        for end in (0..text.len()).step_by(3) {
            let bundle = desk().file(path, text.get(..end).unwrap());
            check_places(&bundle, &bundle.closure().diagnostics);
        }
        for (index, other) in (0..text.len()).step_by(7).zip(
            ["\t", ":", "{", "é", "../", "\"", "@", "\n"]
                .into_iter()
                .cycle(),
        ) {
            let (before, after) = text.split_at(index);
            let after = after.get(1..).unwrap();
            let bundle = desk().file(path, format!("{before}{other}{after}"));
            check_places(&bundle, &bundle.closure().diagnostics);
        }
    }
}
