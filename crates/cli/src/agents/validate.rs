//! `agents validate`: compiles a bundle here and says what is wrong with it, or what a model would be
//! shown of its tools. Asks a runtime only for what its files refer to and do not have.

use std::path::PathBuf;

use publish::Severity;
use spec::snapshot::{Standing, Tool};
use spec::{Json, Snapshot};

use super::presented::Flag;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::findings::{Findings, Output};
use crate::local::{self, Local, Unproven};
use crate::render;
use crate::render::text::quoted;

/// Check an agent and everything that it refers to.
///
/// No runtime is asked, unless the files refer to a tool or a policy that they do not have: that is
/// looked up in the runtime's catalog.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain agents validate agent.yaml\n  ordain agents validate ./my-agent -o json --deny-warnings\n  ordain agents validate ./my-agent -o sarif > ordain.sarif\n  ordain agents validate ./my-agent -o github\n  ordain agents validate ./my-agent --presented=openai"
)]
pub(crate) struct Args {
    /// The Agent's file, or the folder of its agent.yaml.
    manifest: PathBuf,
    /// Fail on warnings too.
    #[arg(long)]
    deny_warnings: bool,
    #[command(flatten)]
    unproven: Unproven,
    #[command(flatten)]
    presented: Flag,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let local = local::compile_allowing(&args.manifest, &args.unproven, context).await?;
    let findings = local.findings();
    let warnings = findings.count(Severity::Warning);
    let is_denied = args.deny_warnings && warnings > 0;
    let snapshot = local.compiled.snapshot.as_ref();
    let unset = snapshot.map(|it| unset_secrets(it, context));
    let unset = unset.unwrap_or_default();
    let is_valid = snapshot.is_some() && !is_denied;
    let presented = args.presented.is_set();
    let presented = snapshot
        .filter(|_| presented)
        .map(|it| args.presented.show(it));
    let data = || to_json(&findings, snapshot, is_valid, &unset, presented.as_ref());
    if !findings.print(args.output, data, context)? {
        for_people(&local, &unset, is_denied, presented.as_ref(), context)?;
        return Ok(Exit::Done);
    }
    // As data, what is wrong is the answer; the exit code says that something is.
    Ok(if is_valid { Exit::Done } else { Exit::Invalid })
}

fn for_people(
    local: &Local,
    unset: &[(String, String)],
    is_denied: bool,
    presented: Option<&Json>,
    context: &Context,
) -> Result<(), Failure> {
    local.report(context);
    let snapshot = local.snapshot()?;
    for (name, variable) in unset {
        let name = quoted(name);
        let text = format!("secret {name}: {variable} is not set in the local environment");
        context.printer.warn(&text);
    }
    for name in unproven(snapshot) {
        let name = quoted(name);
        let text = format!(
            "tool {name}: that its binding only narrows is not proven; calls are checked against both schemas"
        );
        context.printer.warn(&text);
    }
    if is_denied {
        let warnings = local.findings().count(Severity::Warning);
        let message = format!("{warnings} warning(s), and warnings are denied");
        return Err(Failure::new(Exit::Invalid, message));
    }
    if let Some(presented) = presented {
        let format = render::Format::Json;
        return context.printer.data(format, presented, String::new);
    }
    let agent = &snapshot.agent;
    context.printer.line(&format!(
        "valid: {}/{} {}",
        agent.namespace, agent.name, agent.version
    ))?;
    Ok(())
}

fn to_json(
    findings: &Findings<'_>,
    snapshot: Option<&Snapshot>,
    is_valid: bool,
    unset: &[(String, String)],
    presented: Option<&Json>,
) -> Json {
    let variables = unset.iter().map(|(name, variable)| {
        Json::from_members([
            ("secret", Json::from(name.as_str())),
            ("variable", Json::from(variable.as_str())),
        ])
    });
    let agent = snapshot.map(|it| it.agent.to_string());
    let members = [
        ("valid", Json::from(is_valid)),
        ("agent", Json::from(agent)),
        ("errors", Json::from(findings.count(Severity::Error))),
        ("warnings", Json::from(findings.count(Severity::Warning))),
        ("items", findings.items()),
        ("unset_secrets", Json::from(variables.collect::<Vec<_>>())),
    ];
    let unproven = snapshot.map(|it| {
        let names = unproven(it).map(Json::from);
        Json::from(names.collect::<Vec<_>>())
    });
    let unproven = unproven.map(|it| ("unproven", it));
    let presented = presented.map(|it| ("presented", it.clone()));
    Json::from_members(members.into_iter().chain(unproven).chain(presented))
}

/// The tools whose bindings are let through without a proof.
fn unproven(snapshot: &Snapshot) -> impl Iterator<Item = &str> {
    let is_unproven = |tool: &&Tool| {
        [&tool.input_standing, &tool.output_standing]
            .into_iter()
            .any(|it| matches!(it, Standing::Unproven { .. }))
    };
    let tools = snapshot.tools.iter().filter(is_unproven);
    tools.map(|it| it.wire_name.as_str())
}

/// Names and variables of the secrets that a run from here would lack.
fn unset_secrets(snapshot: &Snapshot, context: &Context) -> Vec<(String, String)> {
    let secrets = snapshot.secrets.iter();
    secrets
        .map(|(name, secret)| (name.clone(), secret.from_env.clone()))
        .filter(|(_, variable)| context.environment.get_trimmed(variable).is_none())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use clap::Parser as _;
    use expect_test::expect;

    use super::{Args, Flag, Output, run, to_json};
    use crate::cli::Cli;
    use crate::context::Context;
    use crate::environment::Environment;
    use crate::exit::Exit;
    use crate::findings::Format;
    use crate::local::{self, Unproven};
    use crate::render::text;

    const AGENT: &str = "\
apiVersion: phrony.com/v1
kind: Agent
metadata: {name: clerk, namespace: shop, version: v1.0.0}
spec:
  purpose: Settle refunds.
  instructions: {text: Be fair.}
  model: {provider: stub, name: scripted}
";

    fn context() -> Context {
        let cli = Cli::parse_from(["ordain", "--quiet", "status"]);
        Context::new("ordain".to_owned(), &cli.global, Environment::default())
    }

    async fn exit(folder: &Path, format: Format, deny_warnings: bool) -> Exit {
        let args = Args {
            manifest: folder.to_owned(),
            deny_warnings,
            unproven: Unproven::default(),
            presented: Flag::default(),
            output: Output { format },
        };
        let exit = run(&args, &context()).await;
        exit.unwrap_or_else(|failure| failure.exit)
    }

    #[tokio::test]
    async fn the_exit_code_is_the_same_in_every_form() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        for (text, plain, denied) in [
            (AGENT.to_owned(), Exit::Done, Exit::Invalid),
            (AGENT.replace("v1.0.0", "1.0.0"), Exit::Done, Exit::Done),
            (
                AGENT.replace("purpose", "purpos"),
                Exit::Invalid,
                Exit::Invalid,
            ),
        ] {
            fs::write(path.join("agent.yaml"), text).unwrap();
            for format in [
                Format::Text,
                Format::Json,
                Format::Yaml,
                Format::Sarif,
                Format::Github,
            ] {
                assert_eq!(exit(path, format, false).await, plain, "{format:?}");
                assert_eq!(exit(path, format, true).await, denied, "{format:?}");
            }
        }
        fs::remove_file(path.join("agent.yaml")).unwrap();
        assert_eq!(exit(path, Format::Json, false).await, Exit::NotFound);
    }

    #[tokio::test]
    async fn as_data() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("agent.yaml"), AGENT).unwrap();
        let local = local::compile(folder.path(), &context()).await.unwrap();
        let snapshot = local.compiled.snapshot.as_ref();
        let unset = [("key".to_owned(), "KEY".to_owned())];
        let data = to_json(&local.findings(), snapshot, true, &unset, None);
        expect![[r#"
            {
              "agent": "shop.clerk@1.0.0",
              "errors": 0,
              "items": [
                {
                  "code": "E0211",
                  "column": 51,
                  "end_column": 57,
                  "end_line": 3,
                  "field": "metadata.version",
                  "file": "agent.yaml",
                  "help": "write 1.0.0",
                  "line": 3,
                  "message": "`v1.0.0` is read as version 1.0.0",
                  "related": [],
                  "severity": "warning"
                }
              ],
              "unproven": [],
              "unset_secrets": [
                {
                  "secret": "key",
                  "variable": "KEY"
                }
              ],
              "valid": true,
              "warnings": 1
            }"#]]
        .assert_eq(&text::pretty(&data));
    }

    #[test]
    fn the_format_has_two_flags_and_the_old_words() {
        for flags in [
            ["-o", "sarif"],
            ["--output", "github"],
            ["--format", "json"],
            ["-o", "table"],
        ] {
            let all = ["ordain", "agents", "validate", "a"]
                .into_iter()
                .chain(flags);
            assert!(Cli::try_parse_from(all).is_ok(), "{flags:?}");
        }
    }
}
