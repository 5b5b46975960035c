//! Loops that apply a function of two elements to slices, for each instruction set.

use super::exp_log::{cube_f32, square_f32};
use super::isa::{Isa, for_each_isa};

/// One argument of a function: an element for each output, or one for all.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a, T> {
    Slice(&'a [T]),
    Scalar(T),
}

impl<'a, T: Copy> Operand<'a, T> {
    /// Returns the operand of the first output.
    #[inline]
    fn first(self) -> T {
        match self {
            Operand::Slice(s) => s[0],
            Operand::Scalar(v) => v,
        }
    }

    /// Returns the operand of `length` outputs from `start`.
    pub(crate) fn part(self, start: usize, length: usize) -> Operand<'a, T> {
        match self {
            Operand::Slice(s) => Operand::Slice(&s[start..start + length]),
            Operand::Scalar(_) => self,
        }
    }

    pub(super) fn assert_length(&self, length: usize) {
        if let Operand::Slice(s) = self {
            assert_eq!(s.len(), length, "operand and output lengths differ");
        }
    }
}

pub(super) trait Formula<T> {
    fn of(a: T, b: T) -> T;
}

#[inline(always)]
fn zip_left<T: Copy, F: Formula<T>>(a: &mut [T], b: &[T]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a = F::of(*a, *b);
    }
}

#[inline(always)]
fn zip_right<T: Copy, F: Formula<T>>(a: &[T], b: &mut [T]) {
    for (b, a) in b.iter_mut().zip(a) {
        *b = F::of(*a, *b);
    }
}

#[inline(always)]
fn zip_into<T: Copy, F: Formula<T>>(a: &[T], b: &[T], out: &mut [T]) {
    for ((o, a), b) in out.iter_mut().zip(a).zip(b) {
        *o = F::of(*a, *b);
    }
}

#[inline(always)]
fn pair<T: Copy, F: Formula<T>>(a: T, b: T) -> T {
    F::of(a, b)
}

/// Computes `zip_left` of a power; exponents are mostly one number for all, and that number 2 or 3.
#[inline(always)]
fn power_left<F: Formula<f32>>(a: &mut [f32], b: &[f32]) {
    let same = |y: f32| b.iter().fold(true, |same, b| same & (*b == y));
    match b.first() {
        Some(&2.0) if same(2.0) => zip_left::<f32, Square>(a, b),
        Some(&3.0) if same(3.0) => zip_left::<f32, Cube>(a, b),
        _ => zip_left::<f32, F>(a, b),
    }
}

struct Square;

impl Formula<f32> for Square {
    #[inline(always)]
    fn of(a: f32, _: f32) -> f32 {
        square_f32(a)
    }
}

struct Cube;

impl Formula<f32> for Cube {
    #[inline(always)]
    fn of(a: f32, _: f32) -> f32 {
        cube_f32(a)
    }
}

/// An integer type, whose powers wrap.
pub(super) trait Whole: Copy + Default + PartialOrd {
    const ONE: Self;
    fn times(self, other: Self) -> Self;
    fn half(self) -> Self;
    fn is_odd(self) -> bool;
}

macro_rules! whole {
    ($($t:ty)*) => {$(
        impl Whole for $t {
            const ONE: $t = 1;
            #[inline(always)]
            fn times(self, other: $t) -> $t { self.wrapping_mul(other) }
            #[inline(always)]
            fn half(self) -> $t { self >> 1 }
            #[inline(always)]
            fn is_odd(self) -> bool { self & 1 == 1 }
        }
    )*};
}
whole!(i8 i16 i32 i64 u8 u16 u32 u64);

/// Powers that are computed side by side, with as many steps as the largest of their exponents has bits.
const POWERS: usize = 16;

/// Computes `zip_left` of a power of integers.
#[inline(always)]
fn whole_power_left<T: Whole, F: Formula<T>>(a: &mut [T], b: &[T]) {
    let (a, rest_of_a) = a.as_chunks_mut::<POWERS>();
    let (b, rest_of_b) = b.as_chunks::<POWERS>();
    for (a, b) in a.iter_mut().zip(b) {
        if b.iter().fold(false, |found, b| found | (*b < T::default())) {
            zip_left::<T, F>(a, b);
            continue;
        }
        let (mut base, mut exponent, mut value) = (*a, *b, [T::ONE; POWERS]);
        while exponent.iter().fold(false, |more, e| more | (*e != T::default())) {
            for ((value, base), exponent) in value.iter_mut().zip(&mut base).zip(&mut exponent) {
                *value = if exponent.is_odd() { value.times(*base) } else { *value };
                *base = base.times(*base);
                *exponent = exponent.half();
            }
        }
        *a = value;
    }
    zip_left::<T, F>(rest_of_a, rest_of_b);
}

for_each_isa!(pick_whole_power = whole_power_left<T: Whole, F: Formula<T>>(a: &mut [T], b: &[T]));
for_each_isa!(pick_power = power_left<F: Formula<f32>>(a: &mut [f32], b: &[f32]));
for_each_isa!(pick_one = pair<T: Copy, F: Formula<T>>(a: T, b: T) -> T);
for_each_isa!(pick_left = zip_left<T: Copy, F: Formula<T>>(a: &mut [T], b: &[T]));
for_each_isa!(pick_right = zip_right<T: Copy, F: Formula<T>>(a: &[T], b: &mut [T]));
for_each_isa!(pick_into = zip_into<T: Copy, F: Formula<T>>(a: &[T], b: &[T], out: &mut [T]));

type RightLoop<T> = unsafe fn(&[T], &mut [T]);
type IntoLoop<T> = unsafe fn(&[T], &[T], &mut [T]);

/// The loops of one function for one element type and instruction set.
///
/// There is none for a scalar operand: it is spread over a block that stays in L1, where a second load is free.
#[derive(Clone, Copy)]
pub(super) struct BinaryKernel<T> {
    /// One pair without a loop, for scalar graphs.
    pub(super) one: unsafe fn(T, T) -> T,
    left: unsafe fn(&mut [T], &[T]),
    right: Option<RightLoop<T>>,
    into: Option<IntoLoop<T>>,
}

/// Elements handled at a time where one operand is copied or spread first.
const BLOCK: usize = 512;

impl<T: Copy + Default> BinaryKernel<T> {
    pub(super) const fn light<F: Formula<T>>(isa: Isa) -> Self {
        BinaryKernel {
            one: pick_one::<T, F>(isa),
            left: pick_left::<T, F>(isa),
            right: Some(pick_right::<T, F>(isa)),
            into: Some(pick_into::<T, F>(isa)),
        }
    }

    pub(super) const fn heavy<F: Formula<T>>(isa: Isa) -> Self {
        BinaryKernel { one: pick_one::<T, F>(isa), left: pick_left::<T, F>(isa), right: None, into: None }
    }

    /// Returns a formula that does not vectorize: one loop serves every instruction set.
    pub(super) const fn scalar<F: Formula<T>>(_isa: Isa) -> Self {
        BinaryKernel { one: pair::<T, F>, left: zip_left::<T, F>, right: None, into: None }
    }

    #[inline]
    fn slices_left(&self, a: &mut [T], b: &[T]) {
        // SAFETY: an `Isa` exists only for what this machine has.
        unsafe { (self.left)(a, b) }
    }

    #[inline]
    fn slices_right(&self, a: &[T], b: &mut [T]) {
        match self.right {
            // SAFETY: an `Isa` exists only for what this machine has.
            Some(right) => unsafe { right(a, b) },
            None => {
                let mut copy = [T::default(); BLOCK];
                for (a, b) in a.chunks(BLOCK).zip(b.chunks_mut(BLOCK)) {
                    let copy = &mut copy[..a.len()];
                    copy.copy_from_slice(a);
                    self.slices_left(copy, b);
                    b.copy_from_slice(copy);
                }
            }
        }
    }

    #[inline]
    fn slices_into(&self, a: &[T], b: &[T], out: &mut [T]) {
        match self.into {
            // SAFETY: an `Isa` exists only for what this machine has.
            Some(into) => unsafe { into(a, b, out) },
            None => {
                for ((a, b), out) in a.chunks(BLOCK).zip(b.chunks(BLOCK)).zip(out.chunks_mut(BLOCK)) {
                    out.copy_from_slice(a);
                    self.slices_left(out, b);
                }
            }
        }
    }

    #[inline]
    fn pair(&self, a: T, b: T) -> T {
        // SAFETY: an `Isa` exists only for what this machine has.
        unsafe { (self.one)(a, b) }
    }

    pub(super) fn run_left(&self, a: &mut [T], b: Operand<T>) {
        if let [a] = a {
            *a = self.pair(*a, b.first());
            return;
        }
        match b {
            Operand::Slice(b) => self.slices_left(a, b),
            Operand::Scalar(b) => with_spread(b, a.len(), |b| {
                for a in a.chunks_mut(b.len()) {
                    self.slices_left(a, &b[..a.len()]);
                }
            }),
        }
    }

    pub(super) fn run_right(&self, a: Operand<T>, b: &mut [T]) {
        if let [b] = b {
            *b = self.pair(a.first(), *b);
            return;
        }
        match a {
            Operand::Slice(a) => self.slices_right(a, b),
            Operand::Scalar(a) => with_spread(a, b.len(), |a| {
                for b in b.chunks_mut(a.len()) {
                    self.slices_right(&a[..b.len()], b);
                }
            }),
        }
    }

    pub(super) fn run_into(&self, a: Operand<T>, b: Operand<T>, out: &mut [T]) {
        if let [out] = out {
            *out = self.pair(a.first(), b.first());
            return;
        }
        match (a, b) {
            (Operand::Slice(a), Operand::Slice(b)) => self.slices_into(a, b, out),
            (Operand::Slice(a), Operand::Scalar(b)) => with_spread(b, out.len(), |b| {
                for (a, out) in a.chunks(b.len()).zip(out.chunks_mut(b.len())) {
                    self.slices_into(a, &b[..a.len()], out);
                }
            }),
            (Operand::Scalar(a), Operand::Slice(b)) => with_spread(a, out.len(), |a| {
                for (b, out) in b.chunks(a.len()).zip(out.chunks_mut(a.len())) {
                    self.slices_into(&a[..b.len()], b, out);
                }
            }),
            (Operand::Scalar(a), Operand::Scalar(b)) => out.fill(self.pair(a, b)),
        }
    }
}

impl BinaryKernel<f32> {
    pub(super) const fn power<F: Formula<f32>>(isa: Isa) -> Self {
        BinaryKernel { one: pick_one::<f32, F>(isa), left: pick_power::<F>(isa), right: None, into: None }
    }
}

impl<T: Whole> BinaryKernel<T> {
    pub(super) const fn whole_power<F: Formula<T>>(isa: Isa) -> Self {
        BinaryKernel { one: pair::<T, F>, left: pick_whole_power::<T, F>(isa), right: None, into: None }
    }
}

/// Calls `body` with a block filled with `value`, no longer than is useful for `length` elements.
#[inline]
pub(super) fn with_spread<T: Copy>(value: T, length: usize, body: impl FnOnce(&[T])) {
    if length <= 8 {
        body(&[value; 8])
    } else if length <= 64 {
        body(&[value; 64])
    } else {
        body(&[value; BLOCK])
    }
}
