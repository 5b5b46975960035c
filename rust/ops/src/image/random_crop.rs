//! RandomCrop: a part of an image at a random place; of graphs from before TensorFlow 0.8.

use super::shapes::{known_size, size_of};
use crate::random::stream::{Stream, seeded};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::philox::Words;
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, bail, dispatch, ensure};

/// Returns the first index of a part of that size along a dimension.
fn offset(whole: usize, part: usize, words: &mut Words) -> usize {
    if whole > part { words.next_u32() as usize % (whole - part + 1) } else { 0 }
}

fn crop(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let stream = Stream::new(init)?;
    dispatch!(init.input_type(0)?, T in real, {
        kernel(move |ctx| {
            let image = ctx.input(0)?;
            let [height, width, channels] = *image.shape().dims() else {
                bail!(InvalidArgument, "input must be 3-dimensional{}", image.shape())
            };
            let [to_height, to_width] = size_of(ctx.input(1)?)?;
            let shape = Shape::checked(&[to_height, to_width, channels as i64])?;
            let (rows, columns) = (shape[0], shape[1]);
            ensure!(
                width >= columns,
                FailedPrecondition,
                "width must be >= target_width: width = {width}, target_width = {columns}"
            );
            ensure!(
                height >= rows,
                FailedPrecondition,
                "height must be >= target_height: height = {height}, target_height = {rows}"
            );
            let mut words = Words::new(stream.reserve(1));
            let left = offset(width, columns, &mut words);
            let top = offset(height, rows, &mut words);
            let mut out = Tensor::new(image.dtype(), shape)?;
            let (from, row) = (image.slice::<T>()?, columns * channels);
            for (y, line) in out.slice_mut::<T>()?.chunks_exact_mut(row.max(1)).enumerate() {
                let at = ((top + y) * width + left) * channels;
                line.copy_from_slice(&from[at..at + row]);
            }
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let channels = c.input(0)?.with_rank(3)?.dim(2);
    let [height, width] = known_size(c, 1)?;
    c.set_output(0, PartialShape::from_dims(&[height, width, channels]));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        seeded(Op::new("RandomCrop").input("image: T").input("size: int64").output("output: T"))
            .attr("T: {uint8, int8, int16, int32, int64, float, double}")
            .doc("Returns a part of an image, of that height and width, at a random place.")
            .shape(shape)
            .kernel(crop),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Rerun, run};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Code, Tensor};

    #[test]
    fn a_part_is_a_part_of_the_image_and_another_one_each_time() {
        let values: Vec<i32> = (0..9 * 8 * 2).collect();
        let image = Tensor::from_slice([9, 8, 2], &values).unwrap();
        let inputs = [image, Tensor::from_slice([2], &[3i64, 4]).unwrap()];
        let attrs = [("seed", AttrValue::Int(3)), ("seed2", AttrValue::Int(5))];
        let node = Rerun::new("RandomCrop", &inputs, &attrs).unwrap();
        let mut firsts = Vec::new();
        for _ in 0..8 {
            let part = node.run(1).unwrap().remove(0);
            let part = part.slice::<i32>().unwrap();
            let expected: Vec<i32> = (0..3).flat_map(|y| (0..8).map(move |x| part[0] + 16 * y + x)).collect();
            assert_eq!(part, expected);
            firsts.push(part[0]);
        }
        assert!(firsts.iter().any(|first| *first != firsts[0]));
        assert_eq!(node.shapes()[0].to_shape().unwrap(), [3, 4, 2].into());
    }

    #[test]
    fn a_part_larger_than_the_image_is_refused() {
        let image = Tensor::from_slice([1, 2, 1], &[1i32, 2]).unwrap();
        let e = run("RandomCrop", &[image, Tensor::from_slice([2], &[1i64, 3]).unwrap()], &[]).unwrap_err();
        assert_eq!(e.code(), Code::FailedPrecondition);
        assert_eq!(e.message(), "width must be >= target_width: width = 2, target_width = 3");
    }
}
