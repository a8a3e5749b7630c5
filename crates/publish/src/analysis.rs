//! What the attached policies amount to together, told by asking which calls each of them applies
//! to: rules that never apply, that another always forestalls, that contradict or overlap. Knows
//! policies and schemas; not where they were written.
//!
//! Every finding is proven by containment of schemas; what cannot be decided is not said.

use std::collections::BTreeSet;

use policy::{Constant, Region, region};
use spec::snapshot::{DecisionKind, Identity, Policy, Tool};
use spec::{Json, Snapshot};
use subschema::{Answer, Options, contains};

use crate::diagnostic::clip;

/// The most questions to the engine about one snapshot.
const QUESTIONS_MAX: usize = 4_000;
/// The steps of one question: a rule is small, and so is what it is asked about.
const STEPS_MAX: u64 = 20_000;
/// The most characters of an example that are shown.
const EXAMPLE_CHARS_MAX: usize = 160;

/// One thing that the author of a policy should know.
pub(crate) struct Finding {
    pub(crate) policy: Identity,
    /// Where in the policy's spec.
    pub(crate) field: String,
    pub(crate) what: What,
}

/// What it is.
pub(crate) enum What {
    /// It applies to no call of these tools.
    Never { kind: DecisionKind, tools: String },
    /// Whatever it applies to is denied by another.
    Shadowed { by: Identity, tools: String },
    /// No call of the tool passes this allow-list and another.
    Disjoint { other: Identity, tool: String },
    /// The allow-list lets calls through that another policy asks a person about.
    Overlap {
        asks: Identity,
        tool: String,
        example: String,
    },
    /// The denial knows only one letter case of a text.
    LetterCase {
        value: Json,
        tool: String,
        example: String,
    },
    /// An argument never has the value that it is compared with.
    Impossible {
        constant: Constant,
        tools: String,
        /// The values that it may have, if the contract lists them.
        listed: Option<Vec<Json>>,
        /// Whether the comparison has no other value to hold for.
        alone: bool,
    },
}

/// Everything that can be told.
pub(crate) fn analyse(snapshot: &Snapshot) -> Vec<Finding> {
    let mut analysis = Analysis {
        questions: 0,
        findings: Vec::new(),
    };
    let reached: Vec<Reached<'_>> = snapshot
        .tools
        .iter()
        .map(|it| reach(it, snapshot))
        .collect();
    for policy in &snapshot.policies {
        analysis.alone(policy, &reached);
        analysis.beside(policy, &reached);
    }
    analysis.findings
}

/// A tool and the policies that reach its calls in their first round.
struct Reached<'a> {
    tool: &'a Tool,
    policies: Vec<(&'a Policy, Region)>,
}

fn reach<'a>(tool: &'a Tool, snapshot: &'a Snapshot) -> Reached<'a> {
    let reaches = |policy: &&Policy| {
        let mut attachments = policy.attachments.iter();
        attachments.any(|it| it.tools.contains(&tool.wire_name))
    };
    let policies = snapshot.policies.iter().filter(reaches);
    Reached {
        tool,
        policies: policies
            .filter_map(|it| Some((it, region(it, tool)?)))
            .collect(),
    }
}

impl Reached<'_> {
    fn region(&self, policy: &Policy) -> Option<&Region> {
        let mut all = self.policies.iter();
        all.find(|(it, _)| it.id == policy.id).map(|(_, it)| it)
    }
}

fn names(tools: &[&Tool]) -> String {
    let names: Vec<String> = tools
        .iter()
        .map(|it| format!("`{}`", it.wire_name))
        .collect();
    names.join(", ")
}

fn all_of(schemas: &[&Json]) -> Json {
    let schemas = schemas.iter().map(|it| (*it).clone()).collect();
    Json::from_members([("allOf", Json::Array(schemas))])
}

struct Analysis {
    questions: usize,
    findings: Vec<Finding>,
}

impl Analysis {
    fn ask(&mut self, sub: &Json, sup: &Json) -> Option<Answer> {
        self.questions = self.questions.saturating_add(1);
        let options = Options {
            steps_max: STEPS_MAX,
            ..Options::default()
        };
        (self.questions <= QUESTIONS_MAX).then(|| contains(sub, sup, &options))
    }

    /// Arguments that the schema takes and that are in all of the regions: an example, or that there
    /// are none; `None` if it cannot be told.
    fn meet(&mut self, schema: &Json, regions: &[&Json]) -> Option<Option<Json>> {
        let outside = Json::from_members([("not", all_of(regions))]);
        match self.ask(schema, &outside)? {
            Answer::Proved(_) => Some(None),
            Answer::Refuted(witness) => Some(Some(witness.value)),
            Answer::Undecided(_) => None,
        }
    }

    fn is_empty(&mut self, schema: &Json, regions: &[&Json]) -> bool {
        self.meet(schema, regions) == Some(None)
    }

    fn found(&mut self, policy: &Policy, field: &str, what: What) {
        self.findings.push(Finding {
            policy: policy.id.clone(),
            field: field.to_owned(),
            what,
        });
    }

    /// What a policy amounts to by itself.
    fn alone(&mut self, policy: &Policy, reached: &[Reached<'_>]) {
        let mut never = Vec::new();
        let mut regions = Vec::new();
        for it in reached {
            let Some(region) = it.region(policy) else {
                continue;
            };
            // A denial that a narrower binding leaves nothing to do is none too many.
            let schema = match policy.decision.kind {
                DecisionKind::Allow => &it.tool.input_schema,
                DecisionKind::Deny | DecisionKind::RequireApproval | DecisionKind::Escalate => {
                    &it.tool.contract_schema
                }
            };
            if self.is_empty(schema, &[&region.may]) {
                never.push(it.tool);
            }
            regions.push((it.tool, region));
        }
        let before = self.findings.len();
        self.constants(policy, &regions);
        let explained = self.findings.len() > before;
        // Of an allow-list every tool that it closes counts, of the others only that there is none.
        let kind = policy.decision.kind;
        let counts = kind == DecisionKind::Allow || never.len() == regions.len();
        if !never.is_empty() && counts && !explained && policy.condition.is_some() {
            let tools = names(&never);
            self.found(policy, "conditions", What::Never { kind, tools });
        }
    }

    fn constants(&mut self, policy: &Policy, regions: &[(&Tool, &Region)]) {
        let Some((_, first)) = regions.first() else {
            return;
        };
        let impossible: Vec<bool> = (0..first.constants.len())
            .map(|at| {
                regions.iter().all(|(tool, region)| {
                    let constant = region.constants.get(at);
                    constant.is_some_and(|it| self.is_empty(&tool.contract_schema, &[&it.equal]))
                })
            })
            .collect();
        for (at, constant) in first.constants.iter().enumerate() {
            let leaf = |it: &Constant| it.place.split(".value").next().map(str::to_owned);
            let same_leaf = |other: usize| {
                let other = first.constants.get(other);
                other.is_some_and(|it| leaf(it) == leaf(constant))
            };
            if impossible.get(at) == Some(&true) {
                let mut others = impossible.iter().enumerate();
                let alone = others.all(|(other, is)| !same_leaf(other) || *is);
                let tools: Vec<&Tool> = regions.iter().map(|it| it.0).collect();
                let what = What::Impossible {
                    constant: constant.clone(),
                    tools: names(&tools),
                    listed: tools.first().and_then(|it| listed(it, &constant.field)),
                    alone,
                };
                self.found(policy, &constant.place, what);
                continue;
            }
            if policy.decision.kind == DecisionKind::Deny && constant.holds {
                self.letter_case(policy, at, regions);
            }
        }
    }

    /// A text in other letter case that the tool takes and the denial does not know.
    fn letter_case(&mut self, policy: &Policy, at: usize, regions: &[(&Tool, &Region)]) {
        for (tool, region) in regions {
            let Some(constant) = region.constants.get(at) else {
                continue;
            };
            let Some(other_case) = &constant.other_case else {
                continue;
            };
            let missed = Json::from_members([("not", region.may.clone())]);
            if let Some(Some(example)) = self.meet(&tool.input_schema, &[other_case, &missed]) {
                let what = What::LetterCase {
                    value: constant.value.clone(),
                    tool: names(&[tool]),
                    example: shown(&example),
                };
                return self.found(policy, &constant.place, what);
            }
        }
    }

    /// What a policy amounts to beside the others.
    fn beside(&mut self, policy: &Policy, reached: &[Reached<'_>]) {
        self.shadowed(policy, reached);
        // An allow-list without conditions lists nothing that one could be mistaken about.
        if policy.decision.kind != DecisionKind::Allow || policy.condition.is_none() {
            return;
        }
        // Of each other policy it is told once, of the first tool that it is true of.
        let mut said = BTreeSet::new();
        for it in reached {
            let Some(own) = it.region(policy) else {
                continue;
            };
            for (other, region) in &it.policies {
                if other.id == policy.id || said.contains(&other.id) {
                    continue;
                }
                let what = match other.decision.kind {
                    // Of two allow-lists one says it.
                    DecisionKind::Allow if policy.id < other.id => {
                        self.disjoint(own, (other, region), it.tool)
                    }
                    DecisionKind::RequireApproval | DecisionKind::Escalate => {
                        self.overlap(own, (other, region), it.tool)
                    }
                    DecisionKind::Allow | DecisionKind::Deny => None,
                };
                if let Some(what) = what {
                    said.insert(&other.id);
                    self.found(policy, "", what);
                }
            }
        }
    }

    fn disjoint(&mut self, own: &Region, other: (&Policy, &Region), tool: &Tool) -> Option<What> {
        let either = [&own.may, &other.1.may];
        let schema = &tool.input_schema;
        let clash =
            self.is_empty(schema, &either) && !either.iter().any(|it| self.is_empty(schema, &[it]));
        clash.then(|| What::Disjoint {
            other: other.0.id.clone(),
            tool: names(&[tool]),
        })
    }

    fn overlap(&mut self, own: &Region, asks: (&Policy, &Region), tool: &Tool) -> Option<What> {
        let example = self.meet(&tool.input_schema, &[&own.must, &asks.1.must])??;
        Some(What::Overlap {
            asks: asks.0.id.clone(),
            tool: names(&[tool]),
            example: shown(&example),
        })
    }

    /// Whether of the arguments that the schema takes every one in the one region is in the other.
    fn covers(&mut self, schema: &Json, (one, other): (&Json, &Json)) -> bool {
        // The schema stays a document of its own, as its references and its draft are.
        let outside = Json::from_members([("not", one.clone())]);
        let either = Json::Array(vec![outside, other.clone()]);
        let wanted = Json::from_members([("anyOf", either)]);
        matches!(self.ask(schema, &wanted), Some(Answer::Proved(_)))
    }

    /// Whether on every tool some denial applies to all that the policy applies to.
    fn shadowed(&mut self, policy: &Policy, reached: &[Reached<'_>]) {
        let mut by = None;
        let mut tools = Vec::new();
        for it in reached {
            let Some(own) = it.region(policy) else {
                continue;
            };
            let schema = &it.tool.input_schema;
            let mut shadow = None;
            for (other, region) in &it.policies {
                let denies = other.decision.kind == DecisionKind::Deny && other.id != policy.id;
                if denies && self.covers(schema, (&own.may, &region.must)) {
                    shadow = Some((*other, region));
                    break;
                }
            }
            let Some((other, region)) = shadow else {
                return;
            };
            // Of two denials that are alike neither is the one too many; one that never applies is
            // told otherwise.
            let alike = policy.decision.kind == DecisionKind::Deny
                && self.covers(schema, (&region.may, &own.must))
                && policy.id < other.id;
            if alike || self.is_empty(schema, &[&own.may]) {
                return;
            }
            by = Some(other.id.clone());
            tools.push(it.tool);
        }
        if let Some(by) = by {
            let tools = names(&tools);
            self.found(policy, "", What::Shadowed { by, tools });
        }
    }
}

/// Arguments as an example, on one line.
fn shown(example: &Json) -> String {
    let mut text = example.to_canonical();
    clip(&mut text, EXAMPLE_CHARS_MAX);
    text
}

/// The values that the contract lists for an argument, where it does so plainly.
fn listed(tool: &Tool, field: &str) -> Option<Vec<Json>> {
    let mut schema = &tool.contract_schema;
    let path = field.strip_prefix("args.").unwrap_or(field);
    for name in path.split('.') {
        schema = schema.get("properties")?.get(name)?;
    }
    match (schema.get("enum"), schema.get("const")) {
        (Some(values), _) => values.as_array().map(<[Json]>::to_vec),
        (None, Some(value)) => Some(vec![value.clone()]),
        (None, None) => None,
    }
}
