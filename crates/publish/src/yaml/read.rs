//! YAML events to a tree. Works on events and not on a resolved tree, where anchors, aliases and
//! tags would be gone and numbers rounded.

use std::collections::BTreeMap;
use std::rc::Rc;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span as Marks};

use super::cursor::join;
use super::lines::Lines;
use super::scalar::{Core, resolve};
use super::{DEPTH_MAX, Entry, Kind, NODES_MAX, Node, Scalar, Style};
use crate::diagnostic::{Location, Sink, Span};
use crate::diagnostics::{e0102, e0103, e0104, e0105, e0106, e0203};

pub(super) fn read(file: &Rc<str>, text: &str, sink: &mut Sink) -> Option<Node> {
    let lines = Lines::new(text);
    if refuse_characters(file, &lines, sink) || refuse_directives(file, &lines, sink) {
        return None;
    }
    let mut builder = Builder {
        file,
        lines: &lines,
        sink,
        stack: Vec::new(),
        root: None,
        nodes: 0,
    };
    for event in Parser::new_from_str(lines.text) {
        let flow = match event {
            Ok((event, marks)) => builder.event(event, marks),
            Err(error) => builder.refuse(&error),
        };
        match flow {
            Flow::On => {}
            Flow::Stop => return builder.root,
            Flow::Fail => return None,
        }
    }
    if builder.root.is_none() {
        let top = Location::top(file);
        builder.sink.push(e0106::no_document(&top));
    }
    builder.root
}

/// Characters that the format does not have: readers pass over them, stop at them or hand them to a
/// terminal.
fn refuse_characters(file: &Rc<str>, lines: &Lines<'_>, sink: &mut Sink) -> bool {
    let is_odd = |(byte, c): &(usize, char)| match c {
        '\t' | '\n' => false,
        // Alone it ends a line of YAML, and of a comment, where a reader sees no end.
        '\r' => lines.text.as_bytes().get(byte.saturating_add(1)) != Some(&b'\n'),
        c => *c < ' ',
    };
    let Some((byte, found)) = lines.text.char_indices().find(is_odd) else {
        return false;
    };
    let at = Location {
        span: Some(lines.span(byte, byte.saturating_add(found.len_utf8()))),
        ..Location::file(file)
    };
    sink.push(e0103::control(&at, found));
    true
}

/// Directives change what the text below them means, or say that it is another YAML.
fn refuse_directives(file: &Rc<str>, lines: &Lines<'_>, sink: &mut Sink) -> bool {
    let mut start = 0_usize;
    for line in lines.text.split_inclusive('\n') {
        let written = line.trim_end();
        if written.starts_with('%') {
            let mut words = written.split_whitespace();
            if (words.next(), words.next()) != (Some("%YAML"), Some("1.2")) {
                let at = Location {
                    span: Some(lines.span(start, start.saturating_add(written.len()))),
                    ..Location::file(file)
                };
                sink.push(e0103::directive(&at, written));
                return true;
            }
        } else if !written.is_empty() && !written.trim_start().starts_with('#') {
            return false;
        }
        start = start.saturating_add(line.len());
    }
    false
}

enum Flow {
    On,
    /// What was built so far is worth checking; the rest is not read.
    Stop,
    Fail,
}

struct Builder<'a> {
    file: &'a Rc<str>,
    lines: &'a Lines<'a>,
    sink: &'a mut Sink,
    stack: Vec<Frame>,
    root: Option<Node>,
    nodes: usize,
}

/// A collection that is still open.
struct Frame {
    opened: Span,
    /// Whether it is written with brackets.
    flow: bool,
    body: Body,
}

enum Body {
    Sequence(Vec<Node>),
    Mapping {
        entries: Vec<Entry>,
        seen: BTreeMap<String, Span>,
        key: Key,
    },
}

enum Key {
    /// The next node is a key.
    Due,
    Read(String, Span),
    /// A key that was refused; its value is passed over.
    Refused,
}

impl Builder<'_> {
    fn event(&mut self, event: Event<'_>, marks: Marks) -> Flow {
        match event {
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Flow::On,
            Event::Alias(_) => {
                let span = self.span(marks);
                self.sink.push(e0104::alias(&self.at(span)));
                self.place(Node {
                    span,
                    kind: Kind::Broken,
                })
            }
            Event::Scalar(text, style, anchor, tag) => {
                let span = self.span(marks);
                self.refuse_decoration(span, anchor, tag.is_some());
                let style = match style {
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::Folded => Style::Folded,
                    ScalarStyle::SingleQuoted
                    | ScalarStyle::DoubleQuoted
                    | ScalarStyle::Literal => Style::Quoted,
                };
                let kind = if tag.is_some() {
                    Kind::Broken
                } else {
                    Kind::Scalar(Scalar {
                        text: text.into_owned(),
                        style,
                    })
                };
                self.place(Node { span, kind })
            }
            Event::SequenceStart(anchor, tag) => {
                self.open(marks, anchor, tag.is_some(), Body::Sequence(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                let body = Body::Mapping {
                    entries: Vec::new(),
                    seen: BTreeMap::new(),
                    key: Key::Due,
                };
                self.open(marks, anchor, tag.is_some(), body)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(marks),
        }
    }

    fn open(&mut self, marks: Marks, anchor: usize, tagged: bool, body: Body) -> Flow {
        let opened = self.span(marks);
        self.refuse_decoration(opened, anchor, tagged);
        if self.root.is_some() && self.stack.is_empty() {
            return self.second_document(opened);
        }
        if self.stack.len() >= DEPTH_MAX {
            // Its field would be as deep.
            let at = Location {
                field: String::new(),
                ..self.at(opened)
            };
            self.sink.push(e0102::too_deep(&at, DEPTH_MAX));
            return Flow::Fail;
        }
        let flow = !marks.is_empty();
        self.stack.push(Frame { opened, flow, body });
        Flow::On
    }

    fn close(&mut self, marks: Marks) -> Flow {
        let end = self.span(marks);
        let Some(frame) = self.stack.pop() else {
            return Flow::On;
        };
        let whole = Span {
            end: end.end.max(frame.opened.end),
            ..frame.opened
        };
        let (first, kind) = match frame.body {
            Body::Sequence(nodes) => (nodes.first().map(|it| it.span), Kind::Sequence(nodes)),
            Body::Mapping { entries, .. } => (
                entries.first().map(|it| it.key_span),
                Kind::Mapping(entries),
            ),
        };
        let span = if frame.flow {
            whole
        } else {
            first.unwrap_or(frame.opened)
        };
        self.place(Node { span, kind })
    }

    /// Puts a finished node where it belongs.
    fn place(&mut self, node: Node) -> Flow {
        self.nodes = self.nodes.saturating_add(1);
        if self.nodes > NODES_MAX {
            self.sink
                .push(e0102::too_many(&Location::top(self.file), NODES_MAX));
            return Flow::Fail;
        }
        let Some(frame) = self.stack.last_mut() else {
            return self.place_root(node);
        };
        match &mut frame.body {
            Body::Sequence(nodes) => nodes.push(node),
            Body::Mapping { entries, seen, key } => match std::mem::replace(key, Key::Due) {
                Key::Due => {
                    let at = node.span;
                    match read_key(node, seen) {
                        Ok(text) => *key = Key::Read(text, at),
                        Err(why) => {
                            *key = Key::Refused;
                            self.refuse_key(at, why);
                        }
                    }
                }
                Key::Read(text, key_span) => entries.push(Entry {
                    key: text,
                    key_span,
                    value: node,
                }),
                Key::Refused => {}
            },
        }
        Flow::On
    }

    fn place_root(&mut self, node: Node) -> Flow {
        if let Kind::Scalar(scalar) = &node.kind
            && scalar.text.is_empty()
            && scalar.style == Style::Plain
        {
            // An empty document between two `---` says nothing.
            return Flow::On;
        }
        if self.root.is_some() {
            return self.second_document(node.span);
        }
        self.root = Some(node);
        Flow::On
    }

    fn second_document(&mut self, span: Span) -> Flow {
        self.sink.push(e0106::second_document(&self.at(span)));
        Flow::Stop
    }

    fn refuse_decoration(&mut self, span: Span, anchor: usize, tagged: bool) {
        if tagged {
            self.sink.push(e0104::tag(&self.at(span)));
        } else if anchor != 0 {
            self.sink.push(e0104::anchor(&self.at(span)));
        }
    }

    /// Reports a key of the map that is open.
    fn refuse_key(&mut self, span: Span, why: NoKey) {
        let mut at = self.at(span);
        let mut name = |key: &str| at.field = join(&at.field, key);
        match &why {
            NoKey::Broken | NoKey::NotText => {}
            NoKey::Merge => name("<<"),
            NoKey::NeedsQuotes(key) | NoKey::Twice(key, _) => name(key),
        }
        self.sink.push(match why {
            NoKey::Broken => return,
            NoKey::NotText => e0203::key_not_text(&at),
            NoKey::Merge => e0104::merge_key(&at),
            NoKey::NeedsQuotes(key) => e0203::key_needs_quotes(&at, &key),
            NoKey::Twice(key, first) => e0105::duplicate(&at, &key, first),
        });
    }

    /// Which field is being read.
    fn field(&self) -> String {
        let mut field = String::new();
        for frame in &self.stack {
            match &frame.body {
                Body::Sequence(nodes) => field.push_str(&format!("[{}]", nodes.len())),
                Body::Mapping {
                    key: Key::Read(key, _),
                    ..
                } => field = join(&field, key),
                Body::Mapping {
                    key: Key::Due | Key::Refused,
                    ..
                } => {}
            }
        }
        field
    }

    fn refuse(&mut self, error: &ScanError) -> Flow {
        let mut byte = self.lines.byte(error.marker().index());
        let info = error.info();
        let rest = self.lines.text.get(byte..).unwrap_or("");
        let tab = info
            .split(|c: char| !c.is_ascii_alphabetic())
            .any(|it| matches!(it, "tab" | "tabs"));
        if tab {
            byte = self.tab(byte);
        }
        let at = Location {
            span: Some(self.lines.span(byte, byte)),
            ..Location::file(self.file)
        };
        let before = self.lines.text.get(..byte).unwrap_or("");
        let after_colon = rest.starts_with('\t') && before.ends_with(':')
            || rest.starts_with(":\t")
            || before.ends_with(":\t");
        self.sink.push(if info.contains("recursion limit") {
            e0102::too_deep(&at, DEPTH_MAX)
        } else if info.contains("unknown anchor") {
            e0104::alias(&Location {
                field: self.field(),
                ..at
            })
        } else if tab {
            e0103::tab(&at)
        } else if after_colon {
            e0103::tab_after_colon(&at)
        } else {
            e0103::syntax(&at, info)
        });
        Flow::Fail
    }

    /// The tab that is complained of at `byte`: the first of the line's indentation, or else the next.
    fn tab(&self, byte: usize) -> usize {
        let text = self.lines.text;
        let before = text.get(..byte).unwrap_or("");
        let line = before.rfind('\n').map_or(0, |at| at.saturating_add(1));
        let of_line = text.get(line..).unwrap_or("");
        let indentation = of_line.trim_start_matches([' ', '\t']);
        let width = of_line.len().saturating_sub(indentation.len());
        let in_it = of_line.get(..width).and_then(|it| it.find('\t'));
        match in_it {
            Some(at) => line.saturating_add(at),
            None => {
                let rest = text.get(byte..).unwrap_or("");
                byte.saturating_add(rest.find('\t').unwrap_or(0))
            }
        }
    }

    fn span(&self, marks: Marks) -> Span {
        self.lines.span(
            self.lines.byte(marks.start.index()),
            self.lines.byte(marks.end.index()),
        )
    }

    /// A place in the field that is being read.
    fn at(&self, span: Span) -> Location {
        Location {
            span: Some(span),
            field: self.field(),
            file: Rc::clone(self.file),
        }
    }
}

/// Why something is not taken for a key.
enum NoKey {
    /// Which has been reported.
    Broken,
    NotText,
    Merge,
    NeedsQuotes(String),
    /// With the line of the first.
    Twice(String, u32),
}

/// Reads a map's key, which must be text, new, and no merge key.
fn read_key(node: Node, seen: &mut BTreeMap<String, Span>) -> Result<String, NoKey> {
    let scalar = match node.kind {
        Kind::Scalar(scalar) => scalar,
        Kind::Broken => return Err(NoKey::Broken),
        Kind::Sequence(_) | Kind::Mapping(_) => return Err(NoKey::NotText),
    };
    if scalar.style == Style::Plain {
        if scalar.text == "<<" {
            return Err(NoKey::Merge);
        }
        if !matches!(resolve(&scalar.text), Core::Text) {
            return Err(NoKey::NeedsQuotes(scalar.text));
        }
    }
    if let Some(first) = seen.get(&scalar.text) {
        return Err(NoKey::Twice(scalar.text, first.line));
    }
    seen.insert(scalar.text.clone(), node.span);
    Ok(scalar.text)
}
