//! UnsortedSegmentJoin: the strings of each segment, joined.

use crate::room::filled;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Bytes, PartialShape, Result, Shape, Tensor, bail, ensure};

fn join(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let separator = init.bytes("separator")?;
    kernel(move |ctx| {
        let (inputs, ids, count) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
        ensure!(count.rank() == 0, InvalidArgument, "Number of segments should be a scalar, got {}", count.shape());
        let count = count.to_i64s()?[0];
        ensure!(count >= 0, InvalidArgument, "Number of segments must be non-negative, got {count}");
        let (dims, prefix) = (inputs.shape().dims(), ids.shape().dims());
        ensure!(
            prefix.len() <= dims.len(),
            OutOfRange,
            "Invalid segment_id rank {} for input with {} dimension(s)",
            prefix.len(),
            dims.len()
        );
        ensure!(
            !prefix.is_empty() && dims.starts_with(prefix),
            InvalidArgument,
            "segment_ids' shape must be a prefix of the inputs' shape: {} and {}",
            ids.shape(),
            inputs.shape()
        );
        let rest = &dims[prefix.len()..];
        let size: usize = rest.iter().product();
        let mut all = vec![count];
        all.extend(rest.iter().map(|&d| d as i64));
        let shape = Shape::checked(&all)?;
        let mut out: Vec<Option<Vec<u8>>> = filled(shape.elements(), None, "texts")?;
        let strings = inputs.strings()?;
        for (row, id) in ids.to_i64s()?.into_iter().enumerate() {
            let Some(id) = usize::try_from(id).ok().filter(|_| id < count) else {
                bail!(InvalidArgument, "segment_ids are not allowed to exceed num_segments or to have negative values.")
            };
            for j in 0..size {
                let word = &strings[row * size + j];
                match &mut out[id * size + j] {
                    Some(text) => {
                        text.extend_from_slice(&separator);
                        text.extend_from_slice(word);
                    }
                    empty => *empty = Some(word.to_vec()),
                }
            }
        }
        let words = out.into_iter().map(|text| Bytes::from(text.unwrap_or_default())).collect();
        ctx.set_output(0, Tensor::from_strings(shape, words)?);
        Ok(())
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (inputs, ids) = (c.input(0)?, c.input(1)?.with_rank_at_least(1)?);
    c.input(2)?.with_rank(0)?;
    let count = c.input_i64(2)?;
    if let Some(n) = count {
        ensure!(n >= 0, InvalidArgument, "Dimension size, given by scalar input 2, must be non-negative but is {n}");
    }
    let count = count.and_then(|n| usize::try_from(n).ok());
    let (Some(dims), Some(outer)) = (inputs.dims(), ids.rank()) else { return Ok(()) };
    ensure!(dims.len() >= outer, InvalidArgument, "segment_ids have a rank above that of the inputs");
    for (&size, &rows) in dims.iter().zip(ids.dims().iter().flatten()) {
        let (Some(size), Some(rows)) = (size, rows) else { continue };
        ensure!(size == rows, InvalidArgument, "Dimensions must be equal, but are {size} and {rows}");
    }
    let rest = PartialShape::from_dims(&dims[outer..]);
    c.set_output(0, PartialShape::vector(count).concatenate(&rest));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("UnsortedSegmentJoin")
            .input("inputs: string")
            .input("segment_ids: Tindices")
            .input("num_segments: Tnumsegments")
            .output("output: string")
            .attr("separator: string = ''")
            .attr("Tindices: {int32, int64}")
            .attr("Tnumsegments: {int32, int64} = DT_INT32")
            .doc("Joins the strings of each segment, with `separator` between them.")
            .shape(shape)
            .kernel(join),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Bytes, Result, Tensor};

    #[test]
    fn strings_of_a_segment_are_joined_in_order() {
        let words = ["a", "b", "c", "d"].map(|w| Bytes::from(w.as_bytes())).to_vec();
        let x = Tensor::from_strings([4], words).unwrap();
        let join = |ids: [i32; 4], count: i32| -> Result<Vec<String>> {
            let inputs = [x.clone(), Tensor::from_slice([4], &ids)?, Tensor::scalar(count)];
            let out = run("UnsortedSegmentJoin", &inputs, &[("separator", AttrValue::Str(b"-".to_vec()))])?;
            Ok(out[0].strings()?.iter().map(|s| String::from_utf8_lossy(s).into_owned()).collect())
        };
        assert_eq!(join([2, 0, 2, 0], 3).unwrap(), ["b-d", "", "a-c"]);
        for outside in [3, -1, i32::MIN] {
            let refused = join([outside, 0, 0, 0], 3).unwrap_err();
            assert!(refused.message().starts_with("segment_ids are not allowed to exceed num_segments"), "{refused:?}");
        }
        assert!(join([0; 4], -1).is_err());
    }
}
