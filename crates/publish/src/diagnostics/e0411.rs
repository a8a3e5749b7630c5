//! A schema that is made of too many files, or that is too large with all of them in it.
//!
//! The runtime validates every call against the whole of it.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0411");

pub(crate) fn too_many(at: &Location, files_max: usize) -> Diagnostic {
    at.error(
        CODE,
        format!("the schema refers to more than {files_max} files, directly or by other files"),
    )
    .with_help("put parts that belong together into one file")
}

pub(crate) fn too_large(at: &Location, bytes_max: usize) -> Diagnostic {
    at.error(
        CODE,
        format!("the schema has more than {bytes_max} bytes with all its files in it"),
    )
    .with_help("refer to smaller files, or say less")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn a_long_chain() {
        let mut bundle = sample().edit(
            "schemas/refund.json",
            "{\"type\": \"number\"}",
            "{\"$ref\": \"0.json\"}",
        );
        for number in 0_u32..70 {
            let next = format!("{{\"$ref\": \"{}.json\"}}", number + 1);
            bundle = bundle.file(&format!("schemas/{number}.json"), next);
        }
        bundle.check(expect![[r#"
            error[E0411]: the schema refers to more than 64 files, directly or by other files
             --> schemas/63.json:1:10
              |
            1 | {"$ref": "64.json"}
              |          ^^^^^^^^^ $ref
              |
              = help: put parts that belong together into one file

        "#]]);
    }

    #[test]
    fn large_files() {
        let filler = "x".repeat(2_200_000);
        let part = format!("{{\"description\": \"{filler}\"}}");
        let bundle = sample()
            .edit(
                "schemas/refund.json",
                "{\"type\": \"number\"}",
                "{\"allOf\": [{\"$ref\": \"a.json\"}, {\"$ref\": \"b.json\"}]}",
            )
            .file("schemas/a.json", &part)
            .file("schemas/b.json", &part);
        bundle.check(expect![[r#"
            error[E0411]: the schema has more than 4194304 bytes with all its files in it
             --> schemas/refund.json:1:1
              |
            1 | {
              | ^
              |
              = help: refer to smaller files, or say less

        "#]]);
    }
}
