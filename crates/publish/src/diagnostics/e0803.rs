//! The path of an Agent's file that leads out of its Bundle, or to something that cannot be read.
//!
//! Everything that a Bundle consists of lies in the folder of its own file or below it. Neither `..`
//! nor a symbolic link leads out.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::files::FileError;

pub(crate) const CODE: Code = Code("E0803");

pub(crate) fn refused(at: &Location, path: &str, why: &str) -> Diagnostic {
    at.error(CODE, format!("the path `{path}` {why}"))
        .with_help("name a file in the Bundle's folder or below it, by a relative path")
}

pub(crate) fn unreadable(at: &Location, path: &str, error: &FileError) -> Diagnostic {
    at.error(CODE, format!("`{path}` cannot be read: {error}"))
        .with_help("name a file in the Bundle's folder or below it")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::desk;

    #[test]
    fn climbs_out() {
        let bundle = desk().edit("desk.yaml", "./refunds/clerk.yaml", "../clerk.yaml");
        bundle.check_closure(expect![[r#"
            error[E0803]: the path `../clerk.yaml` leaves the bundle
              --> desk.yaml:15:12
               |
            15 |     - ref: ../clerk.yaml
               |            ^^^^^^^^^^^^^ spec.agents[0].ref
               |
               = help: name a file in the Bundle's folder or below it, by a relative path

        "#]]);
    }

    #[test]
    fn the_root_too() {
        let bundle = desk().edit("bundle.yaml", "root: desk.yaml", "root: /desk.yaml");
        bundle.check_closure(expect![[r#"
            error[E0803]: the path `/desk.yaml` is absolute
             --> bundle.yaml:8:9
              |
            8 |   root: /desk.yaml
              |         ^^^^^^^^^^ spec.root
              |
              = help: name a file in the Bundle's folder or below it, by a relative path

        "#]]);
    }
}
