//! Elementwise functions of tensors: shapes, broadcasting, reuse of memory and threads around the loops of `vector`.

mod binary;
mod blocks;
mod broadcast;
mod cast;
mod grain;
mod map;
mod program;
mod scalars;

pub use binary::{binary, compare};
pub use broadcast::{Broadcast, Inputs, Terms};
pub use cast::cast;
pub use map::unary;
pub use program::{Instruction, Program, Value};
pub use scalars::{Function, Register, Scalars, load};
