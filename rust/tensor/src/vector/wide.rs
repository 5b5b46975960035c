//! The types that floats are computed in: 16-bit floats in f32, the others in themselves.

use super::scalar::Elementary;
use super::{Element, Reducible};
use crate::{Scalar, bf16, f16};

/// A float, which is computed in `In`.
pub trait Wide: Scalar + Element {
    /// The type that it is computed in.
    type In: Elementary + Scalar + Reducible;
    /// Returns the value in the type that it is computed in.
    fn widen(self) -> Self::In;
    /// Returns the nearest value of its own type.
    fn narrow(x: Self::In) -> Self;
    /// Returns the value of a float attribute, as TensorFlow casts it: to the element type first.
    fn of_attr(x: f32) -> Self::In;
}

macro_rules! native {
    ($($t:ty),*) => {$(
        impl Wide for $t {
            type In = $t;
            #[inline(always)]
            fn widen(self) -> $t {
                self
            }
            #[inline(always)]
            fn narrow(x: $t) -> $t {
                x
            }
            fn of_attr(x: f32) -> $t {
                x.into()
            }
        }
    )*};
}
native!(f32, f64);

macro_rules! half {
    ($($t:ty),*) => {$(
        impl Wide for $t {
            type In = f32;
            #[inline(always)]
            fn widen(self) -> f32 {
                self.to_f32()
            }
            #[inline(always)]
            fn narrow(x: f32) -> $t {
                <$t>::from_f32(x)
            }
            fn of_attr(x: f32) -> f32 {
                <$t>::from_f32(x).to_f32()
            }
        }
    )*};
}
half!(f16, bf16);
