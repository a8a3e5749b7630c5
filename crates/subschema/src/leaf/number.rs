//! A number within bounds, on a lattice of multiples and off others.

use num_bigint::BigInt;
use num_traits::{Signed as _, ToPrimitive as _, Zero as _};
use spec::Json;

use super::Atoms;
use crate::Reason;
use crate::node::NumberAtom;
use crate::number::{Rational, decimal, divides, least_common_multiple, rational};
use crate::solve::{NOTHING_ABOVE, Outcome};

/// The most multiples that are tried one by one.
const TRIES_MAX: usize = 20_000;

#[derive(Default)]
struct Range {
    /// The end, and whether it is outside.
    least: Option<(Rational, bool)>,
    most: Option<(Rational, bool)>,
    /// Every number is a multiple of it.
    lattice: Option<Rational>,
    /// No number is a multiple of one of these.
    avoided: Vec<Rational>,
    excluded: Vec<Rational>,
}

/// A number of which the atoms hold.
pub(crate) fn find(atoms: &Atoms<'_, NumberAtom>, excluded: &[&Json]) -> Outcome {
    let mut range = Range::default();
    for (node, holds) in atoms {
        range.add(node, *holds);
    }
    let numbers = excluded.iter().filter_map(|it| it.as_number());
    range.excluded = numbers.filter_map(rational).collect();
    let found = match range.lattice.clone() {
        Some(lattice) => range.on(&lattice),
        None => range.dense(),
    };
    match found {
        Ok(Some(number)) => match decimal(&number) {
            Some(number) => Outcome::Found(Json::Number(number)),
            None => Outcome::Unknown(Reason::keyword("multipleOf", "a number too long to write")),
        },
        Ok(None) => Outcome::Empty(NOTHING_ABOVE),
        Err(reason) => Outcome::Unknown(reason),
    }
}

impl Range {
    fn add(&mut self, node: &NumberAtom, holds: bool) {
        match node {
            NumberAtom::Bound { upper, strict, at } => {
                // What is not above an end is below or at it.
                let (upper, strict) = (*upper == holds, *strict == holds);
                self.bound(upper, strict, at);
            }
            NumberAtom::Integer => self.multiple(Rational::from_integer(1.into()), holds),
            NumberAtom::MultipleOf(divisor) => self.multiple(divisor.clone(), holds),
        }
    }

    fn bound(&mut self, upper: bool, strict: bool, at: &Rational) {
        let end = if upper {
            &mut self.most
        } else {
            &mut self.least
        };
        let tighter = end.as_ref().is_none_or(|(old, old_strict)| {
            let inside = if upper { at < old } else { at > old };
            inside || (at == old && strict && !old_strict)
        });
        if tighter {
            *end = Some((at.clone(), strict));
        }
    }

    fn multiple(&mut self, divisor: Rational, holds: bool) {
        if !holds {
            self.avoided.push(divisor);
            return;
        }
        self.lattice = Some(match &self.lattice {
            Some(lattice) => least_common_multiple(lattice, &divisor),
            None => divisor,
        });
    }

    fn is_within(&self, number: &Rational) -> bool {
        let above = self
            .least
            .as_ref()
            .is_none_or(|(end, strict)| number > end || (number == end && !strict));
        let below = self
            .most
            .as_ref()
            .is_none_or(|(end, strict)| number < end || (number == end && !strict));
        above && below
    }

    fn fits(&self, number: &Rational) -> bool {
        self.is_within(number)
            && !self.excluded.contains(number)
            && !self.avoided.iter().any(|it| divides(it, number))
    }

    /// The multiples of the lattice, from the end that there is. What is avoided repeats, so a period
    /// has one that fits or none has, and as many periods as there are excluded ones, and one more,
    /// decide.
    fn on(&self, lattice: &Rational) -> Result<Option<Rational>, Reason> {
        let mut period = BigInt::from(1);
        for avoided in &self.avoided {
            let joint = least_common_multiple(lattice, avoided) / lattice;
            let joint = joint.to_integer();
            if joint == BigInt::from(1) {
                return Ok(None);
            }
            period = num_integer::Integer::lcm(&period, &joint);
        }
        let needed = period
            .to_usize()
            .and_then(|it| it.checked_mul(self.excluded.len().checked_add(1)?));
        let tries = needed
            .and_then(|it| it.checked_add(2))
            .unwrap_or(usize::MAX);
        let (start, step) = match (&self.least, &self.most) {
            (Some((least, _)), _) => ((least / lattice).ceil(), 1),
            (None, Some((most, _))) => ((most / lattice).floor(), -1),
            (None, None) => (Rational::zero(), 1),
        };
        let mut factor = start.to_integer();
        // An inner number reads better than one at an infinite end, and costs one look.
        let zero = Rational::zero();
        if self.fits(&zero) {
            return Ok(Some(zero));
        }
        for _ in 0..tries.min(TRIES_MAX) {
            let number = lattice * Rational::from_integer(factor.clone());
            let past = self.most.as_ref().is_some_and(|(most, _)| &number > most);
            if step > 0 && past {
                return Ok(None);
            }
            if self.fits(&number) {
                return Ok(Some(number));
            }
            factor += step;
        }
        if tries > TRIES_MAX {
            return Err(Reason::keyword("multipleOf", "too many multiples to try"));
        }
        Ok(None)
    }

    /// Any number of an interval that has infinitely many, or its only one.
    fn dense(&self) -> Result<Option<Rational>, Reason> {
        if let (Some((least, low)), Some((most, high))) = (&self.least, &self.most) {
            if least > most || (least == most && (*low || *high)) {
                return Ok(None);
            }
            if least == most {
                return Ok(Some(least.clone()).filter(|it| self.fits(it)));
            }
        }
        let whole = |it: i64| Rational::from_integer(it.into());
        let (base, width) = match (&self.least, &self.most) {
            (Some((least, _)), Some((most, _))) => (least.clone(), most - least),
            (Some((least, _)), None) => (least.clone(), whole(16)),
            (None, Some((most, _))) => (most - whole(16), whole(16)),
            (None, None) => (whole(0), whole(16)),
        };
        // Whole numbers read best, and one just past an end tells most.
        let (zero, one) = (whole(0), whole(1));
        let past = [base.ceil(), base.floor() + &one];
        let first = [zero, one];
        let near = if self.least.is_some() {
            [past, first]
        } else {
            [first, past]
        };
        let ends = [base.clone(), &base + &width];
        let near = near.into_iter().flatten().chain(ends);
        let parted = [1, 2, 3, 5, 8, 13].into_iter().flat_map(|places| {
            let parts = whole(10).pow(places);
            [5, 1, 2, 3, 7, 9].map(|it| &base + &width * whole(it) / &parts)
        });
        // Of a lattice, an interval this small has at most one number.
        let others = self.excluded.len().saturating_add(self.avoided.len());
        let halved = (0..others.saturating_add(40)).scan(width.clone(), |scale, it| {
            *scale /= whole(if it % 2 == 0 { 2 } else { 5 });
            Some(&base + &*scale)
        });
        let mut candidates = near.chain(parted).chain(halved);
        let fits = |it: &Rational| self.fits(it) && decimal(it).is_some();
        match candidates.find(fits) {
            Some(number) => Ok(Some(number)),
            None if self.avoided.is_empty() && width.is_positive() => {
                Err(Reason::limit("too many excluded numbers"))
            }
            None => Err(Reason::keyword("multipleOf", "numbers off a lattice")),
        }
    }
}
