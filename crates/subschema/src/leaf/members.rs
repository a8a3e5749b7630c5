//! What is settled about an object, sorted by what it asks of names and members.

use std::collections::{BTreeMap, BTreeSet};

use super::Atoms;
use crate::node::{Arena, Literal, Node, NodeId, PatternId, Types};

/// Something that one member must show.
#[derive(Clone)]
pub(super) enum Demand {
    /// An atom about members applies to it and does not hold.
    Member(Node),
    /// Its name is not a value of the node.
    Name(NodeId),
}

#[derive(Default)]
pub(super) struct Members {
    pub(super) least: u64,
    pub(super) most: Option<u64>,
    /// Those that must be there, with what is asked of them in particular.
    pub(super) present: BTreeMap<String, Vec<Literal>>,
    pub(super) absent: BTreeSet<String>,
    /// Atoms that hold of every member that they apply to.
    pub(super) universal: Vec<Node>,
    pub(super) demands: Vec<Demand>,
    /// What holds of every name.
    pub(super) names: Vec<Literal>,
    /// Names that some atom knows.
    pub(super) mentioned: BTreeSet<String>,
    pub(super) patterns: BTreeSet<PatternId>,
}

impl Members {
    pub(super) fn of(arena: &mut Arena, atoms: &Atoms) -> Self {
        let mut members = Self::default();
        for (node, holds) in atoms {
            members.mention(node);
            members.add(arena, node, *holds);
        }
        members.mentioned.extend(members.present.keys().cloned());
        members
    }

    fn mention(&mut self, node: &Node) {
        match node {
            Node::Required(name) | Node::Property(name, _) => {
                self.mentioned.insert(name.clone());
            }
            Node::PatternProperty(pattern, _) => {
                self.patterns.insert(*pattern);
            }
            Node::Rest {
                names, patterns, ..
            } => {
                self.mentioned.extend(names.iter().cloned());
                self.patterns.extend(patterns);
            }
            Node::All(_)
            | Node::Any(_)
            | Node::One(_)
            | Node::Not(_)
            | Node::If(..)
            | Node::Ref(_)
            | Node::Types(_)
            | Node::Values(_)
            | Node::Integer
            | Node::Bound { .. }
            | Node::MultipleOf(_)
            | Node::MinLength(_)
            | Node::MaxLength(_)
            | Node::Pattern(_)
            | Node::Format(_)
            | Node::MinItems(_)
            | Node::MaxItems(_)
            | Node::Unique
            | Node::Item(..)
            | Node::ItemsFrom(..)
            | Node::ContainsMin(..)
            | Node::ContainsMax(..)
            | Node::MinProperties(_)
            | Node::MaxProperties(_)
            | Node::Names(_) => {}
        }
    }

    fn at_most(&mut self, most: u64) {
        self.most = Some(self.most.map_or(most, |old| old.min(most)));
    }

    fn add(&mut self, arena: &mut Arena, node: &Node, holds: bool) {
        match (node, holds) {
            (Node::MinProperties(least), true) => self.least = self.least.max(*least),
            (Node::MaxProperties(most), false) => {
                self.least = self.least.max(most.saturating_add(1));
            }
            (Node::MaxProperties(most), true) => self.at_most(*most),
            (Node::MinProperties(least), false) => self.at_most(least.saturating_sub(1)),
            (Node::Required(name), true) => {
                self.present.entry(name.clone()).or_default();
            }
            (Node::Required(name), false) => {
                self.absent.insert(name.clone());
            }
            (Node::Property(name, of), false) => {
                let asked = self.present.entry(name.clone()).or_default();
                asked.push(Literal::no(*of));
            }
            (Node::Property(..) | Node::PatternProperty(..) | Node::Rest { .. }, true) => {
                self.universal.push(node.clone());
            }
            (Node::PatternProperty(..) | Node::Rest { .. }, false) => {
                self.demands.push(Demand::Member(node.clone()));
            }
            (Node::Names(of), true) => {
                if self.names.is_empty() {
                    self.names.push(Literal::yes(arena.types(Types::STRING)));
                }
                self.names.push(Literal::yes(*of));
            }
            (Node::Names(of), false) => self.demands.push(Demand::Name(*of)),
            _ => {}
        }
    }
}
