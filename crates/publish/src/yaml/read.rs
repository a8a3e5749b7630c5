//! YAML events to a tree. Works on events and not on a resolved tree, where anchors, aliases and
//! tags would be gone and numbers rounded.

use std::collections::BTreeMap;
use std::rc::Rc;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span as Marks};

use super::lines::Lines;
use super::scalar::{Core, resolve};
use super::{DEPTH_MAX, Entry, Kind, NODES_MAX, Node, Scalar, Style};
use crate::diagnostic::{Location, Sink, Span};
use crate::diagnostics::{e0102, e0103, e0104, e0105, e0106, e0203};

pub(super) fn read(file: &Rc<str>, text: &str, sink: &mut Sink) -> Option<Node> {
    let lines = Lines::new(text);
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
        let whole = Location::file(file);
        builder.sink.push(e0106::no_document(&whole));
    }
    builder.root
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
            let at = self.at(opened);
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
                .push(e0102::too_many(&Location::file(self.file), NODES_MAX));
            return Flow::Fail;
        }
        let Some(frame) = self.stack.last_mut() else {
            return self.place_root(node);
        };
        match &mut frame.body {
            Body::Sequence(nodes) => nodes.push(node),
            Body::Mapping { entries, seen, key } => match std::mem::replace(key, Key::Due) {
                Key::Due => {
                    let read = read_key(self.file, node, seen, self.sink);
                    *key = read;
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

    fn refuse(&mut self, error: &ScanError) -> Flow {
        let mut byte = self.lines.byte(error.marker().index());
        let info = error.info();
        if info.contains("tab") {
            byte = self.tab(byte);
        }
        let at = self.at(self.lines.span(byte, byte));
        self.sink.push(if info.contains("recursion limit") {
            e0102::too_deep(&at, DEPTH_MAX)
        } else if info.contains("unknown anchor") {
            e0104::alias(&at)
        } else if info.contains("tab") {
            e0103::tab(&at)
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

    fn at(&self, span: Span) -> Location {
        Location {
            span: Some(span),
            ..Location::file(self.file)
        }
    }
}

/// Reads a map's key, which must be text, new, and no merge key.
fn read_key(file: &Rc<str>, node: Node, seen: &mut BTreeMap<String, Span>, sink: &mut Sink) -> Key {
    let at = Location {
        span: Some(node.span),
        ..Location::file(file)
    };
    let scalar = match node.kind {
        Kind::Scalar(scalar) => scalar,
        Kind::Broken => return Key::Refused,
        Kind::Sequence(_) | Kind::Mapping(_) => {
            sink.push(e0203::key_not_text(&at));
            return Key::Refused;
        }
    };
    if scalar.style == Style::Plain {
        if scalar.text == "<<" {
            sink.push(e0104::merge_key(&at));
            return Key::Refused;
        }
        if !matches!(resolve(&scalar.text), Core::Text) {
            sink.push(e0203::key_needs_quotes(&at, &scalar.text));
            return Key::Refused;
        }
    }
    if let Some(first) = seen.get(&scalar.text) {
        sink.push(e0105::duplicate(&at, &scalar.text, first.line));
        return Key::Refused;
    }
    seen.insert(scalar.text.clone(), node.span);
    Key::Read(scalar.text, node.span)
}
