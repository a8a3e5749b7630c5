//! What a missing field, or one of another type, means.

use spec::snapshot::DecisionKind::{Allow, Deny, RequireApproval};

use crate::support::{matches, truth};

#[test]
fn the_absence_rule() {
    // Conditions, arguments, what the conditions of a deny say.
    let rows = [
        // Declared and left out.
        (
            r#"{"field": "amount", "op": "gt", "value": 50}"#,
            "{}",
            "unknown",
        ),
        (
            r#"{"field": "region", "op": "eq", "value": "eu"}"#,
            "{}",
            "unknown",
        ),
        (
            r#"{"field": "region", "op": "neq", "value": "eu"}"#,
            "{}",
            "unknown",
        ),
        (
            r#"{"field": "region", "op": "in", "value": []}"#,
            "{}",
            "unknown",
        ),
        (
            r#"{"field": "items[0].price", "op": "gt", "value": 1}"#,
            "{}",
            "unknown",
        ),
        (
            r#"{"field": "items[*].price", "op": "gt", "value": 1}"#,
            "{}",
            "unknown",
        ),
        (
            r#"{"field": "items[*].price", "op": "gt", "value": 1}"#,
            r#"{"items": [{}]}"#,
            "unknown",
        ),
        (
            r#"{"field": "tags[*]", "op": "eq", "value": "x"}"#,
            "{}",
            "unknown",
        ),
        // Neither known nor carried.
        (
            r#"{"field": "other", "op": "eq", "value": "eu"}"#,
            "{}",
            "false",
        ),
        (
            r#"{"field": "other", "op": "neq", "value": "eu"}"#,
            "{}",
            "false",
        ),
        (
            r#"{"field": "other", "op": "not_in", "value": ["eu"]}"#,
            "{}",
            "false",
        ),
        (
            r#"{"field": "free.deep", "op": "eq", "value": 1}"#,
            "{}",
            "false",
        ),
        (
            r#"{"field": "items[*].colour", "op": "eq", "value": 1}"#,
            r#"{"items": [{}]}"#,
            "false",
        ),
        // Not known, but carried all the same.
        (
            r#"{"field": "other", "op": "eq", "value": "eu"}"#,
            r#"{"other": "eu"}"#,
            "true",
        ),
        (
            r#"{"field": "free.deep", "op": "eq", "value": 1}"#,
            r#"{"free": {"deep": 1}}"#,
            "true",
        ),
        (
            r#"{"field": "other", "op": "gt", "value": 1}"#,
            r#"{"other": "x"}"#,
            "unknown",
        ),
        // The author decides.
        (
            r#"{"field": "amount", "op": "gt", "value": 50, "absent": "skip"}"#,
            "{}",
            "false",
        ),
        (
            r#"{"field": "amount", "op": "gt", "value": 50, "absent": "match"}"#,
            "{}",
            "true",
        ),
        (
            r#"{"field": "other", "op": "gt", "value": 50, "absent": "match"}"#,
            "{}",
            "true",
        ),
        (
            r#"{"field": "amount", "op": "gt", "value": 50, "absent": "match"}"#,
            r#"{"amount": 1}"#,
            "false",
        ),
        // A value of another type is there; it is not absent.
        (
            r#"{"field": "amount", "op": "gt", "value": 50, "absent": "skip"}"#,
            r#"{"amount": "9"}"#,
            "unknown",
        ),
        (
            r#"{"field": "amount", "op": "gt", "value": 50}"#,
            r#"{"amount": null}"#,
            "unknown",
        ),
        // `exists` asks just that, and is never unknown.
        (r#"{"field": "amount", "op": "exists"}"#, "{}", "false"),
        (
            r#"{"field": "amount", "op": "exists", "value": false}"#,
            "{}",
            "true",
        ),
        (
            r#"{"field": "amount", "op": "exists"}"#,
            r#"{"amount": null}"#,
            "true",
        ),
        (
            r#"{"field": "other", "op": "exists", "value": false}"#,
            "{}",
            "true",
        ),
        // Interior nodes.
        (
            r#"{"not": {"field": "amount", "op": "gt", "value": 50}}"#,
            "{}",
            "unknown",
        ),
        (
            r#"{"not": {"field": "other", "op": "gt", "value": 50}}"#,
            "{}",
            "true",
        ),
        (
            r#"{"not": {"field": "amount", "op": "gt", "value": 50, "absent": "match"}}"#,
            "{}",
            "false",
        ),
        // What a session was started with has no contract.
        (
            r#"{"field": "ctx.session.input.plan", "op": "eq", "value": "x"}"#,
            "{}",
            "unknown",
        ),
        (
            r#"{"field": "ctx.session.input.plan", "op": "eq", "value": "x", "absent": "skip"}"#,
            "{}",
            "false",
        ),
    ];
    for (conditions, args, expected) in rows {
        assert_eq!(truth(conditions, args), expected, "{conditions} of {args}");
    }
}

#[test]
fn kleene_in_conditions() {
    let leaf = |letter: char| match letter {
        't' => r#"{"field": "amount", "value": 1}"#,
        'f' => r#"{"field": "amount", "value": 2}"#,
        'u' => r#"{"field": "region", "value": 3}"#,
        other => panic!("{other}"),
    };
    for (children, all, any) in [
        ("", "true", "false"),
        ("t", "true", "true"),
        ("f", "false", "false"),
        ("u", "unknown", "unknown"),
        ("tt", "true", "true"),
        ("tf", "false", "true"),
        ("tu", "unknown", "true"),
        ("ut", "unknown", "true"),
        ("fu", "false", "unknown"),
        ("uf", "false", "unknown"),
        ("uu", "unknown", "unknown"),
        ("ff", "false", "false"),
        ("tuf", "false", "true"),
        ("fut", "false", "true"),
    ] {
        let leaves: Vec<&str> = children.chars().map(leaf).collect();
        for (word, expected) in [("all", all), ("any", any)] {
            let tree = format!(r#"{{"{word}": [{}]}}"#, leaves.join(","));
            assert_eq!(truth(&tree, r#"{"amount": 1}"#), expected, "{tree}");
            let not = match expected {
                "true" => "false",
                "false" => "true",
                other => other,
            };
            let tree = format!(r#"{{"not": {tree}}}"#);
            assert_eq!(truth(&tree, r#"{"amount": 1}"#), not, "{tree}");
        }
    }
}

#[test]
fn an_allow_list_is_not_helped_by_omission() {
    for conditions in [
        r#"{"field": "region", "op": "in", "value": ["eu"]}"#,
        r#"{"field": "region", "op": "neq", "value": "us"}"#,
        r#"{"not": {"field": "region", "op": "eq", "value": "us"}}"#,
        r#"{"field": "other", "op": "neq", "value": "us"}"#,
        r#"{"not": {"field": "other", "op": "eq", "value": "us"}}"#,
        r#"{"not": {"not": {"not": {"field": "other", "op": "eq", "value": "us"}}}}"#,
        r#"{"not": {"any": [{"field": "other", "op": "eq", "value": "us"}]}}"#,
        r#"{"field": "free.deep", "op": "not_in", "value": []}"#,
        r#"{"field": "items[*].sku", "op": "neq", "value": "x"}"#,
    ] {
        assert!(!matches(Allow, conditions, "{}"), "{conditions}");
    }
    // Its author may still open it to those who leave the field out, by saying so.
    for conditions in [
        r#"{"any": [{"field": "region", "op": "exists", "value": false}, {"field": "region", "op": "in", "value": ["eu"]}]}"#,
        r#"{"field": "region", "op": "in", "value": ["eu"], "absent": "match"}"#,
    ] {
        assert!(matches(Allow, conditions, "{}"), "{conditions}");
        assert!(
            !matches(Allow, conditions, r#"{"region": "us"}"#),
            "{conditions}"
        );
    }
}

#[test]
fn one_bad_element_stops_the_call() {
    let bad = r#"{"field": "items[*].sku", "op": "eq", "value": "bad"}"#;
    let good = r#"{"field": "items[*].sku", "op": "in", "value": ["a", "b"]}"#;
    let not = |tree: &str| format!(r#"{{"not": {tree}}}"#);
    let rows = [
        // args, deny of bad, deny of not good, allow of good, allow of not bad
        (r#"[]"#, false, false, true, true),
        (r#"[{"sku": "a"}, {"sku": "b"}]"#, false, false, true, true),
        (
            r#"[{"sku": "a"}, {"sku": "bad"}]"#,
            true,
            true,
            false,
            false,
        ),
        (
            r#"[{"sku": "bad"}, {"sku": "bad"}]"#,
            true,
            true,
            false,
            false,
        ),
        // An element without the field cannot be told, nor can one of another type.
        (r#"[{"sku": "a"}, {}]"#, true, true, false, false),
        (r#"[{"sku": "a"}, {"sku": 5}]"#, true, true, false, false),
        (r#"[{"sku": "a"}, 5]"#, true, true, false, false),
        (r#"{"sku": "a"}"#, true, true, false, false),
    ];
    for (items, deny_bad, deny_not_good, allow_good, allow_not_bad) in rows {
        let args = format!(r#"{{"items": {items}}}"#);
        assert_eq!(matches(Deny, bad, &args), deny_bad, "{items}");
        assert_eq!(matches(RequireApproval, bad, &args), deny_bad, "{items}");
        assert_eq!(matches(Deny, &not(good), &args), deny_not_good, "{items}");
        assert_eq!(matches(Allow, good, &args), allow_good, "{items}");
        assert_eq!(matches(Allow, &not(bad), &args), allow_not_bad, "{items}");
        assert_eq!(
            matches(Allow, &not(&not(good)), &args),
            allow_good,
            "{items}"
        );
    }
}
