//! CTCGreedyDecoder: the likeliest class at each time, without blanks and, with `merge_repeated`, repetitions.

use super::Logit;
use super::decoding::{Inputs, set_sparse, shape};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::vector::arg_max;
use ferroflow_tensor::{Result, Tensor, dispatch};

fn greedy(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.dtype("T")?, T in [F32, F64], greedy_of::<T>(init), else Err(init.unsupported()))
}

fn greedy_of<T: Logit>(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let merges = init.bool("merge_repeated")?;
    kernel(move |ctx| {
        let inputs = Inputs::<T>::of(ctx)?;
        let (mut rows, mut scores) = (Vec::with_capacity(inputs.batch), Vec::with_capacity(inputs.batch));
        for (b, &length) in inputs.lengths.iter().enumerate() {
            let (mut row, mut score, mut last) = (Vec::new(), T::zero(), None);
            for t in 0..length {
                let logits = inputs.row(t, b);
                let class = arg_max(logits);
                score = score - logits[class];
                if class + 1 != inputs.classes && !(merges && last == Some(class)) {
                    row.push(class as i64);
                }
                last = Some(class);
            }
            rows.push(row);
            scores.push(score);
        }
        let scores = Tensor::from_slice([rows.len(), 1], &scores)?;
        set_sparse(ctx, 0, 1, &rows)?;
        ctx.set_output(3, scores);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("CTCGreedyDecoder")
            .input("inputs: T")
            .input("sequence_length: int32")
            .attr("merge_repeated: bool = false")
            .attr("T: {float, double} = DT_FLOAT")
            .output("decoded_indices: int64")
            .output("decoded_values: int64")
            .output("decoded_shape: int64")
            .output("log_probability: T")
            .doc(
                "Returns the likeliest class at each time, without blanks, as a sparse matrix; and the negative sum \
                 of its logits.",
            )
            .shape(|c| shape(c, 1))
            .kernel(greedy),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    #[test]
    fn blanks_part_repetitions() {
        // Time 6, batch 2, classes a, b and blank; sequence 1 is shorter.
        let best = [[0, 1], [0, 1], [2, 2], [0, 1], [1, 0], [2, 0]];
        let x: Vec<f32> =
            best.iter().flatten().flat_map(|&c| (0..3).map(move |k| f32::from(u8::from(k == c)))).collect();
        let x = Tensor::from_slice([6, 2, 3], &x).unwrap();
        let lengths = Tensor::from_slice([2], &[6i32, 4]).unwrap();
        let merged =
            run("CTCGreedyDecoder", &[x.clone(), lengths.clone()], &[("merge_repeated", AttrValue::Bool(true))]);
        let merged = merged.unwrap();
        assert_eq!(merged[0].slice::<i64>().unwrap(), [0, 0, 0, 1, 0, 2, 1, 0, 1, 1]);
        assert_eq!(merged[1].slice::<i64>().unwrap(), [0, 0, 1, 1, 1]);
        assert_eq!(merged[2].slice::<i64>().unwrap(), [2, 3]);
        assert_eq!(merged[3].slice::<f32>().unwrap(), [-6.0, -4.0]);
        let all = run("CTCGreedyDecoder", &[x.clone(), lengths], &[]).unwrap();
        assert_eq!(all[1].slice::<i64>().unwrap(), [0, 0, 0, 1, 1, 1, 1]);
        for lengths in [&[7i32, 1][..], &[1, 1, 1]] {
            let lengths = Tensor::from_slice([lengths.len()], lengths).unwrap();
            assert!(run("CTCGreedyDecoder", &[x.clone(), lengths], &[]).is_err());
        }
    }
}
