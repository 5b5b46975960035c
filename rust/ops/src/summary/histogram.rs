//! HistogramSummary: how many values lie in each of TensorFlow's buckets, whose limits grow by a tenth from 1e-12 to 1e20.

use super::{Tagged, scalar_shape, set_summary, tag_in};
use ferroflow_graph::{KernelContext, Op, Registry, kernel};
use ferroflow_proto::tensorflow::HistogramProto;
use ferroflow_proto::tensorflow::summary::value;
use ferroflow_sync::OnceLock;
use ferroflow_tensor::{DType, Result, bail, elementwise};

/// Returns the upper limits of the buckets, exclusive, ascending.
fn limits() -> &'static [f64] {
    static LIMITS: OnceLock<Vec<f64>> = OnceLock::new();
    LIMITS.get_or_init(|| {
        let mut positive = Vec::new();
        let mut limit = 1e-12;
        while limit < 1e20 {
            positive.push(limit);
            limit *= 1.1;
        }
        positive.push(f64::MAX);
        let negative = positive.iter().rev().map(|x| -x);
        negative.chain([0.0]).chain(positive.iter().copied()).collect()
    })
}

/// Returns the histogram of finite values; runs of empty buckets are one bucket.
fn histogram(values: &[f64]) -> HistogramProto {
    let limits = limits();
    let mut counts = vec![0.0; limits.len()];
    let (mut min, mut max, mut sum, mut sum_squares) = (f64::MAX, -f64::MAX, 0.0, 0.0);
    for &x in values {
        // The largest double is in the last bucket, whose limit it equals.
        let bucket = limits.partition_point(|&limit| limit <= x).min(limits.len() - 1);
        counts[bucket] += 1.0;
        min = f64::min(min, x);
        max = f64::max(max, x);
        sum += x;
        sum_squares += x * x;
    }
    let mut out = HistogramProto { min, max, num: values.len() as f64, sum, sum_squares, ..Default::default() };
    for (i, (&limit, &count)) in limits.iter().zip(&counts).enumerate() {
        let run_goes_on = count == 0.0 && counts.get(i + 1).is_some_and(|&next| next == 0.0);
        if !run_goes_on {
            out.bucket_limit.push(limit);
            out.bucket.push(count);
        }
    }
    out
}

fn compute(ctx: &mut KernelContext<'_>) -> Result<()> {
    let tag = tag_in(ctx, 0, "tags")?;
    let value = value_of(ctx, tag, 1)?;
    set_summary(ctx, &[value])
}

/// Returns the histogram of input `i`.
pub(super) fn value_of(ctx: &KernelContext<'_>, tag: Vec<u8>, i: usize) -> Result<Tagged> {
    let values = elementwise::cast(ctx.input(i)?.clone(), DType::F64, ctx.threads())?;
    let values = values.slice::<f64>()?;
    if let Some(x) = values.iter().find(|x| !x.is_finite()) {
        let what = if x.is_nan() { "Nan" } else { "Infinity" };
        bail!(InvalidArgument, "{what} in summary histogram for: {}", ctx.name());
    }
    Ok(Tagged::new(tag, value::Value::Histo(histogram(values))))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("HistogramSummary")
            .input("tag: string")
            .input("values: T")
            .output("summary: string")
            .attr("T: realnumbertype = DT_FLOAT")
            .doc("Returns a Summary message with the histogram of finite values.")
            .shape(scalar_shape)
            .kernel(|_| kernel(compute)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_one_bucket_below_its_limit() {
        let values = [-1e300, -3.0, -1e-13, 0.0, 1e-12, 0.5, 0.5, 1e19, 1e21, f64::MAX, -f64::MAX];
        let h = histogram(&values);
        assert_eq!(h.bucket.iter().sum::<f64>(), values.len() as f64);
        assert!(h.bucket_limit.windows(2).all(|w| w[0] < w[1]));
        for (i, pair) in h.bucket_limit.windows(2).enumerate() {
            let inside = values.iter().filter(|&&x| pair[0] <= x && x < pair[1]).count() as f64;
            let at_the_end =
                if i + 2 == h.bucket.len() { values.iter().filter(|&&x| x == f64::MAX).count() } else { 0 };
            assert_eq!(h.bucket[i + 1], inside + at_the_end as f64);
        }
        assert!(h.bucket.windows(2).all(|w| w[0] > 0.0 || w[1] > 0.0));
    }

    #[test]
    fn no_values_are_one_empty_bucket() {
        let h = histogram(&[]);
        assert_eq!((h.num, h.bucket, h.bucket_limit), (0.0, vec![0.0], vec![f64::MAX]));
    }
}
