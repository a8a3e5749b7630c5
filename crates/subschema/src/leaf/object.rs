//! An object: which names it has, and a value for each of them.

use std::collections::BTreeMap;

use spec::Json;

use super::Atoms;
use super::members::{Demand, Members};
use crate::Reason;
use crate::node::{Literal, MembersAtom, TextAtom, Types};
use crate::solve::{Failure, Outcome, Solver};

/// The most members that are added to reach a count.
const ADDED_MAX: u64 = 200;
/// The most properties of names that fresh names are told apart by.
const CLASSES_BITS_MAX: usize = 8;

/// The most excluded objects for each of which another name is tried.
const EXCLUDED_MAX: usize = 8;

/// Names for members that no schema knows, before shorter ones are made up.
const FRESH: [&str; 3] = ["extra", "other", "more"];

/// The names chosen so far, with what is asked of the value of each.
type Chosen = BTreeMap<String, Vec<Literal>>;

/// One search for an object.
struct Search<'a> {
    members: Members,
    excluded: &'a [&'a Json],
    failure: Failure,
}

fn count(chosen: usize) -> u64 {
    u64::try_from(chosen).unwrap_or(u64::MAX)
}

impl Solver<'_> {
    pub(crate) fn object(&mut self, atoms: &Atoms<'_, MembersAtom>, excluded: &[&Json]) -> Outcome {
        let members = Members::of(self.arena, atoms);
        let mut search = Search {
            members,
            excluded,
            failure: Failure::new(),
        };
        match self.object_in(&mut search) {
            Ok(Some(value)) => Outcome::Found(value),
            Ok(None) => search.failure.outcome(),
            Err(reason) => Outcome::Unknown(reason),
        }
    }

    fn object_in(&mut self, search: &mut Search<'_>) -> Result<Option<Json>, Reason> {
        let members = &search.members;
        let present = members.present.keys();
        if present.clone().any(|it| members.absent.contains(it))
            || members
                .most
                .is_some_and(|it| count(members.present.len()) > it)
        {
            return Ok(None);
        }
        let mut chosen = Chosen::new();
        for (name, asked) in members.present.clone() {
            if !self.is_name(search, &name)? {
                return Ok(None);
            }
            let mut literals = self.literals(search, &name)?;
            literals.extend(asked);
            // What cannot be had at all need not be combined with anything.
            match self.solve(literals.clone()) {
                Outcome::Empty(above) => {
                    search.failure = Failure::new();
                    search.failure.note(Outcome::Empty(above));
                    return Ok(None);
                }
                Outcome::Found(_) | Outcome::Unknown(_) => {}
            }
            chosen.insert(name, literals);
        }
        self.place(search, 0, &chosen)
    }

    fn is_name(&mut self, search: &Search<'_>, name: &str) -> Result<bool, Reason> {
        self.all_hold(&search.members.names, &Json::from(name))
    }

    /// What is asked of the value of any member of the name.
    fn literals(&mut self, search: &Search<'_>, name: &str) -> Result<Vec<Literal>, Reason> {
        let mut literals = Vec::new();
        for node in &search.members.universal {
            literals.extend(self.applies(node, name)?.map(Literal::yes));
        }
        Ok(literals)
    }

    /// What a demand asks of the value of the member; `None` if the member cannot meet it.
    fn meets(&mut self, demand: &Demand, name: &str) -> Result<Option<Vec<Literal>>, Reason> {
        match demand {
            Demand::Member(node) => {
                let of = self.applies(node, name)?;
                Ok(of.map(|of| vec![Literal::no(of)]))
            }
            Demand::Name(of) => {
                let holds = self.holds(*of, &Json::from(name))?;
                Ok((!holds).then(Vec::new))
            }
        }
    }

    /// Finds members for the demands from `at` on.
    fn place(
        &mut self,
        search: &mut Search<'_>,
        at: usize,
        chosen: &Chosen,
    ) -> Result<Option<Json>, Reason> {
        self.tick()?;
        let Some(demand) = search.members.demands.get(at).cloned() else {
            return self.finish(search, chosen);
        };
        let next = at.saturating_add(1);
        let known = chosen.keys().chain(&search.members.mentioned);
        let mut names: Vec<String> = Vec::new();
        for name in known {
            if !names.contains(name) && !search.members.absent.contains(name) {
                names.push(name.clone());
            }
        }
        let full = search
            .members
            .most
            .is_some_and(|it| count(chosen.len()) >= it);
        for name in names {
            if full && !chosen.contains_key(&name) {
                continue;
            }
            let Some(asked) = self.meets(&demand, &name)? else {
                continue;
            };
            if !self.is_name(search, &name)? {
                continue;
            }
            if let Some(found) = self.place_at(search, next, chosen, (&name, asked))? {
                return Ok(Some(found));
            }
        }
        if full {
            return Ok(None);
        }
        self.place_fresh(search, (next, &demand), chosen)
    }

    /// Finds a new name for a demand. Names of one class are alike, but where whole objects are
    /// excluded it takes one more than those to be sure of another object.
    fn place_fresh(
        &mut self,
        search: &mut Search<'_>,
        (next, demand): (usize, &Demand),
        chosen: &Chosen,
    ) -> Result<Option<Json>, Reason> {
        let mut known = chosen.clone();
        for _ in 0..=search.excluded.len().min(EXCLUDED_MAX) {
            let names = self.fresh_names(search, &known, Some(demand))?;
            if names.is_empty() {
                return Ok(None);
            }
            for name in names {
                let asked = self.meets(demand, &name)?;
                if let Some(asked) = asked
                    && let Some(found) = self.place_at(search, next, chosen, (&name, asked))?
                {
                    return Ok(Some(found));
                }
                known.insert(name, Vec::new());
            }
        }
        if search.excluded.len() > EXCLUDED_MAX {
            let doubt = Reason::limit("many excluded objects");
            search.failure.doubt(doubt);
        }
        Ok(None)
    }

    fn place_at(
        &mut self,
        search: &mut Search<'_>,
        next: usize,
        chosen: &Chosen,
        (name, asked): (&str, Vec<Literal>),
    ) -> Result<Option<Json>, Reason> {
        let mut literals = match chosen.get(name) {
            Some(literals) => literals.clone(),
            None => self.literals(search, name)?,
        };
        literals.extend(asked);
        let outcome = self.solve(literals.clone());
        if matches!(outcome, Outcome::Empty(_)) {
            search.failure.note(outcome);
            return Ok(None);
        }
        let mut chosen = chosen.clone();
        chosen.insert(name.to_owned(), literals);
        self.place(search, next, &chosen)
    }

    /// Names that nothing mentions, one of each class that patterns and demands tell apart.
    fn fresh_names(
        &mut self,
        search: &mut Search<'_>,
        chosen: &Chosen,
        demand: Option<&Demand>,
    ) -> Result<Vec<String>, Reason> {
        let mut tests = Vec::new();
        for pattern in search.members.patterns.clone() {
            tests.push(self.arena.keep(TextAtom::Pattern(pattern)));
        }
        for other in &search.members.demands {
            if let Demand::Name(of) = other
                && !tests.contains(of)
            {
                tests.push(*of);
            }
        }
        if tests.len() > CLASSES_BITS_MAX {
            return Err(Reason::keyword(
                "patternProperties",
                "too many patterns to tell names apart by",
            ));
        }
        let known = search.members.mentioned.iter().chain(chosen.keys());
        let known: Vec<Json> = known.map(|it| Json::from(it.as_str())).collect();
        let mut base = search.members.names.clone();
        base.push(Literal::yes(self.arena.types(Types::STRING)));
        base.push(Literal::no(self.arena.one_of_values(&known)));
        if let Some(Demand::Name(of)) = demand {
            base.push(Literal::no(*of));
        }
        let mut names = Vec::new();
        for class in 0..1_usize << tests.len() {
            let mut literals = base.clone();
            for (bit, test) in tests.iter().enumerate() {
                literals.push(Literal {
                    node: *test,
                    holds: class >> bit & 1 == 1,
                });
            }
            if let Some(name) = self.fresh_name(search, literals) {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn fresh_name(&mut self, search: &mut Search<'_>, literals: Vec<Literal>) -> Option<String> {
        let readable = FRESH
            .iter()
            .find(|it| matches!(self.all_hold(&literals, &Json::from(**it)), Ok(true)));
        if let Some(name) = readable {
            return Some((*name).to_owned());
        }
        let found = self.solve(literals);
        let found = search.failure.note(found)?;
        found.as_str().map(str::to_owned)
    }

    /// The object of the chosen names, with as many more as the count asks for.
    fn finish(&mut self, search: &mut Search<'_>, chosen: &Chosen) -> Result<Option<Json>, Reason> {
        let mut values = BTreeMap::new();
        for (name, literals) in chosen {
            let outcome = self.solve(literals.clone());
            let Some(value) = search.failure.note(outcome) else {
                return Ok(None);
            };
            values.insert(name.clone(), value);
        }
        let most = search.members.most.unwrap_or(u64::MAX);
        if count(values.len()) > most || search.members.least > most {
            return Ok(None);
        }
        let mut chosen = chosen.clone();
        if search.members.least > count(values.len()).saturating_add(ADDED_MAX) {
            return Err(Reason::keyword("minProperties", "too many members to add"));
        }
        let mut added = Vec::new();
        while count(values.len()) < search.members.least {
            let Some((name, literals, value)) = self.another(search, &chosen)? else {
                return Ok(None);
            };
            values.insert(name.clone(), value);
            added.push(name.clone());
            chosen.insert(name, literals);
        }
        let value = Json::Object(values);
        if !search.excluded.contains(&&value) {
            return Ok(Some(value));
        }
        self.vary(search, (&chosen, &added), value)
    }

    /// A member that could be there as well.
    fn another(
        &mut self,
        search: &mut Search<'_>,
        chosen: &Chosen,
    ) -> Result<Option<(String, Vec<Literal>, Json)>, Reason> {
        let mentioned = search.members.mentioned.iter();
        let free = mentioned
            .filter(|it| !search.members.absent.contains(*it) && !chosen.contains_key(*it));
        let mut names: Vec<String> = free.cloned().collect();
        let mut fresh = false;
        loop {
            for name in std::mem::take(&mut names) {
                if !self.is_name(search, &name)? {
                    continue;
                }
                let literals = self.literals(search, &name)?;
                let outcome = self.solve(literals.clone());
                if let Some(value) = search.failure.note(outcome) {
                    return Ok(Some((name, literals, value)));
                }
            }
            if std::mem::replace(&mut fresh, true) {
                return Ok(None);
            }
            names = self.fresh_names(search, chosen, None)?;
        }
    }

    /// Another object than one that is excluded: one member more, one in the place of another that was
    /// added, or one value changed. If nothing of that can be had, there is no other object.
    fn vary(
        &mut self,
        search: &mut Search<'_>,
        (chosen, added): (&Chosen, &[String]),
        value: Json,
    ) -> Result<Option<Json>, Reason> {
        let Json::Object(values) = &value else {
            return Ok(None);
        };
        let mut varied = Vec::new();
        let room = search
            .members
            .most
            .is_none_or(|it| count(values.len()) < it);
        if (room || !added.is_empty())
            && let Some((name, _, more)) = self.another(search, chosen)?
        {
            let mut values = values.clone();
            values.insert(name, more);
            for replaced in added {
                let mut values = values.clone();
                values.remove(replaced);
                varied.push(Json::Object(values));
            }
            if room {
                varied.push(Json::Object(values));
            }
        }
        for (name, literals) in chosen {
            let Some(old) = values.get(name) else {
                continue;
            };
            let mut literals = literals.clone();
            literals.push(self.other_than(old));
            let outcome = self.solve(literals);
            if let Some(new) = search.failure.note(outcome) {
                let mut values = values.clone();
                values.insert(name.clone(), new);
                varied.push(Json::Object(values));
            }
        }
        let some = !varied.is_empty();
        let found = varied.into_iter().find(|it| !search.excluded.contains(&it));
        if found.is_none() && some {
            search
                .failure
                .doubt(Reason::limit("several excluded objects"));
        }
        Ok(found)
    }
}
