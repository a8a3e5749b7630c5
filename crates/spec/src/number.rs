//! Exact decimal numbers: what JSON and YAML can write, kept without rounding.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// The most significant digits a number may have.
const DIGITS_MAX: usize = 1000;
/// The largest exponent, either way, that a number may have.
const EXPONENT_MAX: i32 = 1000;
/// From this many places on, canonical text uses the exponent form.
const PLAIN_PLACES_MAX: i32 = 21;

/// An exact decimal number: `±digits × 10^exponent`.
///
/// Kept in lowest form (no leading or trailing zeros in `digits`, no digits at all for zero, no
/// negative zero), so that equal numbers are equal field by field however they were written.
#[derive(Clone, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    digits: String,
    exponent: i32,
}

/// Why a text is not a number that we keep.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// The text is not a JSON number.
    #[error("not a number: `{0}`")]
    Syntax(String),
    /// Too many digits or too large an exponent to keep exactly.
    #[error(
        "number out of range (more than {DIGITS_MAX} digits or an exponent beyond ±{EXPONENT_MAX})"
    )]
    Range,
}

impl Decimal {
    /// Zero.
    #[must_use]
    pub fn zero() -> Self {
        Self {
            negative: false,
            digits: String::new(),
            exponent: 0,
        }
    }

    /// Whether the number has no fractional part.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// Whether the number is below zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The number as `i64`, if it is one.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        let magnitude = i128::from(self.whole()?);
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// The number as `u64`, if it is one.
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        self.whole().filter(|it| !self.negative || *it == 0)
    }

    /// Whether dividing by `divisor` leaves a whole number; never for a `divisor` of zero.
    #[must_use]
    pub fn is_multiple_of(&self, divisor: &Self) -> bool {
        if divisor.digits.is_empty() {
            return false;
        }
        if self.digits.is_empty() {
            return true;
        }
        // Neither ends in a zero, so nothing makes up for a larger power of ten below the line.
        let Ok(zeros) = usize::try_from(i64::from(self.exponent) - i64::from(divisor.exponent))
        else {
            return false;
        };
        let dividend = self.digits.bytes().chain(std::iter::repeat_n(b'0', zeros));
        leaves_nothing(dividend, &divisor.digits)
    }

    /// The nearest `f64`; may be infinite beyond its range. Never used to decide anything.
    #[must_use]
    pub fn to_f64_lossy(&self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// The number without its sign, if it is whole and fits.
    fn whole(&self) -> Option<u64> {
        if self.digits.is_empty() {
            return Some(0);
        }
        let scale = 10_u64.checked_pow(u32::try_from(self.exponent).ok()?)?;
        self.digits.parse::<u64>().ok()?.checked_mul(scale)
    }

    /// Places before the decimal point; negative or zero for a number below 0.1.
    fn magnitude(&self) -> i32 {
        i32::try_from(self.digits.len())
            .unwrap_or(i32::MAX)
            .saturating_add(self.exponent)
    }

    fn new(negative: bool, digits: &str, exponent: i64) -> Result<Self, NumberError> {
        let trimmed = digits.trim_start_matches('0');
        let kept = trimmed.trim_end_matches('0');
        if kept.is_empty() {
            return Ok(Self::zero());
        }
        let dropped = i64::try_from(trimmed.len() - kept.len()).map_err(|_| NumberError::Range)?;
        let exponent = exponent.checked_add(dropped).ok_or(NumberError::Range)?;
        let exponent = i32::try_from(exponent).map_err(|_| NumberError::Range)?;
        let number = Self {
            negative,
            digits: kept.to_owned(),
            exponent,
        };
        let within = |value: i32| (-EXPONENT_MAX..=EXPONENT_MAX).contains(&value);
        // Written with one digit before the point, and as a whole number with an exponent.
        let exponents = [number.magnitude().saturating_sub(1), exponent];
        if kept.len() > DIGITS_MAX || !exponents.into_iter().all(within) {
            return Err(NumberError::Range);
        }
        Ok(number)
    }

    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (false, false) => {}
        }
        // With equal magnitude the digit strings align at the left; a longer one has extra
        // nonzero places, which is what byte order says too.
        self.magnitude()
            .cmp(&other.magnitude())
            .then_with(|| self.digits.cmp(&other.digits))
    }
}

/// Whether the whole number of these digits, which are ASCII, divides by that of `divisor`.
fn leaves_nothing(dividend: impl Iterator<Item = u8>, divisor: &str) -> bool {
    let digit = |byte: u8| u64::from(byte.saturating_sub(b'0'));
    // A remainder below 10^18 still fits with one more digit.
    if divisor.len() <= 18 {
        let Ok(small) = divisor.parse::<u64>() else {
            return false;
        };
        return dividend.fold(0, |rest, byte| (rest * 10 + digit(byte)) % small) == 0;
    }
    // Longhand: the remainder's digits, the first one first, with as many places as the divisor
    // and one more.
    let places = divisor.len().saturating_add(1);
    let divisor: Vec<u8> = std::iter::once(b'0').chain(divisor.bytes()).collect();
    let mut rest = vec![b'0'; places];
    for byte in dividend {
        rest.rotate_left(1);
        if let Some(last) = rest.last_mut() {
            *last = byte;
        }
        while rest >= divisor {
            subtract(&mut rest, &divisor);
        }
    }
    rest.iter().all(|byte| *byte == b'0')
}

/// Takes `less`, of as many ASCII digits, from `from`, which is not smaller.
fn subtract(from: &mut [u8], less: &[u8]) {
    let mut borrowed = 0;
    for (digit, less) in from.iter_mut().zip(less).rev() {
        let taken = less.saturating_sub(b'0').saturating_add(borrowed);
        let value = digit.saturating_sub(b'0');
        borrowed = u8::from(value < taken);
        *digit = value
            .saturating_add(10_u8.saturating_mul(borrowed))
            .saturating_sub(taken)
            .saturating_add(b'0');
    }
}

/// Splits `text` into its part before and after the first byte for which `at` holds.
fn split_at_byte(text: &str, at: impl Fn(u8) -> bool) -> (&str, Option<&str>) {
    match text.bytes().position(at) {
        Some(index) => (
            text.get(..index).unwrap_or(text),
            text.get(index.saturating_add(1)..),
        ),
        None => (text, None),
    }
}

impl FromStr for Decimal {
    type Err = NumberError;

    /// Reads a number in JSON's grammar.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let syntax = || NumberError::Syntax(text.chars().take(40).collect());
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = split_at_byte(rest, |b| b == b'e' || b == b'E');
        let (whole, fraction) = split_at_byte(mantissa, |b| b == b'.');
        let all_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        if !all_digits(whole) || (whole.len() > 1 && whole.starts_with('0')) {
            return Err(syntax());
        }
        let fraction = match fraction {
            Some(fraction) if all_digits(fraction) => fraction,
            Some(_) => return Err(syntax()),
            None => "",
        };
        let exponent = match exponent {
            Some(written) => {
                let unsigned = written.strip_prefix(['+', '-']).unwrap_or(written);
                if !all_digits(unsigned) {
                    return Err(syntax());
                }
                written
                    .strip_prefix('+')
                    .unwrap_or(written)
                    .parse::<i64>()
                    .ok()
            }
            None => Some(0),
        };
        let mut digits = whole.to_owned();
        digits.push_str(fraction);
        if digits.bytes().all(|b| b == b'0') {
            return Ok(Self::zero());
        }
        let places = i64::try_from(fraction.len()).map_err(|_| NumberError::Range)?;
        let exponent = exponent
            .and_then(|e| e.checked_sub(places))
            .ok_or(NumberError::Range)?;
        Self::new(negative, &digits, exponent)
    }
}

impl fmt::Display for Decimal {
    /// Canonical text: integral values without a point, no trailing zeros, exponent form only
    /// beyond 10^±21.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.digits.is_empty() {
            return f.write_str("0");
        }
        if self.negative {
            f.write_str("-")?;
        }
        let magnitude = self.magnitude();
        // 10^21 has 22 places, 10^-21 has its digit 20 zeros behind the point.
        if magnitude > PLAIN_PLACES_MAX || magnitude <= -PLAIN_PLACES_MAX {
            let (first, rest) = self
                .digits
                .split_at_checked(1)
                .unwrap_or((&self.digits, ""));
            f.write_str(first)?;
            if !rest.is_empty() {
                write!(f, ".{rest}")?;
            }
            let exponent = magnitude - 1;
            let sign = if exponent < 0 { "-" } else { "+" };
            return write!(f, "e{sign}{}", exponent.unsigned_abs());
        }
        let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap_or(0));
        if self.exponent >= 0 {
            write!(f, "{}{}", self.digits, zeros(self.exponent))
        } else if magnitude <= 0 {
            write!(f, "0.{}{}", zeros(-magnitude), self.digits)
        } else {
            let at = usize::try_from(magnitude).unwrap_or(0);
            let (whole, fraction) = self
                .digits
                .split_at_checked(at)
                .unwrap_or((&self.digits, ""));
            write!(f, "{whole}.{fraction}")
        }
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.cmp_magnitude(other),
            (true, true) => other.cmp_magnitude(self),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Decimal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.negative.hash(state);
        self.digits.hash(state);
        self.exponent.hash(state);
    }
}

impl From<u64> for Decimal {
    fn from(value: u64) -> Self {
        Self::new(false, &value.to_string(), 0).unwrap_or_else(|_| Self::zero())
    }
}

impl From<i64> for Decimal {
    fn from(value: i64) -> Self {
        Self::new(value < 0, &value.unsigned_abs().to_string(), 0).unwrap_or_else(|_| Self::zero())
    }
}

#[cfg(test)]
mod tests {
    use super::{Decimal, NumberError};

    fn number(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn canonical_text() {
        for (written, canonical) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("1.0", "1"),
            ("1.50", "1.5"),
            ("0.1", "0.1"),
            ("0.001", "0.001"),
            ("1e3", "1000"),
            ("30E-1", "3"),
            ("-12.5e1", "-125"),
            ("9007199254740993", "9007199254740993"),
            ("1e21", "1e+21"),
            ("1e20", "100000000000000000000"),
            ("123e22", "1.23e+24"),
            ("1e-21", "0.000000000000000000001"),
            ("9.9e-21", "0.0000000000000000000099"),
            ("9.9e-22", "9.9e-22"),
            ("1e-22", "1e-22"),
            ("1e-23", "1e-23"),
            ("0e99999999999", "0"),
        ] {
            assert_eq!(number(written).to_string(), canonical, "{written}");
            assert_eq!(number(canonical), number(written), "{written}");
        }
    }

    #[test]
    fn order_is_exact() {
        let sorted = [
            "-1e300",
            "-9007199254740993",
            "-9007199254740992",
            "-1",
            "-0.5",
            "0",
            "1e-300",
            "0.29",
            "0.3",
            "1",
            "1.005",
            "1.01",
            "9",
            "10",
            "9007199254740992",
            "9007199254740993",
            "1e300",
        ];
        for pair in sorted.windows(2) {
            assert!(number(pair[0]) < number(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn refuses_what_json_refuses() {
        for text in [
            "", "-", "+1", "01", "1.", ".5", "1e", "1e+", "NaN", "0x1", "1 ", "--1",
        ] {
            assert!(
                matches!(text.parse::<Decimal>(), Err(NumberError::Syntax(_))),
                "{text}"
            );
        }
        for text in ["1e1000", "9.99e1000", "-1e-1000", &"9".repeat(1000)] {
            assert!(text.parse::<Decimal>().is_ok(), "{text}");
        }
        for text in [
            "1e1001",
            "10e1000",
            "1e-1001",
            "1e99999999999999999999",
            &"9".repeat(1001),
        ] {
            assert_eq!(text.parse::<Decimal>(), Err(NumberError::Range), "{text}");
        }
    }

    #[test]
    fn machine_integers() {
        assert_eq!(number("18446744073709551615").to_u64(), Some(u64::MAX));
        assert_eq!(number("18446744073709551616").to_u64(), None);
        assert_eq!(number("-5").to_i64(), Some(-5));
        assert_eq!(number("1.5").to_i64(), None);
        assert_eq!(number("-9223372036854775808").to_i64(), Some(i64::MIN));
        assert_eq!(number("-9223372036854775809").to_i64(), None);
        assert_eq!(number("9223372036854775808").to_i64(), None);
        assert_eq!(number("1e19").to_u64(), Some(10_000_000_000_000_000_000));
        assert_eq!(number("1e20").to_u64(), None);
        assert_eq!(
            (number("-1").to_u64(), number("-0").to_u64()),
            (None, Some(0))
        );
        assert_eq!(Decimal::from(-20_i64).to_string(), "-20");
    }

    #[test]
    fn multiples_are_exact() {
        let nines = "9".repeat(900);
        let long = "123456789012345678901234567890";
        for (value, divisor, holds) in [
            ("19.99", "0.01", true),
            ("0.29", "0.01", true),
            ("1.005", "0.01", false),
            ("0", "7", true),
            ("7", "0", false),
            ("-9", "3", true),
            ("-9.5", "3", false),
            ("1e300", "8", true),
            ("1e300", "3", false),
            ("5", "10", false),
            ("1e-300", "1e-301", true),
            ("1e-301", "1e-300", false),
            ("9007199254740993", "9007199254740992", false),
            ("18014398509481986", "9007199254740993", true),
            (long, long, true),
            ("370370367037037036703703703670", long, true),
            ("370370367037037036703703703671", long, false),
            ("1e40", long, false),
            (long, "1234567890123456789", false),
            (&nines, "9", true),
            (&nines, "999999999999999999", true),
            (&nines, "9999999999999999999999999", true),
            (&nines, "99999999999999999999999999", false),
        ] {
            let found = number(value).is_multiple_of(&number(divisor));
            assert_eq!(found, holds, "{value} by {divisor}");
        }
    }
}
