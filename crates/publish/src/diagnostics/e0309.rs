//! A file reference with a version for which there is only the plain file.
//!
//! With `version: 2` the files `NAME-2`, `NAME/2` and `NAME/v2` are tried before the plain `NAME`,
//! about which nothing says that it is version 2.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0309");

pub(crate) fn plain_file(at: &Location, version: &str, taken: &str) -> Diagnostic {
    at.warning(
        CODE,
        format!("there is no file for version {version}; `{taken}` is taken"),
    )
    .with_help("name the file after the version, or leave `version` out")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn plain() {
        let bundle = sample().edit(
            "tools/refund.yaml",
            "ref: schemas/refund",
            "ref: schemas/refund\n    version: 2",
        );
        bundle.check(expect![[r#"
            warning[E0309]: there is no file for version 2; `schemas/refund.json` is taken
              --> tools/refund.yaml:11:10
               |
            11 |     ref: schemas/refund
               |          ^^^^^^^^^^^^^^ spec.input_schema.ref
               |
               = help: name the file after the version, or leave `version` out

        "#]]);
    }
}
