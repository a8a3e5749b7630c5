//! Finds the truth of a condition, without allocating. Knows nothing of verdicts or traces.

use spec::Json;
use spec::snapshot::Identity;

use crate::civil;
use crate::comparison::{Actual, Test};
use crate::field::{Count, Field, Text};
use crate::path::Step;
use crate::rule::{Each, Leaf, Probe, Tree};
use crate::ruleset::Context;
use crate::trigger::Trigger;
use crate::truth::Truth;

/// What a condition may ask about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) agent: &'a Identity,
    /// `None` in a limit round.
    pub(crate) tool: Option<ToolFacts<'a>>,
    pub(crate) trigger: Option<Trigger>,
    /// Which limit was reached, in a limit round.
    pub(crate) limit: Option<&'a str>,
    pub(crate) context: &'a Context<'a>,
}

/// The part of the facts that is about a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolFacts<'a> {
    pub(crate) logical_id: &'a str,
    pub(crate) wire_name: &'a str,
    pub(crate) side_effect_class: &'a str,
    pub(crate) args: &'a Json,
}

/// The truth of `tree`. `missing` says for each leaf what a missing field means.
pub(crate) fn truth(tree: &Tree, missing: &[Truth], facts: &Facts<'_>) -> Truth {
    match tree {
        Tree::All(children) => {
            let mut so_far = Truth::True;
            for child in children {
                so_far = so_far.and(truth(child, missing, facts));
                if so_far == Truth::False {
                    break;
                }
            }
            so_far
        }
        Tree::Any(children) => {
            let mut so_far = Truth::False;
            for child in children {
                so_far = so_far.or(truth(child, missing, facts));
                if so_far == Truth::True {
                    break;
                }
            }
            so_far
        }
        Tree::Not(child) => truth(child, missing, facts).not(),
        Tree::Leaf(leaf) => leaf_truth(leaf, missing_of(leaf, missing), facts),
    }
}

/// What a missing field means for `leaf`.
pub(crate) fn missing_of(leaf: &Leaf, missing: &[Truth]) -> Truth {
    // Every reach is built with a value for every leaf; without one nothing could be told.
    missing.get(leaf.ordinal).copied().unwrap_or(Truth::Unknown)
}

/// The truth of one comparison.
pub(crate) fn leaf_truth(leaf: &Leaf, missing: Truth, facts: &Facts<'_>) -> Truth {
    match &leaf.probe {
        // In the first round there is no trigger, and that is known.
        Probe::Trigger(wanted) => {
            Truth::from(facts.trigger.is_some_and(|trigger| wanted.has(trigger)))
        }
        Probe::Value { field, test, each } => match field {
            Field::Argument(steps) => match facts.tool {
                Some(tool) => at_path(tool.args, steps, *each, test, missing),
                None => missing,
            },
            Field::Input(steps) => {
                at_path(facts.context.session_input, steps, *each, test, missing)
            }
            Field::Text(field) => with_text(*field, facts, |text| {
                text.map_or(missing, |text| test.judge(Actual::Text(text)))
            }),
            Field::Count(count) => test.judge(Actual::Count(count_of(*count, facts.context))),
            // A trigger has a probe of its own.
            Field::Trigger => missing,
        },
    }
}

/// The truth of `test` for what lies at `steps` below `value`.
pub(crate) fn at_path(
    value: &Json,
    steps: &[Step],
    each: Each,
    test: &Test,
    missing: Truth,
) -> Truth {
    let Some((step, rest)) = steps.split_first() else {
        return test.judge(Actual::Json(value));
    };
    let below = match step {
        Step::Key(key) => value.get(key),
        Step::Index(index) => value.as_array().and_then(|elements| elements.get(*index)),
        Step::Each => {
            return value.as_array().map_or(missing, |elements| {
                over_elements(elements, each, |element| {
                    at_path(element, rest, each, test, missing)
                })
            });
        }
    };
    below.map_or(missing, |value| at_path(value, rest, each, test, missing))
}

/// Kleene's *or* or *and* over the elements; of none, false or true.
fn over_elements(elements: &[Json], each: Each, holds: impl Fn(&Json) -> Truth) -> Truth {
    match each {
        Each::Some => {
            let mut so_far = Truth::False;
            for element in elements {
                so_far = so_far.or(holds(element));
                if so_far == Truth::True {
                    break;
                }
            }
            so_far
        }
        Each::Every => {
            let mut so_far = Truth::True;
            for element in elements {
                so_far = so_far.and(holds(element));
                if so_far == Truth::False {
                    break;
                }
            }
            so_far
        }
    }
}

/// Hands `use_text` the word that the context has; `None` where it has none in this round.
pub(crate) fn with_text<R>(
    field: Text,
    facts: &Facts<'_>,
    use_text: impl FnOnce(Option<&str>) -> R,
) -> R {
    match field {
        Text::Tool => use_text(facts.tool.map(|tool| tool.logical_id)),
        Text::WireName => use_text(facts.tool.map(|tool| tool.wire_name)),
        Text::SideEffectClass => use_text(facts.tool.map(|tool| tool.side_effect_class)),
        Text::AgentNamespace => use_text(Some(&facts.agent.namespace)),
        Text::AgentName => use_text(Some(&facts.agent.name)),
        Text::AgentVersion => use_text(Some(&facts.agent.version)),
        Text::Weekday => use_text(Some(civil::weekday(facts.context.now))),
        Text::Date => use_text(Some(civil::date(facts.context.now).as_str())),
        Text::Limit => use_text(facts.limit),
    }
}

/// The number that the context has.
pub(crate) fn count_of(count: Count, context: &Context<'_>) -> u64 {
    match count {
        Count::Calls => u64::from(context.calls),
        Count::ToolCalls => u64::from(context.tool_calls),
        Count::Turn => u64::from(context.turn),
        Count::Depth => u64::from(context.depth),
        Count::Hour => civil::hour(context.now),
    }
}
