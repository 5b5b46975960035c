//! `Program`: a chain of elementwise functions that reads its inputs and writes its outputs once.
//!
//! The functions run block by block on registers that stay in L1. They are the functions of `vector`, so a program gives
//! the bits of the same functions applied to whole tensors one after the other.

use super::layout::{Class, Layout};
use super::masks;
use super::ranges::Ranges;
use super::scalars::{Function, Scalars, load};
use super::stretched::stretch;
use super::{binary, blocks, unary};
use crate::dtype::{DType, Scalar};
use crate::shape::{Shape, broadcast};
use crate::status::Result;
use crate::tensor::Tensor;
use crate::threads::Threads;
use crate::vector::{self, Binary, Element, Operand, Unary};
use crate::{bail, ensure};
use ferroflow_sync::Mutex;
use smallvec::SmallVec;
use std::sync::Arc;

/// A value of a program: the inputs first, then the result of each instruction.
pub type Value = u32;

/// One step; its result is the next value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Instruction {
    Unary(Unary, Value),
    Binary(Binary, Value, Value),
}

impl Instruction {
    pub(super) fn operands(self) -> impl Iterator<Item = Value> {
        let (a, b) = match self {
            Instruction::Unary(_, a) => (a, None),
            Instruction::Binary(_, a, b) => (a, Some(b)),
        };
        std::iter::once(a).chain(b)
    }

    /// Returns the same step of a program with one more input before the others.
    fn behind_another_input(self) -> Instruction {
        match self {
            Instruction::Unary(f, a) => Instruction::Unary(f, a + 1),
            Instruction::Binary(f, a, b) => Instruction::Binary(f, a + 1, b + 1),
        }
    }
}

/// A straight line of instructions over inputs of one float type.
#[derive(Debug)]
pub struct Program {
    dtype: DType,
    inputs: usize,
    instructions: Vec<Instruction>,
    outputs: Vec<Value>,
    /// Of each value: the last instruction that reads it; `NEVER` where none does.
    last_use: Vec<u32>,
    /// The last inputs, where they are the same in every run.
    constants: Vec<Tensor>,
    /// The inputs that are booleans, which the program reads as masks.
    booleans: Vec<Value>,
    /// The inputs that are stretched to a shape before the program reads them.
    stretches: Vec<(Value, StretchedShape)>,
    /// The program for inputs of one element each: their registers, those of the constants, one for each instruction.
    scalars: Scalars,
    /// The layout of the last run; runs of one graph node mostly have the same.
    layout: Mutex<Option<Arc<Layout>>>,
}

/// Inputs with the shapes to which they are stretched.
type Stretches = SmallVec<[(Value, Shape); 2]>;

/// Returns the shape to which a tensor is stretched that has the first shape; each of its last dimensions is a multiple of
/// that shape's. The tensor is the one that decides it.
pub type StretchedShape = fn(&Shape, &Tensor) -> Result<Shape>;

pub(super) const NEVER: u32 = u32::MAX;

impl Program {
    /// Returns a program of `inputs` tensors of type float32 or float64. Instructions may read inputs and earlier
    /// results.
    ///
    /// Errors: `Internal` for another type, for a value that does not exist (yet), and for a function that the type lacks.
    pub fn new(dtype: DType, inputs: usize, instructions: Vec<Instruction>, outputs: Vec<Value>) -> Result<Program> {
        ensure!(matches!(dtype, DType::F32 | DType::F64), Internal, "programs of {} do not exist", dtype.name());
        let values = inputs + instructions.len();
        ensure!(values < NEVER as usize, Internal, "a program of {values} values is too long");
        let mut last_use = vec![NEVER; values];
        for (i, instruction) in instructions.iter().enumerate() {
            for value in instruction.operands() {
                ensure!((value as usize) < inputs + i, Internal, "instruction {i} reads value {value}, a later one");
                last_use[value as usize] = i as u32;
            }
            // float64 has the functions that float32 has.
            let exists = match *instruction {
                Instruction::Unary(f, _) => f.supports::<f32>(),
                Instruction::Binary(f, ..) => f.supports::<f32>(),
            };
            ensure!(exists, Internal, "{instruction:?} does not exist for {}", dtype.name());
        }
        for &value in &outputs {
            ensure!((value as usize) < values, Internal, "output {value} is no value of the program");
        }
        let (constants, scalars) = (Vec::new(), Scalars::default());
        let (booleans, stretches, layout) = (Vec::new(), Vec::new(), Mutex::new(None));
        Program { dtype, inputs, instructions, outputs, last_use, constants, booleans, stretches, scalars, layout }
            .with_constants(Vec::new())
    }

    /// Returns the program whose last inputs are always `constants`: `run` is given the others. Booleans are masks.
    ///
    /// Errors: `Internal` for constants of another type, and for more than there are inputs.
    pub fn with_constants(mut self, mut constants: Vec<Tensor>) -> Result<Program> {
        for t in &mut constants {
            if t.dtype() == DType::Bool {
                *t = masks::of_type(self.dtype, t, Threads::single())?;
            }
            ensure!(t.dtype() == self.dtype, Internal, "a program of {:?} was given {t:?}", self.dtype);
        }
        let Some(given) = self.inputs.checked_sub(constants.len()) else {
            bail!(Internal, "a program of {} inputs was given {} constants", self.inputs, constants.len())
        };
        let mut scalars = Scalars::default();
        for _ in 0..given {
            let _ = scalars.variable(self.dtype);
        }
        for t in &constants {
            // A shape with more elements has no inputs of it.
            let _ = if t.elements() == 1 { scalars.constant(t) } else { scalars.variable(self.dtype) };
        }
        for instruction in &self.instructions {
            let made = match *instruction {
                Instruction::Unary(f, a) => scalars.push(Function::Unary(f), &[a]),
                Instruction::Binary(f, a, b) => scalars.push(Function::Binary(f), &[a, b]),
            };
            ensure!(made.is_some(), Internal, "{instruction:?} does not exist for {}", self.dtype.name());
        }
        (self.constants, self.scalars) = (constants, scalars);
        Ok(self)
    }

    /// Returns the program that is given booleans as some of its inputs, and reads them as masks.
    #[must_use]
    pub fn with_booleans(mut self, booleans: Vec<Value>) -> Program {
        self.booleans = booleans;
        self
    }

    /// Returns the program that stretches some of its inputs. For each, `run` is given a tensor of any type after the
    /// inputs, which decides the shape.
    #[must_use]
    pub fn with_stretches(mut self, stretches: Vec<(Value, StretchedShape)>) -> Program {
        self.stretches = stretches;
        self
    }

    /// Returns the program of one output whose result is `f(target, result)`, of the same inputs behind a first one, the
    /// target.
    ///
    /// Errors: `Internal` for several outputs, and for a function that the type lacks.
    pub fn updating(&self, f: Binary) -> Result<Program> {
        let [result] = self.outputs[..] else { bail!(Internal, "a program of several outputs updates nothing") };
        let mut instructions: Vec<Instruction> = self.instructions.iter().map(|i| i.behind_another_input()).collect();
        instructions.push(Instruction::Binary(f, 0, result + 1));
        let made = (self.inputs + instructions.len()) as Value;
        let program = Program::new(self.dtype, self.inputs + 1, instructions, vec![made])?;
        let stretches = self.stretches.iter().map(|&(v, shape)| (v + 1, shape)).collect();
        let booleans = self.booleans.iter().map(|v| v + 1).collect();
        Ok(program.with_constants(self.constants.clone())?.with_booleans(booleans).with_stretches(stretches))
    }

    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the number of inputs, the constants among them.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    pub fn outputs(&self) -> &[Value] {
        &self.outputs
    }

    pub fn constants(&self) -> &[Tensor] {
        &self.constants
    }

    pub fn stretches(&self) -> &[(Value, StretchedShape)] {
        &self.stretches
    }

    /// Returns the number of tensors that `run` is given: inputs that are no constants, and those that decide shapes.
    pub fn given(&self) -> usize {
        self.inputs - self.constants.len() + self.stretches.len()
    }

    pub(super) fn last_use(&self, value: Value) -> u32 {
        self.last_use[value as usize]
    }

    /// Returns the outputs. An input that nothing else refers to may be taken for an output's memory; a placeholder
    /// stays.
    ///
    /// Errors: `InvalidArgument` for shapes that do not broadcast, those of `StretchedShape`, `Internal` for a wrong number
    /// or type of inputs.
    pub fn run(&self, given: &mut [Tensor], threads: Threads) -> Result<SmallVec<[Tensor; 1]>> {
        let stretched = self.stretched(given)?;
        let inputs = &mut given[..self.inputs - self.constants.len()];
        if stretched.is_empty() && inputs.iter().chain(&self.constants).all(|t| t.elements() == 1) {
            self.make_masks(inputs, threads)?;
            return self.run_scalars(inputs);
        }
        if self.constants.is_empty() {
            return self.run_typed(inputs, stretched, threads);
        }
        let taken = inputs.iter_mut().map(|t| std::mem::replace(t, Tensor::scalar(false)));
        let mut all: SmallVec<[Tensor; 8]> = taken.chain(self.constants.iter().cloned()).collect();
        let result = self.run_typed(&mut all, stretched, threads);
        if result.is_err() {
            // The caller may report the shapes that did not match.
            inputs.iter_mut().zip(all).for_each(|(t, given)| *t = given);
        }
        result
    }

    /// Returns the inputs whose shape changes, with the new shape.
    fn stretched(&self, given: &[Tensor]) -> Result<Stretches> {
        ensure!(
            given.len() == self.given(),
            Internal,
            "a program of {} inputs was given {}",
            self.given(),
            given.len()
        );
        let (inputs, deciding) = given.split_at(self.inputs - self.constants.len());
        for (v, t) in inputs.iter().enumerate() {
            let expected = if self.booleans.contains(&(v as Value)) { DType::Bool } else { self.dtype };
            ensure!(t.dtype() == expected, Internal, "a program of {:?} was given {t:?}", self.dtype);
        }
        let mut stretched = Stretches::new();
        for (&(v, shape), deciding) in self.stretches.iter().zip(deciding) {
            let own = inputs[v as usize].shape();
            let shape = shape(own, deciding)?;
            if shape != *own {
                stretched.push((v, shape));
            }
        }
        Ok(stretched)
    }

    /// Makes masks of the inputs that are booleans.
    fn make_masks(&self, inputs: &mut [Tensor], threads: Threads) -> Result<()> {
        for &v in &self.booleans {
            inputs[v as usize] = masks::of_type(self.dtype, &inputs[v as usize], threads)?;
        }
        Ok(())
    }

    fn run_typed(
        &self,
        inputs: &mut [Tensor],
        stretched: Stretches,
        threads: Threads,
    ) -> Result<SmallVec<[Tensor; 1]>> {
        match self.dtype {
            DType::F64 => self.run_as::<f64>(inputs, stretched, threads),
            _ => self.run_as::<f32>(inputs, stretched, threads),
        }
    }

    fn run_as<T: Scalar + Element>(
        &self,
        inputs: &mut [Tensor],
        stretched: Stretches,
        threads: Threads,
    ) -> Result<SmallVec<[Tensor; 1]>> {
        let Some((shape, classes)) = self.classify::<T>(inputs, &stretched, threads)? else {
            // The caller may report the shapes that did not match, so its inputs stay.
            let mut own: SmallVec<[Tensor; 8]> = inputs.iter().cloned().collect();
            for (v, shape) in stretched {
                own[v as usize] = stretch::<T>(&own[v as usize], &shape, threads)?;
            }
            self.make_masks(&mut own, threads)?;
            return self.run_steps(&own, threads);
        };
        let layout = self.layout(classes);
        blocks::run::<T>(self, &layout, shape, inputs, threads)
    }

    /// Returns the only output, to be computed in ranges, for inputs of type `T`; None if the block loop does not compute
    /// it. `run` then does.
    ///
    /// Errors: those of `run`, but not for shapes that do not broadcast.
    pub fn ranges<T: Scalar + Element>(&self, given: &[Tensor], threads: Threads) -> Result<Option<Ranges<T>>> {
        ensure!(self.dtype == T::DTYPE, Internal, "a program of {} was run as another type", self.dtype.name());
        let stretched = self.stretched(given)?;
        let inputs = &given[..self.inputs - self.constants.len()];
        let mut all: SmallVec<[Tensor; 8]> = inputs.iter().chain(&self.constants).cloned().collect();
        if stretched.is_empty() && all.iter().all(|t| t.elements() == 1) {
            return Ok(None);
        }
        let Some((shape, classes)) = self.classify::<T>(&mut all, &stretched, threads)? else { return Ok(None) };
        let layout = self.layout(classes);
        Ranges::new(self, layout, shape, all, threads)
    }

    /// Returns the full shape and the class of each input, or of each value if parts are among them. `None`: the block
    /// loop does not handle the shapes. Inputs that must be in memory to be stretched, or as masks, are.
    fn classify<T: Scalar + Element>(
        &self,
        inputs: &mut [Tensor],
        stretched: &Stretches,
        threads: Threads,
    ) -> Result<Option<(Shape, SmallVec<[Class; 8]>)>> {
        if stretched.is_empty()
            && self.booleans.is_empty()
            && let Some(found) = in_rows(inputs)
        {
            return Ok(Some(found));
        }
        let Some((full, shapes)) = self.shapes(inputs, stretched) else { return Ok(None) };
        let class = |s: &Shape| match s.elements() {
            _ if *s == full => Class::Full,
            1 => Class::Scalar,
            _ => Class::Part,
        };
        let mut classes: SmallVec<[Class; 8]> = shapes.iter().map(class).collect();
        // An input that the block loop alone reads may be a part, whatever its shape.
        let in_loop = |v: Value, classes: &[Class]| {
            let made = self.instructions.iter().zip(&classes[self.inputs..]);
            let mut readers = made.filter(|(i, _)| i.operands().any(|o| o == v));
            !self.outputs.contains(&v) && readers.all(|(_, class)| *class == Class::Full)
        };
        for (v, shape) in stretched {
            if in_loop(*v, &classes) {
                classes[*v as usize] = Class::Part;
            } else {
                inputs[*v as usize] = stretch::<T>(&inputs[*v as usize], shape, threads)?;
            }
        }
        for &v in &self.booleans {
            if inputs[v as usize].elements() > 1 && in_loop(v, &classes) {
                classes[v as usize] = Class::Part;
            } else {
                inputs[v as usize] = masks::of_tensor::<T>(&inputs[v as usize], threads)?;
            }
        }
        Ok(Some((full, classes)))
    }

    /// Returns the shape of the block loop and that of each value; `None` without one of more than one element.
    fn shapes(&self, inputs: &[Tensor], stretched: &Stretches) -> Option<(Shape, SmallVec<[Shape; 16]>)> {
        let mut shapes: SmallVec<[Shape; 16]> = inputs.iter().map(|t| t.shape().clone()).collect();
        for (v, shape) in stretched {
            shapes[*v as usize] = shape.clone();
        }
        for instruction in &self.instructions {
            shapes.push(match *instruction {
                Instruction::Unary(_, a) => shapes[a as usize].clone(),
                Instruction::Binary(_, a, b) => broadcast(&shapes[a as usize], &shapes[b as usize]).ok()?,
            });
        }
        let full = shapes.iter().try_fold(Shape::default(), |all, s| broadcast(&all, s)).ok()?;
        (full.elements() > 1).then_some((full, shapes))
    }

    fn layout(&self, classes: SmallVec<[Class; 8]>) -> Arc<Layout> {
        if let Some(last) = self.layout.lock().as_ref()
            && last.given() == &classes[..]
        {
            return last.clone();
        }
        let made = Arc::new(Layout::new(self, classes));
        *self.layout.lock() = Some(made.clone());
        made
    }

    /// Runs the program if all inputs and constants have one element.
    fn run_scalars(&self, inputs: &[Tensor]) -> Result<SmallVec<[Tensor; 1]>> {
        let mut values: SmallVec<[u64; 32]> = SmallVec::from_slice(self.scalars.initial());
        for (value, t) in values.iter_mut().zip(inputs) {
            *value = load(t)?;
        }
        let all = inputs.iter().chain(&self.constants);
        ensure!(self.scalars.run(0..self.scalars.steps(), &mut values), Internal, "a function of floats has no result");
        if all.clone().all(|t| t.rank() == 0) {
            return self.outputs.iter().map(|&v| self.scalars.tensor(v, &values)).collect();
        }
        let mut ranks: SmallVec<[usize; 32]> = all.map(Tensor::rank).collect();
        for instruction in &self.instructions {
            let rank = instruction.operands().map(|v| ranks[v as usize]).max();
            ranks.push(rank.unwrap_or(0));
        }
        let output = |&v: &Value| {
            let shape: Shape = std::iter::repeat_n(1, ranks[v as usize]).collect();
            self.scalars.tensor(v, &values)?.reshaped(shape)
        };
        self.outputs.iter().map(output).collect()
    }

    /// Runs one instruction after the other on whole tensors, for shapes that the block loop does not handle.
    fn run_steps(&self, inputs: &[Tensor], threads: Threads) -> Result<SmallVec<[Tensor; 1]>> {
        let mut values: Vec<Option<Tensor>> = inputs.iter().cloned().map(Some).collect();
        let is_output = |v: Value| self.outputs.contains(&v);
        for (i, &instruction) in self.instructions.iter().enumerate() {
            let mut operand = |v: Value, is_last: bool| {
                let slot = values.get_mut(v as usize);
                let value = slot.and_then(|s| {
                    if is_last && self.last_use(v) == i as u32 && !is_output(v) { s.take() } else { s.clone() }
                });
                value.ok_or_else(|| crate::Status::internal(format!("value {v} was dropped early")))
            };
            let result = match instruction {
                Instruction::Unary(f, a) => unary(f, operand(a, true)?, threads)?,
                Instruction::Binary(f, a, b) => {
                    let left = operand(a, a != b)?;
                    binary(f, left, operand(b, true)?, threads)?
                }
            };
            values.push(Some(result));
        }
        let output = |&v: &Value| match values.get(v as usize) {
            Some(Some(t)) => Ok(t.clone()),
            _ => bail!(Internal, "output {v} was dropped early"),
        };
        self.outputs.iter().map(output).collect()
    }
}

/// Runs one instruction on single elements.
#[inline]
pub(super) fn scalar<T: Scalar + Element>(instruction: Instruction, value: impl Fn(Value) -> T) -> T {
    match instruction {
        Instruction::Unary(f, a) => {
            let mut x = [value(a)];
            vector::unary_in_place(f, &mut x);
            x[0]
        }
        Instruction::Binary(f, a, b) => {
            let mut x = [value(a)];
            vector::binary_in_place_left(f, &mut x, Operand::Slice(&[value(b)]));
            x[0]
        }
    }
}

/// Returns the class of each input in the largest one's shape, if the others are scalars or rows of one length.
fn in_rows(inputs: &[Tensor]) -> Option<(Shape, SmallVec<[Class; 8]>)> {
    let largest = inputs.iter().max_by_key(|t| (t.elements(), t.rank()))?;
    let shape = largest.shape();
    let mut row: Option<&[usize]> = None;
    let mut classes = SmallVec::with_capacity(inputs.len());
    for t in inputs {
        let s = t.shape();
        classes.push(if s == shape {
            Class::Full
        } else if t.elements() == 1 && s.rank() <= shape.rank() {
            Class::Scalar
        } else {
            let leading = s.iter().take_while(|&&d| d == 1).count();
            let tail = &s[leading..];
            let is_suffix = s.rank() <= shape.rank() && shape.ends_with(tail);
            if !is_suffix || tail.contains(&0) || row.is_some_and(|r| r != tail) {
                return None;
            }
            row = Some(tail);
            Class::Row
        });
    }
    Some((shape.clone(), classes))
}
