//! `Tile`: some transforms of one length side by side, one in each lane.

use super::numbers::Numbers;
use super::passes::run_pass;
use super::plan::{Method, Plan};
use super::{Real, Scale};
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
    match (&plan.method, &plan.inner) {
        (Method::Passes(passes), _) => {
            for pass in passes {
                let (from, to) = tile.halves();
                // SAFETY: by this function's contract.
                unsafe { run_pass::<L>(pass, from, to) };
                tile.turn();
            }
        }
        (Method::Chirp(chirp), Some(inner)) => {
            let number = Numbers::<L>::ELEMENTS;
            // SAFETY: by this function's contract.
            unsafe {
                multiply::<L, false>(tile.numbers(), &chirp.factors);
                tile.numbers()[plan.n * number..].fill(L::Elem::default());
                transform::<L>(inner, tile);
                multiply::<L, true>(tile.numbers(), &chirp.kernel);
                transform::<L>(inner, tile);
                conjugate_and_multiply::<L>(tile.numbers(), &chirp.factors);
            }
        }
        (Method::Chirp(_), None) => unreachable!("a chirp has a convolution"),
    }
}

for_lanes! {
    /// # Safety
    /// The CPU has the features of `L`; `tile` has as many numbers as there are factors.
    unsafe fn multiply_numbers = multiply_body<L: Lanes, const CONJUGATE: bool>(tile: *mut L::Elem, factors: &[[L::Elem; 2]])
}

#[inline(always)]
unsafe fn multiply_body<L: Lanes, const CONJUGATE: bool>(tile: *mut L::Elem, factors: &[[L::Elem; 2]]) {
    for (i, factor) in factors.iter().enumerate() {
        // SAFETY: by the contract of `multiply_numbers`.
        unsafe {
            let at = tile.add(i * Numbers::<L>::ELEMENTS);
            let product = Numbers::<L>::load(at).mul(Numbers::splat(factor));
            (if CONJUGATE { product.conj() } else { product }).store(at);
        }
    }
}

/// Multiplies each number by its factor; with `CONJUGATE` the conjugate of the product is kept.
///
/// # Safety
/// The CPU has the features of `L`.
unsafe fn multiply<L: Lanes, const CONJUGATE: bool>(tile: &mut [L::Elem], factors: &[[L::Elem; 2]]) {
    let factors = &factors[..factors.len().min(tile.len() / Numbers::<L>::ELEMENTS)];
    // SAFETY: by this function's contract, and there are no more factors than numbers.
    unsafe { multiply_numbers::<L, CONJUGATE>(tile.as_mut_ptr(), factors) }
}

for_lanes! {
    /// # Safety
    /// As for `multiply_numbers`.
    unsafe fn conjugate_numbers = conjugate_body<L: Lanes>(tile: *mut L::Elem, factors: &[[L::Elem; 2]])
}

#[inline(always)]
unsafe fn conjugate_body<L: Lanes>(tile: *mut L::Elem, factors: &[[L::Elem; 2]]) {
    for (i, factor) in factors.iter().enumerate() {
        // SAFETY: by the contract of `conjugate_numbers`.
        unsafe {
            let at = tile.add(i * Numbers::<L>::ELEMENTS);
            Numbers::<L>::load(at).conj().mul(Numbers::splat(factor)).store(at);
        }
    }
}

/// Multiplies the conjugate of each number by its factor.
///
/// # Safety
/// The CPU has the features of `L`.
unsafe fn conjugate_and_multiply<L: Lanes>(tile: &mut [L::Elem], factors: &[[L::Elem; 2]]) {
    let factors = &factors[..factors.len().min(tile.len() / Numbers::<L>::ELEMENTS)];
    // SAFETY: as in `multiply`.
    unsafe { conjugate_numbers::<L>(tile.as_mut_ptr(), factors) }
}

/// Rows or columns in memory: the first element, and the elements from one row to the next.
#[derive(Clone, Copy)]
pub(super) struct Strided<P> {
    pub first: P,
    pub stride: usize,
}

for_lanes! {
    /// Reads `rows` rows of `elements` elements, a row for each lane; lanes without a row are zero. Element i of a row goes to
    /// its lane at `to + i * distance`.
    ///
    /// # Safety
    /// The CPU has the features of `L`; the rows are readable, at most N; `to` has room.
    unsafe fn rows_to_lanes = rows_to_lanes_body<L: Lanes>(from: Strided<*const L::Elem>, rows: usize, elements: usize, to: *mut L::Elem, distance: usize)
}

#[inline(always)]
unsafe fn rows_to_lanes_body<L: Lanes>(
    from: Strided<*const L::Elem>,
    rows: usize,
    elements: usize,
    to: *mut L::Elem,
    distance: usize,
) {
    for i in (0..elements).step_by(L::N) {
        let some = L::N.min(elements - i);
        // SAFETY: by the contract of `rows_to_lanes`.
        unsafe {
            L::transpose(from.first.add(i), from.stride, rows, some, to.add(i * distance), distance, L::first(L::N))
        };
    }
}

for_lanes! {
    /// Writes what `rows_to_lanes` reads.
    ///
    /// # Safety
    /// As for `rows_to_lanes`, with the rows writable.
    unsafe fn lanes_to_rows = lanes_to_rows_body<L: Lanes>(from: *const L::Elem, distance: usize, rows: usize, elements: usize, to: Strided<*mut L::Elem>)
}

#[inline(always)]
unsafe fn lanes_to_rows_body<L: Lanes>(
    from: *const L::Elem,
    distance: usize,
    rows: usize,
    elements: usize,
    to: Strided<*mut L::Elem>,
) {
    for i in (0..elements).step_by(L::N) {
        let some = L::N.min(elements - i);
        // SAFETY: by the contract of `lanes_to_rows`.
        unsafe {
            L::transpose(from.add(i * distance), distance, some, rows, to.first.add(i), to.stride, L::first(some))
        };
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

/// Elements of a row or of a tile's number that are real only, or complex.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Real,
    Complex,
}

/// Reads rows, one for each lane. Real elements are numbers whose imaginary parts are zero.
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
    kind: Kind,
) {
    let numbers = tile.numbers();
    let distance = if kind == Kind::Real { 2 * L::N } else { L::N };
    assert!(rows <= L::N && elements * distance <= numbers.len());
    assert!(rows > 0 && (rows - 1) * stride + elements <= from.len());
    if kind == Kind::Real {
        numbers[..elements * distance].fill(L::Elem::default());
    }
    let from = Strided { first: from.as_ptr(), stride };
    // SAFETY: by this function's contract; rows and room as just checked.
    unsafe { rows_to_lanes::<L>(from, rows, elements, numbers.as_mut_ptr(), distance) }
}

/// Writes rows, one from each lane; of real elements the real parts.
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
    kind: Kind,
) {
    let numbers = tile.numbers();
    let distance = if kind == Kind::Real { 2 * L::N } else { L::N };
    assert!(rows <= L::N && elements * distance <= numbers.len());
    assert!(rows > 0 && (rows - 1) * stride + elements <= to.len());
    let to = Strided { first: to.as_mut_ptr(), stride };
    // SAFETY: by this function's contract; rows and room as just checked.
    unsafe { lanes_to_rows::<L>(numbers.as_ptr(), distance, rows, elements, to) }
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
    /// Multiplies by a real factor; where `COMPLEX`, by the complex number (factor, 0).
    ///
    /// # Safety
    /// The CPU has the features of `L`.
    unsafe fn scale_numbers = scale_body<L: Lanes, const COMPLEX: bool>(numbers: &mut [L::Elem], factor: &L::Elem)
}

#[inline(always)]
unsafe fn scale_body<L: Lanes, const COMPLEX: bool>(numbers: &mut [L::Elem], factor: &L::Elem) {
    // SAFETY: by the contract of `scale_numbers`; each chunk has a number's elements.
    unsafe {
        let (factor, zero) = (L::splat(factor), L::zero());
        for at in numbers.chunks_exact_mut(Numbers::<L>::ELEMENTS) {
            let x = Numbers::<L>::load(at.as_ptr());
            let mut product = x.scale(factor);
            if COMPLEX {
                let zeros = x.scale(zero);
                product = Numbers { re: product.re.sub(zeros.im), im: zeros.re.add(product.im) };
            }
            product.store(at.as_mut_ptr());
        }
    }
}

/// Multiplies the first `n` numbers by a factor.
///
/// # Safety
/// The CPU has the features of `L`.
pub(super) unsafe fn scale<L: Lanes<Elem: Real>>(tile: &mut Tile<L::Elem>, n: usize, scale: Scale<L::Elem>) {
    let numbers = &mut tile.numbers()[..n * Numbers::<L>::ELEMENTS];
    // SAFETY: by this function's contract.
    unsafe {
        match scale {
            Scale::None => {}
            Scale::Real(factor) => scale_numbers::<L, false>(numbers, &factor),
            Scale::Complex(factor) if are_finite::<L>(numbers) => scale_numbers::<L, true>(numbers, &factor),
            Scale::Complex(factor) => {
                for number in numbers.chunks_exact_mut(Numbers::<L>::ELEMENTS) {
                    for lane in 0..L::N {
                        let product = super::scaled(Complex::new(number[lane], number[L::N + lane]), factor);
                        (number[lane], number[L::N + lane]) = (product.re, product.im);
                    }
                }
            }
        }
    }
}
