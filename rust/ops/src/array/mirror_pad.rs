//! MirrorPad, MirrorPadGrad: a tensor framed by its own reflection, and the sum that is its gradient.

use super::pad::{infer, padded_shape, pairs};
use crate::sums::Summed;
use ferroflow_graph::{AttrMap, Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::{Movable, Result, Shape, Tensor, by_size, dispatch, ensure};
use std::ops::Range;

/// Elements of one parallel block.
const BLOCK: usize = 1 << 15;

/// Returns the number of edge elements that the reflection leaves out: 1 for REFLECT, 0 for SYMMETRIC.
pub(crate) fn edge(attrs: &AttrMap) -> Result<usize> {
    Ok(usize::from(attrs.str("mode")? == "REFLECT"))
}

fn check(pairs: &[(usize, usize)], inside: &Shape, edge: usize, what: &str) -> Result<()> {
    for (&(before, after), &d) in pairs.iter().zip(inside.iter()) {
        let (rule, words) =
            if edge == 1 { ("less than", "not less than") } else { ("no greater than", "greater than") };
        let most = d.checked_sub(edge);
        ensure!(
            most.is_some_and(|m| before <= m && after <= m),
            InvalidArgument,
            "paddings must be {rule} the {what}dimension size: {before}, {after} {words} {d}"
        );
    }
    Ok(())
}

/// Returns, for each dimension, the input's offset for every index of the output.
fn offsets(inside: &Shape, pairs: &[(usize, usize)], edge: usize) -> Vec<Vec<usize>> {
    let strides = inside.strides();
    let axis = |d: usize| {
        let (n, (before, after)) = (inside[d], pairs[d]);
        let head = (0..before).map(move |i| before - 1 - i + edge);
        let tail = (0..after).map(move |i| (n - 1 - edge).wrapping_sub(i));
        head.chain(0..n).chain(tail).map(|i| i * strides[d]).collect()
    };
    (0..inside.rank()).map(axis).collect()
}

/// Returns the offset of the first element of row `r`, the row being the last axis.
fn row_offset(outer: &[Vec<usize>], mut r: usize) -> usize {
    let mut at = 0;
    for axis in outer.iter().rev() {
        at += axis[r % axis.len()];
        r /= axis.len();
    }
    at
}

/// Writes the rows of the output. Those in `middle` have a row of the input as it is.
fn reflect<E: Movable>(
    threads: Threads,
    from: &[E],
    axes: &[Vec<usize>],
    middle: Range<usize>,
    to: &mut [E],
) -> Result<()> {
    let Some((inner, outer)) = axes.split_last() else {
        to.clone_from_slice(from);
        return Ok(());
    };
    let row = inner.len();
    if to.is_empty() {
        return Ok(());
    }
    try_for_chunks_mut(threads, to, (BLOCK / row).max(1) * row, |start, chunk| {
        for (k, line) in chunk.chunks_exact_mut(row).enumerate() {
            let at = row_offset(outer, start / row + k);
            line[middle.clone()].clone_from_slice(&from[at..at + middle.len()]);
            for k in (0..middle.start).chain(middle.end..row) {
                line[k] = from[at + inner[k]].clone();
            }
        }
    })?;
    Ok(())
}

/// Adds every element of `from` to the element of `to` that it is a copy of, in row-major order.
fn fold<T: Summed>(from: &[T], axes: &[Vec<usize>], to: &mut [T]) {
    let Some((inner, outer)) = axes.split_last() else {
        to.copy_from_slice(from);
        return;
    };
    for (r, line) in from.chunks_exact(inner.len().max(1)).enumerate() {
        let at = row_offset(outer, r);
        for (&x, &i) in line.iter().zip(inner) {
            to[at + i] = to[at + i].plus(x);
        }
    }
}

/// Returns a tensor framed by its reflection, which leaves out `edge` elements at each end, with the pairs of a table.
pub(crate) fn mirrored(threads: Threads, x: &Tensor, table: &Tensor, edge: usize) -> Result<Tensor> {
    let pairs = pairs(table, x.shape())?;
    check(&pairs, x.shape(), edge, "")?;
    let mut out = Tensor::new(x.dtype(), padded_shape(x.shape(), &pairs)?)?;
    let axes = offsets(x.shape(), &pairs, edge);
    let middle = pairs.last().zip(x.shape().last()).map_or(0..0, |(&(before, _), &n)| before..before + n);
    by_size!(x.dtype(), E, {
        reflect(threads, E::view(x)?, &axes, middle, E::view_mut(&mut out)?)?;
        Ok(())
    })?;
    Ok(out)
}

fn mirror(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let edge = edge(init)?;
    kernel(move |ctx| {
        let out = mirrored(ctx.threads(), ctx.input(0)?, ctx.input(1)?, edge)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn mirror_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let edge = edge(init)?;
    let dtype = init.dtype("T")?;
    dispatch!(dtype, T in number, kernel(move |ctx| {
        let dy = ctx.input(0)?;
        let pairs = pairs(ctx.input(1)?, dy.shape())?;
        let mut inside = Vec::with_capacity(dy.rank());
        for (&d, &(before, after)) in dy.shape().iter().zip(&pairs) {
            let size = d.checked_sub(before).and_then(|d| d.checked_sub(after));
            ensure!(size.is_some(), InvalidArgument, "paddings {before}, {after} are more than the dimension size {d}");
            inside.extend(size);
        }
        let inside = Shape::new(&inside);
        check(&pairs, &inside, edge, "output ")?;
        let axes = offsets(&inside, &pairs, edge);
        let mut out = Tensor::zeros(dtype, inside)?;
        fold::<T>(dy.slice()?, &axes, out.slice_mut()?);
        ctx.set_output(0, out);
        Ok(())
    }), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        let op = Op::new(name).input("input: T").input("paddings: Tpaddings").output("output: T").attr("T: type");
        op.attr("Tpaddings: {int32, int64} = DT_INT32").attr("mode: {'REFLECT', 'SYMMETRIC'}")
    };
    let grown = |c: &mut ShapeContext<'_>| infer(c, |d, b, a| Ok(d.saturating_add(b).saturating_add(a)));
    let shrunk = |c: &mut ShapeContext<'_>| {
        infer(c, |d, b, a| {
            let left = d.saturating_sub(b).saturating_sub(a);
            ensure!(left >= 0, InvalidArgument, "paddings {b}, {a} are more than the dimension size {d}");
            Ok(left)
        })
    };
    r.add(
        op("MirrorPad")
            .doc("Frames a tensor by its reflection, without (REFLECT) or with (SYMMETRIC) the edge itself.")
            .shape(grown)
            .kernel(mirror),
    );
    r.add(
        op("MirrorPadGrad")
            .doc("Folds a frame that MirrorPad made back onto the elements it was copied from.")
            .shape(shrunk)
            .kernel(mirror_grad),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn call(op: &str, x: &Tensor, pairs: &[[i32; 2]], mode: &str) -> Result<Tensor> {
        let table = Tensor::from_slice([pairs.len(), 2], pairs.as_flattened()).unwrap();
        Ok(run(op, &[x.clone(), table], &[("mode", AttrValue::Str(mode.into()))])?[0].clone())
    }

    #[test]
    fn reflections_with_and_without_the_edge() {
        let x = Tensor::from_slice([2, 3], &[1i32, 2, 3, 4, 5, 6]).unwrap();
        let y = call("MirrorPad", &x, &[[1, 1], [2, 2]], "REFLECT").unwrap();
        let expected = [6, 5, 4, 5, 6, 5, 4, 3, 2, 1, 2, 3, 2, 1, 6, 5, 4, 5, 6, 5, 4, 3, 2, 1, 2, 3, 2, 1];
        assert_eq!(y.slice::<i32>().unwrap(), expected);
        let y = call("MirrorPad", &x, &[[0, 2], [3, 0]], "SYMMETRIC").unwrap();
        assert_eq!(y.slice::<i32>().unwrap()[..6], [3, 2, 1, 1, 2, 3]);
        assert_eq!(y.slice::<i32>().unwrap()[12..18], [6, 5, 4, 4, 5, 6]);
        assert_eq!(y.shape().dims(), [4, 6]);
    }

    #[test]
    fn the_gradient_counts_the_copies() {
        for mode in ["REFLECT", "SYMMETRIC"] {
            let x = Tensor::from_slice([3, 4], &(0..12i64).collect::<Vec<_>>()).unwrap();
            let pairs = [[1, 2], [2, 0]];
            let y = call("MirrorPad", &x, &pairs, mode).unwrap();
            let g = call("MirrorPadGrad", &y, &pairs, mode).unwrap();
            for (i, &sum) in g.slice::<i64>().unwrap().iter().enumerate() {
                assert_eq!(sum, y.slice::<i64>().unwrap().iter().filter(|&&v| v == i as i64).sum::<i64>());
            }
        }
    }

    #[test]
    fn frames_wider_than_the_tensor_are_refused() {
        let x = Tensor::from_slice([2], &[1f32, 2.]).unwrap();
        assert!(call("MirrorPad", &x, &[[2, 0]], "REFLECT").is_err());
        assert!(call("MirrorPad", &x, &[[2, 0]], "SYMMETRIC").is_ok());
        assert!(call("MirrorPad", &x, &[[0, 3]], "SYMMETRIC").is_err());
        assert!(call("MirrorPadGrad", &x, &[[2, 1]], "SYMMETRIC").is_err());
        let empty = Tensor::zeros(ferroflow_tensor::DType::F32, [0, 3]).unwrap();
        assert!(call("MirrorPad", &empty, &[[1, 0], [0, 0]], "REFLECT").is_err());
        // TF 1.15: a dimension without elements cannot be reflected, not even without padding.
        assert!(call("MirrorPad", &empty, &[[0, 0], [1, 1]], "REFLECT").is_err());
        assert_eq!(call("MirrorPad", &empty, &[[0, 0], [1, 1]], "SYMMETRIC").unwrap().shape().dims(), [0, 5]);
    }
}
