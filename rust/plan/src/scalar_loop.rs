//! `ScalarLoop`: a loop that computes with scalars alone, as a program on registers, whose iterations make no tensors.
//!
//! It stands beside the loop's plan, made from the same draft. The plan runs if the program cannot: for inputs that are
//! no scalars, and in a traced step. It also runs from the iteration on in which a function has no result, such as an
//! integer divided by zero. The plan then reports the error.

use ferroflow_tensor::elementwise::{Register, Scalars};
use std::ops::Range;

pub struct ScalarLoop {
    pub program: Scalars,
    /// The steps that run before the condition is known, those where the loop goes on, and those where it is left.
    pub head: Range<usize>,
    pub body: Range<usize>,
    pub tail: Range<usize>,
    pub condition: Register,
    /// The value of the condition with which the loop goes on.
    pub stays_if: bool,
    /// Inputs of the loop that the program reads, by their number.
    pub inputs: Vec<(usize, Register)>,
    pub carried: Vec<Carried>,
    pub exits: Vec<Register>,
    /// If True, the graph shows that all inputs that are read are scalars.
    pub is_certain: bool,
}

/// A loop variable.
pub struct Carried {
    /// Its number among the inputs.
    pub input: usize,
    pub register: Register,
    pub next: Register,
}
