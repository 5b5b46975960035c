//! The shapes of a program's values, and the part of it whose operands do not fit.

use super::program::{Instruction, Program};
use crate::shape::{Shape, broadcast};
use crate::tensor::Tensor;
use smallvec::SmallVec;

/// The part of a program whose operands do not fit, by its number.
pub enum Misfit {
    Stretch(usize),
    Instruction(usize),
}

impl Program {
    /// Returns the shapes of the values for what `run` is given, up to the first part whose operands do not fit.
    pub fn shapes_of(&self, given: &[Tensor]) -> (SmallVec<[Shape; 8]>, Option<Misfit>) {
        let (inputs, deciding) = given.split_at(self.inputs() - self.constants().len());
        let mut shapes: SmallVec<[Shape; 8]> =
            inputs.iter().chain(self.constants()).map(|t| t.shape().clone()).collect();
        for (k, (&(value, shape), by)) in self.stretches().iter().zip(deciding).enumerate() {
            match shape(&shapes[value as usize], by) {
                Ok(shape) => shapes[value as usize] = shape,
                Err(_) => return (shapes, Some(Misfit::Stretch(k))),
            }
        }
        for (k, instruction) in self.instructions().iter().enumerate() {
            let shape = match *instruction {
                Instruction::Unary(_, x) => shapes[x as usize].clone(),
                Instruction::Binary(_, x, y) => match broadcast(&shapes[x as usize], &shapes[y as usize]) {
                    Ok(s) => s,
                    Err(_) => return (shapes, Some(Misfit::Instruction(k))),
                },
            };
            shapes.push(shape);
        }
        (shapes, None)
    }

    /// Returns the shape of the only output for what `run` is given; None where operands do not fit.
    pub fn result_shape(&self, given: &[Tensor]) -> Option<Shape> {
        let (mut shapes, misfit) = self.shapes_of(given);
        match (misfit, self.outputs()) {
            (None, &[result]) => Some(std::mem::take(&mut shapes[result as usize])),
            _ => None,
        }
    }
}
