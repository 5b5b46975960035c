//! `Tile`: some transforms of one length side by side, one in each lane.

use super::numbers::Numbers;
use super::passes::run_pass;
use super::plan::Plan;
use super::{Real, scaled};
use crate::gemm::tiled::lanes::{Lanes, for_lanes};
use num_complex::Complex;

/// Room for numbers in lanes, and for the results of a pass over them.
pub(super) struct Tile<T> {
    data: Vec<T>,
    /// Elements before the first one that begins a cache line.
    start: usize,
    elements: usize,
    /// If true, the numbers are in the second half of the room.
    second: bool,
}

impl<T: Real> Tile<T> {
    pub fn new(numbers: usize) -> Tile<T> {
        let elements = numbers * 2 * T::LANES;
        let data = vec![T::default(); 2 * elements + 2 * T::LANES];
        let start = data.as_ptr().align_offset(64).min(2 * T::LANES);
        Tile { data, start, elements, second: false }
    }

    /// Returns the numbers: for each the real parts of all lanes, then the imaginary parts.
    pub fn numbers(&mut self) -> &mut [T] {
        self.halves().0
    }

    /// Returns the numbers, and the room for results.
    pub fn halves(&mut self) -> (&mut [T], &mut [T]) {
        let all = &mut self.data[self.start..self.start + 2 * self.elements];
        let (first, second) = all.split_at_mut(self.elements);
        if self.second { (second, first) } else { (first, second) }
    }

    /// Makes the results the numbers.
    pub fn turn(&mut self) {
        self.second = !self.second;
    }
}

/// Transforms the numbers of a tile.
///
/// # Safety
/// The CPU has the features of `L`.
pub(super) unsafe fn transform<L: Lanes<Elem: Real>>(plan: &Plan<L::Elem>, tile: &mut Tile<L::Elem>) {
    for pass in &plan.passes {
        let (from, to) = tile.halves();
        // SAFETY: by this function's contract.
        unsafe { run_pass::<L>(pass, from, to) };
        tile.turn();
    }
}

/// Rows or columns in memory: the first element, and the elements from one row to the next.
#[derive(Clone, Copy)]
pub(super) struct Strided<P> {
    pub first: P,
    pub stride: usize,
}

for_lanes! {
    /// Reads `rows` rows of `elements` elements, a row for each lane; lanes without a row are zero. Element i of a row goes to
    /// its lane at `to + i * N`.
    ///
    /// # Safety
    /// The CPU has the features of `L`; the rows are readable, at most N; `to` has room.
    unsafe fn rows_to_lanes = rows_to_lanes_body<L: Lanes>(from: Strided<*const L::Elem>, rows: usize, elements: usize, to: *mut L::Elem)
}

#[inline(always)]
unsafe fn rows_to_lanes_body<L: Lanes>(from: Strided<*const L::Elem>, rows: usize, elements: usize, to: *mut L::Elem) {
    for i in (0..elements).step_by(L::N) {
        let some = L::N.min(elements - i);
        // SAFETY: by the contract of `rows_to_lanes`.
        unsafe { L::transpose(from.first.add(i), from.stride, rows, some, to.add(i * L::N), L::N, L::first(L::N)) };
    }
}

for_lanes! {
    /// Writes what `rows_to_lanes` reads.
    ///
    /// # Safety
    /// As for `rows_to_lanes`, with the rows writable.
    unsafe fn lanes_to_rows = lanes_to_rows_body<L: Lanes>(from: *const L::Elem, rows: usize, elements: usize, to: Strided<*mut L::Elem>)
}

#[inline(always)]
unsafe fn lanes_to_rows_body<L: Lanes>(from: *const L::Elem, rows: usize, elements: usize, to: Strided<*mut L::Elem>) {
    for i in (0..elements).step_by(L::N) {
        let some = L::N.min(elements - i);
        // SAFETY: by the contract of `lanes_to_rows`.
        unsafe { L::transpose(from.add(i * L::N), L::N, some, rows, to.first.add(i), to.stride, L::first(some)) };
    }
}

for_lanes! {
    /// Reads `columns` columns of complex numbers, one for each lane; lanes without a column are zero.
    ///
    /// # Safety
    /// The CPU has the features of `L`; `rows` rows of `columns` <= N complex numbers are readable; `to` has room.
    unsafe fn columns_to_lanes = columns_to_lanes_body<L: Lanes>(from: Strided<*const L::Elem>, rows: usize, columns: usize, to: *mut L::Elem)
}

#[inline(always)]
unsafe fn columns_to_lanes_body<L: Lanes>(
    from: Strided<*const L::Elem>,
    rows: usize,
    columns: usize,
    to: *mut L::Elem,
) {
    for i in 0..rows {
        // SAFETY: by the contract of `columns_to_lanes`.
        unsafe {
            let numbers = Numbers::<L>::load_apart(from.first.add(i * from.stride), columns);
            numbers.store(to.add(i * Numbers::<L>::ELEMENTS));
        }
    }
}

for_lanes! {
    /// Writes what `columns_to_lanes` reads.
    ///
    /// # Safety
    /// As for `columns_to_lanes`, with the rows writable.
    unsafe fn lanes_to_columns = lanes_to_columns_body<L: Lanes>(from: *const L::Elem, rows: usize, columns: usize, to: Strided<*mut L::Elem>)
}

#[inline(always)]
unsafe fn lanes_to_columns_body<L: Lanes>(
    from: *const L::Elem,
    rows: usize,
    columns: usize,
    to: Strided<*mut L::Elem>,
) {
    for i in 0..rows {
        // SAFETY: by the contract of `lanes_to_columns`.
        unsafe {
            let numbers = Numbers::<L>::load(from.add(i * Numbers::<L>::ELEMENTS));
            numbers.store_apart(to.first.add(i * to.stride), columns);
        }
    }
}

/// Reads rows, one for each lane; of two elements the first is a real part.
///
/// # Safety
/// The CPU has the features of `L`.
///
/// Panics: where a slice is too short for the rows.
pub(super) unsafe fn read_rows<L: Lanes<Elem: Real>>(
    tile: &mut Tile<L::Elem>,
    from: &[L::Elem],
    stride: usize,
    (rows, elements): (usize, usize),
) {
    let numbers = tile.numbers();
    assert!(rows <= L::N && elements * L::N <= numbers.len());
    assert!(rows > 0 && (rows - 1) * stride + elements <= from.len());
    let from = Strided { first: from.as_ptr(), stride };
    // SAFETY: by this function's contract; rows and room as just checked.
    unsafe { rows_to_lanes::<L>(from, rows, elements, numbers.as_mut_ptr()) }
}

/// Writes rows, one from each lane.
///
/// # Safety
/// The CPU has the features of `L`.
///
/// Panics: where a slice is too short for the rows.
pub(super) unsafe fn write_rows<L: Lanes<Elem: Real>>(
    tile: &mut Tile<L::Elem>,
    to: &mut [L::Elem],
    stride: usize,
    (rows, elements): (usize, usize),
) {
    let numbers = tile.numbers();
    assert!(rows <= L::N && elements * L::N <= numbers.len());
    assert!(rows > 0 && (rows - 1) * stride + elements <= to.len());
    let to = Strided { first: to.as_mut_ptr(), stride };
    // SAFETY: by this function's contract; rows and room as just checked.
    unsafe { lanes_to_rows::<L>(numbers.as_ptr(), rows, elements, to) }
}

/// Reads columns of complex numbers, one for each lane.
///
/// # Safety
/// The CPU has the features of `L`; `rows` rows of `columns` complex numbers are readable.
///
/// Panics: where the tile is too small.
pub(super) unsafe fn read_columns<L: Lanes<Elem: Real>>(
    tile: &mut Tile<L::Elem>,
    from: Strided<*const L::Elem>,
    (rows, columns): (usize, usize),
) {
    let numbers = tile.numbers();
    assert!(columns <= L::N && rows * Numbers::<L>::ELEMENTS <= numbers.len());
    // SAFETY: by this function's contract; the room as just checked.
    unsafe { columns_to_lanes::<L>(from, rows, columns, numbers.as_mut_ptr()) }
}

/// Writes columns of complex numbers, one from each lane.
///
/// # Safety
/// The CPU has the features of `L`; `rows` rows of `columns` complex numbers are writable.
///
/// Panics: where the tile is too small.
pub(super) unsafe fn write_columns<L: Lanes<Elem: Real>>(
    tile: &mut Tile<L::Elem>,
    to: Strided<*mut L::Elem>,
    (rows, columns): (usize, usize),
) {
    let numbers = tile.numbers();
    assert!(columns <= L::N && rows * Numbers::<L>::ELEMENTS <= numbers.len());
    // SAFETY: by this function's contract; the numbers as just checked.
    unsafe { lanes_to_columns::<L>(numbers.as_ptr(), rows, columns, to) }
}

for_lanes! {
    /// Returns true if all elements are finite.
    ///
    /// # Safety
    /// The CPU has the features of `L`.
    unsafe fn are_finite = are_finite_body<L: Lanes>(numbers: &[L::Elem]) -> bool
}

#[inline(always)]
unsafe fn are_finite_body<L: Lanes>(numbers: &[L::Elem]) -> bool {
    // SAFETY: by the contract of `are_finite`; each chunk has N elements.
    unsafe {
        let mut rest = L::zero();
        for at in numbers.chunks_exact(L::N) {
            let x = L::load(at.as_ptr());
            // Zero for finite numbers, and NaN for others.
            rest = rest.add(x.sub(x));
        }
        rest.is_zero()
    }
}

for_lanes! {
    /// Multiplies all elements by a factor.
    ///
    /// # Safety
    /// The CPU has the features of `L`.
    unsafe fn multiply_parts = multiply_parts_body<L: Lanes>(numbers: &mut [L::Elem], factor: &L::Elem)
}

#[inline(always)]
unsafe fn multiply_parts_body<L: Lanes>(numbers: &mut [L::Elem], factor: &L::Elem) {
    // SAFETY: by the contract of `multiply_parts`; each chunk has N elements.
    unsafe {
        let factor = L::splat(factor);
        for at in numbers.chunks_exact_mut(L::N) {
            L::load(at.as_ptr()).mul(factor).store(at.as_mut_ptr());
        }
    }
}

for_lanes! {
    /// Multiplies by the complex number (factor, 0).
    ///
    /// # Safety
    /// The CPU has the features of `L`.
    unsafe fn scale_numbers = scale_body<L: Lanes>(numbers: &mut [L::Elem], factor: &L::Elem)
}

#[inline(always)]
unsafe fn scale_body<L: Lanes>(numbers: &mut [L::Elem], factor: &L::Elem) {
    // SAFETY: by the contract of `scale_numbers`; each chunk has a number's elements.
    unsafe {
        let (factor, zero) = (L::splat(factor), L::zero());
        for at in numbers.chunks_exact_mut(Numbers::<L>::ELEMENTS) {
            let x = Numbers::<L>::load(at.as_ptr());
            let (product, zeros) = (x.scale(factor), x.scale(zero));
            let product = Numbers { re: product.re.sub(zeros.im), im: zeros.re.add(product.im) };
            product.store(at.as_mut_ptr());
        }
    }
}

/// Multiplies real and imaginary parts by a factor.
///
/// # Safety
/// The CPU has the features of `L`.
pub(super) unsafe fn scale_parts<L: Lanes<Elem: Real>>(tile: &mut Tile<L::Elem>, factor: L::Elem) {
    // SAFETY: by this function's contract.
    unsafe { multiply_parts::<L>(tile.numbers(), &factor) }
}

/// Multiplies by the complex number (factor, 0), as C multiplies complex numbers: an infinity stays one beside a NaN.
///
/// # Safety
/// The CPU has the features of `L`.
pub(super) unsafe fn scale<L: Lanes<Elem: Real>>(tile: &mut Tile<L::Elem>, factor: L::Elem) {
    let numbers = tile.numbers();
    // SAFETY: by this function's contract.
    if unsafe { are_finite::<L>(numbers) } {
        // SAFETY: as above.
        return unsafe { scale_numbers::<L>(numbers, &factor) };
    }
    for number in numbers.chunks_exact_mut(Numbers::<L>::ELEMENTS) {
        for lane in 0..L::N {
            let product = scaled(Complex::new(number[lane], number[L::N + lane]), factor);
            (number[lane], number[L::N + lane]) = (product.re, product.im);
        }
    }
}
