//! A framework pack that nobody checks, under a name that is nearly that of one that is checked.
//!
//! A pack that is not known is carried along, recorded and shown as present but unvalidated. That is
//! all that happens to this one too, unless the known name was meant.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0212");

pub(crate) fn nearly(at: &Location, name: &str, near: &str) -> Diagnostic {
    at.warning(
        CODE,
        format!("the pack `{name}` is not known, so it is carried unvalidated"),
    )
    .with_help(format!("did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::{Bundle, sample};

    fn with(pack: &str) -> Bundle {
        sample().edit(
            "agent.yaml",
            "  version: 1.0.0\n",
            &format!("  version: 1.0.0\n  governance:\n    frameworks:\n      {pack}\n"),
        )
    }

    #[test]
    fn near_a_known_one() {
        with("eu-ai-act/v2: {role: provider}").check(expect![[r#"
            warning[E0212]: the pack `eu-ai-act/v2` is not known, so it is carried unvalidated
             --> agent.yaml:9:7
              |
            9 |       eu-ai-act/v2: {role: provider}
              |       ^^^^^^^^^^^^ metadata.governance.frameworks.eu-ai-act/v2
              |
              = help: did you mean `eu-ai-act/v1`?

        "#]]);
    }

    #[test]
    fn packs() {
        let standing = |pack: &str| {
            let snapshot = with(pack).compile().snapshot?;
            let packs = &snapshot.metadata.governance.frameworks;
            packs.values().next().map(|it| it.standing())
        };
        for (pack, expected) in [
            (
                "eu-ai-act/v1: {role: deployer, annex_iii_category: employment}",
                Some("validated"),
            ),
            ("eu-ai-act/v1: {}", Some("validated")),
            ("eu-ai-act/v1: {role: owner}", None),
            ("eu-ai-act/v1: {annex_iii_category: 4}", None),
            ("eu-ai-act/v1: {roles: deployer}", None),
            ("eu-ai-act/v1: [deployer]", None),
            ("house-rules/v3: {anything: [1, 2]}", Some("unvalidated")),
            ("house-rules/v3: yes", Some("unvalidated")),
        ] {
            assert_eq!(standing(pack), expected, "{pack}");
        }
    }
}
