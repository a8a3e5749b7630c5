//! Strict JSON texts as trees. `spec::Json` judges the text; this only finds the places.

use std::collections::BTreeSet;
use std::rc::Rc;

use spec::{Json, JsonError};

use super::cursor::join;
use super::lines::Lines;
use super::{Entry, Kind, NODES_MAX, Node, Scalar, Style};
use crate::diagnostic::{Location, Sink};
use crate::diagnostics::{e0102, e0103, e0105, e0106, e0209};

/// The most mistakes that are reported of one text.
const REPORTED_MAX: usize = 20;

pub(super) fn read(file: &Rc<str>, text: &str, sink: &mut Sink) -> Option<Node> {
    let lines = Lines::new(text);
    let at = |byte: usize| Location {
        span: Some(lines.span(byte, byte)),
        ..Location::file(file)
    };
    let in_field = |byte: usize| Location {
        field: field_at(lines.text, byte),
        ..at(byte)
    };
    if lines.text.trim().is_empty() {
        sink.push(e0106::no_document(&Location::top(file)));
        return None;
    }
    let mut sound = lines.text.as_bytes().to_vec();
    let mut broken = BTreeSet::new();
    for _ in 0..REPORTED_MAX {
        let Err(error) = Json::parse(&sound) else {
            return tree(file, &lines, &sound, broken, sink);
        };
        match error {
            JsonError::Truncated { at: byte } => {
                let why = "the JSON text ends inside a value";
                sink.push(e0103::syntax(&at(byte), why));
            }
            JsonError::Expected { expected, at: byte } => {
                sink.push(e0103::syntax(&at(byte), &format!("expected {expected}")));
            }
            JsonError::DuplicateKey { key, at: byte } => {
                let first = first_of(&key, byte, &lines);
                let first = lines.span(first, first).line;
                sink.push(e0105::duplicate(&in_field(byte), &key, first));
                take_out_member(&mut sound, byte, &lines);
                continue;
            }
            JsonError::Number { source, at: byte } => {
                sink.push(e0209::bad_json(&in_field(byte), &source));
                take_out_number(&mut sound, byte);
                broken.insert(byte);
                continue;
            }
            JsonError::TooDeep { at: byte } => {
                sink.push(e0102::too_deep(&at(byte), spec::json::DEPTH_MAX));
            }
            JsonError::NotUtf8 { at: byte } => sink.push(e0103::syntax(&at(byte), "not UTF-8")),
        }
        return None;
    }
    None
}

/// The tree of a text from which what was refused has been taken out, every byte in its place.
fn tree(
    file: &Rc<str>,
    lines: &Lines<'_>,
    sound: &[u8],
    broken: BTreeSet<usize>,
    sink: &mut Sink,
) -> Option<Node> {
    let mut scan = Scan {
        text: std::str::from_utf8(sound).ok()?,
        broken,
        ..Scan::new(lines)
    };
    let node = scan.value();
    if scan.nodes > NODES_MAX {
        sink.push(e0102::too_many(&Location::top(file), NODES_MAX));
        return None;
    }
    Some(node)
}

/// Blanks a member of an object that is not its first, with the comma before it.
fn take_out_member(sound: &mut [u8], key: usize, lines: &Lines<'_>) {
    let before = sound.get(..key).unwrap_or_default();
    let comma = before.iter().rposition(|it| *it == b',').unwrap_or(key);
    let mut scan = Scan {
        at: key,
        ..Scan::new(lines)
    };
    scan.string();
    scan.value();
    let member = sound.get_mut(comma..scan.at).unwrap_or_default();
    member.fill(b' ');
}

/// Writes a number that can be read in the place of one that cannot.
fn take_out_number(sound: &mut [u8], start: usize) {
    let rest = sound.get_mut(start..).unwrap_or_default();
    let of_number = |it: &&mut u8| matches!(**it, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    let digits = rest.iter_mut().take_while(of_number).enumerate();
    for (index, byte) in digits {
        *byte = if index == 0 { b'0' } else { b' ' };
    }
}

/// A map or list around a place in a text.
enum Around {
    Map { key: Option<String>, key_due: bool },
    List(usize),
}

/// The field that a byte belongs to, in a text that is JSON up to there.
fn field_at(text: &str, byte: usize) -> String {
    let lines = Lines::new(text);
    let mut scan = Scan::new(&lines);
    let mut around: Vec<Around> = Vec::new();
    while scan.at <= byte && scan.at < text.len() {
        match (scan.peek(), around.last_mut()) {
            (b'{', _) => around.push(Around::Map {
                key: None,
                key_due: true,
            }),
            (b'[', _) => around.push(Around::List(0)),
            (b'}' | b']', _) => {
                around.pop();
            }
            (b',', Some(Around::List(index))) => *index = index.saturating_add(1),
            (b',', Some(Around::Map { key_due, .. })) => *key_due = true,
            (b':', Some(Around::Map { key_due, .. })) => *key_due = false,
            (b'"', inner) => {
                let text = scan.string();
                if let Some(Around::Map { key, key_due: true }) = inner {
                    *key = Some(text);
                }
                continue;
            }
            _ => {}
        }
        scan.step();
    }
    let mut field = String::new();
    for it in around {
        match it {
            Around::List(index) => field.push_str(&format!("[{index}]")),
            Around::Map { key: Some(key), .. } => field = join(&field, &key),
            Around::Map { key: None, .. } => {}
        }
    }
    field
}

/// Where the object that is still open at `end` has `key` before; the text up to there is sound.
fn first_of(key: &str, end: usize, lines: &Lines<'_>) -> usize {
    let mut scan = Scan::new(lines);
    // What is open, and where each has the key.
    let mut open: Vec<Option<usize>> = Vec::new();
    while scan.at < end {
        match scan.peek() {
            b'{' | b'[' => {
                open.push(None);
                scan.step();
            }
            b'}' | b']' => {
                open.pop();
                scan.step();
            }
            b'"' => {
                let start = scan.at;
                let is_it = scan.string() == key;
                while matches!(scan.peek(), b' ' | b'\t' | b'\r' | b'\n') {
                    scan.step();
                }
                if is_it
                    && scan.peek() == b':'
                    && let Some(found) = open.last_mut()
                {
                    found.get_or_insert(start);
                }
            }
            _ => scan.step(),
        }
    }
    open.last().copied().flatten().unwrap_or(end)
}

/// Walks a text that is known to be one JSON value.
struct Scan<'a> {
    text: &'a str,
    /// Of the text as it is in the file, which is as long.
    lines: &'a Lines<'a>,
    /// Where values begin that were refused.
    broken: BTreeSet<usize>,
    at: usize,
    nodes: usize,
}

impl<'a> Scan<'a> {
    fn new(lines: &'a Lines<'a>) -> Self {
        Self {
            text: lines.text,
            lines,
            broken: BTreeSet::new(),
            at: 0,
            nodes: 0,
        }
    }

    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn step(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    /// Passes spaces and the punctuation between values.
    fn skip(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n' | b',' | b':') {
            self.step();
        }
    }

    fn value(&mut self) -> Node {
        self.skip();
        self.nodes = self.nodes.saturating_add(1);
        let start = self.at;
        let kind = match self.peek() {
            b'{' => Kind::Mapping(self.members()),
            b'[' => Kind::Sequence(self.elements()),
            b'"' => Kind::Scalar(Scalar {
                text: self.string(),
                style: Style::Quoted,
            }),
            _ => {
                let text = self.word();
                if self.broken.contains(&start) {
                    Kind::Broken
                } else {
                    let style = Style::Plain;
                    Kind::Scalar(Scalar { text, style })
                }
            }
        };
        Node {
            span: self.lines.span(start, self.at),
            kind,
        }
    }

    fn members(&mut self) -> Vec<Entry> {
        let mut entries = Vec::new();
        self.step();
        loop {
            self.skip();
            if matches!(self.peek(), b'}' | 0) || self.nodes > NODES_MAX {
                self.step();
                return entries;
            }
            let start = self.at;
            let key = self.string();
            let key_span = self.lines.span(start, self.at);
            let value = self.value();
            entries.push(Entry {
                key,
                key_span,
                value,
            });
        }
    }

    fn elements(&mut self) -> Vec<Node> {
        let mut elements = Vec::new();
        self.step();
        loop {
            self.skip();
            if matches!(self.peek(), b']' | 0) || self.nodes > NODES_MAX {
                self.step();
                return elements;
            }
            elements.push(self.value());
        }
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.step();
        while !matches!(self.peek(), b'"' | 0) {
            if self.peek() == b'\\' {
                self.step();
            }
            self.step();
        }
        self.step();
        let literal = self.text.get(start..self.at).unwrap_or("\"\"");
        match Json::parse(literal.as_bytes()) {
            Ok(Json::String(text)) => text,
            _ => String::new(),
        }
    }

    fn word(&mut self) -> String {
        let start = self.at;
        while !matches!(
            self.peek(),
            b' ' | b'\t' | b'\r' | b'\n' | b',' | b'}' | b']' | 0
        ) {
            self.step();
        }
        self.text.get(start..self.at).unwrap_or("").to_owned()
    }
}
