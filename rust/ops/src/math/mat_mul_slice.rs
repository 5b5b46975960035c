//! _MatMulSlice: a block of a matrix product, of which nothing else is computed.

use super::mat_mul::{FusedFactor, Transposes, operands, product_shape};
use crate::array::slice;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::gemm::MatRef;
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Result, Shape, Tensor, dispatch};

/// Returns the rows and columns of `a b` that begin at `begin`, with the bits that they have in the whole product.
fn block<T: FusedFactor>(
    threads: Threads,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    begin: (usize, usize),
    shape: Shape,
) -> Result<Tensor> {
    let (rows, cols) = (shape[0], shape[1]);
    let mut out = Tensor::new(T::DTYPE, shape)?;
    // A single column is summed in another order.
    if cols > 1 || b.cols() == 1 {
        T::product(threads, a.row_range(begin.0, rows)?, b.column_range(begin.1, cols)?, out.slice_mut()?)?;
        return Ok(out);
    }
    let mut whole = Tensor::new(T::DTYPE, [a.rows(), b.cols()])?;
    T::product(threads, a, b, whole.slice_mut()?)?;
    let whole = whole.slice::<T>()?;
    for (row, to) in out.slice_mut::<T>()?.chunks_exact_mut(cols.max(1)).enumerate() {
        let first = (begin.0 + row) * b.cols() + begin.1;
        to.copy_from_slice(&whole[first..first + cols]);
    }
    Ok(out)
}

fn mat_mul_slice(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let transposes = Transposes::of(init)?;
    dispatch!(init.output_type(0)?, T in [F32, F64], {
        kernel(move |ctx| {
            let (a, b) = operands::<T>(ctx.input(0)?, ctx.input(1)?, transposes)?;
            let whole = Shape::checked(&[a.rows() as i64, b.cols() as i64])?;
            let (begin, shape) = slice::block(&whole, ctx.input(2)?, ctx.input(3)?)?;
            let out = block(ctx.threads(), a, b, (begin[0], begin[1]), shape)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let product = product_shape(c, 0, 1)?;
    let block = slice::block_shape(c, product, 2)?;
    c.set_output(0, block);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("_MatMulSlice")
            .input("a: T")
            .input("b: T")
            .input("begin: Index")
            .input("size: Index")
            .output("output: T")
            .attr("transpose_a: bool = false")
            .attr("transpose_b: bool = false")
            .attr("T: {float, double}")
            .attr("Index: {int32, int64}")
            .doc("Returns a block of the product of two matrices: what the planner makes of a slice of a product.")
            .shape(shape)
            .kernel(mat_mul_slice),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    fn values(rows: usize, cols: usize, step: f32) -> Tensor {
        let values: Vec<f32> = (0..rows * cols).map(|i| (i as f32 * step).sin()).collect();
        Tensor::from_slice([rows, cols], &values).unwrap()
    }

    #[test]
    fn blocks_have_the_bits_of_the_product() {
        let vector = |v: [i64; 2]| Tensor::from_slice([2], &v).unwrap();
        let (m, k, n) = (37, 530, 70);
        for (ta, tb) in [(false, false), (false, true), (true, false), (true, true)] {
            let a = if ta { values(k, m, 0.7) } else { values(m, k, 0.7) };
            let b = if tb { values(n, k, 0.3) } else { values(k, n, 0.3) };
            let attrs = [("transpose_a", AttrValue::Bool(ta)), ("transpose_b", AttrValue::Bool(tb))];
            let whole = run("MatMul", &[a.clone(), b.clone()], &attrs).unwrap().remove(0);
            for (begin, size) in
                [([0, 35], [37, 35]), ([0, 0], [-1, -1]), ([5, 69], [20, 1]), ([36, 2], [1, 40]), ([3, 3], [0, 7])]
            {
                let (begin, size) = (vector(begin), vector(size));
                let expected = run("Slice", &[whole.clone(), begin.clone(), size.clone()], &[]).unwrap();
                for threads in [1, 2, 4] {
                    let args = [a.clone(), b.clone(), begin.clone(), size.clone()].map(Arg::One).into();
                    let got = run_args("_MatMulSlice", args, &attrs, threads).unwrap();
                    assert_eq!(got.values, expected);
                    assert_eq!(got.shapes[0].to_shape().as_ref(), Some(expected[0].shape()));
                }
            }
        }
    }

    #[test]
    fn blocks_outside_and_products_of_unlike_matrices_are_refused() {
        let vector = |v: [i32; 2]| Tensor::from_slice([2], &v).unwrap();
        let block =
            |a: Tensor, begin, size| run("_MatMulSlice", &[a, values(4, 5, 1.0), vector(begin), vector(size)], &[]);
        assert!(block(values(3, 4, 1.0), [1, 2], [2, 3]).is_ok());
        assert!(block(values(3, 5, 1.0), [1, 2], [2, 3]).is_err());
        assert!(block(values(3, 4, 1.0), [1, 2], [3, 3]).is_err());
        assert!(block(values(3, 4, 1.0), [0, 6], [1, -1]).is_err());
        assert!(block(values(3, 4, 1.0), [0, -1], [1, 1]).is_err());
    }
}
