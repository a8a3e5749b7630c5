//! The same for programs. Knows the stable names; decides nothing.

use policy::RuleSet;
use spec::Json;
use spec::snapshot::{Backend, Tool};

use super::narrowing::Narrowing;
use super::{Subject, rules};

pub(super) fn to_json(subject: &Subject, set: &RuleSet, tools: &[&Tool]) -> Json {
    let snapshot = &subject.snapshot;
    let agent = &snapshot.agent;
    let items = tools.iter().map(|it| tool(it, subject, set));
    let mut members = vec![
        ("namespace", Json::from(agent.namespace.as_str())),
        ("name", Json::from(agent.name.as_str())),
        ("version", Json::from(agent.version.as_str())),
        ("limits", Json::word(&snapshot.limits)),
        ("items", Json::from(items.collect::<Vec<_>>())),
    ];
    members.extend(subject.version.members());
    if let Some((digest, is_laid)) = subject.overlay() {
        members.push(("overlay_digest", Json::from(digest)));
        members.push(("overlaid", Json::from(is_laid)));
    }
    Json::from_members(members)
}

fn tool(tool: &Tool, subject: &Subject, set: &RuleSet) -> Json {
    let published = subject.beneath(tool).unwrap_or(tool);
    let results = Narrowing::of_results(tool);
    let rules = rules::of(set, &subject.snapshot, tool);
    let rules: Vec<Json> = rules.iter().map(rules::Rule::to_json).collect();
    let predicates = tool.available_when.iter().map(|it| {
        Json::from_members([
            ("subject", Json::from(it.subject.to_string())),
            ("any_of", Json::from(it.any_of.clone())),
        ])
    });
    Json::from_members([
        ("tool", Json::from(tool.contract.logical_id())),
        ("version", Json::from(tool.contract.version.as_str())),
        ("wire_name", Json::from(tool.wire_name.as_str())),
        ("description", Json::from(tool.description.as_str())),
        (
            "side_effect_class",
            Json::from(tool.side_effect_class.as_str()),
        ),
        (
            "published_class",
            Json::from(published.side_effect_class.as_str()),
        ),
        ("served_by", served_by(tool)),
        ("available_when", Json::from(predicates.collect::<Vec<_>>())),
        ("on_failure", Json::word(&tool.on_failure)),
        ("may_rerun", Json::from(tool.side_effect_class.may_rerun())),
        ("probe", tool.probe.as_ref().map_or(Json::Null, Json::word)),
        ("terminal", Json::from(tool.terminal)),
        ("strict", Json::from(tool.strict)),
        ("contract_schema", tool.contract_schema.clone()),
        ("input_schema", tool.input_schema.clone()),
        (
            "contract_output_schema",
            Json::from(tool.contract_output_schema.clone()),
        ),
        ("output_schema", Json::from(tool.output_schema.clone())),
        ("narrowing", Narrowing::of_arguments(tool).to_json()),
        (
            "output_narrowing",
            results.map_or(Json::Null, |it| it.to_json()),
        ),
        ("rules", Json::from(rules)),
    ])
}

fn served_by(tool: &Tool) -> Json {
    match &tool.backend {
        Backend::Worker => Json::from_members([
            ("kind", Json::from("worker")),
            ("registers", Json::from(tool.contract.to_string())),
        ]),
        Backend::Mcp { server, tool } => Json::from_members([
            ("kind", Json::from("mcp")),
            ("server", Json::from(server.as_str())),
            ("tool", Json::from(tool.as_str())),
        ]),
        Backend::Agent(it) => Json::from_members([
            ("kind", Json::from("agent")),
            ("agent", Json::from(it.agent.as_str())),
            ("version", Json::from(it.version.as_deref())),
            ("result", Json::word(&it.result)),
        ]),
    }
}
