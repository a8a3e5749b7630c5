//! A policy that applies to no call.
//!
//! The contracts that it reaches take no arguments for which its condition holds, so a denial or an
//! approval never comes about, and an allow-list denies every call.

use spec::snapshot::DecisionKind;

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0607");

pub(crate) fn never(at: &Location, kind: DecisionKind, tools: &str) -> Diagnostic {
    let message = match kind {
        DecisionKind::Allow => {
            format!("the allow-list lets no call of {tools} through: no arguments meet it")
        }
        DecisionKind::Deny | DecisionKind::RequireApproval | DecisionKind::Escalate => {
            format!("the policy matches no call of {tools}: no arguments meet its conditions")
        }
    };
    at.warning(CODE, message)
        .with_help("compare the conditions with the input schema, or take the policy out")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn beyond_the_contract() {
        let bundle = sample().edit(
            "schemas/refund.json",
            r#"{"type": "number"}"#,
            r#"{"type": "number", "maximum": 500}"#,
        );
        bundle.check(expect![[r#"
            warning[E0607]: the policy matches no call of `refund`: no arguments meet its conditions
             --> policies/limit.yaml:8:3
              |
            8 |   conditions:
              |   ^^^^^^^^^^ spec.conditions
              |
              = help: compare the conditions with the input schema, or take the policy out

        "#]]);
    }
}
