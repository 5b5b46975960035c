//! The block loop of `Program`: where every value lives, and the run over blocks of the output.

use super::program::{Instruction, NEVER, Program, Value, scalar};
use super::stretched::Stretched;
use super::{binary, grain, unary};
use crate::dtype::Scalar;
use crate::shape::Shape;
use crate::status::Result;
use crate::tensor::Tensor;
use crate::threads::{Threads, try_for_blocks};
use crate::vector::{self, Element, Operand};
use crate::{Status, bail};
use smallvec::SmallVec;

/// The relation of a value's elements to those of the full shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// One element for all.
    Scalar,
    /// The trailing dimensions of the full shape; all rows of a program have the same ones.
    Row,
    /// Any other shape that broadcasts to the full one.
    Part,
    Full,
}

/// The place of a value while a block is computed.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// A full input, by its number.
    Input(u32),
    /// One of the registers.
    Register(u32),
    /// The memory of an output, by its number.
    Output(u32),
    /// A scalar spread over a block, by its number among these.
    Spread(u32),
    /// A row repeated over a block, by its number among these.
    Row(u32),
    /// A part stretched over a block, by its number among these.
    Part(u32),
}

/// A step of the block loop.
#[derive(Clone, Copy, Debug)]
struct Step {
    instruction: Instruction,
    a: Place,
    b: Place,
    to: Place,
}

/// The part of a run's preparation that only the program and the classes of its values decide.
#[derive(Debug)]
pub(super) struct Layout {
    given: SmallVec<[Class; 8]>,
    /// Of each value.
    classes: Vec<Class>,
    steps: Vec<Step>,
    registers: usize,
    /// Scalar values that full instructions read.
    spreads: Vec<Value>,
    /// Row values that full instructions read.
    rows: Vec<Value>,
    /// Part values that full instructions read.
    parts: Vec<Value>,
    /// Of each output of the program.
    results: Vec<Outcome>,
    /// Of each output that the loop computes: the full inputs whose memory it may take.
    reusable: Vec<SmallVec<[u32; 4]>>,
    /// Elements worth a thread.
    grain: usize,
}

/// The way in which an output is made.
#[derive(Clone, Copy, Debug)]
enum Outcome {
    /// A value that exists before the loop: an input, a scalar, a row or a part.
    Before(Value),
    /// The loop's output of this number.
    Computed(u32),
}

/// Bytes of L1 that registers, spread scalars and rows may take.
const RESIDENT: usize = 24 << 10;
/// Most elements of a block.
const LONGEST: usize = 1024;
/// Fewest.
const SHORTEST: usize = 64;
/// From this many elements on, the runs of parts are worth blocks of their own.
const LONG_RUN: usize = 256;

impl Layout {
    /// Returns the classes that it was made of.
    pub(super) fn given(&self) -> &[Class] {
        &self.given
    }

    /// Returns the layout for the classes of all values; those of the inputs are enough if none is a part.
    pub(super) fn new(program: &Program, given: SmallVec<[Class; 8]>) -> Layout {
        let inputs = program.inputs();
        let mut classes = given.to_vec();
        for instruction in &program.instructions()[classes.len() - inputs..] {
            let class = instruction.operands().map(|v| classes[v as usize]);
            classes.push(class.max_by_key(|c| *c as u8).unwrap_or(Class::Scalar));
        }
        let mut layout = Layout {
            given,
            classes,
            steps: Vec::new(),
            registers: 0,
            spreads: Vec::new(),
            rows: Vec::new(),
            parts: Vec::new(),
            results: Vec::new(),
            reusable: Vec::new(),
            grain: 0,
        };
        let mut computed: Vec<Value> = Vec::new();
        for &value in program.outputs() {
            let in_loop = value as usize >= inputs && layout.classes[value as usize] == Class::Full;
            layout.results.push(if !in_loop {
                Outcome::Before(value)
            } else {
                let number = computed.iter().position(|v| *v == value).unwrap_or_else(|| {
                    computed.push(value);
                    computed.len() - 1
                });
                Outcome::Computed(number as u32)
            });
        }
        layout.place(program, &computed);
        layout.choose_reusable(program, &computed);
        let weight: usize = program.instructions().iter().map(weight).sum();
        // At least what one addition of this many elements costs; a whole number of the longest blocks.
        layout.grain = ((4 * grain::LIGHT) / (weight + 3)).next_multiple_of(LONGEST);
        layout
    }

    /// Gives every full value its place, registers being free again after the last instruction that reads them.
    fn place(&mut self, program: &Program, computed: &[Value]) {
        let inputs = program.inputs();
        let mut places: Vec<Option<Place>> = vec![None; self.classes.len()];
        let mut free: Vec<u32> = Vec::new();
        for (i, &instruction) in program.instructions().iter().enumerate() {
            let value = (inputs + i) as Value;
            if self.classes[value as usize] != Class::Full {
                continue;
            }
            let (a, b) = match instruction {
                Instruction::Unary(_, a) => (a, a),
                Instruction::Binary(_, a, b) => (a, b),
            };
            let (place_a, place_b) = (self.operand(a, inputs, &mut places), self.operand(b, inputs, &mut places));
            // An operand's register may become the result's: the loops of `vector` have forms that write in place.
            for (v, place) in [(a, Some(place_a)), (b, (a != b).then_some(place_b))] {
                if let Some(Place::Register(register)) = place
                    && program.last_use(v) == i as u32
                {
                    free.push(register);
                }
            }
            let to = match computed.iter().position(|v| *v == value) {
                Some(number) => Place::Output(number as u32),
                None => Place::Register(free.pop().unwrap_or_else(|| {
                    self.registers += 1;
                    self.registers as u32 - 1
                })),
            };
            places[value as usize] = Some(to);
            if let Place::Register(register) = to
                && program.last_use(value) == NEVER
            {
                free.push(register);
            }
            self.steps.push(Step { instruction, a: place_a, b: place_b, to });
        }
    }

    fn operand(&mut self, v: Value, inputs: usize, places: &mut [Option<Place>]) -> Place {
        if let Some(place) = places[v as usize] {
            return place;
        }
        let place = match self.classes[v as usize] {
            // Full values of instructions are in outputs or registers already.
            Class::Full => Place::Input(v.min(inputs as u32)),
            Class::Scalar => {
                self.spreads.push(v);
                Place::Spread(self.spreads.len() as u32 - 1)
            }
            Class::Row => {
                self.rows.push(v);
                Place::Row(self.rows.len() as u32 - 1)
            }
            Class::Part => {
                self.parts.push(v);
                Place::Part(self.parts.len() as u32 - 1)
            }
        };
        places[v as usize] = Some(place);
        place
    }

    /// Chooses full inputs that outputs may overwrite: those that no later instruction reads.
    fn choose_reusable(&mut self, program: &Program, computed: &[Value]) {
        let inputs = program.inputs();
        for &value in computed {
            let made = value - inputs as Value;
            let dead = |v: Value| program.last_use(v) == NEVER || program.last_use(v) <= made;
            let full = |v: Value| self.classes[v as usize] == Class::Full;
            self.reusable.push((0..inputs as Value).filter(|&v| full(v) && dead(v)).collect());
        }
    }
}

fn weight(instruction: &Instruction) -> usize {
    grain::LIGHT
        / match *instruction {
            Instruction::Unary(f, _) => grain::of_unary(f),
            Instruction::Binary(f, ..) => grain::of_binary(f),
        }
}

/// Values that exist before the loop.
enum Early<T> {
    Scalar(T, Shape),
    Tensor(Tensor),
}

/// Runs a program whose full inputs have `shape`, of more than one element.
pub(super) fn run<T: Scalar + Element>(
    program: &Program,
    layout: &Layout,
    shape: Shape,
    inputs: &mut [Tensor],
    threads: Threads,
) -> Result<SmallVec<[Tensor; 1]>> {
    let early = early_values::<T>(program, layout, inputs, threads)?;
    let before = |v: Value| -> Result<Tensor> {
        match early.get(v as usize) {
            Some(Some(Early::Scalar(x, shape))) => Tensor::scalar(*x).reshaped(shape.clone()),
            Some(Some(Early::Tensor(t))) => Ok(t.clone()),
            _ => inputs.get(v as usize).cloned().ok_or_else(|| Status::internal("a value was not computed")),
        }
    };
    let mut results: SmallVec<[Option<Tensor>; 1]> = SmallVec::new();
    for outcome in &layout.results {
        results.push(match outcome {
            Outcome::Before(v) => Some(before(*v)?),
            Outcome::Computed(_) => None,
        });
    }
    let mut outputs: SmallVec<[Tensor; 1]> = SmallVec::new();
    if !layout.reusable.is_empty() {
        let spread = Spread::new(layout, &early, &shape)?;
        // Memory of the outputs first: an input that is taken is read through the output's memory.
        let mut taken: SmallVec<[Option<u32>; 1]> = SmallVec::new();
        for reusable in &layout.reusable {
            // Data inside the tensor itself would move with the tensor.
            let mut free = |v: u32| inputs.get_mut(v as usize).is_some_and(|t| t.buffer().is_some() && t.is_unique());
            let input = reusable.iter().copied().find(|&v| !taken.contains(&Some(v)) && free(v));
            outputs.push(match input.and_then(|v| inputs.get_mut(v as usize)) {
                Some(t) => std::mem::replace(t, Tensor::scalar(false)),
                None => Tensor::new(T::DTYPE, shape.clone())?,
            });
            taken.push(input);
        }
        let mut memory = Memory { inputs: SmallVec::new(), outputs: SmallVec::new(), origin: 0 };
        for out in &mut outputs {
            memory.outputs.push(out.slice_mut::<T>()?.as_mut_ptr());
        }
        for (v, t) in inputs.iter().enumerate() {
            memory.inputs.push(match taken.iter().position(|t| *t == Some(v as u32)) {
                Some(number) => memory.outputs[number],
                None => address(layout, v, t)?,
            });
        }
        BlockLoop { layout, memory: &memory, spread: &spread }.run(shape.elements(), threads)?;
    }
    for (slot, outcome) in results.iter_mut().zip(&layout.results) {
        if let Outcome::Computed(number) = outcome {
            *slot = outputs.get(*number as usize).cloned();
        }
    }
    drop(outputs);
    results.into_iter().map(|r| r.ok_or_else(|| Status::internal("an output was not computed"))).collect()
}

/// Returns the address of an input that blocks read where it lies; null for other inputs.
fn address<T: Scalar>(layout: &Layout, v: usize, t: &Tensor) -> Result<*mut T> {
    Ok(match layout.classes[v] {
        Class::Full => t.slice::<T>()?.as_ptr().cast_mut(),
        _ => std::ptr::null_mut(),
    })
}

/// Returns inputs that are not full, and every instruction on these alone.
fn early_values<T: Scalar + Element>(
    program: &Program,
    layout: &Layout,
    inputs: &[Tensor],
    threads: Threads,
) -> Result<SmallVec<[Option<Early<T>>; 8]>> {
    let mut values: SmallVec<[Option<Early<T>>; 8]> = SmallVec::with_capacity(layout.classes.len());
    for (t, class) in inputs.iter().zip(&layout.classes) {
        values.push(match class {
            Class::Scalar => Some(Early::Scalar(t.to_scalar()?, t.shape().clone())),
            Class::Row | Class::Part => Some(Early::Tensor(t.clone())),
            Class::Full => None,
        });
    }
    for (&instruction, class) in program.instructions().iter().zip(&layout.classes[inputs.len()..]) {
        let value = match class {
            Class::Full => None,
            Class::Scalar => {
                let mut shape: Option<&Shape> = None;
                for v in instruction.operands() {
                    if let Some(Some(Early::Scalar(_, s))) = values.get(v as usize)
                        && shape.is_none_or(|found| found.rank() < s.rank())
                    {
                        shape = Some(s);
                    }
                }
                let shape = shape.cloned().unwrap_or_default();
                let x = scalar(instruction, |v| scalar_of(&values, v).unwrap_or_default());
                Some(Early::Scalar(x, shape))
            }
            Class::Row | Class::Part => {
                let tensor = |v: Value| match values.get(v as usize) {
                    Some(Some(Early::Scalar(x, shape))) => Tensor::scalar(*x).reshaped(shape.clone()),
                    Some(Some(Early::Tensor(t))) => Ok(t.clone()),
                    _ => bail!(Internal, "value {v} was not computed"),
                };
                Some(Early::Tensor(match instruction {
                    Instruction::Unary(f, a) => unary(f, tensor(a)?, threads)?,
                    Instruction::Binary(f, a, b) => binary(f, tensor(a)?, tensor(b)?, threads)?,
                }))
            }
        };
        values.push(value);
    }
    Ok(values)
}

fn scalar_of<T: Scalar>(values: &[Option<Early<T>>], v: Value) -> Result<T> {
    match values.get(v as usize) {
        Some(Some(Early::Scalar(x, _))) => Ok(*x),
        _ => bail!(Internal, "value {v} is no scalar"),
    }
}

fn tensor_of<T: Scalar>(values: &[Option<Early<T>>], v: Value) -> Result<&Tensor> {
    match values.get(v as usize) {
        Some(Some(Early::Tensor(t))) => Ok(t),
        _ => bail!(Internal, "value {v} is no tensor"),
    }
}

/// The values of a run that are spread over its blocks.
struct Spread<T> {
    scalars: SmallVec<[T; 8]>,
    rows: SmallVec<[Tensor; 4]>,
    parts: SmallVec<[(Tensor, Stretched); 4]>,
    /// Elements after which rows repeat, or in which each part stays in order.
    period: usize,
}

impl<T: Scalar> Spread<T> {
    fn new(layout: &Layout, early: &[Option<Early<T>>], shape: &Shape) -> Result<Spread<T>> {
        let scalars = layout.spreads.iter().map(|v| scalar_of(early, *v)).collect::<Result<_>>()?;
        let rows = repeated_rows::<T>(layout, early, shape.elements())?;
        let part = |v: &Value| {
            let t = tensor_of(early, *v)?;
            Ok((t.clone(), Stretched::new(t.shape(), shape)))
        };
        let parts: SmallVec<[(Tensor, Stretched); 4]> = layout.parts.iter().map(part).collect::<Result<_>>()?;
        let run = parts.iter().map(|(_, stretched)| stretched.run()).min().filter(|run| *run >= LONG_RUN);
        let period = rows.first().map(Tensor::elements).or(run).unwrap_or(usize::MAX);
        Ok(Spread { scalars, rows, parts, period })
    }
}

/// Returns each row; short ones are repeated until they are about as long as a block.
fn repeated_rows<T: Scalar>(
    layout: &Layout,
    early: &[Option<Early<T>>],
    elements: usize,
) -> Result<SmallVec<[Tensor; 4]>> {
    let repeat = |v: &Value| {
        let row = tensor_of(early, *v)?;
        let n = row.elements();
        let times = (LONGEST / n).min(elements / n).max(1);
        if times == 1 {
            return Ok(row.clone());
        }
        let mut out = Tensor::new(T::DTYPE, [times * n])?;
        let values = row.slice::<T>()?;
        out.slice_mut::<T>()?.chunks_mut(n).for_each(|to| to.copy_from_slice(values));
        Ok(out)
    };
    layout.rows.iter().map(repeat).collect()
}

/// Addresses of inputs and outputs. An input whose memory an output has taken has that output's address.
struct Memory<T> {
    inputs: SmallVec<[*mut T; 8]>,
    outputs: SmallVec<[*mut T; 1]>,
    /// The element that the outputs begin with.
    origin: usize,
}

struct BlockLoop<'a, T> {
    layout: &'a Layout,
    memory: &'a Memory<T>,
    spread: &'a Spread<T>,
}

// SAFETY: the addresses are of tensors that outlive the loop. Inputs are only read, and tasks write disjoint ranges of
// the outputs. An input that shares an output's memory is read in the writer's own range only.
unsafe impl<T: Sync + Send> Sync for BlockLoop<'_, T> {}

impl<T: Scalar + Element> BlockLoop<'_, T> {
    fn run(&self, elements: usize, threads: Threads) -> Result<()> {
        let failure = ferroflow_sync::Mutex::new(None);
        try_for_blocks(threads, elements, self.layout.grain, |range| {
            if let Err(e) = self.task(range) {
                failure.lock().get_or_insert(e);
            }
        })?;
        failure.into_inner().map_or(Ok(()), Err)
    }

    /// Returns the number of registers with those of scalars, parts and the spare one.
    fn resident(&self) -> usize {
        self.layout.registers + self.spread.scalars.len() + self.spread.parts.len() + 1
    }

    /// Returns the most elements of a block.
    fn length(&self) -> usize {
        let fitting = RESIDENT / size_of::<T>() / (self.resident() + 2 * self.spread.rows.len());
        let length = (fitting / SHORTEST * SHORTEST).clamp(SHORTEST, LONGEST);
        let period = self.spread.period;
        // Equal parts of a period; whole blocks would leave a small rest with the cost of a block.
        if period < usize::MAX { period.div_ceil(period.div_ceil(length)) } else { length }
    }

    fn task(&self, range: std::ops::Range<usize>) -> Result<()> {
        let (length, resident) = (self.length().min(range.len()), self.resident());
        let mut registers = Tensor::new(T::DTYPE, [resident * length])?;
        let registers = registers.slice_mut::<T>()?;
        for (block, value) in registers.chunks_mut(length).skip(self.layout.registers).zip(&self.spread.scalars) {
            block.fill(*value);
        }
        let rows: SmallVec<[&[T]; 4]> = self.spread.rows.iter().map(|r| r.slice::<T>()).collect::<Result<_>>()?;
        let stretched = |(t, stretched)| Ok((Tensor::slice::<T>(t)?, stretched));
        let parts = self.spread.parts.iter().map(|(t, s)| stretched((t, s)));
        let parts: SmallVec<[(&[T], &Stretched); 4]> = parts.collect::<Result<_>>()?;
        let mut part_places: SmallVec<[*mut T; 4]> = SmallVec::new();
        let base = registers.as_mut_ptr();
        let first_part = self.layout.registers + self.spread.scalars.len();
        let (period, origin) = (self.spread.period, self.memory.origin);
        let mut start = range.start;
        while start < range.end {
            let in_period = start % period;
            let n = length.min(range.end - start).min(period - in_period);
            part_places.clear();
            for (i, (values, stretched)) in parts.iter().enumerate() {
                part_places.push(match stretched.in_order(start, n) {
                    Some(at) => values[at..at + n].as_ptr().cast_mut(),
                    None => {
                        // SAFETY: the registers of parts come after those of scalars and have `length` elements each.
                        // Nothing else refers to this one here.
                        let to = unsafe { std::slice::from_raw_parts_mut(base.add((first_part + i) * length), n) };
                        stretched.gather(values, start, to);
                        to.as_mut_ptr()
                    }
                });
            }
            let address = |place: Place| -> *mut T {
                // SAFETY: registers (the spread scalars and parts after them, the spare one last) have `length` elements
                // each, rows have `period`; inputs, and outputs from `origin` on, have all of the range. `n` elements from
                // here on are inside all of them.
                unsafe {
                    match place {
                        Place::Input(i) => self.memory.inputs[i as usize].add(start),
                        Place::Output(i) => self.memory.outputs[i as usize].add(start - origin),
                        Place::Register(i) => base.add(i as usize * length),
                        Place::Spread(i) => base.add((self.layout.registers + i as usize) * length),
                        Place::Row(i) => rows[i as usize].as_ptr().cast_mut().add(in_period),
                        Place::Part(i) => part_places[i as usize],
                    }
                }
            };
            // SAFETY: the spare register is the last of `resident`.
            let spare = unsafe { base.add((resident - 1) * length) };
            for step in &self.layout.steps {
                // SAFETY: `address` gives `n` elements each. Places are equal or disjoint: registers do not overlap,
                // and an output overlaps an input only as a whole. No later step then reads that input.
                unsafe { step_on(step.instruction, address(step.a), address(step.b), address(step.to), spare, n) };
            }
            start += n;
        }
        Ok(())
    }
}

/// The only output of a program, of which any range can be computed.
pub struct Ranges<T> {
    layout: std::sync::Arc<Layout>,
    shape: Shape,
    inputs: SmallVec<[Tensor; 8]>,
    spread: Spread<T>,
}

impl<T: Scalar + Element> Ranges<T> {
    /// Returns None if the output is an input, is smaller than the full shape, or has no elements.
    pub(super) fn new(
        program: &Program,
        layout: std::sync::Arc<Layout>,
        shape: Shape,
        inputs: SmallVec<[Tensor; 8]>,
        threads: Threads,
    ) -> Result<Option<Ranges<T>>> {
        if !matches!(layout.results[..], [Outcome::Computed(0)]) || shape.elements() == 0 {
            return Ok(None);
        }
        let early = early_values::<T>(program, &layout, &inputs, threads)?;
        let spread = Spread::new(&layout, &early, &shape)?;
        Ok(Some(Ranges { layout, shape, inputs, spread }))
    }

    /// Returns the shape of the whole output.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the number of elements that are worth a thread.
    pub fn grain(&self) -> usize {
        self.layout.grain
    }

    /// Computes elements `start..start + out.len()` of the output.
    ///
    /// Panics if there are fewer.
    pub fn compute(&self, start: usize, out: &mut [T]) -> Result<()> {
        let end = start + out.len();
        assert!(end <= self.shape.elements(), "elements {start}..{end} of {}", self.shape);
        let outputs = std::iter::once(out.as_mut_ptr()).collect();
        // Small tensors have their elements in themselves, so that these move with them.
        let inputs = self.inputs.iter().enumerate().map(|(v, t)| address(&self.layout, v, t)).collect::<Result<_>>()?;
        let memory = Memory { inputs, outputs, origin: start };
        BlockLoop { layout: &self.layout, memory: &memory, spread: &self.spread }.task(start..end)
    }
}

/// Runs one instruction on `n` elements.
///
/// # Safety
/// All addresses are of `n` elements; any two are equal or do not overlap; `spare` is unlike the others.
unsafe fn step_on<T: Scalar + Element>(
    instruction: Instruction,
    a: *mut T,
    b: *mut T,
    to: *mut T,
    spare: *mut T,
    n: usize,
) {
    // SAFETY: as the caller promises. A slice for writing is only made of `to` and `spare`, and none for reading of an
    // equal address lives beside it.
    unsafe {
        let read = |p: *mut T| std::slice::from_raw_parts(p.cast_const(), n);
        let out = std::slice::from_raw_parts_mut(to, n);
        match instruction {
            Instruction::Unary(f, _) if a == to => vector::unary_in_place(f, out),
            Instruction::Unary(f, _) => vector::unary(f, read(a), out),
            Instruction::Binary(f, ..) => match (a == to, b == to) {
                (true, true) => {
                    std::slice::from_raw_parts_mut(spare, n).copy_from_slice(out);
                    vector::binary_in_place_left(f, out, Operand::Slice(read(spare)));
                }
                (true, false) => vector::binary_in_place_left(f, out, Operand::Slice(read(b))),
                (false, true) => vector::binary_in_place_right(f, Operand::Slice(read(a)), out),
                (false, false) => vector::binary(f, Operand::Slice(read(a)), Operand::Slice(read(b)), out),
            },
        }
    }
}
