//! A file reference that leaves the bundle, or that is not a relative path.
//!
//! References are relative to the folder of the Agent's file and use forward slashes. They may not
//! begin with a slash or climb out through `..`.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0301");

pub(crate) fn refused(at: &Location, path: &str, why: &str) -> Diagnostic {
    at.error(CODE, format!("the file reference `{path}` {why}"))
        .with_help("write a path relative to the folder of the Agent's file, `schemas/refund` say")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn climbs_out() {
        let bundle = sample().edit("tools/refund.yaml", "schemas/refund", "../schemas/refund");
        bundle.check(expect![[r#"
            error[E0301]: the file reference `../schemas/refund` leaves the bundle
              --> tools/refund.yaml:11:10
               |
            11 |     ref: ../schemas/refund
               |          ^^^^^^^^^^^^^^^^^ spec.input_schema.ref
               |
               = help: write a path relative to the folder of the Agent's file, `schemas/refund` say

        "#]]);
    }

    #[test]
    fn absolute() {
        let bundle = sample().edit("agent.yaml", "text: Be fair.", "ref: /etc/passwd");
        bundle.check(expect![[r#"
            error[E0301]: the file reference `/etc/passwd` is absolute
              --> agent.yaml:10:10
               |
            10 |     ref: /etc/passwd
               |          ^^^^^^^^^^^ spec.instructions.ref
               |
               = help: write a path relative to the folder of the Agent's file, `schemas/refund` say

        "#]]);
    }
}
