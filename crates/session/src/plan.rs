//! The compiled snapshot: schemas, rules, limits. Built once, shared by every session of a
//! version.

use std::collections::BTreeMap;

use policy::RuleSet;
use spec::{Digest, Json, Snapshot, VersionId};
use validator::Validator;

/// A snapshot, ready to decide with.
pub struct Plan {
    /// The published version.
    pub version: VersionId,
    /// What publish froze.
    pub snapshot: Snapshot,
    /// Digest of the overlay of the deployment in force, which is in the snapshot already; none where
    /// the version runs as it was published.
    pub overlay: Option<Digest>,
    /// Its policies, compiled.
    pub rules: RuleSet,
    /// Bounds of the runtime.
    pub settings: Settings,
    checks: BTreeMap<String, Check>,
    output: Option<Validator>,
}

/// Bounds that the runtime sets, not the author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How long one call may take when the agent sets no wall clock, in milliseconds.
    pub call_ms_max: u64,
    /// How long a cancelled or overdue call may still answer, in milliseconds.
    pub cancel_grace_ms: u64,
    /// Dispatches of one call without a person, in all.
    pub attempts_max: u32,
    /// How long a call waits after its first failed dispatch and after later ones, in milliseconds,
    /// before it runs again.
    pub retry_ms: [u64; 2],
    /// Answers of one turn that are sent back since they break the output's contract.
    pub corrections_max: usize,
    /// Bytes of one call's arguments.
    pub args_bytes_max: usize,
    /// Calls in one turn.
    pub turn_calls_max: usize,
    /// Times that one question is passed on to another route.
    pub escalations_max: u32,
    /// Violations named in one answer to the model.
    pub violations_max: usize,
}

impl Settings {
    /// The bounds of a runtime that nobody configured.
    pub const STANDARD: Settings = Settings {
        call_ms_max: 60 * 60 * 1000,
        cancel_grace_ms: 5_000,
        attempts_max: 3,
        retry_ms: [1_000, 4_000],
        corrections_max: 3,
        // Clients receive 4 MiB a message; the rest is room for framing.
        args_bytes_max: 4 * 1024 * 1024 - 64 * 1024,
        turn_calls_max: 128,
        escalations_max: 5,
        violations_max: 20,
    };
}

/// What a call is checked by: the contract's schema and, where the binding says more, the binding's.
/// Both count whatever publish proved of them.
struct Check {
    input: Vec<Validator>,
    output: Vec<Validator>,
}

/// Why a snapshot cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A schema that the validator does not take.
    #[error("tool `{tool}`: its {which} schema does not compile: {message}")]
    Schema {
        /// Wire name.
        tool: String,
        /// Input or output.
        which: &'static str,
        /// The validator's words.
        message: String,
    },
    /// The output's schema, which the validator does not take.
    #[error("the output's schema does not compile: {0}")]
    Output(String),
    /// Rules that do not compile.
    #[error("the policies do not compile: {0}")]
    Rules(String),
}

impl Plan {
    /// Compiles `snapshot`.
    ///
    /// # Errors
    /// A schema or a rule that publish should have refused.
    pub fn compile(
        version: VersionId,
        snapshot: Snapshot,
        settings: Settings,
    ) -> Result<Self, PlanError> {
        let rules = RuleSet::compile(&snapshot).map_err(|errors| {
            let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
            PlanError::Rules(lines.join("; "))
        })?;
        let mut checks = BTreeMap::new();
        for tool in &snapshot.tools {
            let input = [Some(&tool.contract_schema), Some(&tool.input_schema)];
            let output = [
                tool.contract_output_schema.as_ref(),
                tool.output_schema.as_ref(),
            ];
            let check = Check {
                input: validators(&tool.wire_name, "input", input)?,
                output: validators(&tool.wire_name, "output", output)?,
            };
            checks.insert(tool.wire_name.clone(), check);
        }
        let output = match &snapshot.output.schema {
            Some(schema) => Some(output_validator(schema)?),
            None => None,
        };
        Ok(Self {
            version,
            snapshot,
            overlay: None,
            rules,
            settings,
            checks,
            output,
        })
    }

    /// The same, of a version that runs with this overlay laid over it.
    #[must_use]
    pub fn overlaid(self, overlay: Digest) -> Self {
        Self {
            overlay: Some(overlay),
            ..self
        }
    }

    /// What is wrong with `args` by the contract and by what the binding makes of it; empty when
    /// nothing is.
    #[must_use]
    pub fn input_violations(&self, wire_name: &str, args: &Json) -> Vec<String> {
        match self.checks.get(wire_name) {
            Some(check) => violations(&check.input, args, self.settings.violations_max),
            // A tool without a compiled check cannot exist; refusing is the safe answer.
            None => vec!["the tool has no compiled contract".to_owned()],
        }
    }

    /// What is wrong with `result` by the output schema; empty when nothing is or there is none.
    #[must_use]
    pub fn output_violations(&self, wire_name: &str, result: &Json) -> Vec<String> {
        match self.checks.get(wire_name) {
            Some(check) => violations(&check.output, result, self.settings.violations_max),
            None => Vec::new(),
        }
    }

    /// What is wrong with a final answer by the agent's own output schema; empty when nothing is
    /// or there is none.
    #[must_use]
    pub fn answer_violations(&self, answer: &Json) -> Vec<String> {
        let schema = self.output.as_slice();
        violations(schema, answer, self.settings.violations_max)
    }
}

fn output_validator(schema: &Json) -> Result<Validator, PlanError> {
    validator("", "output", schema).map_err(|error| match error {
        PlanError::Schema { message, .. } => PlanError::Output(message),
        error @ (PlanError::Output(_) | PlanError::Rules(_)) => error,
    })
}

fn validator(tool: &str, which: &'static str, schema: &Json) -> Result<Validator, PlanError> {
    Validator::compile(schema).map_err(|error| PlanError::Schema {
        tool: tool.to_owned(),
        which,
        message: error.to_string(),
    })
}

/// Of the schemas that are there and that differ, in their order.
fn validators<const N: usize>(
    tool: &str,
    which: &'static str,
    schemas: [Option<&Json>; N],
) -> Result<Vec<Validator>, PlanError> {
    let mut distinct: Vec<&Json> = schemas.into_iter().flatten().collect();
    distinct.dedup();
    distinct
        .into_iter()
        .map(|it| validator(tool, which, it))
        .collect()
}

/// What any of the schemas has against the value, each thing once.
fn violations(schemas: &[Validator], value: &Json, max: usize) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for schema in schemas {
        for found in schema.violations(value, max) {
            let found = found.to_string();
            if said.len() < max && !said.contains(&found) {
                said.push(found);
            }
        }
    }
    said
}
