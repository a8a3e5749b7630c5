//! A rule that may not do what its author has in mind.
//!
//! It can be published. Read what the message says about when it applies.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0604");

pub(crate) fn doubtful(at: &Location, message: &str) -> Diagnostic {
    at.warning(CODE, message)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn may_be_absent() {
        let bundle = sample()
            .edit("policies/limit.yaml", "field: amount", "field: currency")
            .edit("policies/limit.yaml", "op: gt", "op: in")
            .edit("policies/limit.yaml", "value: 1000", "value: [USD]");
        bundle.check(expect![[r#"
            warning[E0604]: a call of `refund` may leave `currency` out; the leaf is unknown then, which counts as a match
             --> policies/limit.yaml:9:12
              |
            9 |     field: currency
              |            ^^^^^^^^ spec.conditions.field
              |
              = help: require the argument in the input schema, or say `absent: skip` or `absent: match`

        "#]]);
    }
}
