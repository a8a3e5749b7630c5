//! What is wrong with documents, for programs: as data, as SARIF, as commands of GitHub's workflows.
//! Knows diagnostics and these forms; how people see them is drawn in the `publish` crate.

mod github;
mod sarif;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use publish::{Diagnostic, Severity, Span};
use spec::Json;

use crate::context::Context;
use crate::failure::Failure;
use crate::render::{self, plain_path};

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people, with the lines that they are about.
    #[value(alias = "table")]
    Text,
    /// JSON, with stable field names.
    Json,
    /// The same as YAML.
    Yaml,
    /// SARIF 2.1.0, which code scanning takes.
    Sarif,
    /// Workflow commands, which GitHub shows beside the changed lines.
    Github,
}

/// The flag that chooses the form.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Output {
    /// How what was found is printed.
    #[arg(
        short = 'o',
        long = "output",
        alias = "format",
        value_name = "FORMAT",
        value_enum,
        default_value_t = Format::Text
    )]
    pub(crate) format: Format,
}

/// Diagnostics, and the texts that they are about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Findings<'a> {
    pub(crate) diagnostics: &'a [Diagnostic],
    /// By the paths that the diagnostics have.
    pub(crate) sources: &'a BTreeMap<String, Vec<u8>>,
    /// Where those paths begin, as the user named it.
    pub(crate) folder: &'a Path,
}

/// Where something begins and ends: lines and columns from 1, columns in characters. The end is the
/// place after the last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Region {
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

impl Findings<'_> {
    pub(crate) fn count(&self, severity: Severity) -> u64 {
        let found = self.diagnostics.iter();
        let count = found.filter(|it| it.severity == severity).count();
        u64::try_from(count).unwrap_or(u64::MAX)
    }

    /// Each finding as data, in the order in which people see them. `file` is the path from the
    /// bundle's root.
    pub(crate) fn items(&self) -> Json {
        let items = self.diagnostics.iter().map(|it| self.item(it));
        Json::from(items.collect::<Vec<_>>())
    }

    fn item(&self, diagnostic: &Diagnostic) -> Json {
        let region = self.region(diagnostic);
        Json::from_members([
            ("code", Json::from(diagnostic.code.as_str())),
            ("severity", Json::from(diagnostic.severity.to_string())),
            ("file", Json::from(diagnostic.file.as_str())),
            ("line", Json::from(region.map(|it| it.line))),
            ("column", Json::from(region.map(|it| it.column))),
            ("end_line", Json::from(region.map(|it| it.end_line))),
            ("end_column", Json::from(region.map(|it| it.end_column))),
            ("field", Json::from(diagnostic.field.as_str())),
            ("message", Json::from(diagnostic.message.as_str())),
            ("help", Json::from(diagnostic.help.as_deref())),
            ("related", self.related(diagnostic)),
        ])
    }

    fn related(&self, diagnostic: &Diagnostic) -> Json {
        let related = diagnostic.related.iter().map(|it| {
            let region = it.span.map(|span| self.region_of(&it.file, span));
            Json::from_members([
                ("file", Json::from(it.file.as_str())),
                ("line", Json::from(region.map(|it| it.line))),
                ("column", Json::from(region.map(|it| it.column))),
                ("field", Json::from(it.field.as_str())),
                ("message", Json::from(it.message.as_str())),
            ])
        });
        Json::from(related.collect::<Vec<_>>())
    }

    /// Prints what was found for a program; `whole` is the answer where it is plain data. `false`
    /// when it is people who read it, for whom nothing is printed here.
    pub(crate) fn print(
        &self,
        output: Output,
        whole: impl FnOnce() -> Json,
        context: &Context,
    ) -> Result<bool, Failure> {
        let data = |format, data: &Json| context.printer.data(format, data, String::new);
        match output.format {
            Format::Text => return Ok(false),
            Format::Json => data(render::Format::Json, &whole())?,
            Format::Yaml => data(render::Format::Yaml, &whole())?,
            Format::Sarif => data(render::Format::Json, &self.sarif())?,
            Format::Github => context.printer.out(&self.github())?,
        }
        Ok(true)
    }

    /// A SARIF log with one run.
    fn sarif(&self) -> Json {
        sarif::log(self)
    }

    /// A line for each finding.
    fn github(&self) -> String {
        github::commands(self)
    }

    fn region(&self, diagnostic: &Diagnostic) -> Option<Region> {
        let span = diagnostic.span?;
        Some(self.region_of(&diagnostic.file, span))
    }

    fn region_of(&self, file: &str, span: Span) -> Region {
        let source = self.sources.get(file);
        let text = source.and_then(|it| it.get(span.start..span.end));
        let text = String::from_utf8_lossy(text.unwrap_or_default());
        region(span, &text)
    }

    /// The path of a file as whoever runs the command would write it, with forward slashes.
    fn path(&self, file: &str) -> String {
        if publish::is_filed(file) {
            return file.to_owned();
        }
        let path = plain_path(&self.folder.join(file));
        let here = std::env::current_dir().unwrap_or_default();
        let below = path.strip_prefix(&here).map(PathBuf::from);
        let path = below.unwrap_or(path).display().to_string();
        path.replace(std::path::MAIN_SEPARATOR, "/")
    }
}

/// The place of `span`, whose text is `text`.
fn region(span: Span, text: &str) -> Region {
    let mut end_line = span.line;
    let mut end_column = span.column;
    for c in text.chars() {
        if c == '\n' {
            end_line = end_line.saturating_add(1);
            end_column = 1;
        } else {
            end_column = end_column.saturating_add(1);
        }
    }
    Region {
        line: span.line,
        column: span.column,
        end_line,
        end_column,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use expect_test::expect;
    use publish::{MemoryFiles, Span};

    use super::{Findings, Region, region};
    use crate::render::text;

    /// A bundle with an error that has a place and help, one whose text tries to get out of its
    /// place, a file as a whole, and a warning.
    pub(super) fn sample() -> BTreeMap<String, Vec<u8>> {
        let agent = "\
apiVersion: phrony.com/v1
kind: Agent
metadata: {name: clerk, namespace: shop, version: v1.0.0}
spec:
  purpose: é
  instructions: {text: Be fair.}
  model: {provider: stub, name: scripted}
  session: \"a,b: 100%\\n::error::gone\\u202e\"
  purpos: x
";
        let files = [
            ("agent.yaml", agent),
            ("tools/a b%.yaml", "# nothing yet\n"),
        ];
        let files = files.into_iter();
        files
            .map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()))
            .collect()
    }

    pub(super) fn check<R>(write: impl FnOnce(&Findings<'_>) -> R) -> R {
        let sources = sample();
        let files = MemoryFiles::from(sources.clone());
        let compiled = publish::compile(&files, "agent.yaml");
        write(&Findings {
            diagnostics: &compiled.diagnostics,
            sources: &sources,
            folder: Path::new("./agents/../agents/shop"),
        })
    }

    #[test]
    fn as_data() {
        let items = check(|it| text::pretty(&it.items()));
        expect![[r#"
            [
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
              },
              {
                "code": "E0204",
                "column": 12,
                "end_column": 44,
                "end_line": 8,
                "field": "spec.session",
                "file": "agent.yaml",
                "help": "one of conversation, single_turn",
                "line": 8,
                "message": "unknown value `a,b: 100%\n::error::gone\u202e`",
                "related": [],
                "severity": "error"
              },
              {
                "code": "E0201",
                "column": 3,
                "end_column": 9,
                "end_line": 9,
                "field": "spec.purpos",
                "file": "agent.yaml",
                "help": "did you mean `purpose`?",
                "line": 9,
                "message": "unknown field `purpos` in an Agent's spec",
                "related": [],
                "severity": "error"
              },
              {
                "code": "E0106",
                "column": 1,
                "end_column": 1,
                "end_line": 1,
                "field": "",
                "file": "tools/a b%.yaml",
                "help": "write one, or take the file away",
                "line": 1,
                "message": "the file holds no document",
                "related": [],
                "severity": "error"
              }
            ]"#]]
        .assert_eq(&items);
    }

    #[test]
    fn paths_are_those_of_whoever_asks() {
        let sources = BTreeMap::new();
        let here = std::env::current_dir().unwrap();
        let path = |folder: &Path| {
            let findings = Findings {
                diagnostics: &[],
                sources: &sources,
                folder,
            };
            findings.path("tools/a.yaml")
        };
        assert_eq!(path(Path::new(".")), "tools/a.yaml");
        assert_eq!(path(Path::new("../b/")), "../b/tools/a.yaml");
        assert_eq!(path(&here.join("b")), "b/tools/a.yaml");
        assert_eq!(path(Path::new("/elsewhere")), "/elsewhere/tools/a.yaml");
    }

    #[test]
    fn a_place_may_have_several_lines() {
        let span = Span {
            start: 10,
            end: 20,
            line: 3,
            column: 5,
        };
        let place = |end_line, end_column| Region {
            line: 3,
            column: 5,
            end_line,
            end_column,
        };
        assert_eq!(region(span, ""), place(3, 5));
        assert_eq!(region(span, "é日x"), place(3, 8));
        assert_eq!(region(span, "ab\r\ncd"), place(4, 3));
        assert_eq!(region(span, "ab\n"), place(4, 1));
    }
}
