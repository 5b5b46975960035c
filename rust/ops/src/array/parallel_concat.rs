//! ParallelConcat: tensors of one row each as the rows of one tensor.

use super::rows::join;
use ferroflow_graph::{Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Status, bail, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let whole = c.shape("shape")?;
    let Some(rows) = whole.to_shape() else { bail!(InvalidArgument, "shape attr must be fully defined.") };
    ensure!(rows.rank() > 0, InvalidArgument, "shape attr must be at least 1-D");
    let one: Vec<_> = std::iter::once(1).chain(rows[1..].iter().copied()).map(Some).collect();
    let one = PartialShape::from_dims(&one);
    for i in 0..c.num_inputs() {
        let each = c.input(i)?;
        ensure!(each.to_shape().is_some(), InvalidArgument, "All input shapes must be fully defined.");
        ensure!(each.dim(0) == Some(1), InvalidArgument, "Size of first dimension must be 1.");
        each.merge(&one)
            .map_err(|e| Status::new(e.code(), format!("{} From merging shape {i} with other shapes.", e.message())))?;
    }
    ensure!(
        rows[0] == c.num_inputs(),
        InvalidArgument,
        "shape attr has {} rows, there are {} values",
        rows[0],
        c.num_inputs()
    );
    c.set_output(0, whole);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ParallelConcat")
            .input("values: N * T")
            .output("output: T")
            .attr("N: int >= 1")
            .attr("T: type")
            .attr("shape: shape")
            .doc("Joins tensors whose first dimension is 1 along it; all shapes are known.")
            .shape(shape)
            .kernel(|init| {
                let Some(shape) = init.node.outputs.first().and_then(|o| o.shape.to_shape()) else {
                    bail!(InvalidArgument, "shape attr must be fully defined.");
                };
                kernel(move |ctx| {
                    let out = join(ctx.threads(), ctx.inputs(), 1, shape.clone())?;
                    ctx.set_output(0, out);
                    Ok(())
                })
            }),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{PartialShape, Result, Tensor};

    fn joined(rows: &[&[f32]], shape: &[usize]) -> Result<Tensor> {
        let rows = rows.iter().map(|r| Tensor::from_slice([1, r.len()], r).unwrap()).collect();
        let dims: Vec<_> = shape.iter().copied().map(Some).collect();
        let attrs = [("shape", AttrValue::Shape(PartialShape::from_dims(&dims)))];
        Ok(run_args("ParallelConcat", vec![Arg::List(rows)], &attrs, 1)?.values[0].clone())
    }

    #[test]
    fn values_become_rows() {
        let y = joined(&[&[1.0, 2.0], &[3.0, 4.0], &[5.0, 6.0]], &[3, 2]).unwrap();
        assert_eq!(y, Tensor::from_slice([3, 2], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap());
    }

    #[test]
    fn other_shapes_are_refused() {
        assert!(joined(&[&[1.0, 2.0], &[3.0]], &[2, 2]).is_err());
        assert!(joined(&[&[1.0, 2.0]], &[2, 2]).is_err());
        assert!(joined(&[&[1.0, 2.0]], &[]).is_err());
    }
}
