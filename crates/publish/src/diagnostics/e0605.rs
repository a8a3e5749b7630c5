//! An authority boundary that no attached policy defines.
//!
//! A policy defines a boundary by naming it in `decision.authority_ref`; what it does not match lies
//! inside the authority. Without one, every call that the boundary covers asks for approval.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0605");

pub(crate) fn undefined(at: &Location, boundary: &str) -> Diagnostic {
    at.warning(CODE, format!("no attached policy defines the boundary `{boundary}`, so every call that it covers asks for approval"))
        .with_help(format!("attach a policy with `authority_ref: {boundary}`"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn no_policy_defines_it() {
        let bundle = sample().edit(
            "agent.yaml",
            "  version: 1.0.0\n",
            "  version: 1.0.0\n  governance: {authority_boundaries: [pay.authority]}\n",
        );
        bundle.check(expect![[r#"
            warning[E0605]: no attached policy defines the boundary `pay.authority`, so every call that it covers asks for approval
             --> agent.yaml:7:39
              |
            7 |   governance: {authority_boundaries: [pay.authority]}
              |                                       ^^^^^^^^^^^^^ metadata.governance.authority_boundaries[0]
              |
              = help: attach a policy with `authority_ref: pay.authority`

        "#]]);
    }
}
