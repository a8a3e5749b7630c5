//! Numbered cases of what went wrong elsewhere: reading YAML (B-099 to B-105), and versions and their
//! constraints (B-106 to B-110). Each goes through `compile`.

use expect_test::expect;
use spec::Json;
use spec::snapshot::{Condition, Leaf};

use super::bundle::Bundle;
use super::readers::leaf_value;
use super::sample;
use crate::{Severity, render};

/// The sample with these versions of its Tool.
fn published(versions: &[&str]) -> Bundle {
    let tool = sample().text("tools/refund.yaml").unwrap();
    let mut bundle = sample().without("tools/refund.yaml");
    for (index, version) in versions.iter().enumerate() {
        let text = tool.replace("version: 1.2.0", &format!("version: {version}"));
        bundle = bundle.file(&format!("tools/{index}.yaml"), text);
    }
    bundle
}

fn pinned(versions: &[&str], reference: &str) -> Result<String, Vec<String>> {
    let edit = format!("ref: pay.refund{reference}");
    let bundle = published(versions).edit("agent.yaml", "ref: pay.refund@^1.0", &edit);
    let Some(snapshot) = bundle.compile().snapshot else {
        return Err(errors(&bundle));
    };
    Ok(snapshot.tools[0].contract.version.clone())
}

/// What is said about a bundle, for people.
fn said(bundle: &Bundle) -> String {
    render(
        &bundle.compile().diagnostics,
        &|path| bundle.text(path),
        false,
    )
}

/// The codes of what keeps a bundle from being published.
fn errors(bundle: &Bundle) -> Vec<String> {
    let found = bundle.compile().diagnostics.into_iter();
    let errors = found.filter(|it| it.severity == Severity::Error);
    errors.map(|it| it.code.to_string()).collect()
}

fn with_limits(limits: &str) -> Bundle {
    sample().append("agent.yaml", &format!("  limits: {limits}\n"))
}

#[test]
fn b_099_a_bare_no_stays_text() {
    let conditions =
        "conditions: {field: args.currency, op: in, value: [SE, NO, DK, on, off, yes, n, Y]}";
    let written = "conditions:\n    field: amount\n    op: gt\n    value: 1000";
    let bundle = sample()
        .edit("policies/limit.yaml", written, conditions)
        .edit(
            "schemas/refund.json",
            "{\"enum\": [\"EUR\", \"USD\"]}",
            "{\"type\": \"string\"}",
        );
    let snapshot = bundle.compile().snapshot.unwrap();
    let Some(Condition::Leaf(Leaf { value, .. })) = &snapshot.policies[0].condition else {
        panic!("no leaf");
    };
    let words = ["SE", "NO", "DK", "on", "off", "yes", "n", "Y"].map(Json::from);
    assert_eq!(*value, Json::from(words.to_vec()));
    // Where text is due it is text too, and where a truth value is due it is none.
    let described = sample().edit("agent.yaml", "Settle refunds.", "NO");
    assert_eq!(described.compile().snapshot.unwrap().purpose, "NO");
    let asked = sample().append("policies/limit.yaml", "    comprehension_required: NO\n");
    assert_eq!(asked.codes(), ["E0203"]);
}

#[test]
fn b_100_a_version_is_text_or_refused() {
    for version in ["1.10", "1", "1e3", "010", ".5", "true", "null", ""] {
        let edit = format!("version: {version}");
        let bundle = sample().edit("agent.yaml", "version: 1.0.0", &edit);
        assert_eq!(bundle.codes(), ["E0203"], "{version}");
    }
    let bundle = sample().edit("agent.yaml", "version: 1.0.0", "version: 1.10");
    let text = said(&bundle);
    assert!(text.contains("quote it: \"1.10\""), "{text}");
    let versions = ["1.1.0", "1.10.0"];
    assert_eq!(pinned(&versions, "@1.10"), Ok("1.10.0".to_owned()));
    assert_eq!(pinned(&versions, "@1.1"), Ok("1.1.0".to_owned()));
    assert_eq!(pinned(&["1.1.0"], "@1.10"), Err(vec!["E0306".to_owned()]));
}

#[test]
fn b_101_a_repeated_key_names_both_lines() {
    let decision = "decision:\n    type: deny\n    reason: Too much.";
    let cases = [
        (
            sample().edit(
                "policies/limit.yaml",
                decision,
                "decision: {type: deny, type: allow}",
            ),
            "again on line 12; first written on line 12",
        ),
        (
            sample().append("policies/limit.yaml", "spec:\n  decision: {type: allow}\n"),
            "again on line 15; first written on line 7",
        ),
        (
            sample().edit(
                "agent.yaml",
                "  purpose:",
                "  \"purp\\u006fse\": x\n  purpose:",
            ),
            "again on line 9; first written on line 8",
        ),
        (
            sample().edit(
                "schemas/refund.json",
                "\"required\": [",
                "\"type\": 1, \"required\": [",
            ),
            "again on line 8; first written on line 2",
        ),
    ];
    for (bundle, lines) in cases {
        assert_eq!(errors(&bundle), ["E0105"]);
        let text = said(&bundle);
        assert!(text.contains(lines), "{text}");
    }
    // What a merge would bring in is not there to be repeated: the merge itself is refused.
    let merged = "decision:\n    <<: {type: deny}\n    type: allow";
    let bundle = sample().edit("policies/limit.yaml", decision, merged);
    assert_eq!(errors(&bundle), ["E0104"]);
}

#[test]
fn b_102_aliases_never_grow() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let below = format!("*a{}", level - 1);
        bomb += &format!(
            "a{level}: &a{level} [{}]\n",
            [below.as_str(); 10].join(", ")
        );
    }
    let alone = sample().append("agent.yaml", &bomb).codes();
    assert!(alone.contains(&"E0104".to_owned()), "{alone:?}");
    // One error for each anchor and alias that is written, whatever they would grow to.
    assert!(alone.len() < 200, "{}", alone.len());
    for (hostile, code) in [
        (format!("[{}]", "1,".repeat(200_000)), "E0102"),
        (format!("{{a: {}", "[".repeat(100_000)), "E0102"),
        (format!("[{}]", "&a [*a],".repeat(100_000)), "E0104"),
    ] {
        let codes = sample().file("agent.yaml", hostile).codes();
        assert!(codes.contains(&code.to_owned()), "{codes:?}");
        assert!(codes.len() <= 1001, "{}", codes.len());
    }
}

#[test]
fn b_103_a_merge_key_never_loses_a_limit() {
    let bundle = with_limits("{<<: *base, max_loop_iterations: 5}");
    assert_eq!(bundle.codes(), ["E0104", "E0104"]);
    let bundle = with_limits("{<<: {on_limit: halt}, max_loop_iterations: 5}");
    assert_eq!(bundle.codes(), ["E0104"]);
    // Quoted it is a key like any other, and none that limits have.
    let bundle = with_limits("{'<<': {on_limit: halt}, max_loop_iterations: 5}");
    assert_eq!(bundle.codes(), ["E0201"]);
}

#[test]
fn b_104_marks_and_line_ends_pass_and_tabs_do_not() {
    let expected = sample().compile();
    let mut bundle = sample();
    for path in [
        "agent.yaml",
        "tools/refund.yaml",
        "policies/limit.yaml",
        "schemas/refund.json",
    ] {
        let text = sample().text(path).unwrap().replace('\n', "\r\n");
        bundle = bundle.file(path, format!("\u{feff}{text}"));
    }
    assert_eq!(bundle.compile(), expected);
    let tabs = sample().edit("agent.yaml", "    text: Be fair.", "\ttext: Be fair.");
    assert_eq!(tabs.codes(), ["E0103"]);
    let text = said(&tabs);
    assert!(text.contains("agent.yaml:10:1"), "{text}");
}

#[test]
fn b_104_empty_documents_are_passed_over_and_second_ones_are_not() {
    let expected = sample().compile();
    let agent = sample().text("agent.yaml").unwrap();
    for around in [
        format!("---\n{agent}"),
        format!("---\n---\n{agent}---\n"),
        format!("# nothing yet\n---\n# nor here\n---\n{agent}...\n"),
        format!("{agent}---\n# the end\n---\n"),
    ] {
        assert_eq!(sample().file("agent.yaml", around).compile(), expected);
    }
    let second = sample().append("agent.yaml", "---\n---\nkind: Tool\n");
    assert_eq!(second.codes(), ["E0106"]);
    let text = said(&second);
    assert!(
        text.contains("a second document begins on line 21"),
        "{text}"
    );
}

#[test]
fn b_104_places_are_right_after_a_mark_and_wide_characters() {
    let text = sample().text("agent.yaml").unwrap().replace('\n', "\r\n");
    let text = text.replace("purpose: Settle refunds.", "purpose: {é: [\"ø\", 1.10]}");
    let bundle = sample().file("agent.yaml", format!("\u{feff}{text}"));
    bundle.check(expect![[r#"
        error[E0203]: expected text, found a map
         --> agent.yaml:8:3
          |
        8 |   purpose: {é: ["ø", 1.10]}
          |   ^^^^^^^ spec.purpose
          |
          = help: write text

    "#]]);
}

#[test]
fn b_105_what_looks_like_another_type_stays_what_is_due() {
    for odd in ["010", "0o10", "0x0A", "00"] {
        let bundle = with_limits(&format!("{{max_loop_iterations: {odd}}}"));
        assert_eq!(bundle.codes(), ["E0209"], "{odd}");
    }
    let ten = with_limits("{max_loop_iterations: 10}");
    assert_eq!(
        ten.compile().snapshot.unwrap().limits.max_loop_iterations,
        Some(10)
    );
    for text in ["2024-01-01", "12:30:45", "1_000", "0b11", "1.2.3", "~x"] {
        assert_eq!(leaf_value(text), Json::from(text));
        let described = sample().edit("agent.yaml", "Settle refunds.", text);
        assert_eq!(described.compile().snapshot.unwrap().purpose, text);
    }
    // Octal and hexadecimal numbers are text where text is due, and refused where anything goes.
    let described = sample().edit("agent.yaml", "Settle refunds.", "0o17");
    assert_eq!(described.compile().snapshot.unwrap().purpose, "0o17");
    for odd in ["010", "0o17", "0x1F", ".nan", "-.inf"] {
        let value = format!("value: {odd}");
        let bundle = sample().edit("policies/limit.yaml", "value: 1000", &value);
        assert_eq!(bundle.codes(), ["E0209"], "{odd}");
    }
}

#[test]
fn b_106_a_prerelease_is_taken_only_where_it_is_named() {
    for reference in ["@^1.0.0", "@*", ""] {
        let edit = format!("ref: pay.refund{reference}");
        let bundle = published(&["1.1.0-beta.1"]).edit("agent.yaml", "ref: pay.refund@^1.0", &edit);
        assert_eq!(errors(&bundle), ["E0306"], "{reference}");
        let text = said(&bundle);
        assert!(
            text.contains("name it: `pay.refund@1.1.0-beta.1`"),
            "{text}"
        );
    }
    let versions = ["2.1.0-rc.1", "2.0.0-rc.1", "2.0.0"];
    assert_eq!(pinned(&versions, "@^2.0.0-rc.0"), Ok("2.0.0".to_owned()));
    let without_final = ["2.0.0-rc.1", "2.1.0-rc.1"];
    assert_eq!(
        pinned(&without_final, "@^2.0.0-rc.0"),
        Ok("2.0.0-rc.1".to_owned())
    );
}

#[test]
fn b_107_carets_below_one_take_no_breaking_version() {
    let refused = || Err(vec!["E0306".to_owned()]);
    let taken = |version: &str| Ok(version.to_owned());
    assert_eq!(pinned(&["0.2.9", "0.3.0"], "@^0.2.3"), taken("0.2.9"));
    assert_eq!(pinned(&["0.3.0"], "@^0.2.3"), refused());
    assert_eq!(pinned(&["0.0.4"], "@^0.0.3"), refused());
    assert_eq!(pinned(&["1.0.0"], "@^0.0"), refused());
    let versions = ["0.0.3", "0.0.4", "0.2.9", "0.3.0", "1.0.0"];
    for (reference, version) in [("@^0.0.3", "0.0.3"), ("@^0.0", "0.0.4"), ("@^0", "0.3.0")] {
        assert_eq!(pinned(&versions, reference), taken(version), "{reference}");
    }
}

#[test]
fn b_108_one_grammar_and_the_rest_refused_with_an_example() {
    let versions = ["1.2.0", "1.4.0", "1.10.0", "2.0.0", "3.0.0"];
    for (reference, version) in [
        ("@>=1.2 <2", "1.10.0"),
        ("@>= 1.2, < 2", "1.10.0"),
        ("@>=1.2,<1.4", "1.2.0"),
        ("@^1 || ^2", "2.0.0"),
        ("@1.x", "1.10.0"),
        ("@~1.4", "1.4.0"),
        ("@=1.2.0", "1.2.0"),
        ("@*", "3.0.0"),
        ("", "3.0.0"),
    ] {
        assert_eq!(
            pinned(&versions, reference),
            Ok(version.to_owned()),
            "{reference}"
        );
    }
    for (reference, example) in [
        ("@1.2 - 1.4", ">=1.2 <=1.4"),
        ("@latest", "^1.2"),
        ("@^*", "*"),
        ("@", "^1.2"),
        ("@>=1.2,", ">=1.2, <2"),
        ("@1 ||", "^1.2"),
        ("@1.2.3.4", "^1.2"),
        ("@!=1.2", "^1.2"),
        ("@1.x.3", "^1.2"),
    ] {
        let edit = format!("ref: \"pay.refund{reference}\"");
        let bundle = published(&versions).edit("agent.yaml", "ref: pay.refund@^1.0", &edit);
        assert_eq!(errors(&bundle), ["E0304"], "{reference}");
        let text = said(&bundle);
        assert!(text.contains(&format!("write `{example}`, say")), "{text}");
    }
}

#[test]
fn b_109_a_leading_v_is_passed_over_everywhere_with_a_hint() {
    assert_eq!(pinned(&["v1.2.3"], "@v1.2.3"), Ok("1.2.3".to_owned()));
    let document = published(&["v1.2.3"]);
    let reference = published(&["1.2.3"]).edit("agent.yaml", "@^1.0", "@v1.2.3");
    for bundle in [document, reference] {
        assert_eq!(bundle.codes(), ["E0211"]);
        let text = said(&bundle);
        assert!(text.contains("help: write 1.2.3"), "{text}");
    }
}

#[test]
fn b_110_build_metadata_is_no_other_version() {
    assert_eq!(pinned(&["1.0.0+a"], "@1.0.0"), Ok("1.0.0".to_owned()));
    assert_eq!(pinned(&["1.0.0"], "@1.0.0+b"), Ok("1.0.0".to_owned()));
    let twins = published(&["1.0.0+a", "1.0.0+b"]);
    assert!(errors(&twins).contains(&"E0307".to_owned()));
    for reference in ["@^*", "@latest"] {
        assert_eq!(
            pinned(&["1.0.0"], reference),
            Err(vec!["E0304".to_owned()]),
            "{reference}"
        );
    }
}

#[test]
fn the_order_is_of_numbers_and_not_of_text() {
    assert_eq!(
        pinned(&["1.10.0", "1.9.0", "1.2.0"], "@^1"),
        Ok("1.10.0".to_owned())
    );
}
