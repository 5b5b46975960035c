//! BatchMatMul and BatchMatMulV2: products of the matrices in the last two dimensions, each adjoint if its attribute is
//! true.

use super::mat_mul::Factor;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_sync::Mutex;
use ferroflow_tensor::gemm::MatRef;
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::vector::Unary;
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, broadcast, dispatch, elementwise, ensure};

/// Multiplications that are worth a thread: small products go to it in blocks.
const SMALL: usize = 1 << 20;

#[derive(Clone, Copy, Default)]
pub(super) struct Adjoints {
    x: bool,
    y: bool,
}

/// Returns the batch dimensions and the two of the matrices.
fn split(s: &PartialShape) -> (PartialShape, [Option<usize>; 2]) {
    match s.dims().as_deref() {
        Some([batch @ .., rows, columns]) => (PartialShape::from_dims(batch), [*rows, *columns]),
        _ => (PartialShape::unknown(), [None, None]),
    }
}

fn shape_of(c: &mut ShapeContext<'_>, stretches: bool) -> Result<()> {
    let (x, y) = (c.input(0)?.with_rank_at_least(2)?, c.input(1)?.with_rank_at_least(2)?);
    let ((batch_x, x_dims), (batch_y, y_dims)) = (split(&x), split(&y));
    let (adj_x, adj_y) = (usize::from(c.bool("adj_x")?), usize::from(c.bool("adj_y")?));
    if let (Some(a), Some(b)) = (x_dims[1 - adj_x], y_dims[adj_y]) {
        ensure!(a == b, InvalidArgument, "Dimensions must be equal, but are {a} and {b}");
    }
    let batch = if stretches { PartialShape::broadcast(&batch_x, &batch_y)? } else { batch_x.merge(&batch_y)? };
    c.set_output(0, batch.concatenate(&PartialShape::from_dims(&[x_dims[adj_x], y_dims[1 - adj_y]])));
    Ok(())
}

/// Returns the batch shape of two operands.
fn batch_shape(x: &Shape, y: &Shape, stretches: bool) -> Result<Shape> {
    if stretches {
        ensure!(x.rank() >= 2, InvalidArgument, "In[0] ndims must be >= 2: {}", x.rank());
        ensure!(y.rank() >= 2, InvalidArgument, "In[1] ndims must be >= 2: {}", y.rank());
        return broadcast(&Shape::new(&x[..x.rank() - 2]), &Shape::new(&y[..y.rank() - 2]));
    }
    ensure!(x.rank() == y.rank(), InvalidArgument, "In[0] and In[1] has different ndims: {x} vs. {y}");
    ensure!(x.rank() >= 2, InvalidArgument, "In[0] and In[1] ndims must be >= 2: {}", x.rank());
    for i in 0..x.rank() - 2 {
        ensure!(x[i] == y[i], InvalidArgument, "In[0].dim({i}) and In[1].dim({i}) must be the same: {x} vs {y}");
    }
    Ok(Shape::new(&x[..x.rank() - 2]))
}

/// Returns the number of an operand's matrix for product `number`.
fn matrix_of(mut number: usize, batch: &Shape, own: &[usize]) -> usize {
    let (mut index, mut stride) = (0, 1);
    for (i, &extent) in batch.iter().enumerate().rev() {
        let at = number % extent;
        number /= extent;
        if let Some(d) = (i + own.len()).checked_sub(batch.rank()).and_then(|i| own.get(i)) {
            index += if *d == 1 { 0 } else { at * stride };
            stride *= d;
        }
    }
    index
}

/// Returns the product of each matrix of `x` with the one of `y`.
pub(super) fn products<T: Factor>(
    x: &Tensor,
    y: &Tensor,
    adjoints: Adjoints,
    stretches: bool,
    threads: Threads,
) -> Result<Tensor> {
    let batch = batch_shape(x.shape(), y.shape(), stretches)?;
    let (batch_x, x_dims) = x.shape().split_at(x.rank() - 2);
    let (batch_y, y_dims) = y.shape().split_at(y.rank() - 2);
    let ((rows, depth), (inner, cols)) = (
        if adjoints.x { (x_dims[1], x_dims[0]) } else { (x_dims[0], x_dims[1]) },
        if adjoints.y { (y_dims[1], y_dims[0]) } else { (y_dims[0], y_dims[1]) },
    );
    ensure!(
        depth == inner,
        InvalidArgument,
        "In[0] mismatch In[1] shape: {depth} vs. {inner}: {} {} {} {}",
        x.shape(),
        y.shape(),
        u8::from(adjoints.x),
        u8::from(adjoints.y)
    );
    let out_shape: Shape = batch.iter().copied().chain([rows, cols]).collect();
    let mut out = Tensor::new(T::DTYPE, out_shape)?;
    if out.elements() == 0 {
        return Ok(out);
    }
    let (a, b) = (x.slice::<T>()?, y.slice::<T>()?);
    let (work, size) = (rows * cols * depth.max(1), rows * cols);
    let one = |number: usize, threads: Threads, c: &mut [T]| {
        let (i, j) = (matrix_of(number, &batch, batch_x), matrix_of(number, &batch, batch_y));
        let (n, m) = (rows * depth, depth * cols);
        let a = MatRef::row_major(&a[i * n..(i + 1) * n], x_dims[0], x_dims[1])?;
        let b = MatRef::row_major(&b[j * m..(j + 1) * m], y_dims[0], y_dims[1])?;
        let a = if adjoints.x { a.transposed() } else { a };
        let b = if adjoints.y { b.transposed() } else { b };
        T::product(threads, a, b, c)
    };
    let c = out.slice_mut::<T>()?;
    let matrices = |batch: &[usize]| batch.iter().product::<usize>();
    if matrices(batch_y) == 1 && !adjoints.x {
        // One matrix on the right: the rows of all on the left are those of one. A row's bits depend on it alone.
        let b = MatRef::row_major(b, y_dims[0], y_dims[1])?;
        let b = if adjoints.y { b.transposed() } else { b };
        T::product(threads, MatRef::row_major(a, matrices(batch_x) * rows, depth)?, b, c)?;
        return Ok(out);
    }
    // Few large products are split one by one; the bits are the same either way.
    if work >= SMALL && c.len() / size < 2 * threads.count() {
        for (number, c) in c.chunks_mut(size).enumerate() {
            one(number, threads, c)?;
        }
        return Ok(out);
    }
    let failure = Mutex::new(None);
    try_for_chunks_mut(threads, c, (SMALL / work).max(1) * size, |start, c| {
        for (i, c) in c.chunks_mut(size).enumerate() {
            if let Err(e) = one(start / size + i, Threads::single(), c) {
                failure.lock().get_or_insert(e);
            }
        }
    })?;
    failure.into_inner().map_or(Ok(out), Err)
}

fn batch_mat_mul(init: &KernelInit<'_>, stretches: bool) -> Result<Box<dyn Kernel>> {
    let adjoints = Adjoints { x: init.bool("adj_x")?, y: init.bool("adj_y")? };
    let dtype = init.output_type(0)?;
    let is_complex = dtype.is_complex();
    dispatch!(dtype, T in [F32, F64, F16, BF16, I32, I64, Complex64, Complex128], {
        kernel(move |ctx| {
            let threads = ctx.threads();
            // The adjoint of a complex matrix is its transposed conjugate.
            let mut operand = |i: usize, adjoint: bool| {
                let t = ctx.take(i)?;
                if adjoint && is_complex { elementwise::unary(Unary::Conj, t, threads) } else { Ok(t) }
            };
            let (x, y) = (operand(0, adjoints.x)?, operand(1, adjoints.y)?);
            let out = products::<T>(&x, &y, adjoints, stretches, threads)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, types: &str| {
        let op = Op::new(name).input("x: T").input("y: T").output("output: T").attr(types);
        op.attr("adj_x: bool = false").attr("adj_y: bool = false")
    };
    r.add(
        op("BatchMatMul", "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
            .doc("Returns the products of the matrices in the last two dimensions.")
            .shape(|c| shape_of(c, false))
            .kernel(|init| batch_mat_mul(init, false)),
    );
    r.add(
        op("BatchMatMulV2", "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
            .doc(
                "Returns the products of the matrices in the last two dimensions; the others are stretched to one \
                 shape.",
            )
            .shape(|c| shape_of(c, true))
            .kernel(|init| batch_mat_mul(init, true)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Complex32, Shape, Tensor};

    fn ramp(shape: &[usize]) -> Tensor {
        let n: usize = shape.iter().product();
        let values: Vec<f32> = (0..n).map(|i| ((i * 7 + n) % 11) as f32 - 5.0).collect();
        Tensor::from_slice(Shape::new(shape), &values).unwrap()
    }

    fn values(t: &Tensor) -> &[f32] {
        t.slice().unwrap()
    }

    #[test]
    fn each_matrix_is_multiplied_at_any_number_of_threads() {
        for (batch, n, k, m) in [(3, 2, 4, 5), (300, 20, 10, 30), (2, 100, 110, 120), (9, 128, 65, 128)] {
            let (x, y) = (ramp(&[batch, n, k]), ramp(&[batch, k, m]));
            let args = || vec![Arg::One(x.clone()), Arg::One(y.clone())];
            let out = run_args("BatchMatMul", args(), &[], 1).unwrap();
            for threads in [2, 4] {
                assert!(run_args("BatchMatMul", args(), &[], threads).unwrap().values == out.values);
            }
            for b in 0..batch {
                let part = |t: &Tensor, rows: usize, cols: usize| {
                    let size = rows * cols;
                    Tensor::from_slice([rows, cols], &values(t)[b * size..(b + 1) * size]).unwrap()
                };
                let expected = run("MatMul", &[part(&x, n, k), part(&y, k, m)], &[]).unwrap();
                assert_eq!(part(&out.values[0], n, m), expected[0]);
            }
        }
    }

    #[test]
    fn adjoints_are_transposed_conjugates() {
        let x = Tensor::from_slice([1, 1, 2], &[Complex32::new(1.0, 2.0), Complex32::new(0.0, 1.0)]).unwrap();
        let adj = |x, y| [("adj_x", AttrValue::Bool(x)), ("adj_y", AttrValue::Bool(y))];
        let out = run("BatchMatMul", &[x.clone(), x.clone()], &adj(false, true)).unwrap();
        assert_eq!(out[0].slice::<Complex32>().unwrap(), [Complex32::new(6.0, 0.0)]);
        let out = run("BatchMatMul", &[x.clone(), x], &adj(true, false)).unwrap();
        assert_eq!(out[0].shape(), &[1, 2, 2].into());
        assert_eq!(out[0].slice::<Complex32>().unwrap()[1], Complex32::new(1.0, -2.0) * Complex32::new(0.0, 1.0));
    }

    #[test]
    fn the_second_version_stretches_batches() {
        let (x, y) = (ramp(&[2, 1, 3, 4]), ramp(&[5, 4, 2]));
        let out = run("BatchMatMulV2", &[x.clone(), y.clone()], &[]).unwrap();
        assert_eq!(out[0].shape(), &[2, 5, 3, 2].into());
        let a = Tensor::from_slice([3, 4], &values(&x)[12..]).unwrap();
        let b = Tensor::from_slice([4, 2], &values(&y)[16..24]).unwrap();
        let expected = run("MatMul", &[a, b], &[]).unwrap();
        assert_eq!(values(&out[0])[(5 + 2) * 6..(5 + 3) * 6], *values(&expected[0]));
        assert!(run("BatchMatMul", &[x, y], &[]).is_err());
    }

    #[test]
    fn one_matrix_for_the_whole_batch_gives_the_bits_of_single_products() {
        for (n, k, m) in [(1, 700, 1), (3, 5, 7), (20, 600, 33), (17, 9, 1), (1, 40, 12)] {
            let (x, y) = (ramp(&[2, 3, n, k]), ramp(&[k, m]));
            let out = run("BatchMatMulV2", &[x.clone(), y.clone()], &[]).unwrap();
            for (i, rows) in values(&x).chunks(n * k).enumerate() {
                let one = Tensor::from_slice([n, k], rows).unwrap();
                let one = run("MatMul", &[one, y.clone()], &[]).unwrap();
                assert_eq!(values(&out[0])[i * n * m..(i + 1) * n * m], *values(&one[0]));
            }
        }
    }

    #[test]
    fn matrices_that_do_not_fit_are_refused() {
        assert!(run("BatchMatMul", &[ramp(&[2, 3, 4]), ramp(&[2, 3, 4])], &[]).is_err());
        assert!(run("BatchMatMulV2", &[ramp(&[2, 3, 4]), ramp(&[3, 4, 1])], &[]).is_err());
        assert!(run("BatchMatMulV2", &[ramp(&[4]), ramp(&[4, 1])], &[]).is_err());
    }
}
