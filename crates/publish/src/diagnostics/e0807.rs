//! A Bundle with more members, or with longer chains of agents, than there may be.
//!
//! A Bundle has at most 256 members, and from its root at most 64 of them stand one below the other.
//! Runs are bounded far lower, by `max_subagent_depth`.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0807");

pub(crate) fn many(at: &Location, most: usize) -> Diagnostic {
    at.error(CODE, format!("the Bundle has more than {most} members"))
        .with_help("split the Bundle, or bind some of the agents late")
}

pub(crate) fn deep(at: &Location, most: usize) -> Diagnostic {
    at.error(
        CODE,
        format!("more than {most} agents stand one below the other"),
    )
    .with_help("let agents further up hand the work on")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::desk;

    #[test]
    fn many() {
        let mut bundle = desk();
        for index in 0..300 {
            let entry = format!("    - ref: shop.a{index}@1.0.0\n");
            bundle = bundle.append("desk.yaml", &entry);
        }
        bundle.check_closure(expect![[r#"
            error[E0807]: the Bundle has more than 256 members
               --> desk.yaml:271:12
                |
            271 |     - ref: shop.a254@1.0.0
                |            ^^^^^^^^^^^^^^^ spec.agents[255].ref
                |
                = help: split the Bundle, or bind some of the agents late

        "#]]);
    }

    #[test]
    fn deep() {
        let desk_file = desk().text("desk.yaml").unwrap();
        let mut bundle = desk();
        for index in 0..70 {
            let next = format!("./a{}.yaml", index + 1);
            let agent = desk_file
                .replace("name: desk", &format!("name: a{index}"))
                .replace("./refunds/clerk.yaml", &next);
            bundle = bundle.file(&format!("a{index}.yaml"), agent);
        }
        let bundle = bundle.edit("desk.yaml", "./refunds/clerk.yaml", "./a0.yaml");
        bundle.check_closure(expect![[r#"
            error[E0807]: more than 64 agents stand one below the other
              --> a62.yaml:15:12
               |
            15 |     - ref: ./a63.yaml
               |            ^^^^^^^^^^ spec.agents[0].ref
               |
               = help: let agents further up hand the work on

        "#]]);
    }
}
