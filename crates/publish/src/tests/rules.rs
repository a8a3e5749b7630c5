//! The rules that documents must keep, each with what keeps it and what breaks it. To be read beside
//! the documents' own description: one file for each part of it.

mod agent;
mod binding;
mod bundle;
mod elsewhere;
mod metadata;
mod policy;
mod references;
mod schemas;
mod snapshot;
mod tool;
mod yaml;

use std::fmt::Write as _;

use super::Shelf;
use super::bundle::{Bundle, desk, sample};
use super::format::objections;
use crate::{Compiled, Diagnostic, compile, render};

/// A rule in a few words, with examples.
pub(super) struct Rule {
    says: &'static str,
    accepted: usize,
    refused: usize,
    wrong: String,
}

/// Begins a rule; it needs examples of both kinds.
pub(super) fn rule(says: &'static str) -> Rule {
    Rule {
        says,
        accepted: 0,
        refused: 0,
        wrong: String::new(),
    }
}

impl Rule {
    /// The bundle is published, and nothing is said.
    pub(super) fn accepts(self, bundle: Bundle) -> Self {
        self.warns(bundle, &[])
    }

    /// The bundle is published, and these warnings are given.
    pub(super) fn warns(mut self, bundle: Bundle, codes: &[&str]) -> Self {
        self.accepted += 1;
        self.expect(&bundle, judge(&bundle), true, codes);
        for path in DOCUMENTS {
            let text = bundle.text(path);
            for it in text.iter().flat_map(|it| objections(path, it)) {
                let nth = self.accepted;
                let _ = writeln!(
                    self.wrong,
                    "accepted example {nth}: the schema of {path}: {it}"
                );
            }
        }
        self
    }

    /// The bundle is not published, for these reasons.
    pub(super) fn refuses(mut self, bundle: Bundle, codes: &[&str]) -> Self {
        self.refused += 1;
        self.expect(&bundle, judge(&bundle), false, codes);
        self
    }

    /// In front of this catalog the bundle is published, and these warnings are given.
    pub(super) fn warns_before(mut self, shelf: &Shelf, bundle: Bundle, codes: &[&str]) -> Self {
        self.accepted += 1;
        let Compiled {
            snapshot,
            diagnostics,
            ..
        } = shelf.compile(&bundle);
        self.expect(&bundle, (snapshot.is_some(), diagnostics), true, codes);
        self
    }

    /// In front of this catalog the bundle is not published, for these reasons.
    pub(super) fn refuses_before(mut self, shelf: &Shelf, bundle: Bundle, codes: &[&str]) -> Self {
        self.refused += 1;
        let Compiled {
            snapshot,
            diagnostics,
            ..
        } = shelf.compile(&bundle);
        self.expect(&bundle, (snapshot.is_some(), diagnostics), false, codes);
        self
    }

    fn expect(
        &mut self,
        bundle: &Bundle,
        (published, found): (bool, Vec<Diagnostic>),
        sound: bool,
        codes: &[&str],
    ) {
        let (which, nth) = if sound {
            ("accepted", self.accepted)
        } else {
            ("refused", self.refused)
        };
        let said: Vec<_> = found.iter().map(|it| it.code.as_str()).collect();
        if published != sound || said != codes {
            let drawn = render(&found, &|path| bundle.text(path), false);
            let _ = writeln!(
                self.wrong,
                "{which} example {nth}: expected {codes:?}, found {said:?}\n{drawn}"
            );
        }
        for it in &found {
            for fault in faults(it, bundle) {
                let _ = writeln!(self.wrong, "{which} example {nth}: {fault}: {it:?}");
            }
        }
    }
}

/// Whether the bundle could be published, and what is said about it.
fn judge(bundle: &Bundle) -> (bool, Vec<Diagnostic>) {
    if bundle.text("bundle.yaml").is_some() {
        let closure = bundle.closure();
        (closure.lock.is_some(), closure.diagnostics)
    } else {
        let manifest = if bundle.text("agent.json").is_some() {
            "agent.json"
        } else {
            "agent.yaml"
        };
        let compiled = compile(&bundle.files(), manifest);
        (compiled.snapshot.is_some(), compiled.diagnostics)
    }
}

/// Files that examples change, of those that the schemas for editors are about.
const DOCUMENTS: [&str; 6] = [
    "agent.yaml",
    "tools/refund.yaml",
    "policies/limit.yaml",
    "bundle.yaml",
    "desk.yaml",
    "refunds/clerk.yaml",
];

/// Codes about a file that cannot be read as a tree, so that no field of it can be named.
const NO_FIELD: [&str; 4] = ["E0101", "E0102", "E0103", "E0106"];

/// What a diagnostic lacks of all that it must carry.
pub(super) fn faults(it: &Diagnostic, bundle: &Bundle) -> Vec<&'static str> {
    let code = it.code.as_str();
    let mut faults = Vec::new();
    let mut must = |holds: bool, fault| {
        if !holds {
            faults.push(fault);
        }
    };
    must(!it.file.is_empty(), "no file");
    must(!it.message.is_empty(), "no message");
    must(it.help.as_ref().is_some_and(|it| !it.is_empty()), "no help");
    must(crate::explain(code).is_some(), "no explanation");
    // A file that is not there has no line.
    let Some(text) = bundle.text(&it.file) else {
        must(
            code == "E0101" || it.file.starts_with("catalog:"),
            "no such file",
        );
        return faults;
    };
    let Some(span) = it.span else {
        must(false, "no line");
        return faults;
    };
    must(span.line > 0 && span.column > 0, "no place");
    // What a file is as a whole is a field of nothing.
    let whole = NO_FIELD.contains(&code) || span.line == 1 && span.column <= 5;
    must(!it.field.is_empty() || whole, "no field");
    let line = text.lines().nth(usize::try_from(span.line).unwrap() - 1);
    let drawn = render(std::slice::from_ref(it), &|path| bundle.text(path), false);
    let line = line.unwrap_or_default().trim();
    // Long lines are cut, and what has no width is drawn otherwise.
    let as_is = line.chars().count() <= 80 && !line.contains(|c: char| c.is_control());
    let shown = code == "E0704" || !as_is || drawn.contains(line);
    must(shown, "the line is not shown");
    must(drawn.contains(code), "the code is not shown");
    faults
}

#[track_caller]
pub(super) fn check(rules: impl IntoIterator<Item = Rule>) {
    let mut wrong = String::new();
    for rule in rules {
        if rule.accepted == 0 || rule.refused == 0 {
            let _ = writeln!(wrong, "## {}\nneeds an example of each kind", rule.says);
        }
        if !rule.wrong.is_empty() {
            let _ = writeln!(wrong, "## {}\n{}", rule.says, rule.wrong);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// The sample with one place of its Agent changed.
pub(super) fn agent(from: &str, to: &str) -> Bundle {
    sample().edit("agent.yaml", from, to)
}

/// The sample with more at the end of its Agent, whose last part is `spec`.
pub(super) fn agent_with(more: &str) -> Bundle {
    sample().append("agent.yaml", more)
}

pub(super) fn tool(from: &str, to: &str) -> Bundle {
    sample().edit("tools/refund.yaml", from, to)
}

pub(super) fn tool_with(more: &str) -> Bundle {
    sample().append("tools/refund.yaml", more)
}

pub(super) fn policy(from: &str, to: &str) -> Bundle {
    sample().edit("policies/limit.yaml", from, to)
}

pub(super) fn policy_with(more: &str) -> Bundle {
    sample().append("policies/limit.yaml", more)
}

/// The sample whose Tool has this schema of its arguments, in flow style.
pub(super) fn input(schema: &str) -> Bundle {
    tool("ref: schemas/refund", &format!("inline: {schema}"))
        .without("schemas/refund.json")
        .edit("agent.yaml", "      policies:\n        - pay.limit\n", "")
}

pub(super) fn desk_with(from: &str, to: &str) -> Bundle {
    desk().edit("desk.yaml", from, to)
}
