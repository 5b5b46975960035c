//! SpaceToDepth, DepthToSpace: blocks of an image moved into its channels, and back.

use super::strided::{Walk, gathered};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Shape, ensure};

/// Returns places of height, width and channels: channels first or last.
fn layout(format: &str) -> Result<[usize; 3]> {
    ensure!(format != "NCHW_VECT_C", InvalidArgument, "Only NHWC data_format supported on CPU. Got {format}");
    Ok(if format == "NCHW" { [2, 3, 1] } else { [1, 2, 3] })
}

fn divided(size: usize, by: usize) -> Result<usize> {
    ensure!(size.is_multiple_of(by), InvalidArgument, "Dimension size must be evenly divisible by {by} but is {size}");
    Ok(size / by)
}

fn infer(c: &mut ShapeContext<'_>, to_depth: bool) -> Result<()> {
    let block = c.int32("block_size")? as usize;
    let format = c.str("data_format")?;
    if format == "NCHW_VECT_C" {
        c.set_output(0, PartialShape::unknown_of_rank(5));
        return Ok(());
    }
    let [h, w, ch] = layout(&format)?;
    let input = c.input(0)?.with_rank(4)?;
    let Some(mut dims) = input.dims() else { return Ok(()) };
    let square = block.saturating_mul(block);
    for (d, by, down) in [(h, block, to_depth), (w, block, to_depth), (ch, square, !to_depth)] {
        dims[d] = match dims[d] {
            Some(n) if down => Some(divided(n, by)?),
            Some(n) => n.checked_mul(by),
            None => None,
        };
    }
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn rearrange(init: &KernelInit<'_>, to_depth: bool) -> Result<Box<dyn Kernel>> {
    let block = init.int32("block_size")?;
    ensure!(block > 1, InvalidArgument, "Block size should be > 1, but was: {block}");
    let block = block as usize;
    let [h, w, ch] = layout(&init.str("data_format")?)?;
    kernel(move |ctx| {
        let x = ctx.input(0)?;
        ensure!(x.rank() == 4, InvalidArgument, "Input rank should be: 4 instead of: {}", x.rank());
        let (from, s) = (x.shape(), x.shape().strides());
        let square = block.saturating_mul(block);
        let mut dims = from.to_i64();
        if to_depth {
            ensure!(
                from[h].is_multiple_of(block) && from[w].is_multiple_of(block),
                InvalidArgument,
                "Image width {} and height {} should be divisible by block_size: {block}",
                from[w],
                from[h]
            );
            dims[h] /= block as i64;
            dims[w] /= block as i64;
            dims[ch] = dims[ch].saturating_mul(square as i64);
        } else {
            ensure!(
                from[ch].is_multiple_of(square),
                InvalidArgument,
                "Input depth dimension {} should be divisible by: {square}",
                from[ch]
            );
            dims[ch] /= square as i64;
            dims[h] = dims[h].saturating_mul(block as i64);
            dims[w] = dims[w].saturating_mul(block as i64);
        }
        let shape = Shape::checked(&dims)?;
        let mut walk = Walk::new(0);
        walk.push(from[0], s[0] as isize);
        // The other dimensions of the result, in order, as (size, stride in the input) from the outside in.
        for d in 1..4 {
            let parts: Vec<(usize, usize)> = match (to_depth, d == ch) {
                (true, true) => vec![(block, s[h]), (block, s[w]), (from[ch], s[ch])],
                (true, false) => vec![(shape[d], s[d] * block)],
                (false, true) => vec![(shape[ch], s[ch])],
                (false, false) => {
                    let within = if d == h { shape[ch] * block } else { shape[ch] };
                    vec![(from[d], s[d]), (block, within * s[ch])]
                }
            };
            for (size, stride) in parts {
                walk.push(size, stride as isize);
            }
        }
        let out = gathered(ctx.threads(), x, &walk, shape)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        let op = Op::new(name).input("input: T").output("output: T").attr("T: type").attr("block_size: int >= 2");
        op.attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    };
    r.add(
        op("SpaceToDepth")
            .doc("Moves each block of an image into the channels of one pixel.")
            .shape(|c| infer(c, true))
            .kernel(|init| rearrange(init, true)),
    );
    r.add(
        op("DepthToSpace")
            .doc("Spreads the channels of each pixel over a block of an image.")
            .shape(|c| infer(c, false))
            .kernel(|init| rearrange(init, false)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Result, Tensor};

    fn call(op: &str, x: &Tensor, block: i64, format: &str) -> Result<Tensor> {
        let attrs = [("block_size", AttrValue::Int(block)), ("data_format", AttrValue::Str(format.into()))];
        Ok(run(op, std::slice::from_ref(x), &attrs)?[0].clone())
    }

    #[test]
    fn blocks_move_to_the_channels_and_back() {
        let x = Tensor::from_slice([2, 4, 6, 3], &(0..144i32).collect::<Vec<_>>()).unwrap();
        let y = call("SpaceToDepth", &x, 2, "NHWC").unwrap();
        assert_eq!(y.shape().dims(), [2, 2, 3, 12]);
        for (k, &got) in y.slice::<i32>().unwrap().iter().enumerate() {
            let (n, i, j, c) = (k / 72, k / 36 % 2, k / 12 % 3, k % 12);
            let (row, column) = (i * 2 + c / 6, j * 2 + c / 3 % 2);
            assert_eq!(got as usize, ((n * 4 + row) * 6 + column) * 3 + c % 3);
        }
        assert_eq!(call("DepthToSpace", &y, 2, "NHWC").unwrap(), x);
        let x = Tensor::from_slice([1, 2, 4, 6], &(0..48i32).collect::<Vec<_>>()).unwrap();
        let y = call("SpaceToDepth", &x, 2, "NCHW").unwrap();
        assert_eq!((y.shape().dims(), y.slice::<i32>().unwrap()[6]), (&[1, 8, 2, 3][..], 24));
        assert_eq!(call("DepthToSpace", &y, 2, "NCHW").unwrap(), x);
    }

    #[test]
    fn what_does_not_divide_is_refused() {
        let x = Tensor::zeros(DType::F32, [1, 3, 4, 2]).unwrap();
        assert!(call("SpaceToDepth", &x, 2, "NHWC").is_err());
        assert!(call("DepthToSpace", &x, 2, "NHWC").is_err());
        assert!(call("SpaceToDepth", &x, 1, "NHWC").is_err());
        assert!(call("DepthToSpace", &x, i64::MAX, "NHWC").is_err());
        let empty = Tensor::zeros(DType::String, [0, 2, 2, 1]).unwrap();
        assert_eq!(call("SpaceToDepth", &empty, 2, "NHWC").unwrap().shape().dims(), [0, 1, 1, 4]);
    }
}
