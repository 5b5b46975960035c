//! Tensors as `TensorProto` messages and back: what files and ops that write tensors to strings stand on.

use crate::varint;
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::{TensorProto, TensorShapeProto, tensor_shape_proto::Dim};
use ferroflow_tensor::{
    Bytes, Complex32, Complex64, DType, Result, Scalar, Shape, Status, Tensor, bail, bf16, ensure, f16,
};

/// Lengths of strings as varints, then the strings.
fn string_content(strings: &[Bytes]) -> Vec<u8> {
    let mut content = Vec::new();
    for s in strings {
        varint::put(&mut content, s.len() as u64);
    }
    strings.iter().for_each(|s| content.extend_from_slice(s));
    content
}

/// Returns the strings of `string_content`; `None` where it is cut short.
fn strings_of_content(content: &[u8], count: usize) -> Option<Vec<Bytes>> {
    let mut rest = content;
    let mut lengths = Vec::new();
    for _ in 0..count {
        lengths.push(varint::take_length(&mut rest)?);
    }
    let mut strings = Vec::with_capacity(count);
    for length in lengths {
        let (here, after) = rest.split_at_checked(length)?;
        strings.push(here.into());
        rest = after;
    }
    rest.is_empty().then_some(strings)
}

pub(crate) fn shape_message(shape: &Shape) -> TensorShapeProto {
    let dim = |&size: &usize| Dim { size: size as i64, name: String::new() };
    TensorShapeProto { dim: shape.iter().map(dim).collect(), unknown_rank: false }
}

/// Returns the message of a tensor, its elements as one run of bytes.
///
/// Errors: `InvalidArgument` for types whose elements are objects.
pub fn encoded(tensor: &Tensor) -> Result<Bytes> {
    let content = match tensor.bytes() {
        Some(bytes) => bytes.to_vec(),
        None => string_content(tensor.strings()?),
    };
    Ok(message(tensor, content).encode_to_vec().into())
}

/// Returns the message of a tensor as readers outside the runtime expect it: strings one by one, other elements as one
/// run of bytes.
///
/// Errors: `InvalidArgument` for types whose elements are objects.
pub fn readable(tensor: &Tensor) -> Result<TensorProto> {
    if let Some(bytes) = tensor.bytes() {
        return Ok(message(tensor, bytes.to_vec()));
    }
    let string_val = tensor.strings()?.iter().map(|s| s.to_vec()).collect();
    Ok(TensorProto { string_val, ..message(tensor, Vec::new()) })
}

fn message(tensor: &Tensor, tensor_content: Vec<u8>) -> TensorProto {
    TensorProto {
        dtype: tensor.dtype().number(),
        tensor_shape: Some(shape_message(tensor.shape())),
        tensor_content,
        ..Default::default()
    }
}

/// Returns `count` values of which the last given one stands for all that are missing.
fn padded<T: Scalar>(shape: &Shape, given: impl Iterator<Item = T>) -> Result<Tensor> {
    let mut out = Tensor::zeros(T::DTYPE, shape.clone())?;
    let mut last = T::default();
    let mut given = given.fuse();
    for to in out.slice_mut::<T>()? {
        last = given.next().unwrap_or(last);
        *to = last;
    }
    Ok(out)
}

fn pairs<T: Copy>(values: &[T]) -> impl Iterator<Item = (T, T)> + '_ {
    values.chunks_exact(2).map(|p| (p[0], p[1]))
}

/// Returns the type of equal bits that messages write a quantized type's elements as.
fn plain_twin(dtype: DType) -> Option<DType> {
    Some(match dtype {
        DType::QI8 => DType::I8,
        DType::QU8 => DType::U8,
        DType::QI16 => DType::I16,
        DType::QU16 => DType::U16,
        DType::QI32 => DType::I32,
        _ => return None,
    })
}

fn of_values(message: &TensorProto, dtype: DType, shape: &Shape) -> Result<Tensor> {
    let ints = || message.int_val.iter();
    if let Some(twin) = plain_twin(dtype) {
        return of_values(message, twin, shape)?.bitcast_same_size(dtype);
    }
    match dtype {
        DType::F32 => padded(shape, message.float_val.iter().copied()),
        DType::F64 => padded(shape, message.double_val.iter().copied()),
        DType::I32 => padded(shape, ints().copied()),
        DType::I16 => padded(shape, ints().map(|&v| v as i16)),
        DType::I8 => padded(shape, ints().map(|&v| v as i8)),
        DType::U16 => padded(shape, ints().map(|&v| v as u16)),
        DType::U8 => padded(shape, ints().map(|&v| v as u8)),
        DType::I64 => padded(shape, message.int64_val.iter().copied()),
        DType::U32 => padded(shape, message.uint32_val.iter().copied()),
        DType::U64 => padded(shape, message.uint64_val.iter().copied()),
        DType::Bool => padded(shape, message.bool_val.iter().copied()),
        DType::F16 => padded(shape, message.half_val.iter().map(|&v| f16::from_bits(v as u16))),
        DType::BF16 => padded(shape, message.half_val.iter().map(|&v| bf16::from_bits(v as u16))),
        DType::Complex64 => padded(shape, pairs(&message.scomplex_val).map(|(re, im)| Complex32::new(re, im))),
        DType::Complex128 => padded(shape, pairs(&message.dcomplex_val).map(|(re, im)| Complex64::new(re, im))),
        DType::String => {
            let given = &message.string_val;
            let last = given.last().map(|s| Bytes::from(&s[..])).unwrap_or_default();
            let mut out = Tensor::new(DType::String, shape.clone())?;
            for (i, to) in out.strings_mut()?.iter_mut().enumerate() {
                *to = given.get(i).map_or_else(|| last.clone(), |s| Bytes::from(&s[..]));
            }
            Ok(out)
        }
        _ => bail!(InvalidArgument, "Cannot parse a tensor of type {}", dtype.schema_name()),
    }
}

/// Returns the number of elements of a type a message lists.
fn listed(message: &TensorProto, dtype: DType) -> usize {
    match plain_twin(dtype).unwrap_or(dtype) {
        DType::F32 => message.float_val.len(),
        DType::F64 => message.double_val.len(),
        DType::I32 | DType::I16 | DType::I8 | DType::U16 | DType::U8 => message.int_val.len(),
        DType::I64 => message.int64_val.len(),
        DType::U32 => message.uint32_val.len(),
        DType::U64 => message.uint64_val.len(),
        DType::Bool => message.bool_val.len(),
        DType::F16 | DType::BF16 => message.half_val.len(),
        DType::Complex64 => message.scomplex_val.len() / 2,
        DType::Complex128 => message.dcomplex_val.len() / 2,
        DType::String => message.string_val.len(),
        _ => 0,
    }
}

/// Returns the tensor whose elements a message lists, all of them; its type and shape are known from elsewhere.
///
/// Errors: `InvalidArgument` where there are more or fewer.
pub fn exact_values(message: &TensorProto, dtype: DType, shape: &Shape) -> Result<Tensor> {
    ensure!(
        listed(message, dtype) == shape.elements(),
        InvalidArgument,
        "{} elements are listed of a tensor of shape {shape} and type {}",
        listed(message, dtype),
        dtype.schema_name()
    );
    of_values(message, dtype, shape)
}

/// Returns a message that lists a tensor's elements, without type and shape.
///
/// Errors: `Unimplemented` for types whose elements are objects.
pub fn values_message(tensor: &Tensor) -> Result<TensorProto> {
    let mut message = TensorProto::default();
    let dtype = tensor.dtype();
    if let Some(twin) = plain_twin(dtype) {
        return values_message(&tensor.clone().bitcast_same_size(twin)?);
    }
    match dtype {
        DType::F32 => message.float_val = tensor.slice()?.to_vec(),
        DType::F64 => message.double_val = tensor.slice()?.to_vec(),
        DType::I32 => message.int_val = tensor.slice()?.to_vec(),
        DType::I16 => message.int_val = tensor.slice::<i16>()?.iter().map(|&v| v.into()).collect(),
        DType::I8 => message.int_val = tensor.slice::<i8>()?.iter().map(|&v| v.into()).collect(),
        DType::U16 => message.int_val = tensor.slice::<u16>()?.iter().map(|&v| v.into()).collect(),
        DType::U8 => message.int_val = tensor.slice::<u8>()?.iter().map(|&v| v.into()).collect(),
        DType::I64 => message.int64_val = tensor.slice()?.to_vec(),
        DType::U32 => message.uint32_val = tensor.slice()?.to_vec(),
        DType::U64 => message.uint64_val = tensor.slice()?.to_vec(),
        DType::Bool => message.bool_val = tensor.slice()?.to_vec(),
        DType::F16 => message.half_val = tensor.slice::<f16>()?.iter().map(|v| v.to_bits().into()).collect(),
        DType::BF16 => message.half_val = tensor.slice::<bf16>()?.iter().map(|v| v.to_bits().into()).collect(),
        DType::Complex64 => {
            message.scomplex_val = tensor.slice::<Complex32>()?.iter().flat_map(|c| [c.re, c.im]).collect()
        }
        DType::Complex128 => {
            message.dcomplex_val = tensor.slice::<Complex64>()?.iter().flat_map(|c| [c.re, c.im]).collect()
        }
        DType::String => message.string_val = tensor.strings()?.iter().map(|s| s.to_vec()).collect(),
        _ => bail!(Unimplemented, "Saving data type {} not yet supported", dtype.schema_name()),
    }
    Ok(message)
}

fn plain_of_content(dtype: DType, shape: Shape, content: &[u8]) -> Result<Tensor> {
    let mut out = Tensor::new(dtype, shape)?;
    if dtype == DType::Bool {
        // Any other byte is no bool.
        for (to, &byte) in out.slice_mut::<bool>()?.iter_mut().zip(content) {
            *to = byte != 0;
        }
        return Ok(out);
    }
    ferroflow_tensor::by_size!(dtype, E, copy_bytes::<E>(&mut out, content))?;
    Ok(out)
}

/// Fills a tensor with the little-endian elements in `content`, of which there are as many as it holds.
fn copy_bytes<E: FromBytes>(out: &mut Tensor, content: &[u8]) -> Result<()> {
    for (to, bytes) in E::view_mut(out)?.iter_mut().zip(content.chunks_exact(size_of::<E>())) {
        *to = E::from_bytes(bytes);
    }
    Ok(())
}

/// An element, seen by size alone, made of its little-endian bytes.
trait FromBytes: ferroflow_tensor::Movable {
    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! from_bytes {
    ($($t:ty)*) => {$(
        impl FromBytes for $t {
            fn from_bytes(bytes: &[u8]) -> $t {
                bytes.try_into().map(<$t>::from_le_bytes).unwrap_or_default()
            }
        }
    )*};
}
from_bytes!(u8 u16 u32 u64);

impl FromBytes for [u64; 2] {
    fn from_bytes(bytes: &[u8]) -> [u64; 2] {
        let (low, high) = bytes.split_at(bytes.len() / 2);
        [u64::from_bytes(low), u64::from_bytes(high)]
    }
}

impl FromBytes for bool {
    fn from_bytes(bytes: &[u8]) -> bool {
        bytes.iter().any(|&b| b != 0)
    }
}

impl FromBytes for Bytes {
    fn from_bytes(bytes: &[u8]) -> Bytes {
        bytes.into()
    }
}

/// Returns the tensor of a serialized message.
///
/// Errors: `InvalidArgument` where the bytes are no message or its parts do not fit each other.
pub fn decoded(bytes: &[u8]) -> Result<Tensor> {
    of_message(&parsed(bytes).ok_or_else(unparsed)?)
}

/// Returns the message that the bytes are; None where they are none.
pub fn parsed(bytes: &[u8]) -> Option<TensorProto> {
    TensorProto::decode(bytes).ok()
}

fn unparsed() -> Status {
    Status::invalid_argument("Could not parse serialized proto")
}

/// Returns the tensor of a message.
///
/// Errors: `InvalidArgument` where its parts do not fit each other, `ResourceExhausted` where memory does not suffice.
pub fn of_message(message: &TensorProto) -> Result<Tensor> {
    let Some(dtype) = DType::from_number(message.dtype) else {
        bail!(InvalidArgument, "Could not construct Tensor from proto: type {} is unknown", message.dtype);
    };
    let dims: Vec<i64> = message.tensor_shape.iter().flat_map(|s| &s.dim).map(|d| d.size).collect();
    ensure!(
        !message.tensor_shape.as_ref().is_some_and(|s| s.unknown_rank),
        InvalidArgument,
        "Could not construct Tensor from proto: its rank is unknown"
    );
    let shape = Shape::checked(&dims)?;
    let content = &message.tensor_content;
    if content.is_empty() {
        return of_values(message, dtype, &shape);
    }
    if dtype == DType::String {
        // Each string has a length of at least one byte, so a damaged count cannot allocate more than was sent.
        ensure!(shape.elements() <= content.len(), InvalidArgument, "Could not parse serialized strings");
        let Some(strings) = strings_of_content(content, shape.elements()) else { return Err(unparsed()) };
        return Tensor::from_strings(shape, strings);
    }
    ensure!(
        dtype.is_plain() && shape.elements().checked_mul(dtype.size()) == Some(content.len()),
        InvalidArgument,
        "Could not construct Tensor from proto: {} bytes of content are no tensor of type {} and shape {shape}",
        content.len(),
        dtype.schema_name()
    );
    plain_of_content(dtype, shape, content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_come_back() {
        let long = "x".repeat(300);
        let words = vec![b"a"[..].into(), b""[..].into(), long.as_bytes().into()];
        for t in [
            Tensor::from_slice([2, 2], &[1.5f32, -0.0, f32::NAN, 4.0]).unwrap(),
            Tensor::from_slice([3], &[true, false, true]).unwrap(),
            Tensor::scalar(Complex64::new(1.0, -2.0)),
            Tensor::from_slice([0, 3], &[0i64; 0]).unwrap(),
            Tensor::from_strings([3, 1], words).unwrap(),
            Tensor::scalar(bf16::from_f32(3.0)),
        ] {
            assert_eq!(decoded(&encoded(&t).unwrap()).unwrap(), t);
        }
    }

    #[test]
    fn listed_elements_come_back_and_none_are_made_up() {
        for t in [
            Tensor::from_slice([3], &[f16::from_f32(1.5), f16::ZERO, f16::NAN]).unwrap(),
            Tensor::from_slice([2], &[Complex32::new(1.0, 2.0), Complex32::new(-1.0, 0.0)]).unwrap(),
            Tensor::from_slice([2], &[-3i8, 7]).unwrap().bitcast_same_size(DType::QI8).unwrap(),
            Tensor::from_slice([2, 0], &[0u64; 0]).unwrap(),
            Tensor::from_strings([1], vec![b"a"[..].into()]).unwrap(),
        ] {
            let message = values_message(&t).unwrap();
            assert_eq!(exact_values(&message, t.dtype(), t.shape()).unwrap(), t);
            assert!(exact_values(&message, t.dtype(), &Shape::new(&[5])).is_err());
        }
    }

    #[test]
    fn values_that_are_missing_are_the_last_one() {
        let dims = vec![Dim { size: 3, name: String::new() }];
        let message = TensorProto {
            dtype: DType::I16.number(),
            tensor_shape: Some(TensorShapeProto { dim: dims, unknown_rank: false }),
            int_val: vec![7, -1],
            ..Default::default()
        };
        let t = decoded(&message.encode_to_vec()).unwrap();
        assert_eq!(t.slice::<i16>().unwrap(), [7, -1, -1]);
    }

    #[test]
    fn what_is_no_tensor_is_refused() {
        assert!(decoded(b"\xff\xff").is_err());
        let whole = encoded(&Tensor::from_slice([3], &[1i32, 2, 3]).unwrap()).unwrap();
        for n in 1..whole.len() {
            let _ = decoded(&whole[..n]);
        }
        let words = encoded(&Tensor::from_strings([1], vec![b"abc"[..].into()]).unwrap()).unwrap();
        assert!(decoded(&words[..words.len() - 1]).is_err());
    }
}
