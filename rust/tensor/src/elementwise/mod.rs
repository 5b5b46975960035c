//! Elementwise functions of tensors: shapes, broadcasting, reuse of memory and threads around the loops of `vector`.

mod binary;
mod broadcast;
mod cast;
mod grain;
mod map;

pub use binary::{binary, compare};
pub use broadcast::{Broadcast, Inputs, Terms};
pub use cast::cast;
pub use map::unary;
