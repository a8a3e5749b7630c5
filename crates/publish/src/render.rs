//! Diagnostics as text for people, with the lines that they are about. Knows nothing of terminals
//! beyond colour.

use std::collections::BTreeSet;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::diagnostics::e0704;

/// The most bytes of source that are shown of one place.
const SHOWN_BYTES_MAX: usize = 2000;

/// Draws diagnostics for people. `source` gives the text of a file by its path.
#[must_use]
pub fn render(
    diagnostics: &[Diagnostic],
    source: &dyn Fn(&str) -> Option<String>,
    color: bool,
) -> String {
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut out = String::new();
    let secret: BTreeSet<_> = diagnostics
        .iter()
        .filter(|it| it.code == e0704::CODE)
        .map(line_of)
        .collect();
    // Diagnostics come file by file.
    let mut last: Option<(&str, Option<String>)> = None;
    for diagnostic in diagnostics {
        let file = diagnostic.file.as_str();
        if last.as_ref().is_none_or(|(of, _)| *of != file) {
            last = Some((file, source(file)));
        }
        let text = last.as_ref().and_then(|(_, text)| text.as_deref());
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let title = level
            .primary_title(&diagnostic.message)
            .id(diagnostic.code.as_str());
        let shown = text.zip(diagnostic.span);
        let shown = shown.filter(|_| !secret.contains(&line_of(diagnostic)));
        let shown = shown.and_then(|(text, span)| excerpt(text, span));
        let mut group = Group::with_title(title);
        group = match shown {
            Some(Excerpt { text, from, to }) => {
                let line = diagnostic.span.map_or(1, |span| span.line);
                let mark = AnnotationKind::Primary.span(from..to);
                let mark = if diagnostic.field.is_empty() {
                    mark
                } else {
                    mark.label(&diagnostic.field)
                };
                let snippet = Snippet::source(text)
                    .line_start(usize::try_from(line).unwrap_or(1))
                    .path(on_one_line(&diagnostic.file))
                    .annotation(mark);
                group.element(snippet)
            }
            None => group.element(origin(diagnostic)),
        };
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(help));
        }
        out.push_str(&renderer.render(&[group]));
        out.push_str("\n\n");
    }
    out
}

fn line_of(diagnostic: &Diagnostic) -> (&str, Option<u32>) {
    (&diagnostic.file, diagnostic.span.map(|span| span.line))
}

/// A path on one line: a name with a line feed in it must not look like a place of its own.
fn on_one_line(path: &str) -> String {
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    path.chars().map(visible).collect()
}

/// The place without its source.
fn origin(diagnostic: &Diagnostic) -> Origin<'_> {
    let origin = Origin::path(on_one_line(&diagnostic.file));
    let Some(span) = diagnostic.span else {
        return origin;
    };
    let number = |value: u32| usize::try_from(value).unwrap_or(usize::MAX);
    origin
        .line(number(span.line))
        .char_column(number(span.column))
}

struct Excerpt<'a> {
    text: &'a str,
    from: usize,
    to: usize,
}

/// The first line of a span, and where in it the span lies; `None` when the text has no such place
/// or the line is too long to show.
fn excerpt(text: &str, span: Span) -> Option<Excerpt<'_>> {
    let window = span.start.saturating_sub(SHOWN_BYTES_MAX);
    let before = text.as_bytes().get(window..span.start)?;
    let start = match before.iter().rposition(|byte| *byte == b'\n') {
        Some(at) => window.saturating_add(at).saturating_add(1),
        None if window == 0 => 0,
        None => return None,
    };
    let rest = text.get(start..)?;
    let end = rest
        .bytes()
        .take(SHOWN_BYTES_MAX)
        .position(|byte| matches!(byte, b'\n' | b'\r'));
    let end = match end {
        Some(end) => end,
        None if rest.len() < SHOWN_BYTES_MAX => rest.len(),
        None => return None,
    };
    let line = rest.get(..end)?;
    let from = span.start.saturating_sub(start).min(line.len());
    let to = span.end.saturating_sub(start).min(line.len());
    Some(Excerpt {
        text: line,
        from,
        to: to.max(from),
    })
}
