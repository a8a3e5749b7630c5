//! Texts, through the public door: patterns against patterns, lengths and formats.
#![expect(
    clippy::unwrap_used,
    clippy::too_many_lines,
    reason = "helpers of tests, which stop at what is not as they expect; a table of cases"
)]

use spec::Json;
use subschema::{Answer, Options, contains};

enum Expected {
    Proved,
    Refuted,
    Undecided(&'static str),
}
use Expected::{Proved, Refuted, Undecided};

fn judge(sub: &str, sup: &str, expected: &Expected) {
    let read = |text: &str| Json::parse(text.as_bytes()).unwrap();
    let answer = contains(&read(sub), &read(sup), &Options::default());
    let agrees = match (&answer, expected) {
        (Answer::Proved(_), Proved) | (Answer::Refuted(_), Refuted) => true,
        (Answer::Undecided(reason), Undecided(names)) => reason.to_string().contains(names),
        _ => false,
    };
    assert!(agrees, "{sub} in {sup}: {answer:?}");
}

fn strings(rest: &str) -> String {
    format!(r#"{{"type": "string", {rest}}}"#)
}

fn table(rows: &[(&str, &str, Expected)]) {
    for (sub, sup, expected) in rows {
        judge(&strings(sub), &strings(sup), expected);
    }
}

#[test]
fn patterns_are_compared_as_languages() {
    table(&[
        (
            r#""pattern": "^[a-f]{2,5}$""#,
            r#""pattern": "^\\w+$", "maxLength": 5"#,
            Proved,
        ),
        (r#""pattern": "^[a-f]{2,6}$""#, r#""maxLength": 5"#, Refuted),
        (r#""pattern": "abc""#, r#""pattern": "b""#, Proved),
        (r#""pattern": "b""#, r#""pattern": "abc""#, Refuted),
        (r#""pattern": "a|b$""#, r#""pattern": "a|b$|c""#, Proved),
        (
            r#""pattern": "a|b$""#,
            r#""pattern": "^(?:[^a]*a[\\s\\S]*|[\\s\\S]*b)$""#,
            Proved,
        ),
        (r#""pattern": "^(?:a|b$)""#, r#""pattern": "a$|b""#, Refuted),
        // One character is one of a length, however many bytes it takes.
        (
            r#""pattern": "^[é😀]{3}$""#,
            r#""minLength": 3, "maxLength": 3"#,
            Proved,
        ),
        (r#""pattern": "^[^a]$""#, r#""maxLength": 1"#, Proved),
        (
            r#""pattern": "^[^a-y]$""#,
            r#""pattern": "^[^a-z]$""#,
            Refuted,
        ),
        (r#""maxLength": 0"#, r#""pattern": "^$""#, Proved),
        (r#""minLength": 0"#, r#""pattern": """#, Proved),
    ]);
}

#[test]
fn lookaheads_at_the_beginning_are_languages_too() {
    table(&[
        (
            r#""pattern": "^(?!a)[a-c]+$""#,
            r#""pattern": "^[bc]""#,
            Proved,
        ),
        (
            r#""pattern": "^(?=.*1)(?!.*2)[12a]+$""#,
            r#""pattern": "^[1a]*1[1a]*$""#,
            Proved,
        ),
        (
            r#""pattern": "^(?!a)[a-c]+$""#,
            r#""pattern": "^[b]""#,
            Undecided("confirm"),
        ),
    ]);
}

#[test]
fn what_is_no_language_stands_for_itself() {
    table(&[
        (
            r#""pattern": "\\bword\\b""#,
            r#""pattern": "\\bword\\b""#,
            Proved,
        ),
        (
            r#""pattern": "\\bword\\b", "maxLength": 6"#,
            r#""pattern": "\\bword\\b", "maxLength": 7"#,
            Proved,
        ),
        (
            r#""enum": ["a word", "word"]"#,
            r#""pattern": "\\bword\\b""#,
            Proved,
        ),
        (
            r#""enum": ["a word", "words"]"#,
            r#""pattern": "\\bword\\b""#,
            Refuted,
        ),
        (
            r#""pattern": "^word$""#,
            r#""pattern": "\\bword\\b""#,
            Undecided("pattern"),
        ),
        (
            r#""pattern": "\\bword\\b""#,
            r#""pattern": "word""#,
            Undecided("pattern"),
        ),
        (r#""minLength": 1"#, r#""pattern": "\\bword\\b""#, Refuted),
        (
            r#""pattern": "^(?:[a-z]{1,900}-){900}$""#,
            r#""maxLength": 5"#,
            Undecided("pattern"),
        ),
    ]);
}

const ZOD_DATE: &str = r"(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|(?:02)-(?:0[1-9]|1\\d|2[0-8])))";

#[test]
fn formats_are_compared_with_what_restates_them() {
    let zod = |times: &str| {
        format!(r#""pattern": "^{ZOD_DATE}T(?:(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d{times})$""#)
    };
    let rows = [
        (
            zod(r"(?:\\.\\d+)?(?:Z)"),
            r#""format": "date-time""#.to_owned(),
            Proved,
        ),
        (
            r#""format": "date-time""#.to_owned(),
            zod(r"(?:\\.\\d+)?(?:Z)"),
            Refuted,
        ),
        (
            zod(r"(?:\\.\\d+)?(?:Z)?"),
            r#""format": "date-time""#.to_owned(),
            Refuted,
        ),
        (
            format!(r#""pattern": "^{ZOD_DATE}$""#),
            r#""format": "date""#.to_owned(),
            Proved,
        ),
        (
            r#""format": "date""#.to_owned(),
            format!(r#""pattern": "^{ZOD_DATE}$""#),
            Proved,
        ),
    ];
    for (sub, sup, expected) in &rows {
        judge(&strings(sub), &strings(sup), expected);
    }
    table(&[
        (r#""format": "date-time""#, r#""minLength": 20"#, Proved),
        (r#""format": "time""#, r#""minLength": 10"#, Refuted),
        (
            r#""format": "time""#,
            r#""pattern": "^(?!22:59:60\\+23:58)""#,
            Proved,
        ),
        (
            r#""pattern": "^22:59:60\\+23:00$""#,
            r#""format": "time""#,
            Proved,
        ),
        (
            r#""pattern": "^22:59:60\\+23:01$""#,
            r#""format": "time""#,
            Refuted,
        ),
        (
            r#""format": "time", "pattern": "^08:00:60-""#,
            r#""pattern": "-15:59$""#,
            Proved,
        ),
        (
            r#""format": "ipv6""#,
            r#""maxLength": 45, "minLength": 2"#,
            Proved,
        ),
        (r#""format": "ipv6""#, r#""maxLength": 44"#, Refuted),
        (
            r#""format": "ipv4""#,
            r#""format": "hostname""#,
            Undecided("format"),
        ),
        (
            r#""format": "uuid""#,
            r#""maxLength": 36, "pattern": "^[^_]+$""#,
            Proved,
        ),
        (r#""format": "uuid""#, r#""format": "email""#, Refuted),
        (r#""format": "email""#, r#""pattern": "@""#, Proved),
        (r#""format": "email""#, r#""maxLength": 3"#, Refuted),
        (r#""format": "hostname""#, r#""maxLength": 253"#, Proved),
        (r#""format": "uri""#, r#""minLength": 1"#, Proved),
        (r#""format": "uri""#, r#""pattern": "^https:""#, Refuted),
        (r#""format": "regex""#, r#""format": "regex""#, Proved),
        (
            r#""format": "uri-reference", "maxLength": 3"#,
            r#""format": "uri-reference""#,
            Proved,
        ),
        (
            r#""format": "duration""#,
            r#""pattern": "^P.*[YMWDHS]$""#,
            Proved,
        ),
    ]);
}

#[test]
fn formats_hold_in_every_draft_as_the_validator_has_them() {
    for draft in [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-07/schema#",
    ] {
        let sub = format!(r#"{{"$schema": "{draft}", "type": "string", "format": "uuid"}}"#);
        judge(&sub, &strings(r#""minLength": 36"#), &Proved);
        judge(&sub, &strings(r#""minLength": 37"#), &Refuted);
        let hostname = sub.replace("uuid", "hostname");
        judge(r#"{"enum": ["ab--c"]}"#, &hostname, &Refuted);
    }
}
