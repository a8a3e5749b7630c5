//! Who is right: a value that a validator takes for the one schema and refuses for the other settles
//! a pair for good. The validator knows nothing of any tool.

use serde_json::Value;

use crate::pairs::Pair;
use crate::race::{Run, Said};

/// What is known of a pair once every tool has spoken.
pub(crate) struct Judged {
    /// The right answer; nothing where it is not known.
    pub(crate) truth: Option<bool>,
    /// A value that shows that the answer is no.
    pub(crate) against: Option<Value>,
    /// Whether each tool's witness, if it gave one, is one.
    pub(crate) confirmed: Vec<Option<bool>>,
}

/// The two schemas of a pair, ready to judge values with.
pub(crate) struct Judge {
    sub: jsonschema::Validator,
    sup: jsonschema::Validator,
}

impl Judge {
    /// Nothing where a validator cannot read one of the schemas.
    pub(crate) fn of(pair: &Pair) -> Option<Self> {
        let draft = if pair.draft == "draft-07" {
            jsonschema::Draft::Draft7
        } else {
            jsonschema::Draft::Draft202012
        };
        let read = |text: &str| {
            let schema: Value = serde_json::from_str(text).ok()?;
            let options = jsonschema::options().with_draft(draft);
            let options = options.should_validate_formats(pair.formats_assert);
            options.build(&schema).ok()
        };
        Some(Self {
            sub: read(&pair.sub)?,
            sup: read(&pair.sup)?,
        })
    }

    /// Whether the value is one of the first schema and none of the second.
    pub(crate) fn settles(&self, value: &Value) -> bool {
        self.sub.is_valid(value) && !self.sup.is_valid(value)
    }
}

pub(crate) fn all(pairs: &[Pair], runs: &[Run]) -> Vec<Judged> {
    let judged = |(number, pair): (usize, &Pair)| one(pair, number, runs);
    pairs.iter().enumerate().map(judged).collect()
}

fn one(pair: &Pair, number: usize, runs: &[Run]) -> Judged {
    let judge = Judge::of(pair);
    let (mut against, mut confirmed) = (None, Vec::new());
    let (mut yes, mut no) = (0_usize, 0_usize);
    for run in runs {
        let reply = run.replies.get(number);
        match reply.map(|it| it.said) {
            Some(Said::Yes) => yes = yes.saturating_add(1),
            Some(Said::No) => no = no.saturating_add(1),
            Some(Said::Undecided | Said::Crashed | Said::Late) | None => {}
        }
        let witness = reply.and_then(|it| it.witness.as_ref());
        let settles = witness
            .zip(judge.as_ref())
            .map(|(it, judge)| judge.settles(it));
        if settles == Some(true) {
            against = witness.cloned();
        }
        confirmed.push(settles);
    }
    // Of a pair without a label, two tools that agree and none that does not are believed.
    let agreed = (yes >= 2 && no == 0).then_some(true);
    let truth = match (pair.expected, &against) {
        (Some(expected), _) => Some(expected),
        (None, Some(_)) => Some(false),
        (None, None) => agreed,
    };
    Judged {
        truth,
        against,
        confirmed,
    }
}
