//! What must hold of the answers about any schemas, and a run that tries it on made-up ones. Knows
//! nothing of how answers are found.

use std::collections::BTreeMap;

use spec::Json;
use subschema::{Answer, Options, complete, is_empty};
use validator::{Draft, Validator};

use crate::schemas::{Case, Maker, under};
use crate::values::Sampler;

/// Asks whether one schema is within another, and may take the time.
pub(crate) type Ask<'a> = &'a mut dyn FnMut(&Json, &Json, &Options) -> Answer;

/// How much is tried.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) cases: u64,
    pub(crate) seed: u64,
    /// Values to try against each proof.
    pub(crate) samples: u64,
    /// Whether every law is tried on every case, rather than one after the other.
    pub(crate) every_law: bool,
    pub(crate) steps_max: u64,
}

/// What a run has seen.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) proved: u64,
    pub(crate) refuted: u64,
    /// How often a pair of a case was undecided, by what stood in the way.
    pub(crate) undecided: BTreeMap<String, u64>,
    /// The same of the questions that laws ask.
    pub(crate) laws_undecided: BTreeMap<String, u64>,
    /// The questions that laws asked.
    pub(crate) laws_asked: u64,
    /// Schemas that no validator takes.
    pub(crate) unusable: u64,
    /// Values of a schema that was proved to be within another.
    pub(crate) values: u64,
    /// Answers that cannot be, each with what shows it.
    pub(crate) faults: Vec<String>,
}

impl Seen {
    /// The pairs that were asked about.
    pub(crate) fn pairs(&self) -> u64 {
        self.proved + self.refuted + self.undecided.values().sum::<u64>()
    }
}

struct Run<'a> {
    ask: Ask<'a>,
    effort: Effort,
    seen: Seen,
    options: Options,
    seed: u64,
}

/// A schema with what judges values by it.
struct Judged {
    schema: Json,
    validator: Validator,
}

impl Judged {
    fn new(schema: Json) -> Option<Self> {
        let validator = Validator::compile(&schema).ok()?;
        Some(Self { schema, validator })
    }
}

/// Tries the laws on made-up schemas.
pub(crate) fn run(effort: Effort, ask: Ask<'_>) -> Seen {
    let mut maker = Maker::new(effort.seed);
    let mut run = Run {
        ask,
        effort,
        seen: Seen::default(),
        options: Options {
            steps_max: effort.steps_max,
            ..Options::default()
        },
        seed: effort.seed,
    };
    for number in 0..effort.cases {
        let case = maker.case();
        run.seed = effort.seed.wrapping_mul(1_000_003).wrapping_add(number);
        run.case(&case, number);
    }
    run.seen
}

impl Run<'_> {
    fn fault(&mut self, law: &str, sub: &Json, sup: &Json, what: &str) {
        let (sub, sup) = (sub.to_canonical(), sup.to_canonical());
        let text = format!("{law}\n  sub {sub}\n  sup {sup}\n  {what}");
        self.seen.faults.push(text);
    }

    /// Asks, and sees to it that an answer is no contradiction in itself.
    fn ask(&mut self, law: &str, sub: &Json, sup: &Json) -> Answer {
        let answer = (self.ask)(sub, sup, &self.options);
        match &answer {
            Answer::Undecided(reason) if reason.text.starts_with("internal") => {
                self.fault(law, sub, sup, &reason.text.clone());
            }
            Answer::Refuted(witness) => {
                let judge =
                    |schema| Validator::compile(schema).map(|it| it.accepts(&witness.value));
                if judge(sub) != Ok(true) || judge(sup) != Ok(false) {
                    let value = witness.value.to_canonical();
                    self.fault(law, sub, sup, &format!("not a witness: {value}"));
                }
            }
            Answer::Undecided(_) | Answer::Proved(_) => {}
        }
        answer
    }

    /// A question of a law, whose answer may be open but not the other one.
    fn must_not_be_refuted(&mut self, law: &str, sub: &Json, sup: &Json) {
        self.seen.laws_asked += 1;
        match self.ask(law, sub, sup) {
            Answer::Proved(_) => {}
            Answer::Refuted(it) => {
                let value = it.value.to_canonical();
                self.fault(law, sub, sup, &format!("refuted by {value}"));
            }
            Answer::Undecided(reason) => self.open(law, &reason),
        }
    }

    fn open(&mut self, law: &str, reason: &subschema::Reason) {
        let text = format!("{law}: {reason}");
        *self.seen.laws_undecided.entry(text).or_default() += 1;
    }

    /// A question whose answer is known.
    fn must_be(&mut self, law: &str, expected: bool, sub: &Json, sup: &Json) {
        self.seen.laws_asked += 1;
        match (self.ask(law, sub, sup), expected) {
            (Answer::Proved(_), true) | (Answer::Refuted(_), false) => {}
            (Answer::Undecided(reason), _) => self.open(law, &reason),
            (answer, _) => self.fault(law, sub, sup, &format!("expected {expected}: {answer:?}")),
        }
    }

    fn sampled(&mut self, law: &str, sub: &Judged, sup: &Judged) {
        let mut sampler = Sampler::new(self.seed, &[&sub.schema, &sup.schema]);
        for _ in 0..self.effort.samples {
            let value = sampler.next();
            if !sub.validator.accepts(&value) {
                continue;
            }
            self.seen.values += 1;
            if !sup.validator.accepts(&value) {
                let text = format!("proved, but not of {}", value.to_canonical());
                return self.fault(law, &sub.schema, &sup.schema, &text);
            }
        }
    }

    fn case(&mut self, case: &Case, number: u64) {
        let [a, b, c] = &case.parts;
        let document = |it: &Json| Judged::new(case.document(it));
        let (Some(first), Some(second)) = (document(a), document(b)) else {
            self.seen.unusable += 1;
            return;
        };
        let answer = self.ask("sub in sup", &first.schema, &second.schema);
        match &answer {
            Answer::Proved(_) => {
                self.seen.proved += 1;
                self.sampled("sub in sup", &first, &second);
            }
            Answer::Refuted(_) => self.seen.refuted += 1,
            Answer::Undecided(reason) => {
                *self.seen.undecided.entry(reason.to_string()).or_default() += 1;
            }
        }
        const LAWS: u64 = 7;
        for law in 0..LAWS {
            if !self.effort.every_law && number % LAWS != law {
                continue;
            }
            match law {
                0 => self.lattice(case, &first, &second),
                1 => self.rewritten(case, &answer, number),
                2 => self.transitive(case, &answer, &second, c),
                3 => self.listed(case, &first, &second),
                4 => self.completed(case, &first, &second),
                5 => self.as_other_drafts(case, &first, number),
                _ => self.turned_round(case, &answer),
            }
        }
    }

    /// A is in A; both is in each, and each in either.
    fn lattice(&mut self, case: &Case, first: &Judged, second: &Judged) {
        let [a, b, _] = &case.parts;
        let both = case.document(&under("allOf", &[a, b]));
        let either = case.document(&under("anyOf", &[a, b]));
        self.must_not_be_refuted("A in A", &first.schema, &first.schema);
        self.must_not_be_refuted("A and B in A", &both, &first.schema);
        self.must_not_be_refuted("A and B in B", &both, &second.schema);
        self.must_not_be_refuted("A in A or B", &first.schema, &either);
        self.must_not_be_refuted("B in A or B", &second.schema, &either);
    }

    /// Both sides said otherwise have the same answer.
    fn rewritten(&mut self, case: &Case, answer: &Answer, number: u64) {
        let nothing = Json::from_members([("not", Json::object())]);
        let not = |it: &Json| Json::from_members([("not", it.clone())]);
        let forms: [&dyn Fn(&Json) -> Json; 8] = [
            &|it| not(&not(it)),
            &|it| under("allOf", &[&Json::object(), it]),
            &|it| under("anyOf", &[it, &nothing]),
            &|it| under("oneOf", &[&nothing, it]),
            &|it| not(&under("anyOf", &[&not(it)])),
            &|it| not(&under("allOf", &[&not(it), &Json::object()])),
            &|it| under("anyOf", &[it, it]),
            &|it| match case.draft {
                Draft::D4 | Draft::D6 => under("allOf", &[it, it]),
                Draft::D7 | Draft::D2019 | Draft::D2020 => {
                    Json::from_members([("if", not(it)), ("then", nothing.clone())])
                }
            },
        ];
        let at = usize::try_from(number / 7 % 8).unwrap_or(0);
        let (left, right) = (forms[at], forms[(at * 3 + 1) % 8]);
        let [a, b, _] = &case.parts;
        let (sub, sup) = (case.document(&left(a)), case.document(&right(b)));
        self.same_answer("said otherwise", answer, &sub, &sup);
    }

    fn same_answer(&mut self, law: &str, answer: &Answer, sub: &Json, sup: &Json) {
        match answer {
            Answer::Proved(_) => self.must_be(law, true, sub, sup),
            Answer::Refuted(_) => self.must_be(law, false, sub, sup),
            Answer::Undecided(_) => {}
        }
    }

    /// Not B is in not A if and only if A is in B; then A without B is empty.
    fn turned_round(&mut self, case: &Case, answer: &Answer) {
        let [a, b, _] = &case.parts;
        let not = |it: &Json| Json::from_members([("not", it.clone())]);
        let (sub, sup) = (case.document(&not(b)), case.document(&not(a)));
        self.same_answer("not B in not A", answer, &sub, &sup);
        let rest = case.document(&under("allOf", &[&not(b), a]));
        self.seen.laws_asked += 1;
        match (is_empty(&rest, &self.options), answer) {
            (Answer::Proved(_), Answer::Refuted(_)) | (Answer::Refuted(_), Answer::Proved(_)) => {
                self.fault("A without B", &rest, &Json::Bool(false), "not alike");
            }
            (Answer::Undecided(reason), _) => self.open("A without B", &reason),
            (Answer::Proved(_) | Answer::Refuted(_), _) => {}
        }
    }

    fn transitive(&mut self, case: &Case, answer: &Answer, second: &Judged, c: &Json) {
        let Some(third) = Judged::new(case.document(c)) else {
            return;
        };
        let next = self.ask("B in C", &second.schema, &third.schema);
        if matches!(next, Answer::Proved(_)) {
            self.sampled("B in C", second, &third);
            if matches!(answer, Answer::Proved(_)) {
                let sub = case.document(&case.parts[0]);
                self.must_not_be_refuted("A in B in C", &sub, &third.schema);
            }
        }
    }

    /// Of listed values a validator knows the answer, and of schemas without a value as well.
    fn listed(&mut self, case: &Case, first: &Judged, second: &Judged) {
        let mut sampler = Sampler::new(self.seed, &[&first.schema, &second.schema]);
        for _ in 0..3 {
            let value = sampler.next();
            let one = Json::from_members([("enum", Json::from(vec![value.clone()]))]);
            let sub = case.document(&one);
            let expected = second.validator.accepts(&value);
            self.must_be("a value in B", expected, &sub, &second.schema);
            let others = case.document(&Json::from_members([("not", one)]));
            let expected = !first.validator.accepts(&value);
            self.must_be("A without a value", expected, &first.schema, &others);
        }
        self.enumerated(case, first, &mut sampler);
    }

    /// A schema is not within a list of its values from which one is missing.
    fn enumerated(&mut self, case: &Case, first: &Judged, sampler: &mut Sampler) {
        let mut values = Vec::new();
        for _ in 0..self.effort.samples {
            let value = sampler.next();
            if !values.contains(&value) && first.validator.accepts(&value) {
                values.push(value);
            }
        }
        let enough = 1 + self.seed % 3;
        let listed = usize::try_from(enough).unwrap_or(1).min(values.len());
        if listed == 0 {
            return;
        }
        let list = Json::from(values[..listed].to_vec());
        let list = case.document(&Json::from_members([("enum", list)]));
        if listed < values.len() {
            self.must_be("A in some of its values", false, &first.schema, &list);
        } else {
            self.ask("A in its values", &first.schema, &list);
        }
    }

    /// What an overlay leaves unsaid is as it was, and what is proved of it is so.
    fn completed(&mut self, case: &Case, tool: &Judged, overlay: &Judged) {
        let same = complete(&tool.schema, &Json::object()).schema;
        if same != tool.schema {
            self.fault("complete(T, {})", &same, &tool.schema, "not the same");
        }
        let restated = complete(&tool.schema, &tool.schema).schema;
        self.must_not_be_refuted("complete(T, T) in T", &restated, &tool.schema);
        self.must_not_be_refuted("T in complete(T, T)", &tool.schema, &restated);
        let overlays = [overlay.schema.clone(), case.parts[1].clone()];
        for overlay in overlays {
            let claim = complete(&tool.schema, &overlay).schema;
            let Some(claim) = Judged::new(claim) else {
                continue;
            };
            let answer = self.ask("complete(T, B) in T", &claim.schema, &tool.schema);
            if matches!(answer, Answer::Proved(_)) {
                self.sampled("complete(T, B) in T", &claim, tool);
            }
        }
    }

    /// The same words as another draft reads them.
    fn as_other_drafts(&mut self, case: &Case, first: &Judged, number: u64) {
        let drafts = Draft::ALL.into_iter().filter(|it| *it != case.draft);
        let drafts: Vec<Draft> = drafts.collect();
        let draft = drafts[usize::try_from(number / 7 % 4).unwrap_or(0)];
        let mut other = case.document(&case.parts[1]);
        if let Json::Object(members) = &mut other {
            members.insert("$schema".to_owned(), Json::from(draft.uri()));
        }
        let Some(other) = Judged::new(other) else {
            return;
        };
        for (sub, sup) in [(first, &other), (&other, first)] {
            if matches!(
                self.ask("two drafts", &sub.schema, &sup.schema),
                Answer::Proved(_)
            ) {
                self.sampled("two drafts", sub, sup);
            }
        }
    }
}
