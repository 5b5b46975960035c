//! TensorFlow's random streams, bit for bit: the generator, the distributions, and how far each op's stream advances per run.
//!
//! An op holds one [`Philox`]. A run calls [`Philox::reserve`] with the op's `blocks_per_run` and draws from the
//! returned base. Every value is a pure function of that base and its place in the output, so the number of threads
//! never shows.
//!
//! The bits of normals, gammas and logarithmic candidates come from `std`'s `ln`, `sin`, `cos`, `exp`: on Linux with
//! glibc these are the functions TensorFlow calls. Other platforms may differ in the last places.

pub mod candidate;
pub mod convert;
pub mod fill;
pub mod gamma;
mod generator;
pub mod multinomial;
mod pairs;
pub mod poisson;
pub mod shuffle;
pub mod stateless;

pub use generator::{Philox, Words};
