//! Matrix products of slices: `c = finish(c? + a * b)`.
//!
//! | elements | kernel |
//! |---|---|
//! | f32, f64 | `tiled`, or `tiny` with the same bits |
//! | complex | those of the parts, four products of floats |
//! | f16, bf16 | f32's, on copies |
//! | integers | `plain` |
//!
//! Work is cut over rows and columns of c, never over the inner dimension, and from shapes alone. The bits of a product
//! are therefore the same at any number of threads. Those of floats are also the same on every CPU. NaN and infinities
//! of either operand reach c as arithmetic has it; no factor is skipped for being zero.

mod complex;
mod copied_patches;
mod epilogue;
mod matrix;
mod packed;
mod patches;
mod plain;
mod scratch;
pub(crate) mod tiled;
mod tiny;

use std::ops::{Add, Mul};

pub use complex::{matmul_c32, matmul_c64};
pub use epilogue::{Activation, Epilogue};
pub use matrix::MatRef;
pub use packed::{Packed, PackedFloat, gains_by_packing};
pub use patches::{PatchAxis, Patches, Spread, reads_in_place};
pub use plain::{HalfFloat, matmul_half, matmul_wrapping};

use crate::ensure;
use crate::status::Result;
use crate::threads::Threads;
use crate::vector::Isa;
use matrix::{check, check_sizes};

/// Steps of the inner dimension whose sum starts at zero. Sums of further steps are added to it in order.
pub(crate) const INNER: usize = tiled::INNER;

/// Returns true if `accumulate` gives the bits of a product of at least two columns added to c. This holds if the inner
/// dimension is not cut, because its sum is then added once.
pub fn accumulates_once(depth: usize) -> bool {
    depth <= INNER
}

macro_rules! float_product {
    ($(#[$doc:meta])* $name:ident, $on:ident, $float:ty, $multiply:ident) => {
        $(#[$doc])*
        ///
        /// Computes `c = activation(c + a * b + bias)`, row by row in `c`. The `c` on the right counts only with
        /// `accumulate`, bias and activation only with an epilogue. The bits are those of the product followed by these
        /// operations.
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
            $on(Isa::current(), threads, a, b, c, accumulate, epilogue)
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
            if b.cols() == 1 {
                // A column is computed as a row, so that the registers lie along the long side; a row-major matrix has them along
                // its rows instead.
                let (left, right) = if a.col_stride() == 1 { (a, b) } else { (b.transposed(), a.transposed()) };
                if tiny::is_short_column(&left, &right) {
                    tiny::multiply_column(isa, threads, left, right, c, accumulate)?;
                } else {
                    // SAFETY: the sizes were checked above.
                    unsafe { tiled::$multiply(isa, threads, product(left, matrix(right), right.cols(), c, accumulate, None))? };
                }
                if let Some(epilogue) = epilogue {
                    epilogue.apply(c, 1);
                }
                return Ok(());
            }
            if tiny::is_tiny(&b) {
                tiny::multiply(isa, threads, a, b, c, accumulate)?;
                if let Some(epilogue) = epilogue {
                    epilogue.apply(c, b.cols());
                }
                return Ok(());
            }
            // SAFETY: as above.
            unsafe { tiled::$multiply(isa, threads, product(a, matrix(b), b.cols(), c, accumulate, epilogue)) }
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

fn operand<T>(m: MatRef<'_, T>) -> tiled::Operand<T> {
    tiled::Operand { data: m.as_ptr(), row: m.row_stride(), col: m.col_stride() }
}

fn matrix<T>(m: MatRef<'_, T>) -> tiled::Columns<T> {
    tiled::Columns::InPlace(operand(m))
}

fn product<'a, T>(
    a: MatRef<'_, T>,
    b: tiled::Columns<T>,
    cols: usize,
    c: &mut [T],
    accumulate: bool,
    epilogue: Option<&Epilogue<'a, T>>,
) -> tiled::Product<'a, T> {
    tiled::Product {
        rows: a.rows(),
        cols,
        depth: a.cols(),
        a: tiled::Source::Matrix(operand(a)),
        b,
        c: c.as_mut_ptr(),
        spread: None,
        accumulate,
        bias: epilogue.and_then(|epilogue| epilogue.bias),
        relu: epilogue.is_some_and(|epilogue| epilogue.activation == Activation::Relu),
    }
}

/// A float of which there are products with matrices of windows.
pub trait PatchFloat: Copy + Default + Add<Output = Self> + Mul<Output = Self> + Send + Sync + Sized + 'static {
    /// Computes `c = activation(patches * b + bias)`, row by row.
    ///
    /// # Errors
    /// As for the product of matrices.
    fn patches_by_matrix(
        threads: Threads,
        patches: &Patches<'_, Self>,
        b: MatRef<'_, Self>,
        c: &mut [Self],
        epilogue: Option<&Epilogue<'_, Self>>,
    ) -> Result<()>;

    /// Computes `patches * b` in the rows of c that `spread` gives; the rest of c stays.
    ///
    /// # Errors
    /// As for the product of matrices.
    fn patches_by_matrix_spread(
        threads: Threads,
        patches: &Patches<'_, Self>,
        b: MatRef<'_, Self>,
        c: &mut [Self],
        spread: &Spread,
    ) -> Result<()>;

    /// Computes `c = transpose(patches[first..first + b.rows()]) * b`.
    ///
    /// # Errors
    /// As for the product of matrices.
    fn transposed_patches_by_matrix(
        threads: Threads,
        patches: &Patches<'_, Self>,
        first: usize,
        b: MatRef<'_, Self>,
        c: &mut [Self],
    ) -> Result<()>;

    /// Computes the product of matrices, `c = activation(a * b + bias)`.
    ///
    /// # Errors
    /// As for the product of matrices.
    fn matrix_by_matrix(
        threads: Threads,
        a: MatRef<'_, Self>,
        b: MatRef<'_, Self>,
        c: &mut [Self],
        epilogue: Option<&Epilogue<'_, Self>>,
    ) -> Result<()>;
}

macro_rules! patch_products {
    ($float:ty, $matmul:ident, $by_matrix:ident, $transposed_by_matrix:ident, $multiply:ident) => {
        impl PatchFloat for $float {
            fn patches_by_matrix(
                threads: Threads,
                patches: &Patches<'_, $float>,
                b: MatRef<'_, $float>,
                c: &mut [$float],
                epilogue: Option<&Epilogue<'_, $float>>,
            ) -> Result<()> {
                $by_matrix(Isa::current(), threads, patches, b, c, epilogue)
            }

            fn patches_by_matrix_spread(
                threads: Threads,
                patches: &Patches<'_, $float>,
                b: MatRef<'_, $float>,
                c: &mut [$float],
                spread: &Spread,
            ) -> Result<()> {
                ensure!(patches.cols() == b.rows() && b.rows() > 0, InvalidArgument, "windows and matrix do not match");
                spread.check(patches, b.cols(), c.len())?;
                if patches.rows() == 0 || b.cols() == 0 {
                    return Ok(());
                }
                let product = tiled::Product {
                    rows: patches.rows(),
                    cols: b.cols(),
                    depth: patches.cols(),
                    a: tiled::Source::Patches(patches),
                    b: matrix(b),
                    c: c.as_mut_ptr(),
                    spread: Some(spread),
                    accumulate: false,
                    bias: None,
                    relu: false,
                };
                // SAFETY: the sizes were checked above; rows of c lie apart, and in c.
                unsafe { tiled::$multiply(Isa::current(), threads, product) }
            }

            fn transposed_patches_by_matrix(
                threads: Threads,
                patches: &Patches<'_, $float>,
                first: usize,
                b: MatRef<'_, $float>,
                c: &mut [$float],
            ) -> Result<()> {
                $transposed_by_matrix(Isa::current(), threads, patches, first, b, c)
            }

            fn matrix_by_matrix(
                threads: Threads,
                a: MatRef<'_, $float>,
                b: MatRef<'_, $float>,
                c: &mut [$float],
                epilogue: Option<&Epilogue<'_, $float>>,
            ) -> Result<()> {
                $matmul(threads, a, b, c, false, epilogue)
            }
        }

        fn $by_matrix(
            isa: Isa,
            threads: Threads,
            patches: &Patches<'_, $float>,
            b: MatRef<'_, $float>,
            c: &mut [$float],
            epilogue: Option<&Epilogue<'_, $float>>,
        ) -> Result<()> {
            check_sizes([patches.rows(), patches.cols()], [b.rows(), b.cols()], c.len())?;
            if let Some(epilogue) = epilogue {
                epilogue.check(b.cols())?;
            }
            if c.is_empty() {
                return Ok(());
            }
            if patches.cols() == 0 {
                c.fill(0.0);
                if let Some(epilogue) = epilogue {
                    epilogue.apply(c, b.cols());
                }
                return Ok(());
            }
            let product = tiled::Product {
                rows: patches.rows(),
                cols: b.cols(),
                depth: patches.cols(),
                a: tiled::Source::Patches(patches),
                b: matrix(b),
                c: c.as_mut_ptr(),
                spread: None,
                accumulate: false,
                bias: epilogue.and_then(|epilogue| epilogue.bias),
                relu: epilogue.is_some_and(|epilogue| epilogue.activation == Activation::Relu),
            };
            // SAFETY: the sizes were checked above.
            unsafe { tiled::$multiply(isa, threads, product) }
        }

        fn $transposed_by_matrix(
            isa: Isa,
            threads: Threads,
            patches: &Patches<'_, $float>,
            first: usize,
            b: MatRef<'_, $float>,
            c: &mut [$float],
        ) -> Result<()> {
            let windows = patches.rows().checked_sub(first).map_or(0, |windows| windows.min(b.rows()));
            check_sizes([patches.cols(), windows], [b.rows(), b.cols()], c.len())?;
            if c.is_empty() {
                return Ok(());
            }
            if windows == 0 {
                c.fill(0.0);
                return Ok(());
            }
            if tiny::is_tiny_transposed(patches, b.cols()) {
                tiny::multiply_transposed(isa, patches, first, b, c);
                return Ok(());
            }
            let product = tiled::Product {
                rows: patches.cols(),
                cols: b.cols(),
                depth: windows,
                a: tiled::Source::PatchesTransposed(patches, first),
                b: matrix(b),
                c: c.as_mut_ptr(),
                spread: None,
                accumulate: false,
                bias: None,
                relu: false,
            };
            // SAFETY: the sizes were checked above.
            unsafe { tiled::$multiply(isa, threads, product) }
        }
    };
}

patch_products!(f32, matmul_f32, patches_by_matrix_f32_on, transposed_patches_by_matrix_f32_on, multiply_f32);
patch_products!(f64, matmul_f64, patches_by_matrix_f64_on, transposed_patches_by_matrix_f64_on, multiply_f64);

/// Computes `c = patches * b` for integers; overflow wraps around.
///
/// # Errors
/// `InvalidArgument` when the sizes do not agree; `ResourceExhausted` when there is no memory for a part of the windows.
pub fn patches_by_matrix_wrapping<T>(
    threads: Threads,
    patches: &Patches<'_, T>,
    b: MatRef<'_, T>,
    c: &mut [T],
) -> Result<()>
where
    T: Copy + Default + num_traits::Zero + num_traits::WrappingAdd + num_traits::WrappingMul + Send + Sync + 'static,
{
    check_sizes([patches.rows(), patches.cols()], [b.rows(), b.cols()], c.len())?;
    copied_patches::in_blocks(threads, patches, b.cols(), c, |a, c| matmul_wrapping(Threads::single(), a, b, c, false))
}

#[cfg(test)]
mod tests;
