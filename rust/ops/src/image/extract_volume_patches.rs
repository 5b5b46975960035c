//! ExtractVolumePatches: the patches that a filter of that size would see, in the channels of the result.

use super::extract_image_patches::{Axis, depth};
use ferroflow_graph::{AttrMap, Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{Movable, PartialShape, Result, Shape, Tensor, bail, by_size, ensure};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;

struct Patches {
    axes: [Axis; 3],
    same: bool,
    /// The attribute with which windows would extend along the batch or the channels.
    beyond_space: Option<&'static str>,
}

impl Patches {
    fn of(attrs: &AttrMap) -> Result<Patches> {
        let mut beyond_space = None;
        let mut list = |name: &'static str| -> Result<[i64; 3]> {
            let values = attrs.int32s(name)?;
            let &[batch, planes, rows, columns, depth] = &values[..] else {
                bail!(InvalidArgument, "{name} must specify 5 dimensions")
            };
            if batch != 1 || depth != 1 {
                beyond_space.get_or_insert(name);
            }
            Ok([planes, rows, columns])
        };
        let (sizes, strides) = (list("ksizes")?, list("strides")?);
        let least = strides.into_iter().min().unwrap_or(1);
        ensure!(least >= 1, InvalidArgument, "Stride must be > 0, but got {least}");
        let axis = |i: usize| Axis { size: sizes[i], stride: strides[i] as usize, rate: 1 };
        Ok(Patches { axes: [axis(0), axis(1), axis(2)], same: attrs.str("padding")? == "SAME", beyond_space })
    }
}

fn take<E: Movable>(ctx: &KernelContext<'_>, patches: &Patches, x: &Tensor, out: &mut Tensor) -> Result<()> {
    let (from, to) = (x.shape().clone(), out.shape().clone());
    let mut before = [0; 3];
    for (i, axis) in patches.axes.iter().enumerate() {
        before[i] = axis.windows(from[i + 1], patches.same)?.1;
    }
    let (channels, depth) = (from[4], to[4]);
    if out.elements() == 0 {
        return Ok(());
    }
    let place = |axis: usize, i: usize, k: usize| patches.axes[axis].place(i, k, before[axis], from[axis + 1]);
    let voxels = E::view(x)?;
    let sizes = patches.axes.map(|axis| axis.size as usize);
    try_for_chunks_mut(ctx.threads(), E::view_mut(out)?, (BLOCK / depth).max(1) * depth, |start, chunk| {
        for (n, patch) in chunk.chunks_exact_mut(depth).enumerate() {
            let at = start / depth + n;
            let (column, at) = (at % to[3], at / to[3]);
            let (row, at) = (at % to[2], at / to[2]);
            let (plane, volume) = (at % to[1], at / to[1]);
            let mut pieces = patch.chunks_exact_mut(channels);
            for kp in 0..sizes[0] {
                for kr in 0..sizes[1] {
                    for kc in 0..sizes[2] {
                        let Some(to) = pieces.next() else { return };
                        match (place(0, plane, kp), place(1, row, kr), place(2, column, kc)) {
                            (Some(p), Some(r), Some(c)) => {
                                let at = (((volume * from[1] + p) * from[2] + r) * from[3] + c) * channels;
                                to.clone_from_slice(&voxels[at..at + channels]);
                            }
                            _ => to.fill(E::default()),
                        }
                    }
                }
            }
        }
    })?;
    Ok(())
}

fn extract(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let patches = Patches::of(init)?;
    // TF 1.x: the shape function leaves this to the kernel.
    patches.axes.iter().try_for_each(|axis| axis.check())?;
    if let Some(name) = patches.beyond_space {
        bail!(Unimplemented, "Only support {name} across space.");
    }
    kernel(move |ctx| {
        let x = ctx.input(0)?;
        ensure!(x.rank() == 5, InvalidArgument, "input must be 5-dimensional{}", x.shape());
        let from = x.shape();
        let mut dims = vec![from[0] as i64];
        for (axis, &length) in patches.axes.iter().zip(&from[1..4]) {
            dims.push(axis.windows(length, patches.same)?.0 as i64);
        }
        dims.push(depth(&patches.axes, Some(from[4]))?.unwrap_or_default() as i64);
        let mut out = Tensor::new(x.dtype(), Shape::checked(&dims)?)?;
        by_size!(x.dtype(), E, take::<E>(ctx, &patches, x, &mut out))?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let patches = Patches::of(c)?;
    let input = c.input(0)?.with_rank(5)?;
    let mut dims = vec![input.dim(0)];
    for (i, axis) in patches.axes.iter().enumerate() {
        dims.push(match input.dim(i + 1) {
            Some(n) => Some(axis.windows(n, patches.same)?.0),
            None => None,
        });
    }
    dims.push(depth(&patches.axes, input.dim(4))?);
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ExtractVolumePatches")
            .input("input: T")
            .output("patches: T")
            .attr("ksizes: list(int) >= 5")
            .attr("strides: list(int) >= 5")
            .attr("T: realnumbertype")
            .attr("padding: {'SAME', 'VALID'}")
            .doc("Takes patches of volumes, each into the channels of one place.")
            .shape(shape)
            .kernel(extract),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn call(sizes: [i64; 5], stride: i64, padding: &str) -> Result<Tensor> {
        let x = Tensor::from_slice([1, 2, 2, 2, 2], &(0..16).collect::<Vec<i32>>())?;
        let list = |values: [i64; 5]| AttrValue::List(values.map(AttrValue::Int).into());
        let attrs = [
            ("ksizes", list(sizes)),
            ("strides", list([1, stride, stride, stride, 1])),
            ("padding", AttrValue::Str(padding.into())),
        ];
        Ok(run("ExtractVolumePatches", &[x], &attrs)?[0].clone())
    }

    #[test]
    fn patches_lie_in_the_channels() {
        let y = call([1, 1, 2, 2, 1], 1, "SAME").unwrap();
        assert_eq!(y.shape().dims(), [1, 2, 2, 2, 8]);
        assert_eq!(y.slice::<i32>().unwrap()[8..16], [2, 3, 0, 0, 6, 7, 0, 0]);
        let whole = call([1, 2, 2, 2, 1], 1, "VALID").unwrap();
        assert_eq!(whole.slice::<i32>().unwrap(), (0..16).collect::<Vec<_>>());
    }

    #[test]
    fn patches_larger_than_the_volume_are_none_or_refused() {
        assert_eq!(call([1, 3, 2, 2, 1], 1, "VALID").unwrap().shape().dims(), [1, 0, 1, 1, 24]);
        assert!(call([1, 4, 2, 2, 1], 1, "VALID").is_err());
        assert!(call([2, 1, 2, 2, 1], 1, "VALID").is_err());
        assert!(call([1, 1, 2, 2, 1], 0, "VALID").is_err());
    }
}
