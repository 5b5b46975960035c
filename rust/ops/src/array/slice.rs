//! Slice: a block of a tensor, by its first index and its size.

use super::strided::{Walk, gathered};
use ferroflow_graph::{Fusion, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, ensure};

/// Returns the size of dimension `i` of the block; -1 reaches to the end.
fn extent(i: usize, begin: i64, size: i64, dim: i64) -> Result<i64> {
    ensure!((0..=dim).contains(&begin), InvalidArgument, "Expected begin[{i}] in [0, {dim}], but got {begin}");
    let size = if size == -1 { dim - begin } else { size };
    ensure!(
        (0..=dim - begin).contains(&size),
        InvalidArgument,
        "Expected size[{i}] in [0, {}], but got {size}",
        dim - begin
    );
    Ok(size)
}

/// Returns first index and size of the block that `begin` and `size` name in a tensor of this shape.
pub(crate) fn block(shape: &Shape, begin: &Tensor, size: &Tensor) -> Result<(Vec<usize>, Shape)> {
    ensure!(
        begin.rank() == 1 && size.rank() == 1 && begin.elements() == shape.rank() && size.elements() == shape.rank(),
        InvalidArgument,
        "Expected begin and size arguments to be 1-D tensors of size {}, but got shapes {} and {} instead.",
        shape.rank(),
        begin.shape(),
        size.shape()
    );
    let (begin, mut size) = (begin.to_i64s()?, size.to_i64s()?);
    for (i, &d) in shape.iter().enumerate() {
        size[i] = extent(i, begin[i], size[i], d as i64)?;
    }
    Ok((begin.iter().map(|&b| b as usize).collect(), Shape::checked(&size)?))
}

/// Returns the shape of a block of a tensor of shape `input` that inputs `begin` and `begin + 1` name.
pub(crate) fn block_shape(c: &mut ShapeContext<'_>, input: PartialShape, begin: usize) -> Result<PartialShape> {
    let (first, size) = (begin, begin + 1);
    let (begin_shape, size_shape) = (c.input(first)?.with_rank(1)?, c.input(size)?.with_rank(1)?);
    let Some(rank) = input.rank().or(begin_shape.dim(0)).or(size_shape.dim(0)) else {
        return Ok(PartialShape::unknown());
    };
    for s in [begin_shape, size_shape] {
        let n = s.dim(0).unwrap_or(rank);
        ensure!(n == rank, InvalidArgument, "Shape must be rank {n} but is rank {rank}");
    }
    let input = input.with_rank(rank)?;
    let (begin, sizes) = (c.input_i64s(first)?, c.input_i64s(size)?);
    let Some(sizes) = sizes else {
        let known = c.input_as_shape(size)?;
        return PartialShape::unknown_of_rank(rank).merge(&known);
    };
    let mut dims = Vec::with_capacity(rank);
    for (i, &n) in sizes.iter().enumerate() {
        ensure!(n >= -1, InvalidArgument, "Expected size[{i}] to be at least -1, but got {n}");
        dims.push(match (&begin, input.dim(i)) {
            // TF 1.x: the step checks the bounds of a block whose size is given.
            (Some(begin), Some(d)) if n == -1 => usize::try_from(extent(i, begin[i], n, d as i64)?).ok(),
            _ => usize::try_from(n).ok(),
        });
    }
    Ok(PartialShape::from_dims(&dims))
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.clone();
    let block = block_shape(c, input, 1)?;
    c.set_output(0, block);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Slice")
            .fusion(Fusion::Block)
            .input("input: T")
            .input("begin: Index")
            .input("size: Index")
            .output("output: T")
            .attr("T: type")
            .attr("Index: {int32, int64}")
            .doc("Returns the block of `input` that begins at `begin` and has `size`; a size of -1 reaches to the end.")
            .shape(shape)
            .kernel(|_| {
                kernel(|ctx| {
                    let x = ctx.input(0)?;
                    let (begin, shape) = block(x.shape(), ctx.input(1)?, ctx.input(2)?)?;
                    let strides = x.shape().strides();
                    let base = begin.iter().zip(&strides).map(|(b, s)| b * s).sum();
                    let out = if shape == *x.shape() {
                        ctx.take(0)?
                    } else {
                        let mut walk = Walk::new(base);
                        for (&d, &s) in shape.iter().zip(&strides) {
                            walk.push(d, s as isize);
                        }
                        gathered(ctx.threads(), x, &walk, shape)?
                    };
                    ctx.set_output(0, out);
                    Ok(())
                })
            }),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{Result, Tensor};

    fn slice(x: &Tensor, begin: &[i32], size: &[i32]) -> Result<Tensor> {
        let vector = |v: &[i32]| Tensor::from_slice([v.len()], v).unwrap();
        Ok(run("Slice", &[x.clone(), vector(begin), vector(size)], &[])?[0].clone())
    }

    #[test]
    fn every_block_of_a_cube() {
        let x = Tensor::from_slice([3, 4, 5], &(0..60u8).collect::<Vec<_>>()).unwrap();
        for (b, n) in
            [([0, 0, 0], [3, 4, 5]), ([1, 2, 3], [2, 1, 2]), ([0, 1, 0], [-1, -1, 5]), ([3, 0, 5], [0, 4, -1])]
        {
            let y = slice(&x, &b, &n).unwrap();
            let mut expected = Vec::new();
            let size = |k: usize| if n[k] == -1 { x.shape()[k] as i32 - b[k] } else { n[k] };
            for i in b[0]..b[0] + size(0) {
                for j in b[1]..b[1] + size(1) {
                    expected.extend((b[2]..b[2] + size(2)).map(|k| (i * 20 + j * 5 + k) as u8));
                }
            }
            assert_eq!(y.slice::<u8>().unwrap(), expected);
            assert_eq!(y.shape().dims(), [size(0) as usize, size(1) as usize, size(2) as usize]);
        }
    }

    #[test]
    fn blocks_outside_are_refused() {
        let x = Tensor::from_slice([3], &[1u8, 2, 3]).unwrap();
        for (b, n) in [(4, 0), (-1, 1), (2, 2), (0, 4), (0, -2), (i32::MAX, i32::MAX)] {
            assert!(slice(&x, &[b], &[n]).is_err(), "{b} {n}");
        }
        assert!(slice(&x, &[0, 0], &[1, 1]).is_err());
    }
}
