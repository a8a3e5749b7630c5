//! What publish is told.

use policy::Severity::{self, Error, Warning};
use policy::check;
use spec::snapshot::DecisionKind::{Allow, Deny, RequireApproval};
use spec::snapshot::{Origin, Policy, Scope};

use crate::support::{attached, rule, scoped, tool};

const CLOSED: &str = r#"{
    "type": "object",
    "properties": {
        "amount": {"type": "number"},
        "note": {"type": "string"},
        "who": {"type": ["string", "null"]},
        "items": {"type": "array", "items": {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"], "additionalProperties": false}}
    },
    "required": ["amount", "who", "items"],
    "additionalProperties": false
}"#;
const OPEN: &str = r#"{"type": "object", "properties": {"note": {"type": "string"}}}"#;

/// The findings on `policy`, with `pay` closed and `look` open.
fn findings(policy: &Policy) -> Vec<(Severity, String, String)> {
    let (pay, look) = (tool("pay", CLOSED), tool("look", OPEN));
    check(policy, &[&pay, &look])
        .into_iter()
        .map(|it| {
            assert!(!it.help.is_empty());
            (it.severity, it.field, it.message)
        })
        .collect()
}

fn reaching(tools: &[&str], policy: Policy) -> Policy {
    Policy {
        attachments: vec![attached(Origin::AgentDefault, tools)],
        ..policy
    }
}

/// Each row: the tools reached, the conditions of a deny, and the findings: severity, field and a
/// part of the message.
#[test]
fn of_a_deny() {
    type Expected<'a> = &'a [(Severity, &'a str, &'a str)];
    let rows: &[(&[&str], &str, Expected<'_>)] = &[
        (
            &["pay"],
            r#"{"field": "amount", "op": "gt", "value": 5}"#,
            &[],
        ),
        (
            &["pay"],
            r#"{"field": "args.items[*].price", "op": "gt", "value": 5}"#,
            &[],
        ),
        (
            &["pay"],
            r#"{"field": "amont", "op": "gt", "value": 5}"#,
            &[(
                Error,
                "conditions.field",
                "cannot exist in any call of `pay`",
            )],
        ),
        (
            &["pay"],
            r#"{"field": "items[*].prize", "op": "gt", "value": 5}"#,
            &[(Error, "conditions.field", "cannot exist")],
        ),
        (
            &["pay"],
            r#"{"field": "amount.value", "op": "gt", "value": 5}"#,
            &[(Error, "conditions.field", "cannot exist")],
        ),
        // One contract that knows it, or may carry it, is enough.
        (
            &["pay", "look"],
            r#"{"field": "amount", "op": "gt", "value": 5}"#,
            &[],
        ),
        (
            &["pay", "look"],
            r#"{"field": "amont", "op": "gt", "value": 5}"#,
            &[(Warning, "conditions.field", "mentions `amont`")],
        ),
        (
            &["look"],
            r#"{"field": "amount", "op": "gt", "value": 5}"#,
            &[(
                Warning,
                "conditions.field",
                "no contract of `look` mentions",
            )],
        ),
        (
            &["pay", "look"],
            r#"{"field": "note", "op": "matches", "value": "x"}"#,
            &[(
                Warning,
                "conditions.field",
                "a call of `pay`, `look` may leave `note` out",
            )],
        ),
        (
            &["pay"],
            r#"{"field": "note", "value": "x", "absent": "skip"}"#,
            &[],
        ),
        (&["pay"], r#"{"field": "note", "op": "exists"}"#, &[]),
        (
            &["pay"],
            r#"{"field": "items[0].price", "op": "gt", "value": 5}"#,
            &[(
                Warning,
                "conditions.field",
                "may leave `items[0].price` out",
            )],
        ),
        // Types.
        (
            &["pay"],
            r#"{"field": "who", "value": "me"}"#,
            &[(
                Warning,
                "conditions.field",
                "a type that `eq` cannot compare",
            )],
        ),
        (
            &["pay"],
            r#"{"field": "who", "op": "in", "value": ["me", null]}"#,
            &[],
        ),
        (&["pay"], r#"{"field": "who", "value": null}"#, &[]),
        (
            &["pay"],
            r#"{"field": "amount", "value": "5"}"#,
            &[(Error, "conditions.op", "can never compare")],
        ),
        (
            &["pay"],
            r#"{"field": "note", "op": "gt", "value": 5}"#,
            &[(Error, "conditions.op", "can never compare")],
        ),
        (
            &["pay"],
            r#"{"field": "amount", "op": "length_gt", "value": 5}"#,
            &[(Error, "conditions.op", "can never compare")],
        ),
        (
            &["pay"],
            r#"{"field": "items", "op": "contains", "value": "x"}"#,
            &[],
        ),
        (
            &["pay"],
            r#"{"field": "items", "op": "starts_with", "value": "x"}"#,
            &[(Error, "conditions.op", "can never compare")],
        ),
        // Trees.
        (
            &["pay"],
            r#"{"all": []}"#,
            &[(Warning, "conditions.all", "always true")],
        ),
        (
            &["pay"],
            r#"{"not": {"any": [{"all": []}, {"any": []}]}}"#,
            &[
                (Warning, "conditions.not.any[0].all", "always true"),
                (Warning, "conditions.not.any[1].any", "always false"),
            ],
        ),
        (
            &["pay"],
            r#"{"any": [{"field": "amont"}, {"not": {"field": "note", "value": "x"}}]}"#,
            &[
                (Error, "conditions.any[0].field", "cannot exist"),
                (
                    Warning,
                    "conditions.any[1].not.field",
                    "may leave `note` out",
                ),
            ],
        ),
        // What does not compile is found here too.
        (
            &["pay"],
            r#"{"any": [{"field": "a..b"}, {"any": []}]}"#,
            &[
                (Warning, "conditions.any[1].any", "always false"),
                (Error, "conditions.any[0].field", "an empty key"),
            ],
        ),
        // Other roots.
        (
            &["pay"],
            r#"{"field": "ctx.session.input.tier", "value": "x"}"#,
            &[(Warning, "conditions.field", "may be missing")],
        ),
        (
            &["pay"],
            r#"{"field": "ctx.session.input.tier", "value": "x", "absent": "match"}"#,
            &[],
        ),
        (&["pay"], r#"{"field": "ctx.turn", "value": 3}"#, &[]),
        (
            &["pay"],
            r#"{"field": "dispatch.outcome", "value": "indeterminate"}"#,
            &[],
        ),
        // No tool, no contract to hold it against.
        (&[], r#"{"field": "amont", "op": "gt", "value": 5}"#, &[]),
    ];
    for (tools, conditions, expected) in rows {
        let found = findings(&reaching(tools, rule("it", Deny, conditions)));
        let shown = format!("{conditions} of {tools:?}: {found:?}");
        assert_eq!(found.len(), expected.len(), "{shown}");
        for (found, expected) in found.iter().zip(*expected) {
            assert_eq!(
                (found.0, found.1.as_str()),
                (expected.0, expected.1),
                "{shown}"
            );
            assert!(found.2.contains(expected.2), "{shown}");
        }
    }
}

#[test]
fn of_an_allow_list() {
    let amount = rule(
        "it",
        Allow,
        r#"{"field": "amount", "op": "lt", "value": 5}"#,
    );
    assert_eq!(findings(&reaching(&["pay"], amount.clone())), []);

    let wide = findings(&reaching(&["pay", "look"], amount.clone()));
    assert_eq!(wide.len(), 1);
    assert_eq!((wide[0].0, wide[0].1.as_str()), (Error, "conditions.field"));
    assert!(wide[0].2.contains("reaches `look`"), "{}", wide[0].2);

    // Somebody chose the tool: by a scope, or on its binding.
    let chosen = scoped(Scope::Agent, reaching(&["pay", "look"], amount.clone()));
    let on_binding = Policy {
        attachments: vec![attached(Origin::Binding, &["pay", "look"])],
        ..amount
    };
    for policy in [chosen, on_binding] {
        let found = findings(&policy);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, Warning);
        assert!(
            found[0].2.contains("which denies the call"),
            "{}",
            found[0].2
        );
    }

    let leaf = |op: &str, absent: &str| {
        format!(r#"{{"field": "note", "op": "{op}", "value": "x", "absent": "{absent}"}}"#)
    };
    let not = |tree: &str| format!(r#"{{"not": {tree}}}"#);
    for (conditions, opens) in [
        (leaf("eq", "match"), true),
        (leaf("eq", "skip"), false),
        (not(&leaf("eq", "skip")), true),
        (not(&leaf("eq", "match")), false),
    ] {
        let found = findings(&reaching(&["pay"], rule("it", Allow, &conditions)));
        assert_eq!(
            found.iter().any(|it| it.2.contains("lets a call through")),
            opens,
            "{conditions}"
        );
        let found = findings(&reaching(
            &["pay"],
            rule("it", RequireApproval, &conditions),
        ));
        assert_eq!(found, [], "{conditions}");
    }
}

#[test]
fn only_tools_that_are_reached_count() {
    let policy = rule("it", Deny, r#"{"field": "amont", "op": "gt", "value": 5}"#);
    // The closed contract of `pay` is not asked when only `look` is reached.
    assert_eq!(findings(&reaching(&["look"], policy.clone()))[0].0, Warning);
    // Nothing attached yet: all of them are.
    let loose = Policy {
        attachments: Vec::new(),
        ..policy
    };
    assert!(findings(&loose)[0].2.contains("`pay`, `look`"));
    let unconditional = crate::support::always("it", Deny);
    assert_eq!(findings(&unconditional), []);
}
