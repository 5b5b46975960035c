//! ApplyGradientDescent: `var -= alpha * delta`.

use super::apply::{Rule, Scalars, dense, op};
use ferroflow_graph::Registry;
use ferroflow_tensor::vector::scalar::Elementary;

struct GradientDescent;

impl Rule<1> for GradientDescent {
    const INPUTS: &'static [&'static str] = &["var", "alpha", "delta"];
    const GRADIENT: usize = 2;

    #[inline(always)]
    fn step<F: Elementary>(&self, &[alpha, ..]: &Scalars<F>, [var]: [F; 1], delta: F) -> [F; 1] {
        [var - delta * alpha]
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        op::<1, GradientDescent>("ApplyGradientDescent", false, "Subtracts `alpha * delta` from a variable.")
            .kernel(|init| dense(init, GradientDescent)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, Rerun};
    use ferroflow_tensor::{Code, DType, Tensor, f16};

    const OP: &str = "ApplyGradientDescent";

    fn node(var: Arg, alpha: Tensor, delta: Tensor) -> ferroflow_tensor::Result<Rerun> {
        Rerun::of_args(OP, vec![var, Arg::One(alpha), Arg::One(delta)], &[])
    }

    #[test]
    fn the_variable_moves_against_the_gradient() {
        let n = 100_003;
        let var: Vec<f32> = (0..n).map(|i| i as f32 / 7.0).collect();
        let delta: Vec<f32> = (0..n).map(|i| (i % 13) as f32 - 6.0).collect();
        let expected: Vec<f32> = var.iter().zip(&delta).map(|(v, d)| v - d * 0.1).collect();
        for threads in [1, 2, 4] {
            let t = |v: &[f32]| Tensor::from_slice([v.len()], v).unwrap();
            let node = node(Arg::Variable(t(&var)), Tensor::scalar(0.1f32), t(&delta)).unwrap();
            node.run(threads).unwrap();
            assert!(node.variable(0).unwrap().slice::<f32>().unwrap() == expected, "{threads} threads");
        }
    }

    #[test]
    fn half_computes_through_f32() {
        let h = |x: f32| Tensor::from_slice([1], &[f16::from_f32(x)]).unwrap();
        let alpha = Tensor::scalar(f16::from_f32(0.1));
        let node = node(Arg::Variable(h(1.0)), alpha, h(0.3)).unwrap();
        node.run(1).unwrap();
        let expected = 1.0 - f16::from_f32(0.3).to_f32() * f16::from_f32(0.1).to_f32();
        assert_eq!(node.variable(0).unwrap(), h(expected));
    }

    #[test]
    fn readers_of_the_old_value_keep_it() {
        let old = Tensor::from_slice([3], &[1.0f64, 2.0, 3.0]).unwrap();
        let node = node(Arg::Variable(old.clone()), Tensor::scalar(1.0f64), old.clone()).unwrap();
        node.run(1).unwrap();
        assert_eq!(node.variable(0).unwrap().slice::<f64>().unwrap(), [0.0; 3]);
        assert_eq!(old.slice::<f64>().unwrap(), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn misuse_is_an_error() {
        let zeros = |s: &[usize]| Tensor::zeros(DType::F32, s).unwrap();
        let uninitialized = node(Arg::Uninitialized(DType::F32), zeros(&[]), zeros(&[2])).unwrap().run(1).unwrap_err();
        assert_eq!(uninitialized.code(), Code::FailedPrecondition);
        assert_eq!(uninitialized.message(), "Attempting to use uninitialized value v0");
        assert!(node(Arg::Variable(zeros(&[2])), zeros(&[]), zeros(&[3])).is_err());
        assert!(node(Arg::Variable(zeros(&[2])), zeros(&[2]), zeros(&[2])).is_err());
    }
}
