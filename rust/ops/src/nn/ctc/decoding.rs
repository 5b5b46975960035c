//! The check of inputs that the decoders share, and sparse matrices of the sequences they find.

use super::Logit;
use ferroflow_graph::{KernelContext, ShapeContext};
use ferroflow_tensor::{PartialShape, Result, Tensor, bail, ensure};

/// Logits `[time, batch, classes]` and how long each sequence is.
pub(super) struct Inputs<'a, T> {
    pub logits: &'a [T],
    pub batch: usize,
    pub classes: usize,
    pub lengths: Vec<usize>,
}

impl<'a, T: Logit> Inputs<'a, T> {
    pub(super) fn of(ctx: &'a KernelContext<'_>) -> Result<Inputs<'a, T>> {
        let (logits, lengths) = (ctx.input(0)?, ctx.input(1)?);
        ensure!(logits.rank() == 3, InvalidArgument, "inputs is not a 3-Tensor");
        let (time, batch, classes) = (logits.shape()[0], logits.shape()[1], logits.shape()[2]);
        ensure!(time > 0, InvalidArgument, "max_time is 0");
        ensure!(classes > 0, InvalidArgument, "num_classes is 0");
        ensure!(lengths.rank() == 1, InvalidArgument, "sequence_length is not a vector");
        ensure!(
            lengths.elements() == batch,
            FailedPrecondition,
            "len(sequence_length) != batch_size.  len(sequence_length):  {} batch_size: {batch}",
            lengths.elements()
        );
        let mut checked = Vec::with_capacity(batch);
        for (b, &length) in lengths.slice::<i32>()?.iter().enumerate() {
            // TF 1.x: a negative length is an empty sequence.
            let length = length.max(0) as usize;
            if length > time {
                bail!(FailedPrecondition, "sequence_length({b}) <= {time}");
            }
            checked.push(length);
        }
        Ok(Inputs { logits: logits.slice()?, batch, classes, lengths: checked })
    }

    pub(super) fn row(&self, t: usize, b: usize) -> &[T] {
        &self.logits[(t * self.batch + b) * self.classes..][..self.classes]
    }
}

/// Sets outputs `path`, `path + paths` and `path + 2 paths`: indices, values and shape of a matrix whose rows are sequences.
pub(super) fn set_sparse(ctx: &mut KernelContext<'_>, path: usize, paths: usize, rows: &[Vec<i64>]) -> Result<()> {
    let values = rows.concat();
    let indices: Vec<i64> =
        rows.iter().enumerate().flat_map(|(b, row)| (0..row.len()).flat_map(move |t| [b as i64, t as i64])).collect();
    let longest = rows.iter().map(Vec::len).max().unwrap_or(0);
    ctx.set_output(path, Tensor::from_slice([values.len(), 2], &indices)?);
    ctx.set_output(path + paths, Tensor::from_slice([values.len()], &values)?);
    ctx.set_output(path + 2 * paths, Tensor::from_slice([2], &[rows.len() as i64, longest as i64])?);
    Ok(())
}

/// Sets the shapes of a decoder of so many paths.
pub(super) fn shape(c: &mut ShapeContext<'_>, paths: usize) -> Result<()> {
    let inputs = c.input(0)?.with_rank(3)?;
    let batch = PartialShape::vector(inputs.dim(1)).merge(&c.input(1)?.with_rank(1)?)?.dim(0);
    for p in 0..paths {
        c.set_output(p, PartialShape::from_dims(&[None, Some(2)]));
        c.set_output(p + paths, PartialShape::vector(None));
        c.set_output(p + 2 * paths, PartialShape::vector(Some(2)));
    }
    c.set_output(3 * paths, PartialShape::from_dims(&[batch, Some(paths)]));
    Ok(())
}
