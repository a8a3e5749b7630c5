//! The documents in `docs/documents.md` are compiled, and `docs/diagnostics.md` is written here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use expect_test::expect_file;
use spec::Json;

use super::{disk, format};
use crate::diagnostics::codes;
use crate::{Diagnostic, MemoryFiles, Severity, compile, explain, policy_tests};

/// Codes that say that something is right and not enforced yet.
const NOT_YET: [&str; 1] = ["E0207"];
/// Fields that a fragment shows as a whole.
const WHOLE: [&str; 2] = ["conditions", "decision"];
const MANIFEST: &str = "agent.yaml";

/// The fenced blocks of the page: the path in their first line, and the rest.
fn blocks() -> Vec<(String, String)> {
    let page = disk::text("docs/documents.md");
    let mut blocks = Vec::new();
    for block in page.split("\n```").skip(1).step_by(2) {
        let (language, rest) = block.split_once('\n').unwrap();
        if matches!(language, "yaml" | "json") {
            let (path, text) = rest.split_once('\n').unwrap();
            let path = path
                .strip_prefix("# ")
                .unwrap_or_else(|| panic!("no path: {rest}"));
            blocks.push((path.to_owned(), text.to_owned()));
        }
    }
    blocks
}

/// `base` with what `part` says instead; a null takes a field out, and what only makes sense as a whole
/// replaces what was there.
fn merged(base: &Json, part: &Json) -> Json {
    let (Json::Object(base), Json::Object(part)) = (base, part) else {
        return part.clone();
    };
    let mut all = base.clone();
    for (key, value) in part {
        let value = match all.get(key) {
            _ if *value == Json::Null => {
                all.remove(key);
                continue;
            }
            Some(under) if !WHOLE.contains(&key.as_str()) => merged(under, value),
            Some(_) | None => value.clone(),
        };
        all.insert(key.clone(), value);
    }
    Json::Object(all)
}

/// What compiling every block of the page finds, but for warnings.
fn errors() -> Vec<Diagnostic> {
    let blocks = blocks();
    // Whole files are there from the beginning, so that a fragment may refer to a later one.
    let is_whole = |path: &str, text: &str| {
        text.contains("apiVersion:") || path.starts_with("schemas/") || path.starts_with("prompts/")
    };
    let files: BTreeMap<String, String> = blocks
        .iter()
        .filter(|(path, text)| is_whole(path, text) && path != "bundle.yaml")
        .cloned()
        .collect();
    let mut found = Vec::new();
    let mut judge = |files: &BTreeMap<String, String>, what: &str| {
        let files: MemoryFiles = files.clone().into_iter().collect();
        let errors = compile(&files, MANIFEST).diagnostics.into_iter();
        let errors: Vec<_> = errors.filter(|it| it.severity == Severity::Error).collect();
        // What is refused for that reason leaves further errors behind.
        let later = errors
            .iter()
            .filter(|it| NOT_YET.contains(&it.code.as_str()));
        let later: Vec<_> = later.cloned().collect();
        assert!(errors.is_empty() || !later.is_empty(), "{what}\n{errors:?}");
        found.extend(later);
    };
    judge(&files, "the whole files");
    for (path, text) in &blocks {
        if path == "bundle.yaml" {
            format::takes(path, text);
        } else if path.starts_with("tests/") {
            let tests = policy_tests(path, text.as_bytes()).unwrap();
            assert_eq!(tests.agent, "../agent.yaml");
        } else if !is_whole(path, text) {
            let is_member = path == "member.yaml";
            let base = if is_member { MANIFEST } else { path.as_str() };
            let base = format::json(base, &files[base]);
            let document = merged(&base, &format::json(path, text)).to_canonical();
            format::takes(path, &document);
            if !is_member {
                let mut files = files.clone();
                files.insert(path.clone(), document);
                judge(&files, text);
            }
        }
    }
    for (path, text) in files
        .iter()
        .filter(|(_, text)| text.contains("apiVersion:"))
    {
        format::takes(path, text);
    }
    found
}

#[test]
fn the_page_has_every_kind_of_block() {
    let paths: BTreeSet<_> = blocks().into_iter().map(|(path, _)| path).collect();
    for path in [
        "agent.yaml",
        "bundle.yaml",
        "member.yaml",
        "tools/issue-refund.yaml",
    ] {
        assert!(paths.contains(path), "{path}");
    }
    assert!(blocks().len() > 20, "{}", blocks().len());
}

/// Every field of the format is somewhere on the page.
#[test]
fn the_page_names_every_field() {
    let page = disk::text("docs/documents.md");
    let schema = crate::format_schema(None);
    let definitions = schema.get("$defs").and_then(Json::as_object).unwrap();
    for (name, definition) in definitions {
        let fields = definition.get("properties").and_then(Json::as_object);
        for field in fields.into_iter().flatten().map(|(field, _)| field) {
            let is_there = page.contains(field.as_str());
            assert!(is_there, "{name}.{field}");
        }
    }
}

const GROUPS: [(&str, &str); 8] = [
    ("E01", "Files"),
    ("E02", "Fields and values"),
    ("E03", "References and versions"),
    ("E04", "Schemas"),
    ("E05", "Bindings"),
    ("E06", "Policies"),
    ("E07", "Models, secrets and what comes later"),
    ("E08", "Bundles"),
];

/// What a code says in one paragraph, on one line.
fn first_paragraph(code: &str) -> String {
    let text = explain(code).unwrap();
    text.split("\n\n").next().unwrap().replace('\n', " ")
}

/// Run the tests with `UPDATE_EXPECT=1` to write the page anew.
#[test]
fn every_code_is_on_its_page() {
    let mut page = "\
# Diagnostics

Every mistake in a document that is told apart, by its stable code. `ordain explain CODE` says more
about one. Errors keep a bundle from being published; warnings do not, unless `--deny-warnings` is
given. This page is written by a test of the `publish` crate.
"
    .to_owned();
    let mut listed = 0;
    for (prefix, title) in GROUPS {
        let codes = codes()
            .into_iter()
            .filter(|it| it.as_str().starts_with(prefix));
        let codes: Vec<_> = codes.collect();
        if codes.is_empty() {
            continue;
        }
        write!(page, "\n## {title}\n\n| code | |\n|---|---|\n").unwrap();
        for code in codes {
            let text = first_paragraph(code.as_str()).replace('|', "\\|");
            writeln!(page, "| `{code}` | {text} |").unwrap();
            listed += 1;
        }
    }
    assert_eq!(listed, codes().len(), "a code belongs to no group");
    page.push_str(
        "
## Not yet

What [documents.md](documents.md) describes and this version refuses, so that no document promises a
check that nobody makes.

",
    );
    let later = not_yet();
    for line in &later {
        writeln!(page, "- {line}").unwrap();
    }
    if later.is_empty() {
        page.push_str("Nothing.\n");
    }
    expect_file!["../../../../docs/diagnostics.md"].assert_eq(&page);
}

/// Fields that no reader takes yet, and values that the examples of the page are refused for.
fn not_yet() -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    let mut fields = BTreeSet::new();
    for shape in format::shapes() {
        for field in shape.unsupported {
            lines.insert(format!("`{field}` in {}", shape.what));
            fields.insert(format!("`{field}` is not supported by this version yet"));
        }
    }
    for it in errors()
        .into_iter()
        .filter(|it| !fields.contains(&it.message))
    {
        lines.insert(format!("`{}`: {}", it.field, it.message));
    }
    lines
}
