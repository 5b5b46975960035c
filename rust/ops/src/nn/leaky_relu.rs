//! LeakyRelu and LeakyReluGrad: features that are not positive, or their gradients, times `alpha`.

use super::activation::same_size;
use crate::math::pairwise::{map_numbers, zip_numbers};
use crate::wide::Wide;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::vector::on_best_isa;
use ferroflow_tensor::{Result, dispatch};
use num_traits::Zero;

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;

fn leaky_relu(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alpha = init.float("alpha")?;
    dispatch!(init.output_type(0)?, T in float, {
        let alpha = T::of_attr(alpha);
        kernel(move |ctx| {
            let x = ctx.take(0)?;
            let y = map_numbers::<T>(x, ctx.threads(), BLOCK, move |x| {
                let (wide, leaked) = (x.widen(), x.widen() * alpha);
                T::narrow(if wide > Zero::zero() { wide } else { leaked })
            })?;
            ctx.set_output(0, y);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn leaky_relu_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alpha = init.float("alpha")?;
    dispatch!(init.output_type(0)?, T in float, {
        let alpha = T::of_attr(alpha);
        kernel(move |ctx| {
            let (mut g, x) = (ctx.take(0)?, ctx.take(1)?);
            same_size(&g, &x)?;
            let gradient = move |g: T, x: T| {
                let (wide, leaked) = (g.widen(), g.widen() * alpha);
                T::narrow(if x.widen() > Zero::zero() { wide } else { leaked })
            };
            if !g.is_unique() {
                let out = zip_numbers::<T>(&g, &x, ctx.threads(), BLOCK, gradient)?;
                ctx.set_output(0, out);
                return Ok(());
            }
            let x = x.slice::<T>()?;
            try_for_chunks_mut(ctx.threads(), g.slice_mut::<T>()?, BLOCK, |start, chunk| {
                let features = &x[start..start + chunk.len()];
                on_best_isa(move || chunk.iter_mut().zip(features).for_each(|(g, x)| *g = gradient(*g, *x)));
            })?;
            ctx.set_output(0, g);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let types = "T: {half, bfloat16, float, double} = DT_FLOAT";
    r.add(
        Op::new("LeakyRelu")
            .input("features: T")
            .output("activations: T")
            .attr("alpha: float = 0.2")
            .attr(types)
            .doc("Returns the feature where it is positive, `alpha` times the feature elsewhere.")
            .shape(shape_rules::unchanged)
            .kernel(leaky_relu),
    );
    r.add(
        Op::new("LeakyReluGrad")
            .input("gradients: T")
            .input("features: T")
            .output("backprops: T")
            .attr("alpha: float = 0.2")
            .attr(types)
            .doc("Returns the gradient of `LeakyRelu`.")
            .shape(shape_rules::merged)
            .kernel(leaky_relu_grad),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    #[test]
    fn features_that_are_not_positive_leak() {
        let x = Tensor::from_slice([4], &[-2.0f64, -0.0, 0.5, 3.0]).unwrap();
        let g = Tensor::from_slice([4], &[1.0f64, 2.0, 3.0, 4.0]).unwrap();
        let attrs = [("alpha", AttrValue::Float(0.25))];
        assert_eq!(
            run("LeakyRelu", std::slice::from_ref(&x), &attrs).unwrap()[0].slice::<f64>().unwrap(),
            [-0.5, -0.0, 0.5, 3.0]
        );
        let d = run("LeakyReluGrad", &[g, x], &attrs).unwrap();
        assert_eq!(d[0].slice::<f64>().unwrap(), [0.25, 0.5, 3.0, 4.0]);
    }

    #[test]
    fn alpha_is_a_fifth_unless_said() {
        let y = run("LeakyRelu", &[Tensor::scalar(-1.0f32)], &[]).unwrap();
        assert_eq!(y[0].to_scalar::<f32>().unwrap(), -0.2);
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let x: Vec<f32> = (0..50_001).map(|i| (i as f32 - 25_000.0) / 300.0).collect();
        let x = Tensor::from_slice([x.len()], &x).unwrap();
        let by = |n| run_args("LeakyRelu", vec![Arg::One(x.clone())], &[], n).unwrap().values;
        assert_eq!(by(2), by(1));
        assert_eq!(by(4), by(1));
    }
}
