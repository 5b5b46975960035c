//! ResourceApplyAdam and its kin: the optimizers' updates through handles, by the kernels that update through references.

use super::apply::{Rule, Scalars, dense, op, sparse};
use ferroflow_graph::{KernelInit, Registry};
use ferroflow_tensor::Result;
use ferroflow_tensor::vector::scalar::Elementary;

/// The ops over references that have a twin of the same inputs and attributes.
const TWINS: [&str; 28] = [
    "ApplyAdadelta",
    "ApplyAdagrad",
    "ApplyAdagradDA",
    "ApplyAdagradV2",
    "ApplyAdaMax",
    "ApplyAdam",
    "ApplyAddSign",
    "ApplyCenteredRMSProp",
    "ApplyFtrl",
    "ApplyFtrlV2",
    "ApplyGradientDescent",
    "ApplyMomentum",
    "ApplyPowerSign",
    "ApplyProximalAdagrad",
    "ApplyProximalGradientDescent",
    "ApplyRMSProp",
    "SparseApplyAdadelta",
    "SparseApplyAdagrad",
    "SparseApplyAdagradDA",
    "SparseApplyAdagradV2",
    "SparseApplyCenteredRMSProp",
    "SparseApplyFtrl",
    "SparseApplyFtrlV2",
    "SparseApplyMomentum",
    "SparseApplyProximalAdagrad",
    "SparseApplyProximalGradientDescent",
    "SparseApplyRMSProp",
    "StridedSliceAssign",
];

/// The momentum of TF's Keras: what gathers is the step itself, learning rate and sign included.
struct KerasMomentum {
    nesterov: bool,
}

impl KerasMomentum {
    fn new(init: &KernelInit<'_>) -> Result<KerasMomentum> {
        Ok(KerasMomentum { nesterov: init.bool("use_nesterov")? })
    }
}

impl Rule<2> for KerasMomentum {
    const INPUTS: &'static [&'static str] = &["var", "accum", "lr", "grad", "momentum"];
    const GRADIENT: usize = 3;

    #[inline(always)]
    fn step<F: Elementary>(&self, &[lr, momentum, ..]: &Scalars<F>, [var, accum]: [F; 2], g: F) -> [F; 2] {
        let accum = accum * momentum - g * lr;
        let step = if self.nesterov { accum * momentum - g * lr } else { accum };
        [var + step, accum]
    }
}

/// Adam by the largest second moment so far. Source: Reddi, Kale, Kumar, "On the convergence of Adam and beyond", ICLR 2018.
struct Amsgrad;

impl Rule<4> for Amsgrad {
    const INPUTS: &'static [&'static str] =
        &["var", "m", "v", "vhat", "beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"];
    const GRADIENT: usize = 10;
    const SOUGHT: &'static [&'static str] = &["vhat"];

    #[inline(always)]
    fn step<F: Elementary>(
        &self,
        &[beta1_power, beta2_power, lr, beta1, beta2, epsilon, ..]: &Scalars<F>,
        [var, m, v, vhat]: [F; 4],
        g: F,
    ) -> [F; 4] {
        let one = F::one();
        let alpha = lr * (one - beta2_power).sqrt() / (one - beta1_power);
        let m = m + (g - m) * (one - beta1);
        let v = v + (g * g - v) * (one - beta2);
        // TF 1.x: `vhat` keeps its value where `v` is NaN. A NaN gradient stays visible in `m`.
        let vhat = if vhat < v { v } else { vhat };
        [var - m * alpha / (vhat.sqrt() + epsilon), m, v, vhat]
    }
}

pub(super) fn register(r: &mut Registry) {
    for name in TWINS {
        r.add_over_handles(name);
    }
    let nesterov = "use_nesterov: bool = false";
    let doc = "`accum = accum * momentum - lr * grad; var += accum`.";
    r.add(
        op::<2, KerasMomentum>("ApplyKerasMomentum", false, doc)
            .attr(nesterov)
            .kernel(|init| dense(init, KerasMomentum::new(init)?))
            .over_handles(),
    );
    r.add(
        op::<2, KerasMomentum>("SparseApplyKerasMomentum", true, doc)
            .attr(nesterov)
            .kernel(|init| sparse(init, KerasMomentum::new(init)?))
            .over_handles(),
    );
    r.add(
        op::<4, Amsgrad>("ApplyAdamWithAmsgrad", false, "`ApplyAdam` by `vhat`, the largest `v` so far.")
            .kernel(|init| dense(init, Amsgrad))
            .over_handles(),
    );
}

#[cfg(test)]
mod tests {
    use super::TWINS;
    use crate::testing::{Arg, Rerun};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    fn vector(v: &[f64]) -> Tensor {
        Tensor::from_slice([v.len()], v).unwrap()
    }

    #[test]
    fn every_twin_is_registered_and_gives_nothing() {
        let registry = crate::registry().unwrap();
        for name in TWINS {
            let twin = registry.get(&format!("Resource{name}")).unwrap();
            assert!(twin.outputs.is_empty() && twin.takes_handles && twin.inputs.iter().all(|a| !a.is_ref), "{name}");
        }
    }

    #[test]
    fn an_update_through_handles_is_the_update_through_references() {
        let update = |op: &str, variable: fn(Tensor) -> Arg| {
            let mut args = vec![variable(vector(&[1.0, 2.0])), variable(vector(&[0.5, 0.0]))];
            args.extend([0.1f64].map(|s| Arg::One(Tensor::scalar(s))));
            args.push(Arg::One(vector(&[3.0, -1.0])));
            args.push(Arg::One(Tensor::scalar(0.9f64)));
            let node = Rerun::of_args(op, args, &[("use_nesterov", AttrValue::Bool(true))]).unwrap();
            node.run(1).unwrap();
            [node.variable(0).unwrap(), node.variable(1).unwrap()]
        };
        assert_eq!(update("ResourceApplyMomentum", Arg::Handle), update("ApplyMomentum", Arg::Variable));
    }

    #[test]
    fn slots_of_another_shape_are_refused() {
        for odd in 1..4 {
            let slots = (0..4).map(|i| Arg::Handle(if i == odd { Tensor::scalar(0.5f64) } else { vector(&[0.5; 3]) }));
            let scalars = [0.5f64; 6].map(|s| Arg::One(Tensor::scalar(s)));
            let args = slots.chain(scalars).chain([Arg::One(vector(&[1.0; 3]))]).collect();
            let refused = Rerun::of_args("ResourceApplyAdamWithAmsgrad", args, &[]).err().unwrap();
            assert!(refused.message().starts_with("Shapes must be equal rank"), "{refused:?}");
        }
    }

    #[test]
    fn keras_momentum_gathers_steps() {
        let args = vec![
            Arg::Handle(vector(&[1.0])),
            Arg::Handle(vector(&[0.5])),
            Arg::One(Tensor::scalar(0.25f64)),
            Arg::One(vector(&[2.0])),
            Arg::One(Tensor::scalar(0.5f64)),
        ];
        let node = Rerun::of_args("ResourceApplyKerasMomentum", args, &[]).unwrap();
        node.run(1).unwrap();
        assert_eq!((node.variable(0), node.variable(1)), (Some(vector(&[0.75])), Some(vector(&[-0.25]))));
    }
}
