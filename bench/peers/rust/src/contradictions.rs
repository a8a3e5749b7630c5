//! Where another tool contradicts ours, and who is right.

use serde_json::Value;

use crate::judge::{Judge, Judged};
use crate::pairs::Pair;
use crate::race::{Reply, Run, Said};
use crate::random::Maker;
use crate::{Failure, say};

/// How many values are tried where nobody gave one.
const TRIES: usize = 5000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    OursWrong,
    OursRight,
    Open,
}

fn opposite(said: Said) -> Option<Said> {
    match said {
        Said::Yes => Some(Said::No),
        Said::No => Some(Said::Yes),
        Said::Undecided | Said::Crashed | Said::Late => None,
    }
}

fn verdict(ours: &Reply, pair: &Pair, judged: &Judged, found: Option<&Value>) -> Verdict {
    let confirmed = judged.confirmed.first().copied().flatten();
    match ours.said {
        Said::Yes if found.is_some() => Verdict::OursWrong,
        Said::No if confirmed == Some(false) => Verdict::OursWrong,
        Said::No if confirmed == Some(true) => Verdict::OursRight,
        Said::Yes | Said::No
            if pair
                .expected
                .is_some_and(|it| it != (ours.said == Said::Yes)) =>
        {
            Verdict::OursWrong
        }
        Said::Yes | Said::No | Said::Undecided | Said::Crashed | Said::Late => Verdict::Open,
    }
}

/// A value that settles the pair: one that a tool gave, or one of many tried.
fn against(pair: &Pair, judged: &Judged, maker: &mut Maker) -> Option<Value> {
    if judged.against.is_some() {
        return judged.against.clone();
    }
    let judge = Judge::of(pair)?;
    let mut tried = (0..TRIES).map(|_| maker.value(3));
    tried.find(|it| judge.settles(it))
}

/// Prints every pair where ours, the first of the runs, is contradicted by a tool or a label, and
/// says how often ours is the wrong one.
pub(crate) fn print(
    pairs: &[Pair],
    runs: &[Run],
    judged: &[Judged],
    seed: u64,
) -> Result<usize, Failure> {
    let Some((ours, others)) = runs.split_first() else {
        return Ok(0);
    };
    let mut maker = Maker::new(seed);
    let (mut count, mut wrong, mut open) = (0_usize, 0_usize, 0_usize);
    for (number, (pair, judged)) in pairs.iter().zip(judged).enumerate() {
        let Some(reply) = ours.replies.get(number) else {
            break;
        };
        let Some(opposite) = opposite(reply.said) else {
            continue;
        };
        let said = |it: &&Run| it.replies.get(number).map(|it| it.said) == Some(opposite);
        let mut names: Vec<&str> = others
            .iter()
            .filter(said)
            .map(|it| it.name.as_str())
            .collect();
        if pair
            .expected
            .is_some_and(|it| it != (reply.said == Said::Yes))
        {
            names.push("the label");
        }
        let is_bad = judged.confirmed.first().copied().flatten() == Some(false);
        let is_settled = reply.said == Said::Yes && judged.against.is_some();
        if names.is_empty() && !is_bad && !is_settled {
            continue;
        }
        count = count.saturating_add(1);
        let found = against(pair, judged, &mut maker);
        let (verdict, word) = match verdict(reply, pair, judged, found.as_ref()) {
            Verdict::OursWrong => (Verdict::OursWrong, "OURS IS WRONG"),
            Verdict::OursRight => (Verdict::OursRight, "ours is right, by a validator"),
            Verdict::Open => (Verdict::Open, "open: no value settles it"),
        };
        wrong = wrong.saturating_add(usize::from(verdict == Verdict::OursWrong));
        open = open.saturating_add(usize::from(verdict == Verdict::Open));
        say(&format!(
            "\n{} ({}): ours says {:?}, against {}: {word}\n  sub {}\n  sup {}\n  value {}",
            pair.id,
            pair.draft,
            reply.said,
            names.join(", "),
            pair.sub,
            pair.sup,
            found.map_or_else(|| "none".to_owned(), |it| it.to_string())
        ))?;
    }
    say(&format!(
        "\n{count} contradictions of ours: {wrong} where ours is wrong, {open} open"
    ))?;
    Ok(wrong)
}
