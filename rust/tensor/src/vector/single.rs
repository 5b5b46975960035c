//! `Single`: a function of single elements, looked up once: what programs on scalars are made of.

use super::binary::Binary;
use super::compare::{Comparable, Compare};
use super::convert::CastTo;
use super::element::Element;
use super::isa::Isa;
use super::logical::Logical;
use super::unary::Unary;

/// A type whose elements fit a register of 64 bits, of which each uses the lowest.
pub trait Word: Copy + 'static {
    fn to_bits(self) -> u64;
    fn from_bits(bits: u64) -> Self;
}

/// A number with functions on registers.
pub trait Number: Word + Element + PartialOrd {
    #[doc(hidden)]
    fn of_one(f: unsafe fn(Self) -> Self) -> Single;
    #[doc(hidden)]
    fn of_two(f: unsafe fn(Self, Self) -> Self) -> Single;
    /// Returns `of_two` for a function that has no result where its second argument is refused.
    #[doc(hidden)]
    fn of_some(f: unsafe fn(Self, Self) -> Self, refused: fn(Self) -> bool) -> Single;
}

/// A function of up to three elements of certain types, as this machine computes it.
#[derive(Clone, Copy)]
pub struct Single(Code);

type One<T> = unsafe fn(T) -> T;
type Pair<T> = unsafe fn(T, T) -> T;

#[derive(Clone, Copy)]
enum Code {
    // The instructions that count iterations have no call. Floats need one: the NaN that a sum of two gives depends on
    // the code that adds them.
    AddI32,
    AddI64,
    LessI32,
    UnaryF32(One<f32>),
    UnaryF64(One<f64>),
    UnaryI32(One<i32>),
    UnaryI64(One<i64>),
    BinaryF32(Pair<f32>),
    BinaryF64(Pair<f64>),
    BinaryI32(Pair<i32>),
    BinaryI64(Pair<i64>),
    PartialI32(Pair<i32>, fn(i32) -> bool),
    PartialI64(Pair<i64>, fn(i64) -> bool),
    /// Comparisons, connectives and conversions.
    Bits(fn(u64, u64) -> u64),
    Select,
}

macro_rules! words {
    ($($t:ty: $v:ident => $to:expr, $bits:ident => $from:expr;)*) => {$(
        impl Word for $t {
            #[inline(always)]
            fn to_bits(self) -> u64 {
                let $v = self;
                $to
            }
            #[inline(always)]
            fn from_bits($bits: u64) -> $t {
                $from
            }
        }
    )*};
}

words! {
    f32: v => <f32>::to_bits(v).into(), bits => <f32>::from_bits(bits as u32);
    f64: v => <f64>::to_bits(v), bits => <f64>::from_bits(bits);
    i32: v => (v as u32).into(), bits => bits as i32;
    i64: v => v as u64, bits => bits as i64;
    bool: v => v.into(), bits => bits != 0;
}

macro_rules! numbers {
    ($($t:ty: $one:ident, $two:ident, $some:expr;)*) => {$(
        impl Number for $t {
            fn of_one(f: One<$t>) -> Single {
                Single(Code::$one(f))
            }
            fn of_two(f: Pair<$t>) -> Single {
                Single(Code::$two(f))
            }
            fn of_some(f: Pair<$t>, refused: fn($t) -> bool) -> Single {
                Single($some(f, refused))
            }
        }
    )*};
}

numbers! {
    // Floats divide by zero.
    f32: UnaryF32, BinaryF32, |f, _| Code::BinaryF32(f);
    f64: UnaryF64, BinaryF64, |f, _| Code::BinaryF64(f);
    i32: UnaryI32, BinaryI32, Code::PartialI32;
    i64: UnaryI64, BinaryI64, Code::PartialI64;
}

fn compare_bits<T: Word + Comparable, const F: u8>(a: u64, b: u64) -> u64 {
    let (a, b) = (T::from_bits(a), T::from_bits(b));
    u64::from(match F {
        0 => T::equal(a, b),
        1 => !T::equal(a, b),
        2 => T::less(a, b),
        _ => T::less_equal(a, b),
    })
}

impl Single {
    pub fn unary<T: Number>(f: Unary) -> Option<Single> {
        T::unary_one(f, Isa::current()).map(T::of_one)
    }

    /// Returns a function of two numbers; integer divisions and powers have no result for some of them.
    pub fn binary<T: Number>(f: Binary) -> Option<Single> {
        use Binary::*;
        let one = T::binary_one(f, Isa::current())?;
        let single = match f {
            Div | FloorDiv | TruncateDiv | FloorMod | TruncateMod => T::of_some(one, |b| b == T::default()),
            Pow => T::of_some(one, |b| b < T::default()),
            _ => T::of_two(one),
        };
        Some(Single(match (f, single.0) {
            (Add, Code::BinaryI32(_)) => Code::AddI32,
            (Add, Code::BinaryI64(_)) => Code::AddI64,
            (_, code) => code,
        }))
    }

    /// Returns a comparison of two numbers of one type, which gives a boolean.
    pub fn compare<T: Word + Comparable>(f: Compare) -> Single {
        let greater: fn(u64, u64) -> u64 = |a, b| compare_bits::<T, 2>(b, a);
        let greater_equal: fn(u64, u64) -> u64 = |a, b| compare_bits::<T, 3>(b, a);
        Single(match f {
            Compare::Less if std::any::TypeId::of::<T>() == std::any::TypeId::of::<i32>() => Code::LessI32,
            Compare::Equal => Code::Bits(compare_bits::<T, 0>),
            Compare::NotEqual => Code::Bits(compare_bits::<T, 1>),
            Compare::Less => Code::Bits(compare_bits::<T, 2>),
            Compare::LessEqual => Code::Bits(compare_bits::<T, 3>),
            Compare::Greater => Code::Bits(greater),
            Compare::GreaterEqual => Code::Bits(greater_equal),
        })
    }

    pub fn cast<S: Word + CastTo<D>, D: Word>() -> Single {
        Single(Code::Bits(|a, _| D::to_bits(S::from_bits(a).cast_to())))
    }

    /// Returns a connective of two booleans.
    pub fn logical(f: Logical) -> Single {
        Single(Code::Bits(match f {
            Logical::And => |a, b| a & b,
            Logical::Or => |a, b| a | b,
        }))
    }

    /// Returns the negation of one boolean.
    pub fn not() -> Single {
        Single(Code::Bits(|a, _| a ^ 1))
    }

    /// Returns the second argument where the first, a boolean, holds, else the third.
    pub fn select() -> Single {
        Single(Code::Select)
    }

    /// Returns the result; `None` where an integer is divided by zero or raised to a negative power. Arguments that the
    /// function does not have are not read.
    #[inline(always)]
    pub fn call(self, a: u64, b: u64, c: u64) -> Option<u64> {
        #[inline(always)]
        fn two<T: Word>(a: u64, b: u64) -> (T, T) {
            (T::from_bits(a), T::from_bits(b))
        }
        // SAFETY: the functions were looked up for the instruction set of this machine.
        Some(unsafe {
            match self.0 {
                Code::AddI32 => (a as i32).wrapping_add(b as i32) as u32 as u64,
                Code::AddI64 => a.wrapping_add(b),
                Code::LessI32 => u64::from((a as i32) < b as i32),
                Code::UnaryF32(f) => Word::to_bits(f(Word::from_bits(a))),
                Code::UnaryF64(f) => Word::to_bits(f(Word::from_bits(a))),
                Code::UnaryI32(f) => Word::to_bits(f(Word::from_bits(a))),
                Code::UnaryI64(f) => Word::to_bits(f(Word::from_bits(a))),
                Code::BinaryF32(f) => {
                    let (a, b) = two(a, b);
                    Word::to_bits(f(a, b))
                }
                Code::BinaryF64(f) => {
                    let (a, b) = two(a, b);
                    Word::to_bits(f(a, b))
                }
                Code::BinaryI32(f) => {
                    let (a, b) = two(a, b);
                    Word::to_bits(f(a, b))
                }
                Code::BinaryI64(f) => {
                    let (a, b) = two(a, b);
                    Word::to_bits(f(a, b))
                }
                Code::PartialI32(f, refused) => {
                    let (a, b) = two(a, b);
                    if refused(b) {
                        return None;
                    }
                    Word::to_bits(f(a, b))
                }
                Code::PartialI64(f, refused) => {
                    let (a, b) = two(a, b);
                    if refused(b) {
                        return None;
                    }
                    Word::to_bits(f(a, b))
                }
                Code::Bits(f) => f(a, b),
                Code::Select => {
                    if a != 0 {
                        b
                    } else {
                        c
                    }
                }
            }
        })
    }
}
