//! A rule that cannot be compiled, or that could not mean what it says.
//!
//! The field cannot exist in any contract that the policy reaches, the operator does not fit the
//! field's type, a regular expression is invalid, and the like.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0603");

pub(crate) fn refused(at: &Location, message: &str) -> Diagnostic {
    at.error(CODE, message)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn unknown_field() {
        let bundle = sample().edit("policies/limit.yaml", "field: amount", "field: amuont");
        bundle.check(expect![[r#"
            error[E0603]: `amuont` cannot exist in any call of `refund`
             --> policies/limit.yaml:9:12
              |
            9 |     field: amuont
              |            ^^^^^^ spec.conditions.field
              |
              = help: write a path that the input schema has

        "#]]);
    }

    #[test]
    fn wrong_type() {
        let bundle = sample().edit("policies/limit.yaml", "field: amount", "field: order");
        bundle.check(expect![[r#"
            error[E0603]: `gt` with 1000 can never compare the type that the input schema gives `order`
              --> policies/limit.yaml:10:9
               |
            10 |     op: gt
               |         ^^ spec.conditions.op
               |
               = help: use an operator and a value that fit the type

        "#]]);
    }

    #[test]
    fn pattern() {
        let bundle = sample()
            .edit("policies/limit.yaml", "field: amount", "field: order")
            .edit("policies/limit.yaml", "op: gt", "op: matches")
            .edit("policies/limit.yaml", "value: 1000", "value: \"(\"");
        bundle.check(expect![[r#"
            error[E0603]: the regular expression `(` is invalid: unclosed group
              --> policies/limit.yaml:11:12
               |
            11 |     value: "("
               |            ^^^ spec.conditions.value
               |
               = help: write it in the syntax of the regex crate, which has neither look-around nor back-references

        "#]]);
    }
}
