//! Bounds moved a little, so that zero is a step.

use ferroflow_graph::KernelInit;
use ferroflow_tensor::{Result, ensure};

/// The steps that imitated quantization has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits {
    lowest: f32,
    highest: f32,
}

impl Bits {
    pub(super) fn of(init: &KernelInit<'_>) -> Result<Bits> {
        let bits = init.int("num_bits")?;
        ensure!((2..=16).contains(&bits), InvalidArgument, "num_bits must be between 2 and 16, inclusive, was: {bits}");
        let lowest = if init.bool("narrow_range")? { 1.0 } else { 0.0 };
        Ok(Bits { lowest, highest: ((1 << bits) - 1) as f32 })
    }
}

/// Moved bounds, and the distance of two steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nudged {
    pub min: f32,
    pub max: f32,
    pub scale: f32,
}

impl Nudged {
    /// Returns the nudged bounds; `None` if both bounds are zero, because every result then is.
    pub(super) fn new(bits: Bits, min: f32, max: f32) -> Option<Nudged> {
        if min == 0.0 && max == 0.0 {
            return None;
        }
        let Bits { lowest, highest } = bits;
        let scale = (max - min) / (highest - lowest);
        let zero = (lowest - min / scale).round().clamp(lowest, highest);
        Some(Nudged { min: (lowest - zero) * scale, max: (highest - zero) * scale, scale })
    }

    /// Returns the nearest step, found by dividing; NaN of NaN.
    pub(super) fn at(&self, x: f32) -> f32 {
        self.step(self.above(x) / self.scale)
    }

    /// Returns the nearest step, found by multiplying: where an element lies half-way, the rounding decides.
    pub(super) fn at_by_product(&self, x: f32) -> f32 {
        self.step(self.above(x) * (1.0 / self.scale))
    }

    fn above(&self, x: f32) -> f32 {
        let below = if self.max < x { self.max } else { x };
        (if below < self.min { self.min } else { below }) - self.min
    }

    fn step(&self, number: f32) -> f32 {
        (number + 0.5).floor() * self.scale + self.min
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_a_step() {
        let bits = Bits { lowest: 0.0, highest: 255.0 };
        for (min, max) in [(-0.1, 63.65), (-10.3, 0.7), (0.5, 64.0), (-127.0, -0.5)] {
            let nudged = Nudged::new(bits, min, max).unwrap();
            assert_eq!(nudged.at(0.0).abs(), 0.0, "{min} {max}");
        }
        assert!(Nudged::new(bits, 0.0, 0.0).is_none());
    }
}
