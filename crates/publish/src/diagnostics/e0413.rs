//! A schema whose references make too many rules for one value, or that refers to itself for the
//! same value.
//!
//! All of them would be tried on every call. A schema may refer to itself for a part of the value (a
//! property, an element), as trees do.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0413");

pub(crate) fn circle(at: &Location) -> Diagnostic {
    at.error(
        CODE,
        "the schema refers to itself for the same value, which never ends",
    )
    .with_help("refer to it from a property or from `items`, or take the reference out")
}

pub(crate) fn many(at: &Location, in_place_max: u64) -> Diagnostic {
    at.error(
        CODE,
        format!("more than {in_place_max} schemas speak of one value here, by references"),
    )
    .with_help("refer to fewer schemas from this place")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn a_circle() {
        let bundle = sample().edit(
            "schemas/refund.json",
            "{\"type\": \"number\"}",
            "{\"anyOf\": [{\"type\": \"number\"}, {\"$ref\": \"#/properties/amount\"}]}",
        );
        bundle.check(expect![[r##"
            error[E0413]: the schema refers to itself for the same value, which never ends
             --> schemas/refund.json:5:5
              |
            5 |     "amount": {"anyOf": [{"type": "number"}, {"$ref": "#/properties/amount"}]},
              |     ^^^^^^^^ properties.amount
              |
              = help: refer to it from a property or from `items`, or take the reference out

        "##]]);
    }

    #[test]
    fn doubling() {
        let mut definitions = String::new();
        for number in 0_u32..20 {
            let next = format!("{{\"$ref\": \"#/$defs/d{}\"}}", number + 1);
            definitions.push_str(&format!("\"d{number}\": {{\"anyOf\": [{next}, {next}]}}, "));
        }
        let bundle = sample()
            .edit(
                "schemas/refund.json",
                "{\"type\": \"number\"}",
                "{\"$ref\": \"#/$defs/d0\"}",
            )
            .edit(
                "schemas/refund.json",
                "  \"required\"",
                &format!("  \"$defs\": {{{definitions}\"d20\": {{}}}},\n  \"required\""),
            );
        bundle.check(expect![[r##"
            error[E0413]: more than 5000 schemas speak of one value here, by references
             --> schemas/refund.json:8:616
              |
            8 | ...nyOf": [{"$ref": "#/$defs/d9"}, {"$ref": "#/$defs/d9"}]}, "d9": {"anyOf": [{"$ref": "#/$defs/d10"}, {"$ref": "#/$defs/d10"}]}, "d1...
              |                                                              ^^^^ $defs.d9
              |
              = help: refer to fewer schemas from this place

        "##]]);
    }
}
