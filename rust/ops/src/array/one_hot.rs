//! OneHot: each index as a vector that is `on_value` there and `off_value` elsewhere.

use super::fill::filled;
use ferroflow_graph::{Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, Movable, PartialShape, Result, Shape, Tensor, bail, by_size, ensure};

/// Returns the new dimension's place in 0..=rank.
fn place(axis: i64, rank: usize) -> Result<usize> {
    let r = rank as i64;
    ensure!(
        axis == -1 || (0..=r).contains(&axis),
        InvalidArgument,
        "Expected axis to be -1 or between [0, {}).  But received: {axis}",
        r + 1
    );
    Ok(if axis == -1 { r } else { axis } as usize)
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let depth = c.input_i64(1)?;
    if let Some(d) = depth {
        ensure!(d >= 0, InvalidArgument, "Dimension size, given by scalar input 1, must be non-negative but is {d}");
    }
    for i in 1..4 {
        c.input(i)?.with_rank(0)?;
    }
    let axis = c.int32("axis")?;
    ensure!(axis >= -1, InvalidArgument, "axis must be >= -1");
    let Some(mut dims) = c.input(0)?.dims() else { return Ok(()) };
    let at = place(axis, dims.len())?;
    dims.insert(at, depth.map(|d| d as usize));
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn mark<E: Movable>(out: &mut Tensor, on: &Tensor, indices: &[i64], depth: usize, suffix: usize) -> Result<()> {
    let Some(on) = E::view(on)?.first() else { bail!(InvalidArgument, "on_value must be a scalar") };
    let out = E::view_mut(out)?;
    for (k, &index) in indices.iter().enumerate() {
        if let Some(index) = usize::try_from(index).ok().filter(|&i| i < depth) {
            out[(k / suffix * depth + index) * suffix + k % suffix] = on.clone();
        }
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("OneHot")
            .input("indices: TI")
            .input("depth: int32")
            .input("on_value: T")
            .input("off_value: T")
            .output("output: T")
            .attr("axis: int = -1")
            .attr("T: type")
            .attr("TI: {uint8, int32, int64} = DT_INT64")
            .doc("Adds a dimension of size `depth` that holds `on_value` at the index and `off_value` elsewhere.")
            .shape(shape)
            .kernel(|init| {
                let axis = init.int("axis")?;
                kernel(move |ctx| {
                    let (indices, depth, on, off) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?, ctx.input(3)?);
                    for (name, t) in [("depth", depth), ("on_value", on), ("off_value", off)] {
                        ensure!(t.rank() == 0, InvalidArgument, "{name} must be a scalar, but got: {}", t.shape());
                    }
                    let depth = i64::from(depth.to_scalar::<i32>()?);
                    ensure!(depth >= 0, InvalidArgument, "depth must be non-negative, got: {depth}");
                    let at = place(axis, indices.rank())?;
                    let suffix: usize = indices.shape()[at..].iter().product();
                    let mut dims = indices.shape().to_i64();
                    dims.insert(at, depth);
                    let mut out = filled(ctx.threads(), off, Shape::checked(&dims)?)?;
                    let indices = match indices.dtype() {
                        DType::U8 => indices.slice::<u8>()?.iter().map(|&x| x.into()).collect(),
                        _ => indices.to_i64s()?,
                    };
                    by_size!(on.dtype(), E, mark::<E>(&mut out, on, &indices, depth as usize, suffix))?;
                    ctx.set_output(0, out);
                    Ok(())
                })
            }),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn one_hot(indices: Tensor, depth: i32, axis: i64) -> Result<Tensor> {
        let inputs = [indices, Tensor::scalar(depth), Tensor::scalar(5f32), Tensor::scalar(-1f32)];
        Ok(run("OneHot", &inputs, &[("axis", AttrValue::Int(axis))])?[0].clone())
    }

    #[test]
    fn on_stands_at_the_index_along_every_axis() {
        let picks = [1i32, 0, 3, -1, 2, 1];
        for axis in [-1, 0, 1, 2] {
            let y = one_hot(Tensor::from_slice([2, 3], &picks).unwrap(), 3, axis).unwrap();
            let at = if axis == -1 { 2 } else { axis as usize };
            let s = y.shape().strides();
            for i in 0..2 {
                for j in 0..3 {
                    for d in 0..3 {
                        let mut index = vec![i, j];
                        index.insert(at, d);
                        let offset: usize = index.iter().zip(&s).map(|(a, b)| a * b).sum();
                        let expected = if picks[i * 3 + j] == d as i32 { 5. } else { -1. };
                        assert_eq!(y.slice::<f32>().unwrap()[offset], expected);
                    }
                }
            }
        }
        let y = one_hot(Tensor::scalar(2u8), 3, -1).unwrap();
        assert_eq!(y.slice::<f32>().unwrap(), [-1., -1., 5.]);
    }

    #[test]
    fn faulty_depths_and_axes_are_refused() {
        assert!(one_hot(Tensor::scalar(1i64), -1, -1).is_err());
        assert!(one_hot(Tensor::scalar(1i64), 3, 1).is_err());
        assert!(one_hot(Tensor::scalar(1i64), 3, -2).is_err());
        assert_eq!(one_hot(Tensor::from_slice([0], &[0i64; 0]).unwrap(), 3, 0).unwrap().shape().dims(), [3, 0]);
        let many = Tensor::zeros(ferroflow_tensor::DType::U8, [1 << 20]).unwrap();
        assert!(one_hot(many, i32::MAX, 0).is_err());
    }
}
