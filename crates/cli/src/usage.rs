//! Command lines that cannot be meant, in the words that people and scripts know. Knows what clap
//! found; not what the commands do.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::Printer;
use crate::render::text::quoted;

/// What clap has to say instead of arguments: help and versions go to stdout, the rest is an error.
pub(crate) fn report(
    error: &clap::Error,
    program: &str,
    printer: &Printer,
) -> Result<Exit, Failure> {
    if !error.use_stderr() {
        printer.out(&error.render().to_string())?;
        return Ok(Exit::Done);
    }
    Err(failure(error, program))
}

fn failure(error: &clap::Error, program: &str) -> Failure {
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(word) = one(error, ContextKind::InvalidSubcommand)
    {
        return unknown_command(error, word, program);
    }
    if error.kind() == ErrorKind::MissingRequiredArgument
        && let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg)
        && missing.iter().all(|it| it.starts_with('<'))
    {
        let count = missing.len();
        let message = format!(
            "accepts {count} arg(s), received 0: {} missing",
            missing.join(" ")
        );
        return Failure::usage(message + &usage(error));
    }
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    Failure::usage(text.trim_end())
}

fn unknown_command(error: &clap::Error, word: &str, program: &str) -> Failure {
    // The usage line starts with the path of the group that the word was tried in.
    let usage = usage(error);
    let group = usage
        .trim()
        .strip_prefix("Usage: ")
        .and_then(|it| it.split_once(" ["))
        .map_or(program, |(path, _)| path);
    let mut message = format!("unknown command {} for {}", quoted(word), quoted(group));
    let close = match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(close)) => close.as_slice(),
        Some(_) | None => &[],
    };
    if !close.is_empty() {
        message.push_str("\n\nDid you mean this?");
        for it in close {
            message.push_str("\n    ");
            message.push_str(it);
        }
        message.push('\n');
    }
    Failure::usage(message).hint(format!("{group} --help lists the commands"))
}

fn one(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    if let ContextValue::String(text) = error.get(kind)? {
        Some(text)
    } else {
        None
    }
}

fn usage(error: &clap::Error) -> String {
    match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(text)) => format!("\n\n{text}"),
        Some(_) | None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;
    use expect_test::{Expect, expect};

    use crate::cli::{Cli, tree};

    fn check(arguments: &[&str], expected: Expect) {
        let all = ["phrony"].iter().chain(arguments);
        let error = tree("phrony")
            .try_get_matches_from(all)
            .and_then(|it| Cli::from_arg_matches(&it))
            .unwrap_err();
        expected.assert_eq(&super::failure(&error, "phrony").message);
    }

    #[test]
    fn unknown_commands() {
        check(
            &["x"],
            expect![[r#"
            unknown command "x" for "phrony"

            Did you mean this?
                exit-codes
                explain
        "#]],
        );
        check(
            &["agent"],
            expect![[r#"
            unknown command "agent" for "phrony"

            Did you mean this?
                agents
        "#]],
        );
        check(
            &["approvals", "aprove", "id"],
            expect![[r#"
            unknown command "aprove" for "phrony approvals"

            Did you mean this?
                approve
        "#]],
        );
    }

    #[test]
    fn wrong_arguments() {
        check(
            &["agents", "deploy"],
            expect![[r#"
            accepts 1 arg(s), received 0: <AGENT@VERSION> missing

            Usage: phrony agents deploy <AGENT@VERSION>"#]],
        );
        check(
            &["agents", "deploy", "a/b@1", "c"],
            expect![[r#"
            unexpected argument 'c' found

            Usage: phrony agents deploy [OPTIONS] <AGENT@VERSION>

            For more information, try '--help'."#]],
        );
        check(
            &["agents", "ls", "--bogus"],
            expect![[r#"
            unexpected argument '--bogus' found

            Usage: phrony agents ls [OPTIONS]

            For more information, try '--help'."#]],
        );
        check(
            &["worker", "exec", "nonsense"],
            expect![[r#"
            invalid value 'nonsense' for '<TOOL@VERSION>': write the tool and its exact version, such as files.word-count@1.0.0

            For more information, try '--help'."#]],
        );
        check(
            &["worker", "exec", "a.b@1.0.0"],
            expect![[r#"
            accepts 1 arg(s), received 0: <PROGRAM>... missing

            Usage: phrony worker exec <TOOL@VERSION> -- <PROGRAM>..."#]],
        );
        check(
            &[
                "worker",
                "exec",
                "a.b@1.0.0",
                "--timeout",
                "soon",
                "--",
                "true",
            ],
            expect![[r#"
                invalid value 'soon' for '--timeout <TIME>': write a duration such as 500ms, 30s, 5m, 1h, or whole seconds

                For more information, try '--help'."#]],
        );
    }
}
