//! Schemas that made providers refuse whole requests, and what is shown of them.

use expect_test::{Expect, expect};
use model::present::{ANTHROPIC, OPENAI, OPENAI_COMPATIBLE, PROFILES, Profile};
use serde_json::{Value, json};

use crate::support::{accepts_all, presented};

#[expect(clippy::needless_pass_by_value, reason = "as `expect!` gives it")]
fn check(profile: &Profile, schema: Value, expected: Expect) {
    let offered = presented(&schema, profile);
    let mut text = format!("{}\n", offered.schema.to_canonical());
    if !offered.description.is_empty() {
        text.push_str(&format!("{}\n", offered.description));
    }
    for note in &offered.notes {
        text.push_str(&format!("{}: {}\n", note.at, note.text));
    }
    expected.assert_eq(&text);
}

fn accept(schema: &Value, samples: &[Value]) {
    for profile in PROFILES {
        accepts_all(schema, samples, profile);
    }
}

#[test]
fn what_every_provider_takes_stays() {
    let schema = json!({
        "type": "object",
        "properties": {
            "order": {"type": "string", "description": "Its number.", "minLength": 3},
            "amount": {"type": "number", "minimum": 0, "maximum": 100},
            "currency": {"type": "string", "enum": ["EUR", "USD"], "default": "EUR"},
            "lines": {"type": "array", "items": {"type": "integer"}, "maxItems": 5},
            "at": {"type": "string", "format": "date-time"}
        },
        "required": ["order", "amount"],
        "additionalProperties": false
    });
    for profile in PROFILES {
        let offered = presented(&schema, profile);
        assert_eq!(
            crate::support::serde(&offered.schema),
            schema,
            "{}",
            profile.provider
        );
        assert_eq!((offered.notes.len(), offered.description.as_str()), (0, ""));
    }
}

#[test]
fn schemas_that_say_nothing() {
    for schema in [
        json!({"type": "object"}),
        json!({}),
        json!(true),
        json!({"properties": {}}),
        json!({"type": ["object"], "$schema": "http://json-schema.org/draft-07/schema#", "$id": "urn:x", "$comment": "x"}),
    ] {
        for profile in PROFILES {
            let offered = presented(&schema, profile);
            let text = offered.schema.to_canonical();
            assert_eq!(text, r#"{"properties":{},"type":"object"}"#, "{schema}");
            assert!(offered.notes.is_empty());
        }
    }
}

#[test]
fn alternatives_at_the_top() {
    let schema = json!({
        "anyOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}]
    });
    check(
        &ANTHROPIC,
        schema.clone(),
        expect![[r#"
            {"properties":{"a":{},"b":{}},"type":"object"}
            Also: the arguments fit one of: `a` | `b`.
            : alternatives at the top are shown as one object with the properties of all
        "#]],
    );
    accept(&schema, &[json!({"a": 1}), json!({"b": []})]);
}

#[test]
fn alternatives_with_a_common_part() {
    let schema = json!({
        "type": "object",
        "properties": {"order": {"type": "string"}, "id": {"type": "integer"}, "url": {"type": "string"}},
        "required": ["order"],
        "additionalProperties": false,
        "oneOf": [{"required": ["id"]}, {"required": ["url"], "properties": {"never": {}}}]
    });
    check(
        &OPENAI,
        schema.clone(),
        expect![[r#"
        {"additionalProperties":false,"properties":{"id":{"type":"integer"},"order":{"type":"string"},"url":{"type":"string"}},"required":["order"],"type":"object"}
        Also: the arguments fit one of: `id` | `url`.
        /oneOf: `oneOf` is shown as `anyOf`
        : alternatives at the top are shown as one object with the properties of all
    "#]],
    );
    accept(&schema, &[json!({"order": "x", "id": 1})]);
}

#[test]
fn closed_alternatives_told_apart_by_a_value() {
    let schema = json!({
        "type": "object",
        "oneOf": [
            {"properties": {"kind": {"const": "card"}, "number": {"type": "string"}}, "required": ["kind", "number"], "additionalProperties": false},
            {"properties": {"kind": {"const": "bank"}, "number": {"type": "integer"}, "iban": {"type": "string"}}, "required": ["kind", "iban"], "additionalProperties": false}
        ]
    });
    check(
        &ANTHROPIC,
        schema.clone(),
        expect![[r#"
        {"additionalProperties":false,"properties":{"iban":{"type":"string"},"kind":{"enum":["card","bank"]},"number":{"anyOf":[{"type":"string"},{"type":"integer"}]}},"required":["kind"],"type":"object"}
        Also: the arguments fit one of: `kind` = "card" and `number` | `kind` = "bank" and `iban`.
        /oneOf: `oneOf` is shown as `anyOf`
        : alternatives at the top are shown as one object with the properties of all
    "#]],
    );
    check(
        &OPENAI_COMPATIBLE,
        schema.clone(),
        expect![[r#"
        {"additionalProperties":false,"properties":{"iban":{"type":"string"},"kind":{"enum":["card","bank"],"type":"string"},"number":{"anyOf":[{"type":"string"},{"type":"integer"}]}},"required":["kind"],"type":"object"}
        Also: the arguments fit one of: `kind` = "card" and `number` | `kind` = "bank" and `iban`.
        /oneOf: `oneOf` is shown as `anyOf`
        /oneOf/0/properties/kind/const: `const` is shown as `enum`
        /oneOf/1/properties/kind/const: `const` is shown as `enum`
        : alternatives at the top are shown as one object with the properties of all
    "#]],
    );
    let samples = [
        json!({"kind": "card", "number": "4"}),
        json!({"kind": "bank", "iban": "DE", "number": 4}),
    ];
    accept(&schema, &samples);
}

/// An open alternative accepts any value for what another one lists.
#[test]
fn open_alternatives() {
    let schema = json!({
        "type": "object",
        "anyOf": [
            {"properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"properties": {"b": {"type": "integer"}}, "required": ["b"]}
        ]
    });
    check(
        &ANTHROPIC,
        schema.clone(),
        expect![[r#"
        {"properties":{"a":{"anyOf":[{"type":"string"},{"description":"anything, where an alternative does not say what this is"}]},"b":{"anyOf":[{"type":"integer"},{"description":"anything, where an alternative does not say what this is"}]}},"type":"object"}
        Also: the arguments fit one of: `a` | `b`.
        : alternatives at the top are shown as one object with the properties of all
    "#]],
    );
    accept(
        &schema,
        &[json!({"a": 1, "b": 1}), json!({"a": "x", "b": []})],
    );
}

/// One alternative that is open or does not require something is enough.
#[test]
fn alternatives_of_several_kinds() {
    let schema = json!({
        "type": "object",
        "anyOf": [
            {"properties": {"a": {"type": "string"}, "b": {}}, "required": ["a", "b"], "additionalProperties": false},
            {"properties": {"a": {"type": "string"}, "c": {}}, "required": ["a", "b", "c"]},
            {"properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false, "patternProperties": {"^x-": {}}}
        ]
    });
    check(
        &ANTHROPIC,
        schema.clone(),
        expect![[r#"
        {"properties":{"a":{"type":"string"},"b":{},"c":{}},"required":["a"],"type":"object"}
        Also: the arguments fit one of: `a` and `b` | `a` and `b` and `c` | `a`.
        : alternatives at the top are shown as one object with the properties of all
    "#]],
    );
    let samples = [
        json!({"a": "", "b": 1}),
        json!({"a": "", "b": 1, "c": 2, "d": 3}),
        json!({"a": "", "x-1": 1}),
    ];
    accept(&schema, &samples);
}

/// What is closed but for a pattern has room for properties of alternatives.
#[test]
fn alternatives_beside_a_pattern() {
    let schema = json!({
        "type": "object",
        "patternProperties": {"^x-": {}},
        "properties": {},
        "additionalProperties": false,
        "anyOf": [{"properties": {"x-1": {"type": "string"}}, "required": ["x-1"]}, {"required": ["x-2"]}]
    });
    check(
        &ANTHROPIC,
        schema.clone(),
        expect![[r#"
        {"additionalProperties":false,"patternProperties":{"^x-":{}},"properties":{"x-1":{"anyOf":[{"type":"string"},{"description":"anything, where an alternative does not say what this is"}]},"x-2":{}},"type":"object"}
        Also: the arguments fit one of: `x-1` | `x-2`.
        : alternatives at the top are shown as one object with the properties of all
    "#]],
    );
    accept(&schema, &[json!({"x-1": ""}), json!({"x-1": 1, "x-2": 2})]);
}

#[test]
fn parts_and_references_at_the_top() {
    let schema = json!({
        "$ref": "#/$defs/Base",
        "allOf": [{"type": "object", "properties": {"b": {"$ref": "#/$defs/Node"}}, "required": ["b"]}],
        "$defs": {
            "Base": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "description": "What all have."},
            "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}},
            "Unused": {"type": "string"}
        }
    });
    check(
        &ANTHROPIC,
        schema.clone(),
        expect![[r##"
        {"$defs":{"Node":{"properties":{"next":{"$ref":"#/$defs/Node"}},"type":"object"}},"description":"What all have.","properties":{"a":{"type":"string"},"b":{"$ref":"#/$defs/Node"}},"required":["a","b"],"type":"object"}
        : what is referred to or combined at the top is shown as one object
    "##]],
    );
    check(
        &OPENAI_COMPATIBLE,
        schema.clone(),
        expect![[r#"
        {"description":"What all have.","properties":{"a":{"type":"string"},"b":{"properties":{"next":{"type":"object"}},"type":"object"}},"required":["b","a"],"type":"object"}
        /$defs/Node/properties/next/$ref: a recursive reference is cut here
        /allOf: the parts of `allOf` are merged
    "#]],
    );
    accept(&schema, &[json!({"a": "", "b": {"next": {"next": {}}}})]);
}

#[test]
fn bounds_as_draft_04_writes_them() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-04/schema#",
        "type": "object",
        "properties": {"n": {"type": "number", "minimum": 0, "exclusiveMinimum": true}}
    });
    check(
        &ANTHROPIC,
        schema.clone(),
        expect![[r#"
        {"properties":{"n":{"exclusiveMinimum":0,"type":"number"}},"type":"object"}
        /properties/n/exclusiveMinimum: `exclusiveMinimum` is shown as a number
    "#]],
    );
    check(
        &OPENAI_COMPATIBLE,
        schema.clone(),
        expect![[r#"
        {"properties":{"n":{"description":"Also: exclusiveMinimum 0.","minimum":0,"type":"number"}},"type":"object"}
        /properties/n/exclusiveMinimum: `exclusiveMinimum` is shown as a number
        /properties/n/exclusiveMinimum: `exclusiveMinimum` is not shown
    "#]],
    );
    accept(&schema, &[json!({"n": 0.5})]);
}

/// A meta-schema does not look where its draft has no schemas, but references lead there.
#[test]
fn bounds_that_the_draft_does_not_know() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-04/schema#",
        "type": "object",
        "properties": {"n": {"$ref": "#/$defs/n"}},
        "$defs": {"n": {"type": "number", "maximum": 2, "exclusiveMaximum": 1}}
    });
    accept(&schema, &[json!({"n": 2})]);
}

/// Before 2019-09 nothing counts that stands beside a reference.
#[test]
fn beside_a_reference() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"n": {"$ref": "#/definitions/N", "maximum": 1, "description": "How many."}},
        "definitions": {"N": {"type": "integer"}}
    });
    check(
        &ANTHROPIC,
        schema.clone(),
        expect![[r##"
        {"$defs":{"N":{"type":"integer"}},"properties":{"n":{"$ref":"#/$defs/N","description":"How many."}},"type":"object"}
    "##]],
    );
    accept(&schema, &[json!({"n": 2})]);
}

/// A reference that is cut ends in its target's type, if that counts there.
#[test]
fn a_type_beside_a_reference_that_is_cut() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"m": {"$ref": "#/definitions/M"}},
        "definitions": {
            "M": {"$ref": "#/definitions/N", "type": "string"},
            "N": {"type": "object", "properties": {"m": {"$ref": "#/definitions/M"}}}
        }
    });
    accept(&schema, &[json!({"m": {"m": {"m": {}}}})]);
}

#[test]
fn patterns_that_not_everybody_reads() {
    let schema = json!({
        "type": "object",
        "properties": {
            "plain": {"type": "string", "pattern": "^[a-z]+$"},
            "flags": {"type": "string", "pattern": "(?i)^a"},
            "around": {"type": "string", "description": "A name.", "pattern": "^(?!admin)"}
        }
    });
    check(
        &ANTHROPIC,
        schema.clone(),
        expect![[r#"
        {"properties":{"around":{"description":"A name. Also: pattern \"^(?!admin)\".","type":"string"},"flags":{"description":"Also: pattern \"(?i)^a\".","type":"string"},"plain":{"pattern":"^[a-z]+$","type":"string"}},"type":"object"}
        /properties/around/pattern: `pattern` is not shown
        /properties/flags/pattern: `pattern` is not shown
    "#]],
    );
    check(
        &OPENAI_COMPATIBLE,
        schema,
        expect![[r#"
        {"properties":{"around":{"description":"A name. Also: pattern \"^(?!admin)\".","type":"string"},"flags":{"description":"Also: pattern \"(?i)^a\".","type":"string"},"plain":{"description":"Also: pattern \"^[a-z]+$\".","type":"string"}},"type":"object"}
        /properties/around/pattern: `pattern` is not shown
        /properties/flags/pattern: `pattern` is not shown
        /properties/plain/pattern: `pattern` is not shown
    "#]],
    );
}

#[test]
fn names_that_a_property_may_not_have() {
    let schema = json!({
        "type": "object",
        "properties": {"$filter": {"type": "string"}, "top": {"type": "integer"}},
        "required": ["$filter", "top"],
        "additionalProperties": false
    });
    check(
        &ANTHROPIC,
        schema.clone(),
        expect![[r#"
        {"properties":{"top":{"type":"integer"}},"required":["top"],"type":"object"}
        Also: property "$filter" {"type":"string"}; additionalProperties false; required ["$filter"].
        /properties: the property `$filter` is not shown
        /additionalProperties: `additionalProperties` is not shown
        /required: `required` is not shown
    "#]],
    );
    accept(&schema, &[json!({"$filter": "x", "top": 1})]);
}

#[test]
fn values_that_only_some_take() {
    let schema = json!({
        "type": "object",
        "properties": {
            "nullable": {"type": ["string", "null"], "enum": ["a", null], "description": "Or nothing."},
            "numbers": {"enum": [1, 2]},
            "constant": {"const": "x"},
            "flag": {"const": true},
            "empty": {"type": "string", "enum": ["", "asc"]},
            "map": {"type": "object", "additionalProperties": {"type": "string"}},
            "list": {"type": "array"},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}], "items": false},
            "never": false,
            "mail": {"type": "string", "format": "email"},
            "not": {"type": "string", "not": {"const": "x"}}
        },
        "required": ["flag", "missing"]
    });
    check(
        &ANTHROPIC,
        schema.clone(),
        expect![[r#"
        {"properties":{"constant":{"const":"x"},"empty":{"enum":["","asc"],"type":"string"},"flag":{"const":true},"list":{"type":"array"},"mail":{"format":"email","type":"string"},"map":{"additionalProperties":{"type":"string"},"type":"object"},"never":{"description":"Also: no value is accepted here."},"not":{"description":"Also: not {\"const\":\"x\"}.","type":"string"},"nullable":{"description":"Or nothing.","enum":["a",null],"type":["string","null"]},"numbers":{"enum":[1,2]},"pair":{"items":{"description":"Also: no value is accepted here."},"prefixItems":[{"type":"string"}],"type":"array"}},"required":["flag","missing"],"type":"object"}
        /properties/never: `false` is shown as a schema that accepts anything
        /properties/not/not: `not` is not shown
        /properties/pair/items: `false` is shown as a schema that accepts anything
    "#]],
    );
    check(
        &OPENAI_COMPATIBLE,
        schema.clone(),
        expect![[r#"
        {"description":"Also: required [\"missing\"].","properties":{"constant":{"enum":["x"],"type":"string"},"empty":{"description":"Also: one of [\"\",\"asc\"].","type":"string"},"flag":{"description":"Also: one of [true].","type":"boolean"},"list":{"items":{},"type":"array"},"mail":{"description":"Also: format \"email\".","type":"string"},"map":{"description":"Also: additionalProperties {\"type\":\"string\"}.","type":"object"},"never":{"description":"Also: no value is accepted here."},"not":{"description":"Also: not {\"const\":\"x\"}.","type":"string"},"nullable":{"anyOf":[{"enum":["a"],"type":"string"},{"type":"null"}],"description":"Or nothing."},"numbers":{"description":"Also: one of [1,2].","type":"integer"},"pair":{"description":"Also: prefixItems [{\"type\":\"string\"}]; items false.","items":{},"type":"array"}},"required":["flag"],"type":"object"}
        /properties/constant/const: `const` is shown as `enum`
        /properties/empty/enum: `enum` is not shown
        /properties/flag/const: `const` is not shown
        /properties/mail/format: `format` is not shown
        /properties/map/additionalProperties: `additionalProperties` is not shown
        /properties/never: `false` is shown as a schema that accepts anything
        /properties/not/not: `not` is not shown
        /properties/nullable/type: several types are shown as `anyOf`
        /properties/numbers/enum: `enum` is not shown
        /properties/pair/prefixItems: `prefixItems` is not shown
        /properties/pair/items: `items` is not shown
        : `required` is not shown for what is not among the properties: `missing`
    "#]],
    );
    let sample = json!({"nullable": null, "numbers": 2, "flag": true, "missing": 1, "empty": "",
        "map": {"a": "b"}, "list": [1], "pair": ["x"], "mail": "not-an-address", "not": "y"});
    accept(&schema, &[sample]);
}

#[test]
fn what_is_left_out_at_the_top_is_said() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {}},
        "enum": [{"a": 1}, {"a": 2}],
        "not": {"required": ["b"]},
        "if": {"required": ["a"]},
        "minProperties": 1
    });
    check(
        &ANTHROPIC,
        schema.clone(),
        expect![[r#"
        {"minProperties":1,"properties":{"a":{}},"type":"object"}
        Also: not {"required":["b"]}; if {"required":["a"]}; enum [{"a":1},{"a":2}].
        /not: `not` is not shown
        /if: `if` is not shown
        : `enum` at the top is not shown
    "#]],
    );
    check(
        &OPENAI_COMPATIBLE,
        schema.clone(),
        expect![[r#"
        {"properties":{"a":{}},"type":"object"}
        Also: one of [{"a":1},{"a":2}]; minProperties 1; not {"required":["b"]}; if {"required":["a"]}.
        /enum: `enum` is not shown
        /minProperties: `minProperties` is not shown
        /not: `not` is not shown
        /if: `if` is not shown
    "#]],
    );
    accept(&schema, &[json!({"a": 1})]);
}

#[test]
fn references_that_start_elsewhere_are_not_followed() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": {"$id": "urn:other", "$defs": {"x": {"type": "string"}}, "properties": {"b": {"$ref": "#/$defs/x"}}},
            "c": {"$ref": "#here"},
            "d": {"$anchor": "here", "type": "integer"}
        },
        "$defs": {"x": {"type": "integer"}}
    });
    check(
        &OPENAI_COMPATIBLE,
        schema.clone(),
        expect![[r#"
        {"properties":{"a":{"properties":{"b":{}}},"c":{},"d":{"type":"integer"}},"type":"object"}
        /properties/a/properties/b/$ref: this reference is not followed
        /properties/c/$ref: this reference is not followed
    "#]],
    );
    accept(&schema, &[json!({"a": {"b": "text"}, "c": 1})]);
}

/// `schema` within properties `a` of each other, `depth` deep.
fn nested(depth: usize, schema: Value) -> Value {
    (0..depth).fold(
        schema,
        |inner, _| json!({"type": "object", "properties": {"a": inner}, "required": ["a"]}),
    )
}

#[test]
fn depth_is_bounded() {
    for profile in PROFILES {
        let schema = nested(60, json!({"type": "string", "minLength": 2}));
        let offered = presented(&schema, profile);
        assert_eq!(offered.notes.len(), 1, "{:?}", offered.notes);
        assert_eq!(
            offered.notes[0].text,
            "what is nested this deep is not shown"
        );
    }
}

#[test]
fn size_is_bounded() {
    // Ten references in each of ten definitions: ten billion schemas when inlined.
    let mut defs = json!({"d0": {"type": "string"}});
    for index in 1..10 {
        let reference = json!({"$ref": format!("#/$defs/d{}", index - 1)});
        let names = (0..10).map(|it| (format!("p{it}"), reference.clone()));
        let properties = Value::Object(names.collect());
        defs[format!("d{index}")] = json!({"type": "object", "properties": properties});
    }
    let schema =
        json!({"type": "object", "properties": {"top": {"$ref": "#/$defs/d9"}}, "$defs": defs});
    accept(&schema, &[json!({"top": {"p1": {"p2": {}}}})]);
    let shown = presented(&schema, &OPENAI_COMPATIBLE);
    let note = &shown.notes[0];
    assert!(note.text.starts_with("the schema is larger"), "{note:?}");
    assert!(shown.schema.to_canonical().contains(r#""p9""#));

    // A list of values that is larger than the whole may be.
    let values: Vec<String> = (0..20_000).map(|it| format!("value-{it}")).collect();
    let schema = json!({"type": "object", "properties": {"v": {"enum": values}}});
    check(
        &ANTHROPIC,
        schema,
        expect![[r#"
            {"properties":{"v":{}},"type":"object"}
            : the schema is larger than the provider is shown; what is nested deep is left out
            /properties/v: what is nested this deep is not shown
        "#]],
    );
}

/// A long list of values that many places refer to is not copied to each of them first.
#[test]
fn copies_are_bounded() {
    let values: Vec<String> = (0..5_000).map(|it| format!("value-{it}")).collect();
    let properties = (0..1_000).map(|it| (format!("p{it}"), json!({"$ref": "#/$defs/v"})));
    let properties = Value::Object(properties.collect());
    let schema =
        json!({"type": "object", "properties": properties, "$defs": {"v": {"enum": values}}});
    accept(&schema, &[json!({"p0": "value-1"})]);
    let shown = presented(&schema, &OPENAI_COMPATIBLE);
    let shown = shown
        .schema
        .get("properties")
        .and_then(spec::Json::as_object);
    assert_eq!(shown.map(std::collections::BTreeMap::len), Some(1_000));
    let shown = presented(&schema, &ANTHROPIC);
    assert!(shown.schema.to_canonical().contains("value-4999"));
}

/// References round in circles at the top, by more than one way, come to an end.
#[test]
fn circles_at_the_top() {
    let circle = json!([{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#/$defs/x"}]);
    let schema = json!({
        "type": "object", "properties": {"a": {"type": "integer"}},
        "anyOf": circle, "allOf": circle, "$defs": {"x": {"anyOf": circle, "allOf": circle}}
    });
    check(
        &ANTHROPIC,
        schema.clone(),
        expect![[r#"
        {"properties":{"a":{"type":"integer"}},"type":"object"}
        : what is referred to or combined at the top is shown as one object
        : alternatives at the top are shown as one object with the properties of all
    "#]],
    );
    accept(&schema, &[]);
}

/// Alternatives within alternatives, fifty deep, are one list.
#[test]
fn alternatives_of_alternatives() {
    let mut defs = json!({"d0": {"properties": {"a": {"type": "string"}}}});
    for index in 1..50 {
        let open = json!({"properties": {format!("b{index}"): {"type": "integer"}}});
        let inner = json!({"$ref": format!("#/$defs/d{}", index - 1)});
        defs[format!("d{index}")] = json!({"anyOf": [inner, open]});
    }
    let schema = json!({"type": "object", "anyOf": [{"$ref": "#/$defs/d49"}], "$defs": defs});
    accept(&schema, &[json!({"a": 1, "b1": 2}), json!({"b48": "x"})]);
    let text = presented(&schema, &ANTHROPIC).schema.to_canonical();
    let nested = r#""a":{"anyOf":[{"type":"string"},{"description":"anything"#;
    assert!(text.contains(nested), "{text}");
}
