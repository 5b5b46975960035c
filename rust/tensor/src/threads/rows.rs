//! Loops whose tasks write rows of several outputs at once, each task its own.

use super::{Interrupted, SharedSlice, Threads, for_blocks, try_for_blocks};
use std::ops::Range;

/// Outputs that are cut into parts, which tasks write at once.
///
/// These are a slice of rows of equal length, `Strips`, `Columns`, and pairs and arrays of outputs.
pub trait Outputs: Sized {
    /// The outputs as all tasks see them.
    type Shared: Sync;
    /// The parts of one task.
    type Part;

    /// Cuts the outputs into `parts` parts.
    fn share(self, parts: usize) -> Self::Shared;

    /// Returns the parts with these numbers.
    ///
    /// # Safety
    /// No number may be in two of the ranges.
    unsafe fn part(shared: &Self::Shared, range: Range<usize>) -> Self::Part;
}

/// Cuts `0..parts` into blocks of `block` (the last may be shorter; 0 counts as 1) and calls `f` for each, with these parts of
/// `outputs`.
pub fn for_rows_mut<O: Outputs>(
    threads: Threads,
    parts: usize,
    block: usize,
    outputs: O,
    f: impl Fn(Range<usize>, O::Part) + Sync,
) {
    let shared = outputs.share(parts);
    for_blocks(threads, parts, block, |range| {
        // SAFETY: the ranges of one `for_blocks` call are disjoint, and each is visited once.
        f(range.clone(), unsafe { O::part(&shared, range) });
    });
}

/// Calls `f` for each block as `for_rows_mut` does, but checks the calling thread's watch between blocks.
///
/// Errors: `Interrupted` once the watch says to stop. Parts of the outputs have their old values then.
pub fn try_for_rows_mut<O: Outputs>(
    threads: Threads,
    parts: usize,
    block: usize,
    outputs: O,
    f: impl Fn(Range<usize>, O::Part) + Sync,
) -> Result<(), Interrupted> {
    let shared = outputs.share(parts);
    try_for_blocks(threads, parts, block, |range| {
        // SAFETY: the ranges of one `try_for_blocks` call are disjoint, and each is visited once.
        f(range.clone(), unsafe { O::part(&shared, range) });
    })
}

/// Rows of equal length: as many as there are parts.
impl<'a, T: Send> Outputs for &'a mut [T] {
    type Shared = (SharedSlice<'a, T>, usize);
    type Part = &'a mut [T];

    fn share(self, parts: usize) -> Self::Shared {
        let length = self.len().checked_div(parts).unwrap_or(0);
        debug_assert_eq!(length * parts, self.len(), "rows of one length");
        (SharedSlice::new(self), length)
    }

    unsafe fn part((data, length): &Self::Shared, range: Range<usize>) -> &'a mut [T] {
        // SAFETY: rows of disjoint numbers are disjoint; the caller promises the rest.
        unsafe { data.part(range.start * length..range.end * length) }
    }
}

/// Groups of elements, each cut into strips of which the last may be shorter. A part is one strip.
pub struct Strips<'a, T> {
    data: &'a mut [T],
    group: usize,
    strip: usize,
}

impl<'a, T> Strips<'a, T> {
    /// Cuts `data` into groups of `group` elements, and these into strips of `strip` elements (0 counts as 1).
    pub fn new(data: &'a mut [T], group: usize, strip: usize) -> Strips<'a, T> {
        Strips { data, group, strip: strip.max(1) }
    }

    /// Returns the number of strips in a group.
    pub fn per_group(&self) -> usize {
        self.group.div_ceil(self.strip)
    }

    /// Returns the number of strips.
    pub fn count(&self) -> usize {
        self.data.len().checked_div(self.group).unwrap_or(0) * self.per_group()
    }
}

/// `Strips` as all tasks see them.
pub struct SharedStrips<'a, T> {
    data: SharedSlice<'a, T>,
    group: usize,
    strip: usize,
    per_group: usize,
}

impl<T> SharedStrips<'_, T> {
    /// Returns the index of a strip's first element.
    fn start(&self, strip: usize) -> usize {
        let (group, in_group) = (strip / self.per_group.max(1), strip % self.per_group.max(1));
        group * self.group + in_group * self.strip
    }
}

impl<'a, T: Send> Outputs for Strips<'a, T> {
    type Shared = SharedStrips<'a, T>;
    type Part = &'a mut [T];

    fn share(self, parts: usize) -> Self::Shared {
        debug_assert!(self.data.is_empty() || parts == self.count(), "{parts} parts of {} strips", self.count());
        let per_group = self.per_group();
        SharedStrips { data: SharedSlice::new(self.data), group: self.group, strip: self.strip, per_group }
    }

    unsafe fn part(shared: &Self::Shared, range: Range<usize>) -> &'a mut [T] {
        // SAFETY: `start` never falls, so that disjoint ranges of strips are disjoint; the caller promises the rest.
        unsafe { shared.data.part(shared.start(range.start)..shared.start(range.end)) }
    }
}

/// Matrices whose columns are cut into pieces of which the last may be narrower. A part is one piece of one matrix.
pub struct Columns<'a, T> {
    data: &'a mut [T],
    size: (usize, usize),
    width: usize,
}

impl<'a, T> Columns<'a, T> {
    /// Cuts the columns of matrices of `size` (rows, columns), which follow each other in `data`, into pieces of `width`
    /// columns (0 counts as 1).
    pub fn new(data: &'a mut [T], size: (usize, usize), width: usize) -> Columns<'a, T> {
        Columns { data, size, width: width.max(1) }
    }

    /// Returns the number of pieces of each matrix.
    pub fn per_matrix(&self) -> usize {
        self.size.1.div_ceil(self.width)
    }

    /// Returns the number of pieces.
    pub fn count(&self) -> usize {
        self.data.len().checked_div(self.size.0 * self.size.1).unwrap_or(0) * self.per_matrix()
    }
}

/// `Columns` as all tasks see them.
pub struct SharedColumns<'a, T> {
    data: SharedSlice<'a, T>,
    size: (usize, usize),
    width: usize,
    per_matrix: usize,
}

/// Some pieces of `Columns`.
pub struct Pieces<'a, T> {
    columns: SharedColumns<'a, T>,
    range: Range<usize>,
}

/// One piece of `Columns`: some columns of a matrix.
pub struct Piece<'p, T> {
    data: &'p SharedSlice<'p, T>,
    /// Index of its first element.
    start: usize,
    size: (usize, usize),
    columns: usize,
}

impl<T> Pieces<'_, T> {
    /// Returns a piece; None if it is not one of these.
    pub fn piece(&mut self, number: usize) -> Option<Piece<'_, T>> {
        let shared = &self.columns;
        let (matrix, from) = (number.checked_div(shared.per_matrix)?, number % shared.per_matrix * shared.width);
        let start = matrix * shared.size.0 * shared.size.1 + from;
        let columns = shared.width.min(shared.size.1 - from);
        self.range.contains(&number).then_some(Piece { data: &shared.data, start, size: shared.size, columns })
    }
}

impl<T> Piece<'_, T> {
    /// Returns the number of its columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the place of the piece's part of a row in the data.
    #[inline]
    pub fn place(&self, row: usize) -> Range<usize> {
        let at = self.start + row.min(self.size.0) * self.size.1;
        at..at + self.columns
    }

    /// Returns the address of the first element, for kernels that write the piece as a whole.
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.data.as_mut_ptr().wrapping_add(self.start)
    }

    /// Returns the piece's part of a row, empty behind the last one.
    #[inline]
    pub fn row(&mut self, row: usize) -> &mut [T] {
        let place = if row < self.size.0 { self.place(row) } else { 0..0 };
        // SAFETY: places in pieces of different numbers are disjoint, and each piece belongs to one task. `&mut self` lets one row
        // of it live at a time.
        unsafe { self.data.range(place) }
    }
}

impl<'a, T: Send> Outputs for Columns<'a, T> {
    type Shared = SharedColumns<'a, T>;
    type Part = Pieces<'a, T>;

    fn share(self, parts: usize) -> Self::Shared {
        debug_assert!(self.data.is_empty() || parts == self.count(), "{parts} parts of {} pieces", self.count());
        let per_matrix = self.per_matrix();
        SharedColumns { data: SharedSlice::new(self.data), size: self.size, width: self.width, per_matrix }
    }

    unsafe fn part(shared: &Self::Shared, range: Range<usize>) -> Pieces<'a, T> {
        let data = shared.data.alias();
        Pieces {
            columns: SharedColumns { data, size: shared.size, width: shared.width, per_matrix: shared.per_matrix },
            range,
        }
    }
}

impl<A: Outputs, B: Outputs> Outputs for (A, B) {
    type Shared = (A::Shared, B::Shared);
    type Part = (A::Part, B::Part);

    fn share(self, parts: usize) -> Self::Shared {
        (self.0.share(parts), self.1.share(parts))
    }

    unsafe fn part(shared: &Self::Shared, range: Range<usize>) -> Self::Part {
        // SAFETY: these are different outputs; the caller promises the rest.
        unsafe { (A::part(&shared.0, range.clone()), B::part(&shared.1, range)) }
    }
}

impl<A: Outputs, const N: usize> Outputs for [A; N] {
    type Shared = [A::Shared; N];
    type Part = [A::Part; N];

    fn share(self, parts: usize) -> Self::Shared {
        self.map(|output| output.share(parts))
    }

    unsafe fn part(shared: &Self::Shared, range: Range<usize>) -> Self::Part {
        // SAFETY: these are different outputs; the caller promises the rest.
        std::array::from_fn(|k| unsafe { A::part(&shared[k], range.clone()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::watched;
    use proptest::prelude::*;

    proptest! {
        /// Checks that every element belongs to one part, at any number of threads.
        #[test]
        fn every_element_is_written_once(
            rows in 0usize..9, length in 0usize..5, block in 0usize..4, cut in 0usize..6, matrices in 0usize..4, threads in 1usize..4
        ) {
            let threads = Threads::new(threads);
            let (mut a, mut b) = (vec![0u32; rows * length], vec![0u8; rows]);
            for_rows_mut(threads, rows, block, (&mut a[..], &mut b[..]), |range, (a, b)| {
                assert_eq!((a.len(), b.len()), (range.len() * length, range.len()));
                a.iter_mut().for_each(|x| *x += 1);
                b.iter_mut().zip(range).for_each(|(x, row)| *x += row as u8);
            });
            prop_assert!(a.iter().all(|&x| x == 1) && b.iter().enumerate().all(|(i, &x)| usize::from(x) == i));

            let mut each = [vec![0usize; rows], vec![0; 2 * rows]];
            let [first, second] = &mut each;
            for_rows_mut(threads, rows, block, [&mut first[..], &mut second[..]], |range, parts| {
                parts.into_iter().for_each(|part| part.fill(range.start + 1));
            });
            prop_assert!(each.iter().flatten().all(|&x| x > 0));

            let mut data = vec![0u32; matrices * rows * length];
            let strips = Strips::new(&mut data, rows * length, cut);
            let (count, per_group) = (strips.count(), strips.per_group());
            for_rows_mut(threads, count, block, strips, |range, part| {
                let whole = |i: usize| (rows * length - i % per_group * cut.max(1)).min(cut.max(1));
                assert_eq!(part.len(), range.map(whole).sum::<usize>());
                part.iter_mut().for_each(|x| *x += 1);
            });
            prop_assert!(data.iter().all(|&x| x == 1));

            let columns = Columns::new(&mut data, (rows, length), cut);
            let count = columns.count();
            for_rows_mut(threads, count, block, columns, |range, mut pieces| {
                assert!(pieces.piece(range.end).is_none() && (range.start == 0 || pieces.piece(range.start - 1).is_none()));
                for number in range {
                    let mut piece = pieces.piece(number).unwrap();
                    for row in 0..rows {
                        let place = piece.place(row);
                        let part = piece.row(row);
                        assert_eq!(part.len(), place.len());
                        part.iter_mut().zip(place).for_each(|(x, i)| *x += i as u32);
                    }
                    assert!(piece.row(rows).is_empty() && piece.row(usize::MAX).is_empty());
                }
            });
            prop_assert!(data.iter().enumerate().all(|(i, &x)| x == i as u32 + 1));
        }
    }

    #[test]
    fn a_loop_that_is_interrupted_says_so() {
        let mut data = [0u8; 4];
        let run = |data: &mut [u8]| try_for_rows_mut(Threads::single(), 4, 1, data, |_, part| part.fill(1));
        assert!(watched(&|| true, || run(&mut data)).is_err());
        assert_eq!(data, [0; 4]);
        assert!(watched(&|| false, || run(&mut data)).is_ok());
        assert_eq!(data, [1; 4]);
    }
}
