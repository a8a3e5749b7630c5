//! Pairs of schemas made to break a checker or to keep it busy: not schemas at all, nested, large,
//! exponential, recursive. Knows nothing of what the answers are.

use std::collections::BTreeMap;

use fastrand::Rng;
use spec::Json;

const KEYWORDS: &[&str] = &[
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "items",
    "prefixItems",
    "additionalItems",
    "contains",
    "minContains",
    "maxContains",
    "uniqueItems",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "$ref",
    "$defs",
    "definitions",
    "$id",
    "id",
    "$anchor",
    "$schema",
    "$dynamicRef",
    "$dynamicAnchor",
    "$recursiveRef",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contentEncoding",
    "nullable",
    "default",
    "$vocabulary",
    "$comment",
];
const TEXTS: &[&str] = &[
    "",
    "a",
    "string",
    "object",
    "integer",
    "#",
    "#/$defs/a",
    "#/$defs/b",
    "#a",
    "#/",
    "%",
    "#/%zz",
    "#/properties/a/~2",
    "http://json-schema.org/draft-07/schema#",
    "urn:x",
    "(",
    "^a$",
    "[",
    "\\",
    "(?=a)b",
    "\u{1F600}\u{0}",
    "\u{202E}é",
    "uuid",
    "base64",
    "~1",
    "..",
    "^(?!a).*$",
    "\\p{L}+",
];
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "1e308",
    "-1e308",
    "1e-308",
    "1e999",
    "0.1",
    "1.5",
    "9007199254740993",
    "123456789012345678901234567890",
    "-0.0",
    "1e18",
    "18446744073709551616",
    "4294967296",
    "7e-30",
];
const PATTERNS: &[&str] = &[
    "^(a|a)*b$",
    "(x+x+)+y",
    "^(?:[01]*1[01]{14})$",
    "^[01]*1[01]{40}$",
    "(.*a){25}",
    "^a{0,3000}$",
    "^(?:[a-z]{1,63}\\.){1,120}$",
    "^\\p{L}{1,200}$",
    "^(?:(?:a?){40}a{40})$",
    "^.*a.{18}$",
    "^(?!.*b)a+$",
    "^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9]).{8,64}$",
    "(a)\\1",
    "\\bword\\b",
    "^[^\\x00-\\x1f]{1,500}$",
    "^(?:[0-9a-f]{2}:){31}[0-9a-f]{2}$",
];
/// Each makes a language of lengths that only agree far out.
const PRIMES: [usize; 6] = [11, 13, 17, 19, 23, 29];

/// Makes a pair.
type Make = fn(&mut Rng) -> (Json, Json);

/// The kinds of pairs that there are.
pub(crate) const KINDS: &[(&str, Make)] = &[
    ("anything", anything),
    ("nested", nested),
    ("numbers", numbers),
    ("lists", lists),
    ("unions", unions),
    ("exclusive", exclusive),
    ("patterns", patterns),
    ("lengths", lengths),
    ("chain", chain),
    ("recursive", recursive),
    ("arrays", arrays),
    ("objects", objects),
    ("names", names),
    ("unevaluated", unevaluated),
    ("conditions", conditions),
    ("large", large),
];

fn read(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap_or(Json::Null)
}

fn of<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::from_members(members)
}

fn pick(rng: &mut Rng, from: &[&'static str]) -> &'static str {
    from[rng.usize(..from.len())]
}

fn any(rng: &mut Rng, depth: u32) -> Json {
    match rng.u8(..if depth == 0 { 5 } else { 12 }) {
        0 => Json::Null,
        1 => Json::Bool(rng.bool()),
        2 => read(pick(rng, NUMBERS)),
        3 => Json::from(pick(rng, TEXTS)),
        4 => Json::from(pick(rng, PATTERNS)),
        5 | 6 => {
            let count = rng.usize(..5);
            Json::from((0..count).map(|_| any(rng, depth - 1)).collect::<Vec<_>>())
        }
        _ => {
            let count = rng.usize(1..6);
            let member = |rng: &mut Rng| {
                let key = if rng.u8(..6) == 0 {
                    pick(rng, TEXTS)
                } else {
                    pick(rng, KEYWORDS)
                };
                (key, any(rng, depth - 1))
            };
            let members: Vec<_> = (0..count).map(|_| member(rng)).collect();
            Json::from_members(members)
        }
    }
}

fn anything(rng: &mut Rng) -> (Json, Json) {
    let sub = any(rng, 6);
    let sup = if rng.u8(..3) == 0 {
        sub.clone()
    } else {
        any(rng, 6)
    };
    (sub, sup)
}

fn nested(rng: &mut Rng) -> (Json, Json) {
    let key = pick(
        rng,
        &[
            "not",
            "items",
            "allOf",
            "anyOf",
            "additionalProperties",
            "contains",
            "if",
        ],
    );
    let tower = |rng: &mut Rng| {
        let mut schema = of([("type", Json::from("object"))]);
        for _ in 0..rng.usize(10..120) {
            let inner = if key.ends_with("Of") {
                Json::from(vec![schema, of([("minLength", Json::from(1_u64))])])
            } else {
                schema
            };
            schema = of([(key, inner)]);
        }
        schema
    };
    (tower(rng), tower(rng))
}

fn numbers(rng: &mut Rng) -> (Json, Json) {
    let side = |rng: &mut Rng| {
        let mut members = BTreeMap::new();
        for _ in 0..rng.usize(1..6) {
            let key = pick(
                rng,
                &[
                    "minimum",
                    "maximum",
                    "exclusiveMinimum",
                    "multipleOf",
                    "enum",
                ],
            );
            let mut value = match rng.u8(..3) {
                0 => read(pick(rng, NUMBERS)),
                1 => Json::from(rng.u64(1..)),
                _ => read(&format!("{}.{}", rng.u32(..), rng.u32(1..))),
            };
            if key == "enum" {
                value = Json::from(vec![value]);
            }
            members.insert(key, value);
        }
        let parts =
            (0..rng.usize(..4)).map(|_| of([("multipleOf", Json::from(rng.u64(1..1 << 40)))]));
        let parts: Vec<Json> = parts.collect();
        members.insert("allOf", Json::from(parts));
        members.insert("type", Json::from("number"));
        Json::from_members(members)
    };
    let sub = side(rng);
    let mut avoided = vec![side(rng)];
    for _ in 0..rng.usize(..6) {
        avoided.push(of([("multipleOf", Json::from(rng.u64(1..1000)))]));
    }
    (sub, of([("anyOf", Json::from(avoided))]))
}

fn lists(rng: &mut Rng) -> (Json, Json) {
    let count = rng.u64(1..4_000);
    let kind = rng.u8(..4);
    let value = |it: u64| match kind {
        0 => Json::from(it),
        1 => Json::from(format!("value-{it}")),
        2 => of([("a", Json::from(it))]),
        _ => Json::from(vec![Json::from(it), Json::from(it % 7)]),
    };
    let all: Vec<Json> = (0..count).map(value).collect();
    let sub = of([("enum", Json::from(all.clone()))]);
    let sup = match rng.u8(..3) {
        0 => of([("enum", Json::from(all[..all.len() - 1].to_vec()))]),
        1 => of([(
            "anyOf",
            Json::from(
                all.iter()
                    .map(|it| of([("const", it.clone())]))
                    .collect::<Vec<_>>(),
            ),
        )]),
        _ => of([("not", of([("enum", Json::from(vec![value(count + 1)]))]))]),
    };
    if rng.bool() { (sub, sup) } else { (sup, sub) }
}

fn property(name: usize, of_it: Json) -> Json {
    of([(
        "properties",
        Json::from_members([(format!("p{name}"), of_it)]),
    )])
}

fn unions(rng: &mut Rng) -> (Json, Json) {
    let (width, depth) = (rng.usize(2..8), rng.usize(2..24));
    let side = |rng: &mut Rng| {
        let unions = (0..depth).map(|at| {
            let parts = (0..width).map(|it| {
                let name = if rng.bool() { at } else { it };
                let value = of([("const", Json::from(rng.u64(..4)))]);
                let mut part = property(name, value);
                if let Json::Object(members) = &mut part
                    && rng.bool()
                {
                    let names = vec![Json::from(format!("p{name}"))];
                    members.insert("required".to_owned(), Json::from(names));
                }
                part
            });
            let parts: Vec<Json> = parts.collect();
            of([("anyOf", Json::from(parts))])
        });
        let unions: Vec<Json> = unions.collect();
        of([
            ("type", Json::from("object")),
            ("allOf", Json::from(unions)),
        ])
    };
    (side(rng), side(rng))
}

fn exclusive(rng: &mut Rng) -> (Json, Json) {
    let side = |rng: &mut Rng| {
        let parts = (0..rng.usize(2..40)).map(|_| match rng.u8(..4) {
            0 => of([(
                "required",
                Json::from(vec![Json::from(format!("p{}", rng.u8(..9)))]),
            )]),
            1 => of([("minimum", Json::from(rng.u64(..50)))]),
            2 => of([("pattern", Json::from(format!("^{}", rng.u8(..9))))]),
            _ => property(
                rng.usize(..6),
                of([("multipleOf", Json::from(rng.u64(1..30)))]),
            ),
        });
        let parts: Vec<Json> = parts.collect();
        of([("oneOf", Json::from(parts))])
    };
    (side(rng), side(rng))
}

fn patterns(rng: &mut Rng) -> (Json, Json) {
    let side = |rng: &mut Rng, most: usize| {
        let parts =
            (0..rng.usize(1..most)).map(|_| of([("pattern", Json::from(pick(rng, PATTERNS)))]));
        let parts: Vec<Json> = parts.collect();
        let key = pick(rng, &["allOf", "anyOf"]);
        of([("type", Json::from("string")), (key, Json::from(parts))])
    };
    (side(rng, 5), side(rng, 4))
}

fn lengths(rng: &mut Rng) -> (Json, Json) {
    let count = rng.usize(2..PRIMES.len());
    let all = PRIMES[..count]
        .iter()
        .map(|it| of([("pattern", Json::from(format!("^(?:a{{{it}}})*$")))]));
    let mut all: Vec<Json> = all.collect();
    all.push(of([("minLength", Json::from(rng.u64(1..5_000)))]));
    let sup = of([("maxLength", Json::from(rng.u64(..9_000)))]);
    (
        of([("type", Json::from("string")), ("allOf", Json::from(all))]),
        sup,
    )
}

fn chain(rng: &mut Rng) -> (Json, Json) {
    let length = rng.usize(1..1_500);
    let closed = rng.u8(..4);
    let side = |rng: &mut Rng| {
        let link = |at: usize| {
            let next = if at + 1 < length { at + 1 } else { 0 };
            let next = of([("$ref", Json::from(format!("#/$defs/d{next}")))]);
            let last = at + 1 == length;
            let schema = match (last, closed) {
                (true, 0) => next,
                (true, 1) => of([("items", next)]),
                (true, _) => of([("type", Json::from("string"))]),
                (false, _) if at.is_multiple_of(3) && closed == 2 => {
                    of([("anyOf", Json::from(vec![next, Json::Null]))])
                }
                (false, _) => next,
            };
            (format!("d{at}"), schema)
        };
        let defs: Vec<_> = (0..length).map(link).collect();
        let start = format!("#/$defs/d{}", rng.usize(..length));
        of([
            ("$ref", Json::from(start)),
            ("$defs", Json::from_members(defs)),
        ])
    };
    (side(rng), side(rng))
}

fn recursive(rng: &mut Rng) -> (Json, Json) {
    let count = rng.usize(1..8);
    let side = |rng: &mut Rng| {
        let definition = |rng: &mut Rng| {
            let target = |rng: &mut Rng| {
                of([(
                    "$ref",
                    Json::from(format!("#/$defs/d{}", rng.usize(..count))),
                )])
            };
            let mut parts = Vec::new();
            for _ in 0..rng.usize(1..4) {
                let to = target(rng);
                parts.push(match rng.u8(..6) {
                    0 => of([("items", to), ("minItems", Json::from(rng.u64(..3)))]),
                    1 => of([
                        ("additionalProperties", to),
                        ("minProperties", Json::from(1_u64)),
                    ]),
                    2 => property(rng.usize(..2), to),
                    3 => of([("contains", to)]),
                    4 => of([("not", of([("items", of([("not", to)]))]))]),
                    _ => of([("type", Json::from(pick(rng, &["null", "array", "object"])))]),
                });
            }
            of([(pick(rng, &["anyOf", "oneOf", "allOf"]), Json::from(parts))])
        };
        let defs: Vec<_> = (0..count)
            .map(|at| (format!("d{at}"), definition(rng)))
            .collect();
        of([
            ("$ref", Json::from("#/$defs/d0")),
            ("$defs", Json::from_members(defs)),
        ])
    };
    (side(rng), side(rng))
}

fn arrays(rng: &mut Rng) -> (Json, Json) {
    let side = |rng: &mut Rng| {
        let values: Vec<Json> = (0..rng.u64(1..70)).map(Json::from).collect();
        let mut members = BTreeMap::from([
            ("type", Json::from("array")),
            ("items", of([("enum", Json::from(values))])),
            ("uniqueItems", Json::Bool(rng.bool())),
        ]);
        let limit = [3, 30, 70, 90, 100_000, u64::MAX][rng.usize(..6)];
        members.insert(
            pick(rng, &["minItems", "maxItems"]),
            Json::from(rng.u64(..=limit)),
        );
        let contained = (0..rng.u64(..6)).map(|_| {
            let low = rng.u64(..40);
            let range = of([
                ("minimum", Json::from(low)),
                ("maximum", Json::from(low + rng.u64(..9))),
            ]);
            of([
                ("contains", range),
                ("minContains", Json::from(rng.u64(..6))),
                ("maxContains", Json::from(rng.u64(..9))),
            ])
        });
        let contained: Vec<Json> = contained.collect();
        members.insert("allOf", Json::from(contained));
        Json::from_members(members)
    };
    (side(rng), side(rng))
}

fn objects(rng: &mut Rng) -> (Json, Json) {
    let side = |rng: &mut Rng| {
        let count = rng.usize(1..400);
        let properties = (0..count).map(|at| {
            let of_it = if rng.bool() {
                of([("type", Json::from("string"))])
            } else {
                Json::object()
            };
            (format!("p{at}"), of_it)
        });
        let properties: Vec<_> = properties.collect();
        let required: Vec<Json> = (0..rng.usize(..=count))
            .map(|at| Json::from(format!("p{at}")))
            .collect();
        of([
            ("type", Json::from("object")),
            ("properties", Json::from_members(properties)),
            ("required", Json::from(required)),
            ("minProperties", Json::from(rng.u64(..500))),
            ("additionalProperties", Json::Bool(rng.bool())),
        ])
    };
    (side(rng), side(rng))
}

fn names(rng: &mut Rng) -> (Json, Json) {
    let side = |rng: &mut Rng| {
        let patterned = (0..rng.usize(1..11)).map(|at| {
            let pattern = if rng.u8(..4) == 0 {
                pick(rng, PATTERNS).to_owned()
            } else {
                format!("[{at}a]")
            };
            (pattern, of([("minimum", Json::from(rng.u64(..9)))]))
        });
        let patterned: Vec<_> = patterned.collect();
        of([
            ("patternProperties", Json::from_members(patterned)),
            (
                "additionalProperties",
                of([("maximum", Json::from(rng.u64(..9)))]),
            ),
            ("minProperties", Json::from(rng.u64(..120))),
            (
                "propertyNames",
                of([("minLength", Json::from(rng.u64(..30)))]),
            ),
        ])
    };
    (side(rng), side(rng))
}

fn unevaluated(rng: &mut Rng) -> (Json, Json) {
    let side = |rng: &mut Rng| {
        let parts =
            (0..rng.usize(1..14)).map(|at| property(at, of([("type", Json::from("string"))])));
        let parts: Vec<Json> = parts.collect();
        of([
            (pick(rng, &["anyOf", "oneOf", "allOf"]), Json::from(parts)),
            ("unevaluatedProperties", Json::Bool(false)),
        ])
    };
    (side(rng), side(rng))
}

fn conditions(rng: &mut Rng) -> (Json, Json) {
    let side = |rng: &mut Rng| {
        let parts = (0..rng.usize(1..30)).map(|at| {
            let value = || of([("const", Json::from("x"))]);
            let names = vec![Json::from(format!("p{}", at + 1))];
            of([
                ("if", property(at, value())),
                ("then", of([("required", Json::from(names))])),
                ("else", property(rng.usize(..30), value())),
            ])
        });
        let parts: Vec<Json> = parts.collect();
        of([("allOf", Json::from(parts))])
    };
    (side(rng), side(rng))
}

fn large(rng: &mut Rng) -> (Json, Json) {
    let branches = rng.usize(2..160);
    let side = |rng: &mut Rng| {
        let branch = |rng: &mut Rng, at: usize| {
            let fields = (0..rng.usize(1..12)).map(|it| {
                let list = vec![Json::from(format!("{at}")), Json::from(rng.u64(..4))];
                (format!("f{it}"), of([("enum", Json::from(list))]))
            });
            let mut fields: Vec<_> = fields.collect();
            if rng.u8(..4) > 0 {
                fields.push(("kind".to_owned(), of([("const", Json::from(at as u64))])));
            }
            of([
                ("type", Json::from("object")),
                ("properties", Json::from_members(fields)),
                ("additionalProperties", Json::Bool(rng.bool())),
            ])
        };
        let parts: Vec<Json> = (0..branches).map(|at| branch(rng, at)).collect();
        let union = of([(pick(rng, &["anyOf", "oneOf"]), Json::from(parts))]);
        of([("properties", of([("one", union.clone()), ("two", union)]))])
    };
    (side(rng), side(rng))
}
