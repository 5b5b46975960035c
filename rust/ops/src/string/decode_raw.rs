//! DecodeRaw, DecodePaddedRaw: bytes as numbers.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Movable, PartialShape, Result, Shape, Tensor, by_size, ensure};

/// An element read from bytes in either order.
trait FromBytes: Movable {
    fn from_bytes(bytes: &[u8], little_endian: bool) -> Self;
}

macro_rules! from_bytes {
    ($($t:ty),*) => {$(
        impl FromBytes for $t {
            fn from_bytes(bytes: &[u8], little_endian: bool) -> $t {
                let mut raw = [0; size_of::<$t>()];
                raw.copy_from_slice(bytes);
                if little_endian { <$t>::from_le_bytes(raw) } else { <$t>::from_be_bytes(raw) }
            }
        }
    )*};
}

from_bytes!(u8, u16, u32, u64);

impl FromBytes for bool {
    fn from_bytes(bytes: &[u8], _: bool) -> bool {
        bytes != [0]
    }
}

impl FromBytes for [u64; 2] {
    /// Returns the bits of a number. TF 1.x: the two halves of a complex number keep their places, each in the other
    /// order.
    fn from_bytes(bytes: &[u8], little_endian: bool) -> [u64; 2] {
        [u64::from_bytes(&bytes[..8], little_endian), u64::from_bytes(&bytes[8..], little_endian)]
    }
}

impl FromBytes for ferroflow_tensor::Bytes {
    fn from_bytes(bytes: &[u8], _: bool) -> Self {
        bytes.into()
    }
}

fn decode(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (dtype, little_endian) = (init.dtype("out_type")?, init.bool("little_endian")?);
    let size = dtype.size();
    kernel(move |ctx| {
        let input = ctx.input(0)?;
        let strings = input.strings()?;
        let length = strings.first().map_or(0, |s| s.len());
        for (i, s) in strings.iter().enumerate() {
            ensure!(
                s.len() == length,
                InvalidArgument,
                "DecodeRaw requires input strings to all be the same size, but element {i} has size {length} != {}",
                s.len()
            );
        }
        ensure!(
            length.is_multiple_of(size.max(1)),
            InvalidArgument,
            "Input to DecodeRaw has length {length} that is not a multiple of {size}, the size of {}",
            dtype.schema_name()
        );
        let mut dims = input.shape().to_vec();
        dims.push(length / size.max(1));
        let mut out = Tensor::new(dtype, dims.as_slice())?;
        by_size!(dtype, E, {
            let bytes = strings.iter().flat_map(|s| s.chunks_exact(size.max(1)));
            for (to, from) in E::view_mut(&mut out)?.iter_mut().zip(bytes) {
                *to = <E as FromBytes>::from_bytes(from, little_endian);
            }
            Ok(())
        })?;
        ctx.set_output(0, out);
        Ok(())
    })
}

/// Decodes strings that are filled up with zeros, or cut, to one length.
fn decode_padded(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (dtype, little_endian) = (init.dtype("out_type")?, init.bool("little_endian")?);
    let size = dtype.size();
    kernel(move |ctx| {
        let (input, length) = (ctx.input(0)?, ctx.input(1)?);
        ensure!(length.rank() == 0, InvalidArgument, "k must be scalar, got shape {}", length.shape());
        let length = length.to_scalar::<i32>()?;
        ensure!(length > 0, InvalidArgument, "fixed_length ({length}) must be greater than zero.");
        let length = length as usize;
        ensure!(
            length.is_multiple_of(size.max(1)),
            InvalidArgument,
            "fixed_length ({length}) must be a multiple of the size of out_type ({size})"
        );
        let mut dims: Vec<i64> = input.shape().to_i64();
        dims.push((length / size.max(1)) as i64);
        let mut out = Tensor::zeros(dtype, Shape::checked(&dims)?)?;
        let strings = input.strings()?;
        by_size!(dtype, E, {
            let rows = E::view_mut(&mut out)?.chunks_exact_mut(length / size.max(1));
            let mut bytes = vec![0u8; length];
            for (row, s) in rows.zip(strings) {
                let known = s.len().min(length);
                bytes[..known].copy_from_slice(&s[..known]);
                bytes[known..].fill(0);
                for (to, from) in row.iter_mut().zip(bytes.chunks_exact(size.max(1))) {
                    *to = <E as FromBytes>::from_bytes(from, little_endian);
                }
            }
            Ok(())
        })?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn padded_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.with_rank(0)?;
    let size = c.dtype("out_type")?.size().max(1) as i64;
    let length = c.input_i64(1)?;
    if let Some(length) = length {
        ensure!(
            length >= 0,
            InvalidArgument,
            "Dimension size, given by scalar input 1, must be non-negative but is {length}"
        );
        ensure!(
            length % size == 0,
            InvalidArgument,
            "Dimension size must be evenly divisible by {size} but is {length}"
        );
    }
    let out = c.input(0)?.concatenate(&PartialShape::vector(length.map(|length| (length / size) as usize)));
    c.set_output(0, out);
    Ok(())
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let out = c.input(0)?.concatenate(&PartialShape::vector(None));
    c.set_output(0, out);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("DecodeRaw")
            .input("bytes: string")
            .output("output: out_type")
            .attr("out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, complex128, bool}")
            .attr("little_endian: bool = true")
            .doc("Returns the bytes of each string as numbers, along a new last dimension.")
            .shape(shape)
            .kernel(decode),
    );
    r.add(
        Op::new("DecodePaddedRaw")
            .input("input_bytes: string")
            .input("fixed_length: int32")
            .output("output: out_type")
            .attr("out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64}")
            .attr("little_endian: bool = true")
            .doc("Returns the first bytes of each string as numbers; short strings are filled up with zeros.")
            .shape(padded_shape)
            .kernel(decode_padded),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Result, Tensor};

    fn decode(strings: &[&[u8]], dtype: DType, little_endian: bool) -> Result<Tensor> {
        let x = Tensor::from_strings([strings.len()], strings.iter().map(|&s| s.into()).collect())?;
        let attrs = [("out_type", AttrValue::Type(dtype)), ("little_endian", AttrValue::Bool(little_endian))];
        Ok(run("DecodeRaw", &[x], &attrs)?[0].clone())
    }

    #[test]
    fn bytes_are_numbers_in_either_order() {
        let x = [&[1u8, 2, 3, 4][..], &[0, 0, 0, 1]];
        assert_eq!(
            decode(&x, DType::I16, true).unwrap(),
            Tensor::from_slice([2, 2], &[0x201i16, 0x403, 0, 256]).unwrap()
        );
        assert_eq!(
            decode(&x, DType::I16, false).unwrap(),
            Tensor::from_slice([2, 2], &[0x102i16, 0x304, 0, 1]).unwrap()
        );
        let flags = Tensor::from_slice([2, 4], &[true, true, true, true, false, false, false, true]).unwrap();
        assert_eq!(decode(&x, DType::Bool, true).unwrap(), flags);
        assert_eq!(decode(&[], DType::F32, true).unwrap().shape().dims(), [0, 0]);
    }

    #[test]
    fn lengths_that_differ_or_do_not_divide_are_errors() {
        assert!(decode(&[b"ab", b"abc"], DType::U8, true).unwrap_err().message().contains("element 1 has size 2 != 3"));
        assert!(decode(&[b"abc"], DType::I16, true).unwrap_err().message().contains("not a multiple of 2"));
    }
}
