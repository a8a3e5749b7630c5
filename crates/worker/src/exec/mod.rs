//! Any program as a tool: each call runs it once, with the arguments on its stdin and the result on
//! its stdout. Knows what a program is told and how its end is read; processes are in `child`.
//!
//! Invariant: no process of a call outlives it, or the worker, unless it leaves its process group.

mod child;
mod settings;
mod stderr;

use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use tokio::process::Command;

use crate::handler::{CANCELLED, Payload, RESULT_TOO_LARGE, ToolError};
use crate::invocation::{Invocation, SideEffectClass, is_json};
use child::{Cut, Ended, Limits, Run};
use settings::{Checked, variable};

pub use settings::{Settings, SettingsError};

const SPAWN_FAILED: &str = "spawn_failed";
const INVALID_OUTPUT: &str = "invalid_output";
const EXIT_UNKNOWN: &str = "exit_unknown";
const TIMEOUT: &str = "timeout";

/// How much of an output that is not JSON is shown.
const SHOWN_BYTES_MAX: usize = 1024;
/// The result of a program that prints nothing.
const NOTHING: &[u8] = b"{}";

type PassOn = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// A program that serves a tool.
pub struct ExecTool {
    checked: Checked,
    on_stderr: PassOn,
}

impl fmt::Debug for ExecTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ExecTool").field(&self.checked).finish()
    }
}

impl ExecTool {
    /// Refuses a program that is not there or cannot be executed. Each line that a call's program
    /// writes to stderr is given to `on_stderr`, after the call's id.
    pub fn new(
        settings: Settings,
        on_stderr: impl Fn(&str, &str) + Send + Sync + 'static,
    ) -> Result<Self, SettingsError> {
        Ok(Self {
            checked: settings::check(settings)?,
            on_stderr: Arc::new(on_stderr),
        })
    }

    pub(crate) async fn run(self: Arc<Self>, call: Invocation) -> Result<Payload, ToolError> {
        let settings = &self.checked.settings;
        let limits = Limits {
            timeout: settings.timeout,
            kill_grace: settings.kill_grace,
            output_bytes_max: settings.output_bytes_max,
        };
        let run = Run::start(self.command(&call), call.args.clone(), limits);
        let run = run.map_err(|why| {
            let name = settings.program.to_string_lossy();
            ToolError::new(SPAWN_FAILED, format!("{name} cannot be started: {why}"))
        })?;
        let pass_on = |line: &str| (self.on_stderr)(&call.call_id, line);
        let ended = run.attend(call.cancelled(), &pass_on).await;
        outcome(ended, settings)
    }

    fn command(&self, call: &Invocation) -> Command {
        let settings = &self.checked.settings;
        let mut command = Command::new(&self.checked.path);
        command
            .args(&settings.args)
            .envs(settings.env.iter().map(|(name, value)| (name, value)))
            .env(variable::CALL_ID, &call.call_id)
            .env(variable::SESSION_ID, &call.session_id)
            .env(variable::AGENT_VERSION_ID, &call.agent_version_id)
            .env(variable::TOOL, &call.tool)
            .env(variable::TOOL_VERSION, &call.version)
            .env(variable::TURN, call.turn.to_string());
        let class = call.side_effect_class.map(SideEffectClass::word);
        let deadline = call
            .deadline
            .and_then(|it| it.duration_since(UNIX_EPOCH).ok())
            .map(|it| it.as_millis().to_string());
        // A worker may itself be started by a call, whose variables are not this one's.
        match class {
            Some(class) => command.env(variable::SIDE_EFFECT_CLASS, class),
            None => command.env_remove(variable::SIDE_EFFECT_CLASS),
        };
        match deadline {
            Some(deadline) => command.env(variable::DEADLINE, deadline),
            None => command.env_remove(variable::DEADLINE),
        };
        if let Some(cwd) = &settings.cwd {
            command.current_dir(cwd);
        }
        command
    }
}

fn outcome(ended: Ended, settings: &Settings) -> Result<Payload, ToolError> {
    let printed = ended.stdout.trim_ascii();
    let succeeded = ended.status.is_some_and(|it| it.success());
    let Some(cut) = ended.cut else {
        return match ended.status {
            Some(status) if !status.success() => Err(failed(status, &ended.stderr_tail)),
            Some(_) if printed.is_empty() => Ok(NOTHING.to_vec()),
            Some(_) => result(printed),
            None => Err(ToolError::new(
                EXIT_UNKNOWN,
                with_stderr(
                    "how the program ended is not known".to_owned(),
                    &ended.stderr_tail,
                ),
            )),
        };
    };
    // A program that still came to its result did what it was asked to, and nobody is helped by
    // hearing that it did not.
    if succeeded && !printed.is_empty() && is_json(printed).is_ok() {
        return Ok(printed.to_vec());
    }
    Err(cut_short(cut, settings, &ended))
}

fn result(printed: &[u8]) -> Result<Payload, ToolError> {
    is_json(printed).map_err(|why| {
        let (shown, rest) = printed.split_at(printed.len().min(SHOWN_BYTES_MAX));
        let shown = String::from_utf8_lossy(shown);
        let mark = if rest.is_empty() {
            String::new()
        } else {
            format!(" [cut here; {} bytes in all]", printed.len())
        };
        let text = format!("stdout must be one JSON value: {why}; it was: {shown}{mark}");
        ToolError::new(INVALID_OUTPUT, text)
    })?;
    Ok(printed.to_vec())
}

fn failed(status: ExitStatus, stderr_tail: &str) -> ToolError {
    let (code, text) = match (status.code(), status.signal()) {
        (Some(code), _) => (
            format!("exit_{code}"),
            format!("the program ended with exit code {code}"),
        ),
        (None, Some(signal)) => (
            format!("signal_{signal}"),
            format!("the program was ended by signal {signal}"),
        ),
        (None, None) => (EXIT_UNKNOWN.to_owned(), status.to_string()),
    };
    ToolError::new(code, with_stderr(text, stderr_tail))
}

fn cut_short(cut: Cut, settings: &Settings, ended: &Ended) -> ToolError {
    let (code, mut text) = match cut {
        Cut::TimedOut => (
            TIMEOUT,
            format!(
                "the program was ended after {:?}; what it had done by then is not known",
                settings.timeout
            ),
        ),
        Cut::Cancelled => (
            CANCELLED,
            "the call was cancelled and its program ended; what it had done by then is not known"
                .to_owned(),
        ),
        Cut::TooLarge => (
            RESULT_TOO_LARGE,
            format!(
                "the program was ended because it printed more than {} bytes; what it had done by \
                 then is not known",
                settings.output_bytes_max
            ),
        ),
    };
    if ended.status.is_none() {
        text.push_str("; it could not be ended and may still run");
    }
    ToolError::new(code, with_stderr(text, &ended.stderr_tail))
}

fn with_stderr(mut text: String, tail: &str) -> String {
    if !tail.is_empty() {
        text.push_str("\nstderr:\n");
        text.push_str(tail);
    }
    text
}
