//! RandomGammaGrad: how samples of the gamma distribution change with its parameter, their quantiles kept.
//!
//! Source: Figurnov, Mohamed, Mnih, "Implicit reparameterization gradients", 2018.

use crate::math::incomplete_gamma::kernel_with_formulas;
use crate::math::incomplete_gamma_derivative::{SingleDerivative, gamma_sample_derivative};
use ferroflow_graph::{Op, Registry, shape_rules};

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("RandomGammaGrad")
            .input("alpha: T")
            .input("sample: T")
            .output("output: T")
            .attr("T: {float, double}")
            .doc("Returns the derivatives by `alpha` of samples of Gamma(alpha, 1).")
            .shape(shape_rules::broadcast_binary)
            .kernel(|init| kernel_with_formulas::<SingleDerivative<false>>(init, gamma_sample_derivative)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{DType, Tensor};

    #[test]
    fn each_sample_has_the_derivative_by_its_parameter() {
        let alpha = Tensor::from_slice([2], &[0.5f32, 10.0]).unwrap();
        let samples = Tensor::from_slice([2, 2], &[0.25f32, 5.0, 0.25, 25.0]).unwrap();
        let out = run("RandomGammaGrad", &[alpha, samples], &[]).unwrap();
        let expected = [0.908_014_5f32, 0.704_579_9, 0.908_014_5, 1.552_244];
        assert_eq!(out[0].shape().dims(), [2, 2]);
        for (got, expected) in out[0].slice::<f32>().unwrap().iter().zip(expected) {
            assert!((got / expected - 1.0).abs() < 1e-6, "{got} {expected}");
        }
        let none = [DType::F64, DType::F64].map(|t| Tensor::zeros(t, [0]).unwrap());
        assert_eq!(run("RandomGammaGrad", &none, &[]).unwrap()[0].elements(), 0);
    }
}
