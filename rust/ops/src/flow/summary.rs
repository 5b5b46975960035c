//! The text that Assert and Print show of a tensor, and of each element.

use ferroflow_tensor::{Complex32, Complex64, DType, Result, Tensor, bf16, dispatch, f16};
use std::fmt::{Display, Write};

/// Returns C's `%.{digits}g`.
fn general(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return if value.is_sign_negative() { "-nan" } else { "nan" }.to_owned();
    }
    let scientific = format!("{value:.*e}", digits - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return value.to_string() };
    let trimmed = |s: &str| match s.contains('.') {
        true => s.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => s.to_owned(),
    };
    let power: i32 = exponent.parse().unwrap_or_default();
    if power < -4 || power >= digits as i32 {
        let sign = if power < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trimmed(mantissa), power.abs());
    }
    trimmed(&format!("{value:.*}", (digits as i32 - 1 - power) as usize))
}

/// Writes a float as TF 1.x does: with the smaller of two numbers of digits that gives the number back.
fn single(value: f32) -> String {
    let short = general(value.into(), 6);
    if short.parse() == Ok(value) || !value.is_finite() { short } else { general(value.into(), 9) }
}

fn double(value: f64) -> String {
    let short = general(value, 15);
    if short.parse() == Ok(value) || !value.is_finite() { short } else { general(value, 17) }
}

/// The text of the element at a flat position.
pub(crate) type ElementText<'a> = Box<dyn Fn(usize) -> String + 'a>;

/// Returns the function that makes the text of each element.
pub(crate) fn element_texts(t: &Tensor) -> Result<ElementText<'_>> {
    fn shown<'a, T: Copy>(values: &'a [T], text: impl Fn(T) -> String + 'a) -> ElementText<'a> {
        Box::new(move |i| text(values[i]))
    }
    fn displayed<T: Display + Copy>(values: &[T]) -> ElementText<'_> {
        shown(values, |v| v.to_string())
    }
    Ok(match t.dtype() {
        DType::String => {
            let strings = t.strings()?;
            Box::new(|i| String::from_utf8_lossy(&strings[i]).into_owned())
        }
        DType::Bool => shown(t.slice::<bool>()?, |b| u8::from(b).to_string()),
        DType::F32 => shown(t.slice::<f32>()?, single),
        DType::F64 => shown(t.slice::<f64>()?, double),
        DType::F16 => shown(t.slice::<f16>()?, |v| single(v.to_f32())),
        DType::BF16 => shown(t.slice::<bf16>()?, |v| single(v.to_f32())),
        DType::Complex64 => shown(t.slice::<Complex32>()?, |z| format!("({},{})", single(z.re), single(z.im))),
        DType::Complex128 => shown(t.slice::<Complex64>()?, |z| format!("({},{})", double(z.re), double(z.im))),
        dtype if dtype != dtype.without_quantization() => {
            let integers = t.clone().bitcast_same_size(dtype.without_quantization())?;
            let texts = (0..t.elements()).map(element_texts(&integers)?).collect::<Vec<_>>();
            Box::new(move |i| texts[i].clone())
        }
        dtype => {
            dispatch!(dtype, T in int, displayed(t.slice::<T>()?), else Box::new(move |_| format!("<{}>", dtype.name())))
        }
    })
}

/// Returns the text of each of the first elements.
fn texts(t: &Tensor, most: usize) -> Result<Vec<String>> {
    let text = element_texts(t)?;
    Ok((0..t.elements().min(most)).map(text).collect())
}

/// Returns up to `most` elements in order, rows in brackets of their own from the second dimension on.
pub(super) fn summary(t: &Tensor, most: usize) -> Result<String> {
    let texts = texts(t, most)?;
    let sizes: Vec<usize> = t.shape().iter().skip(1).copied().collect();
    let mut out = String::new();
    // Elements of a row of each inner dimension: a row begins at multiples of it.
    let rows: Vec<usize> = (0..sizes.len()).map(|i| sizes.get(i..).unwrap_or_default().iter().product()).collect();
    for (i, text) in texts.iter().enumerate() {
        let opening = rows.iter().filter(|&&n| n > 0 && i % n == 0).count();
        let separator = if i > 0 && opening == 0 { " " } else { "" };
        let _ = write!(out, "{separator}{}{text}", "[".repeat(opening));
        let is_last = i + 1 == texts.len();
        if is_last && rows.last().is_some_and(|&n| (i + 1) % n.max(1) != 0) {
            out.push_str("...");
        }
        let closing = rows.iter().filter(|&&n| n > 0 && ((i + 1) % n == 0 || is_last)).count();
        out.push_str(&"]".repeat(closing));
    }
    if t.elements() > texts.len() {
        out.push_str("...");
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_give_them_back() {
        let one = |v: f32| single(v);
        assert_eq!(
            [one(0.1), one(1.0 / 3.0), one(1e-10), one(2.5e8), one(100_000.0), one(-0.0), one(f32::INFINITY)],
            ["0.1", "0.333333343", "1e-10", "2.5e+08", "100000", "-0", "inf"]
        );
        assert_eq!([double(0.1), double(1.0 / 3.0), double(1e300)], ["0.1", "0.33333333333333331", "1e+300"]);
        assert_eq!(single(f32::NAN.copysign(1.0)), "nan");
        let z = Tensor::scalar(Complex32::new(1.5, -2.0));
        assert_eq!(summary(&z, 3).unwrap(), "(1.5,-2)");
        let steps = Tensor::from_slice([2], &[-3i8, 4]).unwrap().bitcast_same_size(DType::QI8).unwrap();
        assert_eq!(summary(&steps, 3).unwrap(), "-3 4");
    }
}
