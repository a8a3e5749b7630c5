//! Exact rational arithmetic over the decimals that JSON can write. Knows nothing of schemas.

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_rational::BigRational;
use num_traits::{One as _, Signed as _, Zero as _};
use spec::Decimal;

pub(crate) type Rational = BigRational;

/// The most decimal places that a number found by search is written with.
const PLACES_MAX: u32 = 900;

/// The same number; `None` only if its text is not that of a number.
pub(crate) fn rational(number: &Decimal) -> Option<Rational> {
    if let Some(small) = number.to_i64() {
        return Some(Rational::from_integer(BigInt::from(small)));
    }
    let text = number.to_string();
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i64 = exponent.trim_start_matches('+').parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let places = i64::try_from(fraction.len()).ok()?;
    let digits: BigInt = format!("{whole}{fraction}").parse().ok()?;
    let shift = exponent.checked_sub(places)?;
    let scale = BigInt::from(10).pow(u32::try_from(shift.unsigned_abs()).ok()?);
    Some(if shift >= 0 {
        Rational::from_integer(digits * scale)
    } else {
        Rational::new(digits, scale)
    })
}

/// The number as JSON writes it; `None` if it has no finite decimal expansion or too long a one.
pub(crate) fn decimal(number: &Rational) -> Option<Decimal> {
    let mut rest = number.denom().clone();
    let mut places = 0_u32;
    for factor in [2, 5] {
        let factor = BigInt::from(factor);
        let mut count = 0_u32;
        while rest.is_multiple_of(&factor) {
            rest /= &factor;
            count = count.checked_add(1).filter(|it| *it <= PLACES_MAX)?;
        }
        places = places.max(count);
    }
    if !rest.is_one() {
        return None;
    }
    let scaled = number * Rational::from_integer(BigInt::from(10).pow(places));
    format!("{}e-{places}", scaled.to_integer()).parse().ok()
}

/// The least positive number that both divide; each of them is positive.
pub(crate) fn least_common_multiple(a: &Rational, b: &Rational) -> Rational {
    let denominator = a.denom().lcm(b.denom());
    let scale = Rational::from_integer(denominator.clone());
    let (a, b) = ((a * &scale).to_integer(), (b * &scale).to_integer());
    Rational::new(a.lcm(&b).abs(), denominator)
}

/// Whether `number` is a whole multiple of `divisor`, which is not zero.
pub(crate) fn divides(divisor: &Rational, number: &Rational) -> bool {
    !divisor.is_zero() && (number / divisor).is_integer()
}
