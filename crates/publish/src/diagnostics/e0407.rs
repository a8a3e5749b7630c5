//! A `format` that is only a note.
//!
//! The formats date, date-time, duration, email, hostname, idn-email, idn-hostname, ipv4, ipv6, iri,
//! iri-reference, json-pointer, regex, relative-json-pointer, time, uri, uri-reference, uri-template
//! and uuid are enforced, in every draft and on every call. Every other `format` says something to the reader and
//! constrains no value. Say with `pattern`, `minimum` or `enum` what must hold.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0407");

/// The most names that are listed.
const LISTED_MAX: usize = 10;

pub(crate) fn notes(at: &Location, names: &[&str]) -> Diagnostic {
    let shown: Vec<String> = names
        .iter()
        .take(LISTED_MAX)
        .map(|name| format!("`{name}`"))
        .collect();
    let more = match names.len().saturating_sub(LISTED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let shown = shown.join(", ");
    at.warning(
        CODE,
        format!("`format` is only a note here and is not enforced: {shown}{more}"),
    )
    .with_help("say with `pattern`, `minimum` or `enum` what must hold")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn once_a_schema() {
        let bundle = sample().edit(
            "schemas/refund.json",
            "{\"type\": \"number\"}",
            "{\"type\": \"number\", \"format\": \"money\"}, \"a\": {\"format\": \"money\"}, \"b\": {\"format\": \"int32\"}, \"c\": {\"format\": \"uuid\"}",
        );
        bundle.check(expect![[r#"
            warning[E0407]: `format` is only a note here and is not enforced: `int32`, `money`
             --> schemas/refund.json:5:44
              |
            5 |     "amount": {"type": "number", "format": "money"}, "a": {"format": "money"}, "b": {"format": "int32"}, "c": {"format": "uuid"},
              |                                            ^^^^^^^ properties.amount.format
              |
              = help: say with `pattern`, `minimum` or `enum` what must hold

        "#]]);
    }
}
