//! Whether a node holds of a value. Knows nothing of how values are found.

use spec::Json;

use crate::Reason;
use crate::node::{ItemsAtom, Literal, MembersAtom, Node, NodeId, NumberAtom, TextAtom, Types};
use crate::number::{divides, rational};
use crate::solve::Solver;

fn length(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

impl Solver<'_> {
    pub(crate) fn all_hold(&mut self, literals: &[Literal], value: &Json) -> Result<bool, Reason> {
        let mut doubt = None;
        for literal in literals {
            match self.holds(literal.node, value) {
                Ok(holds) if holds != literal.holds => return Ok(false),
                Ok(_) => {}
                Err(reason) => doubt = Some(reason),
            }
        }
        doubt.map_or(Ok(true), Err)
    }

    pub(crate) fn holds(&mut self, node: NodeId, value: &Json) -> Result<bool, Reason> {
        self.tick()?;
        let node = self.arena.share(node);
        match (node.as_ref(), value) {
            (Node::All(parts), _) => self.count(parts, value, |it| it == parts.len()),
            (Node::Any(parts), _) => self.count(parts, value, |it| it > 0),
            (Node::One(parts), _) => self.count(parts, value, |it| it == 1),
            (Node::Not(part), _) => Ok(!self.holds(*part, value)?),
            (Node::If(test, yes, no), _) => {
                let branch = if self.holds(*test, value)? { *yes } else { *no };
                self.holds(branch, value)
            }
            (Node::Ref(slot), _) => match self.arena.target(*slot) {
                Some(target) => self.holds(target, value),
                None => Err(Reason::keyword("$ref", "a reference that leads nowhere")),
            },
            (Node::Types(types), _) => Ok(types.has(Types::of(value))),
            (Node::Values(set), _) => Ok(self.arena.is_listed(*set, value)),
            (Node::Number(atom), Json::Number(number)) => {
                let number = rational(number).ok_or_else(|| Reason::limit("a number"))?;
                Ok(number_holds(atom, &number))
            }
            (Node::Text(atom), Json::String(text)) => self.text_holds(atom, text),
            (Node::Items(atom), Json::Array(items)) => self.items_hold(atom, items),
            (Node::Members(atom), Json::Object(members)) => self.members_hold(atom, members),
            // An atom about another kind of values.
            (Node::Number(_) | Node::Text(_) | Node::Items(_) | Node::Members(_), _) => Ok(true),
        }
    }

    /// Judges how many of the parts hold. All are looked at only if they must be.
    fn count(
        &mut self,
        parts: &[NodeId],
        value: &Json,
        enough: impl Fn(usize) -> bool,
    ) -> Result<bool, Reason> {
        let (mut held, mut doubts) = (0_usize, 0_usize);
        let mut doubt = None;
        for part in parts {
            match self.holds(*part, value) {
                Ok(true) => held = held.saturating_add(1),
                Ok(false) => {}
                Err(reason) => {
                    doubts = doubts.saturating_add(1);
                    doubt = Some(reason);
                }
            }
        }
        let first = enough(held);
        let agreed = (0..=doubts).all(|it| enough(held.saturating_add(it)) == first);
        match doubt {
            Some(reason) if !agreed => Err(reason),
            Some(_) | None => Ok(first),
        }
    }

    fn text_holds(&mut self, node: &TextAtom, text: &str) -> Result<bool, Reason> {
        match node {
            TextAtom::MinLength(least) => Ok(length(text.chars().count()) >= *least),
            TextAtom::MaxLength(most) => Ok(length(text.chars().count()) <= *most),
            TextAtom::Pattern(id) => self.texts.matches(*id, self.arena.pattern(*id), text),
            TextAtom::Format(name) => self.texts.is_of_format(name, text),
        }
    }

    fn items_hold(&mut self, node: &ItemsAtom, items: &[Json]) -> Result<bool, Reason> {
        match node {
            ItemsAtom::MinItems(least) => Ok(length(items.len()) >= *least),
            ItemsAtom::MaxItems(most) => Ok(length(items.len()) <= *most),
            ItemsAtom::Unique => Ok(are_unique(items)),
            ItemsAtom::Item(at, of) => items.get(*at).map_or(Ok(true), |it| self.holds(*of, it)),
            ItemsAtom::ItemsFrom(from, of) => {
                for item in items.iter().skip(*from) {
                    if !self.holds(*of, item)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            ItemsAtom::ContainsMin(of, least) => Ok(self.contained(*of, items)? >= *least),
            ItemsAtom::ContainsMax(of, most) => Ok(self.contained(*of, items)? <= *most),
        }
    }

    fn contained(&mut self, of: NodeId, items: &[Json]) -> Result<u64, Reason> {
        let mut count = 0_u64;
        for item in items {
            count = count.saturating_add(u64::from(self.holds(of, item)?));
        }
        Ok(count)
    }

    fn members_hold(
        &mut self,
        node: &MembersAtom,
        members: &std::collections::BTreeMap<String, Json>,
    ) -> Result<bool, Reason> {
        match node {
            MembersAtom::Required(name) => Ok(members.contains_key(name)),
            MembersAtom::MinProperties(least) => Ok(length(members.len()) >= *least),
            MembersAtom::MaxProperties(most) => Ok(length(members.len()) <= *most),
            MembersAtom::Property(name, of) => {
                members.get(name).map_or(Ok(true), |it| self.holds(*of, it))
            }
            MembersAtom::PatternProperty(..) | MembersAtom::Rest { .. } => {
                for (name, member) in members {
                    if let Some(of) = self.applies(node, name)?
                        && !self.holds(of, member)?
                    {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            MembersAtom::Names(of) => {
                for name in members.keys() {
                    if !self.holds(*of, &Json::from(name.as_str()))? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    /// What an atom about members says of the member of a name.
    pub(crate) fn applies(
        &mut self,
        node: &MembersAtom,
        name: &str,
    ) -> Result<Option<NodeId>, Reason> {
        match node {
            MembersAtom::Property(of, value) => Ok(Some(*value).filter(|_| of == name)),
            MembersAtom::PatternProperty(pattern, value) => {
                let text = self.arena.pattern(*pattern);
                let matches = self.texts.matches(*pattern, text, name)?;
                Ok(Some(*value).filter(|_| matches))
            }
            MembersAtom::Rest {
                names,
                patterns,
                of,
            } => {
                if names.iter().any(|it| it == name) {
                    return Ok(None);
                }
                for pattern in patterns {
                    let text = self.arena.pattern(*pattern);
                    if self.texts.matches(*pattern, text, name)? {
                        return Ok(None);
                    }
                }
                Ok(Some(*of))
            }
            MembersAtom::Required(_)
            | MembersAtom::MinProperties(_)
            | MembersAtom::MaxProperties(_)
            | MembersAtom::Names(_) => Ok(None),
        }
    }
}

pub(crate) fn number_holds(node: &NumberAtom, number: &crate::number::Rational) -> bool {
    match node {
        NumberAtom::Integer => number.is_integer(),
        NumberAtom::Bound { upper, strict, at } => match (upper, strict) {
            (false, false) => number >= at,
            (false, true) => number > at,
            (true, false) => number <= at,
            (true, true) => number < at,
        },
        NumberAtom::MultipleOf(divisor) => divides(divisor, number),
    }
}

pub(crate) fn are_unique(items: &[Json]) -> bool {
    let mut texts: Vec<_> = items.iter().map(Json::to_canonical).collect();
    texts.sort_unstable();
    texts.windows(2).all(|it| it.first() != it.last())
}
