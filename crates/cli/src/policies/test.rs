//! `policies test`: judges the cases of test files against the agents that they name. Asks a runtime
//! only for what the agents' files refer to and do not have; nothing is published.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use publish::{Expectation, PolicyTests};
use session::{Plan, Settings};
use spec::{Json, VersionId};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::local;
use crate::policy_test::{self, Actual};
use crate::render::{Format, Output, Style, escape};

/// What the names of test files end with.
const ENDINGS: [&str; 2] = [".policytest.yaml", ".policytest.yml"];
/// How deep folders are searched, and how many files are taken; more is a wrong path.
const DEPTH_MAX: usize = 32;
const FILES_MAX: usize = 10_000;
/// More than the reader takes, so that it is the one that refuses.
const BYTES_MAX: u64 = 8 * 1024 * 1024;

/// Check what the policies say about calls that are written down in *.policytest.yaml files.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain policies test tests/refund.policytest.yaml\n  ordain policies test my-agent -o json\n\nA test file:\n  agent: ../agent.yaml\n  cases:\n    - name: big refund asks a person\n      tool: payments.issue-refund\n      args: {order_id: A-1, amount: 900, currency: EUR}\n      expect: {verdict: require_approval, policies: [payments.refund-approval-boundary]}"
)]
pub(crate) struct Args {
    /// Test files, and folders that are searched for them.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    output: Output,
}

/// One case that was judged.
struct Judged {
    file: String,
    line: Option<u32>,
    name: String,
    expect: Expectation,
    actual: Actual,
    misses: Vec<String>,
}

pub(crate) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let mut files = Vec::new();
    for path in &args.paths {
        find(path, &mut files)?;
    }
    files.dedup();
    if files.is_empty() {
        let message = "no *.policytest.yaml file is there";
        return Err(Failure::new(Exit::NotFound, message));
    }
    let mut plans: BTreeMap<PathBuf, Option<Plan>> = BTreeMap::new();
    let mut judged = Vec::new();
    let mut invalid = 0_usize;
    for file in &files {
        let Some(tests) = read(file, context)? else {
            invalid = invalid.saturating_add(1);
            continue;
        };
        let folder = file.parent().unwrap_or(Path::new(""));
        let agent = folder.join(&tests.agent);
        if !plans.contains_key(&agent) {
            plans.insert(agent.clone(), plan(&agent, context).await?);
        }
        match plans.get(&agent) {
            Some(Some(plan)) => judged.extend(judge(file, tests, plan)),
            Some(None) | None => invalid = invalid.saturating_add(1),
        }
    }
    report(&judged, invalid, args.output.format, context)?;
    Ok(if invalid > 0 {
        Exit::Invalid
    } else if judged.iter().any(|it| !it.misses.is_empty()) {
        Exit::Failed
    } else {
        Exit::Done
    })
}

/// Adds the test files at `path`. A file that is named is taken whatever it is called.
fn find(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let kind = fs::metadata(path).map_err(|why| unreadable(path, &why))?;
    if kind.is_dir() {
        return search(path, 0, files);
    }
    files.push(path.to_owned());
    Ok(())
}

/// Links are not followed, so that no folder is searched for ever.
fn search(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let failed = |why: io::Error| unreadable(folder, &why);
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        entries.push((entry.path(), entry.file_type().map_err(failed)?));
    }
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (path, kind) in entries {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if kind.is_dir() && !name.starts_with('.') && depth < DEPTH_MAX {
            search(&path, depth.saturating_add(1), files)?;
        } else if kind.is_file() && ENDINGS.iter().any(|it| name.ends_with(it)) {
            files.push(path);
        }
        if files.len() > FILES_MAX {
            let message = format!("more than {FILES_MAX} test files");
            return Err(Failure::new(Exit::Failed, message));
        }
    }
    Ok(())
}

fn unreadable(path: &Path, why: &io::Error) -> Failure {
    let exit = match why.kind() == io::ErrorKind::NotFound {
        true => Exit::NotFound,
        false => Exit::Failed,
    };
    Failure::new(exit, format!("read {}", path.display())).because(why)
}

/// The cases of a file; `None` when it is no sound test file, which has been drawn.
fn read(path: &Path, context: &Context) -> Result<Option<PolicyTests>, Failure> {
    // Opening a pipe would wait for a writer, so the kind is looked at first.
    let kind = fs::metadata(path).map_err(|why| unreadable(path, &why))?;
    if !kind.is_file() {
        let why = io::Error::other("it is not a regular file");
        return Err(unreadable(path, &why));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|why| unreadable(path, &why))?;
    file.take(BYTES_MAX)
        .read_to_end(&mut bytes)
        .map_err(|why| unreadable(path, &why))?;
    let name = path.display().to_string();
    match publish::policy_tests(&name, &bytes) {
        Ok(tests) => Ok(Some(tests)),
        Err(found) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let source = |_: &str| Some(text.clone());
            let drawn = publish::render(&found, &source, context.printer.err_has_color());
            context.printer.diagnostics(&escape::hidden(&drawn));
            Ok(None)
        }
    }
}

/// The agent's plan; `None` when its bundle is invalid, which has been drawn.
async fn plan(agent: &Path, context: &Context) -> Result<Option<Plan>, Failure> {
    let local = local::compile(agent, context).await?;
    let Some(snapshot) = local.compiled.snapshot.clone() else {
        local.report(context);
        return Ok(None);
    };
    let version = VersionId::new("test");
    let plan = Plan::compile(version, snapshot, Settings::STANDARD)
        .map_err(|why| Failure::new(Exit::Failed, "compile the policies").because(&why))?;
    Ok(Some(plan))
}

fn judge(file: &Path, tests: PolicyTests, plan: &Plan) -> Vec<Judged> {
    let one = |case: publish::PolicyCase| {
        let actual = policy_test::judge(plan, &case);
        Judged {
            file: file.display().to_string(),
            line: case.span.map(|it| it.line),
            name: case.name,
            misses: policy_test::misses(&case.expect, &actual),
            expect: case.expect,
            actual,
        }
    };
    tests.cases.into_iter().map(one).collect()
}

fn report(
    judged: &[Judged],
    invalid: usize,
    format: Format,
    context: &Context,
) -> Result<(), Failure> {
    let failed = judged.iter().filter(|it| !it.misses.is_empty()).count();
    let passed = judged.len().saturating_sub(failed);
    let items: Vec<_> = judged.iter().map(to_json).collect();
    let data = Json::from_members([
        ("items", Json::from(items)),
        ("passed", count(passed)),
        ("failed", count(failed)),
        ("invalid_files", count(invalid)),
    ]);
    context.printer.data(format, &data, || {
        let mut text = String::new();
        let mut last = "";
        for it in judged {
            if it.file != last {
                last = &it.file;
                text.push_str(&format!("{}\n", escape::inline(last)));
            }
            draw(it, context, &mut text);
        }
        let unread = match invalid {
            0 => String::new(),
            _ => format!(", {invalid} invalid file(s)"),
        };
        text.push_str(&format!("{passed} passed, {failed} failed{unread}\n"));
        text
    })
}

fn count(number: usize) -> Json {
    Json::from(u64::try_from(number).unwrap_or(u64::MAX))
}

fn draw(it: &Judged, context: &Context, text: &mut String) {
    let name = escape::inline(&it.name);
    if it.misses.is_empty() {
        let head = context.printer.styled(Style::Green, "ok");
        text.push_str(&format!("  {head}    {name}\n"));
        return;
    }
    let head = context.printer.styled(Style::Red, "FAIL");
    let line = it
        .line
        .map(|it| format!(" (line {it})"))
        .unwrap_or_default();
    text.push_str(&format!("  {head}  {name}{line}\n"));
    for miss in &it.misses {
        text.push_str(&format!("          {}\n", escape::inline(miss)));
    }
    for reason in &it.actual.reasons {
        text.push_str(&format!("          because: {}\n", escape::inline(reason)));
    }
    let policies = it.actual.explain.as_ref().and_then(|it| it.get("policies"));
    for policy in policies.and_then(Json::as_array).unwrap_or_default() {
        let word = |key: &str| policy.get(key).and_then(Json::as_str).unwrap_or_default();
        let (id, decision, why) = (word("policy"), word("decision"), word("why"));
        let line = format!("{decision} {id}: {why}");
        text.push_str(&format!("          {}\n", escape::inline(&line)));
    }
}

fn to_json(it: &Judged) -> Json {
    let texts = |list: &[String]| {
        Json::from(
            list.iter()
                .map(|it| Json::from(it.as_str()))
                .collect::<Vec<_>>(),
        )
    };
    let verdicts = it.actual.verdicts.iter().map(|it| Json::from(it.as_str()));
    let policies: Vec<_> = it.actual.policies.iter().map(ToString::to_string).collect();
    let expected = Json::from_members([
        ("verdict", Json::from(it.expect.verdict.as_str())),
        (
            "policies",
            Json::from(it.expect.policies.as_deref().map(texts)),
        ),
        (
            "approvals_required",
            Json::from(it.expect.approvals_required),
        ),
    ]);
    let actual = Json::from_members([
        ("verdicts", Json::from(verdicts.collect::<Vec<_>>())),
        ("policies", texts(&policies)),
        (
            "approvals_required",
            Json::from(it.actual.approvals_required),
        ),
        ("reasons", texts(&it.actual.reasons)),
        ("explain", Json::from(it.actual.explain.clone())),
    ]);
    Json::from_members([
        ("file", Json::from(it.file.as_str())),
        ("line", Json::from(it.line)),
        ("name", Json::from(it.name.as_str())),
        ("passed", Json::from(it.misses.is_empty())),
        ("misses", texts(&it.misses)),
        ("expected", expected),
        ("actual", actual),
    ])
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use clap::Parser as _;

    use super::{Args, find, run};
    use crate::cli::Cli;
    use crate::context::Context;
    use crate::environment::Environment;
    use crate::exit::Exit;
    use crate::render::{Format, Output};

    async fn check(paths: &[&Path]) -> Exit {
        let cli = Cli::parse_from(["ordain", "--quiet", "status"]);
        let context = Context::new("ordain".to_owned(), &cli.global, Environment::default());
        let args = Args {
            paths: paths.iter().map(|it| (*it).to_owned()).collect(),
            output: Output {
                format: Format::Json,
            },
        };
        let exit = run(&args, &context).await;
        exit.unwrap_or_else(|failure| failure.exit)
    }

    #[tokio::test]
    async fn the_examples_keep_their_tests() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        assert_eq!(check(&[&examples]).await, Exit::Done);
    }

    #[tokio::test]
    async fn where_there_is_no_test_nothing_has_passed() {
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(check(&[empty.path()]).await, Exit::NotFound);
        assert_eq!(
            check(&[&empty.path().join("missing")]).await,
            Exit::NotFound
        );
        let strange = empty.path().join("a.policytest.yaml");
        fs::write(&strange, "agent: agent.yaml\ncases: [{nme: x}]\n").unwrap();
        assert_eq!(check(&[empty.path()]).await, Exit::Invalid);
        let text = "agent: agent.yaml\ncases: [{name: x, tool: x, expect: {verdict: allow}}]\n";
        fs::write(&strange, text).unwrap();
        assert_eq!(check(&[empty.path()]).await, Exit::NotFound);
    }

    #[test]
    fn folders_are_searched_and_named_files_taken() {
        let outer = tempfile::tempdir().unwrap();
        let at = |path: &str| outer.path().join(path);
        for folder in ["b/deep", ".git"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for path in [
            "b/deep/x.policytest.yml",
            "b/a.policytest.yaml",
            ".git/y.policytest.yaml",
            "b/policy.yaml",
        ] {
            fs::write(at(path), "").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(outer.path(), at("b/loop")).unwrap();
        let mut files: Vec<PathBuf> = Vec::new();
        find(outer.path(), &mut files).unwrap();
        assert_eq!(
            files,
            [at("b/a.policytest.yaml"), at("b/deep/x.policytest.yml")]
        );
        find(&at("b/policy.yaml"), &mut files).unwrap();
        assert_eq!(files.last(), Some(&at("b/policy.yaml")));
    }
}
