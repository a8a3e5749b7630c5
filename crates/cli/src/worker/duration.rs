//! How long something may take, as it is written on the command line: `500ms`, `30s`, `5m`, `1h`, or
//! whole seconds. Knows the writing; not what lasts.

use std::time::Duration;

/// Nothing that a worker waits for lasts longer.
const DURATION_MAX: Duration = Duration::from_hours(24);

pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || "write a duration such as 500ms, 30s, 5m, 1h, or whole seconds".to_owned();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits).ok_or_else(wrong)?;
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let ms_per_unit: u64 = match unit {
        "ms" => 1,
        "" | "s" => 1000,
        "m" => 60 * 1000,
        "h" => 60 * 60 * 1000,
        _ => return Err(wrong()),
    };
    number
        .checked_mul(ms_per_unit)
        .map(Duration::from_millis)
        .filter(|it| *it <= DURATION_MAX)
        .ok_or_else(|| "at most 24h are allowed".to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::parse;

    #[test]
    fn durations() {
        for (text, ms) in [
            ("500ms", 500),
            ("30s", 30_000),
            ("30", 30_000),
            ("5m", 300_000),
            ("24h", 86_400_000),
            ("0", 0),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for bad in [
            "",
            "s",
            "-1s",
            "1.5s",
            "1 s",
            "1d",
            "25h",
            "é",
            "99999999999999999999h",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
