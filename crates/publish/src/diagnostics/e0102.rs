//! A file is larger or nested deeper than any document has reason to be.
//!
//! Publishing accepts sources from other machines, so what it reads is bounded: 4 MiB a file, 128
//! levels of nesting, 100 000 keys and values.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0102");

pub(crate) fn too_large(at: &Location, bytes_max: usize) -> Diagnostic {
    at.error(CODE, format!("the file is larger than {bytes_max} bytes"))
        .with_help("keep data out of it, and split what is left")
}

pub(crate) fn too_deep(at: &Location, depth_max: usize) -> Diagnostic {
    at.error(CODE, format!("nested deeper than {depth_max} levels"))
        .with_help("write it flatter; in a schema, move inner parts to `$defs`")
}

pub(crate) fn too_many(at: &Location, nodes_max: usize) -> Diagnostic {
    at.error(
        CODE,
        format!("the file holds more than {nodes_max} keys and values"),
    )
    .with_help("keep data out of it, and split what is left")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn large() {
        let bundle = sample().file("tools/other.yaml", "#".repeat(4 * 1024 * 1024 + 1));
        bundle.check(expect![[r#"
            error[E0102]: the file is larger than 4194304 bytes
            --> tools/other.yaml:1:1
             = help: keep data out of it, and split what is left

        "#]]);
    }

    #[test]
    fn deep() {
        let bundle = sample().file("tools/other.yaml", format!("kind: {}", "[".repeat(200)));
        bundle.check(expect![[r#"
            error[E0102]: nested deeper than 128 levels
             --> tools/other.yaml:1:134
              |
            1 | ...[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[...
              |                                                                    ^
              |
              = help: write it flatter; in a schema, move inner parts to `$defs`

        "#]]);
    }

    #[test]
    fn deep_blocks() {
        let bundle = sample().file("tools/other.yaml", "- ".repeat(200));
        bundle.check(expect![[r#"
            error[E0102]: nested deeper than 128 levels
             --> tools/other.yaml:1:257
              |
            1 | ...- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - ...
              |                                                                    ^
              |
              = help: write it flatter; in a schema, move inner parts to `$defs`

        "#]]);
    }

    #[test]
    fn many() {
        let bundle = sample().file("tools/other.yaml", format!("[{}]", "1,".repeat(100_001)));
        bundle.check(expect![[r#"
            error[E0102]: the file holds more than 100000 keys and values
            --> tools/other.yaml:1:1
             = help: keep data out of it, and split what is left

        "#]]);
    }
}
