//! A word that is not one of those allowed here.
//!
//! Words are written exactly as listed, in lower case where they are listed so.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0204");

pub(crate) fn unknown_word(at: &Location, word: &str, words: &[&str]) -> Diagnostic {
    // Signs such as `>=` are other spellings of words that are listed.
    let listed = words
        .iter()
        .filter(|it| it.starts_with(char::is_alphanumeric));
    let listed: Vec<_> = listed.copied().collect();
    let all = format!("one of {}", listed.join(", "));
    let help = suggest::did_you_mean(word, words.iter().copied())
        .map_or_else(|| all.clone(), |near| format!("{near} ({all})"));
    at.error(CODE, format!("unknown value `{word}`"))
        .with_help(help)
}

pub(crate) fn wrong_kind(at: &Location, found: &str, due: &str) -> Diagnostic {
    let help = match (found, due) {
        ("Tool", _) => "Tool documents go in tools/".to_owned(),
        ("Policy", _) => "Policy documents go in policies/".to_owned(),
        ("Agent", "Bundle") => "name a Bundle, whose `spec.root` names this file".to_owned(),
        _ => format!("write `kind: {due}`"),
    };
    at.error(
        CODE,
        format!("expected a document of kind {due}, found `{found}`"),
    )
    .with_help(help)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn near() {
        let bundle = sample().edit(
            "tools/refund.yaml",
            "non_idempotent_write",
            "non_idempotent_writes",
        );
        bundle.check(expect![[r#"
            error[E0204]: unknown value `non_idempotent_writes`
             --> tools/refund.yaml:9:22
              |
            9 |   side_effect_class: non_idempotent_writes
              |                      ^^^^^^^^^^^^^^^^^^^^^ spec.side_effect_class
              |
              = help: did you mean `non_idempotent_write`? (one of read_only, idempotent_write, non_idempotent_write, irreversible_action)

        "#]]);
    }

    #[test]
    fn operator() {
        let bundle = sample().edit("policies/limit.yaml", "op: gt", "op: gtee");
        bundle.check(expect![[r#"
            error[E0204]: unknown value `gtee`
              --> policies/limit.yaml:10:9
               |
            10 |     op: gtee
               |         ^^^^ spec.conditions.op
               |
               = help: did you mean `gte`? (one of eq, neq, gt, gte, lt, lte, in, not_in, matches, contains, starts_with, ends_with, exists, length_gt, length_gte, length_lt, length_lte)

        "#]]);
    }

    #[test]
    fn kind() {
        let bundle = sample().edit("tools/refund.yaml", "kind: Tool", "kind: Policy");
        bundle.check(expect![[r#"
            error[E0204]: expected a document of kind Tool, found `Policy`
             --> tools/refund.yaml:2:7
              |
            2 | kind: Policy
              |       ^^^^^^ kind
              |
              = help: Policy documents go in policies/

        "#]]);
    }
}
