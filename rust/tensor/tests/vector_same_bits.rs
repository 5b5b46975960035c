//! The law of equal bits: an elementwise result depends on the elements alone.
//!
//! It does not depend on the instruction set, the position, the length, the alignment, the split, or on being written
//! in place.

use ferroflow_tensor::vector::*;
use half::{bf16, f16};
use num_complex::Complex;

/// A small generator of test values; not a random stream of the library.
struct Weyl(u64);

impl Weyl {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 3
    }
}

trait Sample: Element {
    fn sample(weyl: &mut Weyl) -> Self;
    /// Returns the bits, with every NaN as one: which NaN comes out of two is not specified.
    fn bits(self) -> u128;
}

macro_rules! sample_float {
    ($($t:ident, $bits:ident: $special:expr;)*) => {$(
        impl Sample for $t {
            fn sample(weyl: &mut Weyl) -> $t {
                let r = weyl.next();
                let moderate = ((r >> 8) as f64 / (1u64 << 53) as f64 - 0.5) * 24.0;
                match r % 8 {
                    0 => $special[(r >> 8) as usize % $special.len()],
                    1 => $t::from_bits((weyl.next() << 3 | r >> 58) as $bits),
                    _ => moderate as $t,
                }
            }
            fn bits(self) -> u128 {
                if self.is_nan() { u128::MAX } else { self.to_bits() as u128 }
            }
        }
    )*};
}
sample_float! {
    f32, u32: [0.0f32, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, 1e-40, -1e-40, 0.5, 88.8];
    f64, u64: [0.0f64, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, 1e-310, 0.5, 709.9];
}

macro_rules! sample_half {
    ($($t:ident),*) => {$(
        impl Sample for $t {
            fn sample(weyl: &mut Weyl) -> $t { $t::from_f32(f32::sample(weyl)) }
            fn bits(self) -> u128 { if self.is_nan() { u128::MAX } else { self.to_bits() as u128 } }
        }
    )*};
}
sample_half!(f16, bf16);

macro_rules! sample_integer {
    ($($t:ident),*) => {$(
        impl Sample for $t {
            fn sample(weyl: &mut Weyl) -> $t {
                let r = weyl.next();
                match r % 8 {
                    0 => [$t::MIN, $t::MAX, 0, 1][(r >> 8) as usize % 4],
                    1..5 => ((r >> 8) % 15) as $t,
                    _ => (r >> 5) as $t,
                }
            }
            fn bits(self) -> u128 { self as u128 }
        }
    )*};
}
sample_integer!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! sample_complex {
    ($($t:ident),*) => {$(
        impl Sample for Complex<$t> {
            fn sample(weyl: &mut Weyl) -> Self { Complex::new($t::sample(weyl), $t::sample(weyl)) }
            fn bits(self) -> u128 { (self.re.bits() << 64) ^ self.im.bits() }
        }
    )*};
}
sample_complex!(f32, f64);

fn samples<T: Sample>(seed: u64, count: usize) -> Vec<T> {
    let mut weyl = Weyl(seed);
    (0..count).map(|_| T::sample(&mut weyl)).collect()
}

fn bits<T: Sample>(x: &[T]) -> Vec<u128> {
    x.iter().map(|v| v.bits()).collect()
}

const COUNT: usize = 3000;

fn unary_depends_on_elements_alone<T: Sample>() {
    let x = samples::<T>(1, COUNT);
    for f in Unary::ALL.into_iter().filter(|f| f.supports::<T>()) {
        let mut alone = vec![T::default(); COUNT];
        for (x, out) in x.chunks(1).zip(alone.chunks_mut(1)) {
            unary_with(Isa::BASELINE, f, x, out);
        }
        let expected = bits(&alone);
        for isa in Isa::available() {
            let mut out = vec![T::default(); COUNT];
            unary_with(isa, f, &x, &mut out);
            assert_eq!(bits(&out), expected, "{f:?} of {} on {isa:?}", std::any::type_name::<T>());
            for (x, out) in x.chunks(1).zip(out.chunks_mut(1)) {
                unary_with(isa, f, x, out);
            }
            assert_eq!(bits(&out), expected, "{f:?} of {}, one by one on {isa:?}", std::any::type_name::<T>());
            let mut in_place = x.clone();
            unary_in_place_with(isa, f, &mut in_place);
            assert_eq!(bits(&in_place), expected, "{f:?} of {} in place on {isa:?}", std::any::type_name::<T>());
            for split in [1, 5, 16, 17, 31, 63, 200, 2049] {
                let mut out = x.clone();
                let (left, right) = out.split_at_mut(split);
                unary_in_place_with(isa, f, left);
                unary_in_place_with(isa, f, right);
                assert_eq!(bits(&out), expected, "{f:?} of {} split at {split}", std::any::type_name::<T>());
            }
        }
    }
}

fn binary_depends_on_elements_alone<T: Sample>() {
    let (a, b) = (samples::<T>(2, COUNT), samples::<T>(3, COUNT));
    for f in Binary::ALL.into_iter().filter(|f| f.supports::<T>()) {
        let name = std::any::type_name::<T>();
        let mut alone = vec![T::default(); COUNT];
        for ((a, b), out) in a.chunks(1).zip(b.chunks(1)).zip(alone.chunks_mut(1)) {
            binary_with(Isa::BASELINE, f, Operand::Slice(a), Operand::Slice(b), out);
        }
        let expected = bits(&alone);
        for isa in Isa::available() {
            let mut out = vec![T::default(); COUNT];
            binary_with(isa, f, Operand::Slice(&a), Operand::Slice(&b), &mut out);
            assert_eq!(bits(&out), expected, "{f:?} of {name} on {isa:?}");
            for ((a, b), out) in a.chunks(1).zip(b.chunks(1)).zip(out.chunks_mut(1)) {
                binary_with(isa, f, Operand::Slice(a), Operand::Slice(b), out);
            }
            assert_eq!(bits(&out), expected, "{f:?} of {name}, one by one on {isa:?}");
            let mut left = a.clone();
            binary_in_place_left_with(isa, f, &mut left, Operand::Slice(&b));
            assert_eq!(bits(&left), expected, "{f:?} of {name} in place on the left on {isa:?}");
            let mut right = b.clone();
            binary_in_place_right_with(isa, f, Operand::Slice(&a), &mut right);
            assert_eq!(bits(&right), expected, "{f:?} of {name} in place on the right on {isa:?}");
            for length in [1usize, 7, 8, 9, 64, 65, 700] {
                let start = 1000;
                let part = start..start + length;
                let (s, many) = (a[start], vec![a[start]; length]);
                let mut expected = vec![T::default(); length];
                let mut out = vec![T::default(); length];
                binary_with(isa, f, Operand::Slice(&many), Operand::Slice(&b[part.clone()]), &mut expected);
                binary_with(isa, f, Operand::Scalar(s), Operand::Slice(&b[part.clone()]), &mut out);
                assert_eq!(bits(&out), bits(&expected), "{f:?} of {name}: scalar and {length}");
                let mut out = b[part.clone()].to_vec();
                binary_in_place_right_with(isa, f, Operand::Scalar(s), &mut out);
                assert_eq!(bits(&out), bits(&expected), "{f:?} of {name}: scalar and {length} in place");
                binary_with(isa, f, Operand::Slice(&b[part.clone()]), Operand::Slice(&many), &mut expected);
                let mut out = b[part].to_vec();
                binary_in_place_left_with(isa, f, &mut out, Operand::Scalar(s));
                assert_eq!(bits(&out), bits(&expected), "{f:?} of {name}: {length} in place and scalar");
            }
            let mut out = vec![T::default(); 9];
            binary_with(isa, f, Operand::Scalar(a[5]), Operand::Scalar(b[5]), &mut out);
            assert!(out.iter().all(|v| v.bits() == alone[5].bits()), "{f:?} of {name}: two scalars");
        }
    }
}

fn reductions_depend_on_elements_alone<T: Sample + Reducible>()
where
    T::Accumulator: Sample,
{
    let name = std::any::type_name::<T>();
    for length in [0usize, 1, 2, 15, 64, 65, 1000, 4096, 4097, 12_288, 30_001] {
        let x = samples::<T>(4, length);
        for f in Reduce::ALL.into_iter().filter(|f| f.supports::<T>()) {
            let expected = reduce_slice_wide_with(Isa::BASELINE, f, &x).bits();
            for isa in Isa::available() {
                assert_eq!(reduce_slice_wide_with(isa, f, &x).bits(), expected, "{f:?} of {length} {name} on {isa:?}");
            }
            if let Some(middle) = split_point(length) {
                let (left, right) = x.split_at(middle);
                let parts = combine::<T>(f, reduce_slice_wide(f, left), reduce_slice_wide(f, right));
                assert_eq!(parts.bits(), expected, "{f:?} of {length} {name} cut at its split point");
            }
            for n in [1usize, 2, 3, 8, 15, 16, 31, 33, SHORT_ROW].into_iter().filter(|n| *n <= length) {
                let rows = &x[..length - length % n];
                let expected: Vec<T> = rows.chunks(n).map(|row| reduce_slice(f, row)).collect();
                for isa in Isa::available() {
                    let mut out = vec![T::default(); rows.len() / n];
                    reduce_short_rows_with(isa, f, rows, n, &mut out);
                    assert_eq!(bits(&out), bits(&expected), "{f:?} of {name} rows of {n} on {isa:?}");
                }
            }
            for (height, columns) in [(1, 1), (2, 3), (7, 16), (8, 21), (LOW, 5), (13, 40)] {
                let size = height * columns;
                let x = &x[..length - length % size];
                let mut expected = vec![reduce_slice::<T>(f, &[]); x.len() / height];
                for (acc, rows) in expected.chunks_mut(columns).zip(x.chunks(size)) {
                    reduce_rows_into_with(Isa::BASELINE, f, acc, rows);
                }
                for isa in Isa::available() {
                    let mut out = vec![T::default(); expected.len()];
                    reduce_low_matrices_with(isa, f, x, (height, columns), &mut out);
                    assert_eq!(bits(&out), bits(&expected), "{f:?} of {name} matrices {height} x {columns} on {isa:?}");
                }
            }
            for columns in [1usize, 3, 10, 300] {
                let rows = &x[..length - length % columns];
                let mut expected = samples::<T>(5, columns);
                let start = expected.clone();
                reduce_rows_into_with(Isa::BASELINE, f, &mut expected, rows);
                for isa in Isa::available() {
                    let mut acc = start.clone();
                    reduce_rows_into_with(isa, f, &mut acc, rows);
                    assert_eq!(bits(&acc), bits(&expected), "{f:?} of {name} rows of {columns} on {isa:?}");
                }
            }
        }
    }
}

macro_rules! for_each_type {
    ($($module:ident: $t:ty;)*) => {$(
        mod $module {
            use super::*;

            #[test]
            fn unary() {
                unary_depends_on_elements_alone::<$t>();
            }

            #[test]
            fn binary() {
                binary_depends_on_elements_alone::<$t>();
            }

            #[test]
            fn reduce() {
                reductions_depend_on_elements_alone::<$t>();
            }
        }
    )*};
}

for_each_type! {
    of_f32: f32;
    of_f64: f64;
    of_i8: i8;
    of_i16: i16;
    of_i32: i32;
    of_i64: i64;
    of_u8: u8;
    of_u16: u16;
    of_u32: u32;
    of_u64: u64;
    of_f16: f16;
    of_bf16: bf16;
    of_complex64: Complex<f32>;
    of_complex128: Complex<f64>;
}
