//! A file cannot be read: it is missing, the system refuses it, or its bytes are not UTF-8 text.
//!
//! Documents, schemas and instructions are UTF-8. A byte-order mark at the start is passed over.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::files::FileError;

pub(crate) const CODE: Code = Code("E0101");

pub(crate) fn no_manifest(at: &Location) -> Diagnostic {
    at.error(CODE, "there is no such file")
        .with_help("name the file of the Agent, `agent.yaml` say")
}

pub(crate) fn no_document(at: &Location) -> Diagnostic {
    at.error(CODE, "there is no such file")
        .with_help("name the file of a Tool or a Policy")
}

pub(crate) fn unreadable(at: &Location, error: &FileError) -> Diagnostic {
    at.error(CODE, format!("the file cannot be read: {error}"))
        .with_help("make it a readable file in the bundle's folder, or take out what refers to it")
}

pub(crate) fn not_utf8(at: &Location, byte: usize) -> Diagnostic {
    at.error(CODE, format!("the file is not UTF-8 text (at byte {byte})"))
        .with_help("save it as UTF-8")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn missing() {
        let bundle = sample().without("agent.yaml");
        bundle.check(expect![[r#"
            error[E0101]: there is no such file
            --> agent.yaml
             = help: name the file of the Agent, `agent.yaml` say

        "#]]);
    }

    #[test]
    fn not_utf8() {
        let bundle = sample().file("tools/other.yaml", b"kind: T\xff\n");
        bundle.check(expect![[r#"
            error[E0101]: the file is not UTF-8 text (at byte 7)
             --> tools/other.yaml:1:8
              |
            1 | kind: T�
              |        ^
              |
              = help: save it as UTF-8

        "#]]);
    }
}
