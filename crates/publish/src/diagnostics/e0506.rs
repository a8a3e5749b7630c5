//! A predicate of `available_when` that says nothing that can be decided.
//!
//! Each entry is a map of one key, or the text `"key: value"`. A value may be a list: any of them
//! will do. What can be asked for is `agent.capability`, `agent.namespace`, `agent.name`,
//! `agent.label.KEY`, `session.input.PATH` and `runtime.env.KEY`. A predicate that nobody can decide
//! would be false for ever, so it is refused.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0506");

pub(crate) fn unknown(at: &Location, key: &str, keys: &[&str]) -> Diagnostic {
    let all = format!("one of {}", keys.join(", "));
    let help = suggest::did_you_mean(key, keys.iter().copied())
        .map_or_else(|| all.clone(), |near| format!("{near} ({all})"));
    at.error(CODE, format!("a predicate cannot ask for `{key}`"))
        .with_help(help)
}

pub(crate) fn not_one(at: &Location, found: usize) -> Diagnostic {
    at.error(
        CODE,
        format!("a predicate has one key, this one has {found}"),
    )
    .with_help("write each predicate as an entry of its own; all of them must hold")
}

pub(crate) fn no_colon(at: &Location, text: &str) -> Diagnostic {
    at.error(CODE, format!("`{text}` is no predicate"))
        .with_help("write `key: value`")
}

pub(crate) fn no_value(at: &Location, key: &str, max: usize) -> Diagnostic {
    at.error(
        CODE,
        format!("`{key}` is compared with nothing that it could be"),
    )
    .with_help(format!("write a value, or a list of 1 to {max}"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn undecidable() {
        let bundle = sample().append(
            "tools/refund.yaml",
            "  available_when:
    - agent.capabilities: pay
    - {agent.name: clerk, agent.namespace: shop}
    - nonsense
    - agent.label.tier: []
    - 'session.input.: 3'
    - agent.name: 7
",
        );
        bundle.check(expect![[r#"
            error[E0506]: a predicate cannot ask for `agent.capabilities`
              --> tools/refund.yaml:13:7
               |
            13 |     - agent.capabilities: pay
               |       ^^^^^^^^^^^^^^^^^^ spec.available_when[0]."agent.capabilities"
               |
               = help: did you mean `agent.capability`? (one of agent.capability, agent.namespace, agent.name, agent.label.KEY, session.input.PATH, runtime.env.KEY)

            error[E0506]: a predicate has one key, this one has 2
              --> tools/refund.yaml:14:7
               |
            14 |     - {agent.name: clerk, agent.namespace: shop}
               |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ spec.available_when[1]
               |
               = help: write each predicate as an entry of its own; all of them must hold

            error[E0506]: `nonsense` is no predicate
              --> tools/refund.yaml:15:7
               |
            15 |     - nonsense
               |       ^^^^^^^^ spec.available_when[2]
               |
               = help: write `key: value`

            error[E0506]: `agent.label.tier` is compared with nothing that it could be
              --> tools/refund.yaml:16:7
               |
            16 |     - agent.label.tier: []
               |       ^^^^^^^^^^^^^^^^ spec.available_when[3]."agent.label.tier"
               |
               = help: write a value, or a list of 1 to 64

            error[E0506]: a predicate cannot ask for `session.input.`
              --> tools/refund.yaml:17:7
               |
            17 |     - 'session.input.: 3'
               |       ^^^^^^^^^^^^^^^^^^^ spec.available_when[4]
               |
               = help: did you mean `session.input.PATH`? (one of agent.capability, agent.namespace, agent.name, agent.label.KEY, session.input.PATH, runtime.env.KEY)

            error[E0203]: expected text, but YAML reads an unquoted `7` as a number
              --> tools/refund.yaml:18:19
               |
            18 |     - agent.name: 7
               |                   ^ spec.available_when[5]."agent.name"
               |
               = help: quote it: "7"

        "#]]);
    }
}
