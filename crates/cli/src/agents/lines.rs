//! Two texts, line by line: what stayed, what went, what came. Knows lines and hunks; not what is in
//! them, nor how they are drawn.

/// Unchanged lines that are shown around a change.
const CONTEXT_LINES: usize = 3;
/// Beyond this many pairs of lines the changed middle counts as replaced whole.
const PAIRS_MAX: usize = 8 * 1024 * 1024;

/// A line of either text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// In both.
    Same(&'a str),
    /// Only in the old one.
    Gone(&'a str),
    /// Only in the new one.
    New(&'a str),
}

/// Changes that lie close together, with their surroundings.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hunk<'a> {
    /// The first line in the old text, from 1, and how many there are.
    pub(super) old: (usize, usize),
    /// The same in the new text.
    pub(super) new: (usize, usize),
    pub(super) lines: &'a [Line<'a>],
}

/// Every line of both texts, in order, with as many of them in common as there can be.
pub(super) fn compare<'a>(old: &'a str, new: &'a str) -> Vec<Line<'a>> {
    let (mut old, mut new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    // What both texts begin and end with is left out of the search.
    let common =
        |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let before = common(&mut old.iter().zip(&new));
    let rest = (old.split_off(before), new.split_off(before));
    let head = old;
    (old, new) = rest;
    let after = common(&mut old.iter().rev().zip(new.iter().rev()));
    let tail = old.split_off(old.len().saturating_sub(after));
    new.truncate(new.len().saturating_sub(after));
    let mut lines: Vec<_> = head.into_iter().map(Line::Same).collect();
    lines.extend(middle(&old, &new));
    lines.extend(tail.into_iter().map(Line::Same));
    lines
}

fn middle<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let width = new.len().saturating_add(1);
    if old.len().saturating_mul(width) > PAIRS_MAX {
        let gone = old.iter().copied().map(Line::Gone);
        return gone.chain(new.iter().copied().map(Line::New)).collect();
    }
    // The length of the longest common part of what begins at each pair, from the end backwards.
    let mut table: Vec<Vec<u32>> = vec![vec![0; width]];
    for a in old.iter().rev() {
        let below = table.last().map(Vec::as_slice).unwrap_or_default();
        let mut row = vec![0; width];
        let mut right = 0;
        for (column, b) in new.iter().enumerate().rev() {
            let at = |column: usize| below.get(column).copied().unwrap_or_default();
            right = if a == b {
                at(column.saturating_add(1)).saturating_add(1)
            } else {
                at(column).max(right)
            };
            if let Some(cell) = row.get_mut(column) {
                *cell = right;
            }
        }
        table.push(row);
    }
    let common = |i: usize, j: usize| -> u32 {
        let row = table.get(old.len().saturating_sub(i));
        row.and_then(|it| it.get(j)).copied().unwrap_or_default()
    };
    let (mut i, mut j) = (0_usize, 0_usize);
    let mut lines = Vec::new();
    loop {
        let (next_i, next_j) = (i.saturating_add(1), j.saturating_add(1));
        match (old.get(i), new.get(j)) {
            (None, None) => return lines,
            (Some(a), Some(b)) if a == b => {
                lines.push(Line::Same(a));
                (i, j) = (next_i, next_j);
            }
            (Some(a), Some(_)) if common(next_i, j) >= common(i, next_j) => {
                lines.push(Line::Gone(a));
                i = next_i;
            }
            (Some(a), None) => {
                lines.push(Line::Gone(a));
                i = next_i;
            }
            (Some(_) | None, Some(b)) => {
                lines.push(Line::New(b));
                j = next_j;
            }
        }
    }
}

/// The changes, each with its context; those whose contexts touch are one.
pub(super) fn hunks<'a>(lines: &'a [Line<'a>]) -> Vec<Hunk<'a>> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if matches!(line, Line::Same(_)) {
            continue;
        }
        let start = index.saturating_sub(CONTEXT_LINES);
        let end = index.saturating_add(CONTEXT_LINES + 1).min(lines.len());
        match ranges.last_mut() {
            Some(last) if start <= last.1 => last.1 = end,
            Some(_) | None => ranges.push((start, end)),
        }
    }
    let hunk = |(start, end): (usize, usize)| {
        let before = lines.get(..start).unwrap_or_default();
        let lines = lines.get(start..end).unwrap_or_default();
        let place = |count: fn(&[Line<'_>]) -> usize| {
            let (skipped, length) = (count(before), count(lines));
            // An empty side is placed after the line before it.
            (skipped.saturating_add(usize::from(length > 0)), length)
        };
        Hunk {
            old: place(|it| it.len().saturating_sub(additions(it))),
            new: place(|it| it.len().saturating_sub(deletions(it))),
            lines,
        }
    };
    ranges.into_iter().map(hunk).collect()
}

pub(super) fn additions(lines: &[Line<'_>]) -> usize {
    let new = |it: &&Line<'_>| matches!(it, Line::New(_));
    lines.iter().filter(new).count()
}

pub(super) fn deletions(lines: &[Line<'_>]) -> usize {
    let gone = |it: &&Line<'_>| matches!(it, Line::Gone(_));
    lines.iter().filter(gone).count()
}

#[cfg(test)]
mod tests {
    use super::{Line, additions, compare, deletions, hunks};

    fn signs(old: &str, new: &str) -> String {
        let text = |it: &Line<'_>| match it {
            Line::Same(text) => format!(" {text}"),
            Line::Gone(text) => format!("-{text}"),
            Line::New(text) => format!("+{text}"),
        };
        let lines = compare(&old.replace(' ', "\n"), &new.replace(' ', "\n"))
            .iter()
            .map(text)
            .collect::<Vec<_>>();
        lines.join("")
    }

    #[test]
    fn what_stays_goes_and_comes() {
        let table = [
            ("", "", ""),
            ("a b", "a b", " a b"),
            ("", "a", "+a"),
            ("a", "", "-a"),
            ("a", "b", "-a+b"),
            ("a b c", "a x c", " a-b+x c"),
            ("a b c d", "b c d e", "-a b c d+e"),
            ("a b", "b a", "-a b+a"),
            ("a x b y c", "a b c", " a-x b-y c"),
            ("a a a", "a a", " a a-a"),
        ];
        for (old, new, expected) in table {
            assert_eq!(signs(old, new), expected, "{old} to {new}");
        }
    }

    /// Both texts can be read out of the lines again, and no pair of lines in common was missed.
    #[test]
    fn against_a_plain_search() {
        fn longest(old: &[&str], new: &[&str]) -> usize {
            match (old, new) {
                ([], _) | (_, []) => 0,
                ([a, old @ ..], [b, new @ ..]) if a == b => 1 + longest(old, new),
                ([_, less_old @ ..], [_, less_new @ ..]) => {
                    longest(less_old, new).max(longest(old, less_new))
                }
            }
        }
        let texts: Vec<String> = (0..3_usize.pow(5))
            .map(|number| {
                let digit = |place: u32| ["a\n", "b\n", ""][number / 3_usize.pow(place) % 3];
                (0..5).map(digit).collect()
            })
            .collect();
        for old in &texts {
            for new in &texts {
                let lines = compare(old, new);
                let (mut was, mut is, mut same) = (Vec::new(), Vec::new(), 0);
                for line in lines {
                    match line {
                        Line::Same(text) => {
                            was.push(text);
                            is.push(text);
                            same += 1;
                        }
                        Line::Gone(text) => was.push(text),
                        Line::New(text) => is.push(text),
                    }
                }
                let (a, b): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
                assert_eq!((&was, &is), (&a, &b));
                assert_eq!(same, longest(&a, &b), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn hunks_have_three_lines_of_context() {
        let old: Vec<String> = (1..=30).map(|it| it.to_string()).collect();
        let mut new = old.clone();
        "x".clone_into(&mut new[4]);
        new.remove(11);
        new.insert(25, "y".to_owned());
        let (old, new) = (old.join("\n"), new.join("\n"));
        let lines = compare(&old, &new);
        let places: Vec<_> = hunks(&lines).iter().map(|it| (it.old, it.new)).collect();
        // The first two contexts touch.
        assert_eq!(places, [((2, 14), (2, 13)), ((24, 6), (23, 7))]);
        assert_eq!((additions(&lines), deletions(&lines)), (2, 2));
        assert_eq!(hunks(&compare(&old, &old)), []);
    }

    #[test]
    fn two_texts_without_end_are_not_compared_pair_by_pair() {
        let text = |word: &str| -> String { (0..5000).map(|it| format!("{word}{it}\n")).collect() };
        let (old, new) = (
            format!("head\n{}", text("a")),
            format!("head\n{}", text("b")),
        );
        let lines = compare(&old, &new);
        assert_eq!((additions(&lines), deletions(&lines)), (5000, 5000));
        assert_eq!(lines[0], Line::Same("head"));
    }
}
