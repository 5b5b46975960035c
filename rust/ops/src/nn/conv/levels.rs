//! The convolution of quantized images: sums of products of integers.

use super::shape::{self, Kind};
use super::spec::Spec;
use ferroflow_graph::{AttrMap, ShapeContext};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{DType, Result, Tensor, conv};

/// Returns the function that convolves images and a filter of int32, as the attributes say.
pub(crate) fn convolved_levels(attrs: &AttrMap) -> Result<impl Fn(Threads, Tensor, &Tensor) -> Result<Tensor> + use<>> {
    let spec = Spec::of_last_channels(attrs)?;
    Ok(move |threads, x: Tensor, filter: &Tensor| {
        let sizes = spec.sizes("QuantizedConv2D", x.shape(), filter.shape())?;
        let mut out = Tensor::new(DType::I32, sizes.output.clone())?;
        conv::forward_wrapping(threads, &sizes.geometry, x.slice()?, filter.slice()?, out.slice_mut()?)?;
        Ok(out)
    })
}

/// Sets the shape of output 0, the convolved images.
pub(crate) fn conv_shape_of_levels(c: &mut ShapeContext<'_>) -> Result<()> {
    shape::output(c, 2, Kind::Full)
}
