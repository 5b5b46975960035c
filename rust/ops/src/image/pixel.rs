//! `Pixel`: the numbers that images are made of, read as f32; `Sum`: those that gradients of images are summed in.

use ferroflow_tensor::{Scalar, bf16, f16};

pub(super) trait Pixel: Scalar {
    fn to_f32(self) -> f32;
}

macro_rules! cast {
    ($($t:ty),*) => {$(
        impl Pixel for $t {
            #[inline(always)]
            fn to_f32(self) -> f32 {
                self as f32
            }
        }
    )*};
}
cast!(i8, u8, i16, u16, i32, i64, f32, f64);

impl Pixel for f16 {
    #[inline(always)]
    fn to_f32(self) -> f32 {
        f16::to_f32(self)
    }
}

impl Pixel for bf16 {
    #[inline(always)]
    fn to_f32(self) -> f32 {
        bf16::to_f32(self)
    }
}

/// A number with the wider one that many of it are summed in.
pub(super) trait Sum: Scalar {
    type Total: Copy + Default + Send + Sync + std::ops::AddAssign;
    fn widen(self) -> Self::Total;
    /// Returns a product computed in f32, as it enters a sum.
    fn of_product(x: f32) -> Self::Total;
    fn narrow(x: Self::Total) -> Self;
}

macro_rules! sums {
    ($($t:ty: $total:ty, $narrow:expr, $widen:expr;)*) => {$(
        impl Sum for $t {
            type Total = $total;
            #[inline(always)]
            fn widen(self) -> $total {
                $widen(self)
            }
            #[inline(always)]
            fn of_product(x: f32) -> $total {
                x as $total
            }
            #[inline(always)]
            fn narrow(x: $total) -> $t {
                $narrow(x)
            }
        }
    )*};
}
sums! {
    f32: f32, |x| x, |x| x;
    f64: f64, |x| x, |x| x;
    f16: f32, f16::from_f32, f16::to_f32;
    bf16: f32, bf16::from_f32, bf16::to_f32;
    // Sums of integers wrap, as TF's do.
    i8: i64, |x| x as i8, i64::from;
    u8: i64, |x| x as u8, i64::from;
    i32: i64, |x| x as i32, i64::from;
}
