//! StringToNumber: the numbers that strings spell.

use super::each::to_values;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{NumberText, Result, Scalar, dispatch, ensure, parse_number};

/// Returns true for C's space characters.
pub(super) fn is_space(c: u8) -> bool {
    matches!(c, b' ' | b'\t'..=b'\r')
}

pub(super) fn trimmed(text: &[u8]) -> &[u8] {
    let Some(first) = text.iter().position(|&c| !is_space(c)) else { return &[] };
    let last = text.iter().rposition(|&c| !is_space(c)).unwrap_or(first);
    &text[first..=last]
}

fn numbers<T: Scalar + NumberText>(ctx: &mut KernelContext<'_>) -> Result<()> {
    to_values::<T>(ctx, |text| {
        let number = parse_number(text);
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
            .doc(
                "Returns the number that each string spells, in decimal, or a float as a hexadecimal integer; spaces \
                 may surround it.",
            )
            .shape(shape_rules::unchanged)
            .kernel(to_number),
    );
}
