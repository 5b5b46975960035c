//! Where pooling windows lie: sizes and padding from attributes or inputs, and the shape rules they lead to.

use ferroflow_graph::{AttrMap, KernelContext, ShapeContext};
use ferroflow_tensor::threads::{SharedSlice, Threads, for_chunks_mut};
use ferroflow_tensor::vector::Run;
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};
use std::ops::Range;

/// Elements of one parallel block, as near as whole rows allow.
const BLOCK: usize = 1 << 14;
/// A block has at least so many windows for each that its border cuts: what a cut window costs is paid twice.
const WINDOWS_PER_CUT: usize = 4;

/// How one dimension is covered by windows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub input: usize,
    pub output: usize,
    window: usize,
    stride: usize,
    before: usize,
}

impl Axis {
    const UNIT: Axis = Axis { input: 1, output: 1, window: 1, stride: 1, before: 0 };

    pub(crate) fn new(input: usize, window: i64, stride: i64, same: bool) -> Result<Axis> {
        ensure!(stride > 0, InvalidArgument, "Stride must be > 0, but got {stride}");
        ensure!(window > 0, InvalidArgument, "Sliding window ksize must be positive, but got {window}");
        let (window, stride) = (window as usize, stride as usize);
        if same {
            let output = input.div_ceil(stride);
            let covered = output.saturating_sub(1).saturating_mul(stride).saturating_add(window);
            return Ok(Axis { input, output, window, stride, before: covered.saturating_sub(input) / 2 });
        }
        let Some(output) = input.saturating_add(stride).checked_sub(window) else {
            bail!(
                InvalidArgument,
                "Computed output size would be negative: {} [input_size: {input}, effective_filter_size: {window}, \
                 stride: {stride}]",
                (input as i64 - window as i64 + stride as i64).div_euclid(stride as i64)
            );
        };
        Ok(Axis { input, output: output / stride, window, stride, before: 0 })
    }

    /// Places before the first element that the first window covers.
    pub(crate) fn before(&self) -> usize {
        self.before
    }

    /// The windows that lie whole in the input.
    fn whole(&self) -> Range<usize> {
        let first = self.before.div_ceil(self.stride).min(self.output);
        let after = (self.input + self.before).checked_sub(self.window).map_or(0, |last| last / self.stride + 1);
        first..after.clamp(first, self.output)
    }

    /// Whether every element is in exactly one window.
    fn is_partition(&self) -> bool {
        self.window == self.stride && self.before == 0 && self.output * self.stride >= self.input
    }

    /// The elements that window `i` covers.
    pub(crate) fn covered(&self, i: usize) -> Range<usize> {
        let end = (i * self.stride).saturating_add(self.window).saturating_sub(self.before).min(self.input);
        (i * self.stride).saturating_sub(self.before).min(end)..end
    }
}

/// All windows of a tensor seen as `[outer, planes, rows, columns, inner]`.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    pub outer: usize,
    pub axes: [Axis; 3],
    pub inner: usize,
    /// The shape of the pooled tensor.
    pub pooled: Shape,
}

impl Windows {
    /// Elements of the input in one of the `outer` parts.
    pub(crate) fn in_part(&self) -> usize {
        self.axes.iter().map(|a| a.input).product::<usize>() * self.inner
    }

    /// The first element of the part that a window lies in.
    pub(crate) fn in_part_of(&self, starts: &[usize]) -> usize {
        let size = self.in_part().max(1);
        starts.first().map_or(0, |s| s / size * size)
    }

    /// Where the rows of the window at a position start.
    fn place(&self, part: usize, [p, r, c]: [usize; 3], starts: &mut Vec<usize>) {
        let [planes, rows, columns] = &self.axes;
        starts.clear();
        for p in planes.covered(p) {
            for r in rows.covered(r) {
                let line = ((part * planes.input + p) * rows.input + r) * columns.input;
                starts.extend(columns.covered(c).map(|c| (line + c) * self.inner));
            }
        }
    }

    /// Calls `f(run, columns)` for the windows of a row of output positions, in as few runs as may be.
    fn runs(&self, part: usize, [p, r]: [usize; 2], starts: &mut Vec<usize>, mut f: impl FnMut(Run<'_>, Range<usize>)) {
        let columns = &self.axes[2];
        let whole = columns.whole();
        let mut column = 0;
        while column < columns.output {
            let end = if column == whole.start { whole.end.max(column + 1) } else { column + 1 };
            self.place(part, [p, r, column], starts);
            f(Run { starts, step: columns.stride * self.inner, len: self.inner }, column..end);
            column = end;
        }
    }

    /// Calls `f(run, at, output)` for all output positions: the rows of their windows, the place of their elements in the
    /// output, and the elements.
    pub(crate) fn for_each<T: Send>(
        &self,
        threads: Threads,
        out: &mut [T],
        f: impl Fn(Run<'_>, Range<usize>, &mut [T]) + Sync,
    ) {
        let [planes, rows, columns] = self.axes.map(|a| a.output);
        let width = columns * self.inner;
        if out.is_empty() || width == 0 {
            return;
        }
        for_chunks_mut(threads, out, (BLOCK / width).max(1) * width, |start, block| {
            let mut starts = Vec::new();
            for (row, line) in (start / width..).zip(block.chunks_exact_mut(width)) {
                self.runs(row / (planes * rows), [row / rows % planes, row % rows], &mut starts, |run, columns| {
                    let cells = columns.start * self.inner..columns.end * self.inner;
                    f(run, row * width + cells.start..row * width + cells.end, &mut line[cells]);
                });
            }
        });
    }

    /// Whether every element of the input is in exactly one window.
    pub(crate) fn is_partition(&self) -> bool {
        self.axes.iter().all(Axis::is_partition)
    }

    /// Makes a gradient of the input: calls `f(run, at, base, gradient)` for all output positions, for `f` to add to the
    /// rows that lie in `gradient`, a part of the whole that starts at element `base`. It is zeroed
    /// before, unless `f` is said to write all of it.
    ///
    /// What is added to one element is added in the order of the positions. A window that lies in several parts is visited
    /// for each.
    pub(crate) fn scatter<T: Send + Default + Clone>(
        &self,
        threads: Threads,
        gradient: &mut [T],
        zeroes: bool,
        f: impl Fn(Run<'_>, Range<usize>, usize, &mut [T]) + Sync,
    ) {
        if gradient.is_empty() {
            return;
        }
        let [planes, rows, columns] = self.axes.map(|a| a.output);
        // The parts are stripes of the first dimension that there is.
        let cut_axis = usize::from(self.axes[0].input == 1 && planes == 1);
        let cut = self.axes[cut_axis];
        let index_size = self.in_part() / self.axes[..=cut_axis].iter().map(|a| a.input).product::<usize>();
        let overlap = cut.window.div_ceil(cut.stride).saturating_sub(1).min(cut.output);
        let steps = (BLOCK / (index_size * cut.stride.min(cut.input))).max(overlap * WINDOWS_PER_CUT).max(1);
        let stripes = cut.output.div_ceil(steps).max(1);
        let shared = SharedSlice::new(gradient);
        threads.run(self.outer * stripes, &|task| {
            let (part, stripe) = (task / stripes, task % stripes);
            let first = stripe * steps;
            let last = cut.output.min(first + steps);
            let low = if stripe == 0 { 0 } else { cut.covered(first).start };
            let high = if stripe + 1 == stripes { cut.input } else { cut.covered(last).start };
            let base = part * self.in_part() + low * index_size;
            // SAFETY: the stripes are disjoint: each ends where the next begins.
            let own = unsafe { shared.range(base..base + (high - low) * index_size) };
            if zeroes {
                own.fill(T::default());
            }
            let mut starts = Vec::new();
            let reaching = first.saturating_sub(overlap)..last;
            let (p_range, r_range) = if cut_axis == 0 { (reaching, 0..rows) } else { (0..planes, reaching) };
            for p in p_range {
                for r in r_range.clone() {
                    let row = ((part * planes + p) * rows + r) * columns;
                    self.runs(part, [p, r], &mut starts, |run, columns| {
                        f(run, (row + columns.start) * self.inner..(row + columns.end) * self.inner, base, own);
                    });
                }
            }
        });
    }
}

/// What the attributes, or the last two inputs, of a pooling op say.
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
    /// Of the attributes `padding` and, if the op has it, `data_format`; sizes are still to come.
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

    /// Of an op whose sizes are attributes.
    pub(crate) fn of_attrs(attrs: &AttrMap, spatial: usize) -> Result<Pooling> {
        Pooling::unsized_of(attrs, spatial)?.with_sizes(attrs.ints("ksize")?, attrs.ints("strides")?)
    }

    /// Of an op whose sizes are inputs `first` and `first + 1`.
    pub(crate) fn of_inputs(attrs: &AttrMap, ctx: &KernelContext<'_>, first: usize) -> Result<Pooling> {
        let (ksize, strides) = (ctx.input(first)?.to_i64s()?, ctx.input(first + 1)?.to_i64s()?);
        Pooling::unsized_of(attrs, 2)?.with_sizes(ksize, strides)?.within_images()
    }

    /// `of_inputs` where the graph decides the sizes; checks that they are four.
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

    /// For an op that pools within images.
    pub(crate) fn within_images(self) -> Result<Pooling> {
        ensure!(
            self.ksize[0] == 1 && self.strides[0] == 1,
            Unimplemented,
            "Pooling is not yet supported on the batch dimension."
        );
        Ok(self)
    }

    /// For an op that pools within channels of images.
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

    /// The windows of an input.
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
            axes[3 - self.spatial + d] = axis;
        }
        let (outer, inner) = if self.channels_first { (input[0] * input[1], 1) } else { (input[0], input[c]) };
        Ok(Windows { outer, axes, inner, pooled: Shape::new(&pooled) })
    }

    /// Windows along the channels.
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
        Ok(Windows { outer, axes: [Axis::UNIT, Axis::UNIT, axis], inner, pooled: Shape::new(&pooled) })
    }

    /// The pooled shape, as far as the input's is known.
    fn pooled_shape(&self, input: &PartialShape) -> Result<PartialShape> {
        let input = input.with_rank(self.spatial + 2)?;
        let mut dims = input.dims().unwrap_or_default();
        for d in 1..dims.len() {
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

/// Checks that a tensor has the shape that the others ask for.
pub(crate) fn check_shape(what: &str, tensor: &Tensor, wanted: &Shape) -> Result<()> {
    ensure!(
        tensor.shape() == wanted,
        InvalidArgument,
        "Expected {what} shape to be {wanted}, but got {}",
        tensor.shape()
    );
    Ok(())
}

/// Output 0 is input 0 pooled as the attributes say.
pub(crate) fn shape<const SPATIAL: usize>(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = Pooling::of_attrs(c, SPATIAL)?.pooled_shape(c.input(0)?)?;
    c.set_output(0, s);
    Ok(())
}

/// Outputs 0 and 1 are input 0 pooled as the attributes say.
pub(crate) fn shape_with_argmax(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = Pooling::of_attrs(c, 2)?.pooled_shape(c.input(0)?)?;
    c.set_output(0, s.clone());
    c.set_output(1, s);
    Ok(())
}

/// Output 0 is input 0 pooled as inputs 1 and 2 say.
pub(crate) fn shape_v2(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.with_rank(4)?;
    if let Some(pooling) = Pooling::of_known_inputs(c, 1)? {
        c.set_output(0, pooling.pooled_shape(&input)?);
    } else {
        c.set_output(0, PartialShape::unknown_of_rank(4));
    }
    Ok(())
}

/// Output 0 has the shape of input 0, which is of the rank that the op is for.
pub(crate) fn unpooled_shape<const SPATIAL: usize>(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(0)?.with_rank(SPATIAL + 2)?;
    c.set_output(0, s);
    Ok(())
}

/// Output 0 has the shape that input 0 describes.
pub(crate) fn described_shape<const SPATIAL: usize>(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input_as_shape(0)?.with_rank(SPATIAL + 2)?;
    c.set_output(0, s);
    Ok(())
}

/// Of a second derivative: inputs 0 and 2 have the shape of what was pooled, input 1 and the output the pooled one.
pub(crate) fn second_shape<const SPATIAL: usize>(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.merge(c.input(2)?)?;
    let s = Pooling::of_attrs(c, SPATIAL)?.pooled_shape(&input)?.merge(c.input(1)?)?;
    c.set_output(0, s);
    Ok(())
}

/// `second_shape` with the sizes in inputs 3 and 4.
pub(crate) fn second_shape_v2(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.merge(c.input(2)?)?.with_rank(4)?;
    let s = match Pooling::of_known_inputs(c, 3)? {
        Some(pooling) => pooling.pooled_shape(&input)?.merge(c.input(1)?)?,
        None => c.input(1)?.with_rank(4)?,
    };
    c.set_output(0, s);
    Ok(())
}

/// Of a second derivative by places: inputs 0 and 1 have the shape of what was pooled, input 2 and the output the pooled one.
pub(crate) fn second_shape_by_place(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.merge(c.input(1)?)?;
    let s = Pooling::of_attrs(c, 2)?.pooled_shape(&input)?.merge(c.input(2)?)?;
    c.set_output(0, s);
    Ok(())
}
