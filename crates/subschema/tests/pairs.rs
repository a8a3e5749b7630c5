//! Pairs whose answer was argued by hand, and those that were once answered wrongly.
#![expect(
    clippy::expect_used,
    reason = "helpers of tests, which stop at what is not as they expect"
)]

use spec::Json;
use subschema::{Answer, Lint, Options, complete, contains, is_empty};
use validator::Draft;

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).expect("JSON")
}

fn text<'a>(entry: &'a Json, key: &str) -> &'a str {
    entry.get(key).and_then(Json::as_str).unwrap_or("")
}

#[test]
fn every_pair_is_decided_and_none_wrong() {
    check(include_str!("../testdata/pairs.json"));
}

#[test]
fn what_was_answered_wrongly_once_is_right() {
    check(include_str!("../testdata/regressions.json"));
}

#[test]
fn each_keyword_fails_exactly_where_it_does() {
    check(include_str!("../testdata/negations.json"));
}

fn check(pairs: &str) {
    let pairs = json(pairs);
    for entry in pairs.as_array().expect("a list") {
        let draft = match text(entry, "draft") {
            "draft-04" => Draft::D4,
            "draft-07" => Draft::D7,
            "2019-09" => Draft::D2019,
            _ => Draft::D2020,
        };
        let options = Options {
            draft,
            formats_assert: text(entry, "format") == "assert",
            ..Options::default()
        };
        let expected = entry
            .get("expected")
            .and_then(Json::as_bool)
            .expect("expected");
        let sup = entry.get("sup").expect("sup");
        let mut subs = vec![entry.get("sub").expect("sub").clone()];
        subs.extend(entry.get("overlay").map(|it| complete(sup, it).schema));
        for sub in subs {
            let answer = contains(&sub, sup, &options);
            let agrees = matches!(
                (&answer, expected),
                (Answer::Proved(_), true) | (Answer::Refuted(_), false)
            );
            assert!(agrees, "{}: {answer:?}", text(entry, "id"));
        }
    }
}

#[test]
fn a_name_that_could_mean_two_things_proves_nothing() {
    let sup = json(r#"{"type": "string"}"#);
    for sub in [
        r##"{"$ref": "#a", "$defs": {"x": {"$anchor": "a", "type": "string"}, "y": {"$anchor": "a", "type": "number"}}}"##,
        r##"{"$ref": "#a", "$defs": {"x": {"const": {"$anchor": "a", "type": "string"}}}}"##,
    ] {
        let answer = contains(&json(sub), &sup, &Options::default());
        assert!(matches!(answer, Answer::Undecided(_)), "{sub}: {answer:?}");
    }
    // What stands within data names nothing.
    for one in [
        r##"{"$ref": "#a", "$defs": {"x": {"$anchor": "a", "type": "string"}}}"##,
        r##"{"$ref": "#a", "$defs": {"x": {"enum": [{"$anchor": "a", "type": "number"}]}, "y": {"$anchor": "a", "type": "string"}}}"##,
    ] {
        let answer = contains(&json(one), &sup, &Options::default());
        assert!(matches!(answer, Answer::Proved(_)), "{one}: {answer:?}");
    }
}

#[test]
fn a_narrowing_that_leaves_nothing_is_empty() {
    let dead = json(r#"{"type":"string","const":"Q","pattern":"^[a-z]+$"}"#);
    assert!(matches!(
        is_empty(&dead, &Options::default()),
        Answer::Proved(_)
    ));
    let alive = json(r#"{"type":"string","pattern":"^[a-z]+$"}"#);
    assert!(matches!(
        is_empty(&alive, &Options::default()),
        Answer::Refuted(_)
    ));
}

#[test]
fn what_an_author_may_not_have_meant_is_listed() {
    let tool = json(r#"{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}"#);
    let overlay = json(r#"{"required":["b"],"properties":{"a":{"maximum":3},"zz":{}}}"#);
    let lints = complete(&tool, &overlay).lints;
    let has = |it: fn(&Lint) -> bool| lints.iter().any(it);
    assert!(has(
        |it| matches!(it, Lint::StaysRequired { name, .. } if name == "a")
    ));
    assert!(has(
        |it| matches!(it, Lint::UnknownProperty { name, .. } if name == "zz")
    ));
    assert!(has(
        |it| matches!(it, Lint::CannotApply { keyword, .. } if keyword == "maximum")
    ));
}
