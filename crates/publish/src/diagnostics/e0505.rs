//! A binding of a Tool that can never be available to this agent.
//!
//! Predicates that ask for the Agent's name, namespace, labels or capabilities are decided when it is
//! published. One that does not hold would leave the tool out of every session, so the binding
//! promises something that never comes.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0505");

pub(crate) fn never(at: &Location, tool: &str, predicate: &str, mend: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("`{tool}` is never available to this agent: it asks for {predicate}"),
    )
    .with_help(format!("{mend}, or take the binding out"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn by_capability() {
        let bundle = sample().append(
            "tools/refund.yaml",
            "  available_when:\n    - agent.capability: [refunds, money]\n",
        );
        bundle.check(expect![[r#"
            error[E0505]: `pay.refund` is never available to this agent: it asks for `agent.capability: [refunds, money]`
              --> agent.yaml:15:12
               |
            15 |     - ref: pay.refund@^1.0
               |            ^^^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: add `refunds` or `money` to the Agent's `spec.capabilities`, or take the binding out

        "#]]);
        let mended = bundle.append("agent.yaml", "  capabilities: [money]\n");
        mended.check(expect![[r#""#]]);
    }

    #[test]
    fn by_identity_and_label() {
        for (predicate, sound) in [
            ("agent.name: clerk", true),
            ("agent.name: [x, clerk]", true),
            ("agent.name: Clerk", false),
            ("agent.namespace: shop", true),
            ("agent.namespace: shops", false),
            ("'agent.namespace: shop'", true),
            ("agent.label.tier: gold", true),
            ("agent.label.tier: silver", false),
            ("agent.label.team: gold", false),
            ("session.input.tier: gold", true),
            ("runtime.env.REGION: eu", true),
        ] {
            let bundle = sample()
                .edit(
                    "agent.yaml",
                    "  version: 1.0.0\n",
                    "  version: 1.0.0\n  labels: {tier: gold}\n",
                )
                .append(
                    "tools/refund.yaml",
                    &format!("  available_when: [{{{predicate}}}]\n")
                        .replace("[{'", "['")
                        .replace("'}]", "']"),
                );
            let expected: &[&str] = if sound { &[] } else { &["E0505"] };
            assert_eq!(bundle.codes(), expected, "{predicate}");
        }
    }
}
