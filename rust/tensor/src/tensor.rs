//! `Tensor`: an immutable, shared value: dtype, shape and elements; written only while it has one owner.

use crate::buffer::Buffer;
use crate::dtype::{DType, Scalar};
use crate::object::Object;
use crate::shape::Shape;
use crate::status::{Result, Status};
use crate::threads::{Threads, try_fill, try_for_chunks_mut};
use crate::{bail, ensure};
use smallvec::SmallVec;
use std::sync::Arc;

/// A string element. Up to 16 bytes lie in the element itself: most words cost no allocation.
pub type Bytes = SmallVec<[u8; 16]>;

/// Plain data of at most this many bytes lives in the tensor itself: scalars cost no allocation.
const INLINE_BYTES: usize = 16;
/// Parts of fewer bytes are copied: that takes as long as sharing them.
const SHARED_PART_BYTES: usize = 1024;
/// Bytes that one thread copies at a time.
const COPY_BLOCK: usize = 256 << 10;

#[derive(Clone)]
enum Data {
    Inline([u64; INLINE_BYTES / 8]),
    Shared(Arc<Buffer>),
    Strings(Arc<Vec<Bytes>>),
    /// Resources and variants.
    Objects(Arc<Vec<Object>>),
}

/// A dense value. Cloning shares the elements.
#[derive(Clone)]
pub struct Tensor {
    dtype: DType,
    shape: Shape,
    data: Data,
}

impl Tensor {
    /// Returns a tensor to be filled: contents unspecified (zero for `bool`), strings empty.
    ///
    /// Errors: `ResourceExhausted` for lack of memory, `InvalidArgument` for types that hold no elements.
    pub fn new(dtype: DType, shape: impl Into<Shape>) -> Result<Tensor> {
        // A byte that is not 0 or 1 is no bool.
        Tensor::filled_by(dtype, shape.into(), if dtype == DType::Bool { Buffer::zeroed } else { Buffer::new })
    }

    fn filled_by(dtype: DType, shape: Shape, buffer: impl FnOnce(usize) -> Result<Buffer>) -> Result<Tensor> {
        let elements = shape.elements();
        if dtype == DType::String {
            let mut strings = Vec::new();
            if strings.try_reserve_exact(elements).is_err() {
                bail!(ResourceExhausted, "OOM when allocating tensor with shape{shape} and type string");
            }
            strings.resize(elements, Bytes::default());
            return Ok(Tensor { dtype, shape, data: Data::Strings(Arc::new(strings)) });
        }
        ensure!(dtype.is_plain(), InvalidArgument, "A tensor of type {} holds no elements", dtype.name());
        let Some(bytes) = elements.checked_mul(dtype.size()) else {
            bail!(ResourceExhausted, "OOM when allocating tensor with shape{shape} and type {}", dtype.schema_name());
        };
        let data = if bytes <= INLINE_BYTES {
            Data::Inline([0; 2])
        } else {
            let buffer = buffer(bytes).map_err(|_| {
                Status::resource_exhausted(format!(
                    "OOM when allocating tensor with shape{shape} and type {}",
                    dtype.schema_name()
                ))
            })?;
            Data::Shared(Arc::new(buffer))
        };
        Ok(Tensor { dtype, shape, data })
    }

    /// Returns a tensor of zeros (empty strings, false).
    pub fn zeros(dtype: DType, shape: impl Into<Shape>) -> Result<Tensor> {
        Tensor::filled_by(dtype, shape.into(), Buffer::zeroed)
    }

    /// Returns a tensor of zeros, as [`Tensor::zeros`] does; threads write a large one.
    pub fn zeros_by(threads: Threads, dtype: DType, shape: impl Into<Shape>) -> Result<Tensor> {
        let mut is_recycled = false;
        let mut out = Tensor::filled_by(dtype, shape.into(), |len| {
            let acquired = Buffer::acquired(len)?;
            is_recycled = acquired.1;
            Ok(acquired.0)
        })?;
        if is_recycled
            && let Data::Shared(buffer) = &mut out.data
            && let Some(bytes) = Arc::get_mut(buffer).and_then(Buffer::bytes_mut)
        {
            try_fill(threads, bytes, 0)?;
        }
        Ok(out)
    }

    pub fn scalar<T: Scalar>(value: T) -> Tensor {
        let mut raw = [0u64; 2];
        const { assert!(size_of::<T>() <= INLINE_BYTES) };
        // SAFETY: T is plain data of at most 16 bytes, and the array is that large and aligned to 8, T's most.
        unsafe { raw.as_mut_ptr().cast::<T>().write(value) };
        Tensor { dtype: T::DTYPE, shape: Shape::scalar(), data: Data::Inline(raw) }
    }

    pub fn from_slice<T: Scalar>(shape: impl Into<Shape>, values: &[T]) -> Result<Tensor> {
        let shape = shape.into();
        ensure!(shape.elements() == values.len(), InvalidArgument, "{} values do not fill shape {shape}", values.len());
        let mut t = Tensor::new(T::DTYPE, shape)?;
        t.slice_mut::<T>()?.copy_from_slice(values);
        Ok(t)
    }

    pub fn from_strings(shape: impl Into<Shape>, values: Vec<Bytes>) -> Result<Tensor> {
        let shape = shape.into();
        ensure!(
            shape.elements() == values.len(),
            InvalidArgument,
            "{} strings do not fill shape {shape}",
            values.len()
        );
        Ok(Tensor { dtype: DType::String, shape, data: Data::Strings(Arc::new(values)) })
    }

    /// Returns a tensor of shared objects.
    ///
    /// Errors: `InvalidArgument` where `dtype` is neither resource nor variant, or the objects do not fill the shape.
    pub fn from_objects(dtype: DType, shape: impl Into<Shape>, values: Vec<Object>) -> Result<Tensor> {
        let shape = shape.into();
        ensure!(
            matches!(dtype, DType::Resource | DType::Variant) && shape.elements() == values.len(),
            InvalidArgument,
            "{} objects do not fill shape {shape} of type {}",
            values.len(),
            dtype.name()
        );
        Ok(Tensor { dtype, shape, data: Data::Objects(Arc::new(values)) })
    }

    /// Returns a tensor over memory that someone else owns.
    ///
    /// Errors: `InvalidArgument` where the buffer's length is not the shape's or the type is not plain.
    pub fn from_buffer(dtype: DType, shape: impl Into<Shape>, buffer: Buffer) -> Result<Tensor> {
        let shape = shape.into();
        ensure!(
            dtype.is_plain() && shape.elements().checked_mul(dtype.size()) == Some(buffer.bytes().len()),
            InvalidArgument,
            "a buffer of {} bytes does not hold {shape} {}",
            buffer.bytes().len(),
            dtype.name()
        );
        if buffer.bytes().len() <= INLINE_BYTES || !buffer.as_ptr().addr().is_multiple_of(dtype.size().min(8)) {
            let mut t = Tensor::new(dtype, shape)?;
            if let Some(b) = t.bytes_mut() {
                b.copy_from_slice(buffer.bytes());
            }
            return Ok(t);
        }
        Ok(Tensor { dtype, shape, data: Data::Shared(Arc::new(buffer)) })
    }

    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    #[inline]
    pub fn elements(&self) -> usize {
        self.shape.elements()
    }

    #[inline]
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// Returns the number of bytes of the elements (of the strings' contents for strings, of the references for
    /// objects).
    pub fn byte_size(&self) -> usize {
        match &self.data {
            Data::Strings(s) => s.iter().map(|b| b.len()).sum(),
            Data::Objects(o) => size_of_val(o.as_slice()),
            _ => self.elements().saturating_mul(self.dtype.size()),
        }
    }

    /// Returns the elements as bytes; `None` for strings and objects.
    #[inline]
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.data {
            Data::Inline(raw) => {
                let n = self.elements().saturating_mul(self.dtype.size());
                // SAFETY: the array is 16 initialized bytes and `n` is at most that by construction.
                Some(unsafe { std::slice::from_raw_parts(raw.as_ptr().cast(), n) })
            }
            Data::Shared(b) => Some(b.bytes()),
            Data::Strings(_) | Data::Objects(_) => None,
        }
    }

    /// Returns the elements as bytes for writing; `None` where they are shared, lent, strings or objects.
    #[inline]
    pub(crate) fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        let n = self.elements().saturating_mul(self.dtype.size());
        match &mut self.data {
            // SAFETY: as in `bytes`; `&mut self` makes the access exclusive.
            Data::Inline(raw) => Some(unsafe { std::slice::from_raw_parts_mut(raw.as_mut_ptr().cast(), n) }),
            Data::Shared(b) => Arc::get_mut(b)?.bytes_mut(),
            Data::Strings(_) | Data::Objects(_) => None,
        }
    }

    /// Returns the elements as bytes for writing; copies first where they are shared or lent. Any bytes may be written.
    ///
    /// Errors: `Internal` for bool, whose bytes must be 0 or 1, strings and objects; `ResourceExhausted` where the copy
    /// finds no memory.
    pub fn writable_bytes(&mut self) -> Result<&mut [u8]> {
        ensure!(
            self.dtype.is_plain() && self.dtype != DType::Bool,
            Internal,
            "the bytes of a tensor of type {} cannot be written",
            self.dtype.name()
        );
        self.make_unique()?;
        match self.bytes_mut() {
            Some(bytes) => Ok(bytes),
            None => bail!(Internal, "a unique tensor was not writable"),
        }
    }

    #[inline]
    fn check_type(&self, expected: DType) -> Result<()> {
        ensure!(
            self.dtype == expected,
            Internal,
            "a tensor of type {} was read as {}",
            self.dtype.name(),
            expected.name()
        );
        Ok(())
    }

    /// Returns the elements in row-major order.
    ///
    /// Errors: `Internal` where `T` is not the tensor's type.
    pub fn slice<T: Scalar>(&self) -> Result<&[T]> {
        self.check_type(T::DTYPE)?;
        let Some(bytes) = self.bytes() else { bail!(Internal, "strings have no plain elements") };
        // SAFETY: the bytes hold `elements()` initialized values of T (its dtype was checked; any bits are valid, and
        // bool buffers hold 0 and 1 only). Blocks and inline data are aligned for T, lent memory was checked in
        // `from_buffer`.
        Ok(unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size_of::<T>()) })
    }

    /// Returns the elements for writing; copies first where they are shared or lent.
    ///
    /// Errors: `Internal` where `T` is not the tensor's type, `ResourceExhausted` where the copy finds no memory.
    pub fn slice_mut<T: Scalar>(&mut self) -> Result<&mut [T]> {
        self.check_type(T::DTYPE)?;
        self.make_unique()?;
        let Some(bytes) = self.bytes_mut() else { bail!(Internal, "a unique tensor was not writable") };
        // SAFETY: as in `slice`; the access is exclusive.
        Ok(unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len() / size_of::<T>()) })
    }

    /// Returns true if the elements can be written without a copy: nothing else refers to them.
    #[inline]
    pub fn is_unique(&mut self) -> bool {
        match &mut self.data {
            Data::Inline(_) => true,
            Data::Shared(b) => Arc::get_mut(b).is_some_and(|b| !b.is_lent()),
            Data::Strings(s) => Arc::get_mut(s).is_some(),
            Data::Objects(o) => Arc::get_mut(o).is_some(),
        }
    }

    /// Copies the elements where something else refers to them or owns them.
    #[inline]
    pub fn make_unique(&mut self) -> Result<()> {
        if !self.is_unique() {
            *self = self.deep_copy()?;
        }
        Ok(())
    }

    /// Returns the tensor itself if nothing else refers to its elements or owns them, else a copy made by `threads`.
    ///
    /// Errors: `Interrupted` once the watch of this thread says to stop.
    pub fn into_unique(mut self, threads: Threads) -> Result<Tensor> {
        if self.is_unique() {
            return Ok(self);
        }
        let mut copy = Tensor::new(self.dtype, self.shape.clone())?;
        let (Some(to), Some(from)) = (copy.bytes_mut(), self.bytes()) else { return self.deep_copy() };
        try_for_chunks_mut(threads, to, COPY_BLOCK, |start, part| {
            part.copy_from_slice(&from[start..start + part.len()]);
        })?;
        Ok(copy)
    }

    /// Returns a copy with elements of its own.
    pub fn deep_copy(&self) -> Result<Tensor> {
        if let Data::Strings(s) = &self.data {
            return Ok(Tensor { data: Data::Strings(Arc::new((**s).clone())), ..self.clone() });
        }
        if let Data::Objects(o) = &self.data {
            return Ok(Tensor { data: Data::Objects(Arc::new((**o).clone())), ..self.clone() });
        }
        let mut t = Tensor::new(self.dtype, self.shape.clone())?;
        if let (Some(to), Some(from)) = (t.bytes_mut(), self.bytes()) {
            to.copy_from_slice(from);
        }
        Ok(t)
    }

    /// Returns the tensor itself, or a copy where its memory belongs to someone else: what may outlive a step.
    pub fn into_owned(self) -> Result<Tensor> {
        match &self.data {
            Data::Shared(b) if b.is_lent() => self.deep_copy(),
            _ => Ok(self),
        }
    }

    pub fn strings(&self) -> Result<&[Bytes]> {
        match &self.data {
            Data::Strings(s) => Ok(s),
            _ => bail!(Internal, "a tensor of type {} was read as string", self.dtype.name()),
        }
    }

    /// Returns the strings for writing; copies first where they are shared.
    pub fn strings_mut(&mut self) -> Result<&mut [Bytes]> {
        match &mut self.data {
            Data::Strings(s) => Ok(Arc::make_mut(s).as_mut_slice()),
            _ => bail!(Internal, "a tensor of type {} was read as string", self.dtype.name()),
        }
    }

    /// Returns the elements of a resource or variant tensor.
    pub fn objects(&self) -> Result<&[Object]> {
        match &self.data {
            Data::Objects(o) => Ok(o),
            _ => bail!(Internal, "a tensor of type {} was read as objects", self.dtype.name()),
        }
    }

    /// Returns the objects for writing; the tensor gets references of its own first where they are shared.
    pub fn objects_mut(&mut self) -> Result<&mut [Object]> {
        match &mut self.data {
            Data::Objects(o) => Ok(Arc::make_mut(o).as_mut_slice()),
            _ => bail!(Internal, "a tensor of type {} was read as objects", self.dtype.name()),
        }
    }

    /// Returns the elements from `start` on as a tensor of `shape` that shares this tensor's memory and keeps all of it.
    ///
    /// Returns `None` where a copy is needed: few bytes, strings, objects, or elements beyond the end.
    pub fn shared_part(&self, start: usize, shape: &Shape) -> Option<Tensor> {
        let Data::Shared(whole) = &self.data else { return None };
        let size = self.dtype.size();
        let bytes = shape.elements().checked_mul(size).filter(|bytes| *bytes >= SHARED_PART_BYTES)?;
        let part = Buffer::part(whole, start.checked_mul(size)?, bytes)?;
        Some(Tensor { dtype: self.dtype, shape: shape.clone(), data: Data::Shared(Arc::new(part)) })
    }

    /// Returns the same elements in another shape.
    ///
    /// Errors: `InvalidArgument` where the number of elements differs.
    pub fn reshaped(mut self, shape: impl Into<Shape>) -> Result<Tensor> {
        let shape = shape.into();
        ensure!(
            shape.elements() == self.elements(),
            InvalidArgument,
            "Input to reshape is a tensor with {} values, but the requested shape has {}",
            self.elements(),
            shape.elements()
        );
        self.shape = shape;
        Ok(self)
    }

    /// Returns the same bits read as another type of equal element size.
    pub fn bitcast_same_size(mut self, dtype: DType) -> Result<Tensor> {
        ensure!(
            dtype.size() == self.dtype.size() && dtype.is_plain() && dtype != DType::Bool,
            InvalidArgument,
            "Cannot bitcast from {} to {}",
            self.dtype.schema_name(),
            dtype.schema_name()
        );
        self.dtype = dtype;
        Ok(self)
    }

    /// Returns the only element of a scalar (or of any one-element tensor).
    pub fn to_scalar<T: Scalar>(&self) -> Result<T> {
        match self.slice::<T>()? {
            [x] => Ok(*x),
            _ => bail!(InvalidArgument, "expected one element, got a tensor of shape {}", self.shape),
        }
    }

    /// Returns an int32 or int64 tensor's elements, as `i64`: shapes, axes, indices.
    ///
    /// Errors: `InvalidArgument` for other types.
    pub fn to_i64s(&self) -> Result<Vec<i64>> {
        match self.dtype {
            DType::I32 => Ok(self.slice::<i32>()?.iter().map(|&x| x.into()).collect()),
            DType::I64 => Ok(self.slice::<i64>()?.to_vec()),
            _ => bail!(InvalidArgument, "expected int32 or int64, got {}", self.dtype.schema_name()),
        }
    }

    /// Address of the elements: equal for tensors that share them.
    pub fn data_ptr(&self) -> *const u8 {
        match &self.data {
            Data::Inline(raw) => raw.as_ptr().cast(),
            Data::Shared(b) => b.as_ptr(),
            Data::Strings(s) => s.as_ptr().cast(),
            Data::Objects(o) => o.as_ptr().cast(),
        }
    }

    /// Returns the shared buffer behind a plain tensor; `None` for inline data, strings and objects.
    pub fn buffer(&self) -> Option<&Arc<Buffer>> {
        match &self.data {
            Data::Shared(b) => Some(b),
            _ => None,
        }
    }
}

/// Equal dtype, shape and bits (NaNs of equal bits are equal); the same objects.
impl PartialEq for Tensor {
    fn eq(&self, other: &Tensor) -> bool {
        let same = self.dtype == other.dtype && self.shape == other.shape;
        same && match (&self.data, &other.data) {
            (Data::Strings(a), Data::Strings(b)) => a == b,
            (Data::Objects(a), Data::Objects(b)) => a == b,
            _ => self.bytes() == other.bytes(),
        }
    }
}

impl std::fmt::Debug for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tensor<{} {}>", self.dtype.name(), self.shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_zeros_also_in_recycled_memory() {
        for n in [0usize, 3, 100, 500_000] {
            for threads in [1, 2, 5] {
                drop(Tensor::from_slice([n], &vec![7.0f32; n]).unwrap());
                let zeros = Tensor::zeros_by(Threads::new(threads), DType::F32, [n]).unwrap();
                assert_eq!(zeros.slice::<f32>().unwrap(), vec![0.0; n]);
            }
        }
        let words = Tensor::zeros_by(Threads::new(2), DType::String, [3]).unwrap();
        assert!(words.strings().unwrap().iter().all(|word| word.is_empty()));
    }

    #[test]
    fn values_round_trip_inline_and_pooled() {
        for n in [0usize, 1, 2, 4, 5, 100, 100_000] {
            let v: Vec<f32> = (0..n).map(|i| i as f32).collect();
            let t = Tensor::from_slice([n], &v).unwrap();
            assert_eq!(t.slice::<f32>().unwrap(), v);
            assert_eq!(t.byte_size(), 4 * n);
        }
        let c = num_complex::Complex64::new(1.0, -2.0);
        assert_eq!(Tensor::scalar(c).to_scalar::<num_complex::Complex64>().unwrap(), c);
    }

    #[test]
    fn writing_copies_what_is_shared_and_nothing_else() {
        let mut a = Tensor::from_slice([100], &[1.0f32; 100]).unwrap();
        let p = a.data_ptr();
        a.slice_mut::<f32>().unwrap()[0] = 2.0;
        assert_eq!(a.data_ptr(), p);
        let b = a.clone();
        a.slice_mut::<f32>().unwrap()[0] = 3.0;
        assert_ne!(a.data_ptr(), p);
        assert_eq!(b.slice::<f32>().unwrap()[0], 2.0);
    }

    #[test]
    fn a_part_shares_memory_until_it_is_written() {
        let values: Vec<i32> = (0..1000).collect();
        let whole = Tensor::from_slice([1000], &values).unwrap();
        let mut part = whole.shared_part(100, &Shape::new(&[4, 100])).unwrap();
        assert_eq!(part.slice::<i32>().unwrap(), &values[100..500]);
        assert_eq!(part.data_ptr(), whole.data_ptr().wrapping_add(400));
        assert!(!part.is_unique());
        let owned = part.clone().into_owned().unwrap();
        part.slice_mut::<i32>().unwrap()[0] = -1;
        assert_eq!((whole.slice::<i32>().unwrap(), owned.slice::<i32>().unwrap()[0]), (&values[..], 100));
        for (start, size) in [(0, 10), (900, 300), (usize::MAX, 300), (0, 1001)] {
            assert!(whole.shared_part(start, &Shape::new(&[size])).is_none());
        }
        assert!(Tensor::from_strings([1], vec![Bytes::default()]).unwrap().shared_part(0, &Shape::new(&[1])).is_none());
    }

    #[test]
    fn reading_as_another_type_is_an_error() {
        let t = Tensor::scalar(1i32);
        assert!(t.slice::<f32>().is_err());
        assert!(t.strings().is_err());
    }

    #[test]
    fn recycled_memory_never_shows_as_bool() {
        let mut t = Tensor::new(DType::U8, [1000]).unwrap();
        t.slice_mut::<u8>().unwrap().fill(255);
        drop(t);
        let b = Tensor::new(DType::Bool, [1000]).unwrap();
        assert!(b.slice::<bool>().unwrap().iter().all(|&x| !x));
    }
}
