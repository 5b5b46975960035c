//! CTCBeamSearchDecoder: the likeliest label sequences that a beam search over their prefixes finds.

use super::decoding::{Inputs, set_sparse, shape};
use super::{Logit, log_sum_exp};
use ferroflow_graph::{AttrMap, Kernel, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::vector::scalar;
use ferroflow_tensor::{Result, Status, Tensor, bail, dispatch, ensure};
use std::collections::HashMap;

/// The log probability of a prefix: of all its ways, of those that end in a blank, and in its last label.
#[derive(Clone, Copy)]
struct Probability<T> {
    total: T,
    blank: T,
    label: T,
}

impl<T: Logit> Probability<T> {
    fn none() -> Probability<T> {
        let zero = T::neg_infinity();
        Probability { total: zero, blank: zero, label: zero }
    }
}

/// A prefix: the one without its last label, and that label; the empty prefix has neither.
struct Prefix<T> {
    parent: Option<usize>,
    label: usize,
    children: HashMap<usize, usize>,
    before: Probability<T>,
    now: Probability<T>,
}

impl<T: Logit> Prefix<T> {
    fn new(parent: Option<usize>, label: usize) -> Prefix<T> {
        Prefix { parent, label, children: HashMap::new(), before: Probability::none(), now: Probability::none() }
    }

    fn is_active(&self) -> bool {
        self.now.total != T::neg_infinity()
    }
}

/// All prefixes met, and the best of them in falling order.
struct Search<T> {
    width: usize,
    prefixes: Vec<Prefix<T>>,
    leaves: Vec<usize>,
}

impl<T: Logit> Search<T> {
    fn new(width: usize) -> Search<T> {
        let mut empty = Prefix::new(None, usize::MAX);
        empty.now = Probability { total: T::zero(), blank: T::zero(), label: T::neg_infinity() };
        Search { width, prefixes: vec![empty], leaves: vec![0] }
    }

    fn insert(&mut self, prefix: usize) {
        let total = self.prefixes[prefix].now.total;
        let place = self.leaves.partition_point(|&l| self.prefixes[l].now.total >= total);
        self.leaves.insert(place, prefix);
    }

    fn is_candidate(&self, total: T) -> bool {
        total > T::neg_infinity()
            && (self.leaves.len() < self.width
                || self.leaves.last().is_some_and(|&l| total > self.prefixes[l].now.total))
    }

    fn child(&mut self, parent: usize, label: usize) -> usize {
        if let Some(&child) = self.prefixes[parent].children.get(&label) {
            return child;
        }
        let child = self.prefixes.len();
        self.prefixes.push(Prefix::new(Some(parent), label));
        self.prefixes[parent].children.insert(label, child);
        child
    }

    /// Takes the log probabilities of one time.
    fn step(&mut self, log_y: &[T]) {
        let blank = log_y.len() - 1;
        let branches = std::mem::take(&mut self.leaves);
        for &b in &branches {
            self.prefixes[b].before = self.prefixes[b].now;
        }
        for &b in &branches {
            let prefix = &self.prefixes[b];
            let mut now = prefix.now;
            if let Some(parent) = prefix.parent {
                let (label, parent) = (prefix.label, &self.prefixes[parent]);
                if parent.is_active() {
                    // A label after itself is a new one only after a blank.
                    let from = if label == parent.label { parent.before.blank } else { parent.before.total };
                    now.label = log_sum_exp(now.label, from);
                }
                now.label = now.label + log_y[label];
            }
            now.blank = prefix.before.total + log_y[blank];
            now.total = log_sum_exp(now.blank, now.label);
            self.prefixes[b].now = now;
            self.insert(b);
        }
        for b in branches {
            let before = self.prefixes[b].before;
            if !self.is_candidate(before.total) {
                continue;
            }
            for (label, &p) in log_y[..blank].iter().enumerate() {
                let child = self.child(b, label);
                if self.prefixes[child].is_active() {
                    continue;
                }
                let from = if label == self.prefixes[b].label { before.blank } else { before.total };
                let total = p + from;
                if !self.is_candidate(total) {
                    self.prefixes[child].before = Probability::none();
                    self.prefixes[child].now = Probability::none();
                    continue;
                }
                self.prefixes[child].now = Probability { total, blank: T::neg_infinity(), label: total };
                if self.leaves.len() == self.width
                    && let Some(bottom) = self.leaves.pop()
                {
                    self.prefixes[bottom].now = Probability::none();
                }
                self.insert(child);
            }
        }
    }

    fn labels(&self, leaf: usize, merges: bool) -> Vec<i64> {
        let mut labels = Vec::new();
        let (mut at, mut last) = (leaf, None);
        while let Some(parent) = self.prefixes[at].parent {
            let label = self.prefixes[at].label;
            if !merges || last != Some(label) {
                labels.push(label as i64);
            }
            last = Some(label);
            at = parent;
        }
        labels.reverse();
        labels
    }
}

fn log_softmax<T: Logit>(logits: &[T]) -> Vec<T> {
    let max = logits.iter().copied().fold(T::neg_infinity(), T::max);
    let offset = max + scalar::log(logits.iter().map(|&x| scalar::exp(x - max)).sum::<T>());
    logits.iter().map(|&x| x - offset).collect()
}

fn paths(attrs: &AttrMap) -> Result<usize> {
    let n = attrs.int("top_paths")?;
    usize::try_from(n).map_err(|_| Status::invalid_argument(format!("top_paths must be at least 1, got {n}")))
}

fn beam_search(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.dtype("T")?, T in [F32, F64], beam_search_of::<T>(init), else Err(init.unsupported()))
}

fn beam_search_of<T: Logit>(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (paths, merges) = (paths(init)?, init.bool("merge_repeated")?);
    let Ok(width) = usize::try_from(init.int32("beam_width")?) else {
        bail!(InvalidArgument, "beam_width must be at least 1");
    };
    kernel(move |ctx| {
        let inputs = Inputs::<T>::of(ctx)?;
        let batch = inputs.batch;
        ensure!(paths <= width, InvalidArgument, "requested more paths than the beam width.");
        let mut found = vec![Vec::with_capacity(batch); paths];
        let mut scores = Vec::with_capacity(batch * paths);
        for (b, &length) in inputs.lengths.iter().enumerate() {
            let mut search = Search::new(width);
            for t in 0..length {
                ctx.check_cancelled()?;
                search.step(&log_softmax(inputs.row(t, b)));
            }
            ensure!(paths <= search.leaves.len(), InvalidArgument, "Less leaves in the beam search than requested.");
            for (rows, &leaf) in found.iter_mut().zip(&search.leaves) {
                rows.push(search.labels(leaf, merges));
                scores.push(search.prefixes[leaf].now.total);
            }
        }
        let scores = Tensor::from_slice([batch, paths], &scores)?;
        for (p, rows) in found.iter().enumerate() {
            set_sparse(ctx, p, paths, rows)?;
        }
        ctx.set_output(3 * paths, scores);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("CTCBeamSearchDecoder")
            .input("inputs: T")
            .input("sequence_length: int32")
            .attr("beam_width: int >= 1")
            .attr("top_paths: int >= 1")
            .attr("merge_repeated: bool = true")
            .attr("T: {float, double} = DT_FLOAT")
            .output("decoded_indices: top_paths * int64")
            .output("decoded_values: top_paths * int64")
            .output("decoded_shape: top_paths * int64")
            .output("log_probability: T")
            .doc("Returns the likeliest label sequences, each as a sparse matrix, and their log probabilities.")
            .shape(|c| {
                let paths = paths(c)?;
                shape(c, paths)
            })
            .kernel(beam_search),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;
    use std::collections::HashMap;

    fn attrs(width: i64, paths: i64) -> Vec<(&'static str, AttrValue)> {
        vec![
            ("beam_width", AttrValue::Int(width)),
            ("top_paths", AttrValue::Int(paths)),
            ("merge_repeated", AttrValue::Bool(false)),
        ]
    }

    #[test]
    fn a_wide_beam_finds_what_enumeration_finds() {
        let (time, classes) = (5usize, 4usize);
        let x: Vec<f32> = (0..time * classes).map(|i| (i * 29 % 17) as f32 / 5.0).collect();
        let mut sums: HashMap<Vec<i64>, f64> = HashMap::new();
        let rows: Vec<Vec<f32>> = x.chunks(classes).map(super::log_softmax).collect();
        for mut way in 0..classes.pow(time as u32) {
            let (mut p, mut out, mut last) = (0f64, Vec::new(), classes);
            for row in &rows {
                let class = way % classes;
                way /= classes;
                p += f64::from(row[class]);
                if class + 1 != classes && class != last {
                    out.push(class as i64);
                }
                last = class;
            }
            *sums.entry(out).or_default() += p.exp();
        }
        let mut best: Vec<_> = sums.into_iter().collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1));
        let x = Tensor::from_slice([time, 1, classes], &x).unwrap();
        let length = Tensor::from_slice([1], &[time as i32]).unwrap();
        let y = run("CTCBeamSearchDecoder", &[x, length], &attrs(1000, 3)).unwrap();
        for p in 0..3 {
            assert_eq!(y[3 + p].slice::<i64>().unwrap(), best[p].0);
            assert!((f64::from(y[9].slice::<f32>().unwrap()[p]) - best[p].1.ln()).abs() < 1e-5);
        }
    }

    #[test]
    fn more_paths_than_there_are_is_an_error() {
        let x = Tensor::from_slice([1, 1, 2], &[0f32, 1.0]).unwrap();
        let length = Tensor::from_slice([1], &[1i32]).unwrap();
        assert!(run("CTCBeamSearchDecoder", &[x.clone(), length.clone()], &attrs(2, 3)).is_err());
        assert!(run("CTCBeamSearchDecoder", &[x, length], &attrs(9, 3)).is_err());
    }
}
