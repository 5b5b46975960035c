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
use ferroflow_proto::tensorflow::summary::{Value, value};
use ferroflow_proto::{Message, bytes_field};
use ferroflow_tensor::{PartialShape, Result, Tensor, bail};

/// Number of the field of a `Summary` that holds its values, and of the first field of a value, its tag.
const VALUE: u32 = 1;
const TAG: u32 = 1;

/// A value of a summary and its tag. TF 1.x: a tag may be bytes that are not UTF-8, which `Value::tag` cannot hold.
struct Tagged {
    tag: Vec<u8>,
    /// Its own tag is empty.
    value: Value,
}

impl Tagged {
    fn new(tag: Vec<u8>, value: value::Value) -> Tagged {
        Tagged { tag, value: Value { value: Some(value), ..Default::default() } }
    }

    /// Returns the value as a message, with replacement characters for what is not UTF-8.
    fn readable(self) -> Value {
        Value { tag: String::from_utf8_lossy(&self.tag).into_owned(), ..self.value }
    }
}

/// Returns a serialized `Summary` of values.
fn encoded(values: &[Tagged]) -> Vec<u8> {
    let mut summary = Vec::new();
    for Tagged { tag, value } in values {
        let mut message = if tag.is_empty() { Vec::new() } else { bytes_field(TAG, tag) };
        message.extend(value.encode_to_vec());
        summary.extend(bytes_field(VALUE, &message));
    }
    summary
}

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
fn tag_in(ctx: &KernelContext<'_>, i: usize, name: &str) -> Result<Vec<u8>> {
    let t = ctx.input(i)?;
    match t.strings()? {
        [one] if is_legacy_scalar(t) => Ok(one.to_vec()),
        _ => bail!(InvalidArgument, "{name} must be scalar"),
    }
}

/// Returns the tag of one of several outputs: only where there may be more than one is it numbered.
fn numbered(tag: &[u8], kind: &str, most: i64, i: usize) -> Vec<u8> {
    let end = if most > 1 { format!("/{kind}/{i}") } else { format!("/{kind}") };
    [tag, end.as_bytes()].concat()
}

fn set_summary(ctx: &mut KernelContext<'_>, values: &[Tagged]) -> Result<()> {
    set_message(ctx, encoded(values))
}

fn set_message(ctx: &mut KernelContext<'_>, summary: Vec<u8>) -> Result<()> {
    ctx.set_output(0, Tensor::from_strings([], vec![summary.into()])?);
    Ok(())
}
