//! ExtractImagePatches: the patches that a filter of that size would see, in the channels of the result.

use super::sampling::for_rows;
use ferroflow_graph::{AttrMap, Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Movable, PartialShape, Result, Shape, Tensor, bail, by_size, ensure};

/// Patches along one dimension. Sizes and rates that are not positive have a shape, and no kernel takes them.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    pub size: i64,
    pub stride: usize,
    pub rate: i64,
}

impl Axis {
    /// Returns the number of patches along `length` pixels, and the padding before the first.
    pub fn windows(self, length: usize, same: bool) -> Result<(usize, usize)> {
        let (length, stride) = (length as i128, self.stride as i128);
        // From the first to the last pixel of a patch.
        let extent = (i128::from(self.size) - 1) * i128::from(self.rate) + 1;
        if !same {
            let output = (length - extent + stride) / stride;
            let Ok(count) = usize::try_from(output) else {
                bail!(
                    InvalidArgument,
                    "Computed output size would be negative: {output} [input_size: {length}, effective_filter_size: \
                     {extent}, stride: {stride}]"
                );
            };
            return Ok((count, 0));
        }
        let count = (length + stride - 1) / stride;
        let before = ((count - 1) * stride + extent - length).max(0) / 2;
        Ok((count as usize, if count == 0 { 0 } else { before as usize }))
    }

    /// Returns the pixel at place `k` of window `i`; `None` in the padding.
    pub fn place(self, i: usize, k: usize, before: usize, length: usize) -> Option<usize> {
        (i * self.stride + k * self.rate as usize).checked_sub(before).filter(|&at| at < length)
    }

    /// Returns an error where patches have no pixels, which the shape function leaves to the kernel.
    pub fn check(self) -> Result<()> {
        ensure!(self.size >= 1, OutOfRange, "ksizes is out of range.");
        ensure!(self.rate >= 1, OutOfRange, "rates is out of range.");
        Ok(())
    }
}

/// Returns the channels of the result, where they are known.
pub(super) fn depth(axes: &[Axis], channels: Option<usize>) -> Result<Option<usize>> {
    let sizes = axes.iter().map(|axis| i128::from(axis.size)).product::<i128>();
    let Some(channels) = channels else { return Ok((sizes == 0).then_some(0)) };
    let Ok(depth) = i64::try_from(sizes.saturating_mul(channels as i128)) else {
        bail!(InvalidArgument, "ksizes are too large for {channels} channels")
    };
    let Ok(depth) = usize::try_from(depth) else {
        bail!(InvalidArgument, "Negative dimension size caused by overflow when multiplying {channels} and {sizes}")
    };
    Ok(Some(depth))
}

#[derive(Clone, Copy)]
struct Patches {
    rows: Axis,
    columns: Axis,
    same: bool,
    /// The attribute with which windows would extend along the batch or the channels.
    beyond_space: Option<&'static str>,
}

impl Patches {
    fn of(attrs: &AttrMap) -> Result<Patches> {
        let mut beyond_space = None;
        let mut list = |name: &'static str| -> Result<[i64; 2]> {
            let values = attrs.int32s(name)?;
            let [batch, rows, columns, depth] = values[..] else {
                bail!(InvalidArgument, "{name} must specify 4 dimensions")
            };
            if batch != 1 || depth != 1 {
                beyond_space.get_or_insert(name);
            }
            Ok([rows, columns])
        };
        let (sizes, strides, rates) = (list("ksizes")?, list("strides")?, list("rates")?);
        // TF 1.x: the shape function refuses strides, and the kernel the others.
        let least = strides[0].min(strides[1]);
        ensure!(least >= 1, InvalidArgument, "Stride must be > 0, but got {least}");
        let axis = |i: usize| Axis { size: sizes[i], stride: strides[i] as usize, rate: rates[i] };
        Ok(Patches { rows: axis(0), columns: axis(1), same: attrs.str("padding")? == "SAME", beyond_space })
    }
}

fn take<E: Movable>(ctx: &KernelContext<'_>, patches: Patches, x: &Tensor, out: &mut Tensor) -> Result<()> {
    let (from, to) = (x.shape().clone(), out.shape().clone());
    let channels = from[3];
    let (_, above) = patches.rows.windows(from[1], patches.same)?;
    let (_, left) = patches.columns.windows(from[2], patches.same)?;
    let pixels = E::view(x)?;
    let depth = to[3];
    for_rows(
        ctx.threads(),
        &to,
        E::view_mut(out)?,
        || (),
        |(), image, y, line| {
            for (x, patch) in line.chunks_exact_mut(depth).enumerate() {
                let mut places = patch.chunks_exact_mut(channels);
                for ky in 0..patches.rows.size as usize {
                    let row = patches.rows.place(y, ky, above, from[1]);
                    for kx in 0..patches.columns.size as usize {
                        let Some(to) = places.next() else { return };
                        match (row, patches.columns.place(x, kx, left, from[2])) {
                            (Some(row), Some(column)) => {
                                let at = ((image * from[1] + row) * from[2] + column) * channels;
                                to.clone_from_slice(&pixels[at..at + channels]);
                            }
                            _ => to.fill(E::default()),
                        }
                    }
                }
            }
        },
    )?;
    Ok(())
}

fn extract(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let patches = Patches::of(init)?;
    // TF 1.x: the shape function leaves this to the kernel, too.
    patches.rows.check()?;
    patches.columns.check()?;
    if let Some(name) = patches.beyond_space {
        bail!(Unimplemented, "Only support {name} across space.");
    }
    kernel(move |ctx| {
        let x = ctx.input(0)?;
        ensure!(x.rank() == 4, InvalidArgument, "input must be 4-dimensional{}", x.shape());
        let from = x.shape();
        let (h, _) = patches.rows.windows(from[1], patches.same)?;
        let (w, _) = patches.columns.windows(from[2], patches.same)?;
        let depth = depth(&[patches.rows, patches.columns], Some(from[3]))?.unwrap_or_default();
        let dims = [from[0], h, w, depth].map(|d| d as i64);
        let mut out = Tensor::new(x.dtype(), Shape::checked(&dims)?)?;
        by_size!(x.dtype(), E, take::<E>(ctx, patches, x, &mut out))?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let patches = Patches::of(c)?;
    let input = c.input(0)?.with_rank(4)?;
    let along = |axis: Axis, length: Option<usize>| -> Result<Option<usize>> {
        Ok(match length {
            Some(n) => Some(axis.windows(n, patches.same)?.0),
            None => None,
        })
    };
    let dims = [
        input.dim(0),
        along(patches.rows, input.dim(1))?,
        along(patches.columns, input.dim(2))?,
        depth(&[patches.rows, patches.columns], input.dim(3))?,
    ];
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ExtractImagePatches")
            .input("images: T")
            .output("patches: T")
            .attr("ksizes: list(int) >= 4")
            .attr("strides: list(int) >= 4")
            .attr("rates: list(int) >= 4")
            .attr("T: realnumbertype")
            .attr("padding: {'SAME', 'VALID'}")
            .doc("Takes patches of images, each into the channels of one pixel.")
            .shape(shape)
            .kernel(extract),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn call(x: &Tensor, size: i64, stride: i64, rate: i64, padding: &str) -> Result<Tensor> {
        let list = |n: i64| AttrValue::List([1, n, n, 1].map(AttrValue::Int).into());
        let attrs = [
            ("ksizes", list(size)),
            ("strides", list(stride)),
            ("rates", list(rate)),
            ("padding", AttrValue::Str(padding.into())),
        ];
        Ok(run("ExtractImagePatches", std::slice::from_ref(x), &attrs)?[0].clone())
    }

    #[test]
    fn patches_lie_in_the_channels() {
        let x = Tensor::from_slice([1, 2, 3, 1], &[1i32, 2, 3, 4, 5, 6]).unwrap();
        let y = call(&x, 2, 1, 1, "VALID").unwrap();
        assert_eq!((y.shape().dims(), y.slice::<i32>().unwrap()), (&[1, 1, 2, 4][..], &[1, 2, 4, 5, 2, 3, 5, 6][..]));
        let y = call(&x, 2, 2, 1, "SAME").unwrap();
        assert_eq!(y.slice::<i32>().unwrap(), [1, 2, 4, 5, 3, 0, 6, 0]);
        let y = call(&x, 1, 1, 7, "VALID").unwrap();
        assert_eq!(y.slice::<i32>().unwrap(), [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn patches_larger_than_the_image_are_none_or_refused() {
        let x = Tensor::from_slice([1, 2, 3, 1], &[1i32, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(call(&x, 3, 1, 1, "VALID").unwrap().shape().dims(), [1, 0, 1, 9]);
        let error = call(&x, 3, 1, 2, "VALID").unwrap_err();
        assert!(error.message().contains("would be negative: -2"), "{}", error.message());
        assert!(call(&x, i64::MAX, 1, 1, "VALID").is_err());
        assert!(call(&x, 0, 1, 1, "VALID").is_err());
    }
}
