//! A field that the format does not have.
//!
//! It is an error and not passed over: a slip of the pen in `side_effect_class` must never quietly
//! mean `read_only`. The open maps, where any key goes, are `labels`, `annotations`, `frameworks`,
//! `decision.runtime`, `provider_options` and JSON Schemas.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0201");

pub(crate) fn unknown_field(at: &Location, key: &str, what: &str, known: &[&str]) -> Diagnostic {
    let help = suggest::did_you_mean(key, known.iter().copied())
        .unwrap_or_else(|| format!("{what} has {}", known.join(", ")));
    at.error(CODE, format!("unknown field `{key}` in {what}"))
        .with_help(help)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn near() {
        let bundle = sample().edit("tools/refund.yaml", "side_effect_class", "side_efect_class");
        bundle.check(expect![[r#"
            error[E0201]: unknown field `side_efect_class` in a Tool's spec
             --> tools/refund.yaml:9:3
              |
            9 |   side_efect_class: non_idempotent_write
              |   ^^^^^^^^^^^^^^^^ spec.side_efect_class
              |
              = help: did you mean `side_effect_class`?

        "#]]);
    }

    #[test]
    fn far() {
        let bundle = sample().edit("policies/limit.yaml", "reason:", "colour:");
        bundle.check(expect![[r#"
            error[E0201]: unknown field `colour` in a decision
              --> policies/limit.yaml:14:5
               |
            14 |     colour: Too much.
               |     ^^^^^^ spec.decision.colour
               |
               = help: a decision has type, authority_ref, approvals_required, timeout, on_reject, on_modify, comprehension_required, reason, runtime

        "#]]);
    }
}
