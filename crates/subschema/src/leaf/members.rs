//! What is settled about an object, sorted by what it asks of names and members.

use std::collections::{BTreeMap, BTreeSet};

use super::Atoms;
use crate::node::{Arena, Literal, MembersAtom, NodeId, PatternId, Types};

/// Something that one member must show.
#[derive(Clone)]
pub(super) enum Demand {
    /// An atom about members applies to it and does not hold.
    Member(MembersAtom),
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
    pub(super) universal: Vec<MembersAtom>,
    pub(super) demands: Vec<Demand>,
    /// What holds of every name.
    pub(super) names: Vec<Literal>,
    /// Names that some atom knows.
    pub(super) mentioned: BTreeSet<String>,
    pub(super) patterns: BTreeSet<PatternId>,
}

impl Members {
    pub(super) fn of(arena: &mut Arena, atoms: &Atoms<'_, MembersAtom>) -> Self {
        let mut members = Self::default();
        for (node, holds) in atoms {
            members.mention(node);
            members.add(arena, node, *holds);
        }
        members.mentioned.extend(members.present.keys().cloned());
        members
    }

    fn mention(&mut self, node: &MembersAtom) {
        match node {
            MembersAtom::Required(name) | MembersAtom::Property(name, _) => {
                self.mentioned.insert(name.clone());
            }
            MembersAtom::PatternProperty(pattern, _) => {
                self.patterns.insert(*pattern);
            }
            MembersAtom::Rest {
                names, patterns, ..
            } => {
                self.mentioned.extend(names.iter().cloned());
                self.patterns.extend(patterns);
            }
            MembersAtom::MinProperties(_)
            | MembersAtom::MaxProperties(_)
            | MembersAtom::Names(_) => {}
        }
    }

    fn at_most(&mut self, most: u64) {
        self.most = Some(self.most.map_or(most, |old| old.min(most)));
    }

    fn add(&mut self, arena: &mut Arena, node: &MembersAtom, holds: bool) {
        match (node, holds) {
            (MembersAtom::MinProperties(least), true) => self.least = self.least.max(*least),
            (MembersAtom::MaxProperties(most), false) => {
                self.least = self.least.max(most.saturating_add(1));
            }
            (MembersAtom::MaxProperties(most), true) => self.at_most(*most),
            (MembersAtom::MinProperties(least), false) => self.at_most(least.saturating_sub(1)),
            (MembersAtom::Required(name), true) => {
                self.present.entry(name.clone()).or_default();
            }
            (MembersAtom::Required(name), false) => {
                self.absent.insert(name.clone());
            }
            (MembersAtom::Property(name, of), false) => {
                let asked = self.present.entry(name.clone()).or_default();
                asked.push(Literal::no(*of));
            }
            (
                MembersAtom::Property(..)
                | MembersAtom::PatternProperty(..)
                | MembersAtom::Rest { .. },
                true,
            ) => {
                self.universal.push(node.clone());
            }
            (MembersAtom::PatternProperty(..) | MembersAtom::Rest { .. }, false) => {
                self.demands.push(Demand::Member(node.clone()));
            }
            (MembersAtom::Names(of), true) => {
                if self.names.is_empty() {
                    self.names.push(Literal::yes(arena.types(Types::STRING)));
                }
                self.names.push(Literal::yes(*of));
            }
            (MembersAtom::Names(of), false) => self.demands.push(Demand::Name(*of)),
        }
    }
}
