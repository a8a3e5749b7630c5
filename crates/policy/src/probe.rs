//! Compiles one comparison: its field, operator and value are checked against each other and made
//! ready. Knows nothing of the condition around it, nor of tools.

use spec::snapshot::{self, Absent, Case, DecisionKind, Op};
use spec::{Json, SideEffectClass};

use crate::civil;
use crate::comparison::{self, Constant, Order, Test};
use crate::fault::Fault;
use crate::field::{Field, Text};
use crate::pattern;
use crate::rule::{Each, Probe, Triggers};
use crate::trigger::Trigger;

/// A fault and which part of the leaf has it.
type Misfit = (&'static str, Fault);

/// Compiles `source`, a leaf of a policy of this `kind`.
pub(crate) fn compile(
    source: &snapshot::Leaf,
    kind: DecisionKind,
    below_not: bool,
) -> Result<Probe, Misfit> {
    let field = Field::parse(&source.field).map_err(|fault| ("field", fault))?;
    match &field {
        Field::Trigger => return trigger(kind, source).map(Probe::Trigger),
        Field::Text(text) => check_text(kind, *text, source)?,
        Field::Count(_) => check_count(source)?,
        Field::Argument(_) | Field::Input(_) => {}
    }
    let test = test(source).map_err(|fault| ("value", fault))?;
    // Below a `not` an open pattern refuses more, and anchors would refuse less.
    if source.op == Op::Matches && kind == DecisionKind::Allow && !below_not {
        let text = source.value.as_str().unwrap_or("");
        pattern::require_anchors(text).map_err(|fault| ("value", fault))?;
    }
    check_absent(source)?;
    Ok(Probe::Value {
        field,
        test,
        each: Each::new(kind, below_not),
    })
}

fn trigger(kind: DecisionKind, source: &snapshot::Leaf) -> Result<Triggers, Misfit> {
    if kind == DecisionKind::Allow {
        return Err((
            "field",
            Fault::new(
                "an allow-list cannot read the trigger: it takes part in no second round",
                "use deny, require_approval or escalate for failed dispatches",
            ),
        ));
    }
    if source.absent == Some(Absent::Match) {
        return Err((
            "absent",
            Fault::new(
                "the trigger is never missing: a first round has none, and the leaf is false there",
                "leave `absent` out",
            ),
        ));
    }
    let word = |value: &Json| {
        value
            .as_str()
            .and_then(Trigger::from_word)
            .ok_or_else(|| ("value", unknown_trigger(value)))
    };
    let words = |value: &Json| match value.as_array() {
        Some(values) => values.iter().map(word).collect::<Result<Vec<_>, _>>(),
        None => Err(("value", not_a_list(value))),
    };
    match source.op {
        Op::Eq => word(&source.value).map(|it| Triggers::collect(|each| each == it)),
        Op::Neq => word(&source.value).map(|it| Triggers::collect(|each| each != it)),
        Op::In => words(&source.value).map(|it| Triggers::collect(|each| it.contains(&each))),
        Op::NotIn => words(&source.value).map(|it| Triggers::collect(|each| !it.contains(&each))),
        Op::Exists if source.value.as_bool() != Some(false) => {
            check_exists(&source.value).map_err(|fault| ("value", fault))?;
            Ok(Triggers::collect(|_| true))
        }
        Op::Exists
        | Op::Gt
        | Op::Gte
        | Op::Lt
        | Op::Lte
        | Op::Matches
        | Op::Contains
        | Op::StartsWith
        | Op::EndsWith
        | Op::LengthGt
        | Op::LengthGte
        | Op::LengthLt
        | Op::LengthLte => Err((
            "op",
            Fault::new(
                format!("`{}` says nothing about a trigger", op_name(source.op)),
                "compare it with eq, neq, in or not_in; `exists: true` holds in every second round",
            ),
        )),
    }
}

/// The author's values that the field must equal, or not: one, or those of a list.
pub(crate) fn equalled(source: &snapshot::Leaf) -> &[Json] {
    match source.op {
        Op::Eq | Op::Neq => std::slice::from_ref(&source.value),
        Op::In | Op::NotIn => source.value.as_array().unwrap_or(&[]),
        Op::Gt
        | Op::Gte
        | Op::Lt
        | Op::Lte
        | Op::Matches
        | Op::Contains
        | Op::StartsWith
        | Op::EndsWith
        | Op::Exists
        | Op::LengthGt
        | Op::LengthGte
        | Op::LengthLt
        | Op::LengthLte => &[],
    }
}

/// Refuses comparisons that a text of the context never satisfies.
fn check_text(kind: DecisionKind, text: Text, source: &snapshot::Leaf) -> Result<(), Misfit> {
    if text == Text::Limit && kind == DecisionKind::Allow {
        return Err((
            "field",
            Fault::new(
                "an allow-list cannot read ctx.limit: it takes part in no limit round",
                "use deny, require_approval or escalate for limits",
            ),
        ));
    }
    if matches!(source.op, Op::Gt | Op::Gte | Op::Lt | Op::Lte) {
        return Err((
            "op",
            Fault::new(
                format!(
                    "`{}` is a text, and `{}` compares numbers",
                    source.field,
                    op_name(source.op)
                ),
                "compare it with eq, in, matches or starts_with",
            ),
        ));
    }
    let never = |value: &Json| {
        let what = format!(
            "`{}` is a text and has nothing to do with {}",
            source.field,
            value.to_canonical()
        );
        ("value", Fault::new(what, "write the value in quotes"))
    };
    if source.op == Op::Contains && source.value.as_str().is_none() {
        return Err(never(&source.value));
    }
    for value in equalled(source) {
        let word = value.as_str().ok_or_else(|| never(value))?;
        check_word(text, word, source.case).map_err(|fault| ("value", fault))?;
    }
    Ok(())
}

/// Refuses a word that a field with a closed vocabulary never has.
fn check_word(text: Text, word: &str, case: Case) -> Result<(), Fault> {
    let spelled = match case {
        Case::Sensitive => word.to_owned(),
        Case::Insensitive => comparison::lower_text(word),
    };
    match text {
        Text::Weekday if !civil::is_weekday(&spelled) => Err(Fault::new(
            format!("`{word}` is no weekday"),
            "weekdays are monday, tuesday, wednesday, thursday, friday, saturday and sunday",
        )),
        Text::SideEffectClass => spelled
            .parse::<SideEffectClass>()
            .map(|_| ())
            .map_err(|_| {
                Fault::new(
                    format!("`{word}` is no side-effect class"),
                    "the classes are read_only, idempotent_write, non_idempotent_write and irreversible_action",
                )
            }),
        Text::Weekday
        | Text::Tool
        | Text::WireName
        | Text::AgentNamespace
        | Text::AgentName
        | Text::AgentVersion
        | Text::Date
        | Text::Limit => Ok(()),
    }
}

/// Refuses comparisons that a number of the context never satisfies.
fn check_count(source: &snapshot::Leaf) -> Result<(), Misfit> {
    match source.op {
        Op::Eq
        | Op::Neq
        | Op::In
        | Op::NotIn
        | Op::Gt
        | Op::Gte
        | Op::Lt
        | Op::Lte
        | Op::Exists => {}
        Op::Matches
        | Op::Contains
        | Op::StartsWith
        | Op::EndsWith
        | Op::LengthGt
        | Op::LengthGte
        | Op::LengthLt
        | Op::LengthLte => {
            let what = format!(
                "`{}` is a number, and `{}` is not about numbers",
                source.field,
                op_name(source.op)
            );
            let help = "compare it with eq, in, gt, gte, lt or lte";
            return Err(("op", Fault::new(what, help)));
        }
    }
    match equalled(source)
        .iter()
        .find(|value| value.as_number().is_none())
    {
        Some(value) => {
            let what = format!(
                "`{}` is a number and never equals {}",
                source.field,
                value.to_canonical()
            );
            Err(("value", Fault::new(what, "write a number, without quotes")))
        }
        None => Ok(()),
    }
}

/// Refuses an `absent` that turns `exists` around.
fn check_absent(source: &snapshot::Leaf) -> Result<(), Misfit> {
    let asks_for_absence = source.value.as_bool() == Some(false);
    let contradicts = match source.absent {
        Some(Absent::Match) => !asks_for_absence,
        Some(Absent::Skip) => asks_for_absence,
        None => false,
    };
    if source.op == Op::Exists && contradicts {
        return Err((
            "absent",
            Fault::new(
                "`absent` contradicts `exists`, which is about absence itself",
                "leave `absent` out",
            ),
        ));
    }
    Ok(())
}

/// The comparison that a leaf makes.
fn test(source: &snapshot::Leaf) -> Result<Test, Fault> {
    let (value, case) = (&source.value, source.case);
    let equal = |negated| Test::Equal {
        value: Constant::new(value, case),
        negated,
    };
    let member = |negated| match value.as_array() {
        Some(values) => Ok(Test::Member {
            values: values
                .iter()
                .map(|value| Constant::new(value, case))
                .collect(),
            negated,
        }),
        None => Err(not_a_list(value)),
    };
    let ready_text = || {
        let text = value.as_str().ok_or_else(|| not_a_text(source))?;
        Ok(match case {
            Case::Sensitive => text.to_owned(),
            Case::Insensitive => comparison::lower_text(text),
        })
    };
    match source.op {
        Op::Eq => Ok(equal(false)),
        Op::Neq => Ok(equal(true)),
        Op::Gt => order(source, Order::Gt),
        Op::Gte => order(source, Order::Gte),
        Op::Lt => order(source, Order::Lt),
        Op::Lte => order(source, Order::Lte),
        Op::In => member(false),
        Op::NotIn => member(true),
        Op::Matches => {
            let text = value.as_str().ok_or_else(|| not_a_text(source))?;
            pattern::compile(text, case == Case::Insensitive).map(Test::Matches)
        }
        Op::Contains => Ok(Test::Contains(Constant::new(value, case))),
        Op::StartsWith => ready_text().map(|text| Test::StartsWith { text, case }),
        Op::EndsWith => ready_text().map(|text| Test::EndsWith { text, case }),
        Op::Exists => check_exists(value).map(|wanted| Test::Exists { wanted }),
        Op::LengthGt => length(source, Order::Gt),
        Op::LengthGte => length(source, Order::Gte),
        Op::LengthLt => length(source, Order::Lt),
        Op::LengthLte => length(source, Order::Lte),
    }
}

fn order(source: &snapshot::Leaf, order: Order) -> Result<Test, Fault> {
    if source.value.as_number().is_none() {
        return Err(Fault::new(
            format!(
                "`{}` compares numbers, and {} is not one",
                op_name(source.op),
                source.value.to_canonical()
            ),
            "write a number, without quotes; texts have no order here",
        ));
    }
    Ok(Test::Order {
        order,
        bound: Constant::new(&source.value, Case::Sensitive),
    })
}

fn length(source: &snapshot::Leaf, order: Order) -> Result<Test, Fault> {
    let whole = source
        .value
        .as_number()
        .filter(|number| number.is_integer() && !number.is_negative());
    match whole {
        // No length comes near 2^64, so a larger bound compares the same.
        Some(number) => Ok(Test::Length {
            order,
            bound: number.to_u64().unwrap_or(u64::MAX),
        }),
        None => Err(Fault::new(
            format!(
                "`{}` needs a whole number from 0 on, not {}",
                op_name(source.op),
                source.value.to_canonical()
            ),
            "write how many characters, elements or members there may be",
        )),
    }
}

/// Whether `exists` asks for presence.
fn check_exists(value: &Json) -> Result<bool, Fault> {
    match (value, value.as_bool()) {
        (Json::Null, _) => Ok(true),
        (_, Some(wanted)) => Ok(wanted),
        (_, None) => Err(Fault::new(
            format!("`exists` takes true or false, not {}", value.to_canonical()),
            "leave the value out, or write `value: false` for a field that must be missing",
        )),
    }
}

fn not_a_list(value: &Json) -> Fault {
    Fault::new(
        format!(
            "`in` and `not_in` need a list, not {}",
            value.to_canonical()
        ),
        "write the value in brackets, or use eq",
    )
}

fn not_a_text(source: &snapshot::Leaf) -> Fault {
    Fault::new(
        format!(
            "`{}` needs a text, not {}",
            op_name(source.op),
            source.value.to_canonical()
        ),
        "write the value in quotes",
    )
}

fn unknown_trigger(value: &Json) -> Fault {
    let words: Vec<&str> = Trigger::ALL.into_iter().map(Trigger::as_str).collect();
    Fault::new(
        format!("{} is no trigger", value.to_canonical()),
        format!("the triggers are {}", words.join(", ")),
    )
}

/// The operator's name in documents.
pub(crate) fn op_name(op: Op) -> &'static str {
    match op {
        Op::Eq => "eq",
        Op::Neq => "neq",
        Op::Gt => "gt",
        Op::Gte => "gte",
        Op::Lt => "lt",
        Op::Lte => "lte",
        Op::In => "in",
        Op::NotIn => "not_in",
        Op::Matches => "matches",
        Op::Contains => "contains",
        Op::StartsWith => "starts_with",
        Op::EndsWith => "ends_with",
        Op::Exists => "exists",
        Op::LengthGt => "length_gt",
        Op::LengthGte => "length_gte",
        Op::LengthLt => "length_lt",
        Op::LengthLte => "length_lte",
    }
}
