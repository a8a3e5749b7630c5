//! Diagnostics as text for people, with the lines that they are about. Knows nothing of terminals
//! beyond colour.

use std::collections::{BTreeMap, BTreeSet};

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
    let mut sources: BTreeMap<&str, Option<String>> = BTreeMap::new();
    for diagnostic in diagnostics {
        let places = std::iter::once(diagnostic.file.as_str());
        let places: Vec<_> = places
            .chain(diagnostic.related.iter().map(|it| it.file.as_str()))
            .collect();
        sources.retain(|file, _| places.contains(file));
        for file in places {
            sources.entry(file).or_insert_with(|| source(file));
        }
        let text_of = |file: &str| sources.get(file).and_then(Option::as_deref);
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let title = level
            .primary_title(&diagnostic.message)
            .id(diagnostic.code.as_str());
        let place = Place::of(diagnostic);
        let is_secret = secret.contains(&line_of(diagnostic));
        let text = text_of(&diagnostic.file).filter(|_| !is_secret);
        let mut group = place.shown(Group::with_title(title), text);
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(help));
        }
        let mut groups = vec![group];
        for related in &diagnostic.related {
            let place = Place {
                file: &related.file,
                span: related.span,
                field: &related.field,
            };
            let line = (related.file.as_str(), related.span.map(|span| span.line));
            let text = text_of(&related.file).filter(|_| !secret.contains(&line));
            let title = Level::NOTE.secondary_title(&related.message);
            groups.push(place.shown(Group::with_title(title), text));
        }
        out.push_str(&renderer.render(&groups));
        out.push_str("\n\n");
    }
    out
}

/// A place that is drawn.
struct Place<'a> {
    file: &'a str,
    span: Option<Span>,
    field: &'a str,
}

impl<'a> Place<'a> {
    fn of(diagnostic: &'a Diagnostic) -> Self {
        Self {
            file: &diagnostic.file,
            span: diagnostic.span,
            field: &diagnostic.field,
        }
    }

    /// The place with its line, if that can be shown.
    fn shown(&self, group: Group<'a>, text: Option<&'a str>) -> Group<'a> {
        let shown = text.zip(self.span);
        let Some(Excerpt { text, from, to }) = shown.and_then(|(text, span)| excerpt(text, span))
        else {
            return group.element(self.origin());
        };
        let line = self.span.map_or(1, |span| span.line);
        let mark = AnnotationKind::Primary.span(from..to);
        let mark = if self.field.is_empty() {
            mark
        } else {
            mark.label(self.field)
        };
        let snippet = Snippet::source(text)
            .line_start(usize::try_from(line).unwrap_or(1))
            .path(on_one_line(self.file))
            .annotation(mark);
        group.element(snippet)
    }

    /// The place without its source.
    fn origin(&self) -> Origin<'a> {
        let origin = Origin::path(on_one_line(self.file));
        let Some(span) = self.span else {
            return origin;
        };
        let number = |value: u32| usize::try_from(value).unwrap_or(usize::MAX);
        origin
            .line(number(span.line))
            .char_column(number(span.column))
    }
}

fn line_of(diagnostic: &Diagnostic) -> (&str, Option<u32>) {
    (&diagnostic.file, diagnostic.span.map(|span| span.line))
}

/// A path on one line: a name with a line feed in it must not look like a place of its own.
fn on_one_line(path: &str) -> String {
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    path.chars().map(visible).collect()
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
