//! Sizes and padding of pooling windows from attributes or inputs, and the shape rules they lead to.

use ferroflow_graph::{AttrMap, KernelContext, ShapeContext};
use ferroflow_tensor::pooling::{Axis, Windows};
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

/// The sizes of a pooling op, from its attributes or its last two inputs.
#[derive(Clone, Debug)]
pub(crate) struct Pooling {
    /// Dimensions that are neither batch nor channels: 2 or 3.
    spatial: usize,
    ksize: Vec<i64>,
    strides: Vec<i64>,
    same: bool,
    channels_first: bool,
}

impl Pooling {
    /// Reads the attributes `padding` and, if the op has it, `data_format`; sizes are still to come.
    fn unsized_of(attrs: &AttrMap, spatial: usize) -> Result<Pooling> {
        let same = attrs.str("padding")? == "SAME";
        let channels_first = match attrs.get("data_format") {
            None => false,
            Some(_) => match &*attrs.str("data_format")? {
                "NHWC" | "NDHWC" => false,
                "NCHW" | "NCDHW" => true,
                other => bail!(Unimplemented, "Pooling is not supported for data_format {other} on a CPU"),
            },
        };
        Ok(Pooling { spatial, ksize: Vec::new(), strides: Vec::new(), same, channels_first })
    }

    fn with_sizes(self, ksize: Vec<i64>, strides: Vec<i64>) -> Result<Pooling> {
        let values = self.spatial + 2;
        let name = if self.spatial == 2 { "Pooling" } else { "Pool3D" };
        ensure!(
            strides.len() == values,
            InvalidArgument,
            "{name} requires the stride attribute to contain {values} values, but got: {}",
            strides.len()
        );
        ensure!(
            ksize.len() == values,
            InvalidArgument,
            "{name} requires the ksize attribute to contain {values} values, but got: {}",
            ksize.len()
        );
        Ok(Pooling { ksize, strides, ..self })
    }

    /// Reads the sizes of an op from attributes.
    pub(crate) fn of_attrs(attrs: &AttrMap, spatial: usize) -> Result<Pooling> {
        Pooling::unsized_of(attrs, spatial)?.with_sizes(attrs.int32s("ksize")?, attrs.int32s("strides")?)
    }

    /// Reads the sizes of an op from inputs `first` and `first + 1`.
    pub(crate) fn of_inputs(attrs: &AttrMap, ctx: &KernelContext<'_>, first: usize) -> Result<Pooling> {
        let (ksize, strides) = (ctx.input(first)?.to_i64s()?, ctx.input(first + 1)?.to_i64s()?);
        Pooling::unsized_of(attrs, 2)?.with_sizes(ksize, strides)?.within_images()
    }

    /// Returns `of_inputs` where the graph decides the sizes; checks that they are four.
    fn of_known_inputs(c: &ShapeContext<'_>, first: usize) -> Result<Option<Pooling>> {
        for i in [first, first + 1] {
            c.input(i)?.merge(&PartialShape::vector(Some(4)))?;
        }
        let (Some(ksize), Some(strides)) = (c.input_i64s(first)?, c.input_i64s(first + 1)?) else { return Ok(None) };
        Pooling::unsized_of(c, 2)?.with_sizes(ksize, strides).map(Some)
    }

    fn channel(&self) -> usize {
        if self.channels_first { 1 } else { self.spatial + 1 }
    }

    /// Checks that windows have a size, before all else, as TF 1.x's maxima of images do.
    pub(crate) fn of_windows(self) -> Result<Pooling> {
        if let Some(d) = self.ksize.iter().position(|&size| size <= 0) {
            bail!(InvalidArgument, "Sliding window ksize for dimension {d} was zero.");
        }
        Ok(self)
    }

    /// Checks the sizes of an op that pools within images. TF 1.x: where windows have one channel, their distance along
    /// channels counts for shapes alone.
    pub(crate) fn of_one_channel(mut self) -> Result<Pooling> {
        let c = self.channel();
        if self.spatial == 2 && self.ksize[c] == 1 {
            self.strides[c] = 1;
        }
        self.within_images()
    }

    /// Checks the sizes of an op that pools within images.
    pub(crate) fn within_images(self) -> Result<Pooling> {
        ensure!(
            self.ksize[0] == 1 && self.strides[0] == 1,
            Unimplemented,
            "Pooling is not yet supported on the batch dimension."
        );
        Ok(self)
    }

    /// Checks the sizes of an op that pools within channels of images, by windows of one channel.
    pub(crate) fn of_mean(self) -> Result<Pooling> {
        self.of_one_channel()?.within_channels()
    }

    /// Checks the sizes of an op that pools within channels of images or volumes.
    pub(crate) fn within_channels(self) -> Result<Pooling> {
        let pooling = self.within_images()?;
        let c = pooling.channel();
        ensure!(
            pooling.ksize[c] == 1 && pooling.strides[c] == 1,
            Unimplemented,
            "Pooling is not yet supported on the depth dimension."
        );
        Ok(pooling)
    }

    /// Returns the windows of an input.
    pub(crate) fn windows(&self, input: &Shape) -> Result<Windows> {
        let rank = self.spatial + 2;
        ensure!(input.rank() == rank, InvalidArgument, "tensor_in must be {rank}-dimensional");
        let c = self.channel();
        let mut pooled: Vec<usize> = input.dims().to_vec();
        if self.ksize[c] != 1 || self.strides[c] != 1 {
            return self.depth_windows(input);
        }
        let first = if self.channels_first { 2 } else { 1 };
        let mut axes = [Axis::UNIT; 3];
        for d in 0..self.spatial {
            let axis = Axis::new(input[first + d], self.ksize[first + d], self.strides[first + d], self.same)?;
            pooled[first + d] = axis.output;
            // Images have rows in the place of planes: work is split along them.
            axes[if d + 1 == self.spatial { 2 } else { d }] = axis;
        }
        let (outer, inner) = if self.channels_first { (input[0] * input[1], 1) } else { (input[0], input[c]) };
        Windows::new(outer, axes, inner, Shape::new(&pooled))
    }

    /// Returns rows and columns of images with their channels last, each with the size and the distance of windows.
    pub(crate) fn image_axes(&self, input: &Shape) -> Result<[(Axis, usize, usize); 2]> {
        ensure!(input.rank() == 4, InvalidArgument, "tensor_in must be 4-dimensional");
        let axis = |d: usize| -> Result<(Axis, usize, usize)> {
            let axis = Axis::new(input[d], self.ksize[d], self.strides[d], self.same)?;
            Ok((axis, self.ksize[d] as usize, self.strides[d] as usize))
        };
        Ok([axis(1)?, axis(2)?])
    }

    /// Returns windows along the channels.
    fn depth_windows(&self, input: &Shape) -> Result<Windows> {
        let c = self.channel();
        let (window, stride, depth) = (self.ksize[c], self.strides[c], input[c]);
        let spatial = (1..self.spatial + 2).filter(|&d| d != c);
        ensure!(
            self.spatial == 2 && spatial.clone().all(|d| self.ksize[d] == 1 && self.strides[d] == 1),
            Unimplemented,
            "MaxPooling supports exactly one of pooling across depth or pooling across width/height."
        );
        ensure!(
            window > 0 && depth % window as usize == 0,
            Unimplemented,
            "Depthwise max pooling requires the depth window to evenly divide the input depth"
        );
        ensure!(
            stride == window,
            Unimplemented,
            "Depthwise max pooling requires the depth window to equal the depth stride"
        );
        let axis = Axis::new(depth, window, stride, false)?;
        let mut pooled: Vec<usize> = input.dims().to_vec();
        pooled[c] = axis.output;
        let (outer, _, inner) = input.around(c);
        Windows::new(outer, [Axis::UNIT, Axis::UNIT, axis], inner, Shape::new(&pooled))
    }

    /// Returns the pooled shape, as far as the input's is known. TF 1.x: only a maximum of images can have windows along
    /// channels (`of_channels`). Shapes of the other ops do not use the sizes along channels.
    fn pooled_shape(&self, input: &PartialShape, of_channels: bool) -> Result<PartialShape> {
        let input = input.with_rank(self.spatial + 2)?;
        let mut dims = input.dims().unwrap_or_default();
        for d in (1..dims.len()).filter(|&d| of_channels || d != self.channel()) {
            let (window, stride) = (self.ksize[d], self.strides[d]);
            ensure!(stride > 0, InvalidArgument, "Stride must be > 0, but got {stride}");
            ensure!(window > 0, InvalidArgument, "Sliding window ksize must be positive, but got {window}");
            let Some(size) = dims[d] else {
                if window != 1 || stride != 1 {
                    dims[d] = None;
                }
                continue;
            };
            ensure!(
                self.same || size as i64 >= window,
                InvalidArgument,
                "Negative dimension size caused by subtracting {window} from {size}"
            );
            dims[d] = Some(Axis::new(size, window, stride, self.same)?.output);
        }
        Ok(PartialShape::from_dims(&dims))
    }
}

/// Checks that a tensor has the shape that the others require.
pub(crate) fn check_shape(what: &str, tensor: &Tensor, expected: &Shape) -> Result<()> {
    ensure!(
        tensor.shape() == expected,
        InvalidArgument,
        "Expected {what} shape to be {expected}, but got {}",
        tensor.shape()
    );
    Ok(())
}

/// Sets output 0 to input 0 pooled by the attributes, within channels.
pub(crate) fn shape<const SPATIAL: usize>(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = Pooling::of_attrs(c, SPATIAL)?.pooled_shape(c.input(0)?, false)?;
    c.set_output(0, s);
    Ok(())
}

/// Sets output 0 to input 0, which are images, pooled by the attributes, along channels too.
pub(crate) fn shape_of_channels(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = Pooling::of_attrs(c, 2)?.pooled_shape(c.input(0)?, true)?;
    c.set_output(0, s);
    Ok(())
}

/// Sets outputs 0 and 1 to input 0 pooled by the attributes.
pub(crate) fn shape_with_argmax(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = Pooling::of_attrs(c, 2)?.pooled_shape(c.input(0)?, true)?;
    c.set_output(0, s.clone());
    c.set_output(1, s);
    Ok(())
}

/// Sets output 0 to input 0 pooled by inputs 1 and 2.
pub(crate) fn shape_v2(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.with_rank(4)?;
    if let Some(pooling) = Pooling::of_known_inputs(c, 1)? {
        c.set_output(0, pooling.pooled_shape(&input, true)?);
    } else {
        c.set_output(0, PartialShape::unknown_of_rank(4));
    }
    Ok(())
}

/// Sets output 0 to the shape of input 0, which has the op's rank.
pub(crate) fn unpooled_shape<const SPATIAL: usize>(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(0)?.with_rank(SPATIAL + 2)?;
    c.set_output(0, s);
    Ok(())
}

/// Sets output 0 to the shape that input 0 describes.
pub(crate) fn described_shape<const SPATIAL: usize>(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input_as_shape(0)?.with_rank(SPATIAL + 2)?;
    c.set_output(0, s);
    Ok(())
}

/// Sets the shape of a second derivative. Inputs 0 and 2 have the shape of the pooled input, input 1 and the output
/// that of the result.
pub(crate) fn second_shape<const SPATIAL: usize>(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.merge(c.input(2)?)?;
    let s = Pooling::of_attrs(c, SPATIAL)?.pooled_shape(&input, SPATIAL == 2)?.merge(c.input(1)?)?;
    c.set_output(0, s);
    Ok(())
}

/// Sets the shape as `second_shape` does, with the sizes in inputs 3 and 4.
pub(crate) fn second_shape_v2(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.merge(c.input(2)?)?.with_rank(4)?;
    let s = match Pooling::of_known_inputs(c, 3)? {
        Some(pooling) => pooling.pooled_shape(&input, true)?.merge(c.input(1)?)?,
        None => c.input(1)?.with_rank(4)?,
    };
    c.set_output(0, s);
    Ok(())
}

/// Sets the shape of a second derivative by places: inputs 0 and 1 have the pooled input's shape, input 2 and the
/// output the result's.
pub(crate) fn second_shape_by_place(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.merge(c.input(1)?)?;
    let s = Pooling::of_attrs(c, 2)?.pooled_shape(&input, true)?.merge(c.input(2)?)?;
    c.set_output(0, s);
    Ok(())
}
