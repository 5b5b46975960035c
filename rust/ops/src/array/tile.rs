//! Tile, TileGrad, BroadcastTo: a tensor repeated along its dimensions.

use super::strided::{Odometer, Walk, gathered};
use crate::sums::Summed;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, bail, broadcast, dispatch, ensure};

fn multiples_of(table: &Tensor, rank: usize, least: i64, word: &str) -> Result<Vec<i64>> {
    ensure!(table.rank() == 1, InvalidArgument, "Expected multiples to be 1-D, but got shape {}", table.shape());
    ensure!(
        table.elements() == rank,
        InvalidArgument,
        "Expected multiples argument to be a vector of length {rank} but got length {}",
        table.elements()
    );
    let multiples = table.to_i64s()?;
    for (i, &m) in multiples.iter().enumerate() {
        ensure!(m >= least, InvalidArgument, "Expected multiples[{i}] {word} 0, but got {m}");
    }
    Ok(multiples)
}

/// Infers the shape of Tile. TF 1.x: a multiple of -1 counts as unknown.
fn tiled(c: &mut ShapeContext<'_>) -> Result<()> {
    let multiples = c.input_as_shape(1)?;
    let Some(rank) = c.input(0)?.rank().or(multiples.rank()) else { return Ok(()) };
    let (input, multiples) = (c.input(0)?.with_rank(rank)?, multiples.with_rank(rank)?);
    let dims: Vec<_> = (0..rank)
        .map(|i| match (input.dim(i), multiples.dim(i)) {
            (Some(0), _) | (_, Some(0)) => Some(0),
            (Some(1), size) | (size, Some(1)) => size,
            // A product beyond any dimension is left to the step, which refuses it.
            (size, count) => size.zip(count).and_then(|(d, m)| d.checked_mul(m)).filter(|&n| i64::try_from(n).is_ok()),
        })
        .collect();
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

/// Infers the shape of TileGrad: dimension d of multiple m becomes `f(d, m)`.
fn infer(c: &mut ShapeContext<'_>, f: fn(i64, i64) -> Option<i64>) -> Result<()> {
    let table = c.input(1)?.with_rank(1)?;
    let Some(rank) = c.input(0)?.rank().or(table.dim(0)) else { return Ok(()) };
    let input = c.input(0)?.with_rank(rank)?;
    ensure!(
        table.dim(0).is_none_or(|n| n == rank),
        InvalidArgument,
        "Shape must be rank {} but is rank {rank}",
        table.dim(0).unwrap_or(rank)
    );
    let Some(multiples) = c.input_partial_i64s(1)?.filter(|m| m.len() == rank) else {
        c.set_output(0, PartialShape::unknown_of_rank(rank));
        return Ok(());
    };
    let mut dims = Vec::with_capacity(rank);
    for (i, &m) in multiples.iter().enumerate() {
        let m = match m {
            Some(m) if m < 0 => bail!(InvalidArgument, "Expected multiples[{i}] >= 0, but got {m}"),
            m => m,
        };
        let size = input.dim(i).zip(m).and_then(|(d, m)| f(d as i64, m));
        dims.push(size.and_then(|d| usize::try_from(d).ok()));
    }
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn tile_shape(x: &Shape, multiples: &Tensor) -> Result<Shape> {
    let multiples = multiples_of(multiples, x.rank(), 0, ">=")?;
    let sizes: Vec<i64> = x.iter().zip(&multiples).map(|(&d, &m)| m.saturating_mul(d as i64)).collect();
    Shape::checked(&sizes)
}

fn tile(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let x = ctx.input(0)?;
        let shape = tile_shape(x.shape(), ctx.input(1)?)?;
        let multiples = ctx.input(1)?.to_i64s()?;
        if multiples.iter().all(|&m| m == 1) {
            let x = ctx.take(0)?;
            ctx.set_output(0, x);
            return Ok(());
        }
        let strides = x.shape().strides();
        let mut walk = Walk::new(0);
        for (d, &m) in multiples.iter().enumerate() {
            walk.push(m as usize, 0);
            walk.push(x.shape()[d], strides[d] as isize);
        }
        let out = gathered(ctx.threads(), x, &walk, shape)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

/// Adds every element of `from`, walked in row-major order of `dims`, to the element of `to` at its offset.
fn sum<T: Summed>(from: &[T], dims: &[usize], strides: &[isize], to: &mut [T]) {
    if from.is_empty() {
        return;
    }
    let mut at = Odometer::new(dims, strides, 0);
    for &x in from {
        let to = &mut to[at.offset as usize];
        *to = to.plus(x);
        at.advance();
    }
}

fn tile_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("T")?;
    dispatch!(dtype, T in number, kernel(move |ctx| {
        let x = ctx.input(0)?;
        let multiples = multiples_of(ctx.input(1)?, x.rank(), 1, ">")?;
        let mut inner = Vec::with_capacity(x.rank());
        for (i, (&d, &m)) in x.shape().iter().zip(&multiples).enumerate() {
            let m = m as usize;
            ensure!(
                d % m == 0,
                InvalidArgument,
                "Expected input_dim[{i}] to be divisible by multiples[{i}], but {d} % {m} != 0"
            );
            inner.push(d / m);
        }
        let inner = Shape::new(&inner);
        let steps = inner.strides();
        let (mut dims, mut strides) = (Vec::new(), Vec::new());
        for (d, &m) in multiples.iter().enumerate() {
            dims.extend([m as usize, inner[d]]);
            strides.extend([0, steps[d] as isize]);
        }
        let mut out = Tensor::zeros(dtype, inner)?;
        sum::<T>(x.slice()?, &dims, &strides, out.slice_mut()?);
        ctx.set_output(0, out);
        Ok(())
    }), else Err(init.unsupported()))
}

fn broadcast_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let out = c.input_as_shape(1)?;
    let input = c.input(0)?;
    if let (Some(from), Some(mut to)) = (input.dims(), out.dims()) {
        ensure!(
            from.len() <= to.len(),
            InvalidArgument,
            "Shape must be at most rank {} but is rank {}",
            to.len(),
            from.len()
        );
        for (&f, t) in from.iter().rev().zip(to.iter_mut().rev()) {
            let fits = f.is_none() || f == Some(1) || t.is_none() || f == *t;
            ensure!(fits, InvalidArgument, "Incompatible shapes: {input} vs. {out}");
            // Only a dimension of one is stretched.
            *t = t.or(f.filter(|&f| f > 1));
        }
        c.set_output(0, PartialShape::from_dims(&to));
        return Ok(());
    }
    c.set_output(0, out);
    Ok(())
}

/// Returns a tensor stretched to a shape that it broadcasts to.
pub(crate) fn stretched(threads: Threads, x: &Tensor, shape: Shape) -> Result<Tensor> {
    let missing = shape.rank() - x.rank();
    let strides = x.shape().strides();
    let mut walk = Walk::new(0);
    for (i, &d) in shape.iter().enumerate() {
        let is_repeated = i < missing || x.shape()[i - missing] == 1;
        walk.push(d, if is_repeated { 0 } else { strides[i - missing] as isize });
    }
    gathered(threads, x, &walk, shape)
}

fn shape_of_broadcast(x: &Shape, dims: &Tensor) -> Result<Shape> {
    ensure!(dims.rank() == 1, InvalidArgument, "shape must be 1-D, got shape {}", dims.shape());
    let shape = Shape::checked(&dims.to_i64s()?)?;
    let fits = broadcast(x, &shape).is_ok_and(|s| s == shape);
    ensure!(fits, InvalidArgument, "Incompatible shapes: {x} vs. {shape}");
    Ok(shape)
}

fn broadcast_to(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let x = ctx.input(0)?;
        let shape = shape_of_broadcast(x.shape(), ctx.input(1)?)?;
        let out = if shape.elements() == x.elements() {
            ctx.take(0)?.reshaped(shape)?
        } else {
            stretched(ctx.threads(), x, shape)?
        };
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Tile")
            .input("input: T")
            .input("multiples: Tmultiples")
            .output("output: T")
            .attr("T: type")
            .attr("Tmultiples: {int32, int64} = DT_INT32")
            .doc("Repeats a tensor multiples[d] times along each dimension d.")
            .shape(tiled)
            .stretches(0, 1, tile_shape)
            .kernel(tile),
    );
    r.add(
        Op::new("TileGrad")
            .input("input: T")
            .input("multiples: int32")
            .output("output: T")
            .attr("T: type")
            .doc("Sums the multiples[d] tiles along each dimension d.")
            .shape(|c| infer(c, |d, m| if m > 0 && d % m == 0 { Some(d / m) } else { None }))
            .kernel(tile_grad),
    );
    r.add(
        Op::new("BroadcastTo")
            .input("input: T")
            .input("shape: Tidx")
            .output("output: T")
            .attr("T: type")
            .attr("Tidx: {int32, int64} = DT_INT32")
            .doc("Stretches a tensor to a shape that it broadcasts to.")
            .shape(broadcast_shape)
            .stretches(0, 1, shape_of_broadcast)
            .kernel(broadcast_to),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_tensor::{DType, Result, Tensor};

    fn vector(v: &[i32]) -> Tensor {
        Tensor::from_slice([v.len()], v).unwrap()
    }

    fn call(op: &str, x: &Tensor, v: &[i32]) -> Result<Tensor> {
        let got = run_args(op, vec![Arg::One(x.clone()), Arg::One(vector(v))], &[], 2)?;
        assert_eq!(got.shapes[0].to_shape().as_ref(), Some(got.values[0].shape()));
        Ok(got.values[0].clone())
    }

    #[test]
    fn tiles_repeat_and_their_sum_is_the_gradient() {
        let x = Tensor::from_slice([2, 1, 3], &[1i32, 2, 3, 4, 5, 6]).unwrap();
        for multiples in [[1, 1, 1], [2, 3, 1], [1, 4, 2], [3, 1, 5]] {
            let y = call("Tile", &x, &multiples).unwrap();
            let s = y.shape().strides();
            for (n, &got) in y.slice::<i32>().unwrap().iter().enumerate() {
                let at: usize = (0..3).fold(0, |at, d| at * x.shape()[d] + n / s[d] % y.shape()[d] % x.shape()[d]);
                assert_eq!(got, at as i32 + 1);
            }
            let g = call("TileGrad", &y, &multiples).unwrap();
            let copies: i32 = multiples.iter().product();
            assert_eq!(g.slice::<i32>().unwrap(), [1, 2, 3, 4, 5, 6].map(|v| v * copies));
        }
        let word = Tensor::from_strings([1], vec![b"a"[..].into()]).unwrap();
        assert_eq!(call("Tile", &word, &[2]).unwrap().strings().unwrap()[1].as_ref(), b"a");
        assert_eq!(call("Tile", &x, &[0, 1, 2]).unwrap().shape().dims(), [0, 1, 6]);
    }

    #[test]
    fn broadcasting_stretches_ones_and_adds_dimensions() {
        let x = Tensor::from_slice([2, 1], &[1i32, 2]).unwrap();
        let y = call("BroadcastTo", &x, &[2, 2, 3]).unwrap();
        assert_eq!(y.slice::<i32>().unwrap(), [1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2]);
        assert_eq!(call("BroadcastTo", &Tensor::scalar(true), &[2]).unwrap().slice::<bool>().unwrap(), [true; 2]);
        let empty = Tensor::zeros(DType::F32, [0, 1]).unwrap();
        assert_eq!(call("BroadcastTo", &empty, &[0, 4]).unwrap().shape().dims(), [0, 4]);
        for faulty in [&[3, 1][..], &[2], &[1, 1], &[2, -1], &[0, 1]] {
            assert!(call("BroadcastTo", &x, faulty).is_err(), "{faulty:?}");
        }
    }

    #[test]
    fn faulty_multiples_are_refused() {
        let x = Tensor::zeros(DType::F64, [2, 2]).unwrap();
        for faulty in [&[1][..], &[-1, 1], &[i32::MAX, i32::MAX]] {
            assert!(call("Tile", &x, faulty).is_err(), "{faulty:?}");
        }
        let huge = Tensor::from_slice([2], &[i64::MAX, 2]).unwrap();
        assert!(run("Tile", &[x.clone(), huge], &[]).is_err());
        assert!(call("TileGrad", &x, &[0, 1]).is_err());
    }
}
