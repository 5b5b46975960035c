//! The ranges of quantized types, the ways of quantizing, and tensors of the types from plain integers.

use ferroflow_graph::KernelInit;
use ferroflow_tensor::{DType, Result, Tensor, bail};

/// The mapping between floats and steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    MinCombined,
    MinFirst,
    Scaled,
}

impl Mode {
    pub(super) const ATTR: &'static str = "mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'";

    pub(super) fn of(init: &KernelInit<'_>) -> Result<Mode> {
        Ok(match init.str("mode")?.as_str() {
            "MIN_FIRST" => Mode::MinFirst,
            "SCALED" => Mode::Scaled,
            _ => Mode::MinCombined,
        })
    }
}

/// The steps of a quantized type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Steps {
    pub lowest: f64,
    pub highest: f64,
    /// The plain type of the same bits.
    pub plain: DType,
}

impl Steps {
    pub(super) fn of(dtype: DType) -> Result<Steps> {
        let (lowest, highest, plain) = match dtype {
            DType::QI8 => (f64::from(i8::MIN), f64::from(i8::MAX), DType::I8),
            DType::QU8 => (0.0, f64::from(u8::MAX), DType::U8),
            DType::QI16 => (f64::from(i16::MIN), f64::from(i16::MAX), DType::I16),
            DType::QU16 => (0.0, f64::from(u16::MAX), DType::U16),
            DType::QI32 => (f64::from(i32::MIN), f64::from(i32::MAX), DType::I32),
            _ => bail!(InvalidArgument, "{} is not a quantized type", dtype.name()),
        };
        Ok(Steps { lowest, highest, plain })
    }

    pub(super) fn is_signed(self) -> bool {
        self.lowest < 0.0
    }

    /// Returns the addend that makes signed steps begin at zero.
    pub(super) fn half_range(self) -> f32 {
        if self.is_signed() { ((self.highest - self.lowest + 1.0) / 2.0) as f32 } else { 0.0 }
    }

    pub(super) fn count(self) -> f64 {
        self.highest - self.lowest + 1.0
    }
}

/// Returns the first element of a float tensor of any shape. TF 1.x: the bounds of some ops have one.
pub(super) fn first_bound(t: &Tensor, name: &str) -> Result<f32> {
    match t.slice::<f32>()? {
        [first, ..] => Ok(*first),
        [] => bail!(InvalidArgument, "{name} must have an element, got shape {}", t.shape()),
    }
}

/// Returns the only element of a float scalar or of a vector of one.
pub(super) fn bound(t: &Tensor, name: &str) -> Result<f32> {
    match t.slice::<f32>()? {
        [one] => Ok(*one),
        _ => bail!(InvalidArgument, "{name} must be a scalar, got shape {}", t.shape()),
    }
}
