//! `agents diff`: what publishing the files here would change. Knows the two manifests and the two
//! content hashes; how lines are compared is in `lines`.

use std::path::PathBuf;

use proto::runtime::v1::{AgentRef, GetAgentVersionResponse};
use spec::{Json, Snapshot};

use super::inspect;
use super::lines::{self, Line};
use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::local::{self, Local};
use crate::reference;
use crate::render::{Output, Style, escape, text};

/// Compare an agent's files with a published version.
///
/// Both are shown as manifests: documents with their references resolved. What a manifest does not
/// show, such as where a policy is attached, is compared by the content hash, which tells no lines.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain agents diff agent.yaml support/refund-agent@1.0.0\n  ordain agents diff ./my-agent support/refund-agent@1.0.0 --exit-code"
)]
pub(crate) struct Args {
    /// The Agent's file, or the folder of its agent.yaml.
    manifest: PathBuf,
    /// The published version, as namespace/name@version.
    #[arg(value_name = "AGENT@VERSION")]
    agent: String,
    /// Exit with 1 if there are differences.
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let agent = reference::parse_version(&args.agent)?;
    let local = local::compile(&args.manifest, context).await?;
    local.report(context);
    local.snapshot()?;
    let runtime = Runtime::dial(context).await?;
    let published = inspect::fetch(&runtime, &agent).await?;
    let path = args.manifest.display().to_string();
    let sides = Sides::new(&agent, &published, path, &local)?;
    let plain = |_: Style, text: &str| text.to_owned();
    let styled = |style: Style, text: &str| context.printer.styled(style, text);
    let data = sides.to_json(&plain);
    context
        .printer
        .data(args.output.format, &data, || sides.draw(&styled))?;
    if sides.published != sides.local {
        match sides.beyond {
            Beyond::Same => {}
            Beyond::Different => context.printer.note(&format!("note: {HIDDEN} differ too")),
            Beyond::Unknown => context
                .printer
                .note(&format!("note: {HIDDEN} may differ too")),
        }
    }
    Ok(if args.exit_code && !sides.are_same() {
        Exit::Failed
    } else {
        Exit::Done
    })
}

/// What has no line in a manifest.
const HIDDEN: &str = "parts that a manifest does not show, such as where a policy is attached,";

/// How the sides compare in what a manifest does not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beyond {
    Same,
    Different,
    /// The manifests differ in more than the version, so the hash tells nothing.
    Unknown,
}

impl Beyond {
    fn word(self) -> &'static str {
        match self {
            Beyond::Same => "same",
            Beyond::Different => "different",
            Beyond::Unknown => "unknown",
        }
    }
}

/// The published side and the local one.
struct Sides {
    reference: String,
    path: String,
    published: String,
    local: String,
    published_hash: String,
    local_hash: String,
    beyond: Beyond,
}

impl Sides {
    fn new(
        agent: &AgentRef,
        published: &GetAgentVersionResponse,
        path: String,
        local: &Local,
    ) -> Result<Self, Failure> {
        let failed = |what: &str, why: &dyn std::error::Error| {
            Failure::new(Exit::Failed, format!("read {what}")).because(why)
        };
        let manifest = Json::parse(&published.manifest);
        let manifest = manifest.map_err(|why| failed("published manifest", &why))?;
        let snapshot = local.snapshot()?;
        let hash = |snapshot: &Snapshot| {
            let canonical = snapshot.to_canonical();
            let (_, hash) = canonical.map_err(|why| failed("local snapshot", &why))?;
            Ok(hash.to_string())
        };
        // Whoever is about to publish has given it another version, which must not hide the rest.
        let mut unversioned = snapshot.clone();
        unversioned.agent.version.clone_from(&agent.version);
        let beyond = if hash(&unversioned)? == published.content_hash {
            Beyond::Same
        } else if publish::manifest(&unversioned) == manifest {
            Beyond::Different
        } else {
            Beyond::Unknown
        };
        Ok(Self {
            reference: reference::label(agent),
            path,
            published: text::pretty(&manifest),
            local: text::pretty(&publish::manifest(snapshot)),
            published_hash: published.content_hash.clone(),
            local_hash: hash(snapshot)?,
            beyond,
        })
    }

    fn are_same(&self) -> bool {
        self.published == self.local && self.beyond == Beyond::Same
    }

    fn draw(&self, paint: &dyn Fn(Style, &str) -> String) -> String {
        let (reference, path) = (escape::inline(&self.reference), escape::inline(&self.path));
        if self.are_same() {
            return format!("No differences. local manifest matches {reference}\n");
        }
        if self.published == self.local {
            return format!(
                "The manifests are the same, but local content differs from {reference} in what a \
                 manifest does not show, such as where a policy is attached\n\
                 content_hash: {} (published)\n\
                 content_hash: {} (local)\n",
                escape::inline(&self.published_hash),
                self.local_hash
            );
        }
        let lines = lines::compare(&self.published, &self.local);
        let mut out = vec![
            paint(Style::Red, &format!("--- {reference} (published)")),
            paint(Style::Green, &format!("+++ {path} (local)")),
        ];
        for hunk in lines::hunks(&lines) {
            let ((a, b), (c, d)) = (hunk.old, hunk.new);
            out.push(paint(Style::Cyan, &format!("@@ -{a},{b} +{c},{d} @@")));
            out.extend(hunk.lines.iter().map(|line| match line {
                Line::Same(text) => format!("  {text}"),
                Line::Gone(text) => paint(Style::Red, &format!("- {text}")),
                Line::New(text) => paint(Style::Green, &format!("+ {text}")),
            }));
        }
        let summary = format!(
            "Summary: {}, {}",
            counted(lines::additions(&lines), "addition"),
            counted(lines::deletions(&lines), "deletion")
        );
        out.push(String::new());
        out.push(paint(Style::Bold, &summary));
        out.join("\n") + "\n"
    }

    fn to_json(&self, plain: &dyn Fn(Style, &str) -> String) -> Json {
        let lines = lines::compare(&self.published, &self.local);
        let count = |it: usize| Json::from(i64::try_from(it).unwrap_or(i64::MAX));
        let differ = self.published != self.local;
        Json::from_members([
            ("agent", Json::from(self.reference.as_str())),
            ("manifest", Json::from(self.path.as_str())),
            ("same", Json::from(self.are_same())),
            ("published_hash", Json::from(self.published_hash.as_str())),
            ("local_hash", Json::from(self.local_hash.as_str())),
            ("beyond_manifest", Json::from(self.beyond.word())),
            ("additions", count(lines::additions(&lines))),
            ("deletions", count(lines::deletions(&lines))),
            ("diff", Json::from(differ.then(|| self.draw(plain)))),
        ])
    }
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::{Beyond, Sides, Style};
    use crate::render::text;

    fn sides(published: &str, local: &str) -> Sides {
        Sides {
            reference: "a/b@1.0.0".to_owned(),
            path: "./agent.yaml".to_owned(),
            published: published.to_owned(),
            local: local.to_owned(),
            published_hash: "00".to_owned(),
            local_hash: "00".to_owned(),
            beyond: Beyond::Same,
        }
    }

    fn plain(_: Style, text: &str) -> String {
        text.to_owned()
    }

    const OLD: &str = "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": 4,\n  \"e\": 5\n}";

    #[test]
    fn without_differences() {
        let sides = sides(OLD, OLD);
        assert!(sides.are_same());
        assert_eq!(
            sides.draw(&plain),
            "No differences. local manifest matches a/b@1.0.0\n"
        );
    }

    #[test]
    fn with_differences() {
        let new = OLD.replace("  \"e\": 5", "  \"e\": 6,\n  \"f\": \"<&>\"");
        let sides = sides(OLD, &new);
        assert!(!sides.are_same());
        expect![[r#"
            --- a/b@1.0.0 (published)
            +++ ./agent.yaml (local)
            @@ -3,5 +3,6 @@
                "b": 2,
                "c": 3,
                "d": 4,
            -   "e": 5
            +   "e": 6,
            +   "f": "<&>"
              }

            Summary: 2 additions, 1 deletion
        "#]]
        .assert_eq(&sides.draw(&plain));
    }

    #[test]
    fn in_colour() {
        let marked = |style: Style, text: &str| format!("[{style:?} {text}]");
        expect![[r"
            [Red --- a/b@1.0.0 (published)]
            [Green +++ ./agent.yaml (local)]
            [Cyan @@ -1,2 +1,2 @@]
              x
            [Red - y]
            [Green + z]

            [Bold Summary: 1 addition, 1 deletion]
        "]]
        .assert_eq(&sides("x\ny", "x\nz").draw(&marked));
    }

    #[test]
    fn what_a_manifest_does_not_show_is_no_match() {
        let sides = Sides {
            local_hash: "01".to_owned(),
            beyond: Beyond::Different,
            ..sides(OLD, OLD)
        };
        assert!(!sides.are_same());
        expect![[r"
            The manifests are the same, but local content differs from a/b@1.0.0 in what a manifest does not show, such as where a policy is attached
            content_hash: 00 (published)
            content_hash: 01 (local)
        "]]
        .assert_eq(&sides.draw(&plain));
    }

    #[test]
    fn as_data() {
        expect![[r#"{"additions":1,"agent":"a/b@1.0.0","beyond_manifest":"same","deletions":0,"diff":"--- a/b@1.0.0 (published)\n+++ ./agent.yaml (local)\n@@ -1,1 +1,2 @@\n  x\n+ y\n\nSummary: 1 addition, 0 deletions\n","local_hash":"00","manifest":"./agent.yaml","published_hash":"00","same":false}"#]]
            .assert_eq(&text::compact(&sides("x", "x\ny").to_json(&plain)));
    }
}
