//! Moments as RFC 3339 writes them. Knows the calendar; no clock.

use spec::Time;

const MS_A_DAY: i64 = 86_400_000;

/// The moment that `text` names; `None` when it is not one, or lies before 1970.
pub(super) fn parse(text: &str) -> Option<Time> {
    let (date, rest) = text.split_once(['T', 't', ' '])?;
    let split = rest.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = rest.split_at_checked(split)?;
    let ms = day(date)?
        .checked_mul(MS_A_DAY)?
        .checked_add(of_day(clock)?)?
        .checked_sub(offset(zone)?)?;
    u64::try_from(ms).ok().map(Time::from_unix_ms)
}

/// Exactly `width` digits, as a number of at most `max`.
fn digits(text: &str, width: usize, max: i64) -> Option<i64> {
    let all = text.len() == width && text.bytes().all(|it| it.is_ascii_digit());
    let number: i64 = text.parse().ok().filter(|_| all)?;
    (number <= max).then_some(number)
}

/// Days from 1970-01-01 to a date.
fn day(date: &str) -> Option<i64> {
    let mut parts = date.split('-');
    let year = digits(parts.next()?, 4, 9999)?;
    let month = digits(parts.next()?, 2, 12).filter(|it| *it > 0)?;
    let day = digits(parts.next()?, 2, 31).filter(|it| *it > 0)?;
    let leaps = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 if leaps => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if day > last || parts.next().is_some() {
        return None;
    }
    // Years that begin in March have their leap day at the end.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let before = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(before + (153 * month + 2) / 5 + day - 1 - 719_468)
}

/// Milliseconds from midnight; further digits of a fraction are dropped.
fn of_day(clock: &str) -> Option<i64> {
    let (whole, fraction) = match clock.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (clock, None),
    };
    let mut parts = whole.split(':');
    let hour = digits(parts.next()?, 2, 23)?;
    let minute = digits(parts.next()?, 2, 59)?;
    let second = digits(parts.next()?, 2, 59)?;
    if parts.next().is_some() {
        return None;
    }
    let ms = match fraction {
        Some(fraction) => {
            let sound = (1..=9).contains(&fraction.len()) && fraction.is_ascii();
            let padded = format!("{fraction}00");
            digits(fraction, fraction.len(), 999_999_999).filter(|_| sound)?;
            digits(padded.get(..3)?, 3, 999)?
        }
        None => 0,
    };
    Some(((hour * 60 + minute) * 60 + second) * 1000 + ms)
}

/// Milliseconds that a zone is ahead of UTC.
fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    let ahead = (digits(hours, 2, 23)? * 60 + digits(minutes, 2, 59)?) * 60_000;
    Some(if zone.starts_with('-') { -ahead } else { ahead })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn moments() {
        for (text, ms) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01T02:00:00+02:00", 0),
            ("1970-01-01 00:00:00.25z", 250),
            ("2000-02-29T12:00:00Z", 951_825_600_000),
            ("2026-03-01T18:00:00Z", 1_772_388_000_000),
            ("2026-03-01T13:30:00.1239-04:30", 1_772_388_000_123),
            ("2100-12-31T23:59:59Z", 4_133_980_799_000),
        ] {
            assert_eq!(parse(text).map(|it| it.unix_ms()), Some(ms), "{text}");
        }
        for text in [
            "",
            "2026-03-01",
            "2026-03-01T18:00Z",
            "2026-03-01T18:00:00",
            "2026-02-29T00:00:00Z",
            "2100-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2026-03-01T24:00:00Z",
            "2026-03-01T18:00:60Z",
            "2026-03-01T18:00:00+2",
            "2026-03-01T18:00:00.Z",
            "2026-03-01T18:00:00.éZ",
            "26-03-01T18:00:00Z",
            "+026-03-01T18:00:00Z",
            "1969-12-31T23:59:59Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
