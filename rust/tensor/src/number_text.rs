//! Numbers as text spells them, by the rules of TensorFlow 1.x.

/// A number that a string may spell.
pub trait NumberText: Sized {
    /// Returns the number that `text` spells, without spaces around it.
    fn of_text(text: &str) -> Option<Self>;
}

/// Returns a hexadecimal integer: its leading digits, rounded to odd, and the power of two to multiply them by.
fn hexadecimal(digits: &str) -> Option<(u64, i32)> {
    let (mut value, mut exponent) = (0u64, 0i32);
    for digit in digits.chars() {
        let digit = u64::from(digit.to_digit(16)?);
        if value < 1 << 60 {
            value = value << 4 | digit;
        } else {
            value |= u64::from(digit != 0);
            exponent = exponent.saturating_add(4);
        }
    }
    (!digits.is_empty()).then_some((value, exponent))
}

macro_rules! number_text {
    ($($float:ty),*; $($int:ty),*) => {
        $(impl NumberText for $float {
            fn of_text(text: &str) -> Option<$float> {
                let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
                let Some(digits) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) else {
                    // TF 1.x: infinity is spelled inf.
                    return text.parse().ok().filter(|_| !unsigned.eq_ignore_ascii_case("infinity"));
                };
                let (value, exponent) = hexadecimal(digits)?;
                // Rounded once: 60 bits are more than the type holds, and the lowest stands for all that follow.
                let value = value as $float * (2.0 as $float).powi(exponent);
                Some(if text.starts_with('-') { -value } else { value })
            }
        })*
        $(impl NumberText for $int {
            fn of_text(text: &str) -> Option<$int> {
                // TF 1.x: integers have no plus sign.
                text.parse().ok().filter(|_| !text.starts_with('+'))
            }
        })*
    };
}
number_text!(f32, f64; i32, i64);

/// Returns the number that `text` spells, with or without what C calls space around it: decimal, or a float as a
/// hexadecimal integer.
pub fn parse_number<T: NumberText>(text: &[u8]) -> Option<T> {
    let is_space = |c: char| matches!(c, ' ' | '\t'..='\r');
    T::of_text(std::str::from_utf8(text).ok()?.trim_matches(is_space))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_signs_and_special_values() {
        assert_eq!(parse_number::<f32>(b" \t-1.5e3\n"), Some(-1500.0));
        assert_eq!(parse_number::<f32>(b"1e400"), Some(f32::INFINITY));
        assert!(parse_number::<f64>(b"NaN").unwrap().is_nan());
        assert_eq!(
            (parse_number::<i32>(b"-7"), parse_number::<i32>(b"+7"), parse_number::<i32>(b"2147483648")),
            (Some(-7), None, None)
        );
        assert_eq!((parse_number::<f32>(b"+7"), parse_number::<f32>(b"-inf")), (Some(7.0), Some(f32::NEG_INFINITY)));
        for bad in [&b""[..], b"  ", b"1 2", b"0x", b"0x1.8", b"0xg", b"1_000", b"\xff", b"Infinity"] {
            assert!(parse_number::<f32>(bad).is_none() && parse_number::<i64>(bad).is_none());
        }
    }

    #[test]
    fn hexadecimal_integers_are_rounded_once() {
        assert_eq!(
            (parse_number::<f32>(b"0x1F"), parse_number::<f64>(b" -0X1f "), parse_number::<i32>(b"0x1F")),
            (Some(31.0), Some(-31.0), None)
        );
        // Half way between two numbers except for its last digit, far to the right.
        assert_eq!(parse_number::<f32>(b"0x1000001000000000000001"), Some(0x100_0002 as f32 * (2f32).powi(60)));
        assert_eq!(parse_number::<f32>(b"0x1000001000000000000000"), Some(0x100_0000 as f32 * (2f32).powi(60)));
        assert_eq!(parse_number::<f64>(b"0x1fffffffffffff1"), Some(144_115_188_075_855_856.0));
        assert_eq!(parse_number::<f32>(&[b"0x".as_slice(), &[b'f'; 60]].concat()), Some(f32::INFINITY));
        assert_eq!(parse_number::<f64>(b"-0x0").map(f64::to_bits), Some((-0.0f64).to_bits()));
    }
}
