//! ScalarSummary: numbers by tag.

use super::{Tagged, is_legacy_scalar, scalar_shape, set_summary};
use ferroflow_graph::{KernelContext, Op, Registry, kernel};
use ferroflow_proto::tensorflow::summary::value;
use ferroflow_tensor::{Bytes, DType, Result, elementwise, ensure};

fn compute(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (tags, values) = (ctx.input(0)?, ctx.input(1)?);
    let of_tag = |tags: &[Bytes]| match tags {
        [one] => format!(" (tag '{}')", String::from_utf8_lossy(one)),
        _ => String::new(),
    };
    ensure!(
        tags.shape() == values.shape() || (is_legacy_scalar(tags) && is_legacy_scalar(values)),
        InvalidArgument,
        "tags and values not the same shape: {} != {}{}",
        tags.shape(),
        values.shape(),
        of_tag(tags.strings()?)
    );
    let numbers = elementwise::cast(values.clone(), DType::F32, ctx.threads())?;
    let named = |(tag, &number): (&Bytes, &f32)| Tagged::new(tag.to_vec(), value::Value::SimpleValue(number));
    let values: Vec<Tagged> = tags.strings()?.iter().zip(numbers.slice::<f32>()?).map(named).collect();
    set_summary(ctx, &values)
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ScalarSummary")
            .input("tags: string")
            .input("values: T")
            .output("summary: string")
            .attr("T: realnumbertype")
            .doc("Returns a Summary message with each of the values, as a float, under its tag.")
            .shape(scalar_shape)
            .kernel(|_| kernel(compute)),
    );
}
