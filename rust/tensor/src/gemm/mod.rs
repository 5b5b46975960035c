//! Matrix products of slices: `c = finish(c? + a * b)`.
//!
//! | elements | kernel |
//! |---|---|
//! | f32, f64 | `avx512` where the CPU has it, else `portable` |
//! | complex | `portable` (the `gemm` crate) |
//! | f16, bf16 | f32's, on copies |
//! | integers | `plain` |
//!
//! Work is cut over rows and columns of c, never over the inner dimension, and from shapes alone: the bits of a product are the same
//! at any number of threads. NaN and infinities of either operand reach c as arithmetic has it; no factor is skipped for being zero.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod epilogue;
mod matrix;
mod plain;
mod portable;

use num_complex::Complex;

pub use epilogue::{Activation, Epilogue};
pub use matrix::MatRef;
pub use plain::{HalfFloat, matmul_half, matmul_wrapping};

use crate::status::Result;
use crate::threads::Threads;
use matrix::check;

/// The instruction sets that have a kernel of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Isa {
    Avx512,
    Portable,
}

/// The best one this CPU has; asked of the CPU once.
fn isa() -> Isa {
    static ISA: std::sync::OnceLock<Isa> = std::sync::OnceLock::new();
    *ISA.get_or_init(|| {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx512f") {
            return Isa::Avx512;
        }
        Isa::Portable
    })
}

macro_rules! float_product {
    ($(#[$doc:meta])* $name:ident, $on:ident, $float:ty, $avx512:ident) => {
        $(#[$doc])*
        ///
        /// `c = activation(c + a * b + bias)`, row by row in `c`; the `c` on the right counts only with `accumulate`, bias
        /// and activation only with an epilogue, which gives the very bits of the product followed by them.
        ///
        /// # Errors
        /// `InvalidArgument` when the sizes do not agree; `ResourceExhausted` when there is no memory for packed operands.
        pub fn $name(
            threads: Threads,
            a: MatRef<'_, $float>,
            b: MatRef<'_, $float>,
            c: &mut [$float],
            accumulate: bool,
            epilogue: Option<&Epilogue<'_, $float>>,
        ) -> Result<()> {
            $on(isa(), threads, a, b, c, accumulate, epilogue)
        }

        fn $on(
            isa: Isa,
            threads: Threads,
            a: MatRef<'_, $float>,
            b: MatRef<'_, $float>,
            c: &mut [$float],
            accumulate: bool,
            epilogue: Option<&Epilogue<'_, $float>>,
        ) -> Result<()> {
            check(&a, &b, c.len())?;
            if let Some(epilogue) = epilogue {
                epilogue.check(b.cols())?;
            }
            if c.is_empty() {
                return Ok(());
            }
            if a.cols() == 0 {
                if !accumulate {
                    c.fill(0.0);
                }
                if let Some(epilogue) = epilogue {
                    epilogue.apply(c, b.cols());
                }
                return Ok(());
            }
            match isa {
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => {
                    if b.cols() == 1 {
                        // A column is computed as a row, so that the registers lie along the long side; a row-major matrix
                        // has them along its rows instead.
                        let (left, right) =
                            if a.col_stride() == 1 { (a, b) } else { (b.transposed(), a.transposed()) };
                        // SAFETY: the CPU was found to have AVX-512F, and the sizes were checked above.
                        unsafe { avx512::$avx512(threads, product(left, right, c, accumulate, None))? };
                        if let Some(epilogue) = epilogue {
                            epilogue.apply(c, 1);
                        }
                        return Ok(());
                    }
                    // SAFETY: as above.
                    unsafe { avx512::$avx512(threads, product(a, b, c, accumulate, epilogue)) }
                }
                _ => {
                    portable::multiply_then(threads, a, b, c, accumulate, epilogue);
                    Ok(())
                }
            }
        }
    };
}

float_product!(
    /// The product of f32 matrices.
    matmul_f32,
    matmul_f32_on,
    f32,
    multiply_f32
);
float_product!(
    /// The product of f64 matrices.
    matmul_f64,
    matmul_f64_on,
    f64,
    multiply_f64
);

#[cfg(target_arch = "x86_64")]
fn product<'a, T>(
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    c: &mut [T],
    accumulate: bool,
    epilogue: Option<&Epilogue<'a, T>>,
) -> avx512::Product<'a, T> {
    let operand = |m: MatRef<'_, T>| avx512::Operand { data: m.as_ptr(), row: m.row_stride(), col: m.col_stride() };
    avx512::Product {
        rows: a.rows(),
        cols: b.cols(),
        depth: a.cols(),
        a: operand(a),
        b: operand(b),
        c: c.as_mut_ptr(),
        accumulate,
        bias: epilogue.and_then(|epilogue| epilogue.bias),
        relu: epilogue.is_some_and(|epilogue| epilogue.activation == Activation::Relu),
    }
}

macro_rules! complex_product {
    ($name:ident, $float:ty) => {
        /// The product of complex matrices: `c = a * b`, or `c + a * b` with `accumulate`.
        ///
        /// # Errors
        /// `InvalidArgument` when the sizes do not agree.
        pub fn $name(
            threads: Threads,
            a: MatRef<'_, Complex<$float>>,
            b: MatRef<'_, Complex<$float>>,
            c: &mut [Complex<$float>],
            accumulate: bool,
        ) -> Result<()> {
            check(&a, &b, c.len())?;
            if a.cols() == 0 && !accumulate {
                c.fill(Complex::new(0.0, 0.0));
            }
            if !c.is_empty() && a.cols() > 0 {
                portable::multiply(threads, a, b, c, accumulate);
            }
            Ok(())
        }
    };
}

complex_product!(matmul_c32, f32);
complex_product!(matmul_c64, f64);

#[cfg(test)]
mod tests;
