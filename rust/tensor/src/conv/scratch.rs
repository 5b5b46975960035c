//! `Scratch`: elements in a pooled buffer, for the time of one call.

use std::marker::PhantomData;

use crate::buffer::Buffer;
use crate::status::{Result, Status};

/// `len` elements whose values are unspecified at first. Only for types of which all bits are values.
pub(super) struct Scratch<T> {
    buffer: Buffer,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: crate::gemm::PatchFloat> Scratch<T> {
    /// # Errors
    /// Fails with `ResourceExhausted` if there is no such memory.
    pub fn new(sizes: &[usize]) -> Result<Scratch<T>> {
        let bytes = sizes.iter().try_fold(size_of::<T>(), |n, &size| n.checked_mul(size));
        let bytes =
            bytes.ok_or_else(|| Status::resource_exhausted("OOM: a part of a convolution larger than memory"))?;
        Ok(Scratch { buffer: Buffer::new(bytes)?, len: bytes / size_of::<T>(), elements: PhantomData })
    }

    pub fn get(&self) -> &[T] {
        // SAFETY: the buffer holds `len` elements, is aligned to 64 bytes and initialized; all bits of floats are values.
        unsafe { std::slice::from_raw_parts(self.buffer.as_ptr().cast(), self.len) }
    }

    pub fn get_mut(&mut self) -> &mut [T] {
        match self.buffer.bytes_mut() {
            // SAFETY: as in `get`; the borrow of the buffer is exclusive.
            Some(bytes) => unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), self.len) },
            None => &mut [],
        }
    }
}
