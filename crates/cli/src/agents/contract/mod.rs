//! `agents contract`: what each tool of an agent may do, for whom, under which rules, and what was
//! proven of it: on one page that needs no sources. Knows where a version comes from, and its tools
//! by name.

mod condition;
mod data;
mod fetch;
mod narrowing;
mod page;
mod rules;
mod words;

use std::path::Path;

use policy::RuleSet;
use spec::snapshot::Tool;
use spec::{Json, Snapshot};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::local::Unproven;
use crate::render::text::quoted;
use crate::render::{Format, Output};
use crate::{local, reference, wire};

/// Show the whole contract of an agent's tools: arguments, rules, classes and what was proven.
///
/// A version is taken from the runtime: the one that is named, else the deployed one, else the newest.
/// A path, such as ./my-agent or my-agent/agent.yaml, is compiled here, and shows what publishing it
/// would freeze.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain agents contract support/refund-agent\n  ordain agents contract support/refund-agent@1.0.0 --tool issue_refund\n  ordain agents contract ./my-agent\n  ordain agents contract support/refund-agent -o json"
)]
pub(crate) struct Args {
    /// The agent, as namespace/name[@version], or the path of its files.
    #[arg(value_name = "AGENT[@VERSION]|PATH")]
    agent: String,
    /// Only this tool, by the name that the model calls or by its id.
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// As it was published, without the overlay of its deployment.
    #[arg(long)]
    published: bool,
    #[command(flatten)]
    unproven: Unproven,
    /// Print JSON; the same as -o json.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    output: Output,
}

/// Which version a page is about.
struct Version {
    content_hash: String,
    /// `None` for files that are not published.
    published: Option<Published>,
}

/// What the runtime says of a version; times and names are empty where there is none.
struct Published {
    version_id: String,
    at: String,
    by: String,
    deprecated_at: String,
    retired_at: String,
    deployed_at: String,
    deployed_by: String,
    /// Of the overlay of its last deployment.
    overlay_digest: String,
}

/// What the pages are about.
struct Subject {
    version: Version,
    /// With the overlay, where there is one and it is not left out.
    snapshot: Snapshot,
    /// As it was published, where an overlay is laid over it.
    beneath: Option<Snapshot>,
}

pub(crate) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let subject = if is_path(&args.agent) {
        compiled(Path::new(&args.agent), &args.unproven, context).await?
    } else {
        let agent = reference::parse(&args.agent)?;
        fetch::published(&agent, args.published, context).await?
    };
    let snapshot = &subject.snapshot;
    let set = RuleSet::compile(snapshot).map_err(|errors| {
        let failure = Failure::new(Exit::Failed, "compile the rules of the version");
        match errors.first() {
            Some(why) => failure.because(why),
            None => failure,
        }
    })?;
    let tools = chosen(snapshot, args.tool.as_deref())?;
    let format = if args.json {
        Format::Json
    } else {
        args.output.format
    };
    let data = match format {
        Format::Table => Json::Null,
        Format::Json | Format::Yaml => data::to_json(&subject, &set, &tools),
    };
    context.printer.data(format, &data, || {
        let columns = context.environment.get("COLUMNS");
        let mut page = page::Page::new(columns.and_then(|it| it.parse().ok()));
        page.head(&subject);
        for tool in &tools {
            page.tool(tool, &subject, &set);
        }
        page.finish()
    })?;
    Ok(Exit::Done)
}

/// Whether an argument means files. `a/b` means an agent even where there is such a folder.
fn is_path(text: &str) -> bool {
    let is_relative =
        matches!(text, "." | "..") || text.starts_with("./") || text.starts_with("../");
    let extension = Path::new(text).extension().and_then(|it| it.to_str());
    let is_file = matches!(extension, Some("yaml" | "yml" | "json"));
    let is_bare = !text.contains(['/', '.', '@']) && Path::new(text).exists();
    is_relative || text.starts_with('/') || is_file || is_bare
}

async fn compiled(path: &Path, unproven: &Unproven, context: &Context) -> Result<Subject, Failure> {
    let local = local::compile_allowing(path, unproven, context).await?;
    local.report(context);
    let snapshot = local.snapshot()?.clone();
    let (_, content_hash) = snapshot
        .to_canonical()
        .map_err(|why| Failure::new(Exit::Failed, "freeze the snapshot").because(&why))?;
    let version = Version {
        content_hash: content_hash.to_string(),
        published: None,
    };
    Ok(Subject {
        version,
        snapshot,
        beneath: None,
    })
}

/// The tools that are asked for, in the manifest's order.
fn chosen<'a>(snapshot: &'a Snapshot, name: Option<&str>) -> Result<Vec<&'a Tool>, Failure> {
    let Some(name) = name else {
        return Ok(snapshot.tools.iter().collect());
    };
    let is_meant = |it: &&Tool| {
        let id = &it.contract;
        let names = [&it.wire_name, &id.name, &id.logical_id(), &id.to_string()];
        names.contains(&&name.to_owned())
    };
    let tools: Vec<&Tool> = snapshot.tools.iter().filter(is_meant).collect();
    if !tools.is_empty() {
        return Ok(tools);
    }
    let agent = &snapshot.agent;
    let message = format!("agent {agent} binds no tool {}", quoted(name));
    let failure = Failure::new(Exit::NotFound, message);
    let ids: Vec<String> = snapshot
        .tools
        .iter()
        .map(|it| it.contract.logical_id())
        .collect();
    let names = snapshot.tools.iter().map(|it| it.wire_name.as_str());
    let names: Vec<&str> = names.chain(ids.iter().map(String::as_str)).collect();
    let near = publish::nearest(name, names.iter().copied());
    let bound: Vec<&str> = snapshot
        .tools
        .iter()
        .map(|it| it.wire_name.as_str())
        .collect();
    Err(match near {
        Some(near) => failure.hint(format!("did you mean {near}?")),
        None if bound.is_empty() => failure,
        None => failure.hint(format!("it binds {}", bound.join(", "))),
    })
}

impl Subject {
    /// The tool as it was published, where an overlay is laid over it.
    fn beneath(&self, tool: &Tool) -> Option<&Tool> {
        self.beneath.as_ref()?.tool(&tool.wire_name)
    }

    /// Which overlay there is, and whether the pages have it.
    fn overlay(&self) -> Option<(&str, bool)> {
        let published = self.version.published.as_ref()?;
        let digest = Some(published.overlay_digest.as_str()).filter(|it| !it.is_empty())?;
        Some((digest, self.beneath.is_some()))
    }
}

impl Version {
    /// What people are told, by key.
    fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = vec![("content hash", self.content_hash.clone())];
        let Some(it) = &self.published else {
            rows.push(("published", "not from here: these are files".to_owned()));
            return rows;
        };
        let act = |at: &str, by: &str| {
            if by.is_empty() {
                at.to_owned()
            } else {
                format!("{at} by {by}")
            }
        };
        rows.push(("published", act(&it.at, &it.by)));
        for (key, at) in [
            ("deprecated", &it.deprecated_at),
            ("retired", &it.retired_at),
        ] {
            if !at.is_empty() {
                rows.push((key, at.clone()));
            }
        }
        let deployed = if it.deployed_at.is_empty() {
            "no: this version does not run".to_owned()
        } else {
            act(&it.deployed_at, &it.deployed_by)
        };
        rows.push(("deployed", deployed));
        rows
    }

    /// What programs are told.
    fn members(&self) -> Vec<(&'static str, Json)> {
        let mut members = vec![("content_hash", Json::from(self.content_hash.as_str()))];
        if let Some(it) = &self.published {
            members.extend([
                ("version_id", Json::from(it.version_id.as_str())),
                ("published_at", wire::text_or_null(&it.at)),
                ("published_by", wire::text_or_null(&it.by)),
                ("deprecated_at", wire::text_or_null(&it.deprecated_at)),
                ("retired_at", wire::text_or_null(&it.retired_at)),
                ("deployed_at", wire::text_or_null(&it.deployed_at)),
                ("deployed_by", wire::text_or_null(&it.deployed_by)),
            ]);
        }
        members
    }
}
