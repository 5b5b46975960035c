//! Attributes as AttrValue messages and back.

use ferroflow_graph::{AttrMap, AttrValue, Func};
use ferroflow_io::tensor_message;
use ferroflow_proto::tensorflow::attr_value::{ListValue, Value};
use ferroflow_proto::tensorflow::tensor_shape_proto::Dim;
use ferroflow_proto::tensorflow::{self as messages, NameAttrList, TensorShapeProto};
use ferroflow_tensor::{DType, PartialShape, Result, Status, bail, ensure};
use std::collections::BTreeMap;

/// Offset of the DataType numbers that mean references.
const REFERENCES: i32 = 100;

/// Returns the message of an attribute; `None` for what has a tensor in it.
pub fn to_message(value: &AttrValue) -> Option<Value> {
    Some(match value {
        AttrValue::Int(n) => Value::I(*n),
        AttrValue::Float(x) => Value::F(*x),
        AttrValue::Bool(b) => Value::B(*b),
        AttrValue::Str(s) => Value::S(s.clone()),
        AttrValue::Type(t) => Value::Type(t.number()),
        AttrValue::Shape(s) => Value::Shape(shape_to_message(s)),
        AttrValue::Tensor(_) => return None,
        AttrValue::Func(f) => {
            let mut attr = BTreeMap::new();
            for (name, value) in f.attrs.iter() {
                attr.insert(name.to_owned(), messages::AttrValue { value: Some(to_message(value)?) });
            }
            Value::Func(NameAttrList { name: f.name.clone(), attr })
        }
        AttrValue::List(items) => {
            let mut list = ListValue::default();
            for item in items {
                match to_message(item)? {
                    Value::I(n) => list.i.push(n),
                    Value::F(x) => list.f.push(x),
                    Value::B(b) => list.b.push(b),
                    Value::S(s) => list.s.push(s),
                    Value::Type(t) => list.r#type.push(t),
                    Value::Shape(s) => list.shape.push(s),
                    Value::Func(f) => list.func.push(f),
                    Value::Tensor(_) | Value::List(_) | Value::Placeholder(_) => return None,
                }
            }
            Value::List(list)
        }
    })
}

pub fn shape_to_message(shape: &PartialShape) -> TensorShapeProto {
    match shape.to_wire() {
        None => TensorShapeProto { unknown_rank: true, ..Default::default() },
        Some(dims) => TensorShapeProto {
            dim: dims.iter().map(|&size| Dim { size, ..Default::default() }).collect(),
            ..Default::default()
        },
    }
}

/// Returns the attribute of a message.
///
/// Errors: `InvalidArgument` where it holds none, or a type, shape or tensor that is none; `ResourceExhausted` for tensors
/// too large.
pub fn from_message(message: &messages::AttrValue) -> Result<AttrValue> {
    Ok(match &message.value {
        None => bail!(InvalidArgument, "the AttrValue message holds no value"),
        Some(Value::S(s)) => AttrValue::Str(s.clone()),
        Some(Value::Placeholder(s)) => AttrValue::Str(s.clone().into_bytes()),
        Some(Value::I(i)) => AttrValue::Int(*i),
        Some(Value::F(f)) => AttrValue::Float(*f),
        Some(Value::B(b)) => AttrValue::Bool(*b),
        Some(Value::Type(number)) => AttrValue::Type(dtype(*number)?),
        Some(Value::Shape(shape)) => AttrValue::Shape(shape_from_message(shape)?),
        Some(Value::Tensor(tensor)) => AttrValue::Tensor(tensor_message::of_message(tensor)?),
        Some(Value::Func(f)) => AttrValue::Func(function(f)?),
        Some(Value::List(items)) => AttrValue::List(list(items)?),
    })
}

/// Returns the items of a list. TF 1.x: one field of it holds them.
fn list(m: &ListValue) -> Result<Vec<AttrValue>> {
    if !m.i.is_empty() {
        return Ok(m.i.iter().map(|&i| AttrValue::Int(i)).collect());
    }
    if !m.f.is_empty() {
        return Ok(m.f.iter().map(|&f| AttrValue::Float(f)).collect());
    }
    if !m.b.is_empty() {
        return Ok(m.b.iter().map(|&b| AttrValue::Bool(b)).collect());
    }
    if !m.s.is_empty() {
        return Ok(m.s.iter().map(|s| AttrValue::Str(s.clone())).collect());
    }
    if !m.r#type.is_empty() {
        return m.r#type.iter().map(|&t| Ok(AttrValue::Type(dtype(t)?))).collect();
    }
    if !m.shape.is_empty() {
        return m.shape.iter().map(|s| Ok(AttrValue::Shape(shape_from_message(s)?))).collect();
    }
    if !m.tensor.is_empty() {
        return m.tensor.iter().map(|t| Ok(AttrValue::Tensor(tensor_message::of_message(t)?))).collect();
    }
    m.func.iter().map(|f| Ok(AttrValue::Func(function(f)?))).collect()
}

fn function(message: &NameAttrList) -> Result<Func> {
    let mut attrs = AttrMap::default();
    for (name, value) in &message.attr {
        attrs.set(name.as_str(), from_message(value)?);
    }
    Ok(Func { name: message.name.clone(), attrs })
}

/// Returns the type of a DataType's number, of that of a reference too.
fn dtype(number: i32) -> Result<DType> {
    let base = if number > REFERENCES { number - REFERENCES } else { number };
    DType::from_number(base)
        .ok_or_else(|| Status::invalid_argument(format!("Cannot convert value {number} to a TensorFlow DType.")))
}

pub fn shape_from_message(message: &TensorShapeProto) -> Result<PartialShape> {
    if message.unknown_rank {
        return Ok(PartialShape::unknown());
    }
    let dims: Vec<i64> = message.dim.iter().map(|d| d.size).collect();
    for size in &dims {
        ensure!(*size >= -1, InvalidArgument, "Dimension {size} must be >= 0");
    }
    Ok(PartialShape::from_wire(Some(&dims)))
}

/// Returns the name of the field that holds a message's value.
pub fn field(message: &messages::AttrValue) -> &'static str {
    match &message.value {
        None => "None",
        Some(Value::S(_)) => "s",
        Some(Value::I(_)) => "i",
        Some(Value::F(_)) => "f",
        Some(Value::B(_)) => "b",
        Some(Value::Type(_)) => "type",
        Some(Value::Shape(_)) => "shape",
        Some(Value::Tensor(_)) => "tensor",
        Some(Value::List(_)) => "list",
        Some(Value::Func(_)) => "func",
        Some(Value::Placeholder(_)) => "placeholder",
    }
}

/// Returns true if a message holds false, 0, "" or an empty list.
pub fn is_empty(message: &messages::AttrValue) -> bool {
    match &message.value {
        Some(Value::B(b)) => !b,
        Some(Value::I(i)) => *i == 0,
        Some(Value::F(f)) => *f == 0.0,
        Some(Value::S(s)) => s.is_empty(),
        Some(Value::List(items)) => *items == ListValue::default(),
        _ => false,
    }
}
