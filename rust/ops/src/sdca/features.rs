//! `SparseGroup`, `DenseGroup`: the features of all examples, with the model's weights for them.

use ferroflow_tensor::{Result, Scalar, Tensor, ensure};
use rustc_hash::FxHashMap;

/// Partial sums of a sum in single precision. Their number and the order in which they are added are TensorFlow's on
/// machines with AVX.
const LANES: usize = 8;

/// Returns the sum of `term(0)` to `term(count - 1)`.
#[inline]
pub(super) fn sum(count: usize, term: impl Fn(usize) -> f32) -> f32 {
    let whole = count - count % LANES;
    let mut lanes = [0.0; LANES];
    for at in (0..whole).step_by(LANES) {
        for (lane, sum) in lanes.iter_mut().enumerate() {
            *sum += term(at + lane);
        }
    }
    let rest = (whole..count).fold(0.0, |sum, i| sum + term(i));
    let [a, b, c, d, e, f, g, h] = lanes;
    rest + (((a + e) + (c + g)) + ((b + f) + (d + h)))
}

/// Sparse features of one kind.
pub(super) struct SparseGroup<'a> {
    /// The model's weights of the features that occur.
    pub weights: &'a [f32],
    /// The position of each example's first feature, and the position behind the last one.
    starts: Vec<usize>,
    /// For each feature of an example, the position of its weight.
    positions: Vec<usize>,
    /// The features' values; None if all are 1.
    values: Option<&'a [f32]>,
}

/// The tensors of a sparse group.
pub(super) struct SparseInputs<'a> {
    pub example_indices: &'a Tensor,
    pub feature_indices: &'a Tensor,
    pub values: Option<&'a Tensor>,
    /// The features of the weights.
    pub indices: &'a Tensor,
    pub weights: &'a Tensor,
}

fn same_length<T: Scalar>(t: &Tensor, length: usize, names: &str) -> Result<()> {
    ensure!(
        t.elements() == length,
        InvalidArgument,
        "{names} must have the same length, got {length} and {}",
        t.elements()
    );
    t.slice::<T>().map(|_| ())
}

impl<'a> SparseGroup<'a> {
    /// Checks and sorts in the features of a group.
    ///
    /// Errors: `InvalidArgument` if lengths differ, examples are not in order, a feature has no weight, or an example
    /// has a feature twice.
    pub(super) fn new(inputs: &SparseInputs<'a>, examples: usize) -> Result<SparseGroup<'a>> {
        let of_examples = inputs.example_indices.slice::<i64>()?;
        let features = inputs.feature_indices.slice::<i64>()?;
        same_length::<i64>(
            inputs.feature_indices,
            of_examples.len(),
            "sparse_example_indices and sparse_feature_indices",
        )?;
        if let Some(values) = inputs.values {
            same_length::<f32>(values, of_examples.len(), "sparse_example_indices and sparse_feature_values")?;
        }
        let indices = inputs.indices.slice::<i64>()?;
        same_length::<f32>(inputs.weights, indices.len(), "sparse_indices and sparse_weights")?;
        let places: FxHashMap<i64, usize> = indices.iter().enumerate().map(|(place, &index)| (index, place)).collect();
        let mut positions = Vec::with_capacity(features.len());
        for feature in features {
            let place = places.get(feature);
            ensure!(place.is_some(), InvalidArgument, "Found sparse feature indices out of valid range: {feature}");
            positions.extend(place);
        }
        let group = SparseGroup {
            weights: inputs.weights.slice()?,
            starts: starts(of_examples, examples)?,
            positions,
            values: inputs.values.map(Tensor::slice).transpose()?,
        };
        group.check_distinct(examples)?;
        Ok(group)
    }

    fn check_distinct(&self, examples: usize) -> Result<()> {
        let mut sorted = Vec::new();
        for example in 0..examples {
            sorted.clear();
            sorted.extend_from_slice(&self.positions[self.starts[example]..self.starts[example + 1]]);
            sorted.sort_unstable();
            let is_double = sorted.windows(2).any(|pair| pair[0] == pair[1]);
            ensure!(!is_double, InvalidArgument, "Duplicate index in sparse vector.");
        }
        Ok(())
    }

    /// Returns the weights' positions and the values of an example's features.
    pub(super) fn features(&self, example: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[example]..self.starts[example + 1];
        range.map(|i| (self.positions[i], self.values.map_or(1.0, |values| f64::from(values[i]))))
    }
}

/// Returns where each example's features begin in a list that names their examples, and where the last example's end.
fn starts(of_examples: &[i64], examples: usize) -> Result<Vec<usize>> {
    let mut starts = vec![0; examples + 1];
    let mut last = 0;
    for &example in of_examples {
        let place = usize::try_from(example).unwrap_or(usize::MAX);
        ensure!(place < examples, InvalidArgument, "sparse_example_indices must be in [0, {examples}), got {example}");
        ensure!(place >= last, InvalidArgument, "sparse_example_indices must be sorted, got {example} after {last}");
        last = place;
        starts[place + 1] += 1;
    }
    for example in 0..examples {
        starts[example + 1] += starts[example];
    }
    Ok(starts)
}

/// Dense features of one kind: a row for each example.
pub(super) struct DenseGroup<'a> {
    /// The model's weights, one for each column.
    pub weights: &'a [f32],
    rows: &'a [f32],
}

impl<'a> DenseGroup<'a> {
    /// Checks the features of a group.
    ///
    /// Errors: `InvalidArgument` if they are no matrix with a row for each example and a column for each weight.
    pub(super) fn new(features: &'a Tensor, weights: &'a Tensor, examples: usize) -> Result<DenseGroup<'a>> {
        ensure!(
            features.rank() == 2,
            InvalidArgument,
            "Dense features must be a matrix, got shape {}",
            features.shape()
        );
        ensure!(
            features.shape()[0] == examples,
            InvalidArgument,
            "Dense features must have a row for each of {examples} examples, got shape {}",
            features.shape()
        );
        let (columns, count) = (features.shape()[1], weights.elements());
        ensure!(columns <= count, InvalidArgument, "More dense features than we have parameters for: {columns}");
        ensure!(columns == count, InvalidArgument, "Dense features have {columns} columns for {count} weights");
        Ok(DenseGroup { weights: weights.slice()?, rows: features.slice()? })
    }

    /// Returns the features of an example.
    pub(super) fn row(&self, example: usize) -> &'a [f32] {
        let columns = self.weights.len();
        &self.rows[example * columns..(example + 1) * columns]
    }
}
