//! The languages of formats beside the validator's own check of them: around boundary texts, along
//! walks through the languages, and all short texts over the letters that matter.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests, which stop at what is not as they expect"
)]

use spec::Json;
use validator::{FORMATS, Validator};

use super::super::Language;
use super::*;

/// A format's languages beside the validator's own check of it.
struct Compared {
    name: &'static str,
    validator: Validator,
    languages: Vec<(Side, Language)>,
    agreed: [usize; 2],
}

impl Compared {
    fn new(name: &'static str) -> Self {
        let schema = Json::from_members([("format", Json::from(name))]);
        let mut languages = Vec::new();
        for side in [Side::Narrower, Side::Wider, Side::Exact] {
            if let Some(patterns) = language(name, side) {
                languages.push((side, Language::all(&patterns).unwrap()));
            }
        }
        Self {
            name,
            validator: Validator::compile(&schema).unwrap(),
            languages,
            agreed: [0, 0],
        }
    }

    fn check(&mut self, text: &str) {
        let is = self.validator.accepts(&Json::from(text));
        self.agreed[usize::from(is)] += 1;
        for (side, language) in &mut self.languages {
            let matches = language.matches(text).unwrap();
            let agree = match side {
                Side::Narrower => is || !matches,
                Side::Wider => matches || !is,
                Side::Exact => matches == is,
            };
            assert!(agree, "{} {side:?} {text:?}: validator {is}", self.name);
        }
    }

    /// The text, what is one change away from it, and of what is two away some by chance.
    fn around(&mut self, text: &str, random: &mut fastrand::Rng) {
        self.check(text);
        for near in changed(text) {
            self.check(&near);
            self.check(&changed_once(&near, random));
        }
    }

    /// A text that is met on a walk through one of the languages, of a length given by chance.
    fn walked(&mut self, random: &mut fastrand::Rng) -> String {
        let which = random.usize(..self.languages.len());
        let (_, language) = &mut self.languages[which];
        let mut letters: Vec<char> = Vec::new();
        for (automaton, _) in &language.parts {
            for (first, last) in automaton.classes().flatten() {
                letters.extend([*first, *last]);
            }
        }
        letters.sort_unstable();
        letters.dedup();
        let mut text = String::new();
        let mut states: Vec<_> = language.parts.iter().map(|it| it.0.first()).collect();
        for _ in 0..80 {
            let ends = states.iter().zip(&mut language.parts);
            let ends = ends.map(|(state, it)| it.0.accepts(*state).unwrap());
            if ends.min() == Some(true) && random.usize(..4) == 0 {
                break;
            }
            random.shuffle(&mut letters);
            let next = letters.iter().find_map(|letter| {
                let stepped = states.iter().zip(&mut language.parts);
                let stepped: Vec<_> = stepped
                    .map(|(state, it)| it.0.step(*state, *letter).unwrap())
                    .collect();
                let alive = !stepped.iter().any(|it| it.is_stuck());
                alive.then_some((*letter, stepped))
            });
            let Some((letter, stepped)) = next else { break };
            text.push(letter);
            states = stepped;
        }
        text
    }
}

const LETTERS: &str = "0123569aFgZzTt:.+-/~{}%[@ \n\u{0}\u{7f}\u{e9}\u{665}\u{1f600}";

/// The text with `put` at a place, where `cut` characters are left out.
fn with(letters: &[char], at: usize, cut: usize, put: Option<char>) -> String {
    let (before, after) = letters.split_at(at);
    let after = after.iter().skip(cut);
    before
        .iter()
        .copied()
        .chain(put)
        .chain(after.copied())
        .collect()
}

/// Every text that is one change away.
fn changed(text: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = text.chars().collect();
    (0..=letters.len()).flat_map(move |at| {
        let mut all = vec![with(&letters, at, 1, None)];
        for it in LETTERS.chars() {
            all.extend([0, 1].map(|cut| with(&letters, at, cut, Some(it))));
        }
        all
    })
}

fn changed_once(text: &str, random: &mut fastrand::Rng) -> String {
    let letters: Vec<char> = text.chars().collect();
    let at = random.usize(..=letters.len());
    let put = LETTERS.chars().nth(random.usize(..28));
    with(&letters, at, random.usize(..2), put)
}

const BOUNDARIES: &[(&str, &[&str])] = &[
    (
        "date",
        &[
            "2024-02-29",
            "1900-02-28",
            "2000-02-29",
            "0000-02-29",
            "0000-01-31",
            "9999-12-31",
            "2023-04-30",
        ],
    ),
    (
        "time",
        &[
            "23:59:60Z",
            "23:59:60.12z",
            "00:00:60+00:01",
            "22:59:60-01:00",
            "00:29:60+00:30",
            "08:29:59.5+23:59",
            "24:00:00Z",
            "12:00:00",
        ],
    ),
    (
        "date-time",
        &[
            "2024-02-29T23:59:60Z",
            "1900-02-28t00:00:00z",
            "2016-12-31T23:59:60.0+00:00",
            "0000-12-31T15:59:60.123-08:00",
        ],
    ),
    (
        "ipv4",
        &[
            "255.255.255.255",
            "0.0.0.0",
            "01.2.3.4",
            "1.2.3",
            "249.199.99.9",
        ],
    ),
    (
        "ipv6",
        &[
            "::",
            "::1",
            "1::",
            "1:2:3:4:5:6:7::",
            "::2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:1.2.3.4",
            "::255.255.255.255",
            "::1:2:3:4:5:1.2.3.4",
            "1:2:3:4:5::1.2.3.4",
            "1::5:1.2.3.4",
            "fe80::1%0",
            "1:2::3:4:5:6:7",
            "::ffff:0:1.2.3.04",
        ],
    ),
    (
        "uuid",
        &[
            "00000000-0000-0000-0000-000000000000",
            "F81D4FAE-7dec-11d0-a765-00a0c91e6bf6",
            "{00000000-0000-0000-0000-000000000000}",
        ],
    ),
    (
        "duration",
        &[
            "P1Y2M3DT4H5M6S",
            "P1Y3D",
            "P1W",
            "P1M",
            "PT1H6S",
            "PT",
            "P",
            "P1DT",
            "P1WT1H",
            "P0012D",
        ],
    ),
    (
        "json-pointer",
        &["", "/", "/a~0b/~1", "a", "/~", "//", "/a\nb"],
    ),
    (
        "relative-json-pointer",
        &["0", "0#", "10/a~0", "01", "1#a", "0/"],
    ),
    (
        "uri-template",
        &[
            "",
            "/{a}",
            "{+a.b,c:3}",
            "{?x*,y:9999}",
            "%41{%41}",
            "{a",
            "'{a:12345}",
            "{.a..b}",
        ],
    ),
    (
        "email",
        &[
            "a@example.com",
            "\"\"@example.com",
            "a@[127.0.0.1]",
            "a@[IPv6:::1]",
            "\"a b\"@c.d",
            "A <a@b.com>",
            "a@b",
            "\"@\"@b.c",
        ],
    ),
    (
        "hostname",
        &[
            "a",
            "example.com",
            "xn--nxasmq6b.com",
            "a-b.c",
            "ab--c",
            "A.9",
        ],
    ),
    (
        "uri",
        &[
            "a:",
            "urn:a:b",
            "https://example.com/a?b#c",
            "http://[::1]:80/",
            "A+-.9:%41",
            "http://u@h",
        ],
    ),
    (
        "iri",
        &[
            "a:",
            "https://example.com/\u{e9}",
            "http://\u{e9}.fr/?\u{e000}",
            "a:b",
        ],
    ),
    (
        "uri-reference",
        &["", "/a", "//h/p", "?q", "#f", "a:b", "%41", "./a:b"],
    ),
    (
        "iri-reference",
        &["", "/\u{e9}", "#\u{e9}", "a", "?\u{e000}"],
    ),
    (
        "idn-email",
        &["a@example.com", "\u{e9}@\u{e9}.fr", "\"\u{e9}\"@a.b"],
    ),
    ("regex", &["a"]),
];

/// Those that are enforced: every text is of another one.
fn enforced() -> impl Iterator<Item = &'static (&'static str, &'static [&'static str])> {
    BOUNDARIES.iter().filter(|it| FORMATS.contains(&it.0))
}

#[test]
fn languages_agree_with_the_validator_around_their_boundaries() {
    let mut random = fastrand::Rng::with_seed(1);
    for (name, texts) in enforced() {
        let mut compared = Compared::new(name);
        for text in *texts {
            compared.around(text, &mut random);
        }
        for text in examples(name) {
            assert!(
                compared.validator.accepts(&Json::from(*text)),
                "{name} {text:?}"
            );
        }
        assert!(compared.languages.is_empty() || compared.agreed.iter().all(|it| *it > 0));
    }
    let known = |name: &&&str| BOUNDARIES.iter().any(|it| it.0 == **name);
    let missed: Vec<_> = FORMATS.iter().filter(|it| !known(it)).collect();
    assert!(
        missed.iter().all(|it| ***it == *"idn-hostname"),
        "{missed:?}"
    );
}

#[test]
fn texts_met_on_walks_through_the_languages_are_of_the_format_as_told() {
    let mut random = fastrand::Rng::with_seed(2);
    for (name, _) in enforced() {
        let mut compared = Compared::new(name);
        if compared.languages.is_empty() {
            continue;
        }
        for _ in 0..100 {
            let text = compared.walked(&mut random);
            compared.check(&text);
            for _ in 0..8 {
                compared.check(&changed_once(&text, &mut random));
            }
        }
    }
}

#[test]
fn a_leap_second_is_the_last_of_a_day_in_utc() {
    let mut compared = Compared::new("time");
    for at in 0..24 * 60_i32 {
        for (sign, exact) in [('+', at + 1), ('-', 24 * 60 - 1 - at)] {
            for off in [0, 1, -1, 60, -60] {
                let offset = (exact + off).rem_euclid(24 * 60);
                let (hour, minute) = (at / 60, at % 60);
                let (east, more) = (offset / 60, offset % 60);
                let text = format!("{hour:02}:{minute:02}:60{sign}{east:02}:{more:02}");
                compared.check(&text);
            }
        }
    }
    assert_eq!(compared.agreed[1], 2 * 24 * 60);
}

/// All texts of up to some length over the letters that matter.
#[test]
fn short_texts_are_of_a_format_exactly_where_the_language_says_so() {
    for (name, letters, length) in [
        ("duration", "P1YMDTS", 5_u32),
        ("json-pointer", "/~0a", 5),
        ("relative-json-pointer", "01/#~a", 5),
        ("uri-template", "{}a.:1%", 5),
        ("ipv6", "1:.", 8),
        ("ipv4", "025.", 7),
    ] {
        let mut compared = Compared::new(name);
        let letters: Vec<char> = letters.chars().collect();
        for length in 0..=length {
            for mut rank in 0..letters.len().pow(length) {
                let mut text = String::new();
                for _ in 0..length {
                    text.push(letters[rank % letters.len()]);
                    rank /= letters.len();
                }
                compared.check(&text);
            }
        }
        assert!(compared.agreed.iter().all(|it| *it > 0), "{name}");
    }
}
