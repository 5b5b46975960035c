//! EncodeProto: serialized messages from tensors with the values of their fields.

use super::descriptor::{Field, Kind, fields_of};
use super::wire::push_varint;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Bytes, DType, PartialShape, Result, Shape, Tensor, bail, ensure};

/// Returns the number that says how a field's values are written.
fn wire_type(kind: Kind) -> u32 {
    match kind {
        Kind::Double | Kind::Fixed64 => 1,
        Kind::Float | Kind::Fixed32 | Kind::SignedFixed32 => 5,
        Kind::Bytes => 2,
        Kind::Group => 3,
        Kind::Signed | Kind::Unsigned | Kind::ZigZag | Kind::Bool => 0,
    }
}

fn push_tag(out: &mut Vec<u8>, number: u32, wire_type: u32) {
    push_varint(out, u64::from(number) << 3 | u64::from(wire_type));
}

/// Appends an integer as the field writes it.
fn push_integer(out: &mut Vec<u8>, kind: Kind, n: i64) {
    match kind {
        Kind::ZigZag => push_varint(out, (n << 1 ^ n >> 63) as u64),
        Kind::Fixed64 => out.extend_from_slice(&n.to_le_bytes()),
        Kind::Fixed32 | Kind::SignedFixed32 => out.extend_from_slice(&(n as u32).to_le_bytes()),
        _ => push_varint(out, n as u64),
    }
}

/// Appends element `at` of a tensor, without its tag.
fn push_value(out: &mut Vec<u8>, field: &Field, values: &Tensor, at: usize) -> Result<()> {
    match values.dtype() {
        DType::F64 if field.kind == Kind::Double => out.extend_from_slice(&values.slice::<f64>()?[at].to_le_bytes()),
        DType::F64 => out.extend_from_slice(&(values.slice::<f64>()?[at] as f32).to_le_bytes()),
        DType::F32 => out.extend_from_slice(&values.slice::<f32>()?[at].to_le_bytes()),
        DType::I64 => push_integer(out, field.kind, values.slice::<i64>()?[at]),
        DType::U64 => push_integer(out, field.kind, values.slice::<u64>()?[at] as i64),
        DType::I32 => push_integer(out, field.kind, values.slice::<i32>()?[at].into()),
        DType::U32 => push_integer(out, field.kind, values.slice::<u32>()?[at].into()),
        DType::Bool => out.push(values.slice::<bool>()?[at].into()),
        DType::String => {
            let bytes = &values.strings()?[at];
            if field.kind == Kind::Bytes {
                push_varint(out, bytes.len() as u64);
            }
            out.extend_from_slice(bytes);
            if field.kind == Kind::Group {
                push_tag(out, field.number, 4);
            }
        }
        other => bail!(InvalidArgument, "EncodeProto has no values of type {}", other.schema_name()),
    }
    Ok(())
}

/// Appends the values of a field at these places of a tensor.
fn push_field(out: &mut Vec<u8>, field: &Field, values: &Tensor, places: std::ops::Range<usize>) -> Result<()> {
    if !field.is_packed {
        for at in places {
            push_tag(out, field.number, wire_type(field.kind));
            push_value(out, field, values, at)?;
        }
        return Ok(());
    }
    if places.is_empty() {
        return Ok(());
    }
    let mut packed = Vec::new();
    for at in places {
        push_value(&mut packed, field, values, at)?;
    }
    push_tag(out, field.number, 2);
    push_varint(out, packed.len() as u64);
    out.extend_from_slice(&packed);
    Ok(())
}

fn encoded(sizes: &Tensor, values: &[Tensor], fields: &[Field], order: &[usize]) -> Result<Tensor> {
    ensure!(sizes.rank() > 0, InvalidArgument, "sizes must be at least a vector, got shape {}", sizes.shape());
    let (batch, count) = sizes.shape().split_at(sizes.rank() - 1);
    ensure!(
        count == [fields.len()],
        InvalidArgument,
        "Expected the last dimension of sizes to be {}, got {}",
        fields.len(),
        count[0]
    );
    for (field, value) in fields.iter().zip(values) {
        ensure!(
            value.rank() == sizes.rank() && value.shape()[..batch.len()] == *batch,
            InvalidArgument,
            "Values must match up to the last dimension: {} of field {} and {} of sizes",
            value.shape(),
            field.name,
            sizes.shape()
        );
    }
    let sizes = sizes.slice::<i32>()?;
    let messages: usize = batch.iter().product();
    let mut out: Vec<Bytes> = Vec::with_capacity(messages);
    for m in 0..messages {
        let mut message = Vec::new();
        for &i in order {
            let (field, value) = (&fields[i], &values[i]);
            let most = value.shape()[batch.len()];
            let size = sizes[m * fields.len() + i];
            let Some(size) = usize::try_from(size).ok().filter(|&s| s <= most) else {
                bail!(
                    InvalidArgument,
                    "Size to write must not be larger than value tensor; but saw: {size} > {most} at message {m} field {i}"
                );
            };
            push_field(&mut message, field, value, m * most..m * most + size)?;
        }
        out.push(message.into());
    }
    Tensor::from_strings(Shape::new(batch), out)
}

fn encode(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (fields, types) = (fields_of(init)?, init.dtypes("Tinput_types")?);
    ensure!(
        fields.len() == types.len(),
        InvalidArgument,
        "Length of field_names and values must match: {} and {}",
        fields.len(),
        types.len()
    );
    for (field, &dtype) in fields.iter().zip(&types) {
        ensure!(
            field.fits(dtype),
            InvalidArgument,
            "Incompatible type for field {}.  Saw dtype: {} but field type is: {}",
            field.name,
            dtype.name(),
            field.type_name()
        );
    }
    // Protobuf writes fields by rising numbers.
    let mut order: Vec<usize> = (0..fields.len()).collect();
    order.sort_by_key(|&i| fields[i].number);
    kernel(move |ctx| {
        let out = encoded(ctx.input(0)?, &ctx.inputs()[1..], &fields, &order)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let sizes = c.input(0)?.with_rank_at_least(1)?;
    if let Some(dims) = sizes.dims() {
        c.set_output(0, PartialShape::from_dims(&dims[..dims.len() - 1]));
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("EncodeProto")
            .input("sizes: int32")
            .input("values: Tinput_types")
            .output("bytes: string")
            .attr("field_names: list(string)")
            .attr("message_type: string")
            .attr("descriptor_source: string = 'local://'")
            .attr("Tinput_types: list(type) >= 1")
            .doc("Returns serialized messages with these values of fields, as many of each as `sizes` says.")
            .shape(shape)
            .kernel(encode),
    );
}
