//! Workflow commands: `::error file=…,line=…,col=…,title=…::message`. Knows how GitHub escapes them.

use publish::{Diagnostic, Severity};

use super::Findings;
use crate::render::escape;

/// A line for each finding.
pub(super) fn commands(findings: &Findings<'_>) -> String {
    let lines = findings.diagnostics.iter().map(|it| command(findings, it));
    lines.collect()
}

fn command(findings: &Findings<'_>, diagnostic: &Diagnostic) -> String {
    let mut properties = vec![("file", findings.path(&diagnostic.file))];
    if let Some(region) = findings.region(diagnostic) {
        properties.push(("line", region.line.to_string()));
        properties.push(("endLine", region.end_line.to_string()));
        properties.push(("col", region.column.to_string()));
        // Over several lines GitHub has no use for the second column.
        if region.line == region.end_line {
            properties.push(("endColumn", region.end_column.to_string()));
        }
    }
    let title = if diagnostic.field.is_empty() {
        diagnostic.code.to_string()
    } else {
        format!("{} {}", diagnostic.code, diagnostic.field)
    };
    properties.push(("title", title));
    let properties: Vec<_> = properties
        .iter()
        .map(|(name, value)| format!("{name}={}", property(&escape::inline(value))))
        .collect();
    let mut message = diagnostic.message.clone();
    if let Some(help) = &diagnostic.help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    for related in &diagnostic.related {
        let path = findings.path(&related.file);
        let line = related.span.map(|it| format!(":{}", it.line));
        let line = line.unwrap_or_default();
        message.push_str(&format!("\nnote: {path}{line}: {}", related.message));
    }
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let message = data(&escape::block(&message));
    format!("::{level} {}::{message}\n", properties.join(","))
}

/// A message: what would end the line is written otherwise.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A property: what would end it, too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::findings::tests::check;

    #[test]
    fn a_line_for_each_finding() {
        let lines = check(super::commands);
        expect![[r#"
            ::warning file=agents/shop/agent.yaml,line=3,endLine=3,col=51,endColumn=57,title=E0211 metadata.version::`v1.0.0` is read as version 1.0.0%0Ahelp: write 1.0.0
            ::error file=agents/shop/agent.yaml,line=8,endLine=8,col=12,endColumn=44,title=E0204 spec.session::unknown value `a,b: 100%25%0A::error::gone\u{202e}`%0Ahelp: one of conversation, single_turn
            ::error file=agents/shop/agent.yaml,line=9,endLine=9,col=3,endColumn=9,title=E0201 spec.purpos::unknown field `purpos` in an Agent's spec%0Ahelp: did you mean `purpose`?
            ::error file=agents/shop/tools/a b%25.yaml,line=1,endLine=1,col=1,endColumn=1,title=E0106::the file holds no document%0Ahelp: write one, or take the file away
        "#]].assert_eq(&lines);
        assert!(
            lines
                .lines()
                .all(|it| it.starts_with("::error ") || it.starts_with("::warning "))
        );
    }
}
