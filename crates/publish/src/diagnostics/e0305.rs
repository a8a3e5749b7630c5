//! A reference to a Tool or Policy that is neither in the bundle nor in the catalog.
//!
//! Documents are found by their metadata, not by their file names: `payments.issue-refund` is the
//! file in `tools/` whose metadata has `namespace: payments` and `name: issue-refund`, or what
//! `tools publish` has put into the runtime's catalog under this id.

use spec::DocumentKind;

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::library::Places;
use crate::suggest;

pub(crate) const CODE: Code = Code("E0305");

/// The most ids that are listed of one place.
const LISTED_MAX: usize = 10;

/// `known` are the ids in the bundle and those in the catalog.
pub(crate) fn unknown(
    at: &Location,
    kind: DocumentKind,
    id: &str,
    known: [&[String]; 2],
    places: &Places<'_>,
) -> Diagnostic {
    let folder = kind.folder();
    let [here, there] = known;
    let near = here.iter().chain(there).map(String::as_str);
    let mut help = suggest::did_you_mean(id, near).unwrap_or_else(|| {
        let mut help = format!("{folder}/ holds {}", listed(here, id, kind));
        if places.answered {
            help.push_str(&format!(", the catalog {}", listed(there, id, kind)));
        }
        help
    });
    help.push_str(&unasked(places));
    let message = if places.answered {
        format!("there is no {kind} `{id}`, neither in {folder}/ nor in the catalog")
    } else {
        format!("there is no {kind} `{id}`")
    };
    at.error(CODE, message).with_help(help)
}

/// What to add when the catalog could not be asked.
pub(super) fn unasked(places: &Places<'_>) -> String {
    match places.unavailable.filter(|_| !places.answered) {
        Some(why) => format!("; the catalog could not be asked: {why}"),
        None => String::new(),
    }
}

/// The ids of one place, the nearest to what was meant first.
fn listed(ids: &[String], id: &str, kind: DocumentKind) -> String {
    if ids.is_empty() {
        return format!("no {kind}");
    }
    let all: Vec<&str> = ids.iter().map(String::as_str).collect();
    let shown = suggest::nearest_few(id, &all, LISTED_MAX);
    let more = ids.len().saturating_sub(shown.len());
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    shown.join(", ") + &more
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::Catalog;
    use crate::tests::{Shelf, sample};

    #[test]
    fn near() {
        let bundle = sample().edit("agent.yaml", "pay.refund@^1.0", "pay.refunds@^1.0");
        bundle.check(expect![[r#"
            error[E0305]: there is no Tool `pay.refunds`
              --> agent.yaml:15:12
               |
            15 |     - ref: pay.refunds@^1.0
               |            ^^^^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: did you mean `pay.refund`?

        "#]]);
    }

    #[test]
    fn policy() {
        let bundle = sample().edit("agent.yaml", "- pay.limit", "- audit.log");
        bundle.check(expect![[r#"
            error[E0305]: there is no Policy `audit.log`
              --> agent.yaml:18:11
               |
            18 |         - audit.log
               |           ^^^^^^^^^ spec.tools[0].policies[0]
               |
               = help: policies/ holds pay.limit

        "#]]);
    }

    #[test]
    fn empty_folder() {
        let bundle = sample().without("tools/refund.yaml");
        bundle.check(expect![[r#"
            error[E0305]: there is no Tool `pay.refund`
              --> agent.yaml:15:12
               |
            15 |     - ref: pay.refund@^1.0
               |            ^^^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: tools/ holds no Tool

        "#]]);
    }

    #[test]
    fn in_neither_place() {
        let shelf = Shelf::default().policies(&["audit.log", "pay.boundary"]);
        let bundle = sample()
            .edit("agent.yaml", "- pay.limit", "- audit.trail")
            .edit("agent.yaml", "pay.refund@^1.0", "refunds.pay-out");
        shelf.check(
            &bundle,
            expect![[r#"
            error[E0305]: there is no Tool `refunds.pay-out`, neither in tools/ nor in the catalog
              --> agent.yaml:15:12
               |
            15 |     - ref: refunds.pay-out
               |            ^^^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: tools/ holds pay.refund, the catalog no Tool

        "#]],
        );
    }

    #[test]
    fn nobody_could_be_asked() {
        let bundle = sample().edit("agent.yaml", "pay.refund@^1.0", "crm.notify@^1");
        let mut catalog = Catalog::default();
        catalog.set_unavailable("nothing answers at 127.0.0.1:7777");
        bundle.check_with(&catalog, expect![[r#"
            error[E0305]: there is no Tool `crm.notify`
              --> agent.yaml:15:12
               |
            15 |     - ref: crm.notify@^1
               |            ^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: tools/ holds pay.refund; the catalog could not be asked: nothing answers at 127.0.0.1:7777

        "#]]);
    }
}
