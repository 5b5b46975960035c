//! `tf.train.Feature` as it is serialized: a list of byte strings, floats or integers.

use crate::wire::{Fields, Malformed, Value, varint};
use ferroflow_tensor::{Bytes, DType, Result, Shape, Tensor};

/// A feature where it lies: which of the three lists it has, if any, and that list's bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Feature<'a> {
    pub dtype: Option<DType>,
    /// A list that was merged from several has as many parts.
    first: &'a [u8],
    more: Vec<&'a [u8]>,
}

impl<'a> Feature<'a> {
    pub(super) fn parse(message: &'a [u8]) -> Result<Feature<'a>, Malformed> {
        let mut feature = Feature::default();
        for field in Fields::of(message) {
            let (number, value) = field?;
            let dtype = match number {
                1 => DType::String,
                2 => DType::F32,
                3 => DType::I64,
                _ => continue,
            };
            let Value::Bytes(list) = value else { return Err(Malformed) };
            if feature.dtype == Some(dtype) {
                feature.more.push(list);
            } else {
                feature = Feature { dtype: Some(dtype), first: list, more: Vec::new() };
            }
        }
        Ok(feature)
    }

    /// Calls `each` with the feature's values, which are of its own type.
    pub(super) fn values<T: Element>(&self, mut each: impl FnMut(T)) -> Result<(), Malformed> {
        if self.dtype != Some(T::DTYPE) {
            return Ok(());
        }
        T::list(self.first, &mut each)?;
        self.more.iter().try_for_each(|list| T::list(list, &mut each))
    }

    /// Returns the values in a tensor of one dimension.
    pub(super) fn vector<T: Element>(&self) -> Result<Vec<T>, Malformed> {
        let mut all = Vec::new();
        self.values(|v| all.push(v))?;
        Ok(all)
    }

    /// Returns the feature in the text format of messages.
    pub(super) fn text(&self) -> String {
        fn listed<T: Element>(feature: &Feature<'_>, kind: &str, spelled: impl Fn(&T) -> String) -> String {
            let values = feature.vector::<T>().unwrap_or_default();
            let lines: String = values.iter().map(|v| format!("  value: {}\n", spelled(v))).collect();
            format!("{kind} {{\n{lines}}}\n")
        }
        match self.dtype {
            Some(DType::String) => listed::<Bytes>(self, "bytes_list", |v| format!("\"{}\"", v.escape_ascii())),
            Some(DType::F32) => listed::<f32>(self, "float_list", f32::to_string),
            Some(DType::I64) => listed::<i64>(self, "int64_list", i64::to_string),
            _ => String::new(),
        }
    }
}

/// An element of a feature.
pub(super) trait Element: Clone + Default + Send + Sync + 'static {
    const DTYPE: DType;
    /// The type's name in messages.
    const NAME: &'static str;

    /// Calls `each` with the values of a serialized list.
    fn list(message: &[u8], each: &mut impl FnMut(Self)) -> Result<(), Malformed>;

    fn slice(tensor: &Tensor) -> Result<&[Self]>;

    fn slice_mut(tensor: &mut Tensor) -> Result<&mut [Self]>;

    fn tensor(shape: Shape, values: Vec<Self>) -> Result<Tensor>;
}

impl Element for f32 {
    const DTYPE: DType = DType::F32;
    const NAME: &'static str = "float";

    fn list(message: &[u8], each: &mut impl FnMut(f32)) -> Result<(), Malformed> {
        for field in Fields::of(message) {
            match field? {
                (1, Value::Bytes(packed)) => {
                    let (values, rest) = packed.as_chunks::<4>();
                    if !rest.is_empty() {
                        return Err(Malformed);
                    }
                    values.iter().for_each(|&v| each(f32::from_le_bytes(v)));
                }
                (1, Value::Fixed32(bits)) => each(f32::from_bits(bits)),
                (1, _) => return Err(Malformed),
                _ => {}
            }
        }
        Ok(())
    }

    fn slice(tensor: &Tensor) -> Result<&[f32]> {
        tensor.slice()
    }

    fn slice_mut(tensor: &mut Tensor) -> Result<&mut [f32]> {
        tensor.slice_mut()
    }

    fn tensor(shape: Shape, values: Vec<f32>) -> Result<Tensor> {
        Tensor::from_slice(shape, &values)
    }
}

impl Element for i64 {
    const DTYPE: DType = DType::I64;
    const NAME: &'static str = "int64";

    fn list(message: &[u8], each: &mut impl FnMut(i64)) -> Result<(), Malformed> {
        for field in Fields::of(message) {
            match field? {
                (1, Value::Bytes(mut packed)) => {
                    while !packed.is_empty() {
                        each(varint(&mut packed)? as i64);
                    }
                }
                (1, Value::Varint(value)) => each(value as i64),
                (1, _) => return Err(Malformed),
                _ => {}
            }
        }
        Ok(())
    }

    fn slice(tensor: &Tensor) -> Result<&[i64]> {
        tensor.slice()
    }

    fn slice_mut(tensor: &mut Tensor) -> Result<&mut [i64]> {
        tensor.slice_mut()
    }

    fn tensor(shape: Shape, values: Vec<i64>) -> Result<Tensor> {
        Tensor::from_slice(shape, &values)
    }
}

impl Element for Bytes {
    const DTYPE: DType = DType::String;
    const NAME: &'static str = "bytes";

    fn list(message: &[u8], each: &mut impl FnMut(Bytes)) -> Result<(), Malformed> {
        for field in Fields::of(message) {
            match field? {
                (1, Value::Bytes(value)) => each(value.into()),
                (1, _) => return Err(Malformed),
                _ => {}
            }
        }
        Ok(())
    }

    fn slice(tensor: &Tensor) -> Result<&[Bytes]> {
        tensor.strings()
    }

    fn slice_mut(tensor: &mut Tensor) -> Result<&mut [Bytes]> {
        tensor.strings_mut()
    }

    fn tensor(shape: Shape, values: Vec<Bytes>) -> Result<Tensor> {
        Tensor::from_strings(shape, values)
    }
}

/// Runs `$body` with `$T` bound to the element of `$dtype`; other types go to `$otherwise`.
macro_rules! by_element {
    ($dtype:expr, $T:ident, $body:expr, else $otherwise:expr) => {
        match $dtype {
            ferroflow_tensor::DType::F32 => {
                type $T = f32;
                $body
            }
            ferroflow_tensor::DType::I64 => {
                type $T = i64;
                $body
            }
            ferroflow_tensor::DType::String => {
                type $T = ferroflow_tensor::Bytes;
                $body
            }
            _ => $otherwise,
        }
    };
}
pub(super) use by_element;

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_proto::Message;
    use ferroflow_proto::tensorflow::{BytesList, FloatList, Int64List, feature::Kind};

    fn serialized(kind: Kind) -> Vec<u8> {
        ferroflow_proto::tensorflow::Feature { kind: Some(kind) }.encode_to_vec()
    }

    #[test]
    fn what_prost_writes_is_read() {
        let floats = serialized(Kind::FloatList(FloatList { value: vec![1.5, -2.0] }));
        assert_eq!(Feature::parse(&floats).unwrap().vector::<f32>(), Ok(vec![1.5, -2.0]));
        let ints = serialized(Kind::Int64List(Int64List { value: vec![-1, 0, 1 << 60] }));
        assert_eq!(Feature::parse(&ints).unwrap().vector::<i64>(), Ok(vec![-1, 0, 1 << 60]));
        let words = serialized(Kind::BytesList(BytesList { value: vec![b"a".to_vec(), vec![]] }));
        let feature = Feature::parse(&words).unwrap();
        assert_eq!(feature.vector::<Bytes>(), Ok(vec![b"a"[..].into(), b""[..].into()]));
        assert_eq!(feature.text(), "bytes_list {\n  value: \"a\"\n  value: \"\"\n}\n");
        assert_eq!(feature.vector::<i64>(), Ok(vec![]));
    }

    #[test]
    fn values_that_are_not_packed_are_read_too() {
        let feature = [0x1a, 4, 0x08, 7, 0x08, 9];
        assert_eq!(Feature::parse(&feature).unwrap().vector::<i64>(), Ok(vec![7, 9]));
        let feature = [0x12, 5, 0x0d, 0, 0, 0x80, 0x3f];
        assert_eq!(Feature::parse(&feature).unwrap().vector::<f32>(), Ok(vec![1.0]));
    }

    #[test]
    fn a_list_that_comes_twice_is_merged_and_another_kind_replaces_it() {
        let ints = serialized(Kind::Int64List(Int64List { value: vec![1] }));
        let floats = serialized(Kind::FloatList(FloatList { value: vec![1.0] }));
        let twice = [ints.clone(), ints.clone()].concat();
        assert_eq!(Feature::parse(&twice).unwrap().vector::<i64>(), Ok(vec![1, 1]));
        assert_eq!(Feature::parse(&[floats, ints].concat()).unwrap().dtype, Some(DType::I64));
        assert_eq!(Feature::parse(b"").unwrap().dtype, None);
    }

    #[test]
    fn lists_that_are_cut_are_malformed() {
        for bad in [&[0x12u8, 5, 0x0a, 3, 0, 0, 0][..], &[0x1a, 3, 0x0a, 1, 0x80], &[0x0a, 2, 0x08, 1], &[0x08, 1]] {
            let feature = Feature::parse(bad);
            let read = feature.map(|f| (f.vector::<f32>(), f.vector::<i64>(), f.vector::<Bytes>()));
            assert!(!matches!(read, Ok((Ok(_), Ok(_), Ok(_)))), "{bad:?}");
        }
    }
}
