//! InTopK and InTopKV2: whether each row's target class is among its `k` best.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::vector::on_best_isa;
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let predictions = c.input(0)?.with_rank(2)?;
    let rows = PartialShape::vector(predictions.dim(0)).merge(&c.input(1)?.with_rank(1)?)?;
    if c.num_inputs() > 2 {
        c.input(2)?.with_rank(0)?;
    }
    c.set_output(0, rows);
    Ok(())
}

/// Returns true if fewer than `k` classes beat the target; false if a prediction is not finite or there is no such
/// class.
#[inline(always)]
fn is_in_top(row: &[f32], target: i64, k: i64) -> bool {
    let Some(&of_target) = usize::try_from(target).ok().and_then(|t| row.get(t)) else {
        return false;
    };
    // Without jumps, so that the compiler uses vectors.
    let (mut all_finite, mut better) = (true, 0);
    for block in row.chunks(1 << 20) {
        let mut found = 0u32;
        for p in block {
            all_finite &= p.is_finite();
            found = found.wrapping_add(u32::from(*p > of_target));
        }
        better += i64::from(found);
    }
    all_finite && better < k
}

/// Elements of one parallel block, as near as whole rows allow.
const BLOCK: usize = 1 << 15;

fn compute(ctx: &mut KernelContext<'_>, k: i64) -> Result<()> {
    let (predictions, targets) = (ctx.input(0)?, ctx.input(1)?);
    ensure!(predictions.rank() == 2, InvalidArgument, "predictions must be 2-dimensional");
    ensure!(targets.rank() == 1, InvalidArgument, "targets must be 1-dimensional");
    let (rows, classes) = (predictions.shape()[0], predictions.shape()[1]);
    ensure!(
        rows == targets.elements(),
        InvalidArgument,
        "First dimension of predictions {rows} must match length of targets {}",
        targets.elements()
    );
    let (values, targets) = (predictions.slice::<f32>()?, targets.to_i64s()?);
    let mut out = Tensor::new(DType::Bool, [rows])?;
    try_for_chunks_mut(ctx.threads(), out.slice_mut::<bool>()?, (BLOCK / classes.max(1)).max(1), |start, found| {
        for (i, found) in (start..).zip(found) {
            let row = &values[i * classes..(i + 1) * classes];
            *found = on_best_isa(|| is_in_top(row, targets[i], k));
        }
    })?;
    ctx.set_output(0, out);
    Ok(())
}

fn in_top_k(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let k = init.int32("k")?;
    kernel(move |ctx| compute(ctx, k))
}

fn in_top_k_v2(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let k = ctx.input(2)?;
        ensure!(k.rank() == 0, InvalidArgument, "k must be 0-D, got shape {}", k.shape());
        let k = k.to_i64s()?[0];
        compute(ctx, k)
    })
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| Op::new(name).input("predictions: float").input("targets: T");
    let types = "T: {int32, int64} = DT_INT32";
    let doc = "Whether fewer than `k` classes of a row are predicted above its target; classes that tie with it do not count.";
    r.add(op("InTopK").output("precision: bool").attr("k: int").attr(types).doc(doc).shape(shape).kernel(in_top_k));
    r.add(op("InTopKV2").input("k: T").output("precision: bool").attr(types).doc(doc).shape(shape).kernel(in_top_k_v2));
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn found(rows: usize, predictions: &[f32], targets: &[i32], k: i32) -> Result<Vec<bool>> {
        let p = Tensor::from_slice([rows, predictions.len() / rows], predictions)?;
        let t = Tensor::from_slice([targets.len()], targets)?;
        let by_attr = run("InTopK", &[p.clone(), t.clone()], &[("k", AttrValue::Int(k.into()))])?;
        assert_eq!(run("InTopKV2", &[p, t, Tensor::scalar(k)], &[])?, by_attr);
        Ok(by_attr[0].slice::<bool>()?.to_vec())
    }

    #[test]
    fn the_target_is_among_the_best_and_ties_count_for_it() {
        let row = [1.0, 2.0, 2.0, 3.0];
        let best = |target, k| found(1, &row, &[target], k).unwrap()[0];
        assert_eq!([0, 1, 2, 3].map(|t| best(t, 1)), [false, false, false, true]);
        assert_eq!([0, 1, 2, 3].map(|t| best(t, 2)), [false, true, true, true]);
        assert_eq!([0, 1, 2, 3].map(|t| best(t, 4)), [true; 4]);
        assert!(!best(3, 0));
    }

    #[test]
    fn nothing_is_said_of_missing_classes_and_numbers_that_are_not_finite() {
        let rows = [1.0, 2.0, f32::NAN, 1.0, 2.0, 3.0, 1.0, 2.0, f32::INFINITY, 1.0, 2.0, 3.0];
        assert_eq!(found(4, &rows, &[1, 7, 2, -1], 3).unwrap(), [false; 4]);
    }

    #[test]
    fn there_is_one_target_for_each_row() {
        assert!(found(2, &[1.0, 2.0], &[0], 1).is_err());
    }
}
