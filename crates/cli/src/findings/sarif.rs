//! SARIF 2.1.0, the form in which code scanning takes results. Knows the form; rules are the codes
//! that were found, in the words of `explain`.

use publish::{Code, Diagnostic, Severity};
use spec::Json;

use super::{Findings, Region};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A log with one run.
pub(super) fn log(findings: &Findings<'_>) -> Json {
    let mut codes: Vec<Code> = findings.diagnostics.iter().map(|it| it.code).collect();
    codes.sort();
    codes.dedup();
    let rules: Vec<_> = codes.iter().map(|it| rule(*it)).collect();
    let results = findings.diagnostics.iter();
    let results: Vec<_> = results.map(|it| result(findings, it, &codes)).collect();
    let driver = Json::from_members([
        ("name", Json::from("ordain")),
        ("semanticVersion", Json::from(env!("CARGO_PKG_VERSION"))),
        ("rules", Json::from(rules)),
    ]);
    let run = Json::from_members([
        ("tool", Json::from_members([("driver", driver)])),
        ("columnKind", Json::from("unicodeCodePoints")),
        ("results", Json::from(results)),
    ]);
    Json::from_members([
        ("$schema", Json::from(SCHEMA)),
        ("version", Json::from("2.1.0")),
        ("runs", Json::from(vec![run])),
    ])
}

fn rule(code: Code) -> Json {
    let text = publish::explain(code.as_str()).unwrap_or_default();
    let first = text.split("\n\n").next().unwrap_or_default();
    Json::from_members([
        ("id", Json::from(code.as_str())),
        ("shortDescription", message(&first.replace('\n', " "))),
        ("fullDescription", message(text.trim_end())),
        ("help", message(text.trim_end())),
    ])
}

fn result(findings: &Findings<'_>, diagnostic: &Diagnostic, codes: &[Code]) -> Json {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let text = match &diagnostic.help {
        Some(help) => format!("{}\nhelp: {help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    let index = codes.iter().position(|it| *it == diagnostic.code);
    let index = index.and_then(|it| u64::try_from(it).ok());
    let related: Vec<Json> = diagnostic
        .related
        .iter()
        .zip(1_u64..)
        .map(|(it, id)| {
            let region = it.span.map(|span| findings.region_of(&it.file, span));
            let mut members = place(findings, &it.file, region, &it.field);
            members.push(("id", Json::from(id)));
            members.push(("message", message(&it.message)));
            Json::from_members(members)
        })
        .collect();
    let related = (!related.is_empty()).then(|| ("relatedLocations", Json::from(related)));
    let members = [
        ("ruleId", Json::from(diagnostic.code.as_str())),
        ("ruleIndex", Json::from(index.unwrap_or(0))),
        ("level", Json::from(level)),
        ("message", message(&text)),
        (
            "locations",
            Json::from(vec![location(findings, diagnostic)]),
        ),
    ];
    Json::from_members(members.into_iter().chain(related))
}

fn message(text: &str) -> Json {
    Json::from_members([("text", Json::from(text))])
}

fn location(findings: &Findings<'_>, diagnostic: &Diagnostic) -> Json {
    let region = findings.region(diagnostic);
    Json::from_members(place(findings, &diagnostic.file, region, &diagnostic.field))
}

/// The members of a location.
fn place(
    findings: &Findings<'_>,
    file: &str,
    region: Option<Region>,
    field: &str,
) -> Vec<(&'static str, Json)> {
    let path = findings.path(file);
    let mut physical = vec![(
        "artifactLocation",
        Json::from_members([("uri", Json::from(uri(&path)))]),
    )];
    if let Some(region) = region {
        let region = Json::from_members([
            ("startLine", Json::from(region.line)),
            ("startColumn", Json::from(region.column)),
            ("endLine", Json::from(region.end_line)),
            ("endColumn", Json::from(region.end_column)),
        ]);
        physical.push(("region", region));
    }
    let mut members = vec![("physicalLocation", Json::from_members(physical))];
    if !field.is_empty() {
        let name = Json::from(field);
        let logical = Json::from_members([("fullyQualifiedName", name)]);
        members.push(("logicalLocations", Json::from(vec![logical])));
    }
    members
}

/// A path as a reference: from here, or, when it is absolute, from the root of the file system.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::uri;
    use crate::findings::tests::check;
    use crate::render::text;

    #[test]
    fn a_log_with_one_run() {
        let log = check(|it| text::pretty(&super::log(it)));
        expect![[r#"
            {
              "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
              "runs": [
                {
                  "columnKind": "unicodeCodePoints",
                  "results": [
                    {
                      "level": "warning",
                      "locations": [
                        {
                          "logicalLocations": [
                            {
                              "fullyQualifiedName": "metadata.version"
                            }
                          ],
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "agents/shop/agent.yaml"
                            },
                            "region": {
                              "endColumn": 57,
                              "endLine": 3,
                              "startColumn": 51,
                              "startLine": 3
                            }
                          }
                        }
                      ],
                      "message": {
                        "text": "`v1.0.0` is read as version 1.0.0\nhelp: write 1.0.0"
                      },
                      "ruleId": "E0211",
                      "ruleIndex": 3
                    },
                    {
                      "level": "error",
                      "locations": [
                        {
                          "logicalLocations": [
                            {
                              "fullyQualifiedName": "spec.session"
                            }
                          ],
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "agents/shop/agent.yaml"
                            },
                            "region": {
                              "endColumn": 44,
                              "endLine": 8,
                              "startColumn": 12,
                              "startLine": 8
                            }
                          }
                        }
                      ],
                      "message": {
                        "text": "unknown value `a,b: 100%\n::error::gone\u202e`\nhelp: one of conversation, single_turn"
                      },
                      "ruleId": "E0204",
                      "ruleIndex": 2
                    },
                    {
                      "level": "error",
                      "locations": [
                        {
                          "logicalLocations": [
                            {
                              "fullyQualifiedName": "spec.purpos"
                            }
                          ],
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "agents/shop/agent.yaml"
                            },
                            "region": {
                              "endColumn": 9,
                              "endLine": 9,
                              "startColumn": 3,
                              "startLine": 9
                            }
                          }
                        }
                      ],
                      "message": {
                        "text": "unknown field `purpos` in an Agent's spec\nhelp: did you mean `purpose`?"
                      },
                      "ruleId": "E0201",
                      "ruleIndex": 1
                    },
                    {
                      "level": "error",
                      "locations": [
                        {
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "agents/shop/tools/a%20b%25.yaml"
                            },
                            "region": {
                              "endColumn": 1,
                              "endLine": 1,
                              "startColumn": 1,
                              "startLine": 1
                            }
                          }
                        }
                      ],
                      "message": {
                        "text": "the file holds no document\nhelp: write one, or take the file away"
                      },
                      "ruleId": "E0106",
                      "ruleIndex": 0
                    }
                  ],
                  "tool": {
                    "driver": {
                      "name": "ordain",
                      "rules": [
                        {
                          "fullDescription": {
                            "text": "A file holds exactly one document.\n\nA second one after `---` would be easy to overlook; give it a file of its own. A file with\nnothing but comments holds none."
                          },
                          "help": {
                            "text": "A file holds exactly one document.\n\nA second one after `---` would be easy to overlook; give it a file of its own. A file with\nnothing but comments holds none."
                          },
                          "id": "E0106",
                          "shortDescription": {
                            "text": "A file holds exactly one document."
                          }
                        },
                        {
                          "fullDescription": {
                            "text": "A field that the format does not have.\n\nIt is an error and not passed over: a slip of the pen in `side_effect_class` must never quietly\nmean `read_only`. The open maps, where any key goes, are `labels`, `annotations`, `frameworks`,\n`decision.runtime`, `provider_options` and JSON Schemas."
                          },
                          "help": {
                            "text": "A field that the format does not have.\n\nIt is an error and not passed over: a slip of the pen in `side_effect_class` must never quietly\nmean `read_only`. The open maps, where any key goes, are `labels`, `annotations`, `frameworks`,\n`decision.runtime`, `provider_options` and JSON Schemas."
                          },
                          "id": "E0201",
                          "shortDescription": {
                            "text": "A field that the format does not have."
                          }
                        },
                        {
                          "fullDescription": {
                            "text": "A word that is not one of those allowed here.\n\nWords are written exactly as listed, in lower case where they are listed so."
                          },
                          "help": {
                            "text": "A word that is not one of those allowed here.\n\nWords are written exactly as listed, in lower case where they are listed so."
                          },
                          "id": "E0204",
                          "shortDescription": {
                            "text": "A word that is not one of those allowed here."
                          }
                        },
                        {
                          "fullDescription": {
                            "text": "A version written with something that is not part of it.\n\nA leading `v` is passed over, here and in references alike. Build metadata after `+` is passed\nover too: `1.0.0+a` and `1.0.0+b` are one version, and cannot both be published."
                          },
                          "help": {
                            "text": "A version written with something that is not part of it.\n\nA leading `v` is passed over, here and in references alike. Build metadata after `+` is passed\nover too: `1.0.0+a` and `1.0.0+b` are one version, and cannot both be published."
                          },
                          "id": "E0211",
                          "shortDescription": {
                            "text": "A version written with something that is not part of it."
                          }
                        }
                      ],
                      "semanticVersion": "0.1.0"
                    }
                  }
                }
              ],
              "version": "2.1.0"
            }"#]].assert_eq(&log);
    }

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("a b/ü%.yaml"), "a%20b/%C3%BC%25.yaml");
        assert_eq!(uri("/x/a:b"), "file:///x/a%3Ab");
    }
}
