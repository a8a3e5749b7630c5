//! Finds what an author may have meant.

/// Longer words are not typed by mistake.
const CHARS_MAX: usize = 100;

/// The candidate nearest to `word`, when one is near enough to be meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    if length > CHARS_MAX {
        return None;
    }
    let lower = word.to_lowercase();
    let far = length.div_ceil(3).max(1);
    candidates
        .into_iter()
        .filter(|it| it.chars().count().abs_diff(length) <= far)
        .map(|it| (distance(&lower, &it.to_lowercase()), it))
        .filter(|(steps, _)| *steps <= far)
        .min_by_key(|(steps, it)| (*steps, it.to_owned()))
        .map(|(_, it)| it)
}

/// The candidates nearest to `word`, at most `most` of them, the nearest first.
pub(crate) fn nearest_few<'a>(word: &str, candidates: &[&'a str], most: usize) -> Vec<&'a str> {
    let shown: String = word.chars().take(CHARS_MAX).collect();
    let mut ranked: Vec<_> = candidates
        .iter()
        .map(|it| (distance(&shown, it), *it))
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().take(most).map(|(_, it)| it).collect()
}

/// `did you mean …?`, when there is something to offer.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(word, candidates).map(|it| format!("did you mean `{it}`?"))
}

/// How many insertions, deletions, replacements and swaps of neighbours lead from `a` to `b`.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let cell = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX);
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i.saturating_add(1)];
        for (j, y) in b.iter().enumerate() {
            let next = j.saturating_add(1);
            let replaced = cell(&above, j).saturating_add(usize::from(x != y));
            let gap = cell(&above, next).min(cell(&row, j)).saturating_add(1);
            let mut best = replaced.min(gap);
            if let (Some(i1), Some(j1)) = (i.checked_sub(1), j.checked_sub(1))
                && a.get(i1) == Some(y)
                && b.get(j1) == Some(x)
            {
                best = best.min(cell(&before, j1).saturating_add(1));
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    cell(&above, b.len())
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn distances() {
        for (a, b, steps) in [
            ("", "", 0),
            ("abc", "abc", 0),
            ("abc", "", 3),
            ("conditions", "condition", 1),
            ("recieve", "receive", 1),
            ("side_efect_class", "side_effect_class", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), steps, "{a} {b}");
            assert_eq!(distance(b, a), steps, "{b} {a}");
        }
    }

    #[test]
    fn offers_only_what_is_near() {
        assert_eq!(nearest("gtee", ["gt", "gte", "eq"]), Some("gte"));
        assert_eq!(
            nearest("apiversion", ["apiVersion", "kind"]),
            Some("apiVersion")
        );
        assert_eq!(nearest("endpoint", ["spec", "kind"]), None);
    }
}
