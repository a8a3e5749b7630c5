//! What a leaf's field names: an argument, the trigger, or something of the context. Knows nothing
//! of values or comparisons.

use crate::fault::Fault;
use crate::path::{self, Step};

/// A leaf's field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// A path into the call's arguments.
    Argument(Vec<Step>),
    /// A path into the session's input; no steps for the whole.
    Input(Vec<Step>),
    /// What opened the round.
    Trigger,
    /// A word of the context.
    Text(Text),
    /// A whole number of the context.
    Count(Count),
}

/// Words of the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    Tool,
    WireName,
    SideEffectClass,
    AgentNamespace,
    AgentName,
    AgentVersion,
    Weekday,
    Date,
    /// Which limit was reached; only in a limit round.
    Limit,
}

/// Numbers of the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    Calls,
    ToolCalls,
    Turn,
    Depth,
    Hour,
}

const CONTEXT_HELP: &str = "the context has ctx.tool, ctx.wire_name, ctx.side_effect_class, ctx.agent.namespace|name|version, ctx.session.input.<path>, ctx.session.calls, ctx.session.tool_calls, ctx.turn, ctx.depth, ctx.now.hour|weekday|date and ctx.limit; an argument named ctx is args.ctx";

impl Field {
    /// Reads a leaf's `field`.
    pub(crate) fn parse(text: &str) -> Result<Field, Fault> {
        if text.starts_with("ctx.now(") {
            return Err(Fault::new(
                "ctx.now(Zone) is not supported yet",
                "use ctx.now.hour, ctx.now.weekday or ctx.now.date, which are in UTC",
            ));
        }
        let parsed = path::parse(text)?;
        let head = match parsed.steps.first() {
            Some(Step::Key(head)) if parsed.plain_head => head.as_str(),
            Some(Step::Key(_) | Step::Index(_) | Step::Each) | None => "",
        };
        match head {
            "args" => argument_of_args(&parsed.steps),
            "ctx" => context(text, &parsed.steps),
            "phrony" | "dispatch" => match text {
                "phrony.dispatch.trigger" | "dispatch.outcome" => Ok(Field::Trigger),
                _ => Err(Fault::new(
                    format!("`{text}` is no field"),
                    format!(
                        "the trigger is phrony.dispatch.trigger or dispatch.outcome; an argument is args.{text}"
                    ),
                )),
            },
            _ => Ok(Field::Argument(parsed.steps)),
        }
    }

    /// The steps below the root, for fields that are paths.
    pub(crate) fn steps(&self) -> &[Step] {
        match self {
            Field::Argument(steps) | Field::Input(steps) => steps,
            Field::Trigger | Field::Text(_) | Field::Count(_) => &[],
        }
    }
}

fn argument_of_args(steps: &[Step]) -> Result<Field, Fault> {
    match steps.split_first() {
        Some((_, rest)) if matches!(rest.first(), Some(Step::Key(_))) => {
            Ok(Field::Argument(rest.to_vec()))
        }
        _ => Err(Fault::new(
            "`args` names all arguments, and a leaf compares one",
            "write args.<name>; an argument that is itself named args is args.args",
        )),
    }
}

fn context(text: &str, steps: &[Step]) -> Result<Field, Fault> {
    // Only the input has a path of its own below it; all else is a fixed name.
    let key = |index: usize| match steps.get(index) {
        Some(Step::Key(key)) => key.as_str(),
        Some(Step::Index(_) | Step::Each) | None => "",
    };
    if key(1) == "session" && key(2) == "input" {
        return Ok(Field::Input(steps.get(3..).unwrap_or(&[]).to_vec()));
    }
    if key(1) == "session" && key(2) == "sum" {
        return Err(Fault::new(
            "ctx.session.sum is not supported yet",
            "limit single calls by their argument, or count calls with ctx.session.tool_calls",
        ));
    }
    Ok(match text {
        "ctx.tool" => Field::Text(Text::Tool),
        "ctx.wire_name" => Field::Text(Text::WireName),
        "ctx.side_effect_class" => Field::Text(Text::SideEffectClass),
        "ctx.agent.namespace" => Field::Text(Text::AgentNamespace),
        "ctx.agent.name" => Field::Text(Text::AgentName),
        "ctx.agent.version" => Field::Text(Text::AgentVersion),
        "ctx.now.weekday" => Field::Text(Text::Weekday),
        "ctx.now.date" => Field::Text(Text::Date),
        "ctx.limit" => Field::Text(Text::Limit),
        "ctx.session.calls" => Field::Count(Count::Calls),
        "ctx.session.tool_calls" => Field::Count(Count::ToolCalls),
        "ctx.turn" => Field::Count(Count::Turn),
        "ctx.depth" => Field::Count(Count::Depth),
        "ctx.now.hour" => Field::Count(Count::Hour),
        _ => {
            return Err(Fault::new(
                format!("the context has no `{text}`"),
                CONTEXT_HELP,
            ));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{Count, Field, Step, Text};

    fn argument(keys: &[&str]) -> Field {
        Field::Argument(
            keys.iter()
                .map(|key| Step::Key((*key).to_owned()))
                .collect(),
        )
    }

    #[test]
    fn roots() {
        for (text, field) in [
            ("amount", argument(&["amount"])),
            ("args.amount", argument(&["amount"])),
            ("args.args", argument(&["args"])),
            ("args.ctx.tool", argument(&["ctx", "tool"])),
            ("\"ctx\".tool", argument(&["ctx", "tool"])),
            ("\"args\"", argument(&["args"])),
            ("args.dispatch.outcome", argument(&["dispatch", "outcome"])),
            ("phrony.dispatch.trigger", Field::Trigger),
            ("dispatch.outcome", Field::Trigger),
            ("ctx.tool", Field::Text(Text::Tool)),
            ("ctx.now.hour", Field::Count(Count::Hour)),
            ("ctx.session.input", Field::Input(Vec::new())),
            (
                "ctx.session.input.tier[0]",
                Field::Input(vec![Step::Key("tier".to_owned()), Step::Index(0)]),
            ),
        ] {
            assert_eq!(Field::parse(text), Ok(field), "{text}");
        }
    }

    #[test]
    fn no_fields() {
        for (text, part) in [
            ("args", "names all arguments"),
            ("args[0]", "names all arguments"),
            ("ctx", "the context has no"),
            ("ctx.tools", "the context has no"),
            ("ctx.now.minute", "the context has no"),
            ("ctx.session", "the context has no"),
            ("ctx.session.sum.amount", "not supported yet"),
            ("ctx.now(Europe/Oslo).hour", "not supported yet"),
            ("phrony.trigger", "is no field"),
            ("dispatch.outcome.x", "is no field"),
            ("dispatch", "is no field"),
            ("a..b", "an empty key"),
        ] {
            let fault = Field::parse(text).unwrap_err();
            assert!(fault.message.contains(part), "{text}: {}", fault.message);
        }
    }
}
