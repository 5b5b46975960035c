//! DecodeProtoV2: fields of serialized messages as tensors.

use super::descriptor::{Field, Kind, fields_of};
use super::wire::{Malformed, Value, fixed, for_each_field, varint};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Bytes, DType, PartialShape, Result, Shape, Tensor, bail, ensure};

/// One value of a field.
#[derive(Clone, Copy)]
enum Item<'a> {
    Integer(i64),
    Float(f64),
    Bytes(&'a [u8]),
}

/// Reads one number of packed ones.
fn packed(kind: Kind, bytes: &mut &[u8]) -> Result<Value<'static>, Malformed> {
    Ok(match kind {
        Kind::Double | Kind::Fixed64 => Value::Fixed64(u64::from_le_bytes(fixed(bytes)?)),
        Kind::Float | Kind::Fixed32 | Kind::SignedFixed32 => Value::Fixed32(u32::from_le_bytes(fixed(bytes)?)),
        _ => Value::Varint(varint(bytes)?),
    })
}

/// Returns the value of a field; None if it is written as one of another type.
fn item<'a>(field: &Field, value: Value<'a>) -> Option<Item<'a>> {
    Some(match (field.kind, value) {
        (Kind::Double, Value::Fixed64(bits)) => Item::Float(f64::from_bits(bits)),
        (Kind::Float, Value::Fixed32(bits)) => Item::Float(f32::from_bits(bits).into()),
        (Kind::Signed | Kind::Unsigned, Value::Varint(n)) => Item::Integer(n as i64),
        (Kind::ZigZag, Value::Varint(n)) => Item::Integer((n >> 1) as i64 ^ -((n & 1) as i64)),
        (Kind::Bool, Value::Varint(n)) => Item::Integer(i64::from(n != 0)),
        (Kind::Fixed64, Value::Fixed64(n)) => Item::Integer(n as i64),
        (Kind::Fixed32, Value::Fixed32(n)) => Item::Integer(n.into()),
        (Kind::SignedFixed32, Value::Fixed32(n)) => Item::Integer((n as i32).into()),
        (Kind::Bytes | Kind::Group, Value::Bytes(bytes)) => Item::Bytes(bytes),
        _ => return None,
    })
}

/// Returns the values of each field in a message.
fn values<'a>(message: &'a [u8], fields: &[Field]) -> Result<Vec<Vec<Item<'a>>>, Malformed> {
    let mut found = vec![Vec::new(); fields.len()];
    for_each_field(message, |number, value| {
        for (field, items) in fields.iter().zip(&mut found).filter(|(f, _)| f.number == number) {
            let mut add = |item| {
                if !field.is_repeated {
                    // The last value counts.
                    items.clear();
                }
                items.push(item);
            };
            match (field.kind, value) {
                (Kind::Bytes | Kind::Group, _) => item(field, value).into_iter().for_each(&mut add),
                (kind, Value::Bytes(mut bytes)) if field.is_repeated => {
                    while !bytes.is_empty() {
                        item(field, packed(kind, &mut bytes)?).into_iter().for_each(&mut add);
                    }
                }
                _ => item(field, value).into_iter().for_each(&mut add),
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// Returns the value in the places that have none.
fn default(field: &Field) -> Item<'_> {
    let text = String::from_utf8_lossy(&field.default);
    match field.kind {
        Kind::Bytes | Kind::Group => Item::Bytes(&field.default),
        Kind::Double | Kind::Float => Item::Float(text.parse().unwrap_or(0.0)),
        Kind::Bool => Item::Integer(i64::from(text == "true")),
        _ => Item::Integer(text.parse().or_else(|_| text.parse::<u64>().map(|n| n as i64)).unwrap_or(0)),
    }
}

impl Item<'_> {
    fn integer(self) -> i64 {
        match self {
            Item::Integer(n) => n,
            Item::Float(_) | Item::Bytes(_) => 0,
        }
    }

    fn float(self) -> f64 {
        match self {
            Item::Float(x) => x,
            Item::Integer(_) | Item::Bytes(_) => 0.0,
        }
    }
}

/// Returns a tensor of the items.
fn tensor(dtype: DType, shape: Shape, items: &[Item<'_>]) -> Result<Tensor> {
    macro_rules! of {
        ($convert:expr) => {
            Tensor::from_slice(shape, &items.iter().map($convert).collect::<Vec<_>>())
        };
    }
    match dtype {
        DType::F64 => of!(|i| i.float()),
        DType::F32 => of!(|i| i.float() as f32),
        DType::I64 => of!(|i| i.integer()),
        DType::U64 => of!(|i| i.integer() as u64),
        DType::I32 => of!(|i| i.integer() as i32),
        DType::U32 => of!(|i| i.integer() as u32),
        DType::Bool => of!(|i| i.integer() != 0),
        DType::String => {
            let bytes = |item: &Item<'_>| match item {
                Item::Bytes(bytes) => Bytes::from(*bytes),
                Item::Integer(_) | Item::Float(_) => Bytes::new(),
            };
            Tensor::from_strings(shape, items.iter().map(bytes).collect())
        }
        other => bail!(InvalidArgument, "DecodeProto has no values of type {}", other.schema_name()),
    }
}

/// Returns the numbers of values, then the values of each field.
fn decoded(messages: &Tensor, fields: &[Field], types: &[DType]) -> Result<Vec<Tensor>> {
    let mut all = Vec::with_capacity(messages.elements());
    for message in messages.strings()? {
        match values(message, fields) {
            Ok(values) => all.push(values),
            Err(Malformed) => bail!(DataLoss, "CountFields: Failed to consume entire buffer"),
        }
    }
    let shape =
        |last: usize| Shape::checked(&messages.shape().to_i64().into_iter().chain([last as i64]).collect::<Vec<_>>());
    let counts: Vec<i32> = all.iter().flatten().map(|v| i32::try_from(v.len()).unwrap_or(i32::MAX)).collect();
    let mut out = vec![Tensor::from_slice(shape(fields.len())?, &counts)?];
    for (i, (field, &dtype)) in fields.iter().zip(types).enumerate() {
        // TF 1.x: there is a place for one value, even if no message has one.
        let most = all.iter().map(|values| values[i].len()).max().unwrap_or(0).max(1);
        let shape = shape(most)?;
        let filler = default(field);
        let mut items = Vec::with_capacity(shape.elements());
        for values in &all {
            items.extend_from_slice(&values[i]);
            items.extend(std::iter::repeat_n(filler, most - values[i].len()));
        }
        out.push(tensor(dtype, shape, &items)?);
    }
    Ok(out)
}

fn decode(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (fields, types) = (fields_of(init)?, init.dtypes("output_types")?);
    ensure!(
        fields.len() == types.len(),
        InvalidArgument,
        "field_names and output_types attributes must have the same length"
    );
    for (field, &dtype) in fields.iter().zip(&types) {
        ensure!(
            field.fits(dtype),
            InvalidArgument,
            "Unexpected output type for {}.{}: {} to {}",
            init.str("message_type")?,
            field.name,
            field.cpp_type(),
            dtype.number()
        );
    }
    let format = init.str("message_format")?;
    ensure!(matches!(&*format, "binary" | "text"), InvalidArgument, "format must be one of binary or text");
    ensure!(
        format == "binary",
        Unimplemented,
        "DecodeProto does not read messages in text format; convert them with protobuf's text_format"
    );
    ensure!(!init.bool("sanitize")?, Unimplemented, "DecodeProto does not sanitize messages; set sanitize=False");
    kernel(move |ctx| {
        let outputs = decoded(ctx.input(0)?, &fields, &types)?;
        outputs.into_iter().enumerate().for_each(|(i, t)| ctx.set_output(i, t));
        Ok(())
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.clone();
    let fields = c.num_outputs().saturating_sub(1);
    c.set_output(0, input.concatenate(&PartialShape::vector(Some(fields))));
    for i in 1..c.num_outputs() {
        c.set_output(i, input.concatenate(&PartialShape::vector(None)));
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("DecodeProtoV2")
            .input("bytes: string")
            .output("sizes: int32")
            .output("values: output_types")
            .attr("message_type: string")
            .attr("field_names: list(string)")
            .attr("output_types: list(type) >= 0")
            .attr("descriptor_source: string = 'local://'")
            .attr("message_format: string = 'binary'")
            .attr("sanitize: bool = false")
            .doc("Returns fields of serialized messages, and for each message how many values each field has.")
            .shape(shape)
            .kernel(decode),
    );
}
