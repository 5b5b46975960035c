//! `Saved`: values as bytes and back, for the positions of iterators and the files of cached datasets.

use super::optional::Optional;
use super::recipe;
use super::value::{DatasetValue, Element, Pull, SharedDataset, Signature};
use super::window::Elements;
use ferroflow_graph::Functions;
use ferroflow_tensor::philox::Words;
use ferroflow_tensor::threads::ensure_stack;
use ferroflow_tensor::{Buffer, Bytes, Code, DType, Object, PartialShape, Result, Shape, Status, Tensor, bail, ensure};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;

const MAX_RANK: usize = 254;
const NESTED: &str = "Elements";

// A variant begins with one of these, or with the type of the tensor in it.
const DATASET: u64 = 1001;
const WINDOW: u64 = 1002;
const OPTIONAL: u64 = 1003;

/// The bytes of values that are written one after the other.
pub(super) struct Writer {
    pub bytes: Vec<u8>,
    /// True if datasets among the elements are written, too. A file of elements cannot hold them.
    pub takes_datasets: bool,
}

/// The functions that read datasets are made with, and the limits of the calls.
#[derive(Clone, Copy)]
pub(super) struct Session<'a> {
    pub functions: &'a Arc<dyn Functions>,
    pub pull: Pull<'a>,
}

/// The rest of the bytes that a `Writer` wrote.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    /// The source, for messages.
    name: &'a str,
    /// Needed for datasets among the values.
    session: Option<Session<'a>>,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8], name: &'a str, session: Option<Session<'a>>) -> Reader<'a> {
        Reader { bytes, name, session }
    }

    /// Returns the error of bytes that no `Writer` wrote.
    pub fn damaged(&self) -> Status {
        Status::data_loss(format!("{}: a value differs from the one written", self.name))
    }

    pub fn session(&self) -> Result<Session<'a>> {
        self.session.ok_or_else(|| self.damaged())
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let (head, tail) = self.bytes.split_at_checked(n).ok_or_else(|| self.damaged())?;
        self.bytes = tail;
        Ok(head)
    }

    /// Returns the number of values to come, each of which takes a byte at least.
    pub fn count(&mut self) -> Result<usize> {
        let count = usize::get(self)?;
        ensure!(count <= self.bytes.len(), DataLoss, "{}: {count} values are announced, too many", self.name);
        Ok(count)
    }
}

/// A value that can be written and read again.
pub(super) trait Saved: Sized {
    fn put(&self, to: &mut Writer) -> Result<()>;
    fn get(from: &mut Reader<'_>) -> Result<Self>;
}

impl Saved for u64 {
    fn put(&self, to: &mut Writer) -> Result<()> {
        to.bytes.extend_from_slice(&self.to_le_bytes());
        Ok(())
    }

    fn get(from: &mut Reader<'_>) -> Result<u64> {
        from.take(8)?.try_into().map(u64::from_le_bytes).map_err(|_| from.damaged())
    }
}

/// Makes types that fit into another saved type.
macro_rules! saved_as {
    ($($t:ty as $other:ty: |$v:ident| $to:expr, |$from:ident, $r:ident| $back:expr;)*) => {$(
        impl Saved for $t {
            fn put(&self, to: &mut Writer) -> Result<()> {
                let $v = self;
                <$other>::put(&$to, to)
            }

            fn get($r: &mut Reader<'_>) -> Result<$t> {
                let $from = <$other>::get($r)?;
                $back
            }
        }
    )*};
}

saved_as! {
    usize as u64: |n| *n as u64, |n, from| usize::try_from(n).map_err(|_| from.damaged());
    u32 as u64: |n| u64::from(*n), |n, from| u32::try_from(n).map_err(|_| from.damaged());
    i64 as u64: |n| n.cast_unsigned(), |n, _from| Ok(n.cast_signed());
    bool as u64: |b| u64::from(*b), |n, _from| Ok(n != 0);
    DType as i64: |t| i64::from(t.number()),
        |n, from| i32::try_from(n).ok().and_then(DType::from_number).ok_or_else(|| from.damaged());
    PartialShape as Option<Vec<i64>>: |shape| shape.to_wire().map(<[i64]>::to_vec), |dims, from| match dims {
        Some(dims) if dims.iter().any(|&d| d < -1) || dims.len() > MAX_RANK => Err(from.damaged()),
        dims => Ok(PartialShape::from_wire(dims.as_deref())),
    };
    Words as Vec<u32>: |words| words.to_numbers().to_vec(), |numbers, from|
        numbers.try_into().ok().and_then(Words::from_numbers).ok_or_else(|| from.damaged());
    Status as (i64, Bytes): |status| (status.code() as i64, status.message().as_bytes().into()), |parts, from| {
        let code = i32::try_from(parts.0).ok().and_then(Code::from_number).ok_or_else(|| from.damaged())?;
        Ok(Status::new(code, String::from_utf8_lossy(&parts.1)))
    };
    String as Bytes: |text| text.as_bytes().into(), |bytes, _from| Ok(String::from_utf8_lossy(&bytes).into_owned());
    Signature as (Vec<DType>, Vec<PartialShape>): |s| (s.types.to_vec(), s.shapes.to_vec()),
        |parts, _from| Ok(Signature { types: parts.0.into(), shapes: parts.1.into() });
}

impl Saved for Bytes {
    fn put(&self, to: &mut Writer) -> Result<()> {
        self.len().put(to)?;
        to.bytes.extend_from_slice(self);
        Ok(())
    }

    fn get(from: &mut Reader<'_>) -> Result<Bytes> {
        let length = usize::get(from)?;
        from.take(length).map(Into::into)
    }
}

impl<A: Saved, B: Saved> Saved for (A, B) {
    fn put(&self, to: &mut Writer) -> Result<()> {
        self.0.put(to)?;
        self.1.put(to)
    }

    fn get(from: &mut Reader<'_>) -> Result<(A, B)> {
        Ok((A::get(from)?, B::get(from)?))
    }
}

impl<T: Saved> Saved for Option<T> {
    fn put(&self, to: &mut Writer) -> Result<()> {
        self.is_some().put(to)?;
        self.as_ref().map_or(Ok(()), |value| value.put(to))
    }

    fn get(from: &mut Reader<'_>) -> Result<Option<T>> {
        bool::get(from)?.then(|| T::get(from)).transpose()
    }
}

impl<T: Saved> Saved for Result<T> {
    fn put(&self, to: &mut Writer) -> Result<()> {
        self.is_ok().put(to)?;
        match self {
            Ok(value) => value.put(to),
            Err(status) => status.put(to),
        }
    }

    fn get(from: &mut Reader<'_>) -> Result<Result<T>> {
        Ok(if bool::get(from)? { Ok(T::get(from)?) } else { Err(Status::get(from)?) })
    }
}

/// Makes collections saved: their number of items, then the items.
macro_rules! saved_collections {
    ($(<$($p:ident: $bound:path),+> $t:ty, $item:ty, |$i:ident, $to:ident| $put:expr;)*) => {$(
        impl<$($p: $bound),+> Saved for $t {
            fn put(&self, $to: &mut Writer) -> Result<()> {
                self.len().put($to)?;
                self.iter().try_for_each(|$i| $put)
            }

            fn get(from: &mut Reader<'_>) -> Result<$t> {
                let count = from.count()?;
                (0..count).map(|_| <$item>::get(from)).collect()
            }
        }
    )*};
}

saved_collections! {
    <T: Saved> Vec<T>, T, |item, to| item.put(to);
    <T: Saved> VecDeque<T>, T, |item, to| item.put(to);
    <T: SavedKey> HashSet<T>, T, |item, to| item.put(to);
    <K: SavedKey, V: Saved> BTreeMap<K, V>, (K, V), |item, to| item.0.put(to).and_then(|()| item.1.put(to));
}

/// A value that collections find.
pub(super) trait SavedKey: Saved + Ord + std::hash::Hash {}
impl<T: Saved + Ord + std::hash::Hash> SavedKey for T {}

/// Writes type, rank, dimensions, then the elements. Plain elements are as in memory, strings each with their length.
impl Saved for Tensor {
    fn put(&self, to: &mut Writer) -> Result<()> {
        ensure_stack(NESTED)?;
        self.dtype().put(to)?;
        self.rank().put(to)?;
        self.shape().iter().try_for_each(|d| d.put(to))?;
        if let Some(plain) = self.bytes() {
            to.bytes.extend_from_slice(plain);
            return Ok(());
        }
        match self.dtype() {
            DType::String => self.strings()?.iter().try_for_each(|s| s.put(to)),
            _ => self.objects()?.iter().try_for_each(|object| put_object(object, to)),
        }
    }

    fn get(from: &mut Reader<'_>) -> Result<Tensor> {
        let dtype = DType::get(from)?;
        tensor_of(dtype, from)
    }
}

fn put_object(object: &Object, to: &mut Writer) -> Result<()> {
    if let Some(inner) = object.get::<Tensor>() {
        return inner.put(to);
    }
    ensure!(to.takes_datasets, Unimplemented, "Elements with resources, datasets or lists cannot be cached in a file");
    if let Some(value) = object.get::<DatasetValue>() {
        return match value.dataset.elements() {
            Some(elements) => {
                WINDOW.put(to)?;
                value.signature.put(to)?;
                elements.to_vec().put(to)
            }
            None => {
                DATASET.put(to)?;
                recipe::save(value, to)
            }
        };
    }
    let Some(optional) = object.get::<Optional>() else {
        bail!(Unimplemented, "The position of an iterator that holds resources or lists cannot be saved")
    };
    OPTIONAL.put(to)?;
    optional.0.put(to)
}

fn object(from: &mut Reader<'_>) -> Result<Object> {
    Ok(match u64::get(from)? {
        DATASET => Object::new(recipe::restore(from)?),
        WINDOW => {
            let (signature, elements) = <(Signature, Vec<Element>)>::get(from)?;
            let dataset = SharedDataset::new(Elements(elements.into()));
            Object::new(DatasetValue { dataset, signature, recipe: None })
        }
        OPTIONAL => Object::new(Optional(Option::get(from)?)),
        number => {
            let dtype = i32::try_from(number).ok().and_then(DType::from_number).ok_or_else(|| from.damaged())?;
            Object::new(tensor_of(dtype, from)?)
        }
    })
}

/// Reads a tensor after its type.
fn tensor_of(dtype: DType, from: &mut Reader<'_>) -> Result<Tensor> {
    ensure_stack(NESTED)?;
    let rank = usize::get(from)?;
    ensure!(rank <= MAX_RANK, DataLoss, "{}: an element of rank {rank}", from.name);
    let dims = (0..rank).map(|_| i64::get(from)).collect::<Result<Vec<_>>>()?;
    let shape = Shape::checked(&dims)?;
    let count = shape.elements();
    match dtype {
        DType::Variant | DType::Resource => {
            let mut objects = Vec::new();
            for _ in 0..count {
                objects.push(object(from)?);
            }
            Tensor::from_objects(dtype, shape, objects)
        }
        DType::String => {
            let mut strings: Vec<Bytes> = Vec::new();
            for _ in 0..count {
                strings.push(Bytes::get(from)?);
            }
            Tensor::from_strings(shape, strings)
        }
        _ => {
            // These bytes exist, so a damaged length cannot allocate more.
            let bytes = from.take(count.checked_mul(dtype.size()).ok_or_else(|| from.damaged())?)?;
            plain(dtype, shape, bytes)
        }
    }
}

/// Returns a tensor of the elements that `bytes` are.
fn plain(dtype: DType, shape: Shape, bytes: &[u8]) -> Result<Tensor> {
    if dtype == DType::Bool {
        let values: Vec<bool> = bytes.iter().map(|&b| b != 0).collect();
        return Tensor::from_slice(shape, &values);
    }
    let mut buffer = Buffer::new(bytes.len())?;
    if let Some(to) = buffer.bytes_mut() {
        to.copy_from_slice(bytes);
    }
    Tensor::from_buffer(dtype, shape, buffer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::philox::Philox;

    fn written<T: Saved>(value: &T) -> Vec<u8> {
        let mut to = Writer { bytes: Vec::new(), takes_datasets: true };
        value.put(&mut to).unwrap();
        to.bytes
    }

    fn read<T: Saved>(bytes: &[u8]) -> Result<T> {
        T::get(&mut Reader::new(bytes, "a test", None))
    }

    #[test]
    fn values_come_back() {
        let inner = Tensor::from_slice([2], &[1.5f32, -0.0]).unwrap();
        let element =
            vec![Tensor::scalar(true), Tensor::from_strings([2], vec![b"a"[..].into(), b""[..].into()]).unwrap()];
        assert_eq!(read::<Element>(&written(&element)).unwrap(), element);
        let variant = Tensor::from_objects(DType::Variant, [1], vec![Object::new(inner.clone())]).unwrap();
        let found = read::<Tensor>(&written(&variant)).unwrap();
        assert_eq!(found.objects().unwrap()[0].get::<Tensor>(), Some(&inner));
        let failed: Result<i64> = Err(Status::data_loss("no"));
        let found = read::<Result<i64>>(&written(&failed)).unwrap().unwrap_err();
        assert_eq!((found.code(), found.message()), (Code::DataLoss, "no"));
    }

    #[test]
    fn streams_go_on_in_the_middle_of_a_block() {
        for used in 0..6 {
            let mut words = Words::starting_at(Philox::new(1, 2), used);
            let mut found = read::<Words>(&written(&words)).unwrap();
            assert!((0..9).all(|_| words.next_u32() == found.next_u32()));
        }
    }

    #[test]
    fn damaged_bytes_are_errors() {
        let bytes = written(
            &vec![(3i64, Tensor::from_slice([3], &[1i64, 2, 3]).unwrap())].into_iter().collect::<BTreeMap<_, _>>(),
        );
        for n in 0..bytes.len() {
            assert!(read::<BTreeMap<i64, Tensor>>(&bytes[..n]).is_err());
        }
        assert!(read::<Vec<u64>>(&u64::MAX.to_le_bytes()).is_err());
    }
}
