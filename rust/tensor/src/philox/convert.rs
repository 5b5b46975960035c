//! Values from random bits: unit-interval floats, bounded integers, normals by Box-Muller.

use super::box_muller;
use half::{bf16, f16};

/// Returns a float32 in [0, 1) from the low 23 bits.
#[inline(always)]
pub fn unit_f32(bits: u32) -> f32 {
    f32::from_bits(0x3F80_0000 | bits & 0x7F_FFFF) - 1.0
}

/// Returns a float64 in [0, 1) from the low 20 bits of `high` and all of `low`.
#[inline(always)]
pub fn unit_f64(high: u32, low: u32) -> f64 {
    f64::from_bits(1023 << 52 | u64::from(high & 0xF_FFFF) << 32 | u64::from(low)) - 1.0
}

/// Returns a float16 in [0, 1) from the low 10 bits.
#[inline(always)]
pub fn unit_f16(bits: u32) -> f16 {
    f16::from_f32((bits & 0x3FF) as f32 / 1024.0)
}

/// Returns a bfloat16 in [0, 1) from the low 7 bits.
#[inline(always)]
pub fn unit_bf16(bits: u32) -> bf16 {
    bf16::from_f32((bits & 0x7F) as f32 / 128.0)
}

/// Returns two float32 standard normals from two words: the sine first.
#[inline]
pub fn normals_f32(x0: u32, x1: u32) -> [f32; 2] {
    // The logarithm needs a float above 0.
    let radius_bits = unit_f32(x0).max(1.0e-7);
    // The angle is multiplied in double and rounded once.
    let angle = (2.0 * std::f64::consts::PI * f64::from(unit_f32(x1))) as f32;
    let radius = (-2.0 * box_muller::log(radius_bits)).sqrt();
    let (sine, cosine) = box_muller::sin_cos(angle);
    [sine * radius, cosine * radius]
}

/// Returns two float64 standard normals from four words: the sine first.
#[inline]
pub fn normals_f64(words: [u32; 4]) -> [f64; 2] {
    let radius_bits = unit_f64(words[0], words[1]).max(1.0e-7);
    let angle = 2.0 * std::f64::consts::PI * unit_f64(words[2], words[3]);
    let radius = (-2.0 * radius_bits.ln()).sqrt();
    [angle.sin() * radius, angle.cos() * radius]
}

/// A number that a distribution computed in float64 takes as its parameter or gives as its result.
pub trait Sample: Copy + Send + Sync {
    /// The largest finite value, as a double.
    const HIGHEST: f64;
    /// Infinity; 0 where there is none, as C++ has it.
    const INFINITY: Self;

    /// Returns the double of the same value, or the nearest one to an integer above 2^53.
    fn to_f64(self) -> f64;

    /// Returns the nearest value of this type; integers truncate and saturate.
    fn from_f64(value: f64) -> Self;
}

macro_rules! sample_by_cast {
    ($($number:ty, $infinity:expr);*) => {$(
        impl Sample for $number {
            const HIGHEST: f64 = <$number>::MAX as f64;
            const INFINITY: Self = $infinity;

            #[inline]
            fn to_f64(self) -> f64 {
                self as f64
            }

            #[inline]
            fn from_f64(value: f64) -> Self {
                value as $number
            }
        }
    )*};
}

sample_by_cast!(f32, f32::INFINITY; f64, f64::INFINITY; i32, 0; i64, 0);

macro_rules! sample_by_f32 {
    ($($number:ty, $highest:literal);*) => {$(
        impl Sample for $number {
            const HIGHEST: f64 = $highest;
            const INFINITY: Self = <$number>::INFINITY;

            #[inline]
            fn to_f64(self) -> f64 {
                <$number>::to_f64(self)
            }

            // TF 1.x: doubles become half types by way of float32, two roundings.
            #[inline]
            fn from_f64(value: f64) -> Self {
                <$number>::from_f32(value as f32)
            }
        }
    )*};
}

sample_by_f32!(f16, 65504.0; bf16, 3.3895313892515355e38);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_floats_span_the_interval_and_never_reach_one() {
        assert_eq!((unit_f32(0), unit_f32(u32::MAX)), (0.0, 1.0 - f32::EPSILON));
        assert_eq!((unit_f64(0, 0), unit_f64(u32::MAX, u32::MAX)), (0.0, 1.0 - f64::EPSILON));
        assert_eq!((unit_f16(0), unit_f16(u32::MAX)), (f16::ZERO, f16::from_f32(1.0 - 1.0 / 1024.0)));
        assert_eq!((unit_bf16(0), unit_bf16(u32::MAX)), (bf16::ZERO, bf16::from_f32(1.0 - 1.0 / 128.0)));
    }

    #[test]
    fn half_units_equal_the_difference_of_patterns() {
        for bits in 0..1024 {
            let by_pattern = f16::from_bits(0x3C00 | bits as u16) - f16::ONE;
            assert_eq!(unit_f16(bits).to_bits(), by_pattern.to_bits());
        }
        for bits in 0..128 {
            let by_pattern = bf16::from_bits(0x3F80 | bits as u16) - bf16::ONE;
            assert_eq!(unit_bf16(bits).to_bits(), by_pattern.to_bits());
        }
    }

    #[test]
    fn normals_of_zero_bits_are_finite() {
        assert!(normals_f32(0, 0).iter().all(|value| value.is_finite()));
        assert!(normals_f64([0; 4]).iter().all(|value| value.is_finite()));
    }

    #[test]
    fn highest_is_the_types_largest_finite_value() {
        assert_eq!(<f16 as Sample>::HIGHEST, f16::MAX.to_f64());
        assert_eq!(<bf16 as Sample>::HIGHEST, bf16::MAX.to_f64());
    }
}
