//! `probe` of a Tool: which tool looks an unknown outcome up, with which arguments. Knows how it is
//! written; not which tool that is.

use spec::snapshot::ProbeArg;

use crate::diagnostic::{At, Sink};
use crate::diagnostics::{e0205, e0508};
use crate::reference::{self, LogicalRef};
use crate::yaml::{Cursor, Shape};

const PROBE: Shape = Shape {
    what: "a probe",
    known: &["tool", "args"],
    elsewhere: &[("ref", "name the Tool that looks under `tool`")],
    unsupported: &[],
};

/// Begins a path into the arguments of the call that is looked up.
const PATH: &str = "args.";
/// Stands for the id of the call that is looked up.
const CALL_ID: &str = "call_id";
/// The most arguments of a probe.
const ARGS_MAX: usize = 64;

/// A probe as written.
pub(crate) struct Probe {
    pub(crate) tool: At<LogicalRef>,
    pub(crate) args: Vec<(At<String>, ProbeArg)>,
}

impl Probe {
    pub(super) fn read(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Self> {
        let fields = cursor.fields(&PROBE, sink)?;
        let tool = fields.required("tool", sink);
        let tool = tool.and_then(|it| reference::logical(it.filled(sink)?, sink));
        let entries = match fields.get("args") {
            Some(args) => args.entries(sink)?,
            None => Vec::new(),
        };
        if entries.len() > ARGS_MAX {
            sink.push(e0205::too_many(&cursor.at(), "arguments", ARGS_MAX));
            return None;
        }
        let one = |(name, value): (At<String>, Cursor<'_>)| Some((name, arg(&value, sink)?));
        let args: Option<Vec<_>> = entries.into_iter().map(one).collect();
        Some(Self {
            tool: tool?,
            args: args?,
        })
    }
}

fn arg(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<ProbeArg> {
    let json = cursor.json(sink)?;
    let Some(text) = json.as_str() else {
        return Some(ProbeArg::Value(json));
    };
    if text == CALL_ID {
        return Some(ProbeArg::CallId);
    }
    let Some(path) = text.strip_prefix(PATH) else {
        return Some(ProbeArg::Value(json));
    };
    if path.split('.').any(str::is_empty) {
        sink.push(e0508::no_path(&cursor.at(), text));
        return None;
    }
    Some(ProbeArg::Path(path.to_owned()))
}
