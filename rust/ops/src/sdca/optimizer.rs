//! SdcaOptimizer, SdcaOptimizerV2: one pass of dual coordinate ascent over a batch.

use super::examples::{Deltas, Examples};
use super::features::{DenseGroup, SparseGroup, SparseInputs};
use super::losses::{Coordinate, Loss, loss_named};
use super::order;
use super::shrinkage::Regularization;
use ferroflow_graph::{AttrMap, Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, bail, ensure};

/// The numbers that a row of the state has: the dual, the primal loss, the dual loss, and the weight.
const STATE: usize = 4;

/// The sizes of the op's lists, from which the positions of its inputs follow.
#[derive(Clone, Copy, Debug)]
struct Layout {
    sparse: usize,
    values: usize,
    dense: usize,
}

impl Layout {
    fn of(attrs: &AttrMap) -> Result<Layout> {
        let count = |name: &str| match usize::try_from(attrs.int(name)?) {
            Ok(n) => Ok(n),
            Err(_) => bail!(InvalidArgument, "{name} must not be negative"),
        };
        let (sparse, dense) = (count("num_sparse_features")?, count("num_dense_features")?);
        let values = count("num_sparse_features_with_values")?;
        ensure!(sparse > 0 || dense > 0, InvalidArgument, "Requires at least one feature to train.");
        ensure!(
            values <= sparse,
            InvalidArgument,
            "num_sparse_features_with_values must be at most num_sparse_features, got {values} and {sparse}"
        );
        Ok(Layout { sparse, values, dense })
    }

    /// Returns the position of the examples' weights, behind which are their labels.
    fn examples(&self) -> usize {
        2 * self.sparse + self.values + self.dense
    }

    fn sparse_weights(&self) -> usize {
        self.examples() + 2 + self.sparse
    }

    fn dense_weights(&self) -> usize {
        self.sparse_weights() + self.sparse
    }

    fn state(&self) -> usize {
        self.dense_weights() + self.dense
    }

    fn sparse_groups<'a>(&self, inputs: &'a [Tensor], examples: usize) -> Result<Vec<SparseGroup<'a>>> {
        let group = |i: usize| {
            let inputs = SparseInputs {
                example_indices: &inputs[i],
                feature_indices: &inputs[self.sparse + i],
                values: (i < self.values).then(|| &inputs[2 * self.sparse + i]),
                indices: &inputs[self.examples() + 2 + i],
                weights: &inputs[self.sparse_weights() + i],
            };
            SparseGroup::new(&inputs, examples)
        };
        (0..self.sparse).map(group).collect()
    }

    fn dense_groups<'a>(&self, inputs: &'a [Tensor], examples: usize) -> Result<Vec<DenseGroup<'a>>> {
        let first = 2 * self.sparse + self.values;
        let group = |i: usize| DenseGroup::new(&inputs[first + i], &inputs[self.dense_weights() + i], examples);
        (0..self.dense).map(group).collect()
    }
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let layout = Layout::of(c)?;
    c.set_output(0, PartialShape::from_dims(&[None, Some(STATE)]));
    for i in 0..layout.sparse + layout.dense {
        let weights = c.input(layout.sparse_weights() + i)?.clone();
        c.set_output(1 + i, weights);
    }
    Ok(())
}

struct Optimizer {
    layout: Layout,
    loss: &'static dyn Loss,
    regularization: Regularization,
    partitions: f32,
    is_adaptive: bool,
}

/// The weights, labels and state of the examples.
struct Batch<'a> {
    weights: &'a [f32],
    labels: Vec<f64>,
    state: &'a mut [f32],
}

impl Optimizer {
    fn new(init: &KernelInit<'_>, adaptive: &str) -> Result<Optimizer> {
        Ok(Optimizer {
            layout: Layout::of(init)?,
            loss: loss_named(&init.str("loss_type")?)?,
            regularization: Regularization::of(init)?,
            partitions: init.int32("num_loss_partitions")? as f32,
            is_adaptive: init.bool(adaptive)?,
        })
    }

    fn compute(&self, ctx: &mut KernelContext<'_>) -> Result<()> {
        let layout = self.layout;
        let mut state = ctx.take(layout.state())?;
        let inputs = ctx.inputs();
        let zeros = |from: usize, count: usize| -> Result<Vec<Tensor>> {
            (from..from + count).map(|i| Tensor::zeros(DType::F32, inputs[i].shape().clone())).collect()
        };
        let (mut sparse, mut dense) =
            (zeros(layout.sparse_weights(), layout.sparse)?, zeros(layout.dense_weights(), layout.dense)?);
        let weights = inputs[layout.examples()].slice::<f32>()?;
        let labels = inputs[layout.examples() + 1].slice::<f32>()?;
        let count = weights.len();
        ensure!(
            labels.len() == count,
            InvalidArgument,
            "example_weights and example_labels must have the same length, got {count} and {}",
            labels.len()
        );
        ensure!(
            state.shape().dims() == [count, STATE],
            InvalidArgument,
            "Expected shape [{count},{STATE}] for example_state_data, got {}",
            state.shape()
        );
        let examples = Examples {
            sparse: layout.sparse_groups(inputs, count)?,
            dense: layout.dense_groups(inputs, count)?,
            regularization: self.regularization,
            partitions: self.partitions,
        };
        let labels = labels.iter().map(|&label| self.loss.label(label)).collect::<Result<_>>()?;
        let mut batch = Batch { weights, labels, state: state.slice_mut()? };
        let mut deltas = Deltas::of(&mut sparse, &mut dense)?;
        let norms: Vec<f64> = (0..count).map(|example| examples.squared_norm(example)).collect();
        for example in self.order(&examples, &batch, &norms, &deltas) {
            ctx.check_cancelled()?;
            self.ascend(&examples, &mut batch, example, norms[example], &mut deltas);
        }
        ctx.set_output(0, state);
        for (i, deltas) in sparse.into_iter().chain(dense).enumerate() {
            ctx.set_output(1 + i, deltas);
        }
        Ok(())
    }

    /// Returns the order of the examples; an adaptive optimizer prefers those with a large residual.
    fn order(&self, examples: &Examples<'_>, batch: &Batch<'_>, norms: &[f64], deltas: &Deltas<'_>) -> Vec<usize> {
        let stream = order::stream_of(batch.state);
        if !self.is_adaptive {
            return order::shuffled(norms.len(), &stream);
        }
        let smoothness = f64::from(self.regularization.l2) * self.loss.smoothness();
        let residual = |example: usize| {
            let wx = examples.predict(example, deltas).now;
            let dual = f64::from(batch.state[example * STATE]);
            let residual = dual + self.loss.derivative(wx, batch.labels[example]);
            f64::from(batch.weights[example]) * (norms[example] + smoothness).sqrt() * residual.abs()
        };
        order::drawn((0..norms.len()).map(|example| residual(example) as f32).collect(), &stream)
    }

    /// Updates the dual of one example, and the weights with it.
    fn ascend(
        &self,
        examples: &Examples<'_>,
        batch: &mut Batch<'_>,
        example: usize,
        norm: f64,
        deltas: &mut Deltas<'_>,
    ) {
        let (label, weight) = (batch.labels[example], f64::from(batch.weights[example]));
        let l2 = f64::from(self.regularization.l2);
        let row = &mut batch.state[example * STATE..(example + 1) * STATE];
        let dual = f64::from(row[0]);
        let predictions = examples.predict(example, deltas);
        let curvature = f64::from(self.partitions) * (norm / l2) * weight;
        let new = self.loss.updated_dual(&Coordinate { label, dual, wx: predictions.now, curvature });
        examples.add(example, (new - dual) * weight / l2, deltas);
        let primal = self.loss.primal(predictions.before, label) * weight;
        // An infinite conjugate is also infinite for an example of weight 0.
        let conjugate = self.loss.dual(dual, label);
        let conjugate = if conjugate.is_infinite() { conjugate } else { conjugate * weight };
        row.copy_from_slice(&[new as f32, primal as f32, conjugate as f32, batch.weights[example]]);
    }
}

pub(super) fn register(r: &mut Registry) {
    // The attribute's name was corrected in the second version.
    let op = |name: &str, adaptive: &str, kernel: fn(&KernelInit<'_>) -> Result<Box<dyn Kernel>>| {
        let losses = "loss_type: {'logistic_loss', 'squared_loss', 'hinge_loss', 'smooth_hinge_loss', 'poisson_loss'}";
        Op::new(name)
            .input("sparse_example_indices: num_sparse_features * int64")
            .input("sparse_feature_indices: num_sparse_features * int64")
            .input("sparse_feature_values: num_sparse_features_with_values * float")
            .input("dense_features: num_dense_features * float")
            .input("example_weights: float")
            .input("example_labels: float")
            .input("sparse_indices: num_sparse_features * int64")
            .input("sparse_weights: num_sparse_features * float")
            .input("dense_weights: num_dense_features * float")
            .input("example_state_data: float")
            .output("out_example_state_data: float")
            .output("out_delta_sparse_weights: num_sparse_features * float")
            .output("out_delta_dense_weights: num_dense_features * float")
            .attr(losses)
            .attr(&format!("{adaptive}: bool = false"))
            .attr("num_sparse_features: int >= 0")
            .attr("num_sparse_features_with_values: int >= 0")
            .attr("num_dense_features: int >= 0")
            .attr("l1: float")
            .attr("l2: float")
            .attr("num_loss_partitions: int >= 1")
            .attr("num_inner_iterations: int >= 1")
            .doc(
                "Returns the state of the examples and the changes of the weights after one pass of dual coordinate \
                 ascent.",
            )
            .shape(shape)
            .kernel(kernel)
    };
    r.add(op("SdcaOptimizer", "adaptative", |init| {
        let optimizer = Optimizer::new(init, "adaptative")?;
        kernel(move |ctx| optimizer.compute(ctx))
    }));
    r.add(op("SdcaOptimizerV2", "adaptive", |init| {
        let optimizer = Optimizer::new(init, "adaptive")?;
        kernel(move |ctx| optimizer.compute(ctx))
    }));
}
