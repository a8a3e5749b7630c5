//! Every operator on every kind of value, and the fields of the context.

use crate::support::truth;

fn check(rows: &[(&str, &str, &str, &str)]) {
    for (op, value, amount, expected) in rows {
        let leaf = format!(r#"{{"field": "amount", "op": "{op}", "value": {value}}}"#);
        let args = format!(r#"{{"amount": {amount}}}"#);
        assert_eq!(truth(&leaf, &args), *expected, "{amount} {op} {value}");
    }
}

#[test]
fn equality() {
    check(&[
        ("eq", "1", "1.0", "true"),
        ("eq", "0", "-0.0", "true"),
        ("eq", "1", "2", "false"),
        ("eq", "9007199254740993", "9007199254740992", "false"),
        ("eq", "0.1", "0.10000000000000000001", "false"),
        ("eq", "1", "\"1\"", "unknown"),
        ("eq", "\"1\"", "1", "unknown"),
        ("eq", "\"a\"", "[\"a\"]", "unknown"),
        ("eq", "\"a\"", "null", "unknown"),
        ("eq", "true", "true", "true"),
        ("eq", "true", "false", "false"),
        ("eq", "true", "\"true\"", "unknown"),
        ("eq", "null", "null", "true"),
        ("eq", "null", "0", "false"),
        ("eq", "\"DELETE\"", "\"delete\"", "false"),
        ("eq", "\"\\u00e9\"", "\"e\\u0301\"", "false"),
        ("eq", "[1, \"a\"]", "[1.0, \"a\"]", "true"),
        ("eq", "[1, \"a\"]", "[\"a\", 1]", "false"),
        ("eq", "[1]", "[1, 1]", "false"),
        (
            "eq",
            "{\"a\": 1, \"b\": []}",
            "{\"b\": [], \"a\": 1}",
            "true",
        ),
        ("eq", "{\"a\": 1}", "{\"a\": \"1\"}", "false"),
        ("eq", "{\"a\": 1}", "{\"b\": 1}", "false"),
        ("eq", "{\"a\": 1}", "[]", "unknown"),
        ("neq", "1", "1", "false"),
        ("neq", "1", "2", "true"),
        ("neq", "1", "\"2\"", "unknown"),
        ("neq", "null", "\"x\"", "true"),
        ("neq", "null", "null", "false"),
    ]);
}

#[test]
fn order() {
    check(&[
        ("gt", "50", "100", "true"),
        ("gt", "50", "9", "false"),
        ("gt", "50", "50", "false"),
        ("gte", "50", "50", "true"),
        ("gte", "50", "49.999999999999999999999", "false"),
        ("lt", "50", "-1e300", "true"),
        ("lt", "50", "50", "false"),
        ("lte", "50", "50.0", "true"),
        ("lte", "50", "50.000000000000000000001", "false"),
        ("gt", "9007199254740992", "9007199254740993", "true"),
        ("gt", "50", "\"100\"", "unknown"),
        ("lt", "50", "null", "unknown"),
        ("lt", "50", "[1]", "unknown"),
        ("lt", "50", "true", "unknown"),
    ]);
}

#[test]
fn membership() {
    check(&[
        ("in", "[\"SE\", \"NO\"]", "\"NO\"", "true"),
        ("in", "[\"SE\", \"NO\"]", "\"no\"", "false"),
        ("in", "[\"SE\", \"NO\"]", "false", "unknown"),
        ("in", "[1, 2]", "2.0", "true"),
        ("in", "[1, \"2\"]", "2", "false"),
        ("in", "[1, 3]", "\"1\"", "unknown"),
        ("in", "[]", "\"x\"", "false"),
        ("in", "[null]", "null", "true"),
        ("in", "[null]", "5", "false"),
        ("in", "[null, \"x\"]", "null", "true"),
        ("in", "[null, \"x\"]", "\"y\"", "false"),
        ("in", "[null, \"x\"]", "5", "unknown"),
        ("in", "[[1], {}]", "[1]", "true"),
        ("not_in", "[\"SE\"]", "\"NO\"", "true"),
        ("not_in", "[\"SE\"]", "\"SE\"", "false"),
        ("not_in", "[\"SE\"]", "5", "unknown"),
        ("not_in", "[]", "5", "true"),
    ]);
}

#[test]
fn texts() {
    check(&[
        ("matches", "\"^a+$\"", "\"aaa\"", "true"),
        ("matches", "\"b\"", "\"abc\"", "true"),
        ("matches", "\"^b\"", "\"abc\"", "false"),
        ("matches", "\"^1$\"", "1", "unknown"),
        ("contains", "\"b\"", "\"abc\"", "true"),
        ("contains", "\"B\"", "\"abc\"", "false"),
        ("contains", "\"\"", "\"\"", "true"),
        ("contains", "1", "\"1\"", "unknown"),
        ("contains", "\"1\"", "1", "unknown"),
        ("contains", "\"a\"", "{\"a\": 1}", "unknown"),
        ("starts_with", "\"ab\"", "\"abc\"", "true"),
        ("starts_with", "\"abcd\"", "\"abc\"", "false"),
        ("starts_with", "\"a\"", "[\"a\"]", "unknown"),
        ("ends_with", "\"bc\"", "\"abc\"", "true"),
        ("ends_with", "\"ab\"", "\"abc\"", "false"),
        ("ends_with", "\"a\"", "null", "unknown"),
    ]);
}

#[test]
fn elements() {
    check(&[
        ("contains", "\"a\"", "[\"b\", \"a\"]", "true"),
        ("contains", "\"a\"", "[\"b\", \"ab\"]", "false"),
        ("contains", "1", "[1.0]", "true"),
        ("contains", "\"a\"", "[]", "false"),
        ("contains", "\"a\"", "[1, \"a\"]", "true"),
        ("contains", "\"a\"", "[1, \"b\"]", "unknown"),
        ("contains", "\"a\"", "[[\"a\"]]", "unknown"),
    ]);
}

#[test]
fn lengths() {
    check(&[
        ("length_gt", "2", "\"abc\"", "true"),
        ("length_gt", "3", "\"abc\"", "false"),
        ("length_gte", "3", "\"åäö\"", "true"),
        ("length_lt", "2", "\"😀\"", "true"),
        ("length_lt", "1", "\"\"", "true"),
        ("length_lte", "2", "[1, 2]", "true"),
        ("length_lte", "1", "[1, 2]", "false"),
        ("length_gt", "0", "{\"a\": 1}", "true"),
        ("length_gt", "0", "{}", "false"),
        ("length_lt", "1e400", "\"abc\"", "true"),
        ("length_gt", "3.0", "\"abcd\"", "true"),
        ("length_gt", "1", "12345", "unknown"),
        ("length_gt", "1", "null", "unknown"),
    ]);
}

#[test]
fn insensitive() {
    for (op, value, amount, expected) in [
        ("eq", "\"Delete\"", "\"dELETE\"", "true"),
        ("eq", "\"ÅÄÖ\"", "\"åäö\"", "true"),
        ("eq", "\"ID\"", "\"İd\"", "true"),
        ("eq", "\"skip\"", "\"ſkip\"", "false"),
        ("eq", "\"k\"", "\"\u{212a}\"", "true"),
        (
            "eq",
            "[\"A\", {\"K\": \"B\"}]",
            "[\"a\", {\"K\": \"b\"}]",
            "true",
        ),
        ("eq", "{\"K\": \"B\"}", "{\"k\": \"B\"}", "false"),
        ("eq", "5", "5", "true"),
        ("neq", "\"a\"", "\"A\"", "false"),
        ("in", "[\"Yes\", \"No\"]", "\"NO\"", "true"),
        ("not_in", "[\"Yes\", \"No\"]", "\"NO\"", "false"),
        ("contains", "\"BC\"", "\"abcd\"", "true"),
        ("contains", "\"BC\"", "[\"bC\"]", "true"),
        ("contains", "\"BC\"", "\"acb\"", "false"),
        ("starts_with", "\"AB\"", "\"aBc\"", "true"),
        ("starts_with", "\"AB\"", "\"a\"", "false"),
        ("ends_with", "\"BC\"", "\"aBc\"", "true"),
        ("ends_with", "\"BC\"", "\"c\"", "false"),
        ("matches", "\"^abc$\"", "\"ABC\"", "true"),
    ] {
        let leaf = format!(
            r#"{{"field": "amount", "op": "{op}", "value": {value}, "case": "insensitive"}}"#
        );
        let args = format!(r#"{{"amount": {amount}}}"#);
        assert_eq!(truth(&leaf, &args), expected, "{amount} {op} {value}");
    }
}

#[test]
fn paths() {
    let args = r#"{
        "amount": 1,
        "args": 2,
        "ctx": {"turn": 4},
        "a.b": {"c d": 5},
        "list": [[1, 2], {"x": 6}]
    }"#;
    for (field, value) in [
        ("amount", "1"),
        ("args.amount", "1"),
        ("args.args", "2"),
        ("args.ctx.turn", "4"),
        (r#"\"a.b\".\"c d\""#, "5"),
        ("list[0][1]", "2"),
        ("list[1].x", "6"),
        ("list[0][*]", "2"),
        ("list[*].x", "6"),
    ] {
        let leaf = format!(r#"{{"field": "{field}", "value": {value}}}"#);
        assert_eq!(truth(&leaf, args), "true", "{field}");
    }
    // A string has no members and an object no elements.
    for field in [
        "amount.x",
        "amount[0]",
        "ctx[0]",
        "list.x",
        "list[2]",
        "list[0].x",
    ] {
        let leaf = format!(r#"{{"field": "args.{field}", "op": "exists"}}"#);
        assert_eq!(truth(&leaf, args), "false", "{field}");
    }
}

#[test]
fn context() {
    for (leaf, expected) in [
        (r#"{"field": "ctx.tool", "value": "acme.tool-pay"}"#, "true"),
        (r#"{"field": "ctx.tool", "value": "pay"}"#, "false"),
        (r#"{"field": "ctx.wire_name", "value": "pay"}"#, "true"),
        (
            r#"{"field": "ctx.wire_name", "op": "length_gt", "value": 2}"#,
            "true",
        ),
        (
            r#"{"field": "ctx.side_effect_class", "op": "in", "value": ["non_idempotent_write"]}"#,
            "true",
        ),
        (
            r#"{"field": "ctx.side_effect_class", "value": "read_only"}"#,
            "false",
        ),
        (
            r#"{"field": "ctx.agent.namespace", "value": "acme"}"#,
            "true",
        ),
        (
            r#"{"field": "ctx.agent.name", "op": "contains", "value": "gen"}"#,
            "true",
        ),
        (
            r#"{"field": "ctx.agent.version", "op": "starts_with", "value": "1."}"#,
            "true",
        ),
        (r#"{"field": "ctx.session.calls", "value": 7}"#, "true"),
        (
            r#"{"field": "ctx.session.calls", "op": "gt", "value": 6.5}"#,
            "true",
        ),
        (
            r#"{"field": "ctx.session.tool_calls", "op": "gte", "value": 3}"#,
            "false",
        ),
        (
            r#"{"field": "ctx.turn", "op": "in", "value": [1, 2, 3]}"#,
            "true",
        ),
        (r#"{"field": "ctx.depth", "op": "lt", "value": 1}"#, "true"),
        (r#"{"field": "ctx.now.hour", "value": 18}"#, "true"),
        (
            r#"{"field": "ctx.now.hour", "op": "gte", "value": 19}"#,
            "false",
        ),
        (
            r#"{"field": "ctx.now.weekday", "op": "in", "value": ["saturday", "sunday"]}"#,
            "true",
        ),
        (
            r#"{"field": "ctx.now.weekday", "value": "SUNDAY", "case": "insensitive"}"#,
            "true",
        ),
        (
            r#"{"field": "ctx.now.date", "value": "2026-03-01"}"#,
            "true",
        ),
        (
            r#"{"field": "ctx.now.date", "op": "starts_with", "value": "2026-03-"}"#,
            "true",
        ),
        (
            r#"{"field": "ctx.session.input.tier", "value": "gold"}"#,
            "true",
        ),
        (
            r#"{"field": "ctx.session.input", "value": {"tier": "gold"}}"#,
            "true",
        ),
        (
            r#"{"field": "ctx.session.input.tier", "op": "gt", "value": 1}"#,
            "unknown",
        ),
        (r#"{"field": "ctx.turn", "op": "exists"}"#, "true"),
    ] {
        assert_eq!(truth(leaf, "{}"), expected, "{leaf}");
    }
}
