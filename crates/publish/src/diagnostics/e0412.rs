//! `$dynamicRef` or `$recursiveRef` in a schema that refers to files.
//!
//! What these mean depends on which document stands around them, and the files are put into one.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0412");

pub(crate) fn dynamic(at: &Location, keyword: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("`{keyword}` cannot be kept in a schema that is put together from files"),
    )
    .with_help("write a plain `$ref`, or copy the files under `$defs`")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn in_a_file() {
        let bundle = sample()
            .edit(
                "schemas/refund.json",
                "{\"type\": \"number\"}",
                "{\"$ref\": \"tree.json\"}",
            )
            .file(
                "schemas/tree.json",
                "{\"$dynamicAnchor\": \"node\", \"items\": {\"$dynamicRef\": \"#node\"}}",
            );
        bundle.check(expect![[r##"
            error[E0412]: `$dynamicRef` cannot be kept in a schema that is put together from files
             --> schemas/tree.json:1:53
              |
            1 | {"$dynamicAnchor": "node", "items": {"$dynamicRef": "#node"}}
              |                                                     ^^^^^^^ items.$dynamicRef
              |
              = help: write a plain `$ref`, or copy the files under `$defs`

        "##]]);
    }
}
