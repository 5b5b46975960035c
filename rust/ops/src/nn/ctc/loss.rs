//! CTCLoss: the negative log probability of each label sequence, and its gradient by the logits.

use super::{Logit, log_sum_exp};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::{Columns, try_for_rows_mut};
use ferroflow_tensor::vector::scalar;
use ferroflow_tensor::{PartialShape, Result, Tensor, bail, dispatch, ensure};

const ZERO: f64 = f64::NEG_INFINITY;

#[derive(Clone, Copy)]
struct Options {
    collapses_repeated: bool,
    merges_repeated: bool,
    ignores_longer: bool,
}

/// The sizes of the logits.
#[derive(Clone, Copy)]
struct Sizes {
    time: usize,
    batch: usize,
    classes: usize,
}

impl Sizes {
    fn blank(&self) -> usize {
        self.classes - 1
    }
}

/// Returns the labels of each sequence of a batch, from the parts of a sparse matrix.
fn label_rows(indices: &Tensor, values: &Tensor, batch: usize) -> Result<Vec<Vec<i32>>> {
    ensure!(indices.rank() == 2, InvalidArgument, "labels_indices is not a matrix");
    ensure!(values.rank() == 1, InvalidArgument, "labels_values is not a vector");
    ensure!(
        indices.shape()[0] == values.shape()[0],
        InvalidArgument,
        "labels_indices and labels_values must contain the same number of rows, but saw shapes: {} vs. {}",
        indices.shape(),
        values.shape()
    );
    ensure!(
        indices.shape()[1] == 2 || indices.shape()[0] == 0,
        InvalidArgument,
        "labels_indices must have two columns, got shape {}",
        indices.shape()
    );
    let mut rows = vec![Vec::new(); batch];
    let mut last: Option<(i64, i64)> = None;
    for (i, (place, &value)) in indices.slice::<i64>()?.chunks_exact(2).zip(values.slice::<i32>()?).enumerate() {
        let (b, t) = (place[0], place[1]);
        ensure!(
            (0..batch as i64).contains(&b),
            InvalidArgument,
            "labels batch index must be between 0 and {batch} but saw: {b}"
        );
        ensure!(
            t >= 0 && last.is_none_or(|l| l < (b, t)),
            InvalidArgument,
            "label SparseTensor is not valid: indices[{i}] = [{b},{t}] is out of order, repeated or out of bounds"
        );
        last = Some((b, t));
        rows[b as usize].push(value);
    }
    Ok(rows)
}

/// Returns the labels of sequence `b` with a blank before each and after the last.
fn with_blanks(label: &[i32], b: usize, length: usize, sizes: Sizes, options: Options) -> Result<Vec<usize>> {
    ensure!(!label.is_empty(), InvalidArgument, "Labels length is zero in batch {b}");
    let mut kept: Vec<i32> = Vec::new();
    let mut has_ended = false;
    for (i, &l) in label.iter().enumerate() {
        if i > 0 && options.collapses_repeated && l == label[i - 1] {
            continue;
        }
        if l >= 0 && l as usize >= sizes.blank() {
            has_ended = true;
            continue;
        }
        ensure!(
            !has_ended,
            InvalidArgument,
            "Saw a non-null label (index >= num_classes - 1) following a null label, batch: {b} num_classes: {} \
             labels: {}",
            sizes.classes,
            joined(&kept)
        );
        kept.push(l);
    }
    ensure!(
        kept.iter().all(|&l| l >= 0),
        InvalidArgument,
        "All labels must be nonnegative integers, batch: {b} labels: {}",
        joined(&kept)
    );
    ensure!(
        options.ignores_longer || label.len() <= length,
        InvalidArgument,
        "Not enough time for target transition sequence (required: {}, available: {length}){b}You can turn this error \
         into a warning by using the flag ignore_longer_outputs_than_inputs",
        label.len()
    );
    let blank = sizes.blank();
    Ok(std::iter::once(blank).chain(kept.iter().flat_map(|&l| [l as usize, blank])).collect())
}

fn joined(labels: &[i32]) -> String {
    labels.iter().map(i32::to_string).collect::<Vec<_>>().join(",")
}

/// One sequence: its log probabilities `[time, classes]`, and its labels with blanks.
struct Sequence<'a> {
    log_y: &'a [f64],
    classes: usize,
    labels: &'a [usize],
    merges_repeated: bool,
}

impl Sequence<'_> {
    fn time(&self) -> usize {
        self.log_y.len() / self.classes
    }

    fn at(&self, t: usize, u: usize) -> f64 {
        self.log_y[t * self.classes + self.labels[u]]
    }

    /// Returns the labels that may be reached by time `t` and still reach the end.
    fn reachable(&self, t: usize) -> std::ops::Range<usize> {
        let n = self.labels.len();
        n.saturating_sub(2 * (self.time() - t))..n.min(2 * (t + 1))
    }

    fn stays(&self, u: usize) -> bool {
        self.merges_repeated || self.labels[u] + 1 == self.classes
    }

    /// Returns true if the blank between `u` and `u + 2` may be left out.
    fn skips(&self, u: usize) -> bool {
        let (from, to) = (self.labels[u], self.labels[u + 2]);
        to + 1 != self.classes && !(self.merges_repeated && from == to)
    }

    /// Returns the probability of all ways to label `u` at time `t`.
    fn forward(&self) -> Vec<f64> {
        let n = self.labels.len();
        let mut alpha = vec![ZERO; self.time() * n];
        for (u, a) in alpha.iter_mut().take(n.min(2)).enumerate() {
            *a = self.at(0, u);
        }
        for t in 1..self.time() {
            let (before, now) = alpha.split_at_mut(t * n);
            let before = &before[(t - 1) * n..];
            for u in self.reachable(t) {
                let mut sum = if self.stays(u) { before[u] } else { ZERO };
                if u > 0 {
                    sum = log_sum_exp(sum, before[u - 1]);
                }
                if u > 1 && self.skips(u - 2) {
                    sum = log_sum_exp(sum, before[u - 2]);
                }
                now[u] = sum + self.at(t, u);
            }
        }
        alpha
    }

    /// Returns the probability of all ways to the end from label `u` at time `t`, that one's own left out.
    fn backward(&self) -> Vec<f64> {
        let (n, last) = (self.labels.len(), self.time() - 1);
        let mut beta = vec![ZERO; self.time() * n];
        beta[last * n + n.saturating_sub(2)..].fill(0.0);
        for t in (0..last).rev() {
            let (now, after) = beta.split_at_mut((t + 1) * n);
            let now = &mut now[t * n..];
            for u in self.reachable(t) {
                let mut sum = if self.stays(u) { after[u] + self.at(t + 1, u) } else { ZERO };
                if u + 1 < n {
                    sum = log_sum_exp(sum, after[u + 1] + self.at(t + 1, u + 1));
                }
                // From a label that is no blank.
                if u + 2 < n && self.labels[u] + 1 != self.classes && self.skips(u) {
                    sum = log_sum_exp(sum, after[u + 2] + self.at(t + 1, u + 2));
                }
                now[u] = sum;
            }
        }
        beta
    }

    /// Returns the loss; `gradient(t, values)` gets the gradient at each time.
    ///
    /// TF 1.x: where there is no way through the frames, the loss is infinite and its gradient the softmax of the logits.
    fn loss(&self, mut gradient: impl FnMut(usize, &[f64])) -> f64 {
        let n = self.labels.len();
        let (alpha, beta) = (self.forward(), self.backward());
        let total = (0..n).fold(ZERO, |sum, u| log_sum_exp(sum, alpha[u] + beta[u]));
        let mut by_class = vec![ZERO; self.classes];
        for t in 0..self.time() {
            by_class.fill(ZERO);
            for (u, &label) in self.labels.iter().enumerate() {
                by_class[label] = log_sum_exp(by_class[label], alpha[t * n + u] + beta[t * n + u]);
            }
            for (class, p) in by_class.iter_mut().enumerate() {
                let way = if total == ZERO { 0.0 } else { scalar::exp(*p - total) };
                *p = scalar::exp(self.log_y[t * self.classes + class]) - way;
            }
            gradient(t, &by_class);
        }
        -total
    }
}

/// Returns the log softmax of the logits of one sequence. TF 1.x: a probability that is too small for a float counts as
/// zero.
fn log_softmax<T: Logit>(logits: &[T], b: usize, length: usize, sizes: Sizes) -> Vec<f64> {
    let mut log_y = Vec::with_capacity(length * sizes.classes);
    for t in 0..length {
        let row = &logits[(t * sizes.batch + b) * sizes.classes..][..sizes.classes];
        let max = row.iter().copied().fold(T::neg_infinity(), T::max);
        let sum: T = row.iter().map(|&x| scalar::exp(x - max)).sum();
        log_y.extend(row.iter().map(|&x| scalar::log(Into::<f64>::into(scalar::exp(x - max) / sum))));
    }
    log_y
}

fn compute<T: Logit>(ctx: &mut KernelContext<'_>, options: Options) -> Result<()> {
    let (logits, lengths) = (ctx.input(0)?, ctx.input(3)?);
    ensure!(logits.rank() == 3, InvalidArgument, "inputs is not a 3-Tensor");
    ensure!(lengths.rank() == 1, InvalidArgument, "sequence_length is not a vector");
    let s = logits.shape();
    let sizes = Sizes { time: s[0], batch: s[1], classes: s[2] };
    ensure!(
        lengths.elements() == sizes.batch,
        InvalidArgument,
        "len(sequence_length) != batch_size.  len(sequence_length):  {} batch_size: {}",
        lengths.elements(),
        sizes.batch
    );
    ensure!(sizes.batch != 0, InvalidArgument, "batch_size must not be 0");
    ensure!(sizes.classes != 0, InvalidArgument, "num_classes must not be 0");
    let labels = label_rows(ctx.input(1)?, ctx.input(2)?, sizes.batch)?;
    let mut sequences = Vec::with_capacity(sizes.batch);
    for (b, (label, &length)) in labels.iter().zip(lengths.slice::<i32>()?).enumerate() {
        let Ok(length) = usize::try_from(length) else { bail!(InvalidArgument, "seq_len({b}) < 0") };
        ensure!(length <= sizes.time, InvalidArgument, "sequence_length({b}) <= {}", sizes.time);
        sequences.push((length, with_blanks(label, b, length, sizes, options)?, label.len()));
    }
    let mut loss = Tensor::zeros(T::DTYPE, [sizes.batch])?;
    let mut gradient = Tensor::zeros(T::DTYPE, s.clone())?;
    let x = logits.slice::<T>()?;
    let columns = Columns::new(gradient.slice_mut::<T>()?, (sizes.time, sizes.batch * sizes.classes), sizes.classes);
    let outputs = (loss.slice_mut::<T>()?, columns);
    try_for_rows_mut(ctx.threads(), sizes.batch, 1, outputs, |range, (to_loss, mut gradients)| {
        let b = range.start;
        let (length, with_blanks, labels) = &sequences[b];
        // TF 1.x: if sequences too short for their labels are no error, they are skipped.
        if *length == 0 || (options.ignores_longer && labels > length) {
            return;
        }
        let log_y = log_softmax(x, b, *length, sizes);
        let sequence = Sequence {
            log_y: &log_y,
            classes: sizes.classes,
            labels: with_blanks,
            merges_repeated: options.merges_repeated,
        };
        let Some(mut gradient) = gradients.piece(b) else { return };
        let loss = sequence.loss(|t, values| {
            for (to, &value) in gradient.row(t).iter_mut().zip(values) {
                *to = T::from(value).unwrap_or_else(T::nan);
            }
        });
        to_loss.fill(T::from(loss).unwrap_or_else(T::nan));
    })?;
    ctx.set_output(0, loss);
    ctx.set_output(1, gradient);
    Ok(())
}

fn ctc_loss(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let options = Options {
        collapses_repeated: init.bool("preprocess_collapse_repeated")?,
        merges_repeated: init.bool("ctc_merge_repeated")?,
        ignores_longer: init.bool("ignore_longer_outputs_than_inputs")?,
    };
    dispatch!(init.dtype("T")?, T in [F32, F64], kernel(move |ctx| compute::<T>(ctx, options)), else Err(init.unsupported()))
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let inputs = c.input(0)?.with_rank(3)?;
    let (indices, values) = (c.input(1)?.with_rank(2)?, c.input(2)?.with_rank(1)?);
    PartialShape::vector(indices.dim(0)).merge(&values)?;
    let batch = PartialShape::vector(inputs.dim(1)).merge(&c.input(3)?.with_rank(1)?)?;
    c.set_output(1, PartialShape::from_dims(&[inputs.dim(0), batch.dim(0), inputs.dim(2)]));
    c.set_output(0, batch);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("CTCLoss")
            .input("inputs: T")
            .input("labels_indices: int64")
            .input("labels_values: int32")
            .input("sequence_length: int32")
            .attr("preprocess_collapse_repeated: bool = false")
            .attr("ctc_merge_repeated: bool = true")
            .attr("ignore_longer_outputs_than_inputs: bool = false")
            .attr("T: {float, double} = DT_FLOAT")
            .output("loss: T")
            .output("gradient: T")
            .doc("Returns the negative log probability of each label sequence, and its gradient by the logits.")
            .shape(shape)
            .kernel(ctc_loss),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    fn inputs(labels: &[&[i32]], time: usize, classes: usize, lengths: &[i32]) -> [Tensor; 4] {
        let batch = labels.len();
        let x: Vec<f32> = (0..time * batch * classes).map(|i| (i * 37 % 23) as f32 / 7.0 - 1.0).collect();
        let places: Vec<i64> =
            labels.iter().enumerate().flat_map(|(b, l)| (0..l.len()).flat_map(move |t| [b as i64, t as i64])).collect();
        let values = labels.concat();
        [
            Tensor::from_slice([time, batch, classes], &x).unwrap(),
            Tensor::from_slice([values.len(), 2], &places).unwrap(),
            Tensor::from_slice([values.len()], &values).unwrap(),
            Tensor::from_slice([batch], lengths).unwrap(),
        ]
    }

    /// Returns the sum over all ways through the classes that collapse to the labels.
    fn by_enumeration(
        x: &[f32],
        b: usize,
        batch: usize,
        classes: usize,
        length: usize,
        label: &[i32],
        merges: bool,
    ) -> f64 {
        let log_y = super::log_softmax(x, b, length, super::Sizes { time: length, batch, classes });
        let mut total = 0.0;
        for mut way in 0..classes.pow(length as u32) {
            let (mut p, mut out, mut last) = (0.0, Vec::new(), usize::MAX);
            for t in 0..length {
                let class = way % classes;
                way /= classes;
                p += log_y[t * classes + class];
                if class + 1 != classes && !(merges && class == last) {
                    out.push(class as i32);
                }
                last = class;
            }
            if out == label {
                total += f64::exp(p);
            }
        }
        -total.ln()
    }

    #[test]
    fn the_loss_sums_over_all_ways_and_the_gradient_is_its_slope() {
        for merges in [true, false] {
            let labels: [&[i32]; 3] = [&[0, 1], &[1, 1], &[2]];
            let lengths = [5, 4, 3];
            let args = inputs(&labels, 5, 4, &lengths);
            let attrs = [("ctc_merge_repeated", AttrValue::Bool(merges))];
            let y = run("CTCLoss", &args, &attrs).unwrap();
            let x = args[0].slice::<f32>().unwrap();
            for b in 0..3 {
                let expected = by_enumeration(x, b, 3, 4, lengths[b] as usize, labels[b], merges);
                assert!((f64::from(y[0].slice::<f32>().unwrap()[b]) - expected).abs() < 1e-5);
            }
            let g = y[1].slice::<f32>().unwrap();
            for i in 0..x.len() {
                let (b, t) = (i / 4 % 3, i / 12);
                let at = |by: f32| {
                    let mut x = x.to_vec();
                    x[i] += by;
                    by_enumeration(&x, b, 3, 4, lengths[b] as usize, labels[b], merges)
                };
                let expected = if (t as i32) < lengths[b] { (at(0.01) - at(-0.01)) / 0.02 } else { 0.0 };
                assert!((f64::from(g[i]) - expected).abs() < 1e-4, "{i}");
            }
        }
    }

    #[test]
    fn where_no_way_exists_the_loss_is_infinite_and_the_gradient_the_softmax() {
        // Equal labels need a blank between them, so two frames are too few; the other sequence is not touched.
        let labels: [&[i32]; 2] = [&[0, 0], &[1, 0]];
        let args = inputs(&labels, 3, 3, &[2, 2]);
        let y = run("CTCLoss", &args, &[]).unwrap();
        let losses = y[0].slice::<f32>().unwrap();
        assert!(losses[0] == f32::INFINITY && losses[1].is_finite());
        let x = args[0].slice::<f32>().unwrap();
        let g = y[1].slice::<f32>().unwrap();
        for t in 0..2 {
            let row = &x[t * 6..t * 6 + 3];
            let sum: f32 = row.iter().map(|v| v.exp()).sum();
            for (found, v) in g[t * 6..].iter().zip(row) {
                assert!((found - v.exp() / sum).abs() < 1e-6);
            }
        }
        assert_eq!(g[12..15], [0.0; 3], "frames behind the end");
        // A label with a probability too small for a float is impossible, too.
        let far = Tensor::from_slice([1, 1, 3], &[-1e4f32, 1.0, 1.0]).unwrap();
        let [_, places, values, _] = inputs(&[&[0]], 1, 3, &[1]);
        let y = run("CTCLoss", &[far, places, values, Tensor::from_slice([1], &[1i32]).unwrap()], &[]).unwrap();
        assert_eq!(y[0].slice::<f32>().unwrap(), [f32::INFINITY]);
        assert_eq!(y[1].slice::<f32>().unwrap(), [0.0, 0.5, 0.5]);
    }

    #[test]
    fn labels_must_fit() {
        let error = |labels: &[&[i32]], lengths: &[i32]| {
            run("CTCLoss", &inputs(labels, 4, 4, lengths), &[]).unwrap_err().message().to_owned()
        };
        assert!(error(&[&[0, 1, 2, 0, 1]], &[4]).contains("Not enough time for target transition sequence"));
        assert!(error(&[&[0, 3, 1]], &[4]).contains("Saw a non-null label"));
        assert!(error(&[&[-1]], &[4]).contains("nonnegative"));
        assert!(error(&[&[0], &[]], &[4, 4]).contains("Labels length is zero in batch 1"));
        assert!(error(&[&[0]], &[5]).contains("sequence_length(0) <= 4"));
        assert!(error(&[&[0]], &[-1]).contains("seq_len(0) < 0"));
        let mut args = inputs(&[&[0], &[1]], 4, 4, &[4, 4]);
        args[1] = Tensor::from_slice([2, 2], &[0i64, 0, 7, 0]).unwrap();
        assert!(run("CTCLoss", &args, &[]).is_err());
        args[1] = Tensor::from_slice([2, 2], &[1i64, 0, 0, 0]).unwrap();
        assert!(run("CTCLoss", &args, &[]).is_err());
        let ignored = [("ignore_longer_outputs_than_inputs", AttrValue::Bool(true))];
        let y = run("CTCLoss", &inputs(&[&[0, 1, 2, 0, 1]], 4, 4, &[4]), &ignored).unwrap();
        assert_eq!(y[0].slice::<f32>().unwrap(), [0.0]);
    }

    #[test]
    fn labels_of_blanks_alone_and_of_repetitions_are_taken() {
        let y = run("CTCLoss", &inputs(&[&[3]], 4, 4, &[4]), &[]).unwrap();
        assert!(y[0].slice::<f32>().unwrap()[0].is_finite());
        let collapsed = [("preprocess_collapse_repeated", AttrValue::Bool(true))];
        let a = run("CTCLoss", &inputs(&[&[1, 1, 2]], 4, 4, &[4]), &collapsed).unwrap();
        let b = run("CTCLoss", &inputs(&[&[1, 2]], 4, 4, &[4]), &[]).unwrap();
        assert_eq!(a, b);
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let labels: Vec<&[i32]> = vec![&[0, 1, 1]; 9];
        let args = || inputs(&labels, 12, 5, &[12; 9]).map(Arg::One).into();
        let by = |n| run_args("CTCLoss", args(), &[], n).unwrap().values;
        assert_eq!(by(2), by(1));
    }
}
