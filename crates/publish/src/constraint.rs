//! Which versions a reference accepts. Our own small grammar over `semver`'s versions, whose own
//! requirements read `1.2.3` as a caret and know neither `||`, nor spaces, nor a leading `v`.

use std::cmp::Ordering;
use std::fmt;

use semver::{BuildMetadata, Prerelease, Version};

/// The longest constraint that is read.
const CHARS_MAX: usize = 256;

/// A version constraint: one of several ranges must hold.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    text: String,
    /// Never empty.
    ranges: Vec<Range>,
}

/// Bounds that must hold together.
#[derive(Clone, Debug, Default)]
struct Range {
    bounds: Vec<Bound>,
    /// Pre-releases that the author wrote: only those of the same triple are accepted.
    named: Vec<Version>,
}

/// A version must compare with `version` in the way of `side`.
#[derive(Clone, Debug)]
struct Bound {
    side: Side,
    version: Version,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Above,
    From,
    Below,
    UpTo,
}

/// Why a text is not a constraint, and what to write instead.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    pub(crate) why: String,
    pub(crate) example: String,
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Constraint {
    pub(crate) fn parse(text: &str) -> Result<Self, Malformed> {
        if text.chars().count() > CHARS_MAX {
            return Err(malformed("it is too long", "^1.2"));
        }
        refuse_hyphen_range(text)?;
        let ranges = text.split("||").map(range).collect::<Result<_, _>>()?;
        Ok(Self {
            text: text.trim().to_owned(),
            ranges,
        })
    }

    /// The text without the `v` that some write before numbers; `None` when there is none.
    pub(crate) fn without_prefix(&self) -> Option<String> {
        let mut plain = String::with_capacity(self.text.len());
        let mut chars = self.text.chars().peekable();
        let mut begins = true;
        while let Some(c) = chars.next() {
            let is_prefix = begins && matches!(c, 'v' | 'V');
            if !(is_prefix && chars.peek().is_some_and(char::is_ascii_digit)) {
                plain.push(c);
            }
            begins = matches!(c, ' ' | '\t' | ',' | '|' | '^' | '~' | '>' | '<' | '=');
        }
        (plain != self.text).then_some(plain)
    }

    pub(crate) fn accepts(&self, version: &Version) -> bool {
        self.ranges.iter().any(|range| range.accepts(version))
    }
}

impl Range {
    fn accepts(&self, version: &Version) -> bool {
        let named = |it: &Version| triple(it) == triple(version);
        let eligible = version.pre.is_empty() || self.named.iter().any(named);
        eligible && self.bounds.iter().all(|bound| bound.holds(version))
    }

    fn bound(&mut self, side: Side, version: Version) {
        self.bounds.push(Bound { side, version });
    }
}

impl Bound {
    fn holds(&self, version: &Version) -> bool {
        // Precedence passes over build metadata.
        let order = version.cmp_precedence(&self.version);
        match self.side {
            Side::Above => order == Ordering::Greater,
            Side::From => order != Ordering::Less,
            Side::Below => order == Ordering::Less,
            Side::UpTo => order != Ordering::Greater,
        }
    }
}

fn malformed(why: impl Into<String>, example: impl Into<String>) -> Malformed {
    Malformed {
        why: why.into(),
        example: example.into(),
    }
}

fn triple(version: &Version) -> (u64, u64, u64) {
    (version.major, version.minor, version.patch)
}

/// `1.2 - 1.4` would read as three constraints, the middle one odd.
fn refuse_hyphen_range(text: &str) -> Result<(), Malformed> {
    match text.split_once(" - ") {
        Some((from, to)) => {
            let example = format!(">={} <={}", from.trim(), to.trim());
            Err(malformed("ranges are not written with a hyphen", example))
        }
        None => Ok(()),
    }
}

fn range(text: &str) -> Result<Range, Malformed> {
    let mut range = Range::default();
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(malformed("a part of it is empty", "^1.2"));
    }
    while !rest.is_empty() {
        rest = comparator(rest, &mut range)?.trim_start();
        if let Some(after) = rest.strip_prefix(',') {
            rest = after.trim_start();
            if rest.is_empty() {
                return Err(malformed("nothing follows a comma", ">=1.2, <2"));
            }
        }
    }
    Ok(range)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Exact,
    Caret,
    Tilde,
    Compare(Side),
}

/// Reads one comparator from the front of `text` into `range`; what is left is returned.
fn comparator<'a>(text: &'a str, range: &mut Range) -> Result<&'a str, Malformed> {
    const OPERATORS: [(&str, Operator); 7] = [
        (">=", Operator::Compare(Side::From)),
        ("<=", Operator::Compare(Side::UpTo)),
        (">", Operator::Compare(Side::Above)),
        ("<", Operator::Compare(Side::Below)),
        ("^", Operator::Caret),
        ("~", Operator::Tilde),
        ("=", Operator::Exact),
    ];
    let found = OPERATORS
        .iter()
        .find_map(|(sign, it)| Some((text.strip_prefix(sign)?, *it, true)));
    let (rest, operator, signed) = found.unwrap_or((text, Operator::Exact, false));
    let rest = rest.trim_start();
    let end = rest.find([' ', '\t', ',']).unwrap_or(rest.len());
    let (written, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let partial = Partial::parse(written)?;
    if signed && partial.major.is_none() {
        return Err(malformed(
            format!("`{written}` with an operator before it says nothing"),
            "*",
        ));
    }
    if let Some(version) = partial.full().filter(|version| !version.pre.is_empty()) {
        range.named.push(version);
    }
    apply(operator, &partial, range)?;
    Ok(rest)
}

fn apply(operator: Operator, partial: &Partial, range: &mut Range) -> Result<(), Malformed> {
    let lowest = partial.lowest();
    match operator {
        Operator::Exact => match partial.full() {
            Some(version) => {
                range.bound(Side::From, version.clone());
                range.bound(Side::UpTo, version);
            }
            None => between(lowest, partial.after()?, range),
        },
        Operator::Tilde => {
            let after = match (partial.major, partial.minor) {
                (Some(major), Some(minor)) => Some(triple_version(major, next(minor)?, 0)),
                _ => partial.after()?,
            };
            between(lowest, after, range);
        }
        Operator::Caret => between(lowest, partial.next_breaking()?, range),
        Operator::Compare(side) => match (side, partial.full()) {
            (side, Some(version)) => range.bound(side, version),
            (Side::From | Side::Below, None) => range.bound(side, lowest),
            // `>1.2` lies above all of 1.2, `<=1.2` takes all of it in.
            (Side::Above, None) => {
                if let Some(after) = partial.after()? {
                    range.bound(Side::From, after);
                }
            }
            (Side::UpTo, None) => {
                if let Some(after) = partial.after()? {
                    range.bound(Side::Below, after);
                }
            }
        },
    }
    Ok(())
}

fn between(lowest: Version, after: Option<Version>, range: &mut Range) {
    range.bound(Side::From, lowest);
    if let Some(after) = after {
        range.bound(Side::Below, after);
    }
}

fn triple_version(major: u64, minor: u64, patch: u64) -> Version {
    Version::new(major, minor, patch)
}

fn next(number: u64) -> Result<u64, Malformed> {
    number
        .checked_add(1)
        .ok_or_else(|| malformed("a number is too large", "^1.2"))
}

/// A version of which the rear may be missing or `x`.
#[derive(Debug, Default)]
struct Partial {
    major: Option<u64>,
    minor: Option<u64>,
    patch: Option<u64>,
    pre: Prerelease,
}

impl Partial {
    fn parse(written: &str) -> Result<Self, Malformed> {
        let odd = || malformed(format!("`{written}` is not a version"), "^1.2");
        let bare = written.strip_prefix(['v', 'V']).unwrap_or(written);
        let (bare, build) = match bare.split_once('+') {
            Some((bare, build)) => (bare, Some(build)),
            None => (bare, None),
        };
        if build.is_some_and(|it| it.is_empty() || BuildMetadata::new(it).is_err()) {
            return Err(odd());
        }
        let (numbers, pre) = match bare.split_once('-') {
            Some((numbers, pre)) => (numbers, Some(pre)),
            None => (bare, None),
        };
        let parts = numbers
            .split('.')
            .map(part)
            .collect::<Option<Vec<_>>>()
            .ok_or_else(odd)?;
        let (major, minor, patch) = match *parts.as_slice() {
            [major] => (major, None, None),
            [major, minor] => (major, minor, None),
            [major, minor, patch] => (major, minor, patch),
            _ => return Err(odd()),
        };
        // A wildcard leaves nothing to be said after it.
        if (major.is_none() && minor.is_some()) || (minor.is_none() && patch.is_some()) {
            return Err(odd());
        }
        let pre = match pre {
            Some(text) if patch.is_some() && !text.is_empty() => {
                Prerelease::new(text).map_err(|_| odd())?
            }
            Some(_) => return Err(odd()),
            None => Prerelease::EMPTY,
        };
        Ok(Self {
            major,
            minor,
            patch,
            pre,
        })
    }

    fn full(&self) -> Option<Version> {
        let mut version = triple_version(self.major?, self.minor?, self.patch?);
        version.pre = self.pre.clone();
        Some(version)
    }

    fn lowest(&self) -> Version {
        let or_zero = |part: Option<u64>| part.unwrap_or(0);
        let mut version = triple_version(
            or_zero(self.major),
            or_zero(self.minor),
            or_zero(self.patch),
        );
        version.pre = self.pre.clone();
        version
    }

    /// The first version after all that this one stands for; `None` when it stands for all.
    fn after(&self) -> Result<Option<Version>, Malformed> {
        Ok(match (self.major, self.minor, self.patch) {
            (None, _, _) => None,
            (Some(major), None, _) => Some(triple_version(next(major)?, 0, 0)),
            (Some(major), Some(minor), None) => Some(triple_version(major, next(minor)?, 0)),
            (Some(major), Some(minor), Some(patch)) => {
                Some(triple_version(major, minor, next(patch)?))
            }
        })
    }

    /// The first version that may break what this one promises: the leftmost number that is not
    /// zero goes up by one.
    fn next_breaking(&self) -> Result<Option<Version>, Malformed> {
        Ok(match (self.major, self.minor, self.patch) {
            (Some(0), Some(0), Some(patch)) => Some(triple_version(0, 0, next(patch)?)),
            (Some(0), Some(minor), _) => Some(triple_version(0, next(minor)?, 0)),
            (Some(major), _, _) => Some(triple_version(next(major)?, 0, 0)),
            (None, _, _) => None,
        })
    }
}

/// A number without leading zeros, or a wildcard.
fn part(text: &str) -> Option<Option<u64>> {
    if matches!(text, "*" | "x" | "X") {
        return Some(None);
    }
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits || (text.len() > 1 && text.starts_with('0')) {
        return None;
    }
    text.parse().ok().map(Some)
}

#[cfg(test)]
mod tests {
    use super::Constraint;

    fn accepted<'a>(constraint: &str, versions: &[&'a str]) -> Vec<&'a str> {
        let constraint = Constraint::parse(constraint).unwrap();
        let accepts = |text: &&&str| constraint.accepts(&text.parse().unwrap());
        versions.iter().filter(accepts).copied().collect()
    }

    #[test]
    fn ranges() {
        const VERSIONS: [&str; 13] = [
            "0.0.3", "0.0.4", "0.2.3", "0.2.9", "0.3.0", "1.0.0", "1.2.0", "1.2.3", "1.2.4",
            "1.3.0", "1.9.9", "2.0.0", "3.1.0",
        ];
        for (constraint, expected) in [
            ("1.2.3", &["1.2.3"][..]),
            ("=1.2.3", &["1.2.3"]),
            ("= v1.2.3", &["1.2.3"]),
            ("v1.2.3", &["1.2.3"]),
            ("1.2", &["1.2.0", "1.2.3", "1.2.4"]),
            ("1.2.x", &["1.2.0", "1.2.3", "1.2.4"]),
            ("=1.2", &["1.2.0", "1.2.3", "1.2.4"]),
            ("1", &["1.0.0", "1.2.0", "1.2.3", "1.2.4", "1.3.0", "1.9.9"]),
            (
                "1.x",
                &["1.0.0", "1.2.0", "1.2.3", "1.2.4", "1.3.0", "1.9.9"],
            ),
            (
                "1.X.*",
                &["1.0.0", "1.2.0", "1.2.3", "1.2.4", "1.3.0", "1.9.9"],
            ),
            ("*", &VERSIONS),
            ("^1.2.3", &["1.2.3", "1.2.4", "1.3.0", "1.9.9"]),
            ("^1.2", &["1.2.0", "1.2.3", "1.2.4", "1.3.0", "1.9.9"]),
            (
                "^1",
                &["1.0.0", "1.2.0", "1.2.3", "1.2.4", "1.3.0", "1.9.9"],
            ),
            ("^0.2.3", &["0.2.3", "0.2.9"]),
            ("^0.0.3", &["0.0.3"]),
            ("^0.0", &["0.0.3", "0.0.4"]),
            ("^0", &["0.0.3", "0.0.4", "0.2.3", "0.2.9", "0.3.0"]),
            ("~1.2.3", &["1.2.3", "1.2.4"]),
            ("~1.2", &["1.2.0", "1.2.3", "1.2.4"]),
            (
                "~1",
                &["1.0.0", "1.2.0", "1.2.3", "1.2.4", "1.3.0", "1.9.9"],
            ),
            (">1.2", &["1.3.0", "1.9.9", "2.0.0", "3.1.0"]),
            (">1.2.3", &["1.2.4", "1.3.0", "1.9.9", "2.0.0", "3.1.0"]),
            (">=1.9", &["1.9.9", "2.0.0", "3.1.0"]),
            ("<0.3", &["0.0.3", "0.0.4", "0.2.3", "0.2.9"]),
            ("<=0.2", &["0.0.3", "0.0.4", "0.2.3", "0.2.9"]),
            ("<=0.2.3", &["0.0.3", "0.0.4", "0.2.3"]),
            (">=1.2 <2", &["1.2.0", "1.2.3", "1.2.4", "1.3.0", "1.9.9"]),
            (
                ">= 1.2, < 2",
                &["1.2.0", "1.2.3", "1.2.4", "1.3.0", "1.9.9"],
            ),
            (">=1.2,<1.3", &["1.2.0", "1.2.3", "1.2.4"]),
            ("^0.2 || ^2", &["0.2.3", "0.2.9", "2.0.0"]),
            ("1.2.3+build.7", &["1.2.3"]),
        ] {
            assert_eq!(accepted(constraint, &VERSIONS), expected, "{constraint}");
        }
    }

    #[test]
    fn prereleases_are_taken_only_where_named() {
        for (constraint, versions, expected) in [
            ("^1.0.0", &["1.1.0-beta.1"][..], &[][..]),
            ("*", &["1.1.0-beta.1"], &[]),
            (
                "^2.0.0-rc.0",
                &["2.0.0-rc.1", "2.0.0", "2.1.0-rc.1", "3.0.0-a"],
                &["2.0.0-rc.1", "2.0.0"],
            ),
            ("<2.0.0", &["2.0.0-rc.1", "1.9.0"], &["1.9.0"]),
            (
                "1.0.0-rc.1",
                &["1.0.0-rc.1", "1.0.0-rc.2", "1.0.0"],
                &["1.0.0-rc.1"],
            ),
            (
                ">=1.0.0-a <1.0.0",
                &["1.0.0-b", "1.0.0", "0.9.0"],
                &["1.0.0-b"],
            ),
            ("^1.0.0-a || ^2", &["2.0.0-b", "1.0.0-b"], &["1.0.0-b"]),
        ] {
            assert_eq!(accepted(constraint, versions), expected, "{constraint}");
        }
    }

    #[test]
    fn a_prefix_is_found_where_a_version_begins() {
        for (text, plain) in [
            ("v1.2.3", Some("1.2.3")),
            (">=v1.0 <V2 || ^v3", Some(">=1.0 <2 || ^3")),
            ("= v1", Some("= 1")),
            ("1.0.0-v1", None),
            ("1.0.0-a.v1+v2", None),
            ("^1.2", None),
        ] {
            let found = Constraint::parse(text).unwrap().without_prefix();
            assert_eq!(found.as_deref(), plain, "{text}");
        }
    }

    #[test]
    fn build_metadata_counts_for_nothing() {
        assert_eq!(
            accepted("1.0.0", &["1.0.0+a", "1.0.0+b"]),
            ["1.0.0+a", "1.0.0+b"]
        );
    }

    #[test]
    fn refuses_the_rest_with_an_example() {
        for text in [
            "",
            " ",
            "latest",
            "^*",
            ">x",
            "1.2 - 1.4",
            "~>1.2",
            "==1.2",
            "!=1",
            "1.2.3.4",
            "01.2",
            "1.2-rc",
            "1.2.3-",
            "x.1",
            "1.x.3",
            "^1 ||",
            "|| ^1",
            "1 | 2",
            ">=1.2,",
            ",1",
            "1,,2",
            "^ ",
            "1.2.3+",
            "-1",
            "1.2.3-r_c",
            "^18446744073709551615",
            "99999999999999999999",
        ] {
            let refused = Constraint::parse(text).map(|it| it.to_string());
            let refused = refused.expect_err(text);
            assert!(
                Constraint::parse(&refused.example).is_ok(),
                "{text}: {refused:?}"
            );
        }
        assert_eq!(
            Constraint::parse("1.2 - 1.4").unwrap_err().example,
            ">=1.2 <=1.4"
        );
    }
}
