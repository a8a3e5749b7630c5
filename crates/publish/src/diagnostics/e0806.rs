//! One secret that two members of a Bundle read from different environment variables.
//!
//! A run of a Bundle is given each secret once, by name, for all its members. Use one variable, or
//! give the secrets two names.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0806");

/// A member and the variable that it names.
pub(crate) type Use<'a> = (&'a str, &'a str);

pub(crate) fn differs(at: &Location, secret: &str, one: Use<'_>, other: Use<'_>) -> Diagnostic {
    let ((a, its), (b, others)) = (one, other);
    at.error(
        CODE,
        format!("secret \"{secret}\": member \"{a}\" uses {its}, member \"{b}\" uses {others}"),
    )
    .with_help("read it from one variable, or give the two secrets different names")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::desk;

    #[test]
    fn two_variables() {
        let bundle = desk()
            .append("desk.yaml", "secrets: {api: {fromEnv: DESK_KEY}}\n")
            .append(
                "refunds/clerk.yaml",
                "secrets: {api: {fromEnv: CLERK_KEY}}\n",
            );
        bundle.check_closure(expect![[r#"
            error[E0806]: secret "api": member "desk" uses DESK_KEY, member "clerk" uses CLERK_KEY
              --> refunds/clerk.yaml:19:26
               |
            19 | secrets: {api: {fromEnv: CLERK_KEY}}
               |                          ^^^^^^^^^ secrets.api.fromEnv
               |
               = help: read it from one variable, or give the two secrets different names

        "#]]);
    }
}
