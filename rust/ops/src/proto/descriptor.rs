//! The fields of a message type, from the descriptors that the attributes of a node name.

use super::wire::{Malformed, Value, for_each_field};
use ferroflow_graph::KernelInit;
use ferroflow_tensor::{DType, Result, Status, bail};
use std::borrow::Cow;

const LINKED: &str = "local://";
const BYTES: &[u8] = b"bytes://";

/// The type of a field, with the numbers of protobuf's `FieldDescriptorProto.Type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Double,
    Float,
    /// `int32`, `int64` and enumerations.
    Signed,
    /// `uint32` and `uint64`.
    Unsigned,
    /// `sint32` and `sint64`: numbers near zero are short.
    ZigZag,
    Fixed64,
    Fixed32,
    SignedFixed32,
    Bool,
    /// Strings, bytes and messages.
    Bytes,
    Group,
}

/// A field of a message.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub name: String,
    pub number: u32,
    pub kind: Kind,
    type_number: u64,
    pub is_repeated: bool,
    /// Its numbers are written one behind the other, with one tag.
    pub is_packed: bool,
    /// The text of its default value; empty if it has none.
    pub default: Vec<u8>,
}

impl Field {
    /// Returns the number of the field's type in protobuf's `FieldDescriptor::CppType`.
    pub fn cpp_type(&self) -> u8 {
        match self.type_number {
            5 | 15 | 17 => 1,
            3 | 16 | 18 => 2,
            7 | 13 => 3,
            4 | 6 => 4,
            1 => 5,
            2 => 6,
            8 => 7,
            14 => 8,
            9 | 12 => 9,
            _ => 10,
        }
    }

    /// Returns the name of the field's type in a .proto file.
    pub fn type_name(&self) -> &'static str {
        const NAMES: [&str; 18] = [
            "double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string", "group", "message",
            "bytes", "uint32", "enum", "sfixed32", "sfixed64", "sint32", "sint64",
        ];
        usize::try_from(self.type_number).ok().and_then(|n| NAMES.get(n.wrapping_sub(1))).copied().unwrap_or("unknown")
    }

    /// Returns true if a tensor of this dtype may hold the field's values.
    pub fn fits(&self, dtype: DType) -> bool {
        match self.type_number {
            1 => dtype == DType::F64,
            2 => matches!(dtype, DType::F32 | DType::F64),
            3 | 16 | 18 => dtype == DType::I64,
            4 | 6 => matches!(dtype, DType::I64 | DType::U64),
            5 | 15 | 17 => matches!(dtype, DType::I32 | DType::I64),
            7 | 13 => matches!(dtype, DType::I32 | DType::I64 | DType::U32 | DType::U64),
            8 => dtype == DType::Bool,
            14 => dtype == DType::I32,
            _ => dtype == DType::String,
        }
    }
}

fn kind_of(type_number: u64) -> Option<Kind> {
    Some(match type_number {
        1 => Kind::Double,
        2 => Kind::Float,
        3 | 5 | 14 => Kind::Signed,
        4 | 13 => Kind::Unsigned,
        6 | 16 => Kind::Fixed64,
        7 => Kind::Fixed32,
        15 => Kind::SignedFixed32,
        8 => Kind::Bool,
        9 | 11 | 12 => Kind::Bytes,
        10 => Kind::Group,
        17 | 18 => Kind::ZigZag,
        _ => return None,
    })
}

/// Reads the values of a length-delimited field of a message.
fn parts(message: &[u8], wanted: u32) -> Result<Vec<&[u8]>, Malformed> {
    let mut found = Vec::new();
    for_each_field(message, |number, value| {
        if let (true, Value::Bytes(bytes)) = (number == wanted, value) {
            found.push(bytes);
        }
        Ok(())
    })?;
    Ok(found)
}

/// Returns the last value of a length-delimited field, empty if it is left out.
fn text(message: &[u8], wanted: u32) -> Result<&[u8], Malformed> {
    Ok(parts(message, wanted)?.last().copied().unwrap_or_default())
}

fn number(message: &[u8], wanted: u32) -> Result<Option<u64>, Malformed> {
    let mut found = None;
    for_each_field(message, |number, value| {
        if let (true, Value::Varint(value)) = (number == wanted, value) {
            found = Some(value);
        }
        Ok(())
    })?;
    Ok(found)
}

fn field(message: &[u8], is_proto3: bool) -> Result<Option<Field>, Malformed> {
    let type_number = number(message, 5)?.unwrap_or(0);
    let Some(kind) = kind_of(type_number) else { return Ok(None) };
    let is_repeated = number(message, 4)? == Some(3);
    let packed = number(text(message, 8)?, 2)?;
    let may_pack = !matches!(kind, Kind::Bytes | Kind::Group);
    Ok(Some(Field {
        name: String::from_utf8_lossy(text(message, 1)?).into_owned(),
        number: number(message, 3)?.and_then(|n| u32::try_from(n).ok()).ok_or(Malformed)?,
        kind,
        type_number,
        is_repeated,
        is_packed: is_repeated && may_pack && packed.map_or(is_proto3, |p| p != 0),
        default: text(message, 7)?.to_vec(),
    }))
}

/// Finds a message by the rest of its name, among these messages and those inside them.
fn find<'a>(messages: &[&'a [u8]], path: &str) -> Result<Option<&'a [u8]>, Malformed> {
    for &message in messages {
        let name = String::from_utf8_lossy(text(message, 1)?);
        match path.strip_prefix(&*name) {
            Some("") => return Ok(Some(message)),
            Some(rest) => {
                if let Some(inner) = rest.strip_prefix('.')
                    && let Some(found) = find(&parts(message, 3)?, inner)?
                {
                    return Ok(Some(found));
                }
            }
            None => {}
        }
    }
    Ok(None)
}

/// Returns the fields of a message type in a serialized `FileDescriptorSet`; None if it has no such type.
fn fields_in(set: &[u8], message_type: &str) -> Result<Option<Vec<Field>>, Malformed> {
    for file in parts(set, 1)? {
        let package = String::from_utf8_lossy(text(file, 2)?);
        let path = match package.is_empty() {
            true => Some(message_type),
            false => message_type.strip_prefix(&*package).and_then(|rest| rest.strip_prefix('.')),
        };
        let Some(path) = path else { continue };
        if let Some(message) = find(&parts(file, 4)?, path)? {
            let is_proto3 = text(file, 12)? == b"proto3";
            let fields = parts(message, 2)?.into_iter().map(|f| field(f, is_proto3));
            return Ok(Some(fields.filter_map(Result::transpose).collect::<Result<_, _>>()?));
        }
    }
    Ok(None)
}

fn no_set() -> Status {
    Status::invalid_argument("Source does not represent serialized file descriptor set proto.")
}

/// Returns the fields that a node names, of the message type and the descriptors that it names.
///
/// Errors: `InvalidArgument` for a source without descriptors, for a type that it lacks,
/// and for fields that the type lacks.
pub(super) fn fields_of(init: &KernelInit<'_>) -> Result<Vec<Field>> {
    let (message_type, source) = (init.str("message_type")?, init.bytes("descriptor_source")?);
    let set: Cow<'_, [u8]> = if source.is_empty() || source[..] == *LINKED.as_bytes() {
        Cow::Borrowed(ferroflow_proto::descriptor_set())
    } else if let Some(bytes) = source.strip_prefix(BYTES) {
        Cow::Owned(bytes.to_vec())
    } else {
        match ferroflow_io::file::read(&source) {
            Ok(bytes) => Cow::Owned(bytes),
            Err(_) => return Err(no_set()),
        }
    };
    let known = match fields_in(&set, &message_type) {
        Ok(Some(known)) => known,
        Ok(None) => bail!(InvalidArgument, "No descriptor found for message type {message_type}"),
        Err(Malformed) => return Err(no_set()),
    };
    let mut fields = Vec::new();
    for name in init.strs("field_names")? {
        match known.iter().find(|f| f.name == name) {
            Some(field) => fields.push(field.clone()),
            None => bail!(InvalidArgument, "Unknown field: {name} in message type {message_type}"),
        }
    }
    Ok(fields)
}
