//! BoostedTreesBucketize: the buckets of numbers between boundaries.

use super::super::inputs::count;
use ferroflow_graph::{KernelContext, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, ensure};

/// Numbers of one parallel block.
const BLOCK: usize = 1 << 12;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let features = count(c.int("num_features")?, "num_features")?;
    let mut rows: Option<usize> = None;
    for feature in 0..features {
        let values = c.input(feature)?.with_rank(1)?;
        if let (Some(n), Some(rows)) = (values.dim(0), rows) {
            ensure!(n == rows, InvalidArgument, "Dimensions must be equal, but are {n} and {rows}");
        }
        rows = rows.or(values.dim(0));
        c.set_output(feature, PartialShape::vector(values.dim(0)));
    }
    Ok(())
}

/// Returns the number of boundaries below `value`, at most the number of the last one.
fn bucket(boundaries: &[f32], value: f32) -> i32 {
    let below = boundaries.partition_point(|&boundary| boundary < value);
    below.min(boundaries.len().saturating_sub(1)) as i32
}

fn bucketize(ctx: &mut KernelContext<'_>) -> Result<()> {
    let features = ctx.num_inputs() / 2;
    for feature in 0..features {
        let (values, boundaries) = (ctx.input(feature)?, ctx.input(features + feature)?);
        ensure!(boundaries.rank() == 1, InvalidArgument, "Buckets should be flat vectors.");
        ensure!(values.rank() == 1, InvalidArgument, "Values should be flat vectors, got shape {}", values.shape());
        let (values, boundaries) = (values.slice::<f32>()?, boundaries.slice::<f32>()?);
        let mut out = Tensor::zeros(DType::I32, [values.len()])?;
        try_for_chunks_mut(ctx.threads(), out.slice_mut::<i32>()?, BLOCK, |start, out| {
            out.iter_mut().zip(&values[start..]).for_each(|(out, &value)| *out = bucket(boundaries, value));
        })?;
        ctx.set_output(feature, out);
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("BoostedTreesBucketize")
            .input("float_values: num_features * float")
            .input("bucket_boundaries: num_features * float")
            .output("buckets: num_features * int32")
            .attr("num_features: int >= 0")
            .doc("Returns the number of each feature's boundaries that are below a value; the last bucket has no end.")
            .shape(shape)
            .kernel(|_| kernel(bucketize)),
    );
}

#[cfg(test)]
mod tests {
    use super::bucket;

    #[test]
    fn a_boundary_belongs_to_its_bucket_and_the_last_has_no_end() {
        let buckets = [0.0, 1.0, 2.5, 9.0, f32::NAN].map(|value| bucket(&[0.0, 1.0, 2.0], value));
        assert_eq!(buckets, [0, 1, 2, 2, 0]);
        assert_eq!(bucket(&[], 5.0), 0);
    }
}
