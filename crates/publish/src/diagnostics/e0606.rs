//! An `authority_ref` that names no declared boundary.
//!
//! Boundaries are declared under `metadata.governance.authority_boundaries` of the Agent, of its
//! Tools or of the Policy itself.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0606");

pub(crate) fn undeclared(at: &Location, boundary: &str, declared: &[&str]) -> Diagnostic {
    let help = suggest::did_you_mean(boundary, declared.iter().copied()).unwrap_or_else(|| {
        format!("declare it: `metadata: {{governance: {{authority_boundaries: [{boundary}]}}}}`")
    });
    at.warning(
        CODE,
        format!("no declared authority boundary is named `{boundary}`"),
    )
    .with_help(help)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn misspelt() {
        let bundle = sample()
            .edit(
                "agent.yaml",
                "  version: 1.0.0\n",
                "  version: 1.0.0\n  governance: {authority_boundaries: [pay.authority]}\n",
            )
            .edit(
                "policies/limit.yaml",
                "type: deny",
                "type: deny\n    authority_ref: pay.autority",
            );
        bundle.check(expect![[r#"
            warning[E0605]: no attached policy defines the boundary `pay.authority`, so every call that it covers asks for approval
             --> agent.yaml:7:39
              |
            7 |   governance: {authority_boundaries: [pay.authority]}
              |                                       ^^^^^^^^^^^^^ metadata.governance.authority_boundaries[0]
              |
              = help: attach a policy with `authority_ref: pay.authority`

            warning[E0606]: no declared authority boundary is named `pay.autority`
              --> policies/limit.yaml:14:20
               |
            14 |     authority_ref: pay.autority
               |                    ^^^^^^^^^^^^ spec.decision.authority_ref
               |
               = help: did you mean `pay.authority`?

        "#]]);
    }
}
