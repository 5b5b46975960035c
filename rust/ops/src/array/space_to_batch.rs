//! SpaceToBatchND, BatchToSpaceND and their 2-D forms: blocks of space moved into the batch dimension, and back.

use super::pad::padded;
use super::strided::{Walk, gathered};
use ferroflow_graph::{AttrMap, Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

/// Returns the block sizes: input 1, or for the 2-D forms the attribute, twice.
fn blocks_of(ctx: &KernelContext<'_>, block_size: Option<i64>) -> Result<Vec<i64>> {
    if let Some(b) = block_size {
        return Ok(vec![b, b]);
    }
    let t = ctx.input(1)?;
    ensure!(t.rank() == 1, InvalidArgument, "block_shape rank should be 1 instead of {}", t.rank());
    t.to_i64s()
}

fn attr_block(attrs: &AttrMap) -> Result<Option<i64>> {
    attrs.get("block_size").map(|_| attrs.int32("block_size")).transpose()
}

struct Geometry {
    blocks: Vec<usize>,
    /// Paddings or crops, by block dimension.
    edges: Vec<(usize, usize)>,
    volume: usize,
}

fn geometry(x: &Tensor, blocks: &[i64], table: &Tensor, what: &str) -> Result<Geometry> {
    let m = blocks.len();
    ensure!(x.rank() > m, InvalidArgument, "input rank should be >= {} instead of {}", m + 1, x.rank());
    ensure!(
        table.shape().dims() == [m, 2],
        InvalidArgument,
        "{} should have shape [{m}, 2] instead of {}",
        what.to_lowercase(),
        table.shape()
    );
    let mut g = Geometry { blocks: Vec::with_capacity(m), edges: Vec::with_capacity(m), volume: 1 };
    for &b in blocks {
        let size = usize::try_from(b).ok().filter(|&b| b > 0);
        let volume = size.and_then(|b| g.volume.checked_mul(b)).filter(|&v| i64::try_from(v).is_ok());
        let (Some(size), Some(volume)) = (size, volume) else {
            bail!(InvalidArgument, "Product of block sizes must be positive, got block size {b}");
        };
        g.blocks.push(size);
        g.volume = volume;
    }
    for pair in table.to_i64s()?.chunks_exact(2) {
        match (usize::try_from(pair[0]), usize::try_from(pair[1])) {
            (Ok(before), Ok(after)) => g.edges.push((before, after)),
            _ => bail!(InvalidArgument, "{what} must be non-negative"),
        }
    }
    Ok(g)
}

fn to_batch(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let block_size = attr_block(init)?;
    let zero = Tensor::zeros(init.dtype("T")?, Shape::scalar())?;
    kernel(move |ctx| {
        let blocks = blocks_of(ctx, block_size)?;
        let table = ctx.input(if block_size.is_some() { 1 } else { 2 })?;
        let g = geometry(ctx.input(0)?, &blocks, table, "Paddings")?;
        let (m, x) = (g.blocks.len(), ctx.input(0)?);
        let mut frame = vec![(0, 0)];
        frame.extend(&g.edges);
        frame.resize(x.rank(), (0, 0));
        let shape = super::pad::padded_shape(x.shape(), &frame)?;
        let mut dims = shape.to_i64();
        dims[0] = dims[0].saturating_mul(g.volume as i64);
        for (d, &b) in g.blocks.iter().enumerate() {
            let size = shape[d + 1];
            ensure!(
                size % b == 0,
                InvalidArgument,
                "padded_shape[{d}]={size} is not divisible by block_shape[{d}]={b}"
            );
            dims[d + 1] = (size / b) as i64;
        }
        let out_shape = Shape::checked(&dims)?;
        let x = padded(ctx.threads(), x, &frame, &zero)?;
        let strides = x.shape().strides();
        let mut walk = Walk::new(0);
        for (d, &b) in g.blocks.iter().enumerate() {
            walk.push(b, strides[d + 1] as isize);
        }
        walk.push(x.shape()[0], strides[0] as isize);
        for (d, &b) in g.blocks.iter().enumerate() {
            walk.push(out_shape[d + 1], (b * strides[d + 1]) as isize);
        }
        for d in m + 1..x.rank() {
            walk.push(x.shape()[d], strides[d] as isize);
        }
        let out = gathered(ctx.threads(), &x, &walk, out_shape)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn to_space(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let block_size = attr_block(init)?;
    kernel(move |ctx| {
        let blocks = blocks_of(ctx, block_size)?;
        let table = ctx.input(if block_size.is_some() { 1 } else { 2 })?;
        let x = ctx.input(0)?;
        let g = geometry(x, &blocks, table, "Crops")?;
        let (m, shape) = (g.blocks.len(), x.shape());
        ensure!(
            shape[0] % g.volume == 0,
            InvalidArgument,
            "Input batch dimension ({}) is not divisible by product of block sizes ({})",
            shape[0],
            g.volume
        );
        let batch = shape[0] / g.volume;
        let mut whole = shape.to_i64();
        whole[0] = batch as i64;
        let mut dims = whole.clone();
        for (d, (&b, &(before, after))) in g.blocks.iter().zip(&g.edges).enumerate() {
            whole[d + 1] = whole[d + 1].saturating_mul(b as i64);
            let crop = i64::try_from(before.saturating_add(after)).unwrap_or(i64::MAX);
            dims[d + 1] = whole[d + 1] - crop;
            ensure!(dims[d + 1] >= 0, InvalidArgument, "cropped_shape[{d}]={} must be non-negative", dims[d + 1]);
        }
        let (whole, out_shape) = (Shape::checked(&whole)?, Shape::checked(&dims)?);
        let strides = shape.strides();
        let mut walk = Walk::new(0);
        walk.push(batch, strides[0] as isize);
        let mut step = batch * strides[0] * g.volume;
        for (d, &b) in g.blocks.iter().enumerate() {
            step /= b;
            walk.push(shape[d + 1], strides[d + 1] as isize);
            walk.push(b, step as isize);
        }
        for d in m + 1..x.rank() {
            walk.push(shape[d], strides[d] as isize);
        }
        let mut out = gathered(ctx.threads(), x, &walk, whole)?;
        if out.shape() != &out_shape {
            let strides = out.shape().strides();
            let base = if out_shape.elements() == 0 {
                0
            } else {
                g.edges.iter().zip(&strides[1..]).map(|(e, s)| e.0 * s).sum()
            };
            let mut walk = Walk::new(base);
            for (&d, &s) in out_shape.iter().zip(&strides) {
                walk.push(d, s as isize);
            }
            out = gathered(ctx.threads(), &out, &walk, out_shape)?;
        }
        ctx.set_output(0, out);
        Ok(())
    })
}

/// Infers the shape for both rules; `batch` and `space` give the known sizes after the move.
fn infer(
    c: &mut ShapeContext<'_>,
    batch: fn(usize, usize) -> Result<Option<usize>>,
    space: fn(usize, usize, i64) -> Result<Option<usize>>,
) -> Result<()> {
    let block_size = attr_block(c)?;
    let (blocks, table) = match block_size {
        Some(b) => (Some(vec![b, b]), 1),
        None => (c.input_i64s(1)?, 2),
    };
    let count = match block_size {
        Some(_) => Some(2),
        None => c.input(1)?.with_rank(1)?.dim(0),
    };
    let Some(m) = count else { bail!(InvalidArgument, "block_shape must have known size.") };
    let input = c.input(0)?;
    let input = if block_size.is_some() { input.with_rank(4)? } else { input.with_rank_at_least(m + 1)? };
    c.input(table)?.merge(&PartialShape::from_dims(&[Some(m), Some(2)]))?;
    let Some(mut dims) = input.dims() else { return Ok(()) };
    let edges = c.input_i64s(table)?;
    if edges.iter().flatten().any(|&e| e < 0) {
        bail!(InvalidArgument, "paddings and crops cannot be negative");
    }
    match &blocks {
        Some(blocks) => {
            let mut volume = 1usize;
            for &b in blocks {
                let b = usize::try_from(b).ok().filter(|&b| b > 0);
                match b.and_then(|b| volume.checked_mul(b)) {
                    Some(v) => volume = v,
                    None => bail!(InvalidArgument, "block_shape must be positive"),
                }
            }
            dims[0] = dims[0].map(|n| batch(n, volume)).transpose()?.flatten();
        }
        None if m > 0 => dims[0] = None,
        None => {}
    }
    for d in 0..m {
        dims[d + 1] = match (dims[d + 1], &blocks, &edges) {
            (Some(size), Some(blocks), Some(edges)) => {
                space(size, blocks[d] as usize, edges[2 * d].saturating_add(edges[2 * d + 1]))?
            }
            _ => None,
        };
    }
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn to_batch_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    infer(
        c,
        |n, volume| Ok(n.checked_mul(volume)),
        |size, block, padding| {
            let padded = size.saturating_add(padding as usize);
            ensure!(
                padded.is_multiple_of(block),
                InvalidArgument,
                "Dimension size must be evenly divisible by {block} but is {padded}"
            );
            Ok(Some(padded / block))
        },
    )
}

fn to_space_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    infer(
        c,
        |n, volume| {
            ensure!(
                n.is_multiple_of(volume),
                InvalidArgument,
                "Dimension size must be evenly divisible by {volume} but is {n}"
            );
            Ok(Some(n / volume))
        },
        |size, block, crop| {
            let whole = size.saturating_mul(block);
            match whole.checked_sub(crop as usize) {
                Some(left) => Ok(Some(left)),
                None => bail!(InvalidArgument, "Negative dimension size caused by subtracting {crop} from {whole}"),
            }
        },
    )
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SpaceToBatchND")
            .input("input: T")
            .input("block_shape: Tblock_shape")
            .input("paddings: Tpaddings")
            .output("output: T")
            .attr("T: type")
            .attr("Tblock_shape: {int32, int64} = DT_INT32")
            .attr("Tpaddings: {int32, int64} = DT_INT32")
            .doc("Pads the dimensions after the first and moves the position within each block into the first.")
            .shape(to_batch_shape)
            .kernel(to_batch),
    );
    r.add(
        Op::new("SpaceToBatch")
            .input("input: T")
            .input("paddings: Tpaddings")
            .output("output: T")
            .attr("T: type")
            .attr("Tpaddings: {int32, int64} = DT_INT32")
            .attr("block_size: int >= 2")
            .doc("Computes SpaceToBatchND of images, with square blocks.")
            .shape(to_batch_shape)
            .kernel(to_batch),
    );
    r.add(
        Op::new("BatchToSpaceND")
            .input("input: T")
            .input("block_shape: Tblock_shape")
            .input("crops: Tcrops")
            .output("output: T")
            .attr("T: type")
            .attr("Tblock_shape: {int32, int64} = DT_INT32")
            .attr("Tcrops: {int32, int64} = DT_INT32")
            .doc("Moves parts of the first dimension into blocks of the following ones and crops these.")
            .shape(to_space_shape)
            .kernel(to_space),
    );
    r.add(
        Op::new("BatchToSpace")
            .input("input: T")
            .input("crops: Tidx")
            .output("output: T")
            .attr("T: type")
            .attr("block_size: int >= 2")
            .attr("Tidx: {int32, int64} = DT_INT32")
            .doc("Computes BatchToSpaceND of images, with square blocks.")
            .shape(to_space_shape)
            .kernel(to_space),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn call(op: &str, x: &Tensor, blocks: &[i32], edges: &[[i32; 2]]) -> Result<Tensor> {
        let blocks = Tensor::from_slice([blocks.len()], blocks).unwrap();
        let edges = Tensor::from_slice([edges.len(), 2], edges.as_flattened()).unwrap();
        let got = run_args(op, [x.clone(), blocks, edges].map(Arg::One).into(), &[], 1)?;
        assert_eq!(got.shapes[0].to_shape().as_ref(), Some(got.values[0].shape()));
        Ok(got.values[0].clone())
    }

    #[test]
    fn blocks_move_to_the_batch_and_back() {
        let x = Tensor::from_slice([2, 3, 4, 2], &(1..49i32).collect::<Vec<_>>()).unwrap();
        let (blocks, edges) = ([2, 3], [[1, 0], [0, 2]]);
        let y = call("SpaceToBatchND", &x, &blocks, &edges).unwrap();
        assert_eq!(y.shape().dims(), [12, 2, 2, 2]);
        let s = y.shape().strides();
        for (k, &got) in y.slice::<i32>().unwrap().iter().enumerate() {
            let (n, i, j, c) = (k / s[0], k / s[1] % 2, k / s[2] % 2, k % 2);
            let (block, batch) = (n / 2, n % 2);
            let row = (i * 2 + block / 3).checked_sub(1);
            let column = Some(j * 3 + block % 3).filter(|&c| c < 4);
            let expected = row.zip(column).map_or(0, |(r, col)| ((batch * 3 + r) * 4 + col) * 2 + c + 1);
            assert_eq!(got, expected as i32);
        }
        assert_eq!(call("BatchToSpaceND", &y, &blocks, &edges).unwrap(), x);
        assert_eq!(call("SpaceToBatchND", &x, &[], &[]).unwrap(), x);
    }

    #[test]
    fn the_forms_for_images_agree() {
        let x = Tensor::from_slice([1, 2, 4, 1], &(0..8u8).collect::<Vec<_>>()).unwrap();
        let edges = Tensor::from_slice([2, 2], &[0i32; 4]).unwrap();
        let size = [("block_size", AttrValue::Int(2))];
        let y = run("SpaceToBatch", &[x.clone(), edges.clone()], &size).unwrap();
        assert_eq!(y[0], call("SpaceToBatchND", &x, &[2, 2], &[[0, 0]; 2]).unwrap());
        assert_eq!(run("BatchToSpace", &[y[0].clone(), edges], &size).unwrap(), [x]);
    }

    #[test]
    fn what_does_not_divide_is_refused() {
        let x = Tensor::from_slice([3, 4], &[0f32; 12]).unwrap();
        assert!(call("SpaceToBatchND", &x, &[3], &[[0, 0]]).is_err());
        assert!(call("SpaceToBatchND", &x, &[0], &[[0, 0]]).is_err());
        assert!(call("SpaceToBatchND", &x, &[2], &[[-1, 1]]).is_err());
        assert!(call("SpaceToBatchND", &x, &[2, 2], &[[0, 0]; 2]).is_err());
        assert!(call("SpaceToBatchND", &x, &[2], &[[i32::MAX, i32::MAX]]).is_err());
        assert!(call("BatchToSpaceND", &x, &[2], &[[0, 0]]).is_err());
        assert!(call("BatchToSpaceND", &x, &[3], &[[6, 7]]).is_err());
        assert_eq!(call("BatchToSpaceND", &x, &[3], &[[6, 6]]).unwrap().shape().dims(), [1, 0]);
    }
}
