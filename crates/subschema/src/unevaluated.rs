//! `unevaluatedProperties` and `unevaluatedItems`: a tree of decisions over which neighbours hold,
//! at whose leaves they are plain keywords.

use std::collections::{BTreeMap, BTreeSet};

use spec::Json;
use validator::Draft;

use crate::Reason;
use crate::build::Builder;
use crate::document::Place;
use crate::node::{ItemsAtom, MembersAtom, NodeId, PatternId};

/// The most leaves of one tree.
const LEAVES_MAX: usize = 512;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Properties,
    Items,
}

/// What the schemas known to hold have evaluated.
#[derive(Clone, Default)]
struct Evaluated {
    all: bool,
    names: BTreeSet<String>,
    patterns: BTreeSet<PatternId>,
    first: usize,
    contained: Vec<NodeId>,
    /// Some `contains` of a draft in which validators do not agree on whether it evaluates.
    doubtful: bool,
}

/// A schema that may hold, and what it says if it does and if it does not.
#[derive(Clone)]
struct Choice<'a> {
    test: NodeId,
    yes: Vec<Place<'a>>,
    no: Vec<Place<'a>>,
}

#[derive(Clone, Default)]
struct State<'a> {
    evaluated: Evaluated,
    open: Vec<Place<'a>>,
    choices: Vec<Choice<'a>>,
    seen: BTreeSet<(usize, usize)>,
}

struct Tree {
    kind: Kind,
    of: NodeId,
    leaves: usize,
}

impl<'a> Builder<'a, '_> {
    pub(crate) fn unevaluated(
        &mut self,
        schema: &'a Json,
        parts: &mut Vec<NodeId>,
    ) -> Result<(), Reason> {
        let kinds = [
            ("unevaluatedProperties", Kind::Properties),
            ("unevaluatedItems", Kind::Items),
        ];
        for (keyword, kind) in kinds {
            let Some(of) = self.keyword(schema, keyword) else {
                continue;
            };
            let of = self.schema(of)?;
            if self.arena.is_anything(of) {
                continue;
            }
            let mut tree = Tree {
                kind,
                of,
                leaves: 0,
            };
            let mut state = State::default();
            state.seen.insert(self.here(schema).key());
            self.read(schema, kind, true, &mut state)?;
            parts.push(self.tree(&mut tree, state, keyword)?);
        }
        Ok(())
    }

    fn tree(
        &mut self,
        tree: &mut Tree,
        mut state: State<'a>,
        keyword: &str,
    ) -> Result<NodeId, Reason> {
        while let Some(place) = state.open.pop() {
            if state.seen.insert(place.key()) {
                let outside = self.enter(&place);
                self.read(place.schema, tree.kind, false, &mut state)?;
                self.leave(outside);
            }
        }
        if state.evaluated.all {
            return Ok(self.arena.anything());
        }
        let Some(choice) = state.choices.pop() else {
            tree.leaves = tree.leaves.saturating_add(1);
            if tree.leaves > LEAVES_MAX {
                return Err(Reason::keyword(
                    keyword,
                    "too many neighbours to tell apart",
                ));
            }
            if state.evaluated.doubtful {
                let text = "beside unevaluatedItems, which validators of 2019-09 read differently";
                return Err(Reason::keyword("contains", text));
            }
            return Ok(self.leaf(tree, state.evaluated));
        };
        let mut yes = state.clone();
        yes.open.extend(choice.yes);
        state.open.extend(choice.no);
        let yes = self.tree(tree, yes, keyword)?;
        let no = self.tree(tree, state, keyword)?;
        Ok(self.arena.choose(choice.test, yes, no))
    }

    fn leaf(&mut self, tree: &Tree, evaluated: Evaluated) -> NodeId {
        match tree.kind {
            Kind::Properties => self.arena.keep(MembersAtom::Rest {
                names: evaluated.names.into_iter().collect(),
                patterns: evaluated.patterns.into_iter().collect(),
                of: tree.of,
            }),
            Kind::Items => {
                let mut either = evaluated.contained;
                either.push(tree.of);
                let of = self.arena.any(either);
                let first = evaluated.first;
                self.arena.part(of, |of| ItemsAtom::ItemsFrom(first, of))
            }
        }
    }

    /// What a schema that holds has evaluated, and what that depends on.
    fn read(
        &mut self,
        schema: &'a Json,
        kind: Kind,
        is_own: bool,
        state: &mut State<'a>,
    ) -> Result<(), Reason> {
        state.open.extend(self.references(schema)?);
        match kind {
            Kind::Properties => self.read_properties(schema, is_own, &mut state.evaluated),
            Kind::Items => self.read_items(schema, is_own, &mut state.evaluated)?,
        }
        let list = |name| schema.get(name).and_then(Json::as_array);
        for part in list("allOf").into_iter().flatten() {
            state.open.push(self.part(part)?);
        }
        for part in ["anyOf", "oneOf"].into_iter().filter_map(list).flatten() {
            if part.as_object().is_none_or(BTreeMap::is_empty) {
                continue;
            }
            let test = self.schema(part)?;
            state.choices.push(Choice {
                test,
                yes: vec![self.part(part)?],
                no: Vec::new(),
            });
        }
        if let Some(test) = self.keyword(schema, "if") {
            let mut choice = Choice {
                test: self.schema(test)?,
                yes: vec![self.part(test)?],
                no: Vec::new(),
            };
            for (branch, name) in [(&mut choice.yes, "then"), (&mut choice.no, "else")] {
                if let Some(part) = schema.get(name) {
                    branch.push(self.part(part)?);
                }
            }
            state.choices.push(choice);
        }
        for keyword in ["dependentSchemas", "dependencies"] {
            let members = schema.get(keyword).and_then(Json::as_object);
            for (name, part) in members.into_iter().flatten() {
                if part.as_object().is_none() {
                    continue;
                }
                state.choices.push(Choice {
                    test: self.has_member(name),
                    yes: vec![self.part(part)?],
                    no: Vec::new(),
                });
            }
        }
        Ok(())
    }

    fn read_properties(&mut self, schema: &'a Json, is_own: bool, evaluated: &mut Evaluated) {
        let members = schema.get("properties").and_then(Json::as_object);
        let names = members.into_iter().flat_map(|it| it.keys().cloned());
        evaluated.names.extend(names);
        evaluated.patterns.extend(self.patterns_of(schema));
        let inner = schema.get("unevaluatedProperties").is_some() && !is_own;
        evaluated.all |= schema.get("additionalProperties").is_some() || inner;
    }

    fn read_items(
        &mut self,
        schema: &'a Json,
        is_own: bool,
        evaluated: &mut Evaluated,
    ) -> Result<(), Reason> {
        let (first, rest) = self.item_schemas(schema);
        evaluated.first = evaluated.first.max(first.len());
        let inner = schema.get("unevaluatedItems").is_some() && !is_own;
        evaluated.all |= rest.is_some() || inner;
        let Some(contains) = self.keyword(schema, "contains") else {
            return Ok(());
        };
        if self.document.draft == Draft::D2020 {
            let of = self.schema(contains)?;
            evaluated.contained.push(of);
        } else {
            evaluated.doubtful = true;
        }
        Ok(())
    }
}
