//! The element types and, for each, where its loops come from.

use super::binary::{self, Binary};
use super::half_types::{narrow, widen};
use super::isa::Isa;
use super::pair_loops::{BinaryKernel, Operand};
use super::unary::{self, Unary, UnaryKernel};
use half::{bf16, f16};
use num_complex::Complex;

/// A numeric type that elementwise functions apply to.
///
/// The methods are the work of `unary` and `binary`, which see to lengths first. Each returns whether the function
/// exists for the type, and does nothing where it does not.
pub trait Element: Copy + Default + PartialEq + Send + Sync + 'static {
    #[doc(hidden)]
    fn supports_unary(f: Unary) -> bool;
    #[doc(hidden)]
    fn supports_binary(f: Binary) -> bool;
    #[doc(hidden)]
    fn unary_into(f: Unary, isa: Isa, x: &[Self], out: &mut [Self]) -> bool;
    #[doc(hidden)]
    fn unary_in_place(f: Unary, isa: Isa, x: &mut [Self]) -> bool;
    #[doc(hidden)]
    fn binary_into(f: Binary, isa: Isa, a: Operand<Self>, b: Operand<Self>, out: &mut [Self]) -> bool;
    #[doc(hidden)]
    fn binary_left(f: Binary, isa: Isa, a: &mut [Self], b: Operand<Self>) -> bool;
    #[doc(hidden)]
    fn binary_right(f: Binary, isa: Isa, a: Operand<Self>, b: &mut [Self]) -> bool;
    /// Returns the function of one element; `None` for types that are computed in another one.
    #[doc(hidden)]
    fn unary_one(_f: Unary, _isa: Isa) -> Option<unsafe fn(Self) -> Self> {
        None
    }
    /// Returns the function of one pair; `None` for types that are computed in another one.
    #[doc(hidden)]
    fn binary_one(_f: Binary, _isa: Isa) -> Option<unsafe fn(Self, Self) -> Self> {
        None
    }
}

macro_rules! native_elements {
    ($($t:ty: $kernel:ident;)*) => {$(
        impl Element for $t {
            fn supports_unary(f: Unary) -> bool {
                unary::$kernel(f, Isa::BASELINE).is_some()
            }

            fn supports_binary(f: Binary) -> bool {
                binary::$kernel(f, Isa::BASELINE).is_some()
            }

            fn unary_into(f: Unary, isa: Isa, x: &[Self], out: &mut [Self]) -> bool {
                unary::$kernel(f, isa).map(|kernel| kernel.run(x, out)).is_some()
            }

            fn unary_in_place(f: Unary, isa: Isa, x: &mut [Self]) -> bool {
                unary::$kernel(f, isa).map(|kernel| kernel.run_in_place(x)).is_some()
            }

            fn binary_into(f: Binary, isa: Isa, a: Operand<Self>, b: Operand<Self>, out: &mut [Self]) -> bool {
                binary::$kernel(f, isa).map(|kernel| kernel.run_into(a, b, out)).is_some()
            }

            fn binary_left(f: Binary, isa: Isa, a: &mut [Self], b: Operand<Self>) -> bool {
                binary::$kernel(f, isa).map(|kernel| kernel.run_left(a, b)).is_some()
            }

            fn binary_right(f: Binary, isa: Isa, a: Operand<Self>, b: &mut [Self]) -> bool {
                binary::$kernel(f, isa).map(|kernel| kernel.run_right(a, b)).is_some()
            }

            fn unary_one(f: Unary, isa: Isa) -> Option<unsafe fn(Self) -> Self> {
                unary::$kernel(f, isa).map(|kernel| kernel.one)
            }

            fn binary_one(f: Binary, isa: Isa) -> Option<unsafe fn(Self, Self) -> Self> {
                binary::$kernel(f, isa).map(|kernel| kernel.one)
            }
        }
    )*};
}

native_elements! {
    f32: f32_kernel;
    f64: f64_kernel;
    i8: i8_kernel;
    i16: i16_kernel;
    i32: i32_kernel;
    i64: i64_kernel;
    u8: u8_kernel;
    u16: u16_kernel;
    u32: u32_kernel;
    u64: u64_kernel;
    Complex<f32>: complex64_kernel;
    Complex<f64>: complex128_kernel;
}

/// Elements widened to f32 at a time.
const BLOCK: usize = 256;

fn unary_through_f32<H: super::half_types::Half>(kernel: &UnaryKernel<f32>, isa: Isa, x: &mut [H]) {
    let mut wide = [0.0f32; BLOCK];
    for x in x.chunks_mut(BLOCK) {
        let wide = &mut wide[..x.len()];
        widen(isa, x, wide);
        kernel.run_in_place(wide);
        narrow(isa, wide, x);
    }
}

fn binary_through_f32<H: super::half_types::Half>(
    kernel: &BinaryKernel<f32>,
    isa: Isa,
    a: Operand<H>,
    b: Operand<H>,
    out: &mut [H],
) {
    let mut left = [0.0f32; BLOCK];
    let mut right = [0.0f32; BLOCK];
    for (block, out) in out.chunks_mut(BLOCK).enumerate() {
        let start = block * BLOCK;
        let length = out.len();
        for (operand, wide) in [(a, &mut left), (b, &mut right)] {
            match operand {
                Operand::Slice(s) => widen(isa, &s[start..start + length], &mut wide[..length]),
                Operand::Scalar(v) => wide[..length].fill(v.to_f32()),
            }
        }
        kernel.run_left(&mut left[..length], Operand::Slice(&right[..length]));
        narrow(isa, &left[..length], out);
    }
}

macro_rules! half_elements {
    ($($t:ty),*) => {$(
        impl Element for $t {
            fn supports_unary(f: Unary) -> bool {
                f32::supports_unary(f)
            }

            fn supports_binary(f: Binary) -> bool {
                f32::supports_binary(f)
            }

            fn unary_into(f: Unary, isa: Isa, x: &[Self], out: &mut [Self]) -> bool {
                out.copy_from_slice(x);
                Self::unary_in_place(f, isa, out)
            }

            fn unary_in_place(f: Unary, isa: Isa, x: &mut [Self]) -> bool {
                unary::f32_kernel(f, isa).map(|kernel| unary_through_f32(kernel, isa, x)).is_some()
            }

            fn binary_into(f: Binary, isa: Isa, a: Operand<Self>, b: Operand<Self>, out: &mut [Self]) -> bool {
                binary::f32_kernel(f, isa).map(|kernel| binary_through_f32(kernel, isa, a, b, out)).is_some()
            }

            fn binary_left(f: Binary, isa: Isa, a: &mut [Self], b: Operand<Self>) -> bool {
                let mut copy = [Self::default(); BLOCK];
                let mut start = 0;
                for a in a.chunks_mut(BLOCK) {
                    let copy = &mut copy[..a.len()];
                    copy.copy_from_slice(a);
                    let b = b.part(start, a.len());
                    if !Self::binary_into(f, isa, Operand::Slice(copy), b, a) {
                        return false;
                    }
                    start += a.len();
                }
                true
            }

            fn binary_right(f: Binary, isa: Isa, a: Operand<Self>, b: &mut [Self]) -> bool {
                let mut copy = [Self::default(); BLOCK];
                let mut start = 0;
                for b in b.chunks_mut(BLOCK) {
                    let copy = &mut copy[..b.len()];
                    copy.copy_from_slice(b);
                    let a = a.part(start, b.len());
                    if !Self::binary_into(f, isa, a, Operand::Slice(copy), b) {
                        return false;
                    }
                    start += b.len();
                }
                true
            }
        }
    )*};
}

half_elements!(f16, bf16);
