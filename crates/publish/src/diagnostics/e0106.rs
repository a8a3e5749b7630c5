//! A file holds exactly one document.
//!
//! A second one after `---` would be easy to overlook; give it a file of its own. A file with
//! nothing but comments holds none.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0106");

pub(crate) fn second_document(at: &Location) -> Diagnostic {
    let line = at.span.map_or(0, |span| span.line);
    at.error(CODE, format!("a second document begins on line {line}"))
        .with_help("give it a file of its own")
}

pub(crate) fn no_document(at: &Location) -> Diagnostic {
    at.error(CODE, "the file holds no document")
        .with_help("write one, or take the file away")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn second() {
        let bundle = sample().append("policies/limit.yaml", "---\nkind: Policy\n");
        bundle.check(expect![[r#"
            error[E0106]: a second document begins on line 16
              --> policies/limit.yaml:16:1
               |
            16 | kind: Policy
               | ^
               |
               = help: give it a file of its own

        "#]]);
    }

    #[test]
    fn none() {
        let bundle = sample().file("policies/empty.yaml", "# nothing yet\n---\n");
        bundle.check(expect![[r#"
            error[E0106]: the file holds no document
             --> policies/empty.yaml:1:1
              |
            1 | # nothing yet
              | ^
              |
              = help: write one, or take the file away

        "#]]);
    }
}
