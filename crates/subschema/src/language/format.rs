//! What is known of the formats as languages, by patterns that all must match. Knows nothing of the
//! code that checks a format: tests compare the two.

/// From which side a format is bounded by a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    /// Every text of the language is of the format.
    Narrower,
    /// Every text of the format is of the language.
    Wider,
    /// Both.
    Exact,
}

const DATE: &str = r"(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)";
const IPV4: &str = r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const UUID: &str = r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$";
const POINTER: &str = r"/(?:[^~]|~[01])*";
const HOSTNAME_WIDER: &str = r"^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$";
const HOSTNAME_NARROWER: &str = r"^[A-Za-z0-9]{1,63}(?:\.[A-Za-z0-9]{1,63}){0,2}$";
const EMAIL_NARROWER: &str = r"^[a-z]{1,20}@example\.com$";
const URI_WIDER: &str = r"^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7E]*$";
const URI_NARROWER: &str = r"^https://example\.com/[a-z0-9]*$";
const IRI_WIDER: &str = r"^[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7F]*$";

const HOUR: &str = "(?:[01][0-9]|2[0-3])";
const FRACTION: &str = r"(?:\.[0-9]+)?";

/// Patterns that a text of the format matches, all of them, or that make it one; `None` if no such
/// are known. A format of which an exact language is known has no other.
pub(crate) fn language(name: &str, side: Side) -> Option<Vec<String>> {
    let one = |it: &str| Some(vec![it.to_owned()]);
    match (name, side) {
        ("date", Side::Exact) => Some(vec![format!("^{DATE}$")]),
        ("ipv4", Side::Exact) => Some(vec![format!("^{IPV4}$")]),
        ("ipv6", Side::Exact) => Some(vec![ipv6()]),
        ("uuid", Side::Exact) => one(UUID),
        ("json-pointer", Side::Exact) => Some(vec![format!("^(?:{POINTER})?$")]),
        ("relative-json-pointer", Side::Exact) => {
            Some(vec![format!("^(?:0|[1-9][0-9]*)(?:#|{POINTER})?$")])
        }
        ("uri-template", Side::Exact) => Some(vec![uri_template()]),
        ("time", side) => Some(time("", side)),
        ("date-time", side) => Some(time(&format!("{DATE}[Tt]"), side)),
        ("duration", Side::Exact) => Some(vec![duration()]),
        ("email" | "idn-email", Side::Wider) => one(r"[\s\S]@[\s\S]"),
        ("email", Side::Narrower) => one(EMAIL_NARROWER),
        ("hostname", Side::Wider) => one(HOSTNAME_WIDER),
        ("hostname", Side::Narrower) => one(HOSTNAME_NARROWER),
        ("uri", Side::Wider) => one(URI_WIDER),
        ("iri", Side::Wider) => one(IRI_WIDER),
        ("uri" | "iri", Side::Narrower) => one(URI_NARROWER),
        ("uri-reference", Side::Wider) => one(r"^[\x21-\x7E]*$"),
        ("iri-reference", Side::Wider) => one(r"^[^\x00-\x20\x7F]*$"),
        ("uri-reference" | "iri-reference", Side::Narrower) => one("^/[a-z0-9]*$"),
        _ => None,
    }
}

/// Whether the exact language is as cheap as a bound, so that no other is used.
pub(crate) fn is_exact(name: &str) -> bool {
    matches!(
        name,
        "date"
            | "duration"
            | "ipv4"
            | "ipv6"
            | "uuid"
            | "json-pointer"
            | "relative-json-pointer"
            | "uri-template"
    )
}

/// Whether there is an exact language, if only as the last resort.
pub(crate) fn has_exact(name: &str) -> bool {
    is_exact(name) || matches!(name, "time" | "date-time")
}

/// Some texts of a format, tried where its languages do not say enough.
pub(crate) fn examples(name: &str) -> &'static [&'static str] {
    match name {
        "email" | "idn-email" => &["a@example.com", "b@example.org"],
        "hostname" | "idn-hostname" => &["example.com", "a", "b", "example.org"],
        "uri" | "iri" => &["https://example.com/", "urn:a:b", "a:b"],
        "uri-reference" | "iri-reference" => &["/a", "", "a", "https://example.com/"],
        "regex" => &["a", "", "b", "^a$"],
        _ if validator::FORMATS.contains(&name) => &[],
        // Contents: base64 of JSON, which is each by itself as well.
        _ => &["MA==", "MQ==", "1", "{}", ""],
    }
}

/// A time of the day after what stands before it. A second of 60 must be the last one of a day in
/// UTC, so that the time decides the offset: exact, but of many states, and so bounded as well.
fn time(before: &str, side: Side) -> Vec<String> {
    let offset = format!("[+-]{HOUR}:[0-5][0-9]");
    let plain = format!("{HOUR}:[0-5][0-9]:[0-5][0-9]{FRACTION}(?:[Zz]|{offset})");
    let leap_in_utc = format!("23:59:60{FRACTION}[Zz]");
    let leap = format!("{HOUR}:[0-5][0-9]:60{FRACTION}{offset}");
    let of = |times: &str| format!("^{before}(?:{times})$");
    match side {
        Side::Narrower => vec![of(&format!("{plain}|{leap_in_utc}"))],
        Side::Wider => vec![of(&format!("{plain}|{leap_in_utc}|{leap}"))],
        Side::Exact => {
            let known = format!("{plain}|{leap_in_utc}");
            vec![
                of(&format!("{known}|{leap}")),
                of(&format!("{known}|{}", leap_minutes())),
                of(&format!("{known}|{}", leap_hours())),
            ]
        }
    }
}

/// Leap seconds of which the minutes are 59 in UTC.
fn leap_minutes() -> String {
    let mut each = Vec::new();
    for minute in 0..60 {
        let (east, west) = ((minute + 1) % 60, 59 - minute);
        each.push(format!(
            "{HOUR}:{minute:02}:60{FRACTION}(?:\\+{HOUR}:{east:02}|-{HOUR}:{west:02})"
        ));
    }
    each.join("|")
}

/// Leap seconds of which the hours are 23 in UTC, given that the minutes are 59.
fn leap_hours() -> String {
    let mut each = Vec::new();
    for hour in 0..24 {
        let (next, west) = ((hour + 1) % 24, 23 - hour);
        each.push(format!(
            "{hour:02}:[0-5][0-9]:60{FRACTION}-{west:02}:[0-5][0-9]"
        ));
        each.push(format!(
            "{hour:02}:(?:[0-4][0-9]|5[0-8]):60{FRACTION}\\+{hour:02}:[0-5][0-9]"
        ));
        each.push(format!("{hour:02}:59:60{FRACTION}\\+{next:02}:[0-5][0-9]"));
    }
    each.join("|")
}

/// Eight groups, of which two may be an IPv4 address at the end and at least one may be left out.
fn ipv6() -> String {
    let group = "[0-9a-fA-F]{1,4}";
    let mut forms = vec![
        format!("(?:{group}:){{7}}{group}"),
        format!("(?:{group}:){{6}}{IPV4}"),
    ];
    for head in 0..8_usize {
        let mut form = match head.checked_sub(1) {
            None => "::".to_owned(),
            Some(more) => format!("{group}(?::{group}){{{more}}}::"),
        };
        let left = 7_usize.saturating_sub(head);
        if let Some(more) = left.checked_sub(1) {
            let with_ipv4 = left.checked_sub(2);
            let with_ipv4 = with_ipv4.map(|it| format!("|(?:{group}:){{0,{it}}}{IPV4}"));
            let with_ipv4 = with_ipv4.unwrap_or_default();
            form = format!("{form}(?:(?:{group}:){{0,{more}}}{group}{with_ipv4})?");
        }
        forms.push(form);
    }
    format!("^(?:{})$", forms.join("|"))
}

/// Weeks, or years to days and hours to seconds where none between two is left out.
fn duration() -> String {
    let units = |[first, second, third]: [char; 3]| {
        format!(
            "(?:[0-9]+{first}(?:[0-9]+{second}(?:[0-9]+{third})?)?|[0-9]+{second}(?:[0-9]+{third})?|[0-9]+{third})"
        )
    };
    let (date, time) = (units(['Y', 'M', 'D']), units(['H', 'M', 'S']));
    format!("^P(?:[0-9]+W|{date}(?:T{time})?|T{time})$")
}

fn uri_template() -> String {
    let literal = r#"[^\x00-\x20"<>%\\^`{|}\x7F]"#;
    let percent = "%[0-9a-fA-F]{2}";
    let letter = format!("(?:[A-Za-z0-9_]|{percent})");
    let name = format!("{letter}+(?:\\.{letter}+)*");
    let variable = format!("{name}(?::[1-9][0-9]{{0,3}}|\\*)?");
    let expression = format!("\\{{[+#./;?&=,!@|]?{variable}(?:,{variable})*\\}}");
    format!("^(?:{literal}|{percent}|{expression})*$")
}

#[cfg(test)]
mod tests;
