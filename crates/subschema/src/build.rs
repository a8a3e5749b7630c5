//! Takes a schema apart into nodes, whatever its draft. Knows nothing of how nodes are solved.

use std::collections::BTreeMap;

use spec::Json;
use validator::{Draft, FORMATS};

use crate::Reason;
use crate::document::{Document, Place, Scope, Scopes};
use crate::node::{
    Arena, ItemsAtom, MembersAtom, Node, NodeId, NumberAtom, PatternId, Slot, TextAtom, Types,
};
use crate::number::rational;

const DEPTH_MAX: usize = 150;

/// What is known of a schema that was met before, by its address and scope.
enum Met {
    /// It is being taken apart; with its slot, if something in it refers to it.
    Open(Option<Slot>),
    Done(NodeId),
}

/// The atoms of a least and of a most.
type Limits<N> = (fn(u64) -> N, fn(u64) -> N);

pub(crate) struct Builder<'a, 'n> {
    pub(crate) document: &'a Document<'a>,
    pub(crate) arena: &'n mut Arena,
    pub(crate) formats_assert: bool,
    scope: Scope<'a>,
    scopes: Scopes,
    met: BTreeMap<(usize, usize), Met>,
    depth: usize,
}

fn malformed(keyword: &str) -> Reason {
    Reason::keyword(keyword, "a value that the keyword cannot have")
}

impl<'a, 'n> Builder<'a, 'n> {
    pub(crate) fn new(
        document: &'a Document<'a>,
        arena: &'n mut Arena,
        formats_assert: bool,
    ) -> Self {
        Self {
            document,
            arena,
            formats_assert,
            scope: document.scope(),
            scopes: Scopes::default(),
            met: BTreeMap::new(),
            depth: 0,
        }
    }

    /// The node of a schema.
    pub(crate) fn schema(&mut self, schema: &'a Json) -> Result<NodeId, Reason> {
        match schema {
            Json::Bool(true) => return Ok(self.arena.anything()),
            Json::Bool(false) => return Ok(self.arena.nothing()),
            Json::Object(members) if members.is_empty() => return Ok(self.arena.anything()),
            Json::Object(_) => {}
            Json::Null | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                return Err(malformed("a schema"));
            }
        }
        let place = self.part(schema)?;
        self.place(&place)
    }

    /// What is within the schema that is being read.
    pub(crate) fn part(&mut self, schema: &'a Json) -> Result<Place<'a>, Reason> {
        self.document.part(&self.scope, schema, &mut self.scopes)
    }

    /// The schema that is being read.
    pub(crate) fn here(&self, schema: &'a Json) -> Place<'a> {
        Place {
            schema,
            scope: self.scope.clone(),
        }
    }

    /// Reads in the scope of a place; gives back the one before.
    pub(crate) fn enter(&mut self, place: &Place<'a>) -> Scope<'a> {
        std::mem::replace(&mut self.scope, place.scope.clone())
    }

    pub(crate) fn leave(&mut self, outside: Scope<'a>) {
        self.scope = outside;
    }

    /// The node of the schema at a place.
    pub(crate) fn place(&mut self, place: &Place<'a>) -> Result<NodeId, Reason> {
        let Json::Object(_) = place.schema else {
            return self.schema(place.schema);
        };
        let key = place.key();
        match self.met.get_mut(&key) {
            Some(Met::Done(id)) => return Ok(*id),
            Some(Met::Open(Some(slot))) => {
                let slot = *slot;
                return Ok(self.arena.keep(Node::Ref(slot)));
            }
            Some(Met::Open(unreferred)) => {
                let slot = self.arena.new_slot();
                *unreferred = Some(slot);
                return Ok(self.arena.keep(Node::Ref(slot)));
            }
            None => {}
        }
        if self.depth > DEPTH_MAX {
            return Err(Reason::limit("a schema nested too deep"));
        }
        self.depth = self.depth.saturating_add(1);
        self.met.insert(key, Met::Open(None));
        let outside = self.enter(place);
        let id = self.object(place.schema)?;
        self.leave(outside);
        self.depth = self.depth.saturating_sub(1);
        if let Some(Met::Open(Some(slot))) = self.met.insert(key, Met::Done(id)) {
            self.arena.fill(slot, id);
        }
        Ok(id)
    }

    pub(crate) fn keyword(&self, schema: &'a Json, name: &str) -> Option<&'a Json> {
        self.document.keyword(schema, name)
    }

    /// Where the references of a schema lead.
    pub(crate) fn references(&mut self, schema: &'a Json) -> Result<Vec<Place<'a>>, Reason> {
        let mut targets = Vec::new();
        for name in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let Some(reference) = self.keyword(schema, name) else {
                continue;
            };
            let text = reference.as_str().ok_or_else(|| malformed(name))?;
            let reference = (name, text);
            targets.push(
                self.document
                    .follow(&self.scope, reference, &mut self.scopes)?,
            );
        }
        Ok(targets)
    }

    fn object(&mut self, schema: &'a Json) -> Result<NodeId, Reason> {
        let mut parts = Vec::new();
        for target in self.references(schema)? {
            parts.push(self.place(&target)?);
            if self.document.reference_stands_alone() {
                return Ok(self.arena.all(parts));
            }
        }
        self.document.check_draft(schema)?;
        self.values(schema, &mut parts)?;
        self.numbers(schema, &mut parts)?;
        self.strings(schema, &mut parts)?;
        self.arrays(schema, &mut parts)?;
        self.objects(schema, &mut parts)?;
        self.conditions(schema, &mut parts)?;
        self.logic(schema, &mut parts)?;
        self.unevaluated(schema, &mut parts)?;
        Ok(self.arena.all(parts))
    }

    fn values(&mut self, schema: &'a Json, parts: &mut Vec<NodeId>) -> Result<(), Reason> {
        if let Some(types) = self.keyword(schema, "type") {
            let words: Vec<&str> = match types {
                Json::String(word) => vec![word],
                Json::Array(words) => words.iter().filter_map(Json::as_str).collect(),
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => {
                    return Err(malformed("type"));
                }
            };
            let mut set = Types::NONE;
            for word in &words {
                set = set.or(match *word {
                    "null" => Types::NULL,
                    "boolean" => Types::BOOLEAN,
                    "number" | "integer" => Types::NUMBER,
                    "string" => Types::STRING,
                    "array" => Types::ARRAY,
                    "object" => Types::OBJECT,
                    _ => return Err(malformed("type")),
                });
            }
            parts.push(self.arena.types(set));
            if words.contains(&"integer") && !words.contains(&"number") {
                parts.push(self.arena.keep(NumberAtom::Integer));
            }
        }
        if let Some(value) = self.keyword(schema, "const") {
            parts.push(self.arena.one_of_values(std::slice::from_ref(value)));
        }
        if let Some(values) = self.keyword(schema, "enum") {
            let values = values.as_array().ok_or_else(|| malformed("enum"))?;
            parts.push(self.arena.one_of_values(values));
        }
        Ok(())
    }

    fn numbers(&mut self, schema: &'a Json, parts: &mut Vec<NodeId>) -> Result<(), Reason> {
        let old = self.document.draft == Draft::D4;
        let bounds = [
            ("minimum", "exclusiveMinimum", false),
            ("maximum", "exclusiveMaximum", true),
        ];
        for (plain, exclusive, upper) in bounds {
            let mut add = |builder: &mut Self, name: &str, value: &Json, strict| {
                let at = value.as_number().and_then(rational);
                let at = at.ok_or_else(|| malformed(name))?;
                let node = NumberAtom::Bound { upper, strict, at };
                parts.push(builder.arena.keep(node));
                Ok::<(), Reason>(())
            };
            let flag = schema.get(exclusive);
            if old && flag.is_some_and(|it| it.as_bool().is_none()) {
                return Err(malformed(exclusive));
            }
            if let Some(value) = schema.get(plain) {
                let strict = old && flag.and_then(Json::as_bool) == Some(true);
                add(self, plain, value, strict)?;
            }
            if let Some(value) = flag.filter(|_| !old) {
                add(self, exclusive, value, true)?;
            }
        }
        if let Some(value) = schema.get("multipleOf") {
            let divisor = value.as_number().and_then(rational);
            let zero = crate::number::Rational::from_integer(0.into());
            let divisor = divisor.filter(|it| *it > zero);
            let divisor = divisor.ok_or_else(|| malformed("multipleOf"))?;
            parts.push(self.arena.keep(NumberAtom::MultipleOf(divisor)));
        }
        Ok(())
    }

    fn count(schema: &Json, name: &str) -> Result<Option<u64>, Reason> {
        let Some(value) = schema.get(name) else {
            return Ok(None);
        };
        let number = value.as_number().and_then(spec::Decimal::to_u64);
        number.map(Some).ok_or_else(|| malformed(name))
    }

    fn limits<N: Into<Node>>(
        &mut self,
        schema: &Json,
        names: (&str, &str),
        nodes: Limits<N>,
        parts: &mut Vec<NodeId>,
    ) -> Result<(), Reason> {
        if let Some(least) = Self::count(schema, names.0)?.filter(|it| *it > 0) {
            parts.push(self.arena.keep(nodes.0(least)));
        }
        if let Some(most) = Self::count(schema, names.1)? {
            parts.push(self.arena.keep(nodes.1(most)));
        }
        Ok(())
    }

    fn strings(&mut self, schema: &'a Json, parts: &mut Vec<NodeId>) -> Result<(), Reason> {
        let names = ("minLength", "maxLength");
        let nodes: Limits<TextAtom> = (TextAtom::MinLength, TextAtom::MaxLength);
        self.limits(schema, names, nodes, parts)?;
        if let Some(pattern) = schema.get("pattern") {
            let text = pattern.as_str().ok_or_else(|| malformed("pattern"))?;
            let id = self.arena.pattern_id(text);
            parts.push(self.arena.keep(TextAtom::Pattern(id)));
        }
        let format = schema.get("format").and_then(Json::as_str);
        if let Some(name) = format.filter(|it| self.formats_assert && FORMATS.contains(it)) {
            parts.push(self.arena.keep(TextAtom::Format(name.to_owned())));
        }
        if let Some(name) = self.contents(schema) {
            parts.push(self.arena.keep(TextAtom::Format(name)));
        }
        Ok(())
    }

    /// What drafts 6 and 7 say of the contents of a text, where validators check it. It stands for
    /// itself, as a format without a name.
    fn contents(&self, schema: &Json) -> Option<String> {
        if !(Draft::D6..=Draft::D7).contains(&self.document.draft) {
            return None;
        }
        let checked = [
            ("contentEncoding", "base64"),
            ("contentMediaType", "application/json"),
        ];
        let checked = checked
            .iter()
            .filter(|(key, name)| schema.get(key).and_then(Json::as_str) == Some(*name));
        let mut members: Vec<_> = checked.map(|(key, it)| (*key, Json::from(*it))).collect();
        if members.is_empty() {
            return None;
        }
        members.push(("$schema", Json::from(Draft::D7.uri())));
        Some(Json::from_members(members).to_canonical())
    }

    /// The schemas of the first items, and that of those after them.
    pub(crate) fn item_schemas(&self, schema: &'a Json) -> (&'a [Json], Option<&'a Json>) {
        if self.document.draft == Draft::D2020 {
            let first = schema.get("prefixItems").and_then(Json::as_array);
            return (first.unwrap_or(&[]), schema.get("items"));
        }
        match schema.get("items") {
            Some(Json::Array(first)) => (first, schema.get("additionalItems")),
            all => (&[], all),
        }
    }

    fn arrays(&mut self, schema: &'a Json, parts: &mut Vec<NodeId>) -> Result<(), Reason> {
        let names = ("minItems", "maxItems");
        let nodes: Limits<ItemsAtom> = (ItemsAtom::MinItems, ItemsAtom::MaxItems);
        self.limits(schema, names, nodes, parts)?;
        if schema.get("uniqueItems").and_then(Json::as_bool) == Some(true) {
            parts.push(self.arena.keep(ItemsAtom::Unique));
        }
        let (first, rest) = self.item_schemas(schema);
        for (index, item) in first.iter().enumerate() {
            let of = self.schema(item)?;
            parts.push(self.arena.part(of, |of| ItemsAtom::Item(index, of)));
        }
        if let Some(rest) = rest {
            let of = self.schema(rest)?;
            let from = first.len();
            parts.push(self.arena.part(of, |of| ItemsAtom::ItemsFrom(from, of)));
        }
        if let Some(contains) = self.keyword(schema, "contains") {
            let of = self.schema(contains)?;
            let newer = self.document.draft >= Draft::D2019;
            let count = |name| Self::count(schema, name).map(|it| it.filter(|_| newer));
            let least = count("minContains")?.unwrap_or(1);
            if least > 0 {
                parts.push(self.arena.keep(ItemsAtom::ContainsMin(of, least)));
            }
            if let Some(most) = count("maxContains")? {
                parts.push(self.arena.keep(ItemsAtom::ContainsMax(of, most)));
            }
        }
        Ok(())
    }

    pub(crate) fn patterns_of(&mut self, schema: &'a Json) -> Vec<PatternId> {
        let members = schema.get("patternProperties").and_then(Json::as_object);
        let keys = members.into_iter().flat_map(|it| it.keys());
        let mut ids: Vec<_> = keys.map(|it| self.arena.pattern_id(it)).collect();
        ids.sort_unstable();
        ids
    }

    fn objects(&mut self, schema: &'a Json, parts: &mut Vec<NodeId>) -> Result<(), Reason> {
        let names = ("minProperties", "maxProperties");
        let nodes: Limits<MembersAtom> = (MembersAtom::MinProperties, MembersAtom::MaxProperties);
        self.limits(schema, names, nodes, parts)?;
        // Draft 3 had a flag there, which later drafts do not know.
        for name in schema
            .get("required")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
        {
            let name = name.as_str().ok_or_else(|| malformed("required"))?;
            parts.push(self.arena.keep(MembersAtom::Required(name.to_owned())));
        }
        let members = schema.get("properties").and_then(Json::as_object);
        for (name, property) in members.into_iter().flatten() {
            let of = self.schema(property)?;
            let name = name.clone();
            parts.push(self.arena.part(of, |of| MembersAtom::Property(name, of)));
        }
        let patterns = schema.get("patternProperties").and_then(Json::as_object);
        for (pattern, property) in patterns.into_iter().flatten() {
            let of = self.schema(property)?;
            let id = self.arena.pattern_id(pattern);
            parts.push(
                self.arena
                    .part(of, |of| MembersAtom::PatternProperty(id, of)),
            );
        }
        if let Some(rest) = schema.get("additionalProperties") {
            let of = self.schema(rest)?;
            let names = members.into_iter().flat_map(|it| it.keys().cloned());
            let names: Vec<_> = names.collect();
            let patterns = self.patterns_of(schema);
            let node = |of| MembersAtom::Rest {
                names,
                patterns,
                of,
            };
            parts.push(self.arena.part(of, node));
        }
        if let Some(names) = self.keyword(schema, "propertyNames") {
            let of = self.schema(names)?;
            parts.push(self.arena.part(of, MembersAtom::Names));
        }
        Ok(())
    }

    /// Holds for objects that have the member.
    pub(crate) fn has_member(&mut self, name: &str) -> NodeId {
        let object = self.arena.types(Types::OBJECT);
        let required = self.arena.keep(MembersAtom::Required(name.to_owned()));
        self.arena.all(vec![object, required])
    }

    fn conditions(&mut self, schema: &'a Json, parts: &mut Vec<NodeId>) -> Result<(), Reason> {
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            let Some(value) = self.keyword(schema, keyword) else {
                continue;
            };
            let members = value.as_object().ok_or_else(|| malformed(keyword))?;
            for (name, then) in members {
                let then = match then {
                    Json::Array(names) => {
                        let names = names.iter().filter_map(Json::as_str);
                        let nodes =
                            names.map(|it| self.arena.keep(MembersAtom::Required(it.to_owned())));
                        let nodes = nodes.collect();
                        self.arena.all(nodes)
                    }
                    Json::String(name) => self.arena.keep(MembersAtom::Required(name.clone())),
                    Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => {
                        self.schema(then)?
                    }
                };
                let test = self.has_member(name);
                let otherwise = self.arena.anything();
                parts.push(self.arena.choose(test, then, otherwise));
            }
        }
        Ok(())
    }

    fn list(&mut self, schema: &'a Json, keyword: &str) -> Result<Option<Vec<NodeId>>, Reason> {
        let Some(value) = schema.get(keyword) else {
            return Ok(None);
        };
        let schemas = value.as_array().ok_or_else(|| malformed(keyword))?;
        let nodes: Result<Vec<_>, _> = schemas.iter().map(|it| self.schema(it)).collect();
        nodes.map(Some)
    }

    fn logic(&mut self, schema: &'a Json, parts: &mut Vec<NodeId>) -> Result<(), Reason> {
        if let Some(all) = self.list(schema, "allOf")? {
            parts.extend(all);
        }
        if let Some(any) = self.list(schema, "anyOf")? {
            parts.push(self.arena.any(any));
        }
        if let Some(one) = self.list(schema, "oneOf")? {
            parts.push(self.arena.one(one));
        }
        if let Some(not) = schema.get("not") {
            let not = self.schema(not)?;
            parts.push(self.arena.not(not));
        }
        if let Some(test) = self.keyword(schema, "if") {
            let test = self.schema(test)?;
            let mut branch = |name| match self.document.keyword(schema, name) {
                Some(it) => self.schema(it),
                None => Ok(self.arena.anything()),
            };
            let (yes, no) = (branch("then")?, branch("else")?);
            parts.push(self.arena.choose(test, yes, no));
        }
        Ok(())
    }
}
