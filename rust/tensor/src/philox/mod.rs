//! TensorFlow's random streams, bit for bit: the generator, the distributions, and how far each op's stream advances per run.
//!
//! An op holds one [`Philox`]. A run calls [`Philox::reserve`] with the op's `blocks_per_run` and draws from the
//! returned base. Every value is a pure function of that base and its place in the output, so the number of threads
//! never shows.
//!
//! Float32 normals have the bits of glibc's `logf`, `sinf` and `cosf` on every machine. Draws in float64 (normals, gammas,
//! Poisson numbers, logarithmic candidates, classes) call `std`'s `ln`, `sin`, `cos` and `exp`. On Linux with glibc,
//! TensorFlow calls the same functions. Other C libraries may differ in the last place.

#![expect(
    clippy::disallowed_methods,
    reason = "TensorFlow takes them from the C library, too, and its bits are promised"
)]

mod box_muller;
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
pub mod truncated_normal;

pub use generator::{Philox, Words};
