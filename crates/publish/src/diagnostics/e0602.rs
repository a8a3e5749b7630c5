//! A policy with a bare `allow` list for which the argument to check cannot be told.
//!
//! The list is compared with the one property among `queue`, `target`, `value`, `name`, `id` and
//! `currency` that the Tool declares. Where none or several are declared, say it with a condition.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0602");

pub(crate) fn undecided(at: &Location, why: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("it is not clear which argument `allow` is about: {why}"),
    )
    .with_help("write `conditions: {field: NAME, op: in, value: [...]}`")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn none() {
        let bundle = sample()
            .edit(
                "policies/limit.yaml",
                "  conditions:\n    field: amount\n    op: gt\n    value: 1000\n",
                "  allow: [USD, EUR]\n",
            )
            .edit("policies/limit.yaml", "type: deny", "type: allow")
            .edit("schemas/refund.json", "\"currency\"", "\"money\"");
        bundle.check(expect![[r#"
            error[E0602]: it is not clear which argument `allow` is about: `refund` declares none of queue, target, value, name, id, currency
             --> policies/limit.yaml:8:3
              |
            8 |   allow: [USD, EUR]
              |   ^^^^^ spec.allow
              |
              = help: write `conditions: {field: NAME, op: in, value: [...]}`

        "#]]);
    }

    #[test]
    fn several() {
        let bundle = sample()
            .edit(
                "policies/limit.yaml",
                "  conditions:\n    field: amount\n    op: gt\n    value: 1000\n",
                "  allow: [USD, EUR]\n",
            )
            .edit("policies/limit.yaml", "type: deny", "type: allow")
            .edit("schemas/refund.json", "\"order\": {", "\"name\": {");
        bundle.check(expect![[r#"
            error[E0602]: it is not clear which argument `allow` is about: `refund` declares name and currency
             --> policies/limit.yaml:8:3
              |
            8 |   allow: [USD, EUR]
              |   ^^^^^ spec.allow
              |
              = help: write `conditions: {field: NAME, op: in, value: [...]}`

        "#]]);
    }
}
