//! StringToNumber: the numbers that strings spell.

use super::each::to_values;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{Result, Scalar, dispatch, ensure};
use std::str::FromStr;

/// What C calls space.
pub(super) fn is_space(c: u8) -> bool {
    matches!(c, b' ' | b'\t'..=b'\r')
}

pub(super) fn trimmed(text: &[u8]) -> &[u8] {
    let Some(first) = text.iter().position(|&c| !is_space(c)) else { return &[] };
    let last = text.iter().rposition(|&c| !is_space(c)).unwrap_or(first);
    &text[first..=last]
}

/// The number that `text` spells, spaces around it allowed.
pub(crate) fn parse<T: FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(trimmed(text)).ok()?.parse().ok()
}

fn numbers<T: Scalar + FromStr>(ctx: &mut KernelContext<'_>) -> Result<()> {
    to_values::<T>(ctx, |text| {
        let number = parse(text);
        ensure!(
            number.is_some(),
            InvalidArgument,
            "StringToNumberOp could not correctly convert string: {}",
            String::from_utf8_lossy(text)
        );
        Ok(number.unwrap_or_default())
    })
}

fn to_number(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.output_type(0)?, T in [F32, F64, I32, I64], kernel(numbers::<T>), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("StringToNumber")
            .input("string_tensor: string")
            .output("output: out_type")
            .attr("out_type: {float, double, int32, int64} = DT_FLOAT")
            .doc("The number that each string spells, in decimal; spaces around it are allowed.")
            .shape(shape_rules::unchanged)
            .kernel(to_number),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_signs_and_special_values() {
        assert_eq!(parse::<f32>(b" \t-1.5e3\n"), Some(-1500.0));
        assert_eq!(parse::<f32>(b"1e400"), Some(f32::INFINITY));
        assert!(parse::<f64>(b"NaN").unwrap().is_nan());
        assert_eq!((parse::<i32>(b"+7"), parse::<i32>(b"2147483648")), (Some(7), None));
        for bad in [&b""[..], b"  ", b"1 2", b"0x10", b"1_000", b"\xff"] {
            assert!(parse::<f32>(bad).is_none() && parse::<i64>(bad).is_none());
        }
    }
}
