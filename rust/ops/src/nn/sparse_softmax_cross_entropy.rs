//! SparseSoftmaxCrossEntropyWithLogits: the loss of each row against one class, and its gradient.

use super::softmax_cross_entropy::{BLOCK, outputs};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_rows_mut;
use ferroflow_tensor::vector::sparse_xent_rows;
use ferroflow_tensor::{PartialShape, Result, Status, dispatch, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let logits = c.input(0)?.with_rank(2)?;
    let labels = c.input(1)?.with_rank(1)?;
    let rows = PartialShape::vector(logits.dim(0)).merge(&labels)?;
    c.set_output(1, PartialShape::from_dims(&[rows.dim(0), logits.dim(1)]));
    c.set_output(0, rows);
    Ok(())
}

/// Returns TF 1.x's message of a label out of range, with at most `SHOWN` labels.
fn bad_label(label: i64, classes: usize, labels: &[i64]) -> Status {
    const SHOWN: usize = 1000;
    let mut list = labels.iter().take(SHOWN).map(i64::to_string).collect::<Vec<_>>().join(" ");
    if labels.len() > SHOWN {
        list.push_str("...");
    }
    Status::invalid_argument(format!(
        "Received a label value of {label} which is outside the valid range of [0, {classes}).  Label values: {list}"
    ))
}

fn cross_entropy(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.output_type(0)?, T in float, {
        kernel(|ctx| {
            let (logits, labels) = (ctx.take(0)?, ctx.take(1)?);
            ensure!(logits.rank() == 2, InvalidArgument, "logits must be 2-D, but got shape {}", logits.shape());
            ensure!(labels.rank() == 1, InvalidArgument, "labels must be 1-D, but got shape {}", labels.shape());
            let (rows, classes) = (logits.shape()[0], logits.shape()[1]);
            ensure!(
                rows == labels.elements(),
                InvalidArgument,
                "logits and labels must have the same first dimension, got logits shape {} and labels shape {}",
                logits.shape(),
                labels.shape()
            );
            ensure!(
                classes > 0,
                InvalidArgument,
                "Must have at least one class, but got logits shape {}",
                logits.shape()
            );
            let labels = labels.to_i64s()?;
            if let Some(&label) = labels.iter().find(|&&l| l < 0 || l >= classes as i64) {
                return Err(bad_label(label, classes, &labels));
            }
            let (mut loss, mut backprop) = outputs(logits.dtype(), logits.shape())?;
            let x = logits.slice::<T>()?;
            let outputs = (loss.slice_mut::<T>()?, backprop.slice_mut::<T>()?);
            try_for_rows_mut(ctx.threads(), rows, (BLOCK / classes).max(1), outputs, |range, (losses, gradients)| {
                let cells = range.start * classes..range.end * classes;
                sparse_xent_rows(&x[cells], &labels[range], losses, gradients);
            })?;
            ctx.set_output(0, loss);
            ctx.set_output(1, backprop);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SparseSoftmaxCrossEntropyWithLogits")
            .input("features: T")
            .input("labels: Tlabels")
            .output("loss: T")
            .output("backprop: T")
            .attr("T: {half, bfloat16, float, double}")
            .attr("Tlabels: {int32, int64} = DT_INT64")
            .doc(
                "Returns the cross entropy of each row's softmax with the row's class, and its gradient by the \
                 features.",
            )
            .shape(shape)
            .kernel(cross_entropy),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_tensor::{Code, DType, Tensor};

    const OP: &str = "SparseSoftmaxCrossEntropyWithLogits";

    #[test]
    fn a_class_is_the_distribution_that_is_one_there() {
        let x: Vec<f64> = (0..12).map(|i| (i * 7 % 5) as f64 / 2.0).collect();
        let x = Tensor::from_slice([3, 4], &x).unwrap();
        let dense = Tensor::from_slice([3, 4], &[0.0f64, 1., 0., 0., 0., 0., 0., 1., 1., 0., 0., 0.]).unwrap();
        let expected = run("SoftmaxCrossEntropyWithLogits", &[x.clone(), dense], &[]).unwrap();
        for labels in [Tensor::from_slice([3], &[1i32, 3, 0]), Tensor::from_slice([3], &[1i64, 3, 0])] {
            let out = run(OP, &[x.clone(), labels.unwrap()], &[]).unwrap();
            for (out, expected) in out.iter().zip(&expected) {
                assert_eq!(out.shape(), expected.shape());
                for (a, b) in out.slice::<f64>().unwrap().iter().zip(expected.slice::<f64>().unwrap()) {
                    assert!((a - b).abs() < 1e-14, "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn labels_out_of_range_are_named() {
        let x = Tensor::zeros(DType::F32, [3, 10]).unwrap();
        for label in [10i32, -1] {
            let labels = Tensor::from_slice([3], &[0, label, 9]).unwrap();
            let e = run(OP, &[x.clone(), labels], &[]).unwrap_err();
            assert_eq!(e.code(), Code::InvalidArgument);
            assert_eq!(
                e.message(),
                format!(
                    "Received a label value of {label} which is outside the valid range of [0, 10).  \
                     Label values: 0 {label} 9"
                )
            );
        }
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        let labels = |n: usize| Tensor::zeros(DType::I64, [n]).unwrap();
        let zeros = |s: &[usize]| Tensor::zeros(DType::F32, s).unwrap();
        for (x, y) in [(zeros(&[2, 3]), labels(3)), (zeros(&[3]), labels(3)), (zeros(&[2, 0]), labels(2))] {
            assert!(run(OP, &[x, y], &[]).is_err());
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let x: Vec<f32> = (0..5000 * 10).map(|i| (i % 89) as f32 / 9.0).collect();
        let labels: Vec<i32> = (0..5000).map(|i| i % 10).collect();
        let (x, y) = (Tensor::from_slice([5000, 10], &x).unwrap(), Tensor::from_slice([5000], &labels).unwrap());
        let by = |n| run_args(OP, vec![Arg::One(x.clone()), Arg::One(y.clone())], &[], n).unwrap().values;
        assert_eq!(by(2), by(1));
        assert_eq!(by(4), by(1));
    }
}
