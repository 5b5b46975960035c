//! SparseTensorDenseMatMul: a sparse matrix times a dense one, either read conjugated and transposed if its attribute
//! is true.

use super::coordinates::numbers;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::vector::{self, Element, Scaled};
use ferroflow_tensor::{Complex32, Complex64, DType, PartialShape, Result, Scalar, Tensor, bail, elementwise, ensure};
use std::borrow::Cow;

/// Multiplications of one parallel block.
const BLOCK: usize = 1 << 16;
/// Columns of a result up to which entries are added as they come: to sort them by row would take longer.
const FEW_COLUMNS: usize = 2;
/// Side of the square blocks in which a dense matrix is turned over.
const TILE: usize = 32;

trait Factor: Scalar + Element + Scaled {
    fn conjugate(self) -> Self {
        self
    }
}
impl Factor for f32 {}
impl Factor for f64 {}
impl Factor for i32 {}
impl Factor for Complex32 {
    fn conjugate(self) -> Self {
        self.conj()
    }
}
impl Factor for Complex64 {
    fn conjugate(self) -> Self {
        self.conj()
    }
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(2)?;
    c.input(1)?.with_rank(1)?;
    let (a, b) = (c.input_as_shape(2)?.with_rank(2)?, c.input(3)?.with_rank(2)?);
    let (adjoint_a, adjoint_b) = (c.bool("adjoint_a")?, c.bool("adjoint_b")?);
    let (rows, inner) = (a.dim(usize::from(adjoint_a)), a.dim(usize::from(!adjoint_a)));
    let (inner_b, cols) = (b.dim(usize::from(adjoint_b)), b.dim(usize::from(!adjoint_b)));
    if let (Some(x), Some(y)) = (inner, inner_b) {
        ensure!(x == y, InvalidArgument, "Dimensions must be equal, but are {x} and {y}");
    }
    c.set_output(0, PartialShape::from_dims(&[rows, cols]));
    Ok(())
}

/// Calls `f(entry, m, k)` for each entry of a sparse matrix: its row in the result, and that in the dense matrix.
fn for_each_entry(
    indices: &[i64],
    rows: usize,
    inner: usize,
    adjoint: bool,
    mut f: impl FnMut(usize, usize, usize),
) -> Result<()> {
    let (m_at, k_at) = (usize::from(adjoint), usize::from(!adjoint));
    for (i, index) in indices.chunks_exact(2).enumerate() {
        let (m, k) = (index[m_at], index[k_at]);
        ensure!(
            k >= 0 && k < inner as i64,
            InvalidArgument,
            "k ({k}) from index[{i},{k_at}] out of bounds (>={inner})"
        );
        ensure!(m >= 0 && m < rows as i64, InvalidArgument, "m ({m}) from index[{i},{m_at}] out of bounds (>={rows})");
        f(i, m as usize, k as usize);
    }
    Ok(())
}

/// The sparse matrix by rows of the result. Entry `e` in `starts[m]..starts[m + 1]` adds `values[e]` times row
/// `inner[e]` of the dense matrix to row `m`. Entries keep the order of the input.
struct ByRow<T> {
    starts: Vec<usize>,
    inner: Vec<usize>,
    values: Vec<T>,
}

impl<T: Factor> ByRow<T> {
    fn new(indices: &[i64], values: &[T], rows: usize, inner: usize, adjoint: bool) -> Result<ByRow<T>> {
        let (m_at, k_at) = (usize::from(adjoint), usize::from(!adjoint));
        let mut starts = vec![0usize; rows + 1];
        for_each_entry(indices, rows, inner, adjoint, |_, m, _| starts[m + 1] += 1)?;
        for m in 0..rows {
            starts[m + 1] += starts[m];
        }
        let mut next = starts.clone();
        let (mut sorted_inner, mut sorted_values) = (vec![0; values.len()], vec![T::default(); values.len()]);
        for (index, &value) in indices.chunks_exact(2).zip(values) {
            let at = &mut next[index[m_at] as usize];
            sorted_inner[*at] = index[k_at] as usize;
            sorted_values[*at] = if adjoint { value.conjugate() } else { value };
            *at += 1;
        }
        Ok(ByRow { starts, inner: sorted_inner, values: sorted_values })
    }
}

/// Returns the conjugate transpose of a matrix of `rows` rows.
fn adjoint<T: Factor>(threads: Threads, x: &[T], rows: usize, cols: usize) -> Result<Vec<T>> {
    let mut out = vec![T::default(); x.len()];
    if !out.is_empty() {
        try_for_chunks_mut(threads, &mut out, TILE * rows, |start, out| {
            let first = start / rows;
            for from in (0..rows).step_by(TILE) {
                for (j, line) in out.chunks_exact_mut(rows).enumerate() {
                    for i in from..rows.min(from + TILE) {
                        line[i] = x[i * cols + first + j].conjugate();
                    }
                }
            }
        })?;
    }
    Ok(out)
}

fn product<T: Factor>(
    threads: Threads,
    (indices, values, a_shape): (&Tensor, &Tensor, &Tensor),
    b: &Tensor,
    (adjoint_a, adjoint_b): (bool, bool),
) -> Result<Tensor> {
    let [b_rows, b_cols] = b.shape()[..] else { bail!(InvalidArgument, "Tensor 'b' is not a matrix") };
    ensure!(a_shape.rank() == 1, InvalidArgument, "Tensor 'a_shape' is not a vector");
    let dims = a_shape.to_i64s()?;
    let [a_rows, a_cols] = dims[..] else { bail!(InvalidArgument, "Tensor 'a_shape' must have 2 elements") };
    ensure!(values.rank() == 1, InvalidArgument, "Tensor 'a_values' is not a vector");
    ensure!(indices.rank() == 2, InvalidArgument, "Tensor 'a_indices' is not a matrix");
    ensure!(
        indices.shape()[0] == values.elements(),
        InvalidArgument,
        "Number of rows of a_indices does not match number of entries in a_values"
    );
    ensure!(
        indices.shape()[1] == 2,
        InvalidArgument,
        "Number of columns of a_indices does not match number of entries in a_shape"
    );
    ferroflow_tensor::Shape::checked(&dims)?;
    let (rows, inner) = if adjoint_a { (a_cols, a_rows) } else { (a_rows, a_cols) };
    let (inner_b, cols) = if adjoint_b { (b_cols, b_rows) } else { (b_rows, b_cols) };
    ensure!(
        inner == inner_b as i64,
        InvalidArgument,
        "Cannot multiply A and B because inner dimension does not match: {inner} vs. {inner_b}.  Did you forget a \
         transpose?  Dimensions of A: [{a_rows}, {a_cols}).  Dimensions of B: {}",
        b.shape()
    );
    let out_shape = ferroflow_tensor::Shape::checked(&[rows, cols as i64])?;
    let mut out = Tensor::zeros(T::DTYPE, out_shape)?;
    if cols <= FEW_COLUMNS && out.elements() > 0 {
        let (values, b) = (values.slice::<T>()?, b.slice::<T>()?);
        let sums = out.slice_mut::<T>()?;
        for_each_entry(&numbers(indices)?, rows as usize, inner_b, adjoint_a, |entry, m, k| {
            let value = if adjoint_a { values[entry].conjugate() } else { values[entry] };
            for (column, sum) in sums[m * cols..(m + 1) * cols].iter_mut().enumerate() {
                let factor = if adjoint_b { b[column * b_cols + k].conjugate() } else { b[k * cols + column] };
                *sum = sum.plus_scaled(value, factor);
            }
        })?;
        return Ok(out);
    }
    // The result has as many rows as this list and exists already, so a damaged size cannot allocate more.
    let a = match out.elements() {
        0 => return Ok(out),
        _ => ByRow::new(&numbers(indices)?, values.slice::<T>()?, rows as usize, inner_b, adjoint_a)?,
    };
    if a.values.is_empty() {
        return Ok(out);
    }
    let b: Cow<'_, [T]> = match adjoint_b {
        true => Cow::Owned(adjoint(threads, b.slice::<T>()?, b_rows, b_cols)?),
        false => Cow::Borrowed(b.slice::<T>()?),
    };
    let work = (a.values.len() / rows as usize + 1) * cols;
    try_for_chunks_mut(threads, out.slice_mut::<T>()?, (BLOCK / work).max(1) * cols, |start, out| {
        for (m, row) in (start / cols..).zip(out.chunks_exact_mut(cols)) {
            let entries = a.starts[m]..a.starts[m + 1];
            vector::add_scaled_rows(row, &a.values[entries.clone()], &a.inner[entries], &b);
        }
    })?;
    Ok(out)
}

fn mat_mul(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (dtype, adjoints) = (init.dtype("T")?, (init.bool("adjoint_a")?, init.bool("adjoint_b")?));
    let wide = if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype };
    ferroflow_tensor::dispatch!(wide, T in [F32, F64, I32, Complex64, Complex128], kernel(move |ctx| {
        let threads = ctx.threads();
        let values = elementwise::cast(ctx.take(1)?, wide, threads)?;
        let b = elementwise::cast(ctx.take(3)?, wide, threads)?;
        let out = product::<T>(threads, (ctx.input(0)?, &values, ctx.input(2)?), &b, adjoints)?;
        ctx.set_output(0, elementwise::cast(out, dtype, threads)?);
        Ok(())
    }), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SparseTensorDenseMatMul")
            .input("a_indices: Tindices")
            .input("a_values: T")
            .input("a_shape: int64")
            .input("b: T")
            .output("product: T")
            .attr("T: type")
            .attr("Tindices: {int32, int64} = DT_INT64")
            .attr("adjoint_a: bool = false")
            .attr("adjoint_b: bool = false")
            .doc("Returns the product of a sparse matrix and a dense one.")
            .shape(shape)
            .kernel(mat_mul),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Complex32, DType, Tensor};

    fn matrix<T: ferroflow_tensor::Scalar>(rows: usize, values: &[T]) -> Tensor {
        Tensor::from_slice([rows, values.len() / rows], values).unwrap()
    }

    fn vector<T: ferroflow_tensor::Scalar>(values: &[T]) -> Tensor {
        Tensor::from_slice([values.len()], values).unwrap()
    }

    #[test]
    fn repeated_and_unordered_entries_are_added() {
        let a = [matrix(3, &[1i64, 2, 0, 1, 1, 2]), vector(&[3.0f32, 5.0, 7.0]), vector(&[2i64, 3])];
        let b = matrix(3, &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let out = run("SparseTensorDenseMatMul", &[a[0].clone(), a[1].clone(), a[2].clone(), b.clone()], &[]).unwrap();
        assert_eq!(out[0].slice::<f32>().unwrap(), [15.0, 20.0, 50.0, 60.0]);
        let adjoint = [("adjoint_a", AttrValue::Bool(true)), ("adjoint_b", AttrValue::Bool(true))];
        let b = matrix(3, &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let out = run("SparseTensorDenseMatMul", &[a[0].clone(), a[1].clone(), a[2].clone(), b], &adjoint).unwrap();
        assert_eq!(out[0].slice::<f32>().unwrap(), [0.0, 0.0, 0.0, 5.0, 15.0, 25.0, 20.0, 40.0, 60.0]);
    }

    #[test]
    fn an_adjoint_is_conjugated() {
        let i = Complex32::new(0.0, 1.0);
        let inputs = [matrix(1, &[0i64, 0]), vector(&[i]), vector(&[1i64, 1]), matrix(1, &[i])];
        let of = |a, b| {
            let attrs = [("adjoint_a", AttrValue::Bool(a)), ("adjoint_b", AttrValue::Bool(b))];
            run("SparseTensorDenseMatMul", &inputs, &attrs).unwrap()[0].to_scalar::<Complex32>().unwrap().re
        };
        assert_eq!((of(false, false), of(true, false), of(false, true), of(true, true)), (-1.0, 1.0, 1.0, -1.0));
    }

    #[test]
    fn faulty_indices_and_shapes_are_refused() {
        let message = |index: &[i64], shape: &[i64]| {
            let b = matrix(2, &[1.0f32, 2.0]);
            let inputs = [matrix(1, index), vector(&[1.0f32]), vector(shape), b];
            run("SparseTensorDenseMatMul", &inputs, &[]).unwrap_err().message().to_owned()
        };
        assert_eq!(message(&[0, 2], &[3, 2]), "k (2) from index[0,1] out of bounds (>=2)");
        assert_eq!(message(&[3, 0], &[3, 2]), "m (3) from index[0,0] out of bounds (>=3)");
        assert!(message(&[-1, 0], &[3, 2]).starts_with("m (-1)"));
        assert!(message(&[0, 0], &[3, 3]).contains("must be equal, but are 3 and 2"));
        assert!(!message(&[0, 0], &[i64::MAX, 2]).is_empty());
    }

    #[test]
    fn a_few_columns_are_what_they_are_among_many() {
        let (rows, inner, cols, n) = (30usize, 20usize, 7usize, 500usize);
        let indices: Vec<i64> = (0..n).flat_map(|i| [(i * 7919 % rows) as i64, (i * 31 % inner) as i64]).collect();
        let values: Vec<f32> = (0..n).map(|i| (i as f32 * 0.37).sin()).collect();
        let b: Vec<f32> = (0..rows * cols).map(|i| (i as f32 * 0.11).cos()).collect();
        for adjoint in [false, true] {
            let common = if adjoint { rows } else { inner };
            let product = |b: &[f32]| {
                let shape = vector(&[rows as i64, inner as i64]);
                let args = [matrix(n, &indices), vector(&values), shape, matrix(common, b)];
                let out = run("SparseTensorDenseMatMul", &args, &[("adjoint_a", AttrValue::Bool(adjoint))]).unwrap();
                out[0].slice::<f32>().unwrap().to_vec()
            };
            let many = product(&b[..common * cols]);
            for few in [1, 2] {
                let first: Vec<f32> = b[..common * cols].chunks(cols).flat_map(|row| row[..few].to_vec()).collect();
                let expected: Vec<f32> = many.chunks(cols).flat_map(|row| row[..few].to_vec()).collect();
                assert_eq!(product(&first), expected);
            }
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let (rows, inner, cols, n) = (300usize, 200usize, 40usize, 20_000usize);
        let indices: Vec<i64> = (0..n).flat_map(|i| [(i * 7919 % rows) as i64, (i * 104_729 % inner) as i64]).collect();
        let values: Vec<f32> = (0..n).map(|i| (i as f32 * 0.37).sin()).collect();
        let b: Vec<f32> = (0..inner * cols).map(|i| (i as f32 * 0.11).cos()).collect();
        let by = |threads| {
            let args = [matrix(n, &indices), vector(&values), vector(&[rows as i64, inner as i64]), matrix(inner, &b)];
            let args = args.into_iter().map(Arg::One).collect();
            run_args("SparseTensorDenseMatMul", args, &[], threads).unwrap().values
        };
        let one = by(1);
        assert!(by(2) == one && by(4) == one);
        assert_eq!(one[0].dtype(), DType::F32);
    }
}
