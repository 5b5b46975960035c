//! Split, SplitV: a tensor cut along a dimension into equal parts, or into parts of given sizes.

use super::rows::cut;
use ferroflow_graph::{KernelContext, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Shape, Status, Tensor, bail, ensure};

fn place(axis: i64, rank: usize) -> Result<usize> {
    let r = rank as i64;
    ensure!(
        (-r..r).contains(&axis),
        InvalidArgument,
        "-input rank({}) <= split_dim < input rank ({r}), but got {axis}",
        -r
    );
    Ok(if axis < 0 { axis + r } else { axis } as usize)
}

/// Returns `place` for a shape, whose words for it differ.
fn known_place(axis: i64, rank: usize) -> Result<usize> {
    place(axis, rank).map_err(|_| {
        Status::invalid_argument(format!(
            "Dimension size, given by scalar input {axis} must be in range [-{rank}, {rank})"
        ))
    })
}

/// Returns the sizes of the parts, at most one of them -1, worked out for a dimension of `whole`.
fn resolve(mut sizes: Vec<i64>, whole: usize) -> Result<Vec<i64>> {
    let whole = whole as i64;
    if let [only] = sizes[..] {
        // TF 1.x: one size is never worked out from the input's.
        ensure!(
            only == whole,
            InvalidArgument,
            "If there is only one output, it must have the same size as the input. Input size: {whole} output size: \
             {only}"
        );
        return Ok(sizes);
    }
    let mut sum = 0i64;
    let mut unknown = None;
    for (i, &s) in sizes.iter().enumerate() {
        if s == -1 {
            ensure!(unknown.is_none(), InvalidArgument, "There can only be one -1 in the input.");
            unknown = Some(i);
            continue;
        }
        ensure!(s >= 0, InvalidArgument, "Split size at index {i} must be >= 0. Got: {s}");
        sum = sum.saturating_add(s);
    }
    let fits = if unknown.is_some() { sum <= whole } else { sum == whole };
    ensure!(
        fits,
        InvalidArgument,
        "Determined shape must either match input shape along split_dim exactly if fully specified, or be less than the \
         size of the input along split_dim if not fully specified.  Got: {sum}"
    );
    if let Some(i) = unknown {
        sizes[i] = whole - sum;
    }
    Ok(sizes)
}

fn equal(n: usize, whole: usize, axis: usize) -> Result<usize> {
    ensure!(
        n > 0 && whole.is_multiple_of(n),
        InvalidArgument,
        "Number of ways to split should evenly divide the split dimension, but got split_dim {axis} (size = {whole}) \
         and num_split {n}"
    );
    Ok(whole / n)
}

/// Returns `equal` for a shape, whose words for it differ.
fn known_equal(n: usize, whole: usize, axis: usize) -> Result<usize> {
    equal(n, whole, axis).map_err(|_| {
        Status::invalid_argument(format!(
            "Dimension size must be evenly divisible by {n} but is {whole}\n\tNumber of ways to split should evenly \
             divide the split dimension"
        ))
    })
}

/// Returns `resolve` for a shape, whose words for sizes that do not fit differ.
fn known_sizes(sizes: &[i64], whole: usize) -> Result<Vec<i64>> {
    let unknown = sizes.iter().filter(|&&s| s == -1).count();
    ensure!(unknown < 2, InvalidArgument, "size_splits can only have one -1");
    if let Some(i) = sizes.iter().position(|&s| s < -1) {
        bail!(InvalidArgument, "Split size at index {i} must be >= 0. Got: {}", sizes[i]);
    }
    resolve(sizes.to_vec(), whole).map_err(|_| {
        let listed = sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        Status::invalid_argument(format!("can't split axis of size {whole} into pieces of size [{listed}]"))
    })
}

/// Sets all outputs; the split dimension of output i is `size(i)`.
fn set_parts(
    c: &mut ShapeContext<'_>,
    input: &PartialShape,
    axis: Option<i64>,
    size: impl Fn(usize, Option<usize>, usize) -> Result<Option<usize>>,
) -> Result<()> {
    let (Some(dims), n) = (input.dims(), c.num_outputs()) else { return Ok(()) };
    for i in 0..n {
        let part = match axis {
            Some(axis) => {
                let at = known_place(axis, dims.len())?;
                let mut dims = dims.clone();
                dims[at] = size(i, dims[at], at)?;
                PartialShape::from_dims(&dims)
            }
            None => PartialShape::unknown_of_rank(dims.len()),
        };
        c.set_output(i, part);
    }
    Ok(())
}

fn split_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    let (axis, n) = (c.input_i64(0)?, c.num_outputs());
    let input = c.input(1)?.with_rank_at_least(1)?;
    set_parts(c, &input, axis, |_, whole, at| whole.map(|w| known_equal(n, w, at)).transpose())
}

fn split_v_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(2)?.with_rank(0)?;
    let (axis, sizes, n) = (c.input_i64(2)?, c.input_i64s(1)?, c.num_outputs());
    let count = c.input(1)?.with_rank(1)?.dim(0);
    ensure!(count.is_none_or(|m| m == n), InvalidArgument, "Length of size_splits should be equal to num_outputs");
    let input = c.input(0)?.with_rank_at_least(1)?;
    set_parts(c, &input, axis, |i, whole, _| {
        let Some(sizes) = &sizes else { return Ok(if n == 1 { whole } else { None }) };
        Ok(match whole {
            Some(w) => usize::try_from(known_sizes(sizes, w)?[i]).ok(),
            None => usize::try_from(sizes[i]).ok(),
        })
    })
}

fn axis_of(t: &Tensor) -> Result<i64> {
    match t.to_i64s()?[..] {
        [axis] => Ok(axis),
        ref axes => bail!(InvalidArgument, "split_dim_tensor must have exactly one element, not {}", axes.len()),
    }
}

fn parts(ctx: &mut KernelContext<'_>, input: usize, at: usize, sizes: impl Iterator<Item = usize>) -> Result<()> {
    let x = ctx.input(input)?;
    let mut dims = x.shape().to_vec();
    let shapes: Vec<Shape> = sizes
        .map(|s| {
            dims[at] = s;
            Shape::new(&dims)
        })
        .collect();
    if shapes.len() == 1 {
        let x = ctx.take(input)?;
        ctx.set_output(0, x);
        return Ok(());
    }
    for (i, part) in cut(ctx.threads(), x, x.shape().around(at).0, &shapes)?.into_iter().enumerate() {
        ctx.set_output(i, part);
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Split")
            .input("split_dim: int32")
            .input("value: T")
            .output("output: num_split * T")
            .attr("num_split: int >= 1")
            .attr("T: type")
            .doc("Cuts a tensor into equal parts along the dimension `split_dim`.")
            .shape(split_shape)
            .kernel(|init| {
                let n = init.node.outputs.len();
                kernel(move |ctx| {
                    let x = ctx.input(1)?;
                    let at = place(axis_of(ctx.input(0)?)?, x.rank())?;
                    let size = equal(n, x.shape()[at], at)?;
                    parts(ctx, 1, at, std::iter::repeat_n(size, n))
                })
            }),
    );
    r.add(
        Op::new("SplitV")
            .input("value: T")
            .input("size_splits: Tlen")
            .input("split_dim: int32")
            .output("output: num_split * T")
            .attr("num_split: int >= 1")
            .attr("T: type")
            .attr("Tlen: {int32, int64} = DT_INT64")
            .doc("Cuts a tensor along the dimension `split_dim` into parts of `size_splits`, of which one may be -1.")
            .shape(split_v_shape)
            .kernel(|init| {
                let n = init.node.outputs.len();
                kernel(move |ctx| {
                    let (x, sizes) = (ctx.input(0)?, ctx.input(1)?);
                    ensure!(
                        sizes.rank() == 1 && sizes.elements() == n,
                        InvalidArgument,
                        "size_splits must have {n} elements, has shape {}",
                        sizes.shape()
                    );
                    let at = place(axis_of(ctx.input(2)?)?, x.rank())?;
                    let sizes = resolve(sizes.to_i64s()?, x.shape()[at])?;
                    parts(ctx, 0, at, sizes.into_iter().map(|s| s as usize))
                })
            }),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Result, Tensor};

    fn split(x: &Tensor, axis: i32, n: i64) -> Result<Vec<Tensor>> {
        run("Split", &[Tensor::scalar(axis), x.clone()], &[("num_split", AttrValue::Int(n))])
    }

    fn split_v(x: &Tensor, sizes: &[i64], axis: i32) -> Result<Vec<Tensor>> {
        let s = Tensor::from_slice([sizes.len()], sizes).unwrap();
        let n = AttrValue::Int(sizes.len() as i64);
        run("SplitV", &[x.clone(), s, Tensor::scalar(axis)], &[("num_split", n)])
    }

    #[test]
    fn parts_joined_are_the_whole() {
        let x = Tensor::from_slice([4, 6, 2], &(0..48i64).collect::<Vec<_>>()).unwrap();
        for axis in [0, 1, 2, -1, -2] {
            let parts = split(&x, axis, 2).unwrap();
            let args = vec![Arg::List(parts), Arg::One(Tensor::scalar(axis))];
            assert_eq!(run_args("ConcatV2", args, &[], 1).unwrap().values[0], x);
        }
        let parts = split_v(&x, &[1, -1, 0, 2], 1).unwrap();
        assert_eq!(parts.iter().map(|p| p.shape()[1]).collect::<Vec<_>>(), [1, 3, 0, 2]);
        assert_eq!(parts[3].slice::<i64>().unwrap()[..4], [8, 9, 10, 11]);
        let args = vec![Arg::List(parts), Arg::One(Tensor::scalar(1i32))];
        assert_eq!(run_args("ConcatV2", args, &[], 1).unwrap().values[0], x);
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        let x = Tensor::zeros(DType::F32, [4, 6]).unwrap();
        assert!(split(&x, 0, 3).is_err() && split(&x, 2, 2).is_err());
        for sizes in [&[1i64, 2][..], &[5, -1], &[-1, -1], &[-2, 6], &[i64::MAX, i64::MAX]] {
            assert!(split_v(&x, sizes, 0).is_err(), "{sizes:?}");
        }
    }

    #[test]
    fn empty_dimensions_split_too() {
        let x = Tensor::zeros(DType::String, [0, 6]).unwrap();
        assert_eq!(split(&x, 0, 3).unwrap()[1].shape().dims(), [0, 6]);
        assert_eq!(split(&x, 1, 3).unwrap()[2].shape().dims(), [0, 2]);
    }
}
