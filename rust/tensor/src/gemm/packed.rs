//! `Packed`, a matrix in the order in which products read it, for products that share it.

use super::epilogue::Epilogue;
use super::matrix::{MatRef, check_sizes};
use super::scratch::{Float, Scratch};
use super::{operand, product, tiled};
use crate::ensure;
use crate::status::Result;
use crate::threads::Threads;
use crate::vector::Isa;

/// Fewest elements of a matrix that is worth a copy, and fewest rows of a product that reads all of it more than once.
const FEWEST_ELEMENTS: usize = 64 * 64;
const FEWEST_ROWS: usize = 5;

/// A copy of a matrix for an instruction set.
pub struct Packed<T> {
    rows: usize,
    cols: usize,
    isa: Isa,
    panels: Scratch<T>,
}

/// A float whose matrices can be packed once for many products.
pub trait PackedFloat: Float + Send + Sized + 'static {
    /// Copies a matrix.
    ///
    /// # Errors
    /// `InvalidArgument` when it has no row, or fewer than two columns: a product with one column is summed in another
    /// order. `ResourceExhausted` when there is no memory for the copy; `Cancelled` when the step ends meanwhile.
    fn packed(threads: Threads, b: MatRef<'_, Self>) -> Result<Packed<Self>> {
        Self::packed_for(Isa::current(), threads, b)
    }

    /// Copies a matrix for an instruction set.
    ///
    /// # Errors
    /// As for [`packed`](Self::packed).
    fn packed_for(isa: Isa, threads: Threads, b: MatRef<'_, Self>) -> Result<Packed<Self>>;

    /// Computes `c = activation(a * b + bias)`, row by row, with the bits of the product with the matrix itself.
    ///
    /// # Errors
    /// As for the product of matrices.
    fn by_packed(
        threads: Threads,
        a: MatRef<'_, Self>,
        b: &Packed<Self>,
        c: &mut [Self],
        epilogue: Option<&Epilogue<'_, Self>>,
    ) -> Result<()>;
}

/// Returns true if products of this many rows with a matrix gain by a copy of it.
pub fn gains_by_packing<T>(rows: usize, b: &MatRef<'_, T>) -> bool {
    rows >= FEWEST_ROWS && b.cols() > 1 && b.rows().saturating_mul(b.cols()) >= FEWEST_ELEMENTS
}

macro_rules! packed_float {
    ($float:ty, $pack:ident, $multiply:ident) => {
        impl PackedFloat for $float {
            fn packed_for(isa: Isa, threads: Threads, b: MatRef<'_, $float>) -> Result<Packed<$float>> {
                ensure!(
                    b.rows() > 0 && b.cols() > 1,
                    InvalidArgument,
                    "a matrix of {} x {} elements is not packed",
                    b.rows(),
                    b.cols()
                );
                let mut panels = Scratch::new(b.rows(), b.cols().next_multiple_of(tiled::WIDEST_PANEL))?;
                // SAFETY: the matrix is valid, and the copy has room for its columns, rounded up to whole panels.
                unsafe { tiled::$pack(isa, threads, operand(b), (b.rows(), b.cols()), panels.values_mut())? };
                Ok(Packed { rows: b.rows(), cols: b.cols(), isa, panels })
            }

            fn by_packed(
                threads: Threads,
                a: MatRef<'_, $float>,
                b: &Packed<$float>,
                c: &mut [$float],
                epilogue: Option<&Epilogue<'_, $float>>,
            ) -> Result<()> {
                check_sizes([a.rows(), a.cols()], [b.rows, b.cols], c.len())?;
                if let Some(epilogue) = epilogue {
                    epilogue.check(b.cols)?;
                }
                if c.is_empty() {
                    return Ok(());
                }
                let panels = tiled::Columns::Packed(b.panels.values().as_ptr());
                // SAFETY: the sizes were checked above, and the panels are those of the matrix for the instruction set.
                unsafe { tiled::$multiply(b.isa, threads, product(a, panels, b.cols, c, false, epilogue)) }
            }
        }
    };
}

packed_float!(f32, pack_f32, multiply_f32);
packed_float!(f64, pack_f64, multiply_f64);
