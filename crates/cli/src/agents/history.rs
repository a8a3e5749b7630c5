//! `agents history`: which versions were active, since when and through whom.

use proto::runtime::v1::{DeploymentEntry, ListDeploymentsRequest};
use spec::Json;

use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{self, Output};
use crate::{reference, wire};

/// List the deployments and rollbacks of an agent, the newest first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ordain agents history support/refund-agent")]
pub(crate) struct Args {
    /// The agent, as namespace/name.
    agent: String,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let agent = reference::parse(&args.agent)?;
    let runtime = Runtime::dial(context).await?;
    let request = ListDeploymentsRequest {
        agent_ref: Some(agent),
    };
    let answer = runtime.api().list_deployments(request).await;
    let entries = answer
        .map_err(runtime.failed("list deployments"))?
        .into_inner()
        .deployments;
    let data = wire::list(entries.iter().map(to_json).collect());
    context
        .printer
        .data(args.output.format, &data, || table(&entries))?;
    Ok(Exit::Done)
}

fn table(entries: &[DeploymentEntry]) -> String {
    let row = |it: &DeploymentEntry| {
        [
            it.version.clone(),
            it.action.clone(),
            it.actor.clone(),
            it.created_at.clone(),
        ]
    };
    let rows: Vec<_> = entries.iter().map(row).collect();
    render::table(["VERSION", "ACTION", "ACTOR", "CREATED_AT"], &rows)
}

fn to_json(it: &DeploymentEntry) -> Json {
    Json::from_members([
        ("version", Json::from(it.version.as_str())),
        ("action", Json::from(it.action.as_str())),
        ("actor", wire::text_or_null(&it.actor)),
        ("created_at", wire::text_or_null(&it.created_at)),
    ])
}

#[cfg(test)]
mod tests {
    use proto::runtime::v1::DeploymentEntry;

    use super::{table, to_json};
    use crate::render::text;

    fn entry(action: &str, version: &str, actor: &str) -> DeploymentEntry {
        DeploymentEntry {
            version: version.into(),
            action: action.into(),
            actor: actor.into(),
            created_at: "2026-01-02T03:04:05Z".into(),
            ..DeploymentEntry::default()
        }
    }

    #[test]
    fn the_runtime_orders_it() {
        let entries = [
            entry("rollback", "1.0.0", "ana"),
            entry("deploy", "1.10.0", ""),
        ];
        assert_eq!(
            table(&entries),
            "VERSION  ACTION    ACTOR  CREATED_AT          \n\
             1.0.0    rollback  ana    2026-01-02T03:04:05Z\n\
             1.10.0   deploy           2026-01-02T03:04:05Z\n"
        );
        assert_eq!(table(&[]), "VERSION  ACTION  ACTOR  CREATED_AT\n");
    }

    #[test]
    fn as_data() {
        assert_eq!(
            text::compact(&to_json(&entry("deploy", "1.0.0", ""))),
            r#"{"action":"deploy","actor":null,"created_at":"2026-01-02T03:04:05Z","version":"1.0.0"}"#
        );
    }
}
