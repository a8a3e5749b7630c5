//! The table: a row a tool.

use std::time::Duration;

use crate::judge::Judged;
use crate::pairs::Pair;
use crate::race::{Run, Said};
use crate::{Failure, say};

#[derive(Default)]
struct Row {
    right: usize,
    wrong_yes: usize,
    wrong_no: usize,
    undecided: usize,
    crashed: usize,
    late: usize,
    unjudged: usize,
    witnesses: usize,
    bad_witnesses: usize,
    times: Vec<Duration>,
}

fn add(count: &mut usize) {
    *count = count.saturating_add(1);
}

fn row(run: &Run, place: usize, judged: &[Judged]) -> Row {
    let mut row = Row::default();
    for (reply, judged) in run.replies.iter().zip(judged) {
        row.times.push(reply.time);
        match (reply.said, judged.truth) {
            (Said::Undecided, _) => add(&mut row.undecided),
            (Said::Crashed, _) => add(&mut row.crashed),
            (Said::Late, _) => add(&mut row.late),
            (Said::Yes | Said::No, None) => add(&mut row.unjudged),
            (Said::Yes, Some(true)) | (Said::No, Some(false)) => add(&mut row.right),
            (Said::Yes, Some(false)) => add(&mut row.wrong_yes),
            (Said::No, Some(true)) => add(&mut row.wrong_no),
        }
        match judged.confirmed.get(place).copied().flatten() {
            Some(true) => add(&mut row.witnesses),
            Some(false) => add(&mut row.bad_witnesses),
            None => {}
        }
    }
    row.times.sort();
    row
}

fn millis(times: &[Duration], thousandth: usize) -> String {
    let last = times.len().saturating_sub(1);
    let at = last.saturating_mul(thousandth) / 1000;
    let time = times.get(at).copied().unwrap_or_default();
    format!("{:.3}", time.as_secs_f64() * 1000.0)
}

pub(crate) fn print(
    pairs: &[Pair],
    runs: &[Run],
    judged: &[Judged],
    missing: &[(String, String)],
) -> Result<(), Failure> {
    let known = judged.iter().filter(|it| it.truth.is_some()).count();
    say(&format!(
        "\n{} pairs, of which the answer to {known} is known",
        pairs.len()
    ))?;
    say(
        "| tool | right | wrong yes (unsound) | wrong no | undecided | crash / timeout | not judged | witness | median ms | p99 ms | max ms |\n|---|---|---|---|---|---|---|---|---|---|---|",
    )?;
    for (place, run) in runs.iter().enumerate() {
        if let Some(why) = &run.failed {
            say(&format!("| {} | not installed: {why} |", run.name))?;
            continue;
        }
        let it = row(run, place, judged);
        let witness = match (it.witnesses, it.bad_witnesses) {
            (0, 0) => "no".to_owned(),
            (good, 0) => format!("yes, {good} confirmed"),
            (good, bad) => format!("yes, {good} confirmed, {bad} not"),
        };
        say(&format!(
            "| {} | {} | {} | {} | {} | {} / {} | {} | {witness} | {} | {} | {} |",
            run.name,
            it.right,
            it.wrong_yes,
            it.wrong_no,
            it.undecided,
            it.crashed,
            it.late,
            it.unjudged,
            millis(&it.times, 500),
            millis(&it.times, 990),
            millis(&it.times, 1000),
        ))?;
    }
    for (name, why) in missing {
        say(&format!("| {name} | not installed: {why} |"))?;
    }
    Ok(())
}
