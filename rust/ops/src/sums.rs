//! Sums of elements one by one, in which integers wrap, as TensorFlow's do: this crate checks `+`, which would fail.

use ferroflow_tensor::{Complex32, Complex64, Scalar, bf16, f16};

pub(crate) trait Summed: Scalar {
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
}

macro_rules! summed {
    (exact: $($exact:ty)*; wrapping: $($int:ty)*) => {
        $(impl Summed for $exact {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }
        })*
        $(impl Summed for $int {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
        })*
    };
}
summed!(exact: f32 f64 f16 bf16 Complex32 Complex64; wrapping: i8 i16 i32 i64 u8 u16 u32 u64);
