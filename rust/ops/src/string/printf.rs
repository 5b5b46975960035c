//! C's `printf` for one number: flags, width, precision and the conversions d, f, e and g.

/// A conversion's letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    Fixed,
    Scientific,
    /// `g`: the shorter of the two.
    Shortest,
}

/// The format of a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    pub notation: Notation,
    /// One of C's flags: ' ', '+', '-', '0' or '#'.
    pub flag: Option<u8>,
    pub width: usize,
    /// Digits after the point (of `g`: all digits); C's default is 6.
    pub precision: usize,
}

/// Returns mantissa digits with point, and exponent of ten.
fn scientific(x: f64, precision: usize, keep_point: bool) -> String {
    let text = format!("{x:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = exponent.parse().unwrap_or_default();
    let point = if keep_point && precision == 0 { "." } else { "" };
    format!("{mantissa}{point}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs())
}

fn fixed(x: f64, precision: usize, keep_point: bool) -> String {
    let point = if keep_point && precision == 0 { "." } else { "" };
    format!("{x:.precision$}{point}")
}

fn without_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

fn shortest(x: f64, precision: usize, keep_zeros: bool) -> String {
    let digits = precision.max(1);
    let text = format!("{x:.*e}", digits - 1);
    let power: i64 = text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or_default();
    if power < -4 || power >= digits as i64 {
        let text = scientific(x, digits - 1, keep_zeros);
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
        let mantissa = if keep_zeros { mantissa } else { without_zeros(mantissa) };
        return format!("{mantissa}e{exponent}");
    }
    let text = fixed(x, (digits as i64 - 1 - power) as usize, keep_zeros);
    if keep_zeros { text } else { without_zeros(&text).to_owned() }
}

/// The text of a number without its sign.
enum Body<'a> {
    Digits(&'a str),
    /// Infinity or no number, before which no zeros are written.
    Word(&'a str),
}

impl Format {
    /// Returns `body`, which has no sign, brought to the width with leading zeros if it is a number.
    fn padded(&self, negative: bool, body: &Body<'_>) -> String {
        let (Body::Digits(text) | Body::Word(text)) = *body;
        let sign = match self.flag {
            _ if negative => "-",
            Some(b'+') => "+",
            Some(b' ') => " ",
            _ => "",
        };
        let missing = self.width.saturating_sub(sign.len() + text.len());
        match self.flag {
            Some(b'-') => format!("{sign}{text}{}", " ".repeat(missing)),
            Some(b'0') if matches!(body, Body::Digits(_)) => format!("{sign}{}{text}", "0".repeat(missing)),
            _ => format!("{}{sign}{text}", " ".repeat(missing)),
        }
    }

    pub(super) fn float(&self, x: f64) -> String {
        let magnitude = x.abs();
        let negative = x.is_sign_negative();
        if x.is_nan() {
            return self.padded(negative, &Body::Word("nan"));
        }
        if x.is_infinite() {
            return self.padded(negative, &Body::Word("inf"));
        }
        let alternate = self.flag == Some(b'#');
        let body = match self.notation {
            Notation::Fixed => fixed(magnitude, self.precision, alternate),
            Notation::Scientific => scientific(magnitude, self.precision, alternate),
            Notation::Shortest => shortest(magnitude, self.precision, alternate),
        };
        self.padded(negative, &Body::Digits(&body))
    }

    pub(super) fn integer(&self, x: i128) -> String {
        self.padded(x < 0, &Body::Digits(&x.unsigned_abs().to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(x: f64, notation: Notation, flag: &str, width: usize, precision: usize) -> String {
        Format { notation, flag: flag.bytes().next(), width, precision }.float(x)
    }

    // The expected texts are those that C's printf writes.
    #[test]
    fn floats_are_written_as_c_writes_them() {
        use Notation::*;
        assert_eq!(text(1.5, Fixed, "", 0, 6), "1.500000");
        assert_eq!(text(0.125, Fixed, "", 0, 2), "0.12");
        assert_eq!(text(2.5, Fixed, "", 0, 0), "2");
        assert_eq!(text(2.5, Fixed, "#", 0, 0), "2.");
        assert_eq!(text(-1.5, Fixed, "0", 9, 2), "-00001.50");
        assert_eq!(text(1.5, Fixed, "-", 7, 2), "1.50   ");
        assert_eq!(text(1.5, Fixed, "+", 7, 2), "  +1.50");
        assert_eq!(text(1.5, Fixed, " ", 7, 2), "   1.50");
        assert_eq!(text(1234.5, Scientific, "", 0, 6), "1.234500e+03");
        assert_eq!(text(1e-300, Scientific, "", 0, 1), "1.0e-300");
        assert_eq!(text(0.0, Scientific, "", 0, 2), "0.00e+00");
        assert_eq!(text(0.0001, Shortest, "", 0, 6), "0.0001");
        assert_eq!(text(0.00001, Shortest, "", 0, 6), "1e-05");
        assert_eq!(text(1e6, Shortest, "", 0, 6), "1e+06");
        assert_eq!(text(999999.5, Shortest, "", 0, 6), "1e+06");
        assert_eq!(text(123456.0, Shortest, "", 0, 6), "123456");
        assert_eq!(text(100.0, Shortest, "#", 0, 6), "100.000");
        assert_eq!(text(1.5, Shortest, "", 0, 0), "2");
        assert_eq!(text(f64::NEG_INFINITY, Fixed, "0", 6, 2), "  -inf");
        assert_eq!(text(f64::NAN, Scientific, "", 0, 2), "nan");
        assert_eq!(text(-0.0, Fixed, "", 0, 1), "-0.0");
    }

    #[test]
    fn integers_have_sign_and_width() {
        let of = |flag: &str, x| {
            Format { notation: Notation::Fixed, flag: flag.bytes().next(), width: 5, precision: 6 }.integer(x)
        };
        assert_eq!([of("", 42), of("0", -42), of("-", 42), of("+", 42)], ["   42", "-0042", "42   ", "  +42"]);
        assert_eq!(of("", i64::MIN.into()), "-9223372036854775808");
    }
}
