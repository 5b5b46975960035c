//! GatherTree: the sequences of a beam search, followed back from their last steps.

use ferroflow_graph::{KernelContext, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Tensor, bail, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let ids = c.input(0)?.with_rank(3)?.merge(&c.input(1)?.with_rank(3)?)?;
    let lengths = c.input(2)?.with_rank(1)?;
    c.input(3)?.with_rank(0)?;
    let batch = PartialShape::vector(ids.dim(1)).merge(&lengths)?.dim(0);
    c.set_output(0, PartialShape::from_dims(&[ids.dim(0), batch, ids.dim(2)]));
    Ok(())
}

/// Tensors `[time, batch, beams]` and what ends a sequence.
struct Tree<'a> {
    steps: &'a [i32],
    parents: &'a [i32],
    batch: usize,
    beams: usize,
    end: i32,
}

impl Tree<'_> {
    /// Follows the sequences of one entry of the batch, over its first `length` steps; `out` is full of end tokens.
    fn follow(&self, entry: usize, length: usize, out: &mut [i32]) -> Result<()> {
        let place = |time: usize, beam: usize| (time * self.batch + entry) * self.beams + beam;
        for beam in 0..self.beams {
            let mut at = beam;
            for time in (0..length).rev() {
                out[place(time, beam)] = self.steps[place(time, at)];
                if time == 0 {
                    break;
                }
                let parent = self.parents[place(time, at)];
                at = match usize::try_from(parent) {
                    Ok(parent) if parent < self.beams => parent,
                    _ => bail!(
                        InvalidArgument,
                        "Saw invalid parent id {parent} at (batch, time, beam) == ({entry}, {}, {beam})",
                        time - 1
                    ),
                };
            }
            // A step after the first end token may hold anything.
            let first_end = (0..length).find(|&time| out[place(time, beam)] == self.end).unwrap_or(length);
            for time in first_end..length {
                out[place(time, beam)] = self.end;
            }
        }
        Ok(())
    }
}

fn compute(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (steps, parents, lengths, end) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?, ctx.input(3)?);
    ensure!(steps.rank() == 3, InvalidArgument, "step_ids must be a 3-tensor, saw shape: {}", steps.shape());
    ensure!(
        lengths.rank() == 1,
        InvalidArgument,
        "max_sequence_lengths must be a vector, saw shape: {}",
        lengths.shape()
    );
    ensure!(end.rank() == 0, InvalidArgument, "end_token must be a scalar, saw shape: {}", end.shape());
    ensure!(
        steps.shape() == parents.shape(),
        InvalidArgument,
        "step_ids.shape must match parent_ids.shape.  but shapes are: {} and {}",
        steps.shape(),
        parents.shape()
    );
    let (time, batch, beams) = (steps.shape()[0], steps.shape()[1], steps.shape()[2]);
    ensure!(
        batch == lengths.elements(),
        InvalidArgument,
        "batch size dimensions step_ids.shape[1] and max_sequence_lengths.shape[0] must match.  but shapes are: {} and {}",
        steps.shape(),
        lengths.shape()
    );
    let end = end.slice::<i32>()?[0];
    let tree = Tree { steps: steps.slice()?, parents: parents.slice()?, batch, beams, end };
    let mut out = vec![end; steps.elements()];
    for (entry, &length) in lengths.slice::<i32>()?.iter().enumerate() {
        tree.follow(entry, (length.max(0) as usize).min(time), &mut out)?;
    }
    ctx.set_output(0, Tensor::from_slice([time, batch, beams], &out)?);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("GatherTree")
            .input("step_ids: T")
            .input("parent_ids: T")
            .input("max_sequence_lengths: int32")
            .input("end_token: T")
            .output("beams: T")
            .attr("T: {int32}")
            .doc("Follows each beam of a search back over its parents; what comes after an end token is the end token.")
            .shape(shape)
            .kernel(|_| kernel(compute)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{Code, Result, Tensor};

    /// Returns three steps, one entry and two beams.
    fn beams(steps: [i32; 6], parents: [i32; 6], length: i32, end: i32) -> Result<Vec<i32>> {
        let steps = Tensor::from_slice([3, 1, 2], &steps)?;
        let parents = Tensor::from_slice([3, 1, 2], &parents)?;
        let lengths = Tensor::from_slice([1], &[length])?;
        let got = run("GatherTree", &[steps, parents, lengths, Tensor::scalar(end)], &[])?;
        Ok(got[0].slice::<i32>()?.to_vec())
    }

    #[test]
    fn each_beam_is_followed_back_over_its_parents() {
        // The last step of beam 0 comes from beam 1, that of beam 1 from beam 0; before that they cross again.
        assert_eq!(beams([1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 0], 3, 9).unwrap(), [1, 2, 4, 3, 5, 6]);
    }

    #[test]
    fn end_tokens_fill_what_follows_them_and_what_is_past_the_length() {
        assert_eq!(beams([1, 9, 3, 4, 5, 6], [0, 1, 0, 1, 0, 1], 3, 9).unwrap(), [1, 9, 3, 9, 5, 9]);
        assert_eq!(beams([1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 0, 1], 2, 9).unwrap(), [1, 2, 3, 4, 9, 9]);
        assert_eq!(beams([1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 0, 1], -1, 9).unwrap(), [9; 6]);
        assert_eq!(beams([1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 0, 1], 100, 9).unwrap(), [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn parents_outside_the_beams_are_refused() {
        for parent in [-1, 2, i32::MAX, i32::MIN] {
            let error = beams([1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 0, parent], 3, 9).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument);
            let expected = format!("Saw invalid parent id {parent} at (batch, time, beam) == (0, 1, 1)");
            assert!(error.message().contains(&expected), "{}", error.message());
        }
        // The first step has no parents.
        assert!(beams([1, 2, 3, 4, 5, 6], [7, 7, 0, 1, 0, 1], 3, 9).is_ok());
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        let ids = |batch: usize| Tensor::from_slice([1, batch, 1], &vec![0; batch]).unwrap();
        let lengths = Tensor::from_slice([2], &[1, 1]).unwrap();
        let end = Tensor::scalar(0);
        assert!(run("GatherTree", &[ids(2), ids(2), lengths.clone(), end.clone()], &[]).is_ok());
        assert!(run("GatherTree", &[ids(2), ids(1), lengths.clone(), end.clone()], &[]).is_err());
        assert!(run("GatherTree", &[ids(1), ids(1), lengths.clone(), end.clone()], &[]).is_err());
        assert!(run("GatherTree", &[ids(2), ids(2), end.clone(), end], &[]).is_err());
    }
}
