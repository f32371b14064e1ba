//! Numbers as they are written: `[0-9]+(\.[0-9]+)?` of any length, compared digit by digit, so that
//! 5.00000000000000000001 is more than 5, which it would not be as a float.

use super::Fault;

/// A plain decimal. The order of the fields is that of comparing.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digits<'a> {
    /// How many digits stand before the point, without leading zeros: the longer whole is the
    /// larger one.
    length: usize,
    whole: &'a str,
    /// The digits behind the point, without trailing zeros.
    fraction: &'a str,
}

impl<'a> Digits<'a> {
    /// The number, if `text` is one.
    pub fn parse(text: &'a str) -> Option<Self> {
        let is_digits =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        if !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let whole = whole.trim_start_matches('0');
        Some(Self {
            length: whole.len(),
            whole,
            fraction: fraction.trim_end_matches('0'),
        })
    }

    /// That it lies between two bounds, which are such numbers too.
    pub fn within(&self, least: &str, most: &str) -> Result<(), Fault> {
        if Digits::parse(least).is_some_and(|least| *self < least) {
            return Err(Fault::TooSmall);
        }
        if Digits::parse(most).is_some_and(|most| *self > most) {
            Err(Fault::TooBig)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Digits;

    #[test]
    fn decimals_compare_by_their_digits() {
        let ascending = [
            "0",
            "0.09",
            "0.5",
            "0.51",
            "1",
            "1.0000000000000000001",
            "9",
            "10",
            "99999999999999999999999",
        ];
        for (at, less) in ascending.iter().enumerate() {
            for more in &ascending[at + 1..] {
                assert!(
                    Digits::parse(less).unwrap() < Digits::parse(more).unwrap(),
                    "{less} < {more}"
                );
            }
        }
        for (one, same) in [
            ("5", "5.0"),
            ("005", "5.000"),
            ("0", "00.00"),
            ("1.5", "01.50"),
        ] {
            assert_eq!(Digits::parse(one).unwrap(), Digits::parse(same).unwrap());
        }
        for none in [
            "", ".", "1.", ".5", "+1", "-1", "1e3", " 1", "1 ", "1,5", "0x1", "\u{661}", "inf",
            "1.2.3", "1_000",
        ] {
            assert_eq!(Digits::parse(none), None, "{none:?}");
        }
    }
}
