//! `Examples`: the data and the model of one update, and the changes of the model so far.

use super::features::{DenseGroup, SparseGroup, sum};
use super::shrinkage::Regularization;
use ferroflow_tensor::Result;
use ferroflow_tensor::Tensor;

/// The features of a batch of examples, with the weights of the model.
pub(super) struct Examples<'a> {
    pub sparse: Vec<SparseGroup<'a>>,
    pub dense: Vec<DenseGroup<'a>>,
    pub regularization: Regularization,
    /// The number of updates that run at the same time, whose changes are added up.
    pub partitions: f32,
}

/// The changes of the weights: one list for each group of features.
pub(super) struct Deltas<'a> {
    pub sparse: Vec<&'a mut [f32]>,
    pub dense: Vec<&'a mut [f32]>,
}

/// Two predictions for an example.
#[derive(Clone, Copy, Debug)]
pub(super) struct Predictions {
    /// With the weights before the update.
    pub before: f64,
    /// With the weights and their changes so far, as if each partition had made them.
    pub now: f64,
}

impl<'a> Deltas<'a> {
    pub(super) fn of(sparse: &'a mut [Tensor], dense: &'a mut [Tensor]) -> Result<Deltas<'a>> {
        Ok(Deltas {
            sparse: sparse.iter_mut().map(Tensor::slice_mut).collect::<Result<_>>()?,
            dense: dense.iter_mut().map(Tensor::slice_mut).collect::<Result<_>>()?,
        })
    }
}

impl Examples<'_> {
    /// Returns the sum of the squares of an example's features.
    pub(super) fn squared_norm(&self, example: usize) -> f64 {
        let sparse: f64 = self.sparse.iter().flat_map(|g| g.features(example)).fold(0.0, |sum, (_, v)| sum + v * v);
        self.dense.iter().fold(sparse, |norm, group| {
            let row = group.row(example);
            norm + f64::from(sum(row.len(), |i| row[i] * row[i]))
        })
    }

    pub(super) fn predict(&self, example: usize, deltas: &Deltas<'_>) -> Predictions {
        let (r, partitions) = (&self.regularization, self.partitions);
        let (mut before, mut now) = (0.0, 0.0);
        for (group, deltas) in self.sparse.iter().zip(&deltas.sparse) {
            for (at, value) in group.features(example) {
                let weight = group.weights[at];
                before += value * r.shrunk_double(f64::from(weight));
                now += value * r.shrunk_double(f64::from(weight + deltas[at] * partitions));
            }
        }
        for (group, deltas) in self.dense.iter().zip(&deltas.dense) {
            let (row, weights) = (group.row(example), group.weights);
            before += f64::from(sum(row.len(), |i| row[i] * r.shrunk(weights[i])));
            now += f64::from(sum(row.len(), |i| row[i] * r.shrunk(weights[i] + deltas[i] * partitions)));
        }
        Predictions { before, now }
    }

    /// Adds a multiple of an example's features to the changes.
    pub(super) fn add(&self, example: usize, factor: f64, deltas: &mut Deltas<'_>) {
        for (group, deltas) in self.sparse.iter().zip(&mut deltas.sparse) {
            for (at, value) in group.features(example) {
                deltas[at] = (f64::from(deltas[at]) + value * factor) as f32;
            }
        }
        for (group, deltas) in self.dense.iter().zip(&mut deltas.dense) {
            for (delta, feature) in deltas.iter_mut().zip(group.row(example)) {
                *delta += feature * factor as f32;
            }
        }
    }
}
