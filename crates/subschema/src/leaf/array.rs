//! An array: how many items, and a value for each of them.

use std::collections::{BTreeMap, BTreeSet};

use spec::Json;

use super::Atoms;
use crate::Reason;
use crate::node::{ItemsAtom, Literal, NodeId};
use crate::solve::{Failure, Outcome, Solver};

/// The most items of an array that is looked for.
const LENGTH_MAX: u64 = 100_000;
/// The same where items must differ, or be counted.
const INTRICATE_MAX: usize = 80;
/// The most ways to spread demands over the items of one length.
const WAYS_MAX: usize = 3_000;
/// The most items of all of them together.
const WAY_ITEMS_MAX: usize = 60_000;

#[derive(Default)]
struct Items {
    least: u64,
    most: Option<u64>,
    unique: bool,
    duplicate: bool,
    /// What is asked of every item at an index, and of all from an index on.
    at: Vec<(usize, Literal)>,
    from: Vec<(usize, Literal)>,
    /// The longest run of first items that something is said about.
    first: usize,
    /// The array is longer than this index.
    reaches: usize,
    /// Some item from the index on must be so.
    somewhere: Vec<(usize, Literal)>,
    /// How many items are values of a node: at least, at most.
    counts: BTreeMap<NodeId, (u64, u64)>,
}

/// What is asked of each item.
type Slots = Vec<Vec<Literal>>;

impl Items {
    fn of(atoms: &Atoms<'_, ItemsAtom>) -> Self {
        let mut items = Self::default();
        for (node, holds) in atoms {
            items.add(node, *holds);
        }
        items
    }

    fn at_most(&mut self, most: u64) {
        self.most = Some(self.most.map_or(most, |old| old.min(most)));
    }

    fn add(&mut self, node: &ItemsAtom, holds: bool) {
        match (node, holds) {
            (ItemsAtom::MinItems(least), true) => self.least = self.least.max(*least),
            (ItemsAtom::MaxItems(most), false) => {
                self.least = self.least.max(most.saturating_add(1))
            }
            (ItemsAtom::MaxItems(most), true) => self.at_most(*most),
            (ItemsAtom::MinItems(least), false) => self.at_most(least.saturating_sub(1)),
            (ItemsAtom::Unique, true) => self.unique = true,
            (ItemsAtom::Unique, false) => self.duplicate = true,
            (ItemsAtom::Item(at, of), _) => {
                self.first = self.first.max(at.saturating_add(1));
                let literal = Literal { node: *of, holds };
                self.at.push((*at, literal));
                if !holds {
                    self.reaches = self.reaches.max(at.saturating_add(1));
                }
            }
            (ItemsAtom::ItemsFrom(from, of), _) => {
                self.first = self.first.max(*from);
                let literal = Literal { node: *of, holds };
                if holds {
                    self.from.push((*from, literal));
                } else {
                    self.somewhere.push((*from, literal));
                }
            }
            (ItemsAtom::ContainsMin(of, least), true) => self.counted(*of, *least, u64::MAX),
            (ItemsAtom::ContainsMin(of, least), false) => {
                self.counted(*of, 0, least.saturating_sub(1))
            }
            (ItemsAtom::ContainsMax(of, most), true) => self.counted(*of, 0, *most),
            (ItemsAtom::ContainsMax(of, most), false) => {
                self.counted(*of, most.saturating_add(1), u64::MAX);
            }
        }
    }

    fn counted(&mut self, of: NodeId, least: u64, most: u64) {
        let range = self.counts.entry(of).or_insert((0, u64::MAX));
        *range = (range.0.max(least), range.1.min(most));
    }

    fn is_intricate(&self) -> bool {
        self.unique || self.duplicate || !self.somewhere.is_empty() || !self.counts.is_empty()
    }

    fn slots(&self, length: usize) -> Slots {
        let mut slots = vec![Vec::new(); length];
        for (at, slot) in slots.iter_mut().enumerate() {
            let here = self.at.iter().filter(|it| it.0 == at);
            let all = self.from.iter().filter(|it| it.0 <= at);
            slot.extend(here.chain(all).map(|it| it.1));
        }
        slots
    }

    /// The shortest length, and one that a longer array can be cut down to.
    fn lengths(&self, excluded: usize) -> Result<(usize, usize), Reason> {
        let least = usize::try_from(self.least.min(LENGTH_MAX.saturating_add(1)));
        let least = least.unwrap_or(usize::MAX).max(self.reaches);
        if u64::try_from(least).is_ok_and(|it| it > LENGTH_MAX) {
            return Err(Reason::keyword("minItems", "too many items to write"));
        }
        let counted = self.counts.values().map(|it| it.0);
        let counted: u64 = counted.fold(0, u64::saturating_add);
        let extra = usize::try_from(counted)
            .unwrap_or(usize::MAX)
            .saturating_add(self.somewhere.len())
            .saturating_add(if self.duplicate { 2 } else { 0 });
        let enough = self.first.max(self.reaches).saturating_add(extra);
        let enough = enough.max(least).saturating_add(excluded);
        let most = self.most.and_then(|it| usize::try_from(it).ok());
        Ok((least, most.map_or(enough, |it| it.min(enough))))
    }
}

impl Solver<'_> {
    pub(crate) fn array(&mut self, atoms: &Atoms<'_, ItemsAtom>, excluded: &[&Json]) -> Outcome {
        let items = Items::of(atoms);
        let mut failure = Failure::new();
        match self.array_in(&items, excluded, &mut failure) {
            Ok(Some(value)) => Outcome::Found(value),
            Ok(None) => failure.outcome(),
            Err(reason) => Outcome::Unknown(reason),
        }
    }

    fn array_in(
        &mut self,
        items: &Items,
        excluded: &[&Json],
        failure: &mut Failure,
    ) -> Result<Option<Json>, Reason> {
        if items.unique && items.duplicate || items.counts.values().any(|it| it.0 > it.1) {
            return Ok(None);
        }
        if items.most.is_some_and(|it| it < items.least) {
            return Ok(None);
        }
        let (least, enough) = items.lengths(excluded.len())?;
        for length in least..=enough {
            self.tick()?;
            if items.is_intricate() && length > INTRICATE_MAX {
                return Err(Reason::keyword("items", "too many items to combine"));
            }
            let slots = items.slots(length);
            if !items.is_intricate() && excluded.is_empty() {
                // Another length would only add items.
                return Ok(self.values(&slots, failure).map(Json::Array));
            }
            for slots in ways(items, &slots)? {
                if let Some(found) = self.attempt(items, slots, excluded, failure)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    fn values(&mut self, slots: &Slots, failure: &mut Failure) -> Option<Vec<Json>> {
        let mut values: Vec<Json> = Vec::new();
        for (at, slot) in slots.iter().enumerate() {
            let before = at.checked_sub(1);
            let same = before.filter(|it| slots.get(*it) == Some(slot));
            let value = match same.and_then(|it| values.get(it)) {
                Some(value) => value.clone(),
                None => failure.note(self.solve(slot.clone()))?,
            };
            values.push(value);
        }
        Some(values)
    }

    fn attempt(
        &mut self,
        items: &Items,
        slots: Slots,
        excluded: &[&Json],
        failure: &mut Failure,
    ) -> Result<Option<Json>, Reason> {
        self.tick()?;
        if !items.duplicate {
            let Some(mut values) = self.values(&slots, failure) else {
                return Ok(None);
            };
            if items.unique && !crate::evaluate::are_unique(&values) {
                match self.matched(&slots, failure)? {
                    Some(distinct) => values = distinct,
                    None => return Ok(None),
                }
            }
            return Ok(self.included(items, &slots, values, (excluded, failure)));
        }
        // Two items that are equal keep to what is asked of both.
        for first in 0..slots.len() {
            for second in first.saturating_add(1)..slots.len() {
                let mut joint = slots.clone();
                let other = slots.get(second).cloned().unwrap_or_default();
                if let Some(slot) = joint.get_mut(first) {
                    slot.extend(other);
                }
                let Some(mut values) = self.values(&joint, failure) else {
                    continue;
                };
                let same = values.get(first).cloned();
                if let (Some(place), Some(same)) = (values.get_mut(second), same) {
                    *place = same;
                }
                let value = Json::Array(values);
                if !excluded.contains(&&value) {
                    return Ok(Some(value));
                }
                failure.doubt(Reason::keyword("uniqueItems", "an excluded array"));
            }
        }
        Ok(None)
    }

    /// The array, or one with another item if it is excluded.
    fn included(
        &mut self,
        items: &Items,
        slots: &Slots,
        values: Vec<Json>,
        (excluded, failure): (&[&Json], &mut Failure),
    ) -> Option<Json> {
        let value = Json::Array(values.clone());
        if !excluded.contains(&&value) {
            return Some(value);
        }
        for (at, slot) in slots.iter().enumerate() {
            let Some(old) = values.get(at) else { continue };
            let mut literals = slot.clone();
            literals.push(self.other_than(old));
            let outcome = self.solve(literals);
            let Some(new) = failure.note(outcome) else {
                continue;
            };
            let mut varied = values.clone();
            if let Some(place) = varied.get_mut(at) {
                *place = new;
            }
            let fits = !items.unique || crate::evaluate::are_unique(&varied);
            let varied = Json::Array(varied);
            if fits && !excluded.contains(&&varied) {
                return Some(varied);
            }
            failure.doubt(Reason::limit("several excluded arrays"));
        }
        None
    }

    /// Values that all differ: each item has as many to choose from as there are items, or all
    /// that there are, and each takes one that no other has.
    fn matched(
        &mut self,
        slots: &Slots,
        failure: &mut Failure,
    ) -> Result<Option<Vec<Json>>, Reason> {
        let mut domains: Vec<Vec<Json>> = Vec::new();
        for slot in slots {
            let mut domain = Vec::new();
            let mut literals = slot.clone();
            while domain.len() < slots.len() {
                match self.solve(literals.clone()) {
                    Outcome::Found(value) => {
                        literals.push(self.other_than(&value));
                        domain.push(value);
                    }
                    Outcome::Empty(above) => {
                        failure.note(Outcome::Empty(above));
                        break;
                    }
                    Outcome::Unknown(reason) => return Err(reason),
                }
            }
            domains.push(domain);
        }
        let mut taken: BTreeMap<String, usize> = BTreeMap::new();
        for at in 0..domains.len() {
            if !assign(&domains, at, &mut taken, &mut BTreeSet::new()) {
                return Ok(None);
            }
        }
        let mut values = vec![Json::Null; domains.len()];
        for (text, at) in &taken {
            let domain = domains.get(*at).into_iter().flatten();
            let value = domain.into_iter().find(|it| it.to_canonical() == *text);
            if let (Some(place), Some(value)) = (values.get_mut(*at), value) {
                *place = value.clone();
            }
        }
        Ok(Some(values))
    }
}

/// Finds a value for one item, having others give way if need be.
fn assign(
    domains: &[Vec<Json>],
    at: usize,
    taken: &mut BTreeMap<String, usize>,
    seen: &mut BTreeSet<String>,
) -> bool {
    for value in domains.get(at).into_iter().flatten() {
        let text = value.to_canonical();
        if !seen.insert(text.clone()) {
            continue;
        }
        let free = match taken.get(&text).copied() {
            None => true,
            Some(other) => assign(domains, other, taken, seen),
        };
        if free {
            taken.insert(text, at);
            return true;
        }
    }
    false
}

/// The ways to spread what some item must be, and what so many items must be, over the items.
fn ways(items: &Items, slots: &Slots) -> Result<Vec<Slots>, Reason> {
    let mut ways = vec![slots.clone()];
    for (from, literal) in &items.somewhere {
        let mut next = Vec::new();
        for way in &ways {
            for at in *from..slots.len() {
                let mut way = way.clone();
                if let Some(slot) = way.get_mut(at) {
                    slot.push(*literal);
                }
                next.push(way);
            }
            within(&next)?;
        }
        ways = next;
    }
    let length = u64::try_from(slots.len()).unwrap_or(u64::MAX);
    for (of, (least, most)) in &items.counts {
        let mut next = Vec::new();
        for way in &mut ways {
            let free = most.min(&length).saturating_sub(*least);
            spread(way, 0, *of, (*least, free), &mut next)?;
        }
        ways = next;
    }
    Ok(ways)
}

fn within(ways: &[Slots]) -> Result<(), Reason> {
    let items = ways.first().map_or(0, Vec::len);
    if ways.len() > WAYS_MAX || ways.len().saturating_mul(items) > WAY_ITEMS_MAX {
        return Err(Reason::keyword("contains", "too many ways to place items"));
    }
    Ok(())
}

/// Has so many of the items from `at` on be values of the node, leaves so many open, and has the
/// others not be.
fn spread(
    way: &mut Slots,
    at: usize,
    of: NodeId,
    (yes, open): (u64, u64),
    ways: &mut Vec<Slots>,
) -> Result<(), Reason> {
    within(ways)?;
    let left = u64::try_from(way.len().saturating_sub(at)).unwrap_or(0);
    if yes > left {
        return Ok(());
    }
    if at >= way.len() {
        ways.push(way.clone());
        return Ok(());
    }
    let next = at.saturating_add(1);
    let mut with = |literal, counts| {
        way.get_mut(at).into_iter().for_each(|it| it.push(literal));
        let spread = spread(way, next, of, counts, ways);
        way.get_mut(at).into_iter().for_each(|it| {
            it.pop();
        });
        spread
    };
    if let Some(fewer) = yes.checked_sub(1) {
        with(Literal::yes(of), (fewer, open))?;
    }
    if yes.saturating_add(open) < left {
        with(Literal::no(of), (yes, open))?;
    }
    if let Some(fewer) = open.checked_sub(1) {
        spread(way, next, of, (yes, fewer), ways)?;
    }
    Ok(())
}
