//! `Regularization`: the penalties of a model; and SdcaShrinkL1, which applies the first of them to weights.

use ferroflow_graph::{AttrMap, Kernel, KernelContext, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::threads::for_chunks_mut;
use ferroflow_tensor::{Result, bail};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;

/// The factors of the weights' absolute values and of their squares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Regularization {
    pub l2: f32,
    /// The distance by which weights move towards zero.
    shrinkage: f32,
}

impl Regularization {
    pub(super) fn of(attrs: &AttrMap) -> Result<Regularization> {
        let (l1, l2) = (attrs.float("l1")?, attrs.float("l2")?);
        Ok(Regularization { l2, shrinkage: l1 / l2 })
    }

    /// Returns a weight of a sparse feature after the proximal step.
    pub(super) fn shrunk_double(&self, weight: f64) -> f64 {
        let rest = weight.abs() - f64::from(self.shrinkage);
        if rest > 0.0 { rest.copysign(weight) } else { 0.0 }
    }

    /// Returns a weight of a dense feature after the proximal step; NaN of NaN.
    #[inline]
    pub(super) fn shrunk(&self, weight: f32) -> f32 {
        let sign = f32::from(i8::from(weight > 0.0) - i8::from(weight < 0.0));
        let rest = weight.abs() - self.shrinkage;
        sign * if rest < 0.0 { 0.0 } else { rest }
    }
}

fn shrink(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let regularization = Regularization::of(init)?;
    kernel(move |ctx: &mut KernelContext<'_>| {
        // All or none: a variable without a value must not leave those before it shrunk.
        for i in 0..ctx.num_inputs() {
            let variable = ctx.variable(i)?;
            if !variable.is_initialized() {
                return Err(variable.uninitialized());
            }
        }
        let threads = ctx.threads();
        for i in 0..ctx.num_inputs() {
            ctx.update(i, |weights, _| {
                let Ok(weights) = weights.slice_mut::<f32>() else {
                    bail!(InvalidArgument, "weights must be of type float")
                };
                for_chunks_mut(threads, weights, BLOCK, |_, chunk| {
                    for weight in chunk {
                        *weight = regularization.shrunk(*weight);
                    }
                });
                Ok(())
            })?;
        }
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SdcaShrinkL1")
            .input("weights: Ref(num_features * float)")
            .attr("num_features: int >= 0")
            .attr("l1: float")
            .attr("l2: float")
            .doc("Moves each weight towards zero by `l1 / l2`, at most to zero.")
            .shape(shape_rules::unknown)
            .kernel(shrink),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, Rerun};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    #[test]
    fn weights_move_to_zero_and_not_beyond() {
        let variable = |w: &[f32]| Arg::Variable(Tensor::from_slice([w.len()], w).unwrap());
        let weights = Arg::References(vec![variable(&[3.0, -3.0, 0.5, 0.0]), variable(&[])]);
        let attrs = [("l1", AttrValue::Float(2.0)), ("l2", AttrValue::Float(4.0 / 3.0))];
        let node = Rerun::of_args("SdcaShrinkL1", vec![weights], &attrs).unwrap();
        node.run(2).unwrap();
        assert_eq!(node.variable(0).unwrap().slice::<f32>().unwrap(), [1.5, -1.5, 0.0, 0.0]);
    }
}
