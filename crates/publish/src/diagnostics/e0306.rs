//! A Tool or Policy is there, but in no version that the constraint allows.
//!
//! The bundle is looked through first and the catalog of the runtime second. A pre-release is taken
//! only where the constraint names a pre-release of the same `major.minor.patch`.

use super::e0305::unasked;
use crate::diagnostic::{Code, Diagnostic, Location};
use crate::library::Places;

pub(crate) const CODE: Code = Code("E0306");

/// The most versions that are listed of one place: the highest.
const LISTED_MAX: usize = 10;

/// `there` are the versions in the bundle and those in the catalog, lowest first.
pub(crate) fn none_satisfies(
    at: &Location,
    reference: &str,
    there: [&[String]; 2],
    folder: &str,
    places: &Places<'_>,
) -> Diagnostic {
    let (id, constraint) = reference.split_once('@').unwrap_or((reference, "*"));
    let [here, filed] = there;
    let mut help = match (here.is_empty(), filed.is_empty()) {
        (false, false) => format!(
            "{folder}/ has {}, the catalog has {}",
            listed(here),
            listed(filed)
        ),
        (true, false) => format!("the catalog has {}", listed(filed)),
        (false, true) if places.answered => {
            format!("{folder}/ has {}, the catalog none", listed(here))
        }
        (false, true) => format!("there is {}", listed(here)),
        (true, true) => "there is none".to_owned(),
    };
    let pre = here.iter().chain(filed).rev().find(|it| it.contains('-'));
    if let Some(pre) = pre {
        help.push_str(&format!("; to take the pre-release, name it: `{id}@{pre}`"));
    }
    help.push_str(&unasked(places));
    at.error(
        CODE,
        format!("no version of `{id}` satisfies `{constraint}`"),
    )
    .with_help(help)
}

fn listed(versions: &[String]) -> String {
    let skipped = versions.len().saturating_sub(LISTED_MAX);
    let shown: Vec<&str> = versions.iter().skip(skipped).map(String::as_str).collect();
    let older = if skipped > 0 {
        format!("{skipped} older ones and ")
    } else {
        String::new()
    };
    older + &shown.join(", ")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::{Shelf, sample};

    #[test]
    fn too_old() {
        let bundle = sample().edit("agent.yaml", "@^1.0", "@^2");
        bundle.check(expect![[r#"
            error[E0306]: no version of `pay.refund` satisfies `^2`
              --> agent.yaml:15:12
               |
            15 |     - ref: pay.refund@^2
               |            ^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: there is 1.2.0

        "#]]);
    }

    #[test]
    fn prerelease() {
        let bundle = sample().edit(
            "tools/refund.yaml",
            "version: 1.2.0",
            "version: 1.1.0-beta.1",
        );
        bundle.check(expect![[r#"
            error[E0306]: no version of `pay.refund` satisfies `^1.0`
              --> agent.yaml:15:12
               |
            15 |     - ref: pay.refund@^1.0
               |            ^^^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: there is 1.1.0-beta.1; to take the pre-release, name it: `pay.refund@1.1.0-beta.1`

        "#]]);
    }

    #[test]
    fn in_both_places() {
        let bundle = sample().edit("agent.yaml", "@^1.0", "@^3");
        let shelf = Shelf::default().tools(&["1.0.0", "2.0.0"]);
        shelf.check(
            &bundle,
            expect![[r#"
            error[E0306]: no version of `pay.refund` satisfies `^3`
              --> agent.yaml:15:12
               |
            15 |     - ref: pay.refund@^3
               |            ^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: tools/ has 1.2.0, the catalog has 1.0.0, 2.0.0

        "#]],
        );
    }
}
