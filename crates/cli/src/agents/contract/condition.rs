//! Conditions of policies in words. Knows how a condition is written; judges nothing.

use policy::Truth;
use spec::Json;
use spec::snapshot::{Case, Condition, DecisionKind, Leaf, Op};

use crate::render::text::compact;

/// What words about a condition need to know of its surroundings.
pub(super) struct Setting<'a> {
    pub(super) kind: DecisionKind,
    /// What each comparison says of a field that is missing, in the order of writing.
    pub(super) missing: &'a [Truth],
    /// What arguments are validated against.
    pub(super) schema: &'a Json,
}

/// The condition on one line.
pub(super) fn words(condition: &Condition, setting: &Setting<'_>) -> String {
    let mut missing = setting.missing.iter().copied();
    node(condition, setting, &mut missing, Nesting::default())
}

/// Where a node stands.
#[derive(Clone, Copy, Default)]
struct Nesting {
    is_inner: bool,
    below_not: bool,
}

fn node(
    condition: &Condition,
    setting: &Setting<'_>,
    missing: &mut impl Iterator<Item = Truth>,
    here: Nesting,
) -> String {
    let inner = Nesting {
        is_inner: true,
        ..here
    };
    let mut several = |children: &[Condition], word: &str, none: &str| {
        let parts = children.iter().map(|it| node(it, setting, missing, inner));
        let parts: Vec<String> = parts.collect();
        match parts.as_slice() {
            [] => none.to_owned(),
            [one] => one.clone(),
            several if here.is_inner => format!("({})", several.join(word)),
            several => several.join(word),
        }
    };
    match condition {
        Condition::All(children) => several(children, " and ", "always"),
        Condition::Any(children) => several(children, " or ", "never"),
        Condition::Not(child) => {
            let below = Nesting {
                is_inner: false,
                below_not: !here.below_not,
            };
            format!("not ({})", node(child, setting, missing, below))
        }
        Condition::Leaf(it) => leaf(it, setting, missing.next(), here.below_not),
    }
}

fn leaf(leaf: &Leaf, setting: &Setting<'_>, missing: Option<Truth>, below_not: bool) -> String {
    let field = field(&leaf.field);
    let value = compact(&leaf.value);
    let mut text = match leaf.op {
        Op::Eq => format!("{field} = {value}"),
        Op::Neq => format!("{field} != {value}"),
        Op::Gt => format!("{field} > {value}"),
        Op::Gte => format!("{field} >= {value}"),
        Op::Lt => format!("{field} < {value}"),
        Op::Lte => format!("{field} <= {value}"),
        Op::In => format!("{field} is one of {value}"),
        Op::NotIn => format!("{field} is none of {value}"),
        Op::Matches => format!("{field} matches {value}"),
        Op::Contains => format!("{field} contains {value}"),
        Op::StartsWith => format!("{field} starts with {value}"),
        Op::EndsWith => format!("{field} ends with {value}"),
        Op::Exists if leaf.value.as_bool() == Some(false) => format!("{field} is missing"),
        Op::Exists => format!("{field} is there"),
        Op::LengthGt => format!("the length of {field} > {value}"),
        Op::LengthGte => format!("the length of {field} >= {value}"),
        Op::LengthLt => format!("the length of {field} < {value}"),
        Op::LengthLte => format!("the length of {field} <= {value}"),
    };
    if leaf.case == Case::Insensitive {
        text.push_str(" in any case");
    }
    if leaf.field.contains("[*]") {
        let every = (setting.kind == DecisionKind::Allow) != below_not;
        text.push_str(if every {
            " for every element"
        } else {
            " for some element"
        });
    }
    if leaf.op != Op::Exists && !always_there(&leaf.field, setting.schema) {
        text.push_str(match missing {
            Some(Truth::True) => " or is missing",
            Some(Truth::Unknown) => " (undecided if missing)",
            Some(Truth::False) | None => "",
        });
    }
    text
}

/// Arguments are told apart from what else a condition can ask about.
fn field(written: &str) -> String {
    let root = written.split(['.', '[']).next().unwrap_or_default();
    match root {
        "args" | "ctx" | "phrony" | "dispatch" => written.to_owned(),
        _ => format!("args.{written}"),
    }
}

/// Whether no call without the field gets as far as the policies.
fn always_there(written: &str, schema: &Json) -> bool {
    let name = written.strip_prefix("args.").unwrap_or(written);
    let required = schema.get("required").and_then(Json::as_array);
    let mut required = required.into_iter().flatten();
    let is_context = matches!(
        written,
        "ctx.tool" | "ctx.wire_name" | "ctx.side_effect_class" | "ctx.turn" | "ctx.depth"
    );
    let is_kept = [
        "ctx.agent.",
        "ctx.now.",
        "ctx.session.calls",
        "ctx.session.tool_calls",
    ]
    .iter()
    .any(|it| written.starts_with(it));
    is_context || is_kept || required.any(|it| it.as_str() == Some(name))
}

#[cfg(test)]
mod tests {
    use policy::Truth::{self, False, True, Unknown};
    use spec::Json;
    use spec::snapshot::{Absent, Case, Condition, DecisionKind, Leaf, Op};

    use super::{Setting, words};

    fn leaf(field: &str, op: Op, value: &str) -> Condition {
        Condition::Leaf(Leaf {
            field: field.to_owned(),
            op,
            value: Json::parse(value.as_bytes()).unwrap(),
            absent: None,
            case: Case::Sensitive,
        })
    }

    fn check(condition: &Condition, kind: DecisionKind, missing: &[Truth], expected: &str) {
        let schema = Json::parse(br#"{"required": ["amount"]}"#).unwrap();
        let setting = Setting {
            kind,
            missing,
            schema: &schema,
        };
        assert_eq!(words(condition, &setting), expected);
    }

    #[test]
    fn comparisons() {
        let deny = DecisionKind::Deny;
        let table = [
            (leaf("amount", Op::Gt, "500"), Unknown, "args.amount > 500"),
            (
                leaf("args.amount", Op::Gt, "500"),
                Unknown,
                "args.amount > 500",
            ),
            (
                leaf("tier", Op::Eq, "\"x\""),
                Unknown,
                "args.tier = \"x\" (undecided if missing)",
            ),
            (leaf("tier", Op::Eq, "\"x\""), False, "args.tier = \"x\""),
            (
                leaf("tier", Op::NotIn, "[1,2]"),
                True,
                "args.tier is none of [1,2] or is missing",
            ),
            (
                leaf("tier", Op::Exists, "true"),
                False,
                "args.tier is there",
            ),
            (
                leaf("tier", Op::Exists, "null"),
                False,
                "args.tier is there",
            ),
            (
                leaf("tier", Op::Exists, "false"),
                True,
                "args.tier is missing",
            ),
            (
                leaf("items[*].n", Op::Lt, "3"),
                False,
                "args.items[*].n < 3 for some element",
            ),
            (leaf("ctx.turn", Op::Gte, "3"), Unknown, "ctx.turn >= 3"),
            (
                leaf("note", Op::LengthGt, "3"),
                False,
                "the length of args.note > 3",
            ),
            (
                leaf("note", Op::Matches, "\"\u{202e}\""),
                False,
                "args.note matches \"\\u202e\"",
            ),
        ];
        for (condition, missing, expected) in table {
            check(&condition, deny, &[missing], expected);
        }
        let every = "args.items[*].n < 3 for every element";
        check(
            &leaf("items[*].n", Op::Lt, "3"),
            DecisionKind::Allow,
            &[False],
            every,
        );
        let not = Condition::Not(Box::new(leaf("items[*].n", Op::Lt, "3")));
        check(&not, deny, &[False], &format!("not ({every})"));
        let Condition::Leaf(eq) = leaf("tier", Op::Eq, "\"x\"") else {
            panic!("no leaf");
        };
        let eq = Leaf {
            case: Case::Insensitive,
            absent: Some(Absent::Match),
            ..eq
        };
        check(
            &Condition::Leaf(eq),
            deny,
            &[True],
            "args.tier = \"x\" in any case or is missing",
        );
    }

    #[test]
    fn trees() {
        let (a, b) = (leaf("a", Op::Eq, "1"), leaf("b", Op::Eq, "2"));
        let all = Condition::All(vec![a.clone(), b.clone()]);
        let any = Condition::Any(vec![all.clone(), Condition::Not(Box::new(all.clone())), a]);
        let text = "(args.a = 1 and args.b = 2) or not (args.a = 1 and args.b = 2 (undecided if missing)) or args.a = 1";
        check(
            &any,
            DecisionKind::Deny,
            &[False, False, False, Unknown, False],
            text,
        );
        check(&Condition::All(vec![]), DecisionKind::Deny, &[], "always");
        check(
            &Condition::Any(vec![b]),
            DecisionKind::Deny,
            &[False],
            "args.b = 2",
        );
    }
}
