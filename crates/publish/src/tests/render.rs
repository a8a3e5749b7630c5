//! How diagnostics are drawn: lines that are wide, long, or end in other ways than most.

use expect_test::{Expect, expect};

use super::sample;
use crate::render;

/// The drawing of what is said about the sample with `purpose` replaced by lines of YAML.
fn drawn(lines: &str, color: bool) -> String {
    let bundle = sample().edit("agent.yaml", "  purpose: Settle refunds.", lines);
    let compiled = bundle.compile();
    render(&compiled.diagnostics, &|path| bundle.text(path), color)
}

fn check(lines: &str, expected: Expect) {
    expected.assert_eq(&drawn(lines, false));
}

#[test]
fn wide_characters_and_tabs() {
    check(
        "  purpose: {日本語: \"\t\", purpos: [é, 😀]}",
        expect![[r#"
            error[E0203]: expected text, found a map
             --> agent.yaml:8:3
              |
            8 |   purpose: {日本語: "    ", purpos: [é, 😀]}
              |   ^^^^^^^ spec.purpose
              |
              = help: write text

        "#]],
    );
    check(
        "  purpose: Settle.\n  \"退款\tfield\": 1",
        expect![[r#"
            error[E0201]: unknown field `退款    field` in an Agent's spec
             --> agent.yaml:9:3
              |
            9 |   "退款    field": 1
              |   ^^^^^^^^^^^^^^^ spec."退款\tfield"
              |
              = help: an Agent's spec has purpose, instructions, model, tools, default_policies, capabilities, session, limits, mcp_servers, agents

        "#]],
    );
}

#[test]
fn what_a_terminal_would_act_on_is_shown() {
    check(
        "  purpose: x\n  \"a\u{9b}31mb\u{202e}c\": 1",
        expect![[r#"
            error[E0201]: unknown field `a31mb�c` in an Agent's spec
             --> agent.yaml:9:3
              |
            9 |   "a31mb�c": 1
              |   ^^^^^^^^^^ spec."a\u{9b}31mb\u{202e}c"
              |
              = help: an Agent's spec has purpose, instructions, model, tools, default_policies, capabilities, session, limits, mcp_servers, agents

        "#]],
    );
}

#[test]
fn lines_that_end_as_windows_has_them() {
    check(
        "  purpose: Settle.\r\n  purpos: 1\r\n  porpose: 2\r",
        expect![[r#"
            error[E0201]: unknown field `purpos` in an Agent's spec
             --> agent.yaml:9:3
              |
            9 |   purpos: 1
              |   ^^^^^^ spec.purpos
              |
              = help: did you mean `purpose`?

            error[E0201]: unknown field `porpose` in an Agent's spec
              --> agent.yaml:10:3
               |
            10 |   porpose: 2
               |   ^^^^^^^ spec.porpose
               |
               = help: did you mean `purpose`?

        "#]],
    );
}

#[test]
fn a_long_line_is_cut_and_a_very_long_one_left_out() {
    let filler = "x".repeat(300);
    check(
        &format!("  purpose: {{a: {filler}, b: 1}}\n  purpos: {filler}"),
        expect![[r#"
            error[E0203]: expected text, found a map
             --> agent.yaml:8:3
              |
            8 |   purpose: {a: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
              |   ^^^^^^^ spec.purpose
              |
              = help: write text

            error[E0201]: unknown field `purpos` in an Agent's spec
             --> agent.yaml:9:3
              |
            9 |   purpos: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
              |   ^^^^^^ spec.purpos
              |
              = help: did you mean `purpose`?

        "#]],
    );
    let filler = "x".repeat(100_000);
    check(
        &format!("  purpose: Settle.\n  purpos: {filler}"),
        expect![[r#"
            error[E0201]: unknown field `purpos` in an Agent's spec
            --> agent.yaml:9:3
             = help: did you mean `purpose`?

        "#]],
    );
}

#[test]
fn what_is_quoted_from_a_document_has_a_bound() {
    let filler = "é".repeat(100_000);
    let text = drawn(&format!("  purpose: Settle.\n  session: {filler}"), false);
    assert!(text.contains("ééé…"), "{text}");
    assert!(text.len() < 10_000, "{}", text.len());
}

#[test]
fn a_text_of_several_lines_is_shown_by_its_first() {
    check(
        "  purpose: Settle.\n  session: |\n    one\n    two",
        expect![[r#"
            error[E0204]: unknown value `one
                          two
                          `
              --> agent.yaml:10:5
               |
            10 |     one
               |     ^^^ spec.session
               |
               = help: one of conversation, single_turn

        "#]],
    );
}

#[test]
fn with_colours() {
    let text = drawn("  purpose: Settle.\n  purpos: 1", true);
    let visible = text.replace('\u{1b}', "ESC");
    expect![[r#"
        ESC[1mESC[91merror[E0201]ESC[0mESC[1m: unknown field `purpos` in an Agent's specESC[0m
         ESC[1mESC[94m--> ESC[0magent.yaml:9:3
          ESC[1mESC[94m|ESC[0m
        ESC[1mESC[94m9ESC[0m ESC[1mESC[94m|ESC[0m   purpos: 1
          ESC[1mESC[94m|ESC[0m   ESC[1mESC[91m^^^^^^ESC[0m ESC[1mESC[91mspec.purposESC[0m
          ESC[1mESC[94m|ESC[0m
          ESC[1mESC[94m= ESC[0mESC[1mhelpESC[0m: did you mean `purpose`?

    "#]]
    .assert_eq(&visible);
    // The colours are all that differs.
    let mut plain = String::new();
    for part in text.split('\u{1b}') {
        let rest = part.split_once('m').filter(|_| part.starts_with('['));
        plain.push_str(rest.map_or(part, |(_, rest)| rest));
    }
    assert_eq!(plain, drawn("  purpose: Settle.\n  purpos: 1", false));
}
