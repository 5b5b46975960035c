//! `Kept`: elements that one task keeps from line to line.

/// Bytes of a cache line: what is read in whole registers is not to lie across two.
const ALIGN: usize = 64;

/// Elements that begin a cache line.
pub(super) struct Kept<T> {
    elements: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Copy + Default> Kept<T> {
    pub fn new(len: usize) -> Kept<T> {
        let spare = ALIGN / size_of::<T>().clamp(1, ALIGN);
        let elements = vec![T::default(); len + spare];
        // Under Miri `align_offset` may return `usize::MAX`.
        let start = elements.as_ptr().align_offset(ALIGN).min(spare);
        Kept { elements, start, len }
    }

    pub fn get(&self) -> &[T] {
        &self.elements[self.start..self.start + self.len]
    }

    pub fn get_mut(&mut self) -> &mut [T] {
        &mut self.elements[self.start..self.start + self.len]
    }
}
