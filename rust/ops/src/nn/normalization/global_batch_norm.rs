//! BatchNormWithGlobalNormalization and its gradient: the last dimension's channels by given moments; of graphs from before
//! TensorFlow 1.0.

use crate::wide::{narrowed, widened};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, Scalar, Tensor, ensure};
use num_traits::Float;

struct GlobalNorm {
    epsilon: f32,
    scales: bool,
}

/// Per channel, what the tensor is multiplied by: `1 / sqrt(variance + epsilon)`, and that times gamma where it counts.
struct Factors<T> {
    inverse: Vec<T>,
    scaled: Vec<T>,
}

impl GlobalNorm {
    fn of(init: &KernelInit<'_>) -> Result<GlobalNorm> {
        Ok(GlobalNorm { epsilon: init.float("variance_epsilon")?, scales: init.bool("scale_after_normalization")? })
    }

    fn factors<T: Scalar + Float>(&self, variance: &[T], gamma: &[T]) -> Factors<T> {
        let epsilon = T::from(self.epsilon).unwrap_or_else(T::zero);
        let inverse: Vec<T> = variance.iter().map(|&v| (v + epsilon).sqrt().recip()).collect();
        let scaled = inverse.iter().zip(gamma).map(|(&i, &g)| if self.scales { i * g } else { i }).collect();
        Factors { inverse, scaled }
    }

    fn forward<T: Scalar + Float>(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let t = &inputs[0];
        let channels = channels_of(t)?;
        let [mean, variance, beta, gamma] = [(1, "mean"), (2, "var"), (3, "beta"), (4, "gamma")]
            .map(|(i, name)| vector::<T>(&inputs[i], name, channels));
        let (mean, beta) = (mean?, beta?);
        let scaled = self.factors(variance?, gamma?).scaled;
        let mut out = Tensor::new(T::DTYPE, t.shape().clone())?;
        if channels > 0 {
            let rows = t.slice::<T>()?.chunks_exact(channels);
            for (to, from) in out.slice_mut::<T>()?.chunks_exact_mut(channels).zip(rows) {
                for c in 0..channels {
                    to[c] = (from[c] - mean[c]) * scaled[c] + beta[c];
                }
            }
        }
        Ok(vec![out])
    }

    fn backward<T: Scalar + Float>(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let (t, g) = (&inputs[0], &inputs[4]);
        let channels = channels_of(t)?;
        ensure!(
            g.shape() == t.shape(),
            InvalidArgument,
            "out_backprop must have the shape of input, got {} and {}",
            g.shape(),
            t.shape()
        );
        let [mean, variance, gamma] =
            [(1, "mean"), (2, "var"), (3, "gamma")].map(|(i, name)| vector::<T>(&inputs[i], name, channels));
        let (mean, gamma) = (mean?, gamma?);
        let Factors { inverse, scaled } = self.factors(variance?, gamma);
        let mut dx = Tensor::new(T::DTYPE, t.shape().clone())?;
        // By channel, the sums of the gradients and of their products with the deviations.
        let (mut sums, mut products) = (vec![T::zero(); channels], vec![T::zero(); channels]);
        if channels > 0 {
            let rows = t.slice::<T>()?.chunks_exact(channels).zip(g.slice::<T>()?.chunks_exact(channels));
            for (to, (x, g)) in dx.slice_mut::<T>()?.chunks_exact_mut(channels).zip(rows) {
                for c in 0..channels {
                    to[c] = g[c] * scaled[c];
                    sums[c] = sums[c] + g[c];
                    products[c] = products[c] + g[c] * (x[c] - mean[c]);
                }
            }
        }
        let half = (T::one() + T::one()).recip();
        let by_channel = |f: &dyn Fn(usize) -> T| {
            let values: Vec<T> = (0..channels).map(f).collect();
            Tensor::from_slice([channels], &values)
        };
        let by_mean = by_channel(&|c| -sums[c] * scaled[c])?;
        let by_variance = by_channel(&|c| -products[c] * scaled[c] * inverse[c] * inverse[c] * half)?;
        let by_beta = by_channel(&|c| sums[c])?;
        let by_gamma = by_channel(&|c| if self.scales { products[c] * inverse[c] } else { T::zero() })?;
        Ok(vec![dx, by_mean, by_variance, by_beta, by_gamma])
    }
}

fn channels_of(t: &Tensor) -> Result<usize> {
    ensure!(t.rank() == 4, InvalidArgument, "input must be 4-dimensional{}", t.shape());
    Ok(t.shape()[3])
}

fn vector<'a, T: Scalar>(v: &'a Tensor, name: &str, channels: usize) -> Result<&'a [T]> {
    ensure!(v.rank() == 1, InvalidArgument, "{name} must be 1-dimensional{}", v.shape());
    ensure!(
        v.elements() == channels,
        InvalidArgument,
        "{name} must have one element for each of the {channels} channels, got {}",
        v.elements()
    );
    v.slice::<T>()
}

/// Returns the tensor's shape with its channels those of the vectors, and the vectors' shape.
fn shapes(c: &mut ShapeContext<'_>, vectors: std::ops::Range<usize>) -> Result<(PartialShape, PartialShape)> {
    let t = c.input(0)?.with_rank(4)?;
    let mut dims = t.dims().unwrap_or_default();
    let mut vector = PartialShape::vector(dims[3]);
    for i in vectors {
        vector = vector.merge(&c.input(i)?.with_rank(1)?)?;
    }
    dims[3] = vector.dim(0);
    Ok((PartialShape::from_dims(&dims), vector))
}

fn forward_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (t, _) = shapes(c, 1..5)?;
    c.set_output(0, t);
    Ok(())
}

fn backward_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (t, vector) = shapes(c, 1..4)?;
    let t = t.merge(c.input(4)?)?;
    c.set_output(0, t);
    for i in 1..5 {
        c.set_output(i, vector.clone());
    }
    Ok(())
}

type Function = fn(&GlobalNorm, &[Tensor]) -> Result<Vec<Tensor>>;

/// Returns the kernel of a function of the inputs; 16-bit floats are computed in f32.
fn kernel_of(init: &KernelInit<'_>, single: Function, double: Function) -> Result<Box<dyn Kernel>> {
    let (norm, dtype) = (GlobalNorm::of(init)?, init.input_type(0)?);
    ensure!(init.node.inputs.len() == 5, Internal, "batch norm with global normalization has five inputs");
    if !matches!(dtype, DType::F16 | DType::BF16 | DType::F32 | DType::F64) {
        return Err(init.unsupported());
    }
    kernel(move |ctx| {
        let inputs = ctx.inputs().iter().map(|t| widened(t.clone())).collect::<Result<Vec<_>>>()?;
        let outputs = if dtype == DType::F64 { double(&norm, &inputs) } else { single(&norm, &inputs) };
        for (i, out) in outputs?.into_iter().enumerate() {
            ctx.set_output(i, narrowed(out, dtype)?);
        }
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("BatchNormWithGlobalNormalization")
            .input("t: T")
            .input("m: T")
            .input("v: T")
            .input("beta: T")
            .input("gamma: T")
            .output("result: T")
            .attr("T: numbertype")
            .attr("variance_epsilon: float")
            .attr("scale_after_normalization: bool")
            .doc(
                "Computes `(t - m) / sqrt(v + variance_epsilon)`, times `gamma` where it counts, plus `beta`, by \
                 channel.",
            )
            .shape(forward_shape)
            .kernel(|init| kernel_of(init, GlobalNorm::forward::<f32>, GlobalNorm::forward::<f64>)),
    );
    r.add(
        Op::new("BatchNormWithGlobalNormalizationGrad")
            .input("t: T")
            .input("m: T")
            .input("v: T")
            .input("gamma: T")
            .input("backprop: T")
            .output("dx: T")
            .output("dm: T")
            .output("dv: T")
            .output("db: T")
            .output("dg: T")
            .attr("T: numbertype")
            .attr("variance_epsilon: float")
            .attr("scale_after_normalization: bool")
            .doc("Returns the gradients of `BatchNormWithGlobalNormalization` by its inputs.")
            .shape(backward_shape)
            .kernel(|init| kernel_of(init, GlobalNorm::backward::<f32>, GlobalNorm::backward::<f64>)),
    );
}
