//! Pooling: the largest element and the mean of each window of images and volumes, and their gradients.
//!
//! Everything is made of patches: runs of windows of one shape. A gradient is cut into stripes, each of which one task
//! makes from all windows that reach into it. That of means, and of all that equal the largest, is itself a pooling of
//! what was made of each line of results. Work is split by shape only, so that results have equal bits at any number of
//! threads.

mod element;
mod gradient;
mod kept;
mod patches;
mod reduction;
mod transposed;
mod windows;

#[cfg(test)]
mod tests;

pub use element::{Averaged, Pooled};
pub use gradient::{every_max_gradient, max_gradient, mean_gradient};
pub use patches::{Member, Patches, first_max_of, max_of, mean_of};
pub use reduction::{at_first_max, max, mean};
pub use windows::{Axis, Windows};
