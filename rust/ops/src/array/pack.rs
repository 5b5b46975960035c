//! Pack and Unpack: tensors of one shape stacked along a new dimension, and back.

use super::rows::{cut, join};
use ferroflow_graph::{Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Shape, ensure};

/// Returns the dimension that `axis` names once the result has `rank` of them.
fn place(axis: i64, rank: usize) -> Result<usize> {
    let r = rank as i64;
    ensure!((-r..r).contains(&axis), InvalidArgument, "Invalid axis: {axis}; must be in [{},{r})", -r);
    Ok(if axis < 0 { axis + r } else { axis } as usize)
}

fn pack_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let mut each = PartialShape::unknown();
    for i in (0..c.num_inputs()).rev() {
        each = c.input(i)?.merge(&each).map_err(|e| {
            ferroflow_tensor::Status::new(
                e.code(),
                format!("{} From merging shape {i} with other shapes.", e.message()),
            )
        })?;
    }
    let Some(mut dims) = each.dims() else { return Ok(()) };
    let at = place(c.int("axis")?, dims.len() + 1)?;
    dims.insert(at, Some(c.num_inputs()));
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn unpack_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let Some(mut dims) = c.input(0)?.dims() else { return Ok(()) };
    let at = place(c.int("axis")?, dims.len())?;
    let n = c.num_outputs();
    if let Some(d) = dims.remove(at) {
        ensure!(d == n, InvalidArgument, "Dimension must be {n} but is {d}");
    }
    for i in 0..n {
        c.set_output(i, PartialShape::from_dims(&dims));
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Pack")
            .input("values: N * T")
            .output("output: T")
            .attr("N: int >= 1")
            .attr("T: type")
            .attr("axis: int = 0")
            .doc("Stacks tensors of one shape along a new dimension.")
            .shape(pack_shape)
            .kernel(|init| {
                let axis = init.int32("axis")?;
                kernel(move |ctx| {
                    let first = ctx.input(0)?.shape().clone();
                    let at = place(axis, first.rank() + 1)?;
                    for (i, v) in ctx.inputs().iter().enumerate() {
                        ensure!(
                            *v.shape() == first,
                            InvalidArgument,
                            "Shapes of all inputs must match: values[0].shape = {first} != values[{i}].shape = {}",
                            v.shape()
                        );
                    }
                    let mut dims = first.to_i64();
                    dims.insert(at, ctx.num_inputs() as i64);
                    let outer = first[..at].iter().product();
                    let out = join(ctx.threads(), ctx.inputs(), outer, Shape::checked(&dims)?)?;
                    ctx.set_output(0, out);
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("Unpack")
            .input("value: T")
            .output("output: num * T")
            .attr("num: int >= 0")
            .attr("T: type")
            .attr("axis: int = 0")
            .doc("Cuts a tensor along a dimension into tensors without it.")
            .shape(unpack_shape)
            .kernel(|init| {
                let (axis, num) = (init.int32("axis")?, init.node.outputs.len());
                kernel(move |ctx| {
                    let x = ctx.input(0)?;
                    let at = place(axis, x.rank())?;
                    let (outer, n, _) = x.shape().around(at);
                    ensure!(
                        n == num,
                        InvalidArgument,
                        "Input shape axis {at} must equal {num}, got shape {}",
                        x.shape()
                    );
                    let dims: Shape = x.shape()[..at].iter().chain(&x.shape()[at + 1..]).copied().collect();
                    let parts = cut(ctx.threads(), x, outer, &vec![dims; num])?;
                    for (i, part) in parts.into_iter().enumerate() {
                        ctx.set_output(i, part);
                    }
                    Ok(())
                })
            }),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Result, Tensor};

    fn pack(parts: Vec<Tensor>, axis: i64) -> Result<Tensor> {
        Ok(run_args("Pack", vec![Arg::List(parts)], &[("axis", AttrValue::Int(axis))], 1)?.values[0].clone())
    }

    fn unpack(x: &Tensor, num: i64, axis: i64) -> Result<Vec<Tensor>> {
        let attrs = [("num", AttrValue::Int(num)), ("axis", AttrValue::Int(axis))];
        run("Unpack", std::slice::from_ref(x), &attrs)
    }

    #[test]
    fn the_new_dimension_stands_where_axis_says() {
        let a = Tensor::from_slice([2, 1], &[1u8, 2]).unwrap();
        let b = Tensor::from_slice([2, 1], &[3u8, 4]).unwrap();
        for (axis, shape, values) in [
            (0, [2, 2, 1], [1u8, 2, 3, 4]),
            (1, [2, 2, 1], [1, 3, 2, 4]),
            (2, [2, 1, 2], [1, 3, 2, 4]),
            (-1, [2, 1, 2], [1, 3, 2, 4]),
        ] {
            let y = pack(vec![a.clone(), b.clone()], axis).unwrap();
            assert_eq!(y, Tensor::from_slice(shape, &values).unwrap());
            assert_eq!(unpack(&y, 2, axis).unwrap(), [a.clone(), b.clone()]);
        }
        assert!(pack(vec![a.clone(), b], 3).is_err());
        assert!(pack(vec![a.clone(), Tensor::scalar(1u8)], 0).is_err());
        assert!(unpack(&a, 3, 0).is_err() && unpack(&a, 2, -3).is_err());
    }

    #[test]
    fn scalars_strings_and_empty_tensors() {
        let s = |t: &str| Tensor::from_strings([], vec![t.as_bytes().into()]).unwrap();
        let y = pack(vec![s("a"), s("b")], 0).unwrap();
        assert_eq!((y.shape().dims(), unpack(&y, 2, 0).unwrap()), (&[2][..], vec![s("a"), s("b")]));
        let empty = Tensor::zeros(DType::F32, [0, 3]).unwrap();
        assert_eq!(pack(vec![empty.clone(), empty.clone()], 1).unwrap().shape().dims(), [0, 2, 3]);
        assert_eq!(unpack(&empty, 0, 0).unwrap(), []);
        assert_eq!(unpack(&empty, 3, 1).unwrap()[2].shape().dims(), [0]);
    }
}
