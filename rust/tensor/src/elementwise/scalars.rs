//! `Scalars`: a straight line of functions on single elements of several types, run on registers.
//!
//! The functions are those of `vector`, so that a step gives the bits that the same function gives on a tensor.

use crate::dtype::{DType, Scalar};
use crate::status::Result;
use crate::tensor::Tensor;
use crate::vector::{Binary, Compare, Logical, Single, Unary, Word};
use crate::{bail, dispatch};
use std::ops::Range;

/// A function of single elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Unary(Unary),
    Binary(Binary),
    Compare(Compare),
    Logical(Logical),
    Not,
    /// To another type.
    Cast(DType),
    /// The second where the first holds, else the third.
    Select,
}

/// The number of a register.
pub type Register = u32;

#[derive(Clone, Copy)]
struct Step {
    function: Single,
    from: [Register; 3],
    to: Register,
}

/// Registers, each of one type and written by one step or none, and the steps in their order.
#[derive(Clone, Default)]
pub struct Scalars {
    types: Vec<DType>,
    /// The registers before the first step: constants have their values.
    initial: Vec<u64>,
    steps: Vec<Step>,
}

impl std::fmt::Debug for Scalars {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scalars({} registers, {} steps)", self.types.len(), self.steps.len())
    }
}

impl Scalars {
    /// Returns a register to be filled before a run; `None` for types that registers do not hold.
    pub fn variable(&mut self, dtype: DType) -> Option<Register> {
        self.register(dtype, 0)
    }

    /// Returns a register with the value of a scalar; `None` for types that registers do not hold.
    pub fn constant(&mut self, value: &Tensor) -> Option<Register> {
        self.register(value.dtype(), load(value).ok()?)
    }

    fn register(&mut self, dtype: DType, value: u64) -> Option<Register> {
        if !matches!(dtype, DType::F32 | DType::F64 | DType::I32 | DType::I64 | DType::Bool) {
            return None;
        }
        self.types.push(dtype);
        self.initial.push(value);
        u32::try_from(self.types.len() - 1).ok()
    }

    /// Adds a step; returns the register of its result, or `None` if the function does not exist for these registers.
    pub fn push(&mut self, function: Function, operands: &[Register]) -> Option<Register> {
        let types: Option<Vec<DType>> = operands.iter().map(|&r| self.types.get(r as usize).copied()).collect();
        let types = types?;
        let (single, dtype) = look_up(function, &types)?;
        let to = self.register(dtype, 0)?;
        // Operands that the function does not have are not read.
        let operand = |k: usize| operands.get(k).copied().unwrap_or(to);
        self.steps.push(Step { function: single, from: [operand(0), operand(1), operand(2)], to });
        Some(to)
    }

    pub fn dtype(&self, register: Register) -> Option<DType> {
        self.types.get(register as usize).copied()
    }

    /// Returns the number of steps so far.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Returns the registers as they are before the first step.
    pub fn initial(&self) -> &[u64] {
        &self.initial
    }

    /// Runs a part of the steps; false, in the middle, where one has no result (an integer divided by zero).
    ///
    /// Panics if the registers are not as many as those of `initial`.
    #[inline]
    #[must_use]
    pub fn run(&self, part: Range<usize>, registers: &mut [u64]) -> bool {
        assert_eq!(registers.len(), self.initial.len(), "another program's registers");
        for step in &self.steps[part] {
            let [a, b, c] = step.from;
            let (a, b, c) = (registers[a as usize], registers[b as usize], registers[c as usize]);
            match step.function.call(a, b, c) {
                Some(value) => registers[step.to as usize] = value,
                None => return false,
            }
        }
        true
    }

    /// Returns the value of a register as a tensor.
    pub fn tensor(&self, register: Register, registers: &[u64]) -> Result<Tensor> {
        let (Some(&dtype), Some(&bits)) = (self.types.get(register as usize), registers.get(register as usize)) else {
            bail!(Internal, "there is no register {register}")
        };
        dispatch!(dtype, T in [F32, F64, I32, I64, Bool], Ok(Tensor::scalar(<T as Word>::from_bits(bits))), else {
            bail!(Internal, "a register of type {}", dtype.name())
        })
    }
}

/// Returns the bits of a tensor of one element.
///
/// Errors: `InvalidArgument` for types that registers do not hold and for other numbers of elements.
pub fn load(value: &Tensor) -> Result<u64> {
    fn bits<T: Scalar + Word>(value: &Tensor) -> Result<u64> {
        Ok(value.to_scalar::<T>()?.to_bits())
    }
    dispatch!(value.dtype(), T in [F32, F64, I32, I64, Bool], bits::<T>(value), else {
        bail!(InvalidArgument, "a register holds no {}", value.dtype().name())
    })
}

/// Returns the function for operands of these types, and the type of its result.
fn look_up(function: Function, types: &[DType]) -> Option<(Single, DType)> {
    match (function, types) {
        (Function::Unary(f), &[t]) => {
            let single = dispatch!(t, T in [F32, F64, I32, I64], Single::unary::<T>(f), else None);
            Some((single?, t))
        }
        (Function::Binary(f), &[t, u]) if t == u => {
            let single = dispatch!(t, T in [F32, F64, I32, I64], Single::binary::<T>(f), else None);
            Some((single?, t))
        }
        (Function::Compare(f), &[t, u]) if t == u => {
            let single = dispatch!(t, T in [F32, F64, I32, I64, Bool],
                f.supports::<T>().then(|| Single::compare::<T>(f)), else None);
            Some((single?, DType::Bool))
        }
        (Function::Logical(f), &[DType::Bool, DType::Bool]) => Some((Single::logical(f), DType::Bool)),
        (Function::Not, &[DType::Bool]) => Some((Single::not(), DType::Bool)),
        (Function::Select, &[DType::Bool, t, u]) if t == u => Some((Single::select(), t)),
        (Function::Cast(to), &[from]) => {
            let single = dispatch!(from, S in [F32, F64, I32, I64, Bool],
                dispatch!(to, D in [F32, F64, I32, I64, Bool], Some(Single::cast::<S, D>()), else None), else None);
            Some((single?, to))
        }
        _ => None,
    }
}
