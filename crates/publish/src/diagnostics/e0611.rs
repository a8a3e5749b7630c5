//! A denial of a text that tells letter cases apart, where the contract does not.
//!
//! Comparison is exact: a denial of `DELETE` lets `delete` through, if the contract takes it.

use spec::Json;

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0611");

pub(crate) fn letter_case(at: &Location, value: &Json, tool: &str, example: &str) -> Diagnostic {
    let message = format!(
        "the denial of {} does not match a call of {tool} such as {example}",
        value.to_canonical()
    );
    at.warning(CODE, message)
        .with_help("say `case: insensitive`, or list the values that are allowed instead")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn other_case() {
        let bundle = sample()
            .edit("schemas/refund.json", "^A-[0-9]+$", "^[A-Za-z]+$")
            .edit("policies/limit.yaml", "field: amount", "field: order")
            .edit("policies/limit.yaml", "op: gt", "op: eq")
            .edit("policies/limit.yaml", "value: 1000", "value: VIP");
        bundle.check(expect![[r#"
            warning[E0611]: the denial of "VIP" does not match a call of `refund` such as {"amount":0,"order":"vip"}
              --> policies/limit.yaml:11:12
               |
            11 |     value: VIP
               |            ^^^ spec.conditions.value
               |
               = help: say `case: insensitive`, or list the values that are allowed instead

        "#]]);
    }
}
