//! `Spec`: strides, dilations, padding and layout of a convolution as its attributes say, and the sizes they lead to.

use crate::array::transpose::transposed;
use ferroflow_graph::AttrMap;
use ferroflow_tensor::conv::{Geometry, Window};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Result, Shape, Tensor, bail, ensure};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Padding {
    Same,
    Valid,
    /// Zeros before and after each dimension of space.
    Explicit([(usize, usize); 3]),
}

#[derive(Clone, Debug)]
pub(super) struct Spec {
    /// Dimensions of space: 2 or 3. Fields by dimension have these at their ends.
    pub space: usize,
    pub strides: [usize; 3],
    pub dilations: [usize; 3],
    pub padding: Padding,
    pub channels_first: bool,
}

/// The shapes of a convolution with the channels last, and all that follows from them.
#[derive(Debug)]
pub(super) struct Sizes {
    pub geometry: Geometry,
    /// In the layout of the op's tensors.
    pub output: Shape,
    /// True if the filter has a part of the input's channels. Then there is nothing to sum.
    pub is_grouped: bool,
}

impl Sizes {
    fn check_groups(&self, label: &str, filter: &Shape, is_empty: bool) -> Result<()> {
        ensure!(
            !self.is_grouped || is_empty,
            Unimplemented,
            "The {label} op currently does not support grouped convolutions on the CPU. A grouped convolution was \
             attempted to be run because the input depth of {} does not match the filter input depth of {}",
            self.geometry.inputs,
            filter[filter.rank() - 2]
        );
        Ok(())
    }
}

/// Checks a list of one number for each dimension of a tensor, of which those of batch and channels are 1.
fn by_space(list: &[i64], space: usize, first: usize, what: &str) -> Result<[usize; 3]> {
    ensure!(
        list.len() == space + 2,
        InvalidArgument,
        "Sliding window {what} field must specify {} dimensions",
        space + 2
    );
    let at = |i: usize| list.get(i).copied().unwrap_or(1);
    let channels = if first == 2 { 1 } else { space + 1 };
    ensure!(
        at(0) == 1 && at(channels) == 1,
        InvalidArgument,
        "Current implementation does not yet support {what} in the batch and depth dimensions."
    );
    let mut out = [1; 3];
    for i in 0..space {
        match u32::try_from(at(first + i)) {
            Ok(n) if n > 0 && n <= i32::MAX as u32 => out[3 - space + i] = n as usize,
            _ if what == "dilations" => bail!(InvalidArgument, "Dilated rates should be larger than 0."),
            _ if space == 2 => bail!(InvalidArgument, "Row and column strides should be larger than 0."),
            _ => bail!(InvalidArgument, "Spatial strides should be larger than 0."),
        }
    }
    Ok(out)
}

/// Returns the attribute `explicit_paddings`: before and after each dimension of the tensor.
pub(super) fn explicit_paddings(attrs: &AttrMap, space: usize, first: usize) -> Result<[(usize, usize); 3]> {
    let list = attrs.ints("explicit_paddings")?;
    ensure!(
        list.len() == 2 * (space + 2),
        InvalidArgument,
        "explicit_paddings attribute must contain {} values, but got: {}",
        2 * (space + 2),
        list.len()
    );
    let mut out = [(0, 0); 3];
    for (dimension, pair) in list.chunks_exact(2).enumerate() {
        let number = |n: i64| u32::try_from(n).ok().filter(|&n| n <= i32::MAX as u32).map(|n| n as usize);
        let Some((before, after)) = number(pair[0]).zip(number(pair[1])) else {
            bail!(InvalidArgument, "All elements of explicit_paddings must be nonnegative");
        };
        match dimension.checked_sub(first).filter(|&i| i < space) {
            Some(i) => out[3 - space + i] = (before, after),
            None => ensure!(
                (before, after) == (0, 0),
                InvalidArgument,
                "Nonzero explicit padding in the batch or depth dimensions is not supported"
            ),
        }
    }
    Ok(out)
}

/// Checks that an op whose attribute `padding` is not EXPLICIT has no other padding.
pub(super) fn no_explicit_paddings(attrs: &AttrMap) -> Result<()> {
    ensure!(
        attrs.get("explicit_paddings").is_none() || attrs.ints("explicit_paddings")?.is_empty(),
        InvalidArgument,
        "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT"
    );
    Ok(())
}

impl Spec {
    /// # Errors
    /// Reads the attributes; `InvalidArgument` if they describe no convolution.
    pub fn of(attrs: &AttrMap, space: usize) -> Result<Spec> {
        Spec::in_format(attrs, space, attrs.str("data_format")?.starts_with("NC"))
    }

    /// Reads the attributes of the first versions of the 3-D gradients, which have no layouts.
    ///
    /// # Errors
    /// As for `of`.
    pub fn of_first_version(attrs: &AttrMap) -> Result<Spec> {
        Spec::in_format(attrs, 3, false)
    }

    /// Reads the attributes of a 2-D op that has no layouts.
    ///
    /// # Errors
    /// As for `of`.
    pub fn of_last_channels(attrs: &AttrMap) -> Result<Spec> {
        Spec::in_format(attrs, 2, false)
    }

    fn in_format(attrs: &AttrMap, space: usize, channels_first: bool) -> Result<Spec> {
        let first = if channels_first { 2 } else { 1 };
        let padding = match &*attrs.str("padding")? {
            "SAME" => Padding::Same,
            "VALID" => Padding::Valid,
            _ => Padding::Explicit(explicit_paddings(attrs, space, first)?),
        };
        if space == 2 && !matches!(padding, Padding::Explicit(_)) {
            no_explicit_paddings(attrs)?;
        }
        Ok(Spec {
            space,
            strides: by_space(&attrs.int32s("strides")?, space, first, "strides")?,
            dilations: match attrs.get("dilations") {
                Some(_) => by_space(&attrs.int32s("dilations")?, space, first, "dilations")?,
                None => [1; 3],
            },
            padding,
            channels_first,
        })
    }

    fn window(&self, i: usize, input: usize, filter: usize) -> Result<Window> {
        let (stride, dilation) = (self.strides[i], self.dilations[i]);
        // TF 1.x: the formula holds for a filter without points, too.
        let reach = (filter as i128 - 1) * dilation as i128 + 1;
        let (size, step) = (input as i128, stride as i128);
        let (output, before) = match self.padding {
            Padding::Valid => ((size - reach + step) / step, 0),
            Padding::Same => {
                let output = (size + step - 1) / step;
                (output, ((output - 1) * step + reach - size).max(0) / 2)
            }
            Padding::Explicit(around) => {
                let (before, after) = (around[i].0 as i128, around[i].1 as i128);
                ((size + before + after - reach + step) / step, before)
            }
        };
        ensure!(
            output >= 0,
            InvalidArgument,
            "Computed output size would be negative: {output} [input_size: {input}, effective_filter_size: {reach}, stride: {stride}]"
        );
        let Some((output, before)) = usize::try_from(output).ok().zip(usize::try_from(before).ok()) else {
            bail!(ResourceExhausted, "a convolution's output with {output} points along a dimension");
        };
        Ok(Window { input, filter, output, stride, dilation, before })
    }

    /// Returns the sizes of a convolution of these shapes.
    ///
    /// # Errors
    /// `InvalidArgument` where they do not fit, which names `label`.
    pub fn sizes(&self, label: &str, input: &Shape, filter: &Shape) -> Result<Sizes> {
        let sizes = self.sizes_of_groups(label, input, filter)?;
        ensure!(
            !sizes.is_grouped,
            InvalidArgument,
            "{label}: input and filter must have the same depth: {} vs {}",
            sizes.geometry.inputs,
            filter[self.space]
        );
        Ok(sizes)
    }

    /// Returns the sizes of a convolution whose filter may have a part of the channels, if the output is empty.
    ///
    /// # Errors
    /// As for `sizes`; `Unimplemented` if there is an output.
    pub fn forward_sizes(&self, label: &str, input: &Shape, filter: &Shape) -> Result<Sizes> {
        let sizes = self.sizes_of_groups(label, input, filter)?;
        sizes.check_groups(label, filter, sizes.output.elements() == 0)?;
        Ok(sizes)
    }

    /// Returns the sizes of a gradient whose filter may have a part of the channels, if an operand is empty.
    ///
    /// # Errors
    /// As for `sizes` and `check_out_backprop`; then `Unimplemented` if there is something to sum.
    pub fn gradient_sizes(&self, label: &str, input: &Shape, filter: &Shape, out_backprop: &Shape) -> Result<Sizes> {
        let sizes = self.sizes_of_groups(label, input, filter)?;
        self.check_out_backprop(label, &sizes, out_backprop)?;
        let is_empty = [input, filter, &sizes.output].iter().any(|shape| shape.elements() == 0);
        sizes.check_groups(label, filter, is_empty)?;
        Ok(sizes)
    }

    fn sizes_of_groups(&self, label: &str, input: &Shape, filter: &Shape) -> Result<Sizes> {
        let rank = self.space + 2;
        ensure!(input.rank() == rank, InvalidArgument, "{label}: input must be {rank}-dimensional: {input}");
        ensure!(filter.rank() == rank, InvalidArgument, "{label}: filter must be {rank}-dimensional: {filter}");
        let (inputs, first) = if self.channels_first { (input[1], 2) } else { (input[rank - 1], 1) };
        let filter_inputs = filter[rank - 2];
        ensure!(
            inputs == filter_inputs || inputs.checked_rem(filter_inputs) == Some(0),
            InvalidArgument,
            "{label}: input and filter must have the same depth: {inputs} vs {filter_inputs}"
        );
        let mut space = [Window::FLAT; 3];
        for i in 0..self.space {
            let at = 3 - self.space + i;
            space[at] = self.window(at, input[first + i], filter[i])?;
        }
        let geometry = Geometry { batch: input[0], inputs, outputs: filter[rank - 1], space };
        Ok(Sizes { geometry, output: self.output(&geometry, geometry.outputs)?, is_grouped: inputs != filter_inputs })
    }

    /// Returns the output's shape with so many channels.
    pub fn output(&self, geometry: &Geometry, channels: usize) -> Result<Shape> {
        let mut dims = vec![geometry.batch as i64];
        if self.channels_first {
            dims.push(channels as i64);
        }
        dims.extend(geometry.space[3 - self.space..].iter().map(|w| w.output as i64));
        if !self.channels_first {
            dims.push(channels as i64);
        }
        Shape::checked(&dims)
    }

    /// Checks that a gradient's tensor has the shape of the op's output.
    ///
    /// # Errors
    /// `InvalidArgument` where its shape is another one, with TF's words.
    pub fn check_out_backprop(&self, label: &str, sizes: &Sizes, actual: &Shape) -> Result<()> {
        let rank = self.space + 2;
        ensure!(actual.rank() == rank, InvalidArgument, "{label}: out_backprop must be {rank}-dimensional");
        ensure!(
            actual[0] == sizes.geometry.batch,
            InvalidArgument,
            "{label}: input and out_backprop must have the same batch size"
        );
        let (channels, first) = if self.channels_first { (1, 2) } else { (rank - 1, 1) };
        ensure!(
            actual[channels] == sizes.output[channels],
            InvalidArgument,
            "{label}: filter and out_backprop must have the same out_depth"
        );
        for i in first..first + self.space {
            ensure!(
                actual[i] == sizes.output[i],
                InvalidArgument,
                "{label}: Size of out_backprop doesn't match computed: actual = {}, computed = {}",
                actual[i],
                sizes.output[i]
            );
        }
        Ok(())
    }

    /// Returns the tensor with its channels last.
    pub fn channels_last(&self, threads: Threads, x: Tensor) -> Result<Tensor> {
        match (self.channels_first, x.rank()) {
            (true, 4) => transposed(threads, x, &[0, 2, 3, 1]),
            (true, 5) => transposed(threads, x, &[0, 2, 3, 4, 1]),
            _ => Ok(x),
        }
    }

    /// Returns a tensor with its channels last in the layout of the op.
    pub fn in_layout(&self, threads: Threads, x: Tensor) -> Result<Tensor> {
        match (self.channels_first, x.rank()) {
            (true, 4) => transposed(threads, x, &[0, 3, 1, 2]),
            (true, 5) => transposed(threads, x, &[0, 4, 1, 2, 3]),
            _ => Ok(x),
        }
    }

    /// Returns the shape, in the op's layout, of a tensor with its channels last.
    pub fn last_of(&self, shape: &Shape) -> Shape {
        let rank = shape.rank();
        if self.channels_first && rank > 2 {
            shape[..1].iter().chain(&shape[2..]).chain(&shape[1..2]).copied().collect()
        } else {
            shape.clone()
        }
    }
}

/// Returns the shape that an int vector input holds.
///
/// # Errors
/// `InvalidArgument` where it is no vector, or no shape.
pub(super) fn sizes_input(label: &str, what: &str, sizes: &Tensor) -> Result<Shape> {
    ensure!(sizes.rank() == 1, InvalidArgument, "{label}: {what} input must be 1-dim, not {}", sizes.rank());
    let dims = sizes.to_i64s()?;
    for (i, &d) in dims.iter().enumerate() {
        ensure!(d >= 0, InvalidArgument, "Dimension {i} of {what} must be >= 0");
    }
    Shape::checked(&dims)
}
