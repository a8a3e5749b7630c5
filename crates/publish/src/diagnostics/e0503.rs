//! A binding with a less strict `side_effect_class` than its Tool.
//!
//! The class decides what happens after a crash: a `read_only` call is simply run again. A binding
//! may be stricter than the contract, never laxer.

use spec::SideEffectClass;

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0503");

pub(crate) fn widened(
    at: &Location,
    binding: SideEffectClass,
    (tool, there): (SideEffectClass, Option<&Location>),
) -> Diagnostic {
    let diagnostic = at
        .error(
            CODE,
            format!("`{binding}` is less strict than the Tool's `{tool}`"),
        )
        .with_help(format!(
            "leave the field out, or write `{tool}` or a stricter class"
        ));
    match there {
        Some(there) => diagnostic.with_related(there, format!("the Tool says `{tool}`")),
        None => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn laxer() {
        let bundle = sample().edit(
            "agent.yaml",
            "as: refund",
            "as: refund\n      side_effect_class: read_only",
        );
        bundle.check(expect![[r#"
            error[E0503]: `read_only` is less strict than the Tool's `non_idempotent_write`
              --> agent.yaml:17:26
               |
            17 |       side_effect_class: read_only
               |                          ^^^^^^^^^ spec.tools[0].side_effect_class
               |
               = help: leave the field out, or write `non_idempotent_write` or a stricter class
            note: the Tool says `non_idempotent_write`
              --> tools/refund.yaml:9:22
               |
             9 |   side_effect_class: non_idempotent_write
               |                      ^^^^^^^^^^^^^^^^^^^^ spec.side_effect_class

        "#]]);
    }
}
