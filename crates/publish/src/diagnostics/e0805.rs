//! Two members of a Bundle with the same child name.
//!
//! The child name of a member is its file's name without the extension, and for a published version
//! its `namespace.name`. The lock, warnings and lists name members by it.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0805");

pub(crate) fn taken(at: &Location, name: &str, this: &str, other: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("the members {other} and {this} have the same child name, `{name}`"),
    )
    .with_help("rename one of the files; of a published agent pin one version only")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::desk;

    #[test]
    fn two_folders() {
        let clerk = desk().text("refunds/clerk.yaml").unwrap();
        let other = clerk.replace("name: clerk", "name: other");
        let (other, _) = other.split_once("  tools:").unwrap();
        let bundle = desk()
            .file("other/clerk.yaml", other)
            .append("desk.yaml", "    - ref: ./other/clerk.yaml\n");
        bundle.check_closure(expect![[r#"
            error[E0805]: the members ./refunds/clerk.yaml and ./other/clerk.yaml have the same child name, `clerk`
              --> desk.yaml:17:12
               |
            17 |     - ref: ./other/clerk.yaml
               |            ^^^^^^^^^^^^^^^^^^ spec.agents[1].ref
               |
               = help: rename one of the files; of a published agent pin one version only

        "#]]);
    }
}
