//! BoostedTreesCalculateBestGainsPerFeature, BoostedTreesCalculateBestFeatureSplit: the best split of each node.

use super::gain::{Penalty, is_larger};
use super::inputs::{scalar, scalars};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Bytes, PartialShape, Result, Tensor, ensure};

const LEFT: &str = "INEQUALITY_DEFAULT_LEFT";
const RIGHT: &str = "INEQUALITY_DEFAULT_RIGHT";
const EQUAL: &str = "EQUALITY_DEFAULT_RIGHT";

/// A sum of gradients and one of hessians.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    gradient: f32,
    hessian: f32,
}

impl Sums {
    fn of(pair: &[f32]) -> Sums {
        Sums { gradient: pair[0], hessian: pair[1] }
    }

    fn plus(self, other: Sums) -> Sums {
        Sums { gradient: self.gradient + other.gradient, hessian: self.hessian + other.hessian }
    }

    fn minus(self, other: Sums) -> Sums {
        Sums { gradient: self.gradient - other.gradient, hessian: self.hessian - other.hessian }
    }
}

/// The best split so far.
#[derive(Clone, Copy, Debug)]
struct Best {
    gain: f32,
    dimension: i32,
    bucket: i32,
    left: f32,
    right: f32,
    kind: &'static str,
}

impl Best {
    fn none() -> Best {
        Best { gain: f32::MIN, dimension: 0, bucket: 0, left: 0.0, right: 0.0, kind: "" }
    }

    fn offer(&mut self, penalty: Penalty, [left, right]: [Sums; 2], at: (usize, usize), kind: &'static str) {
        let (left, of_left) = penalty.weight_and_gain(left.gradient, left.hessian);
        let (right, of_right) = penalty.weight_and_gain(right.gradient, right.hessian);
        let gain = of_left + of_right;
        if is_larger(gain, self.gain) {
            *self = Best { gain, dimension: at.0 as i32, bucket: at.1 as i32, left, right, kind };
        }
    }
}

/// The scalars that both ops take after the statistics.
struct Settings {
    nodes: std::ops::Range<usize>,
    penalty: Penalty,
    complexity: f32,
    least_weight: f32,
}

impl Settings {
    /// Returns the settings; the first scalar is input `from`. The statistics have the nodes below `nodes`.
    fn of(ctx: &KernelContext<'_>, from: usize, nodes: usize) -> Result<Settings> {
        let range: &[i32] = ctx.input(0)?.slice()?;
        ensure!(range.len() == 2, InvalidArgument, "node_id_range must have 2 elements, got {}", range.len());
        // TF 1.x: a range without nodes may lie anywhere.
        let (first, end) = if range[0] < range[1] { (range[0], range[1]) } else { (0, 0) };
        ensure!(
            first >= 0 && end as usize <= nodes,
            InvalidArgument,
            "node_id_range must be in [0, {nodes}], got [{first}, {end})"
        );
        Ok(Settings {
            nodes: first as usize..end as usize,
            penalty: Penalty { l1: scalar(ctx, from, "l1")?, l2: scalar(ctx, from + 1, "l2")? },
            complexity: scalar(ctx, from + 2, "tree_complexity")?,
            least_weight: scalar(ctx, from + 3, "min_node_weight")?,
        })
    }

    /// Returns the gain of the best split over that of none.
    fn net_gain(&self, best: &Best, total: Sums) -> f32 {
        let (_, of_parent) = self.penalty.weight_and_gain(total.gradient, total.hessian);
        best.gain - of_parent - self.complexity
    }
}

fn checked_range(c: &ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(1)?.merge(&PartialShape::vector(Some(2)))?;
    Ok(())
}

fn gains_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let features = c.num_inputs() - 5;
    checked_range(c)?;
    let splits = usize::try_from(c.int32("max_splits")?).ok();
    let mut summary = PartialShape::from_dims(&[splits, None, Some(2)]);
    for i in 1..=features {
        summary = summary.merge(&c.input(i)?.with_rank(3)?)?;
    }
    scalars(c, features + 1..features + 5)?;
    for i in 0..3 * features {
        c.set_output(i, PartialShape::vector(None));
    }
    for i in 3 * features..5 * features {
        c.set_output(i, PartialShape::from_dims(&[None, Some(1)]));
    }
    Ok(())
}

/// Returns the nodes of one feature that can be split, with their best splits and net gains.
fn best_of_feature(stats: &[f32], buckets: usize, settings: &Settings) -> Vec<(i32, Best, f32)> {
    let mut found = Vec::new();
    for node in settings.nodes.clone() {
        let pairs = stats[node * buckets * 2..][..buckets * 2].chunks_exact(2);
        let mut total = Sums::default();
        let sums: Vec<Sums> = pairs
            .map(|pair| {
                total = total.plus(Sums::of(pair));
                total
            })
            .collect();
        if total.hessian < settings.least_weight {
            continue;
        }
        let mut best = Best::none();
        for (bucket, &left) in sums.iter().enumerate() {
            best.offer(settings.penalty, [left, total.minus(left)], (0, bucket), LEFT);
        }
        found.push((node as i32, best, settings.net_gain(&best, total)));
    }
    found
}

fn gains(ctx: &mut KernelContext<'_>) -> Result<()> {
    let features = ctx.num_inputs() - 5;
    let shape = ctx.input(1)?.shape().clone();
    ensure!(
        shape.rank() == 3 && shape[2] == 2 && (1..=features).all(|i| ctx.inputs()[i].shape() == &shape),
        InvalidArgument,
        "Each element of stats_summary_list must have the same shape [nodes, buckets, 2], got {shape} first"
    );
    let settings = Settings::of(ctx, features + 1, shape[0])?;
    for feature in 0..features {
        let found = best_of_feature(ctx.input(1 + feature)?.slice()?, shape[1], &settings);
        let column = |f: fn(&Best) -> f32| found.iter().map(|(_, best, _)| f(best)).collect::<Vec<f32>>();
        let (nodes, count) = (found.iter().map(|f| f.0).collect::<Vec<i32>>(), found.len());
        let net: Vec<f32> = found.iter().map(|f| f.2).collect();
        let thresholds: Vec<i32> = found.iter().map(|f| f.1.bucket).collect();
        let outputs = [
            Tensor::from_slice([count], &nodes)?,
            Tensor::from_slice([count], &net)?,
            Tensor::from_slice([count], &thresholds)?,
            Tensor::from_slice([count, 1], &column(|b| b.left))?,
            Tensor::from_slice([count, 1], &column(|b| b.right))?,
        ];
        for (i, output) in outputs.into_iter().enumerate() {
            ctx.set_output(i * features + feature, output);
        }
    }
    Ok(())
}

fn split_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    checked_range(c)?;
    c.input(1)?.with_rank(4)?;
    scalars(c, 2..6)?;
    let dimension = usize::try_from(c.int("logits_dimension")?).ok();
    for i in [0, 1, 2, 3, 6] {
        c.set_output(i, PartialShape::vector(None));
    }
    for i in [4, 5] {
        c.set_output(i, PartialShape::from_dims(&[None, dimension]));
    }
    Ok(())
}

/// Offers all splits between buckets, with the missing values on either side.
fn offer_inequalities(best: &mut Best, stats: &[f32], dimension: usize, penalty: Penalty) {
    let pairs: Vec<Sums> = stats.chunks_exact(2).map(Sums::of).collect();
    let Some((&missing, buckets)) = pairs.split_last() else { return };
    let total = pairs.iter().fold(Sums::default(), |sum, &pair| sum.plus(pair));
    let mut left = Sums::default();
    for (bucket, &pair) in buckets.iter().enumerate() {
        left = left.plus(pair);
        let with_missing = left.plus(missing);
        best.offer(penalty, [with_missing, total.minus(with_missing)], (dimension, bucket), LEFT);
        best.offer(penalty, [left, total.minus(left)], (dimension, bucket), RIGHT);
    }
}

/// Offers the splits of one bucket from all others.
fn offer_equalities(best: &mut Best, stats: &[f32], dimension: usize, total: Sums, penalty: Penalty) {
    let buckets = (stats.len() / 2).saturating_sub(1);
    for (bucket, pair) in stats.chunks_exact(2).take(buckets).enumerate() {
        let own = Sums::of(pair);
        best.offer(penalty, [own, total.minus(own)], (dimension, bucket), EQUAL);
    }
}

fn split(ctx: &mut KernelContext<'_>, by_equality: bool) -> Result<()> {
    let summary = ctx.input(1)?;
    let shape = summary.shape();
    ensure!(shape.rank() == 4, InvalidArgument, "stats_summary argument must have rank 4");
    ensure!(shape[3] == 2, InvalidArgument, "stats_summary must end with a gradient and a hessian, got shape {shape}");
    let (dimensions, per_dimension) = (shape[1], shape[2] * 2);
    let settings = Settings::of(ctx, 2, shape[0])?;
    let stats = summary.slice::<f32>()?;
    let mut found: Vec<(i32, Best, f32)> = Vec::new();
    for node in settings.nodes.clone() {
        let of_node = &stats[node * dimensions * per_dimension..][..dimensions * per_dimension];
        let of_dimension = |d: usize| &of_node[d * per_dimension..][..per_dimension];
        if dimensions == 0 {
            break;
        }
        let total = of_dimension(0).chunks_exact(2).fold(Sums::default(), |sum, pair| sum.plus(Sums::of(pair)));
        if total.hessian.abs() < settings.least_weight {
            continue;
        }
        let mut best = Best::none();
        for dimension in 0..dimensions {
            match by_equality {
                true => offer_equalities(&mut best, of_dimension(dimension), dimension, total, settings.penalty),
                false => offer_inequalities(&mut best, of_dimension(dimension), dimension, settings.penalty),
            }
        }
        if best.gain > f32::MIN {
            found.push((node as i32, best, settings.net_gain(&best, total)));
        }
    }
    let count = found.len();
    let ints = |f: fn(&Best) -> i32| found.iter().map(|(_, best, _)| f(best)).collect::<Vec<i32>>();
    let floats = |f: fn(&Best) -> f32| found.iter().map(|(_, best, _)| f(best)).collect::<Vec<f32>>();
    let nodes: Vec<i32> = found.iter().map(|f| f.0).collect();
    let net: Vec<f32> = found.iter().map(|f| f.2).collect();
    let kinds = found.iter().map(|f| Bytes::from(f.1.kind.as_bytes())).collect();
    let outputs = [
        Tensor::from_slice([count], &nodes)?,
        Tensor::from_slice([count], &net)?,
        Tensor::from_slice([count], &ints(|b| b.dimension))?,
        Tensor::from_slice([count], &ints(|b| b.bucket))?,
        Tensor::from_slice([count, 1], &floats(|b| b.left))?,
        Tensor::from_slice([count, 1], &floats(|b| b.right))?,
        Tensor::from_strings([count], kinds)?,
    ];
    outputs.into_iter().enumerate().for_each(|(i, output)| ctx.set_output(i, output));
    Ok(())
}

fn split_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let logits = init.int32("logits_dimension")?;
    ensure!(
        logits == 1,
        Unimplemented,
        "BoostedTreesCalculateBestFeatureSplit supports one logit, got logits_dimension {logits}"
    );
    let by_equality = init.str("split_type")? == "equality";
    kernel(move |ctx: &mut KernelContext<'_>| split(ctx, by_equality))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("BoostedTreesCalculateBestGainsPerFeature")
            .input("node_id_range: int32")
            .input("stats_summary_list: num_features * float")
            .input("l1: float")
            .input("l2: float")
            .input("tree_complexity: float")
            .input("min_node_weight: float")
            .attr("max_splits: int >= 1")
            .attr("num_features: int >= 1")
            .output("node_ids_list: num_features * int32")
            .output("gains_list: num_features * float")
            .output("thresholds_list: num_features * int32")
            .output("left_node_contribs_list: num_features * float")
            .output("right_node_contribs_list: num_features * float")
            .doc("Returns each feature's best split of each node in a range, with its gain and the children's weights.")
            .shape(gains_shape)
            .kernel(|_| kernel(gains)),
    );
    r.add(
        Op::new("BoostedTreesCalculateBestFeatureSplit")
            .input("node_id_range: int32")
            .input("stats_summary: float")
            .input("l1: float")
            .input("l2: float")
            .input("tree_complexity: float")
            .input("min_node_weight: float")
            .attr("logits_dimension: int >= 1")
            .attr("split_type: {'inequality', 'equality'} = 'inequality'")
            .output("node_ids: int32")
            .output("gains: float")
            .output("feature_dimensions: int32")
            .output("thresholds: int32")
            .output("left_node_contribs: float")
            .output("right_node_contribs: float")
            .output("split_with_default_directions: string")
            .doc("Returns the best split of each node in a range over all dimensions of a feature.")
            .shape(split_shape)
            .kernel(split_kernel),
    );
}
