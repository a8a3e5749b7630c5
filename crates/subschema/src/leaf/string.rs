//! A text of a length, of patterns and of formats.

use spec::Json;

use super::Atoms;
use crate::node::TextAtom;
use crate::solve::{NOTHING_ABOVE, Outcome, Solver};
use crate::texts::Wanted;

/// How many looks at an automaton take as long as a step.
const LOOKS_A_STEP: u64 = 8;

impl Solver<'_> {
    pub(crate) fn string(&mut self, atoms: &Atoms<'_, TextAtom>, excluded: &[&Json]) -> Outcome {
        let mut wanted = Wanted {
            excluded: excluded.iter().filter_map(|it| it.as_str()).collect(),
            ..Wanted::default()
        };
        let mut most = u64::MAX;
        for (node, holds) in atoms {
            match (node, holds) {
                (TextAtom::MinLength(it), true) => wanted.least = wanted.least.max(*it),
                (TextAtom::MaxLength(it), false) => {
                    wanted.least = wanted.least.max(it.saturating_add(1));
                }
                (TextAtom::MaxLength(it), true) => most = most.min(*it),
                (TextAtom::MinLength(it), false) => most = most.min(it.saturating_sub(1)),
                (TextAtom::Pattern(id), _) => {
                    wanted.patterns.push((*id, self.arena.pattern(*id), *holds));
                }
                (TextAtom::Format(name), _) => wanted.formats.push((name, *holds)),
            }
        }
        wanted.most = Some(most).filter(|it| *it < u64::MAX);
        let before = self.texts.looks();
        let found = self.texts.find(&wanted);
        let looks = self.texts.looks().saturating_sub(before);
        if let Err(reason) = self.charge(looks, LOOKS_A_STEP) {
            return Outcome::Unknown(reason);
        }
        match found {
            Ok(Some(text)) => Outcome::Found(Json::from(text.as_str())),
            Ok(None) => Outcome::Empty(NOTHING_ABOVE),
            Err(reason) => Outcome::Unknown(reason),
        }
    }
}
