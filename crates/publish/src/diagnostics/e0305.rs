//! A reference to a Tool or Policy that is not in the bundle.
//!
//! Documents are found by their metadata, not by their file names: `payments.issue-refund` is the
//! file in `tools/` whose metadata has `namespace: payments` and `name: issue-refund`.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0305");

/// The most ids that are listed, the nearest first.
const LISTED_MAX: usize = 5;

pub(crate) fn unknown(
    at: &Location,
    kind: &str,
    folder: &str,
    id: &str,
    known: &[String],
) -> Diagnostic {
    let help = suggest::did_you_mean(id, known.iter().map(String::as_str)).unwrap_or_else(|| {
        if known.is_empty() {
            format!("{folder}/ holds no {kind}")
        } else {
            let all: Vec<&str> = known.iter().map(String::as_str).collect();
            let near = suggest::nearest_few(id, &all, LISTED_MAX).join(", ");
            match known.len().saturating_sub(LISTED_MAX) {
                0 => format!("{folder}/ holds {near}"),
                more => format!("{folder}/ holds {near} and {more} more"),
            }
        }
    });
    at.error(CODE, format!("there is no {kind} `{id}`"))
        .with_help(help)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn near() {
        let bundle = sample().edit("agent.yaml", "pay.refund@^1.0", "pay.refunds@^1.0");
        bundle.check(expect![[r#"
            error[E0305]: there is no Tool `pay.refunds`
              --> agent.yaml:15:12
               |
            15 |     - ref: pay.refunds@^1.0
               |            ^^^^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: did you mean `pay.refund`?

        "#]]);
    }

    #[test]
    fn policy() {
        let bundle = sample().edit("agent.yaml", "- pay.limit", "- audit.log");
        bundle.check(expect![[r#"
            error[E0305]: there is no Policy `audit.log`
              --> agent.yaml:18:11
               |
            18 |         - audit.log
               |           ^^^^^^^^^ spec.tools[0].policies[0]
               |
               = help: policies/ holds pay.limit

        "#]]);
    }

    #[test]
    fn empty_folder() {
        let bundle = sample().without("tools/refund.yaml");
        bundle.check(expect![[r#"
            error[E0305]: there is no Tool `pay.refund`
              --> agent.yaml:15:12
               |
            15 |     - ref: pay.refund@^1.0
               |            ^^^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: tools/ holds no Tool

        "#]]);
    }
}
