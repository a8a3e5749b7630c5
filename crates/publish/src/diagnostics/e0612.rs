//! A comparison with a value that the argument never has.
//!
//! The contract does not take it. Where the contract lists the values, that is most often a typo,
//! and an error; a list of values of which some are possible is a warning.

use spec::Json;

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0612");

/// The most values that are named.
const NAMED_MAX: usize = 10;

pub(crate) fn impossible(
    at: &Location,
    (field, value): (&str, &Json),
    tools: &str,
    (listed, alone): (Option<&[Json]>, bool),
) -> Diagnostic {
    let message = format!(
        "`{field}` is never {} in a call of {tools}",
        value.to_canonical()
    );
    let texts = listed.unwrap_or_default().iter().filter_map(Json::as_str);
    let meant = value
        .as_str()
        .and_then(|it| suggest::did_you_mean(it, texts));
    let help = meant.unwrap_or_else(|| match listed {
        Some(listed) => {
            let named = listed.iter().take(NAMED_MAX).map(Json::to_canonical);
            format!(
                "the contract takes {}",
                named.collect::<Vec<_>>().join(", ")
            )
        }
        None => "compare it with a value that the input schema takes".to_owned(),
    });
    let diagnostic = if listed.is_some() && alone {
        at.error(CODE, message)
    } else {
        at.warning(CODE, message)
    };
    diagnostic.with_help(help)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    fn compared(with: &str) -> crate::tests::Bundle {
        sample()
            .edit(
                "schemas/refund.json",
                r#"{"type": "string", "pattern": "^A-[0-9]+$"}"#,
                r#"{"enum": ["new", "paid", "sent"]}"#,
            )
            .edit("policies/limit.yaml", "field: amount", "field: order")
            .edit("policies/limit.yaml", "op: gt\n    value: 1000", with)
    }

    #[test]
    fn a_misspelt_member() {
        compared("op: eq\n    value: payd").check(expect![[r#"
            error[E0612]: `order` is never "payd" in a call of `refund`
              --> policies/limit.yaml:11:12
               |
            11 |     value: payd
               |            ^^^^ spec.conditions.value
               |
               = help: did you mean `paid`?

        "#]]);
    }

    #[test]
    fn one_of_several() {
        compared("op: in\n    value: [paid, cancelled]").check(expect![[r#"
            warning[E0612]: `order` is never "cancelled" in a call of `refund`
              --> policies/limit.yaml:11:19
               |
            11 |     value: [paid, cancelled]
               |                   ^^^^^^^^^ spec.conditions.value[1]
               |
               = help: the contract takes "new", "paid", "sent"

        "#]]);
    }
}
