//! What an unquoted scalar means in the core schema of YAML 1.2.

use spec::{Decimal, NumberError};

/// The core schema's reading of an unquoted scalar.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Core {
    Null,
    Bool(bool),
    Number(Decimal),
    /// A number to some readers of YAML that we do not take for one.
    Odd(Odd),
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Odd {
    /// `010`: ten to some, eight to others.
    LeadingZero,
    /// `0o17`, `0x1F`.
    Radix,
    /// `.inf`, `.nan`.
    NotFinite,
    /// Too long to keep.
    Range,
}

impl Odd {
    /// Whether the spelling is taken as it stands where text is due.
    pub(super) fn reads_as_text(self) -> bool {
        self == Odd::Radix
    }

    pub(super) fn why(self) -> &'static str {
        match self {
            Odd::LeadingZero => "readers disagree about leading zeros",
            Odd::Radix => "numbers are written in base ten here",
            Odd::NotFinite => "only finite numbers are allowed",
            Odd::Range => "it has too many digits or too large an exponent to be kept exactly",
        }
    }
}

pub(super) fn resolve(text: &str) -> Core {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Core::Null,
        "true" | "True" | "TRUE" => return Core::Bool(true),
        "false" | "False" | "FALSE" => return Core::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Core::Odd(Odd::NotFinite),
        _ => {}
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Core::Odd(Odd::NotFinite);
    }
    if is_radix(text) {
        return Core::Odd(Odd::Radix);
    }
    let Some(json) = as_json_number(text, unsigned) else {
        return Core::Text;
    };
    match json.parse() {
        Ok(number) => Core::Number(number),
        Err(NumberError::Range) => Core::Odd(Odd::Range),
        // What YAML calls a number and JSON does not, once the point is mended, has leading zeros.
        Err(NumberError::Syntax(_)) => Core::Odd(Odd::LeadingZero),
    }
}

fn is_radix(text: &str) -> bool {
    let digits =
        |rest: &str, radix: u32| !rest.is_empty() && rest.chars().all(|c| c.is_digit(radix));
    text.strip_prefix("0o").is_some_and(|rest| digits(rest, 8))
        || text.strip_prefix("0x").is_some_and(|rest| digits(rest, 16))
}

/// The number in JSON's spelling, when `text` is one in YAML's, which also allows `+1`, `.5`, `5.`.
fn as_json_number(text: &str, unsigned: &str) -> Option<String> {
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            let places = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            if places.is_empty() || !all_digits(places) {
                return None;
            }
            (mantissa, Some(exponent))
        }
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if !all_digits(whole) || !all_digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let mut json = String::new();
    if text.starts_with('-') {
        json.push('-');
    }
    json.push_str(if whole.is_empty() { "0" } else { whole });
    if !fraction.is_empty() {
        json.push('.');
        json.push_str(fraction);
    }
    if let Some(exponent) = exponent {
        json.push('e');
        json.push_str(exponent);
    }
    Some(json)
}

#[cfg(test)]
mod tests {
    use super::{Core, Odd, resolve};

    #[test]
    fn core_schema() {
        for (text, number) in [
            ("0", "0"),
            ("+5", "5"),
            ("-5", "-5"),
            ("1.10", "1.1"),
            (".5", "0.5"),
            ("-.5", "-0.5"),
            ("5.", "5"),
            ("1e3", "1000"),
            ("1.5E-2", "0.015"),
            ("9007199254740993", "9007199254740993"),
        ] {
            let expected = Core::Number(number.parse().unwrap());
            assert_eq!(resolve(text), expected, "{text}");
        }
        for text in [
            "NO",
            "on",
            "yes",
            "2024-01-01",
            "12:30:45",
            "1_000",
            "1e",
            ".",
            "-",
            "1.2.3",
            "0b1",
            "NaN",
            "0o8",
            "e5",
        ] {
            assert_eq!(resolve(text), Core::Text, "{text}");
        }
        for (text, odd) in [
            ("010", Odd::LeadingZero),
            ("-01.5", Odd::LeadingZero),
            ("0o17", Odd::Radix),
            ("0x1F", Odd::Radix),
            ("-.inf", Odd::NotFinite),
            (".NaN", Odd::NotFinite),
            ("1e9999", Odd::Range),
        ] {
            assert_eq!(resolve(text), Core::Odd(odd), "{text}");
        }
        assert_eq!(resolve("~"), Core::Null);
        assert_eq!(resolve("TRUE"), Core::Bool(true));
    }
}
