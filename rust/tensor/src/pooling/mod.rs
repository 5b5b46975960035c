//! Pooling: the largest element and the mean of each window of images and volumes, and their gradients.
//!
//! Every result is made from patches: runs of windows of one shape, whose elements lie in lines. A gradient is pooled too,
//! from what was made of each line of results: an element takes from all windows that it is in, in the order of their
//! positions. Work is split by shape only.

mod element;
mod gradient;
mod kept;
mod patches;
mod reduction;
mod turned;
mod windows;

#[cfg(test)]
mod tests;

pub use element::{Averaged, Pooled};
pub use gradient::{every_max_gradient, max_gradient, mean_gradient};
pub use patches::{Member, Patches, first_max_of, max_of, mean_of};
pub use reduction::{at_first_max, max, mean};
pub use windows::{Axis, Windows};
