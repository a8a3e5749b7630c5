//! Hour, weekday and date of a moment, in UTC. Knows no other zone.

use spec::Time;

const MS_PER_DAY: u64 = 86_400_000;
const MS_PER_HOUR: u64 = 3_600_000;
/// Days in 400 years, after which the calendar repeats.
const DAYS_PER_ERA: u64 = 146_097;
/// Days from 1 March of the year 0 to 1 January 1970.
const DAYS_TO_EPOCH: u64 = 719_468;
/// 1 January 1970 was a Thursday.
const WEEKDAYS: [&str; 7] = [
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "monday",
    "tuesday",
    "wednesday",
];
/// Room for the longest year that a `Time` can hold, and `-12-31`.
const DATE_BYTES_MAX: usize = 16;

/// Whether `word` is one of the names that [`weekday`] gives.
pub(crate) fn is_weekday(word: &str) -> bool {
    WEEKDAYS.contains(&word)
}

/// 0 to 23.
pub(crate) fn hour(now: Time) -> u64 {
    now.unix_ms() % MS_PER_DAY / MS_PER_HOUR
}

/// `monday` to `sunday`.
pub(crate) fn weekday(now: Time) -> &'static str {
    let index = usize::try_from(now.unix_ms() / MS_PER_DAY % 7).unwrap_or(0);
    WEEKDAYS.get(index).copied().unwrap_or("")
}

/// A date's text, `2026-03-01`, kept without allocating.
pub(crate) struct DateText {
    bytes: [u8; DATE_BYTES_MAX],
    len: usize,
}

impl DateText {
    pub(crate) fn as_str(&self) -> &str {
        self.bytes
            .get(..self.len)
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or("")
    }

    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = byte;
            self.len += 1;
        }
    }

    fn push_number(&mut self, number: u64, width: u32) {
        let mut width = width;
        while number / 10_u64.saturating_pow(width) > 0 {
            width += 1;
        }
        for place in (0..width).rev() {
            let digit = number / 10_u64.saturating_pow(place) % 10;
            self.push(b'0'.saturating_add(u8::try_from(digit).unwrap_or(0)));
        }
    }
}

/// The date of a moment.
pub(crate) fn date(now: Time) -> DateText {
    let (year, month, day) = civil(now.unix_ms() / MS_PER_DAY);
    let mut text = DateText {
        bytes: [0; DATE_BYTES_MAX],
        len: 0,
    };
    text.push_number(year, 4);
    text.push(b'-');
    text.push_number(month, 2);
    text.push(b'-');
    text.push_number(day, 2);
    text
}

/// Year, month and day of the day that is `days` after the epoch. Years are counted from March, so
/// that the leap day is a year's last and every month but the last has a fixed length.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + DAYS_TO_EPOCH;
    let era = days / DAYS_PER_ERA;
    let mut left = days % DAYS_PER_ERA;
    // The fourth century and the fourth year are a day longer: their last day is not a fifth one.
    let century = (left / 36_524).min(3);
    left -= century * 36_524;
    let olympiad = left / 1_461;
    left -= olympiad * 1_461;
    let year_of_four = (left / 365).min(3);
    left -= year_of_four * 365;
    // 153 days are five months: 31, 30, 31, 30, 31.
    let month_from_march = (5 * left + 2) / 153;
    let day = left - (153 * month_from_march + 2) / 5 + 1;
    let year = era * 400 + century * 100 + olympiad * 4 + year_of_four;
    if month_from_march < 10 {
        (year, month_from_march + 3, day)
    } else {
        (year + 1, month_from_march - 9, day)
    }
}

#[cfg(test)]
mod tests {
    use super::{civil, date, hour, is_weekday, weekday};
    use spec::Time;

    #[test]
    fn known_moments() {
        for (ms, day, word, at) in [
            (0, "1970-01-01", "thursday", 0),
            (951_782_400_000, "2000-02-29", "tuesday", 0),
            (951_868_799_999, "2000-02-29", "tuesday", 23),
            (951_868_800_000, "2000-03-01", "wednesday", 0),
            (1_772_388_000_000, "2026-03-01", "sunday", 18),
            (4_107_542_400_000, "2100-03-01", "monday", 0),
            (253_402_300_800_000, "10000-01-01", "saturday", 0),
        ] {
            let now = Time::from_unix_ms(ms);
            assert_eq!(date(now).as_str(), day, "{ms}");
            assert_eq!(weekday(now), word, "{ms}");
            assert_eq!(hour(now), at, "{ms}");
        }
        assert!(is_weekday("sunday") && !is_weekday("Sunday"));
    }

    #[test]
    fn every_day_of_a_thousand_years_follows_the_one_before() {
        let leap = |year: u64| {
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
        };
        let length = |year, month| match month {
            2 if leap(year) => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..365_250 {
            assert_eq!(civil(days), (year, month, day), "{days}");
            day += 1;
            if day > length(year, month) {
                (day, month) = (1, month + 1);
            }
            if month > 12 {
                (month, year) = (1, year + 1);
            }
        }
    }

    #[test]
    fn the_end_of_time_has_a_date() {
        let text = date(Time::from_unix_ms(u64::MAX));
        assert!(text.as_str().len() == 15, "{}", text.as_str());
    }
}
