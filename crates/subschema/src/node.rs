//! Schemas taken apart into atoms, each kept once. Knows nothing of JSON Schema's drafts.
//!
//! A schema object becomes a conjunction of nodes, one for each thing that it says. Equal nodes have
//! equal ids, across both documents, so that what two schemas have in common is seen at once. Every
//! atom about one kind of value holds for all values of other kinds, and its negation is a demand on
//! one value of that kind; only `All`, `Any`, `One` and `If` offer alternatives.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use spec::Json;

use crate::number::Rational;

/// A set of the six kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOLEAN: Self = Self(2);
    pub(crate) const NUMBER: Self = Self(4);
    pub(crate) const STRING: Self = Self(8);
    pub(crate) const ARRAY: Self = Self(16);
    pub(crate) const OBJECT: Self = Self(32);
    pub(crate) const ALL: Self = Self(63);

    pub(crate) fn of(value: &Json) -> Self {
        match value {
            Json::Null => Self::NULL,
            Json::Bool(_) => Self::BOOLEAN,
            Json::Number(_) => Self::NUMBER,
            Json::String(_) => Self::STRING,
            Json::Array(_) => Self::ARRAY,
            Json::Object(_) => Self::OBJECT,
        }
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn others(self) -> Self {
        Self(Self::ALL.0 & !self.0)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

/// A node that shall hold, or shall not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Literal {
    pub(crate) node: NodeId,
    pub(crate) holds: bool,
}

impl Literal {
    pub(crate) fn yes(node: NodeId) -> Self {
        Self { node, holds: true }
    }

    pub(crate) fn no(node: NodeId) -> Self {
        Self { node, holds: false }
    }

    pub(crate) fn opposite(self) -> Self {
        Self {
            node: self.node,
            holds: !self.holds,
        }
    }
}

/// A finite set of values, kept by the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SetId(u32);

/// A regular expression, kept by the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PatternId(u32);

/// A place that references into their own surroundings lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slot(u32);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Node {
    All(Vec<NodeId>),
    Any(Vec<NodeId>),
    One(Vec<NodeId>),
    Not(NodeId),
    If(NodeId, NodeId, NodeId),
    Ref(Slot),
    Types(Types),
    Values(SetId),
    Number(NumberAtom),
    Text(TextAtom),
    Items(ItemsAtom),
    Members(MembersAtom),
}

/// What is said of a number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NumberAtom {
    Integer,
    Bound {
        upper: bool,
        strict: bool,
        at: Rational,
    },
    MultipleOf(Rational),
}

/// What is said of a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TextAtom {
    MinLength(u64),
    MaxLength(u64),
    Pattern(PatternId),
    Format(String),
}

/// What is said of an array.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ItemsAtom {
    MinItems(u64),
    MaxItems(u64),
    Unique,
    Item(usize, NodeId),
    ItemsFrom(usize, NodeId),
    /// At least so many items are values of the node.
    ContainsMin(NodeId, u64),
    ContainsMax(NodeId, u64),
}

/// What is said of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MembersAtom {
    Required(String),
    MinProperties(u64),
    MaxProperties(u64),
    Property(String, NodeId),
    PatternProperty(PatternId, NodeId),
    /// Of every member that is neither among the names nor matches a pattern.
    Rest {
        names: Vec<String>,
        patterns: Vec<PatternId>,
        of: NodeId,
    },
    Names(NodeId),
}

impl From<NumberAtom> for Node {
    fn from(atom: NumberAtom) -> Self {
        Node::Number(atom)
    }
}

impl From<TextAtom> for Node {
    fn from(atom: TextAtom) -> Self {
        Node::Text(atom)
    }
}

impl From<ItemsAtom> for Node {
    fn from(atom: ItemsAtom) -> Self {
        Node::Items(atom)
    }
}

impl From<MembersAtom> for Node {
    fn from(atom: MembersAtom) -> Self {
        Node::Members(atom)
    }
}

impl Node {
    /// The kind of values that an atom says something about; `None` for what is no such atom.
    pub(crate) fn about(&self) -> Option<Types> {
        match self {
            Node::All(_)
            | Node::Any(_)
            | Node::One(_)
            | Node::Not(_)
            | Node::If(..)
            | Node::Ref(_)
            | Node::Types(_)
            | Node::Values(_) => None,
            Node::Number(_) => Some(Types::NUMBER),
            Node::Text(_) => Some(Types::STRING),
            Node::Items(_) => Some(Types::ARRAY),
            Node::Members(_) => Some(Types::OBJECT),
        }
    }

    pub(crate) fn number(&self) -> Option<&NumberAtom> {
        if let Node::Number(atom) = self {
            Some(atom)
        } else {
            None
        }
    }

    pub(crate) fn text(&self) -> Option<&TextAtom> {
        if let Node::Text(atom) = self {
            Some(atom)
        } else {
            None
        }
    }

    pub(crate) fn items(&self) -> Option<&ItemsAtom> {
        if let Node::Items(atom) = self {
            Some(atom)
        } else {
            None
        }
    }

    pub(crate) fn members(&self) -> Option<&MembersAtom> {
        if let Node::Members(atom) = self {
            Some(atom)
        } else {
            None
        }
    }
}

struct Set {
    values: Vec<Json>,
    /// Their canonical texts.
    texts: BTreeSet<String>,
    types: Types,
}

/// The most values that are compared one by one.
const COMPARED_MAX: usize = 16;

#[derive(Default)]
pub(crate) struct Arena {
    nodes: Vec<Rc<Node>>,
    ids: BTreeMap<Rc<Node>, NodeId>,
    sets: Vec<Set>,
    set_ids: BTreeMap<String, SetId>,
    patterns: Vec<String>,
    pattern_ids: BTreeMap<String, PatternId>,
    slots: Vec<Option<NodeId>>,
}

fn position(length: usize) -> u32 {
    // An arena holds fewer nodes than a schema has bytes.
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn index(id: u32) -> usize {
    usize::try_from(id).unwrap_or(usize::MAX)
}

impl Arena {
    pub(crate) fn get(&self, id: NodeId) -> &Node {
        const NOTHING: &Node = &Node::Any(Vec::new());
        self.nodes.get(index(id.0)).map_or(NOTHING, Rc::as_ref)
    }

    /// The same, for whoever goes on to change the arena.
    pub(crate) fn share(&self, id: NodeId) -> Rc<Node> {
        match self.nodes.get(index(id.0)) {
            Some(node) => Rc::clone(node),
            None => Rc::new(Node::Any(Vec::new())),
        }
    }

    pub(crate) fn values(&self, id: SetId) -> &[Json] {
        self.sets.get(index(id.0)).map_or(&[], |it| &it.values)
    }

    pub(crate) fn is_listed(&self, id: SetId, value: &Json) -> bool {
        let Some(set) = self.sets.get(index(id.0)) else {
            return false;
        };
        if set.values.len() <= COMPARED_MAX {
            return set.values.contains(value);
        }
        set.texts.contains(&value.to_canonical())
    }

    pub(crate) fn set_types(&self, id: SetId) -> Types {
        self.sets
            .get(index(id.0))
            .map_or(Types::NONE, |it| it.types)
    }

    pub(crate) fn pattern(&self, id: PatternId) -> &str {
        self.patterns.get(index(id.0)).map_or("", String::as_str)
    }

    pub(crate) fn target(&self, slot: Slot) -> Option<NodeId> {
        self.slots.get(index(slot.0)).copied().flatten()
    }

    pub(crate) fn slots(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.slots.iter().copied().flatten()
    }

    pub(crate) fn new_slot(&mut self) -> Slot {
        let slot = Slot(position(self.slots.len()));
        self.slots.push(None);
        slot
    }

    pub(crate) fn fill(&mut self, slot: Slot, target: NodeId) {
        if let Some(place) = self.slots.get_mut(index(slot.0)) {
            *place = Some(target);
        }
    }

    pub(crate) fn pattern_id(&mut self, text: &str) -> PatternId {
        if let Some(id) = self.pattern_ids.get(text) {
            return *id;
        }
        let id = PatternId(position(self.patterns.len()));
        self.patterns.push(text.to_owned());
        self.pattern_ids.insert(text.to_owned(), id);
        id
    }

    pub(crate) fn keep(&mut self, node: impl Into<Node>) -> NodeId {
        let node = node.into();
        if let Some(id) = self.ids.get(&node) {
            return *id;
        }
        let id = NodeId(position(self.nodes.len()));
        let node = Rc::new(node);
        self.nodes.push(Rc::clone(&node));
        self.ids.insert(node, id);
        id
    }

    pub(crate) fn anything(&mut self) -> NodeId {
        self.keep(Node::All(Vec::new()))
    }

    pub(crate) fn nothing(&mut self) -> NodeId {
        self.keep(Node::Any(Vec::new()))
    }

    pub(crate) fn is_anything(&self, id: NodeId) -> bool {
        matches!(self.get(id), Node::All(parts) if parts.is_empty())
    }

    pub(crate) fn is_nothing(&self, id: NodeId) -> bool {
        matches!(self.get(id), Node::Any(parts) if parts.is_empty())
    }

    pub(crate) fn all(&mut self, parts: Vec<NodeId>) -> NodeId {
        let mut flat = Vec::new();
        for part in parts {
            if let Node::All(inner) = self.get(part) {
                flat.extend_from_slice(inner);
            } else {
                flat.push(part);
            }
        }
        if flat.iter().any(|it| self.is_nothing(*it)) {
            return self.nothing();
        }
        flat.sort_unstable();
        flat.dedup();
        match flat.as_slice() {
            [only] => *only,
            _ => self.keep(Node::All(flat)),
        }
    }

    pub(crate) fn any(&mut self, parts: Vec<NodeId>) -> NodeId {
        let mut flat = Vec::new();
        for part in parts {
            if let Node::Any(inner) = self.get(part) {
                flat.extend_from_slice(inner);
            } else {
                flat.push(part);
            }
        }
        if flat.iter().any(|it| self.is_anything(*it)) {
            return self.anything();
        }
        flat.sort_unstable();
        flat.dedup();
        match flat.as_slice() {
            [only] => *only,
            _ => self.keep(Node::Any(flat)),
        }
    }

    pub(crate) fn one(&mut self, mut parts: Vec<NodeId>) -> NodeId {
        parts.sort_unstable();
        match parts.as_slice() {
            [] => self.nothing(),
            [only] => *only,
            _ => self.keep(Node::One(parts)),
        }
    }

    pub(crate) fn not(&mut self, id: NodeId) -> NodeId {
        if self.is_anything(id) {
            return self.nothing();
        }
        if self.is_nothing(id) {
            return self.anything();
        }
        if let Node::Not(inner) = self.get(id) {
            return *inner;
        }
        self.keep(Node::Not(id))
    }

    /// `If`, without the parts that say nothing.
    pub(crate) fn choose(&mut self, test: NodeId, yes: NodeId, no: NodeId) -> NodeId {
        if yes == no || self.is_anything(test) {
            return yes;
        }
        if self.is_nothing(test) {
            return no;
        }
        self.keep(Node::If(test, yes, no))
    }

    pub(crate) fn types(&mut self, types: Types) -> NodeId {
        if types == Types::ALL {
            return self.anything();
        }
        if types.is_empty() {
            return self.nothing();
        }
        self.keep(Node::Types(types))
    }

    pub(crate) fn one_of_values(&mut self, values: &[Json]) -> NodeId {
        if values.is_empty() {
            return self.nothing();
        }
        let mut sorted: Vec<_> = values.iter().map(|it| (it.to_canonical(), it)).collect();
        sorted.sort_by(|a, b| a.0.cmp(&b.0));
        sorted.dedup_by(|a, b| a.0 == b.0);
        let texts: Vec<_> = sorted.iter().map(|it| it.0.as_str()).collect();
        let key = texts.join(",");
        let set = if let Some(id) = self.set_ids.get(&key) {
            *id
        } else {
            let id = SetId(position(self.sets.len()));
            let mut texts = BTreeSet::new();
            // The order of the author is kept, since the first one makes the best example.
            let new = values.iter().filter(|it| texts.insert(it.to_canonical()));
            let kept: Vec<Json> = new.cloned().collect();
            let types = kept
                .iter()
                .fold(Types::NONE, |types, it| types.or(Types::of(it)));
            self.sets.push(Set {
                values: kept,
                texts,
                types,
            });
            self.set_ids.insert(key, id);
            id
        };
        self.keep(Node::Values(set))
    }

    /// An atom that says nothing of values whose part may be anything.
    pub(crate) fn part<N: Into<Node>>(
        &mut self,
        of: NodeId,
        node: impl FnOnce(NodeId) -> N,
    ) -> NodeId {
        if self.is_anything(of) {
            return of;
        }
        self.keep(node(of))
    }
}
