//! Section 5: JSON Schemas.

use super::{check, input, rule, tool_with};
use crate::tests::{Bundle, sample};

/// The sample's schema in a file, beside another one.
fn file(schema: &str, path: &str, other: &str) -> Bundle {
    sample()
        .file("schemas/refund.json", schema)
        .file(path, other)
        .edit("agent.yaml", "      policies:\n        - pay.limit\n", "")
}

#[test]
fn drafts_and_references() {
    const D4: &str = "$schema: \"http://json-schema.org/draft-04/schema#\"";
    const D6: &str = "$schema: \"http://json-schema.org/draft-06/schema#\"";
    const D7: &str = "$schema: \"http://json-schema.org/draft-07/schema#\"";
    const D2019: &str = "$schema: \"https://json-schema.org/draft/2019-09/schema\"";
    const D2020: &str = "$schema: \"https://json-schema.org/draft/2020-12/schema\"";
    let with = |draft: &str, more: &str| {
        input(&format!(
            "{{{draft}, type: object, properties: {{a: {{{more}}}}}}}"
        ))
    };
    check([
        rule("drafts 4, 6, 7, 2019-09 and 2020-12, each by its own rules")
            .accepts(with(D4, "maximum: 5, exclusiveMaximum: true"))
            .accepts(with(D6, "exclusiveMaximum: 5, const: 1"))
            .accepts(with(D7, "if: {const: 1}, then: {}, items: [{}, {}]"))
            .accepts(with(D2019, "items: [{}], unevaluatedItems: false"))
            .accepts(with(D2020, "prefixItems: [{}]"))
            .refuses(with(D4, "maximum: 6, exclusiveMaximum: 5"), &["E0401"])
            .refuses(with(D6, "maximum: 5, exclusiveMaximum: true"), &["E0401"])
            .refuses(with(D7, "exclusiveMinimum: false"), &["E0401"])
            .refuses(with(D2020, "items: [{}]"), &["E0401"]),
        rule("without $schema it is 2020-12; another draft is not known")
            .accepts(input("{type: object, properties: {a: {prefixItems: [{}]}}}"))
            .refuses(input("{type: object, properties: {a: {items: [{}]}}}"), &["E0401"])
            .refuses(with("$schema: \"http://json-schema.org/draft-03/schema#\"", ""), &["E0401"])
            .refuses(with("$schema: https://example.com/mine", ""), &["E0401"])
            .refuses(with("$schema: 7", ""), &["E0401"]),
        rule("a schema is checked against its meta-schema, with the place in it")
            .accepts(input("{type: object, required: [a]}"))
            .refuses(input("{type: objekt}"), &["E0401"])
            .refuses(input("{type: object, required: a}"), &["E0401"])
            .refuses(input("{type: object, properties: {a: {required: true}}}"), &["E0401"])
            .refuses(input("{type: object, properties: {a: {minLength: -1}}}"), &["E0401"])
            .refuses(input("{type: object, properties: {a: {enum: x}}}"), &["E0401"])
            .refuses(input("{type: object, properties: [a]}"), &["E0401"])
            .refuses(input("{type: object, properties: {a: {pattern: \"(\"}}}"), &["E0404"])
            .refuses(tool_with("  output_schema: {inline: {type: [string, text]}}\n"), &["E0401"]),
        rule("references within the document lead somewhere")
            .accepts(input("{type: object, properties: {a: {$ref: \"#/$defs/b\"}}, $defs: {b: {type: string}}}"))
            .accepts(input("{type: object, properties: {a: {$ref: \"#\"}}}"))
            .accepts(input("{type: object, properties: {a: {$ref: \"#b\"}}, $defs: {x: {$anchor: b}}}"))
            .refuses(input("{type: object, properties: {a: {$ref: \"#/$defs/c\"}}, $defs: {b: {}}}"), &["E0403"])
            .refuses(input("{type: object, properties: {a: {$ref: \"#c\"}}}"), &["E0403"]),
        rule("references to files of the bundle are inlined")
            .accepts(file(r#"{"type": "object", "properties": {"a": {"$ref": "money.json"}}}"#, "schemas/money.json", r#"{"type": "number"}"#))
            .accepts(file(r#"{"type": "object", "properties": {"a": {"$ref": "../common/money.yaml#/$defs/m"}}}"#, "common/money.yaml", "$defs: {m: {type: number}}"))
            .refuses(file(r#"{"type": "object", "properties": {"a": {"$ref": "money"}}}"#, "schemas/money.json", "{}"), &["E0410"])
            .refuses(file(r#"{"type": "object", "properties": {"a": {"$ref": "../../money.json"}}}"#, "money.json", "{}"), &["E0410"])
            .refuses(file(r#"{"type": "object", "properties": {"a": {"$ref": "/schemas/money.json"}}}"#, "schemas/money.json", "{}"), &["E0410"])
            .refuses(file(r#"{"type": "object", "properties": {"a": {"$ref": "money.json#/x"}}}"#, "schemas/money.json", "{}"), &["E0403"])
            .refuses(file(r#"{"type": "object", "properties": {"a": {"$ref": "money.json"}}}"#, "schemas/money.json", r#"{"type": "coin"}"#), &["E0401"])
            .refuses(file(r#"{"type": "object", "properties": {"a": {"$ref": "money.yaml"}}}"#, "schemas/money.yaml", "type: &t number"), &["E0104"]),
        rule("nothing is fetched")
            .accepts(input("{$id: \"https://example.com/a\", type: object, properties: {a: {$ref: \"https://example.com/a#/$defs/b\"}}, $defs: {b: {}}}"))
            .refuses(input("{type: object, properties: {a: {$ref: \"https://example.com/money.json\"}}}"), &["E0403"])
            .refuses(input("{type: object, properties: {a: {$ref: \"//example.com/money.json\"}}}"), &["E0403"])
            .refuses(input("{type: object, properties: {a: {$ref: \"file:///etc/passwd\"}}}"), &["E0403"])
            .refuses(input("{type: object, properties: {a: {$ref: \"urn:x:y\"}}}"), &["E0403"]),
        rule("one draft holds for a schema and all its files")
            .accepts(file(r#"{"type": "object", "properties": {"a": {"$ref": "b.json"}}}"#, "schemas/b.json", r#"{"$schema": "https://json-schema.org/draft/2020-12/schema"}"#))
            .refuses(file(r#"{"type": "object", "properties": {"a": {"$ref": "b.json"}}}"#, "schemas/b.json", r#"{"$schema": "http://json-schema.org/draft-07/schema#"}"#), &["E0409"])
            .refuses(input("{type: object, properties: {a: {$schema: \"http://json-schema.org/draft-07/schema#\"}}}"), &["E0409"]),
        rule("what is passed over is warned of")
            .warns(input("{type: object, properties: {a: {format: colour}}}"), &["E0407"])
            .warns(input("{type: object, properties: {a: {maxLenght: 5}}}"), &["E0408"])
            .warns(input("{type: object, properties: {a: {type: string, nullable: true}}}"), &["E0408"])
            .accepts(input("{type: object, properties: {a: {format: uuid, x-mine: 5}}}"))
            .refuses(input("{type: object, properties: {a: {maxLength: \"5\"}}}"), &["E0401"]),
        rule("only plain references lead to files")
            .accepts(input("{type: object, $dynamicAnchor: a, properties: {a: {$dynamicRef: \"#a\"}}}"))
            .refuses(file(r##"{"type": "object", "$dynamicAnchor": "a", "properties": {"a": {"$ref": "b.json"}, "c": {"$dynamicRef": "#a"}}}"##, "schemas/b.json", "{}"), &["E0412"]),
        rule("a schema may be written in YAML, as strictly as a document")
            .accepts(input("\n      type: object\n      properties:\n        a:\n          enum: [NO, \"1\", 1, null]\n"))
            .refuses(input("{type: object, properties: {a: {enum: [010]}}}"), &["E0209"])
            .refuses(input("{type: object, properties: {a: {default: !x y}}}"), &["E0104"]),
    ]);
    let inlined = file(
        r#"{"type": "object", "properties": {"a": {"$ref": "money.json"}}}"#,
        "schemas/money.json",
        r#"{"type": "number"}"#,
    );
    let schema = inlined.compile().snapshot.unwrap().tools[0]
        .input_schema
        .to_canonical();
    assert!(schema.contains(r#""type":"number""#), "{schema}");
    assert!(
        schema.contains(r##""$ref":"#/$defs/schemas_money.json""##),
        "{schema}"
    );
}
