//! The shape rules of convolutions.

use super::spec::{explicit_paddings, no_explicit_paddings};
use ferroflow_graph::ShapeContext;
use ferroflow_tensor::{PartialShape, Result, bail, ensure};

/// The source of the output's channels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// All channels of the input.
    Full,
    /// One channel of the input each.
    Depthwise,
}

/// Returns sizes of windows: `(input - reach + stride) / stride` where padding does not decide it otherwise.
pub(super) fn points(
    input: Option<usize>,
    filter: Option<usize>,
    stride: i64,
    dilation: i64,
    padding: &str,
    around: (usize, usize),
) -> Result<Option<usize>> {
    ensure!(stride > 0, InvalidArgument, "Stride must be > 0, but got {stride}");
    ensure!(dilation >= 1, InvalidArgument, "Dilation rate must be >= 1, but got {dilation}");
    // TF 1.x: a filter without places has no places between them, whatever the input's size.
    let is_spread = dilation > 1 && padding != "SAME";
    ensure!(!is_spread || filter != Some(0), InvalidArgument, "Negative dimension size caused by subtracting 1 from 0");
    let Some(input) = input else { return Ok(None) };
    let (size, stride) = (input as i128, i128::from(stride));
    if padding == "SAME" {
        return Ok(usize::try_from((size + stride - 1) / stride).ok());
    }
    let Some(filter) = filter else { return Ok(None) };
    let reach = if dilation > 1 { (filter as i128 - 1) * i128::from(dilation) + 1 } else { filter as i128 };
    let size = size + around.0 as i128 + around.1 as i128;
    ensure!(size >= reach, InvalidArgument, "Negative dimension size caused by subtracting {reach} from {size}");
    Ok(usize::try_from((size - reach + stride) / stride).ok())
}

/// Sets the shape of the output of a convolution over `space` dimensions.
pub(super) fn output(c: &mut ShapeContext<'_>, space: usize, kind: Kind) -> Result<()> {
    let rank = space + 2;
    let channels_first = c.get("data_format").is_some() && c.str("data_format")?.starts_with("NC");
    let (channel, first) = if channels_first { (1, 2) } else { (rank - 1, 1) };
    let (input, filter) = (c.input(0)?.with_rank(rank)?, c.input(1)?.with_rank(rank)?);
    let name = match (kind, space) {
        (Kind::Depthwise, _) => "DepthwiseConv2D",
        (Kind::Full, 2) => "Conv2D",
        (Kind::Full, _) => "Conv3D",
    };
    let (strides, dilations) = (c.int32s("strides")?, c.int32s("dilations")?);
    for (list, what) in [(&dilations, "dilation"), (&strides, "stride")] {
        if list.len() != rank {
            bail!(
                InvalidArgument,
                "{name} requires the {what} attribute to contain {rank} values, but got: {}",
                list.len()
            );
        }
    }
    let (inputs, filter_inputs) = (input.dim(channel), filter.dim(space));
    // TF 1.x: a filter with a part of the input's channels is one of groups, which no CPU sums. They may be empty.
    let are_different = inputs.zip(filter_inputs).filter(|(a, b)| a != b);
    if let Some((a, b)) = are_different {
        let may_be_groups = kind == Kind::Full && a.checked_rem(b) == Some(0);
        ensure!(may_be_groups, InvalidArgument, "Dimensions must be equal, but are {a} and {b}");
    }
    let padding = c.str("padding")?;
    let mut around = [(0, 0); 3];
    if padding == "EXPLICIT" {
        around = explicit_paddings(c, space, first)?;
    } else if kind == Kind::Full {
        no_explicit_paddings(c)?;
    }
    let mut dims = vec![None; rank];
    dims[0] = input.dim(0);
    dims[channel] = match kind {
        Kind::Full => filter.dim(rank - 1),
        Kind::Depthwise => {
            let inputs = inputs.or(filter_inputs);
            match (inputs, filter.dim(rank - 1)) {
                (Some(0), _) | (_, Some(0)) => Some(0),
                (inputs, multiplier) => inputs.zip(multiplier).and_then(|(n, by)| n.checked_mul(by)),
            }
        }
    };
    for i in 0..space {
        let (at, around) = (first + i, around[3 - space + i]);
        dims[at] = points(input.dim(at), filter.dim(i), strides[at], dilations[at], &padding, around)?;
    }
    if let Some((a, b)) = are_different {
        ensure!(dims.contains(&Some(0)), InvalidArgument, "Dimensions must be equal, but are {a} and {b}");
    }
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

/// Sets the shape that input `sizes` holds, of rank `rank`.
pub(super) fn given(c: &mut ShapeContext<'_>, sizes: usize, rank: usize) -> Result<()> {
    let shape = c.input_as_shape(sizes)?.with_rank(rank)?;
    c.set_output(0, shape);
    Ok(())
}
