//! What a session's evidence says about what it stands on. Descriptive: nothing is decided by it.

use std::collections::BTreeMap;

use spec::snapshot::{Framework, Identity, Metadata, STUB_SCRIPT};
use spec::{Digest, Json, Snapshot};

use crate::availability::Decided;

/// The JSON object on record: the content hash, the agent's description, that of every tool and
/// policy that has one, and what became of each predicate. Empty members are left out.
pub(crate) fn evidence(snapshot: &Snapshot, hash: Digest, decided: &[Decided<'_>]) -> Json {
    let mut members = described(&snapshot.metadata);
    members.push(("content_hash", Json::from(hash.to_string())));
    // Nobody checks a worker against a list yet.
    members.push(("workers", Json::from("unattested")));
    let tools = snapshot
        .tools
        .iter()
        .map(|it| ("tool", &it.contract, &it.metadata));
    let policies = snapshot
        .policies
        .iter()
        .map(|it| ("policy", &it.id, &it.metadata));
    members.push(("tools", list(tools.filter_map(entry))));
    members.push(("policies", list(policies.filter_map(entry))));
    members.push(("availability", list(decided.iter().map(Decided::to_json))));
    object(members)
}

fn entry((kind, id, metadata): (&'static str, &Identity, &Metadata)) -> Option<Json> {
    let mut members = described(metadata);
    members.retain(|(_, value)| !is_empty(value));
    if members.is_empty() {
        return None;
    }
    members.push((kind, Json::from(id.to_string())));
    Some(object(members))
}

fn described(metadata: &Metadata) -> Vec<(&'static str, Json)> {
    let strings = |map: &BTreeMap<String, String>| {
        // The stub's script is the run's own input, not description.
        let kept = map.iter().filter(|(key, _)| *key != STUB_SCRIPT);
        Json::from_members(kept.map(|(key, value)| (key.clone(), Json::from(value.as_str()))))
    };
    let words = |words: &[String]| list(words.iter().map(|it| Json::from(it.as_str())));
    let pack = |(id, pack): (&String, &Framework)| {
        Json::from_members([
            ("id", Json::from(id.as_str())),
            ("validation", Json::from(pack.standing())),
            ("payload", pack.content.clone()),
        ])
    };
    let governance = &metadata.governance;
    let governance = object(vec![
        ("risk_tier", Json::from(governance.risk_tier.clone())),
        ("classifications", words(&governance.classifications)),
        (
            "authority_boundaries",
            words(&governance.authority_boundaries),
        ),
        ("frameworks", list(governance.frameworks.iter().map(pack))),
    ]);
    vec![
        ("owner", Json::from(metadata.owner.clone())),
        ("labels", strings(&metadata.labels)),
        ("annotations", strings(&metadata.annotations)),
        ("governance", governance),
    ]
}

fn list(elements: impl Iterator<Item = Json>) -> Json {
    Json::Array(elements.collect())
}

fn object(members: Vec<(&'static str, Json)>) -> Json {
    Json::from_members(members.into_iter().filter(|(_, value)| !is_empty(value)))
}

fn is_empty(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::String(text) => text.is_empty(),
        Json::Array(elements) => elements.is_empty(),
        Json::Object(members) => members.is_empty(),
        Json::Bool(_) | Json::Number(_) => false,
    }
}
