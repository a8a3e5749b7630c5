//! An overlay: what a deployment adds to a published version, for one runtime only. It is proven to
//! narrow by the rules that a binding is, and laid over the version's snapshot. Knows the version's
//! snapshot; not which runtime deploys it.

use std::collections::BTreeSet;
use std::rc::Rc;

use spec::Snapshot;
use spec::snapshot::{Standing, Tool};

use crate::attach;
use crate::bound;
use crate::catalog::{Catalog, Wanted};
use crate::diagnostic::{At, Diagnostic, Location, Sink};
use crate::diagnostics::{e0101, e0503, e0512};
use crate::document::policy::Policy;
use crate::document::tool::class;
use crate::document::{PolicyRef, binding_policies};
use crate::files::Files;
use crate::library::Library;
use crate::narrowing::{self, Contract, Side};
use crate::rules;
use crate::schema::{self, Role, Schema};
use crate::sources::Sources;
use crate::yaml::{Fields, Shape};

const OVERLAY: Shape = Shape {
    what: "an overlay",
    known: &["policies", "tools"],
    elsewhere: &[
        ("default_policies", "in an overlay the list is `policies`"),
        (
            "spec",
            "an overlay has no `spec`: write its fields at the top",
        ),
        (
            "kind",
            "an overlay is no document of the format; it has no kind and no metadata",
        ),
    ],
    unsupported: &[],
};

const NARROWED: Shape = Shape {
    what: "an overlay of a tool",
    known: &[
        "input_schema",
        "output_schema",
        "side_effect_class",
        "policies",
    ],
    elsewhere: &[
        ("as", "the name that the model sees is the published one"),
        ("ref", "a deployment keeps the pinned contract"),
        (
            "available_when",
            "the contract says when a tool is available",
        ),
    ],
    unsupported: &[],
};

/// What became of an overlay.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlaid {
    /// The version with the overlay laid over it; there exactly when no diagnostic is an error.
    pub snapshot: Option<Snapshot>,
    /// Everything that was found.
    pub diagnostics: Vec<Diagnostic>,
    /// What the catalog was asked for and has not answered yet.
    pub wanted: Vec<Wanted>,
}

/// Lays the overlay in the file `path` over `snapshot`. Tools of the names in `unproven` are let
/// through where it cannot be told whether they only narrow.
#[must_use]
pub fn overlay(
    files: &dyn Files,
    catalog: &Catalog,
    path: &str,
    snapshot: &Snapshot,
    unproven: &BTreeSet<String>,
) -> Overlaid {
    let mut sink = Sink::default();
    let mut sources = Sources::with(files, catalog);
    let laid = lay(path, (snapshot, unproven), &mut sources, &mut sink);
    let sound = sink.errors() == 0;
    Overlaid {
        snapshot: laid.filter(|_| sound),
        diagnostics: sink.into_sorted(path),
        wanted: sources.lookups().wanted(),
    }
}

fn lay(
    path: &str,
    (published, unproven): (&Snapshot, &BTreeSet<String>),
    sources: &mut Sources<'_>,
    sink: &mut Sink,
) -> Option<Snapshot> {
    let whole = Location::top(&Rc::from(path));
    let before = sink.errors();
    if sources.bytes(path, sink).is_none() {
        if sink.errors() == before {
            sink.push(e0101::no_manifest(&whole));
        }
        return None;
    }
    let document = sources.document(path, sink)?;
    let cursor = document.cursor();
    let fields = cursor.fields(&OVERLAY, sink)?;
    let mut library = Library::<Policy>::load(sources, sink);
    let everywhere = binding_policies(fields.get("policies"), sink);
    let tools = fields.get("tools").and_then(|it| it.entries(sink));
    let mut snapshot = published.clone();
    let mut named: Vec<(&Tool, Vec<PolicyRef>)> = Vec::new();
    for (name, narrowed) in tools.unwrap_or_default() {
        let Some(tool) = published.tool(&name.value) else {
            let known = published.tools.iter().map(|it| it.wire_name.as_str());
            let known: Vec<&str> = known.collect();
            sink.push(e0512::unknown_tool(&name.at, &name.value, &known));
            continue;
        };
        let Some(fields) = narrowed.fields(&NARROWED, sink) else {
            continue;
        };
        named.push((tool, binding_policies(fields.get("policies"), sink)));
        let mut over = Over {
            agent: published.agent.to_string(),
            tool,
            unproven: unproven.contains(&tool.wire_name),
            sources,
        };
        if let Some(laid) = over.narrowed(&fields, sink)
            && let Some(place) = snapshot
                .tools
                .iter_mut()
                .find(|it| it.wire_name == name.value)
        {
            *place = laid;
        }
    }
    let lists = (everywhere.as_slice(), named.as_slice());
    let attached = attach::attach_overlay(&published.tools, lists, &mut library, sources, sink);
    let rules = rules::overlay(&attached, &library, &mut snapshot, sink);
    bound::check_unproven(&whole, &snapshot.tools, unproven, sink);
    if sink.errors() == before {
        rules.judge(&snapshot, &library, sink);
    }
    if snapshot == *published && sink.errors() == before {
        sink.push(e0512::says_nothing(&cursor.at()));
    }
    Some(snapshot)
}

/// A published tool that an overlay says something of.
struct Over<'a, 's, 'f> {
    agent: String,
    tool: &'a Tool,
    unproven: bool,
    sources: &'s mut Sources<'f>,
}

impl Over<'_, '_, '_> {
    /// The tool with what the overlay says; `None` when something was refused and reported.
    fn narrowed(&mut self, fields: &Fields<'_>, sink: &mut Sink) -> Option<Tool> {
        let before = sink.errors();
        let mut laid = self.tool.clone();
        if let Some(stated) = self.stated(fields, "input_schema", Role::Overlay, sink) {
            let narrowed = self.prove((&self.tool.input_schema, Side::Input), &stated, sink)?;
            laid.input_schema = narrowed.schema;
            laid.input_standing = weaker(&self.tool.input_standing, narrowed.standing);
        }
        if let Some(stated) = self.stated(fields, "output_schema", Role::Output, sink) {
            let anything = spec::Json::Bool(true);
            let given = self.tool.output_schema.as_ref().unwrap_or(&anything);
            let narrowed = self.prove((given, Side::Output), &stated, sink)?;
            laid.output_schema = Some(narrowed.schema);
            laid.output_standing = weaker(&self.tool.output_standing, narrowed.standing);
        }
        if let Some(written) = fields.get("side_effect_class")
            && let Some(chosen) = class(&written, sink)
        {
            let published = self.tool.side_effect_class;
            if chosen < published {
                sink.push(e0503::widened(&written.at(), chosen, (published, None)));
            }
            laid.side_effect_class = chosen.max(published);
        }
        (sink.errors() == before).then_some(laid)
    }

    fn stated(
        &mut self,
        fields: &Fields<'_>,
        key: &str,
        role: Role,
        sink: &mut Sink,
    ) -> Option<At<Schema>> {
        let field = fields.get(key)?;
        let value = schema::read(&field, role, self.sources, sink)?;
        Some(At {
            value,
            at: field.key_at(),
        })
    }

    fn prove(
        &mut self,
        (schema, side): (&spec::Json, Side),
        stated: &At<Schema>,
        sink: &mut Sink,
    ) -> Option<narrowing::Narrowed> {
        let contract = Contract {
            schema,
            written: None,
            name: &self.agent,
            strict: self.tool.strict,
        };
        let overlay = narrowing::Overlay {
            schema: &stated.value,
            at: &stated.at,
            wire_name: &self.tool.wire_name,
            side,
            unproven: self.unproven,
        };
        narrowing::narrow(&contract, &overlay, self.sources, sink)
    }
}

/// How a schema stands to the contract when it is narrowed once more.
fn weaker(published: &Standing, laid: Standing) -> Standing {
    match (published, &laid) {
        (_, Standing::Same) | (Standing::Unproven { .. }, Standing::Proved) => published.clone(),
        (Standing::Same | Standing::Proved, Standing::Proved) | (_, Standing::Unproven { .. }) => {
            laid
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use spec::snapshot::{Origin, Standing};
    use spec::{Json, SideEffectClass, Snapshot};

    use super::{Overlaid, overlay};
    use crate::Catalog;
    use crate::tests::{Bundle, sample};

    const ASK: &str = "apiVersion: phrony.com/v1
kind: Policy
metadata: {name: ask, namespace: ops, version: 1.0.0}
spec:
  conditions: {field: amount, op: gte, value: 10}
  decision: {type: require_approval}
";

    fn laid_over(bundle: Bundle, text: &str) -> Overlaid {
        let snapshot = sample().compile().snapshot.unwrap();
        let files = bundle.file("overlay.yaml", text).files();
        let catalog = Catalog::default();
        overlay(
            &files,
            &catalog,
            "overlay.yaml",
            &snapshot,
            &BTreeSet::new(),
        )
    }

    fn laid(text: &str) -> Overlaid {
        laid_over(sample().file("policies/ask.yaml", ASK), text)
    }

    fn codes(overlaid: &Overlaid) -> Vec<String> {
        let found = overlaid.diagnostics.iter();
        found.map(|it| it.code.to_string()).collect()
    }

    fn sound(text: &str) -> Snapshot {
        let overlaid = laid(text);
        overlaid
            .snapshot
            .clone()
            .unwrap_or_else(|| panic!("{text}: {overlaid:?}"))
    }

    #[test]
    fn what_an_overlay_may_not_say() {
        for (text, expected) in [
            ("{}", vec!["E0512"]),
            ("tools: {refund: {}}", vec!["E0512"]),
            ("tools: {refunds: {}}", vec!["E0512"]),
            (
                "tools: {refund: {side_effect_class: read_only}}",
                vec!["E0503"],
            ),
            ("tools: {refund: {as: pay}}", vec!["E0206"]),
            (
                "tools: {refund: {input_schema: {inline: {type: objekt}}}}",
                vec!["E0401"],
            ),
            (
                "tools: {refund: {input_schema: {inline: {properties: {amount: {type: [number, string]}}}}}}",
                vec!["E0504"],
            ),
            (
                "tools: {refund: {input_schema: {inline: {properties: {order: {const: B}}}}}}",
                vec!["E0513"],
            ),
            ("policies: [pay.lost]", vec!["E0305"]),
            ("polices: []", vec!["E0201"]),
            ("[", vec!["E0103"]),
        ] {
            let overlaid = laid(text);
            assert_eq!(codes(&overlaid), expected, "{text}");
            assert_eq!(overlaid.snapshot, None, "{text}");
        }
        let snapshot = sample().compile().snapshot.unwrap();
        let nothing = (&Catalog::default(), &BTreeSet::new());
        let lost = overlay(
            &sample().files(),
            nothing.0,
            "lost.yaml",
            &snapshot,
            nothing.1,
        );
        assert_eq!(codes(&lost), ["E0101"]);
    }

    #[test]
    fn schemas_and_classes_are_laid_over_what_is_published() {
        let snapshot = sound(
            "tools:
  refund:
    side_effect_class: irreversible_action
    input_schema: {inline: {properties: {amount: {maximum: 50}}}}
",
        );
        let published = sample().compile().snapshot.unwrap();
        let (tool, before) = (&snapshot.tools[0], &published.tools[0]);
        assert_eq!(tool.side_effect_class, SideEffectClass::IrreversibleAction);
        assert_eq!(tool.input_standing, Standing::Proved);
        assert_eq!(tool.contract_schema, before.contract_schema);
        let amount = |schema: &Json| schema.get("properties").unwrap().get("amount").cloned();
        let expected = Json::parse(br#"{"type": "number", "maximum": 50}"#).unwrap();
        assert_eq!(amount(&tool.input_schema), Some(expected));
        assert_eq!(snapshot.policies, published.policies);
    }

    #[test]
    fn the_overlay_of_the_example_narrows_the_example() {
        let folder = "examples/refund-agent";
        let files = crate::tests::disk::below(folder).into_iter().map(|path| {
            let own = path.strip_prefix(folder).unwrap().trim_start_matches('/');
            (own.to_owned(), crate::tests::disk::text(&path))
        });
        let files: crate::MemoryFiles = files.collect();
        let published = crate::compile(&files, "agent.yaml").snapshot.unwrap();
        let nothing = (&Catalog::default(), &BTreeSet::new());
        let overlaid = overlay(&files, nothing.0, "overlay.yaml", &published, nothing.1);
        assert_eq!(codes(&overlaid), Vec::<String>::new());
        let laid = overlaid.snapshot.unwrap();
        let tool = laid.tool("issue_refund").unwrap();
        assert_eq!(tool.input_standing, Standing::Proved);
        assert_eq!(tool.side_effect_class, SideEffectClass::IrreversibleAction);
    }

    #[test]
    fn policies_are_added_and_none_is_replaced() {
        let published = sample().compile().snapshot.unwrap();
        for text in [
            "policies: [ops.ask]",
            "policies: [{ref: policies/ask}]",
            "tools: {refund: {policies: [ops.ask]}}",
        ] {
            let snapshot = sound(text);
            assert_eq!(snapshot.tools, published.tools);
            let ids: Vec<String> = snapshot
                .policies
                .iter()
                .map(|it| it.id.to_string())
                .collect();
            assert_eq!(ids, ["ops.ask@1.0.0", "pay.limit@1.0.0"], "{text}");
            let attachments = &snapshot.policies[0].attachments;
            assert_eq!(attachments.len(), 1);
            assert_eq!(attachments[0].origin, Origin::Overlay);
            assert_eq!(attachments[0].tools, ["refund"]);
        }
        // One that the version has already is attached once more.
        let snapshot = sound("policies: [pay.limit]");
        let origins: Vec<Origin> = snapshot.policies[0]
            .attachments
            .iter()
            .map(|it| it.origin)
            .collect();
        assert_eq!(origins, [Origin::Binding, Origin::Overlay]);
        // Under its name nothing else may come in.
        let laxer = sample().edit("policies/limit.yaml", "value: 1000", "value: 100000");
        let overlaid = laid_over(laxer, "policies: [pay.limit]");
        assert_eq!(codes(&overlaid), ["E0512"]);
    }
}
