//! The scripted provider: one list of events for each completion of the session.
//!
//! `{"turns": [[{"type": "text_delta", "text": "…"}, {"type": "tool_call", "name": "…", "args": {}},
//! {"type": "delay", "ms": 5}, {"type": "completed", "stop_reason": "tool_use"}]]}`. Arguments that are
//! a string are sent as they are, so that a script can send what is not JSON.

use spec::{Json, JsonError};

use crate::{Completion, ToolCall, Usage};

/// The longest pause that a script may ask for, in milliseconds.
const DELAY_MS_MAX: u64 = 10 * 60 * 1000;

/// A script, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    turns: Vec<Vec<Step>>,
}

/// One event of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Text.
    Text(String),
    /// A tool call.
    Call(ToolCall),
    /// A pause, in milliseconds.
    Delay(u64),
    /// The end of the completion.
    Completed {
        /// Why.
        stop_reason: Option<String>,
        /// Tokens.
        usage: Usage,
    },
    /// The provider fails.
    Failed(String),
}

/// Why a script cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// It is not JSON.
    #[error("the stub script is not JSON: {0}")]
    Json(#[from] JsonError),
    /// It has another shape.
    #[error("the stub script: {0}")]
    Shape(String),
    /// It is over.
    #[error("unexpected completion call {call} (script has {turns} turns)")]
    Exhausted {
        /// The completion that was asked for.
        call: u32,
        /// How many there are.
        turns: usize,
    },
    /// It says that the provider fails here.
    #[error("{0}")]
    Failed(String),
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let json = Json::parse(text.as_bytes())?;
        let turns = json.get("turns").and_then(Json::as_array);
        let turns = turns.ok_or_else(|| shape("it must have a list `turns`"))?;
        let turns: Result<Vec<Vec<Step>>, ScriptError> = turns
            .iter()
            .map(|turn| {
                let events = turn
                    .as_array()
                    .ok_or_else(|| shape("a turn is a list of events"))?;
                events.iter().map(step).collect()
            })
            .collect();
        Ok(Self { turns: turns? })
    }

    /// The events of a completion, counted from 1 over the whole session.
    ///
    /// # Errors
    /// The script is over.
    pub fn turn(&self, completion: u32) -> Result<&[Step], ScriptError> {
        let place = usize::try_from(completion)
            .unwrap_or(usize::MAX)
            .wrapping_sub(1);
        self.turns
            .get(place)
            .map(Vec::as_slice)
            .ok_or(ScriptError::Exhausted {
                call: completion,
                turns: self.turns.len(),
            })
    }
}

impl Completion {
    /// What the steps of one turn amount to.
    ///
    /// # Errors
    /// A step says that the provider fails.
    pub fn of_steps(steps: &[Step]) -> Result<Self, ScriptError> {
        let mut completion = Completion::default();
        for step in steps {
            match step {
                Step::Text(text) => completion.text.push_str(text),
                Step::Call(call) => completion.calls.push(call.clone()),
                Step::Delay(_) => {}
                Step::Completed { stop_reason, usage } => {
                    completion.usage = *usage;
                    completion.stop_reason = stop_reason.clone().unwrap_or_default();
                }
                Step::Failed(error) => return Err(ScriptError::Failed(error.clone())),
            }
        }
        if completion.stop_reason.is_empty() {
            let reason = if completion.calls.is_empty() {
                "end_turn"
            } else {
                "tool_use"
            };
            reason.clone_into(&mut completion.stop_reason);
        }
        Ok(completion)
    }
}

fn shape(what: impl Into<String>) -> ScriptError {
    ScriptError::Shape(what.into())
}

fn step(event: &Json) -> Result<Step, ScriptError> {
    let text = |key: &str| event.get(key).and_then(Json::as_str).map(str::to_owned);
    let kind = text("type").ok_or_else(|| shape("an event has a `type`"))?;
    match kind.as_str() {
        "text_delta" => text("text")
            .map(Step::Text)
            .ok_or_else(|| shape("text_delta has `text`")),
        "tool_call" => Ok(Step::Call(ToolCall {
            id: text("id").unwrap_or_default(),
            name: text("name").ok_or_else(|| shape("tool_call has a `name`"))?,
            args: match event.get("args") {
                None => b"{}".to_vec(),
                Some(Json::String(raw)) => raw.clone().into_bytes(),
                Some(args) => args.to_canonical().into_bytes(),
            },
        })),
        "delay" => {
            let ms = event
                .get("ms")
                .and_then(Json::as_number)
                .and_then(spec::Decimal::to_u64);
            let ms = ms.ok_or_else(|| shape("delay has `ms`, a whole number"))?;
            Ok(Step::Delay(ms.min(DELAY_MS_MAX)))
        }
        "completed" => {
            let tokens = |key: &str| {
                let usage = event.get("usage").and_then(|usage| usage.get(key));
                usage
                    .and_then(Json::as_number)
                    .and_then(spec::Decimal::to_u64)
                    .unwrap_or(0)
            };
            let usage = Usage {
                input_tokens: tokens("input_tokens"),
                output_tokens: tokens("output_tokens"),
            };
            Ok(Step::Completed {
                stop_reason: text("stop_reason"),
                usage,
            })
        }
        "failed" => {
            let error = text("error").unwrap_or_else(|| "the stub provider failed".to_owned());
            Ok(Step::Failed(error))
        }
        other => Err(shape(format!("unknown event type `{other}`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::{Script, ScriptError};
    use crate::Completion;

    const SCRIPT: &str = r#"{"turns":[
        [{"type":"text_delta","text":"a"},{"type":"text_delta","text":"b"},
         {"type":"tool_call","name":"t","args":{"id":9007199254740993}},
         {"type":"tool_call","name":"t","args":"{not json"}],
        [{"type":"completed","stop_reason":"max_tokens","usage":{"input_tokens":3,"output_tokens":4}}],
        [{"type":"failed","error":"overloaded"}]]}"#;

    #[test]
    fn turns_become_completions() {
        let script = Script::parse(SCRIPT).unwrap();
        let first = Completion::of_steps(script.turn(1).unwrap()).unwrap();
        assert_eq!(
            (first.text.as_str(), first.stop_reason.as_str()),
            ("ab", "tool_use")
        );
        assert_eq!(first.calls[0].args, br#"{"id":9007199254740993}"#);
        assert_eq!(first.calls[1].args, b"{not json");
        let second = Completion::of_steps(script.turn(2).unwrap()).unwrap();
        assert_eq!(
            (second.stop_reason.as_str(), second.usage.output_tokens),
            ("max_tokens", 4)
        );
        let third = Completion::of_steps(script.turn(3).unwrap());
        assert_eq!(third, Err(ScriptError::Failed("overloaded".to_owned())));
        assert_eq!(
            script.turn(4).unwrap_err().to_string(),
            "unexpected completion call 4 (script has 3 turns)"
        );
        assert!(script.turn(0).is_err());
    }

    #[test]
    fn bad_scripts_are_refused() {
        for text in [
            "",
            "{}",
            r#"{"turns":[{}]}"#,
            r#"{"turns":[[{"type":"x"}]]}"#,
            r#"{"turns":[[{"type":"delay"}]]}"#,
        ] {
            assert!(Script::parse(text).is_err(), "{text}");
        }
    }
}
