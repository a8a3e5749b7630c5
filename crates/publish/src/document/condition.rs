//! `spec.conditions` of a Policy: a tree of comparisons.

use spec::Json;
use spec::snapshot::{Absent, Case, Condition, Leaf, Op};

use crate::diagnostic::Sink;
use crate::diagnostics::{e0202, e0203, e0208};
use crate::yaml::{Cursor, Fields, Shape};

const NODE: Shape = Shape {
    what: "a condition",
    known: &[
        "all", "any", "not", "field", "op", "value", "absent", "case",
    ],
    elsewhere: &[],
    unsupported: &[],
};

const OPS: [(&str, Op); 23] = [
    ("eq", Op::Eq),
    ("neq", Op::Neq),
    ("gt", Op::Gt),
    ("gte", Op::Gte),
    ("lt", Op::Lt),
    ("lte", Op::Lte),
    ("in", Op::In),
    ("not_in", Op::NotIn),
    ("matches", Op::Matches),
    ("contains", Op::Contains),
    ("starts_with", Op::StartsWith),
    ("ends_with", Op::EndsWith),
    ("exists", Op::Exists),
    ("length_gt", Op::LengthGt),
    ("length_gte", Op::LengthGte),
    ("length_lt", Op::LengthLt),
    ("length_lte", Op::LengthLte),
    ("==", Op::Eq),
    ("!=", Op::Neq),
    (">", Op::Gt),
    (">=", Op::Gte),
    ("<", Op::Lt),
    ("<=", Op::Lte),
];

/// What a node may be; exactly one of these fields says it.
const FORMS: [&str; 4] = ["all", "any", "not", "field"];

/// Reads a tree; `None` when something in it was refused and reported.
pub(super) fn read(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Condition> {
    let fields = cursor.fields(&NODE, sink)?;
    let forms: Vec<_> = FORMS
        .iter()
        .filter_map(|key| Some((*key, fields.get(key)?)))
        .collect();
    let [(form, inner)] = forms.as_slice() else {
        sink.push(e0208::exactly_one(&cursor.at(), &FORMS, forms.len()));
        return None;
    };
    if *form == "field" {
        return leaf(&fields, inner, sink);
    }
    if let Some(stray) = ["op", "value", "absent", "case"]
        .iter()
        .find_map(|key| fields.get(key))
    {
        sink.push(e0208::at_most_one(&stray.key_at(), &[form, "field"]));
        return None;
    }
    match *form {
        "all" => children(inner, sink).map(Condition::All),
        "any" => children(inner, sink).map(Condition::Any),
        _ => read(inner, sink).map(|child| Condition::Not(Box::new(child))),
    }
}

fn children(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Vec<Condition>> {
    let items = cursor.items(sink)?;
    let read: Vec<_> = items.iter().map(|item| read(item, sink)).collect();
    read.into_iter().collect()
}

fn leaf(fields: &Fields<'_>, field: &Cursor<'_>, sink: &mut Sink) -> Option<Condition> {
    let field = field.filled(sink);
    let op = fields.get("op").map_or(Some(Op::Eq), |it| op(&it, sink));
    let value = match (fields.get("value"), op) {
        (Some(value), _) => value.json(sink),
        (None, Some(Op::Exists) | None) => Some(Json::Null),
        (None, Some(_)) => {
            sink.push(e0202::missing(
                &fields.cursor().at(),
                "value",
                "a condition",
            ));
            None
        }
    };
    let absent = [("skip", Absent::Skip), ("match", Absent::Match)];
    let absent = fields.get("absent").map(|it| it.word(&absent, sink));
    let case = [
        ("sensitive", Case::Sensitive),
        ("insensitive", Case::Insensitive),
    ];
    let case = fields.get("case").map(|it| it.word(&case, sink));
    Some(Condition::Leaf(Leaf {
        field: field?.value,
        op: op?,
        value: value?,
        absent: match absent {
            Some(word) => Some(word?.value),
            None => None,
        },
        case: match case {
            Some(word) => word?.value,
            None => Case::Sensitive,
        },
    }))
}

fn op(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Op> {
    if cursor.is_folded() {
        sink.push(e0203::folded_op(&cursor.key_at()));
        return None;
    }
    Some(cursor.word(&OPS, sink)?.value)
}
