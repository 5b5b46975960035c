//! The operations on each element of a product as it is stored: the addition of a bias per column, and an activation.

use std::ops::Add;

use num_traits::Zero;

use crate::status::{Result, Status};

/// The function applied last to each element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activation {
    /// The element itself.
    #[default]
    None,
    /// The element where it is not below zero, else zero; NaN and -0.0 stay as they are.
    Relu,
}

/// The end of a product: `activation(c + bias)`, with the very bits of doing the steps one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Epilogue<'a, T> {
    /// One value per column of the product, added to each row.
    pub bias: Option<&'a [T]>,
    /// Applied after the bias.
    pub activation: Activation,
}

impl Activation {
    /// Returns the activation of one value.
    #[inline]
    pub fn apply<T: PartialOrd + Zero>(self, value: T) -> T {
        match self {
            Activation::Relu if value < T::zero() => T::zero(),
            _ => value,
        }
    }
}

impl<T: Copy + Add<Output = T> + PartialOrd + Zero> Epilogue<'_, T> {
    pub(super) fn check(&self, cols: usize) -> Result<()> {
        match self.bias {
            Some(bias) if bias.len() != cols => Err(Status::invalid_argument(format!(
                "the product has {cols} columns, the bias {} elements",
                bias.len()
            ))),
            _ => Ok(()),
        }
    }

    /// Applies it to whole rows of a product with `cols` columns.
    pub(super) fn apply(&self, c: &mut [T], cols: usize) {
        for row in c.chunks_mut(cols.max(1)) {
            if let Some(bias) = self.bias {
                for (value, &shift) in row.iter_mut().zip(bias) {
                    *value = *value + shift;
                }
            }
            for value in row {
                *value = self.activation.apply(*value);
            }
        }
    }
}
