//! Summaries: values of a step as `Summary` messages, for event files.

mod audio;
mod database;
mod histogram;
mod image;
mod merge;
mod scalar;
mod tensor;
mod writer;

use ferroflow_graph::{KernelContext, Registry, ShapeContext};
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::Summary;
use ferroflow_proto::tensorflow::summary::Value;
use ferroflow_tensor::{PartialShape, Result, Tensor, bail};

pub(crate) fn register(r: &mut Registry) {
    audio::register(r);
    histogram::register(r);
    image::register(r);
    merge::register(r);
    scalar::register(r);
    tensor::register(r);
    writer::register(r);
}

fn scalar_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.set_output(0, PartialShape::scalar());
    Ok(())
}

/// Returns true for a scalar. TF 1.x: a vector of one element counts as one.
fn is_legacy_scalar(t: &Tensor) -> bool {
    t.rank() == 0 || (t.rank() == 1 && t.elements() == 1)
}

/// Returns the tag in input `i`; `name` is what TF's words call that input.
fn tag_in(ctx: &KernelContext<'_>, i: usize, name: &str) -> Result<String> {
    let t = ctx.input(i)?;
    match t.strings()? {
        [one] if is_legacy_scalar(t) => Ok(String::from_utf8_lossy(one).into_owned()),
        _ => bail!(InvalidArgument, "{name} must be scalar"),
    }
}

/// Returns the tag of one of several outputs: only where there may be more than one is it numbered.
fn numbered(tag: &str, kind: &str, most: i64, i: usize) -> String {
    if most > 1 { format!("{tag}/{kind}/{i}") } else { format!("{tag}/{kind}") }
}

fn set_summary(ctx: &mut KernelContext<'_>, value: Vec<Value>) -> Result<()> {
    let bytes = Summary { value }.encode_to_vec();
    ctx.set_output(0, Tensor::from_strings([], vec![bytes.into()])?);
    Ok(())
}
