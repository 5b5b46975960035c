//! Products of complex matrices, made of four products of their real and imaginary parts.
//!
//! `re = a.re * b.re - a.im * b.im`, `im = a.re * b.im + a.im * b.re`: each product of parts has the bits that every CPU gives.

use num_complex::Complex;

use super::matrix::{MatRef, check};
use super::scratch::{Float, Scratch};
use super::{matmul_f32, matmul_f64};
use crate::status::Result;
use crate::threads::{Threads, try_for_chunks_mut};

/// Elements of c that are worth a task of their own when its parts are joined.
const TASK_ELEMENTS: usize = 1 << 15;

/// Returns the real and the imaginary part of a matrix, as views of its elements.
fn parts<'a, T: Float>(m: MatRef<'a, Complex<T>>) -> Result<[MatRef<'a, T>; 2]> {
    let complex = m.data();
    // SAFETY: `Complex` is `repr(C)`: two floats, the real part first.
    let floats: &'a [T] = unsafe { std::slice::from_raw_parts(complex.as_ptr().cast(), 2 * complex.len()) };
    let part = |first: usize| {
        let floats = floats.get(first..).unwrap_or_default();
        MatRef::new(floats, m.rows(), m.cols(), 2 * m.row_stride(), 2 * m.col_stride())
    };
    Ok([part(0)?, part(1)?])
}

macro_rules! complex_product {
    ($(#[$doc:meta])* $name:ident, $float:ty, $matmul:ident) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// Returns `InvalidArgument` when the sizes do not agree; `ResourceExhausted` when there is no memory for the parts.
        pub fn $name(
            threads: Threads,
            a: MatRef<'_, Complex<$float>>,
            b: MatRef<'_, Complex<$float>>,
            c: &mut [Complex<$float>],
            accumulate: bool,
        ) -> Result<()> {
            check(&a, &b, c.len())?;
            let (rows, cols) = (a.rows(), b.cols());
            let ([a_re, a_im], [b_re, b_im]) = (parts(a)?, parts(b)?);
            let [mut re, mut im, mut minus] =
                [Scratch::<$float>::new(rows, cols)?, Scratch::new(rows, cols)?, Scratch::new(rows, cols)?];
            $matmul(threads, a_re, b_re, re.values_mut(), false, None)?;
            $matmul(threads, a_im, b_im, minus.values_mut(), false, None)?;
            $matmul(threads, a_re, b_im, im.values_mut(), false, None)?;
            $matmul(threads, a_im, b_re, im.values_mut(), true, None)?;
            let (re, im, minus) = (re.values(), im.values(), minus.values());
            try_for_chunks_mut(threads, c, TASK_ELEMENTS, |start, chunk| {
                for (offset, value) in chunk.iter_mut().enumerate() {
                    let at = start + offset;
                    let product = Complex::new(re[at] - minus[at], im[at]);
                    *value = if accumulate { *value + product } else { product };
                }
            })?;
            Ok(())
        }
    };
}

complex_product!(
    /// The product of complex64 matrices: `c = a * b`, or `c + a * b` with `accumulate`.
    matmul_c32,
    f32,
    matmul_f32
);
complex_product!(
    /// The product of complex128 matrices: `c = a * b`, or `c + a * b` with `accumulate`.
    matmul_c64,
    f64,
    matmul_f64
);
