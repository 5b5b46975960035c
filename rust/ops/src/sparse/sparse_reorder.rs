//! SparseReorder: the elements of a sparse tensor in row-major order.

use super::coordinates::{Coordinates, pick};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::Result;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (indices, values) = (c.input(0)?.with_rank(2)?, c.input(1)?.with_rank(1)?);
    c.input(2)?.with_rank(1)?;
    c.set_output(0, indices);
    c.set_output(1, values);
    Ok(())
}

fn reorder(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let coordinates = Coordinates::of(ctx.input(0)?, ctx.input(1)?, ctx.input(2)?)?;
        let order = coordinates.sorted();
        let (indices, values) = if order.is_sorted() {
            drop(coordinates);
            (ctx.take(0)?, ctx.take(1)?)
        } else {
            (coordinates.pick(&order)?, pick(ctx.input(1)?, &order)?)
        };
        ctx.set_output(0, indices);
        ctx.set_output(1, values);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SparseReorder")
            .input("input_indices: int64")
            .input("input_values: T")
            .input("input_shape: int64")
            .output("output_indices: int64")
            .output("output_values: T")
            .attr("T: type")
            .doc("Returns the elements in row-major order; those of one index keep theirs.")
            .shape(shape)
            .kernel(reorder),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    #[test]
    fn elements_are_sorted_by_index_and_equal_ones_stay() {
        let indices = Tensor::from_slice([4, 2], &[1i64, 0, 0, 5, 1, 0, 0, 2]).unwrap();
        let values = Tensor::from_slice([4], &[1i32, 2, 3, 4]).unwrap();
        let shape = Tensor::from_slice([2], &[2i64, 6]).unwrap();
        let out = run("SparseReorder", &[indices.clone(), values.clone(), shape.clone()], &[]).unwrap();
        assert_eq!(out[0].slice::<i64>().unwrap(), [0, 2, 0, 5, 1, 0, 1, 0]);
        assert_eq!(out[1].slice::<i32>().unwrap(), [4, 2, 1, 3]);
        let again = run("SparseReorder", &[out[0].clone(), out[1].clone(), shape], &[]).unwrap();
        assert_eq!(again, out);
        let short = Tensor::from_slice([1], &[2i64]).unwrap();
        assert!(run("SparseReorder", &[indices, values, short], &[]).is_err());
    }
}
