//! Elementwise functions of tensors: shapes, broadcasting, reuse of memory and threads around the loops of `vector`.

mod binary;
mod blocks;
mod broadcast;
mod cast;
mod grain;
mod layout;
mod map;
mod masks;
mod program;
mod program_shapes;
mod ranges;
mod scalars;
mod stretched;

pub use binary::{binary, compare};
pub use broadcast::{Broadcast, Inputs, Terms};
pub use cast::cast;
pub use map::unary;
pub use program::{Instruction, Program, StretchedShape, Value};
pub use program_shapes::Misfit;
pub use ranges::Ranges;
pub use scalars::{Function, Register, Scalars, load};
