//! SoftmaxCrossEntropyWithLogits: the loss of each row against a distribution over the classes, and its gradient.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_rows_mut;
use ferroflow_tensor::vector::xent_rows;
use ferroflow_tensor::{DType, PartialShape, Result, Scalar, Shape, Tensor, broadcast, dispatch, ensure};
use std::ops::Range;

/// Logits of one parallel block, as near as whole rows allow.
pub(super) const BLOCK: usize = 1 << 13;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let both = PartialShape::broadcast(c.input(0)?, c.input(1)?)?;
    // One known rank of 2 decides an unknown other.
    let both = match both.rank() {
        None if c.is_exact() => Ok(PartialShape::unknown_of_rank(2)),
        None => c.input(0)?.with_rank(2).and_then(|s| s.merge(c.input(1)?)),
        Some(2) => Ok(both),
        Some(r) => {
            ferroflow_tensor::bail!(InvalidArgument, "Shape must be broadcasted with rank 2, but is rank {r}")
        }
    }?;
    let rows = both.dim(0);
    c.set_output(0, PartialShape::vector(rows));
    c.set_output(1, both);
    Ok(())
}

/// A matrix of the broadcast shape: each of its dimensions is that shape's, or 1.
struct Rows<'a, T> {
    values: &'a [T],
    many_rows: bool,
    columns: usize,
}

impl<'a, T: Scalar> Rows<'a, T> {
    fn new(t: &'a Tensor) -> Result<Self> {
        // A vector is one row of the matrix it is broadcast to.
        let (rows, columns) = match t.shape().dims() {
            [r, c] => (*r, *c),
            [c] => (1, *c),
            _ => (1, 1),
        };
        Ok(Rows { values: t.slice()?, many_rows: rows > 1, columns })
    }

    /// Returns some rows of `classes` values, in `copy` where they have to be stretched.
    fn part<'b>(&self, rows: Range<usize>, classes: usize, copy: &'b mut Vec<T>) -> &'b [T]
    where
        'a: 'b,
    {
        if self.columns == classes && (self.many_rows || rows.len() == 1) {
            let start = if self.many_rows { rows.start * classes } else { 0 };
            return &self.values[start..start + rows.len() * classes];
        }
        for i in rows {
            let row = &self.values[if self.many_rows { i * self.columns } else { 0 }..];
            if self.columns == classes {
                copy.extend_from_slice(&row[..classes]);
            } else {
                copy.resize(copy.len() + classes, row[0]);
            }
        }
        copy
    }
}

fn cross_entropy(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.output_type(0)?, T in float, {
        kernel(|ctx| {
            let (logits, labels) = (ctx.take(0)?, ctx.take(1)?);
            let both = broadcast(logits.shape(), labels.shape()).map_err(|_| {
                ferroflow_tensor::Status::invalid_argument(format!(
                    "logits and labels must be broadcastable: logits_size={} labels_size={}",
                    logits.shape(),
                    labels.shape()
                ))
            })?;
            ensure!(
                both.rank() == 2,
                InvalidArgument,
                "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional"
            );
            let (mut loss, mut backprop) = outputs(logits.dtype(), &both)?;
            let (rows, classes) = (both[0], both[1]);
            let (x, y) = (Rows::<T>::new(&logits)?, Rows::<T>::new(&labels)?);
            let outputs = (loss.slice_mut::<T>()?, backprop.slice_mut::<T>()?);
            if let Some(block) = BLOCK.checked_div(classes) {
                try_for_rows_mut(ctx.threads(), rows, block.max(1), outputs, |range, (losses, gradients)| {
                    let (mut x_copy, mut y_copy) = (Vec::new(), Vec::new());
                    let (x, y) = (x.part(range.clone(), classes, &mut x_copy), y.part(range, classes, &mut y_copy));
                    xent_rows(x, y, losses, gradients);
                })?;
            }
            ctx.set_output(0, loss);
            ctx.set_output(1, backprop);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

/// Returns the loss, zero until it is computed (as it stays without classes), and the gradient of logits of shape
/// `[rows, classes]`.
pub(super) fn outputs(dtype: DType, logits: &Shape) -> Result<(Tensor, Tensor)> {
    Ok((Tensor::zeros(dtype, [logits[0]])?, Tensor::new(dtype, logits.clone())?))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SoftmaxCrossEntropyWithLogits")
            .input("features: T")
            .input("labels: T")
            .output("loss: T")
            .output("backprop: T")
            .attr("T: {half, bfloat16, float, double}")
            .doc(
                "Returns the cross entropy of each row's softmax with the row's labels, and its gradient by the \
                 features.",
            )
            .shape(shape)
            .kernel(cross_entropy),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_tensor::{DType, Tensor};

    const OP: &str = "SoftmaxCrossEntropyWithLogits";
    const LOGITS: [f64; 6] = [0.5, -1.0, 2.0, 30.0, 10.0, 20.0];
    const LABELS: [f64; 6] = [0.2, 0.3, 0.5, 0.0, 1.0, 0.0];

    fn naive(x: &[f64], y: &[f64]) -> f64 {
        let top = x.iter().copied().fold(f64::MIN, f64::max);
        let log_sum = x.iter().map(|x| (x - top).exp()).sum::<f64>().ln() + top;
        x.iter().zip(y).map(|(x, y)| y * (log_sum - x)).sum()
    }

    fn matrix(rows: usize, values: &[f64]) -> Tensor {
        Tensor::from_slice([rows, values.len() / rows], values).unwrap()
    }

    #[test]
    fn the_loss_is_the_cross_entropy_and_the_gradient_its_difference_quotient() {
        let out = run(OP, &[matrix(2, &LOGITS), matrix(2, &LABELS)], &[]).unwrap();
        let h = 1e-6;
        for r in 0..2 {
            let y = &LABELS[3 * r..3 * r + 3];
            let mut x = LOGITS[3 * r..3 * r + 3].to_vec();
            assert!((out[0].slice::<f64>().unwrap()[r] - naive(&x, y)).abs() < 1e-12);
            for c in 0..3 {
                let old = x[c];
                x[c] = old + h;
                let above = naive(&x, y);
                x[c] = old - h;
                let expected = (above - naive(&x, y)) / (2.0 * h);
                x[c] = old;
                let gradient = out[1].slice::<f64>().unwrap()[3 * r + c];
                assert!((gradient - expected).abs() < 1e-8, "{gradient} {expected}");
            }
        }
    }

    #[test]
    fn either_side_is_broadcast() {
        let stretched = |logits: &[f64], labels: &[f64]| run(OP, &[matrix(2, logits), matrix(2, labels)], &[]).unwrap();
        let cases = [
            (vec![2, 3], LOGITS.to_vec(), vec![1, 3], vec![0.2, 0.3, 0.5]),
            (vec![2, 3], LOGITS.to_vec(), vec![3], vec![0.2, 0.3, 0.5]),
            (vec![2, 3], LOGITS.to_vec(), vec![2, 1], vec![0.25, 0.5]),
            (vec![2, 3], LOGITS.to_vec(), vec![], vec![0.25]),
            (vec![1, 3], vec![0.5, -1.0, 2.0], vec![2, 3], LABELS.to_vec()),
            (vec![2, 1], vec![0.5, -1.0], vec![1, 3], vec![0.2, 0.3, 0.5]),
        ];
        for (xs, x, ys, y) in cases {
            let wide = |s: &[usize], v: &[f64]| -> Vec<f64> {
                let (rows, columns) = match s {
                    [r, c] => (*r, *c),
                    [c] => (1, *c),
                    _ => (1, 1),
                };
                (0..6).map(|i| v[(i / 3 % rows) * columns + i % 3 % columns]).collect()
            };
            let expected = stretched(&wide(&xs, &x), &wide(&ys, &y));
            let inputs = [Tensor::from_slice(&xs[..], &x).unwrap(), Tensor::from_slice(&ys[..], &y).unwrap()];
            assert_eq!(run(OP, &inputs, &[]).unwrap(), expected, "{xs:?} {ys:?}");
        }
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        let zeros = |s: &[usize]| Tensor::zeros(DType::F32, s).unwrap();
        for (x, y) in [(&[2, 3][..], &[2, 4][..]), (&[3], &[3]), (&[2, 2, 3], &[2, 2, 3])] {
            assert!(run(OP, &[zeros(x), zeros(y)], &[]).is_err(), "{x:?} {y:?}");
        }
    }

    #[test]
    fn without_classes_the_loss_is_zero() {
        let x = Tensor::zeros(DType::F32, [3, 0]).unwrap();
        assert_eq!(run(OP, &[x.clone(), x], &[]).unwrap()[0].slice::<f32>().unwrap(), [0.0; 3]);
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let x: Vec<f32> = (0..5000 * 10).map(|i| (i % 89) as f32 / 9.0).collect();
        let x = Tensor::from_slice([5000, 10], &x).unwrap();
        let by = |n| run_args(OP, vec![Arg::One(x.clone()), Arg::One(x.clone())], &[], n).unwrap().values;
        assert_eq!(by(2), by(1));
        assert_eq!(by(4), by(1));
    }
}
