//! `Scratch`, a matrix of floats in a pooled buffer.

use std::marker::PhantomData;

use crate::buffer::Buffer;
use crate::status::{Result, Status};

/// An element type of which all bit patterns are values.
pub trait Float: Copy {}

impl Float for f32 {}
impl Float for f64 {}

/// A matrix of floats in a pooled buffer, row by row.
pub(super) struct Scratch<T> {
    buffer: Buffer,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Float> Scratch<T> {
    /// Makes a matrix with unspecified elements.
    pub(super) fn new(rows: usize, cols: usize) -> Result<Scratch<T>> {
        let bytes = rows.checked_mul(cols).and_then(|len| len.checked_mul(size_of::<T>()));
        let bytes = bytes.ok_or_else(|| Status::resource_exhausted("OOM: a matrix larger than the address space"))?;
        Ok(Scratch { buffer: Buffer::new(bytes)?, len: bytes / size_of::<T>(), element: PhantomData })
    }

    pub(super) fn values(&self) -> &[T] {
        // SAFETY: the buffer holds `len` floats, is aligned to 64 bytes and initialized.
        unsafe { std::slice::from_raw_parts(self.buffer.as_ptr().cast(), self.len) }
    }

    pub(super) fn values_mut(&mut self) -> &mut [T] {
        match self.buffer.bytes_mut() {
            // SAFETY: as in `values`; the borrow of the buffer is exclusive.
            Some(bytes) => unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), self.len) },
            None => &mut [],
        }
    }
}
