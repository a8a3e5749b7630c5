//! The same key twice in one map.
//!
//! Readers of YAML disagree about which of the two counts, so the text that was reviewed might not
//! be the one that runs. Keep one of them.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0105");

pub(crate) fn duplicate(at: &Location, key: &str, first_line: u32) -> Diagnostic {
    let first = format!("first written on line {first_line}");
    let line = at.span.map_or(0, |span| span.line);
    at.error(
        CODE,
        format!("the key `{key}` appears again on line {line}; {first}"),
    )
    .with_help("keep one of the two")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn in_yaml() {
        let bundle = sample().edit(
            "policies/limit.yaml",
            "type: deny",
            "type: deny\n    type: allow",
        );
        bundle.check(expect![[r#"
            error[E0105]: the key `type` appears again on line 14; first written on line 13
              --> policies/limit.yaml:14:5
               |
            14 |     type: allow
               |     ^^^^ spec.decision.type
               |
               = help: keep one of the two

        "#]]);
    }

    #[test]
    fn whole_blocks() {
        let bundle = sample().append("policies/limit.yaml", "spec: {decision: {type: allow}}\n");
        bundle.check(expect![[r#"
            error[E0105]: the key `spec` appears again on line 15; first written on line 7
              --> policies/limit.yaml:15:1
               |
            15 | spec: {decision: {type: allow}}
               | ^^^^ spec
               |
               = help: keep one of the two

        "#]]);
    }

    #[test]
    fn in_json() {
        let bundle = sample().edit(
            "schemas/refund.json",
            "\"required\":",
            "\"type\": \"string\",\n  \"required\":",
        );
        bundle.check(expect![[r#"
            error[E0105]: the key `type` appears again on line 8; first written on line 2
             --> schemas/refund.json:8:3
              |
            8 |   "type": "string",
              |   ^ type
              |
              = help: keep one of the two

        "#]]);
    }
}
