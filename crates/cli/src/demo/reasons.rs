//! The tree that the runtime records with a judgement, in words. Knows its stored form; judges
//! nothing.

use spec::Json;

use crate::render::text;

/// One policy and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reason {
    pub(super) matched: bool,
    pub(super) text: String,
}

/// Every policy that took part in a judgement.
pub(super) fn of(explain: &Json) -> Vec<Reason> {
    let policies = explain.get("policies").and_then(Json::as_array);
    policies.unwrap_or_default().iter().map(reason).collect()
}

fn reason(policy: &Json) -> Reason {
    let field = |name: &str| policy.get(name).and_then(Json::as_str).unwrap_or_default();
    let matched = policy
        .get("matched")
        .and_then(Json::as_bool)
        .unwrap_or_default();
    let mut facts = Vec::new();
    if let Some(tree) = policy.get("tree") {
        leaves(tree, &mut facts);
    }
    let why = if facts.is_empty() {
        field("why").to_owned()
    } else {
        facts.join("; ")
    };
    let verb = if matched { "applies" } else { "does not apply" };
    let (name, decision) = (field("policy"), field("decision"));
    Reason {
        matched,
        text: format!("{name} ({decision}) {verb}: {why}"),
    }
}

/// The comparisons of a condition. The runtime bounds how deep a condition goes.
fn leaves(node: &Json, facts: &mut Vec<String>) {
    if let Some(children) = node.get("children").and_then(Json::as_array) {
        for child in children {
            leaves(child, facts);
        }
    } else if let Some(fact) = fact(node) {
        facts.push(fact);
    }
}

/// `amount is 450, greater than 100`
fn fact(leaf: &Json) -> Option<String> {
    let field = leaf.get("field").and_then(Json::as_str)?;
    let Some(actual) = leaf.get("actual") else {
        let why = leaf
            .get("why")
            .and_then(Json::as_str)
            .unwrap_or("nothing to compare");
        return Some(format!("{field}: {why}"));
    };
    let actual = text::compact(actual);
    let expected = leaf.get("expected").map(text::compact).unwrap_or_default();
    let relation = relation(leaf.get("op").and_then(Json::as_str)?);
    let not = match leaf.get("truth").and_then(Json::as_str) {
        Some("true") => "",
        Some("false") => "not ",
        Some(_) | None => "perhaps ",
    };
    Some(format!("{field} is {actual}, {not}{relation} {expected}"))
}

/// The comparisons that read better in words; the others by their names.
fn relation(op: &str) -> &str {
    match op {
        "gt" => "greater than",
        "gte" => "at least",
        "lt" => "less than",
        "lte" => "at most",
        "eq" => "equal to",
        "neq" => "other than",
        "in" => "one of",
        "not_in" => "none of",
        "starts_with" => "beginning with",
        "ends_with" => "ending with",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use spec::Json;

    use super::of;

    fn texts(policies: &str) -> Vec<String> {
        let explain = format!(r#"{{"outcome":"ask","policies":[{policies}]}}"#);
        let explain = Json::parse(explain.as_bytes()).unwrap();
        of(&explain).into_iter().map(|it| it.text).collect()
    }

    #[test]
    fn comparisons_in_words() {
        let leaf = |truth: &str, matched: bool| {
            format!(
                r#"{{"policy":"a.b@1.0.0","decision":"deny","matched":{matched},"why":"w","tree":{{
                    "node":"all","truth":"{truth}","why":"w","children":[{{"node":"leaf","truth":"{truth}",
                    "why":"w","field":"amount","op":"gt","expected":1000,"actual":450.5}}]}}}}"#
            )
        };
        assert_eq!(
            texts(&leaf("false", false)),
            ["a.b@1.0.0 (deny) does not apply: amount is 450.5, not greater than 1000"]
        );
        assert_eq!(
            texts(&leaf("true", true)),
            ["a.b@1.0.0 (deny) applies: amount is 450.5, greater than 1000"]
        );
    }

    #[test]
    fn what_is_missing_and_what_is_unconditional() {
        let missing = r#"{"policy":"a.b@1.0.0","decision":"deny","matched":true,"tree":{
            "node":"leaf","truth":"unknown","why":"it is not there","field":"x","op":"eq","expected":1,"absent":true}}"#;
        assert_eq!(
            texts(missing),
            ["a.b@1.0.0 (deny) applies: x: it is not there"]
        );
        let always =
            r#"{"policy":"a.b@1.0.0","decision":"deny","matched":true,"why":"always","tree":null}"#;
        assert_eq!(texts(always), ["a.b@1.0.0 (deny) applies: always"]);
        assert!(of(&Json::Null).is_empty());
    }
}
