//! The same sources give the same bytes, on every machine and in every order.

use expect_test::expect;

use super::{Bundle, sample};
use crate::{Compiled, FileError, Files, MemoryFiles, Recorder, compile};

/// The example that users copy.
fn example() -> MemoryFiles {
    macro_rules! files {
        ($($path:literal)*) => {
            MemoryFiles::from([
                $(($path, &include_bytes!(concat!("../../../../examples/refund-agent/", $path))[..]),)*
            ])
        };
    }
    files! {
        "agent.yaml"
        "stub-script.json"
        "policies/refund-approval-boundary.yaml"
        "policies/refund-hard-limit.yaml"
        "schemas/issue-refund-input.json"
        "tools/issue-refund.yaml"
        "tools/look-up-order.yaml"
    }
}

fn hash(compiled: &Compiled) -> String {
    assert_eq!(compiled.diagnostics, []);
    let snapshot = compiled.snapshot.as_ref().unwrap();
    snapshot.to_canonical().unwrap().1.to_string()
}

#[test]
fn content_hash_of_the_example() {
    let compiled = compile(&example(), "agent.yaml");
    expect!["0d8cffb3b9059bc502bf06df3600e05ff2d8f8a6a229b1431c55a1d34befc77b"]
        .assert_eq(&hash(&compiled));
}

#[test]
fn the_example_survives_its_stored_form() {
    let snapshot = compile(&example(), "agent.yaml").snapshot.unwrap();
    let (bytes, _) = snapshot.to_canonical().unwrap();
    assert_eq!(spec::Snapshot::from_canonical(&bytes).unwrap(), snapshot);
}

#[test]
fn what_the_sample_becomes() {
    let snapshot = sample().compile().snapshot.unwrap();
    let (bytes, _) = snapshot.to_canonical().unwrap();
    let pretty: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    expect![[r#"
        {
          "agent": {
            "name": "clerk",
            "namespace": "shop",
            "version": "1.0.0"
          },
          "capabilities": [],
          "format": "ordain.dev/snapshot/v1",
          "instructions": "Be fair.",
          "limits": {
            "max_hitl_wait_minutes": null,
            "max_loop_iterations": null,
            "max_subagent_depth": null,
            "max_tokens_per_run": null,
            "max_tool_calls": null,
            "max_wall_clock_seconds": null
          },
          "mcp_servers": [],
          "metadata": {
            "annotations": {},
            "governance": {
              "authority_boundaries": [],
              "classifications": [],
              "frameworks": {},
              "risk_tier": null
            },
            "labels": {},
            "owner": null
          },
          "model": {
            "base_url": null,
            "name": "scripted",
            "parameters": {},
            "provider": "stub",
            "provider_options": {},
            "reasoning_effort": null,
            "secret": null
          },
          "output": {
            "format": "text",
            "on_invalid": "retry",
            "schema": null,
            "strict": false
          },
          "policies": [
            {
              "attachments": [
                {
                  "limits": false,
                  "origin": "binding",
                  "tools": [
                    "refund"
                  ]
                }
              ],
              "condition": {
                "leaf": {
                  "absent": null,
                  "case": "sensitive",
                  "field": "amount",
                  "op": "gt",
                  "value": 1000
                }
              },
              "decision": {
                "approvals_required": 1,
                "authority_ref": null,
                "comprehension_required": false,
                "kind": "deny",
                "on_reject": "return_to_agent",
                "reason": "Too much.",
                "runtime": {},
                "timeout": null
              },
              "description": null,
              "id": {
                "name": "limit",
                "namespace": "pay",
                "version": "1.0.0"
              },
              "metadata": {
                "annotations": {},
                "governance": {
                  "authority_boundaries": [],
                  "classifications": [],
                  "frameworks": {},
                  "risk_tier": null
                },
                "labels": {},
                "owner": null
              },
              "scope": null
            }
          ],
          "purpose": "Settle refunds.",
          "secrets": {},
          "session": "conversation",
          "tools": [
            {
              "available_when": [],
              "backend": "worker",
              "contract": {
                "name": "refund",
                "namespace": "pay",
                "version": "1.2.0"
              },
              "contract_output_schema": null,
              "contract_schema": {
                "additionalProperties": false,
                "properties": {
                  "amount": {
                    "type": "number"
                  },
                  "currency": {
                    "enum": [
                      "EUR",
                      "USD"
                    ]
                  },
                  "order": {
                    "pattern": "^A-[0-9]+$",
                    "type": "string"
                  }
                },
                "required": [
                  "order",
                  "amount"
                ],
                "type": "object"
              },
              "description": "Pay money back.",
              "input_schema": {
                "additionalProperties": false,
                "properties": {
                  "amount": {
                    "type": "number"
                  },
                  "currency": {
                    "enum": [
                      "EUR",
                      "USD"
                    ]
                  },
                  "order": {
                    "pattern": "^A-[0-9]+$",
                    "type": "string"
                  }
                },
                "required": [
                  "order",
                  "amount"
                ],
                "type": "object"
              },
              "input_standing": "same",
              "metadata": {
                "annotations": {},
                "governance": {
                  "authority_boundaries": [],
                  "classifications": [],
                  "frameworks": {},
                  "risk_tier": null
                },
                "labels": {},
                "owner": null
              },
              "on_failure": "return_to_agent",
              "output_schema": null,
              "output_standing": "same",
              "probe": null,
              "side_effect_class": "non_idempotent_write",
              "strict": false,
              "terminal": false,
              "wire_name": "refund"
            }
          ]
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&pretty).unwrap());
}

/// Lists folders backwards.
struct Backwards(MemoryFiles);

impl Files for Backwards {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, FileError> {
        self.0.read(path)
    }

    fn list(&self, dir: &str) -> Result<Vec<String>, FileError> {
        let mut names = self.0.list(dir)?;
        names.reverse();
        Ok(names)
    }
}

#[test]
fn neither_order_nor_names_of_files_matter() {
    let expected = hash(&compile(&example(), "agent.yaml"));
    assert_eq!(
        hash(&compile(&Backwards(example()), "agent.yaml")),
        expected
    );
    let renamed = [
        ("tools/issue-refund.yaml", "tools/z.yml"),
        ("tools/look-up-order.yaml", "tools/a.yaml"),
        ("policies/refund-hard-limit.yaml", "policies/0.yaml"),
        ("policies/refund-approval-boundary.yaml", "policies/1.yml"),
    ];
    let files = example();
    let recorder = Recorder::new(&files);
    let direct = compile(&recorder, "agent.yaml");
    let mut sources = recorder.into_sources();
    for (from, to) in renamed {
        let bytes = sources.remove(from).unwrap();
        sources.insert(to.to_owned(), bytes);
    }
    assert_eq!(hash(&direct), expected);
    assert_eq!(
        hash(&compile(&MemoryFiles::from(sources), "agent.yaml")),
        expected
    );
}

#[test]
fn recorded_sources_are_all_that_is_needed() {
    let files = example();
    let recorder = Recorder::new(&files);
    let direct = compile(&recorder, "agent.yaml");
    let sources = recorder.into_sources();
    assert_eq!(sources.len(), 7);
    assert_eq!(compile(&MemoryFiles::from(sources), "agent.yaml"), direct);
}

#[test]
fn every_change_of_meaning_changes_the_hash() {
    let of = |bundle: super::bundle::Bundle| hash(&bundle.compile());
    let before = of(sample());
    let spacing = sample().edit(
        "policies/limit.yaml",
        "value: 1000",
        "value:   1000.0   # limit",
    );
    assert_eq!(of(spacing), before);
    for bundle in [
        sample().edit("policies/limit.yaml", "value: 1000", "value: 1000.01"),
        sample().edit("agent.yaml", "Be fair.", "Be fair!"),
        sample().edit("tools/refund.yaml", "version: 1.2.0", "version: 1.2.1"),
        sample().edit(
            "schemas/refund.json",
            "\"EUR\", \"USD\"",
            "\"USD\", \"EUR\"",
        ),
    ] {
        assert_ne!(of(bundle), before);
    }
}

/// An agent that says nearly everything that there is to say.
fn rich() -> Bundle {
    sample()
        .edit(
            "agent.yaml",
            "  version: 1.0.0\n",
            "  version: 1.0.0
  owner: Shop
  labels: {tier: gold}
  annotations: {note: hello}
  governance:
    risk_tier: high
    classifications: [pay.money]
    authority_boundaries: [shop.authority]
    frameworks: {eu-ai-act/v1: {role: deployer}, house/v1: {x: [1]}}
",
        )
        .edit(
            "agent.yaml",
            "  tools:\n",
            "  capabilities: [money]
  session: single_turn
  limits: {max_tool_calls: 5, max_wall_clock_seconds: 60, max_subagent_depth: 2}
  default_policies: [pay.ask]
  mcp_servers:
    - name: search
      url: https://mcp.example.com/mcp
      auth: {scheme: header, header: X-Key, secret: key}
      on_drift: warn
  tools:
    - ref: web.find
      side_effect_class: read_only
      description: Find.
      input_schema: {inline: {type: object, properties: {q: {type: string}}}}
      mcp: {server: search}
",
        )
        .append(
            "agent.yaml",
            "output:
  format: json
  schema: {inline: {type: object}}
  on_invalid: fail
secrets: {key: {fromEnv: KEY}}
",
        )
        .edit(
            "tools/refund.yaml",
            "  version: 1.2.0\n",
            "  version: 1.2.0\n  governance: {authority_boundaries: [pay.undefined]}\n",
        )
        .append(
            "tools/refund.yaml",
            "  available_when:
    - agent.capability: money
    - session.input.tier: [gold, 2, true]
    - runtime.env.REGION: eu
  on_failure: escalate
  terminal: true
  output_schema: {inline: {type: object}}
  probe: {tool: pay.look@1.0.0, args: {order: args.order, call: call_id, limit: 3}}
",
        )
        .file(
            "tools/look.yaml",
            "apiVersion: phrony.com/v1
kind: Tool
metadata: {name: look, namespace: pay, version: 1.0.0}
spec:
  description: Look.
  input_schema: {inline: {type: object, properties: {order: {type: string}}}}
",
        )
        .file(
            "policies/ask.yaml",
            "apiVersion: phrony.com/v1
kind: Policy
metadata: {name: ask, namespace: pay, version: 2.0.0}
spec:
  scope: tool:pay.*
  conditions:
    all:
      - {field: amount, op: gte, value: 12345678901234567890.5}
      - any: [{field: order, op: starts_with, value: a, case: insensitive, absent: skip}, {field: currency, op: exists}]
      - not: {field: ctx.session.calls, op: '<', value: 1}
  decision:
    type: require_approval
    authority_ref: shop.authority
    approvals_required: 2
    timeout: {after_minutes: 5, default: escalate}
    on_reject: fail
    comprehension_required: true
    reason: Much.
    runtime: {phrony.com/approver_role: boss}
",
        )
}

#[test]
fn the_manifest_of_a_version_can_be_published_again() {
    let compiled = rich().compile();
    let snapshot = compiled
        .snapshot
        .unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics));
    let shown = crate::manifest(&snapshot);
    let again = crate::compile_resolved(shown.to_canonical().as_bytes());
    let again = again
        .snapshot
        .unwrap_or_else(|| panic!("{:#?}", again.diagnostics));
    assert_eq!(again.tools.len(), snapshot.tools.len());
    for (again, tool) in again.tools.iter().zip(&snapshot.tools) {
        let mut tool = tool.clone();
        // What the manifest doesn't show of a contract.
        tool.metadata = spec::snapshot::Metadata::default();
        assert_eq!(*again, tool);
    }
    assert_eq!(again.limits, snapshot.limits);
    assert_eq!(again.output, snapshot.output);
    assert_eq!(again.metadata, snapshot.metadata);
    assert_eq!(crate::manifest(&again), shown);
    let boundary = |it: &&spec::snapshot::Policy| it.id.name == "undefined";
    assert!(again.policies.iter().any(|it| boundary(&it)));
}
