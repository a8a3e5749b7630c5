//! The form that other tools of the format publish: one Agent with everything inlined and its
//! policies compiled. It is taken apart into the documents that it came from and compiled like any
//! sources, so that nothing is believed because a client has checked it. Knows that form; not who
//! sends it.

use std::collections::{BTreeMap, BTreeSet};

use spec::snapshot::STUB_SCRIPT;
use spec::{DocumentKind, Json};

use crate::catalog::Catalog;
use crate::compile::{Compiled, compile_with};
use crate::files::MemoryFiles;

/// The name under which diagnostics speak of the manifest.
const MANIFEST: &str = "manifest.json";
/// Marks a manifest whose policies have been compiled.
const POLICIES_COMPILED: &str = "phrony.com/policies-compiled";

/// What an entry of `spec.tools` says that is the Tool's to say.
const CONTRACT: [&str; 8] = [
    "input_schema",
    "output_schema",
    "side_effect_class",
    "strict",
    "available_when",
    "on_failure",
    "probe",
    "terminal",
];
/// What of it a binding says too.
const OF_A_BINDING: [&str; 3] = ["input_schema", "output_schema", "side_effect_class"];
/// Where the documents of probing Tools are put.
const PROBES: &str = "tools/probe-";

type Members = BTreeMap<String, Json>;

/// Compiles a resolved manifest, JSON text, with nothing behind it.
#[must_use]
pub fn compile_resolved(manifest: &[u8]) -> Compiled {
    compile_resolved_with(&Catalog::default(), manifest)
}

/// Compiles a resolved manifest, JSON text, with what has been looked up in the catalog so far. Tools
/// should be looked up, required or not: of one that the catalog has in the same version the manifest
/// is only believed to bind it, and the contract and its policies are the catalog's. Policies should be
/// looked up only if they are required: those of a manifest have no versions of their own.
#[must_use]
pub fn compile_resolved_with(catalog: &Catalog, manifest: &[u8]) -> Compiled {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    match Json::parse(manifest) {
        Ok(Json::Object(agent)) => {
            let agent = take_apart(agent, catalog, &mut files);
            files.insert(MANIFEST.to_owned(), text(&agent));
        }
        // What is wrong with it is said where every document is read.
        Ok(_) | Err(_) => {
            files.insert(MANIFEST.to_owned(), manifest.to_vec());
        }
    }
    compile_with(&MemoryFiles::from_iter(files), catalog, MANIFEST)
}

fn text(json: &Json) -> Vec<u8> {
    json.to_canonical().into_bytes()
}

/// The version that the rules of a manifest get: they are no published versions of their own, and must
/// not be taken for one that the catalog has.
fn version_of_rules(agent: &str) -> String {
    let bare = agent.split('+').next().unwrap_or_default();
    let mark = if bare.contains('-') { '.' } else { '-' };
    format!("{bare}{mark}resolved")
}

/// Takes an object's member out, if it is an object.
fn take_object(from: &mut Members, key: &str) -> Option<Members> {
    match from.remove(key) {
        Some(Json::Object(members)) => Some(members),
        Some(other) => {
            from.insert(key.to_owned(), other);
            None
        }
        None => None,
    }
}

fn take_list(from: &mut Members, key: &str) -> Vec<Json> {
    match from.remove(key) {
        Some(Json::Array(elements)) => elements,
        Some(other) => {
            from.insert(key.to_owned(), other);
            Vec::new()
        }
        None => Vec::new(),
    }
}

fn take_apart(
    mut agent: Members,
    catalog: &Catalog,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Json {
    let mut metadata = take_object(&mut agent, "metadata").unwrap_or_default();
    let word = |key: &str| {
        metadata
            .get(key)
            .and_then(Json::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let (namespace, version) = (word("namespace"), word("version"));
    if let Some(mut annotations) = take_object(&mut metadata, "annotations") {
        annotations.remove(POLICIES_COMPILED);
        match annotations.remove(STUB_SCRIPT) {
            Some(Json::String(script)) => {
                files.insert("stub-script.json".to_owned(), script.into_bytes());
            }
            Some(other) => {
                annotations.insert(STUB_SCRIPT.to_owned(), other);
            }
            None => {}
        }
        if !annotations.is_empty() {
            metadata.insert("annotations".to_owned(), Json::Object(annotations));
        }
    }
    agent.insert("metadata".to_owned(), Json::Object(metadata));
    if let Some(mut spec) = take_object(&mut agent, "spec") {
        let entries = take_list(&mut spec, "tools");
        let bound: BTreeSet<String> = entries.iter().filter_map(bound_as).collect();
        let bindings: Vec<Json> = entries
            .into_iter()
            .enumerate()
            .map(|(index, entry)| match governed(entry, catalog) {
                Ok(binding) => binding,
                Err(entry) => binding(index, entry, (&bound, catalog), files),
            })
            .collect();
        if !bindings.is_empty() {
            spec.insert("tools".to_owned(), Json::Array(bindings));
        }
        let rules = take_list(&mut spec, "policies");
        let version = version_of_rules(&version);
        let mut named = BTreeSet::new();
        let mut attached = take_list(&mut spec, "default_policies");
        let mut left = Vec::new();
        for (index, rule) in rules.into_iter().enumerate() {
            let Json::Object(rule) = rule else {
                // No rule that can be read: it stays where it is, where it is refused.
                left.push(rule);
                continue;
            };
            let id = policy(index, rule, (&namespace, &version), &mut named, files);
            attached.push(Json::from(id));
        }
        if !left.is_empty() {
            spec.insert("policies".to_owned(), Json::Array(left));
        }
        if !attached.is_empty() {
            spec.insert("default_policies".to_owned(), Json::Array(attached));
        }
        agent.insert("spec".to_owned(), Json::Object(spec));
    }
    Json::Object(agent)
}

fn document(kind: &str, id: (&str, &str, &str), spec: Members) -> Json {
    let (namespace, name, version) = id;
    let metadata = [
        ("namespace", namespace),
        ("name", name),
        ("version", version),
    ]
    .map(|(key, value)| (key, Json::from(value)));
    Json::from_members([
        ("apiVersion", Json::from("phrony.com/v1")),
        ("kind", Json::from(kind)),
        ("metadata", Json::from_members(metadata)),
        ("spec", Json::Object(spec)),
    ])
}

/// Splits a logical id at its last dot.
fn split(id: &str) -> Option<(&str, &str)> {
    id.rsplit_once('.')
        .filter(|(namespace, name)| !namespace.is_empty() && !name.is_empty())
}

/// The contract that an entry pins.
fn bound_as(entry: &Json) -> Option<String> {
    let word = |key: &str| entry.get(key).and_then(Json::as_str);
    Some(format!("{}@{}", word("ref")?, word("version")?))
}

/// An entry of a Tool that the catalog has in this very version becomes a binding of that one: what
/// else the entry says of the contract is the catalog's to say. Any other entry is given back.
fn governed(entry: Json, catalog: &Catalog) -> Result<Json, Json> {
    let Json::Object(mut members) = entry else {
        return Err(entry);
    };
    let text_of = |key: &str| members.get(key).and_then(Json::as_str);
    let known = match (text_of("ref"), text_of("version")) {
        (Some(id), Some(version)) if catalog.has_version(DocumentKind::Tool, id, version) => {
            format!("{id}@={version}")
        }
        _ => return Err(Json::Object(members)),
    };
    members.remove("version");
    for key in CONTRACT.iter().filter(|it| !OF_A_BINDING.contains(it)) {
        members.remove(*key);
    }
    members.insert("ref".to_owned(), Json::from(known));
    Ok(Json::Object(members))
}

/// A tool entry becomes the Tool that it was resolved from, and a binding of exactly that version.
/// Entries that are no worker's stay as they are; what this version makes of them it says itself.
fn binding(
    index: usize,
    entry: Json,
    known: (&BTreeSet<String>, &Catalog),
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Json {
    let Json::Object(mut entry) = entry else {
        return entry;
    };
    if entry.contains_key("mcp") || entry.contains_key("agent") {
        // The word that stands for a contract without versions.
        if entry.get("version").and_then(Json::as_str) == Some("default") {
            entry.remove("version");
        }
        return Json::Object(entry);
    }
    let reference = entry
        .get("ref")
        .and_then(Json::as_str)
        .unwrap_or_default()
        .to_owned();
    let id = reference.split('@').next().unwrap_or_default();
    let version = entry
        .get("version")
        .and_then(Json::as_str)
        .unwrap_or_default()
        .to_owned();
    // A resolved entry names its version beside the reference; one that also constrains it is left
    // as it is, since nobody says which of the two is meant.
    let unclear = version.is_empty() || reference.contains('@');
    let (Some((namespace, name)), false) = (split(id), unclear) else {
        return Json::Object(entry);
    };
    entry.remove("version");
    let mut spec = Members::new();
    for key in CONTRACT {
        if let Some(value) = entry.remove(key) {
            spec.insert(key.to_owned(), value);
        }
    }
    if let Some(Json::Object(probe)) = spec.remove("probe") {
        let probe = probing(probe, known, files);
        spec.insert("probe".to_owned(), probe);
    }
    if let Some(description) = entry.get("description") {
        spec.insert("description".to_owned(), description.clone());
    }
    let tool = document("Tool", (namespace, name, &version), spec);
    files.insert(format!("tools/{index}.yaml"), text(&tool));
    entry.insert("ref".to_owned(), Json::from(format!("{id}@={version}")));
    Json::Object(entry)
}

/// A resolved probe carries the contract of the tool that looks: it becomes a Tool of its own, unless
/// the agent binds that tool too or the catalog has it.
fn probing(
    mut probe: Members,
    (bound, catalog): (&BTreeSet<String>, &Catalog),
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Json {
    let text_of = |probe: &Members, key: &str| {
        let text = probe.get(key).and_then(Json::as_str);
        text.unwrap_or_default().to_owned()
    };
    let (id, version) = (text_of(&probe, "tool"), text_of(&probe, "version"));
    let (Some((namespace, name)), false) = (split(&id), version.is_empty()) else {
        return Json::Object(probe);
    };
    probe.remove("version");
    let mut spec = Members::new();
    if let Some(schema) = probe.remove("input_schema") {
        spec.insert("input_schema".to_owned(), schema);
    }
    let pinned = format!("{id}@{version}");
    let governed = catalog.has_version(DocumentKind::Tool, &id, &version);
    if !governed && !bound.contains(&pinned) {
        let looks = document("Tool", (namespace, name, &version), spec);
        files.insert(format!("{PROBES}{pinned}.yaml"), text(&looks));
    }
    probe.insert("tool".to_owned(), Json::from(format!("{id}@={version}")));
    Json::Object(probe)
}

/// A compiled rule becomes a Policy document; its logical id.
fn policy(
    index: usize,
    mut rule: Members,
    (namespace, version): (&str, &str),
    named: &mut BTreeSet<String>,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> String {
    let written = match rule.remove("name") {
        Some(Json::String(name)) => name,
        Some(other) => {
            // Not a name: it goes where it is refused.
            rule.insert("name".to_owned(), other);
            format!("policy-{index}")
        }
        None => format!("policy-{index}"),
    };
    let (namespace, name) = split(&written).unwrap_or((namespace, &written));
    // One policy that reaches two tools stands there twice, with two scopes.
    let mut name = name.to_owned();
    if !named.insert(format!("{namespace}.{name}")) {
        name = format!("{name}-{index}");
        named.insert(format!("{namespace}.{name}"));
    }
    let mut spec = Members::new();
    let lists = rule.contains_key("allow");
    for key in ["description", "scope", "conditions", "allow"] {
        if let Some(value) = rule.remove(key) {
            spec.insert(key.to_owned(), value);
        }
    }
    // A list alone means `allow`. Anything else has to say what it does: a rule that guesses is
    // refused for lack of a type.
    let action = rule
        .remove("action")
        .or_else(|| lists.then(|| Json::from("allow")));
    if let Some(action) = action {
        // Said twice: it stays beside the other, where it is refused.
        if let Some(other) = rule.remove("type") {
            rule.insert("action".to_owned(), other);
        }
        rule.insert("type".to_owned(), action);
    }
    // Whatever else stands there belongs to the decision, or is said to be unknown in it.
    spec.insert("decision".to_owned(), Json::Object(rule));
    let id = format!("{namespace}.{name}");
    let policy = document("Policy", (namespace, &name, version), spec);
    files.insert(format!("policies/{index}.yaml"), text(&policy));
    id
}

#[cfg(test)]
mod tests {
    use spec::snapshot::{DecisionKind, Origin};

    use super::compile_resolved;

    const MANIFEST: &str = r#"{
      "apiVersion":"phrony.com/v1","kind":"Agent",
      "metadata":{"name":"a","namespace":"t","version":"1.0.0","annotations":{
        "phrony.com/policies-compiled":"true",
        "phrony.com/stub-script":"{\"turns\":[[{\"type\":\"text_delta\",\"text\":\"hi\"}]]}"}},
      "spec":{"purpose":"p","instructions":{"text":"i"},
        "model":{"provider":"stub","name":"s"},
        "tools":[{"ref":"t.pay","as":"pay","version":"1.2.0","description":"Pay.",
          "side_effect_class":"non_idempotent_write",
          "input_schema":{"inline":{"type":"object","properties":{"amount":{"type":"number"}},
            "required":["amount"],"additionalProperties":false}}}],
        "policies":[
          {"name":"limit","scope":"tool:t.pay","action":"require_approval","approvals_required":2,
           "conditions":{"field":"amount","op":"gt","value":9007199254740993},
           "timeout":{"after_minutes":5,"default":"deny"},"runtime":{"phrony.com/approver_role":"r"}},
          {"name":"other.limit","action":"deny","conditions":{"field":"amount","op":"lt","value":0}}]}}"#;

    fn told(manifest: &str) -> Vec<String> {
        let diagnostics = compile_resolved(manifest.as_bytes()).diagnostics;
        diagnostics
            .iter()
            .map(|it| format!("{} {}", it.code, it.message))
            .collect()
    }

    #[test]
    fn the_resolved_form_is_compiled_again() {
        let compiled = compile_resolved(MANIFEST.as_bytes());
        let snapshot = compiled
            .snapshot
            .unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
        assert_eq!(snapshot.agent.to_string(), "t.a@1.0.0");
        assert_eq!(snapshot.tools[0].contract.to_string(), "t.pay@1.2.0");
        assert_eq!(snapshot.tools[0].wire_name, "pay");
        assert!(
            snapshot
                .metadata
                .annotations
                .contains_key("phrony.com/stub-script")
        );
        let ids: Vec<String> = snapshot
            .policies
            .iter()
            .map(|it| it.id.to_string())
            .collect();
        assert_eq!(
            ids,
            ["other.limit@1.0.0-resolved", "t.limit@1.0.0-resolved"]
        );
        let ask = &snapshot.policies[1];
        assert_eq!(ask.decision.kind, DecisionKind::RequireApproval);
        assert_eq!(ask.decision.approvals_required, 2);
        assert_eq!(ask.attachments[0].origin, Origin::AgentDefault);
        assert_eq!(ask.attachments[0].tools, ["pay"]);
        let text = String::from_utf8(snapshot.to_canonical().unwrap().0).unwrap();
        assert!(text.contains("9007199254740993"));
    }

    #[test]
    fn what_a_client_says_is_not_believed() {
        assert!(!told("{").is_empty());
        assert!(!told("[]").is_empty());
        for (from, to) in [
            ("\"gt\"", "\"gtee\""),
            ("non_idempotent_write", "harmless"),
            ("\"1.2.0\"", "\"latest\""),
            ("\"action\":\"deny\"", "\"action\":\"denny\""),
            ("\"type\":\"object\",", "\"type\":\"objekt\","),
            ("\"purpose\":\"p\",", ""),
            ("\"policies\":[", "\"policies\":[\"t.limit\","),
            ("\"policies\":[", "\"policies\":[null,"),
            ("\"action\":\"deny\",", ""),
            (
                "\"action\":\"deny\"",
                "\"action\":\"allow\",\"type\":\"deny\"",
            ),
            ("\"name\":\"limit\"", "\"name\":7"),
            ("\"ref\":\"t.pay\"", "\"ref\":\"t.pay@^2\""),
            ("\"approvals_required\":2", "\"approvals_needed\":2"),
        ] {
            let manifest = MANIFEST.replacen(from, to, 1);
            assert_ne!(manifest, MANIFEST, "{from}");
            assert!(!told(&manifest).is_empty(), "{to}");
            assert!(
                compile_resolved(manifest.as_bytes()).snapshot.is_none(),
                "{to}"
            );
        }
    }
}
