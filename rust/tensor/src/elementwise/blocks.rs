//! The block loop of `Program`: the run over blocks of the output.

use super::layout::{Class, Layout, Outcome, Place};
use super::masks;
use super::program::{Instruction, Program, Value, scalar};
use super::stretched::Stretched;
use super::{binary, unary};
use crate::dtype::{DType, Scalar};
use crate::shape::Shape;
use crate::status::Result;
use crate::streams::Streams;
use crate::tensor::Tensor;
use crate::threads::{Threads, try_for_blocks};
use crate::vector::{self, Element, Operand};
use crate::{Status, bail};
use smallvec::SmallVec;
use std::sync::Arc;

/// Bytes of L1 that registers, spread scalars and rows may take.
const RESIDENT: usize = 24 << 10;
/// Most elements of a block.
pub(super) const LONGEST: usize = 1024;
/// Fewest.
const SHORTEST: usize = 64;
/// From this many elements on, the runs of parts are worth blocks of their own.
const LONG_RUN: usize = 256;

/// Inputs that share one memory are found up to this many.
const MOST_HOLDERS: usize = 4;

/// Values that exist before the loop.
pub(super) enum Early<T> {
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
        let mut taken: SmallVec<[(u32, usize); 2]> = SmallVec::new();
        for (number, reusable) in layout.reusable.iter().enumerate() {
            let mut memory = None;
            for v in reusable.iter().find_map(|&v| sharing(inputs, v, reusable)).unwrap_or_default() {
                taken.push((v, number));
                memory = Some(std::mem::replace(&mut inputs[v as usize], Tensor::scalar(false)));
            }
            outputs.push(match memory {
                Some(t) => t,
                None => Tensor::new(T::DTYPE, shape.clone())?,
            });
        }
        let mut memory = Memory { inputs: SmallVec::new(), outputs: SmallVec::new(), origin: 0, past_caches: false };
        // Lines that an input was read from are in the caches. With one operand to read, processors see for themselves that
        // whole lines are written.
        let is_new = taken.is_empty();
        let full = layout.classes[..inputs.len()].iter().filter(|class| matches!(class, Class::Full)).count();
        let bytes = shape.elements() * size_of::<T>();
        memory.past_caches = is_new && full > 1 && Streams::for_result(bytes).is_some();
        for out in &mut outputs {
            memory.outputs.push(out.slice_mut::<T>()?.as_mut_ptr());
        }
        for (v, t) in inputs.iter().enumerate() {
            memory.inputs.push(match taken.iter().find(|(input, _)| *input == v as u32) {
                Some(&(_, number)) => memory.outputs[number],
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

/// Returns the inputs among `reusable` that have the memory of input `v`, if nothing else refers to it.
fn sharing(inputs: &[Tensor], v: u32, reusable: &[u32]) -> Option<SmallVec<[u32; 2]>> {
    // Data inside the tensor itself would move with the tensor.
    let buffer = inputs.get(v as usize)?.buffer()?;
    let holders = Arc::strong_count(buffer);
    if holders > MOST_HOLDERS || buffer.is_lent() {
        return None;
    }
    if holders == 1 {
        return Some(SmallVec::from_slice(&[v]));
    }
    let has_it = |&&u: &&u32| inputs[u as usize].buffer().is_some_and(|other| Arc::ptr_eq(other, buffer));
    let all: SmallVec<[u32; 2]> = reusable.iter().filter(has_it).copied().collect();
    (holders == all.len()).then_some(all)
}

/// Returns the address of an input that blocks read where it lies; null for other inputs.
pub(super) fn address<T: Scalar>(layout: &Layout, v: usize, t: &Tensor) -> Result<*mut T> {
    Ok(match layout.classes[v] {
        Class::Full => t.slice::<T>()?.as_ptr().cast_mut(),
        _ => std::ptr::null_mut(),
    })
}

/// Returns inputs that are not full, and every instruction on these alone.
pub(super) fn early_values<T: Scalar + Element>(
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
pub(super) struct Spread<T> {
    scalars: SmallVec<[T; 8]>,
    rows: SmallVec<[Tensor; 4]>,
    parts: SmallVec<[(Tensor, Stretched); 4]>,
    /// Elements after which rows repeat, or in which each part stays in order.
    period: usize,
}

impl<T: Scalar> Spread<T> {
    pub fn new(layout: &Layout, early: &[Option<Early<T>>], shape: &Shape) -> Result<Spread<T>> {
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

/// Addresses of inputs and outputs. Inputs whose memory an output has taken have that output's address.
pub(super) struct Memory<T> {
    pub inputs: SmallVec<[*mut T; 8]>,
    pub outputs: SmallVec<[*mut T; 1]>,
    /// The element that the outputs begin with.
    pub origin: usize,
    /// If true, the outputs are larger than the caches, and none of them has an input's memory.
    pub past_caches: bool,
}

pub(super) struct BlockLoop<'a, T> {
    pub layout: &'a Layout,
    pub memory: &'a Memory<T>,
    pub spread: &'a Spread<T>,
}

// SAFETY: the addresses are of tensors that outlive the loop. Inputs are only read, and tasks write disjoint ranges of
// the outputs. Inputs that share an output's memory are read in the writer's own range only.
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

    /// Returns the number of registers with those of scalars, parts and copied outputs, and the spare one.
    fn resident(&self) -> usize {
        let copied = if self.memory.past_caches { self.memory.outputs.len() } else { 0 };
        self.layout.registers + self.spread.scalars.len() + self.spread.parts.len() + copied + 1
    }

    /// Returns the most elements of a block.
    fn length(&self) -> usize {
        let fitting = RESIDENT / size_of::<T>() / (self.resident() + 2 * self.spread.rows.len());
        let length = (fitting / SHORTEST * SHORTEST).clamp(SHORTEST, LONGEST);
        let period = self.spread.period;
        // Equal parts of a period; whole blocks would leave a small rest with the cost of a block.
        if period < usize::MAX { period.div_ceil(period.div_ceil(length)) } else { length }
    }

    pub fn task(&self, range: std::ops::Range<usize>) -> Result<()> {
        let (length, resident) = (self.length().min(range.len()), self.resident());
        let mut registers = Tensor::new(T::DTYPE, [resident * length])?;
        let registers = registers.slice_mut::<T>()?;
        for (block, value) in registers.chunks_mut(length).skip(self.layout.registers).zip(&self.spread.scalars) {
            block.fill(*value);
        }
        let rows: SmallVec<[&[T]; 4]> = self.spread.rows.iter().map(|r| r.slice::<T>()).collect::<Result<_>>()?;
        let parts = self.spread.parts.iter().map(|(t, stretched)| Ok((PartValues::of(t)?, stretched)));
        let parts: SmallVec<[(PartValues<'_, T>, &Stretched); 4]> = parts.collect::<Result<_>>()?;
        let mut part_places: SmallVec<[*mut T; 4]> = SmallVec::new();
        let base = registers.as_mut_ptr();
        let first_part = self.layout.registers + self.spread.scalars.len();
        let first_copied = first_part + parts.len();
        let streams = self.memory.past_caches.then(|| Streams::for_result(usize::MAX)).flatten();
        let (period, origin) = (self.spread.period, self.memory.origin);
        let mut start = range.start;
        while start < range.end {
            let in_period = start % period;
            let n = length.min(range.end - start).min(period - in_period);
            part_places.clear();
            for (i, (values, stretched)) in parts.iter().enumerate() {
                if let (PartValues::Numbers(values), Some(at)) = (values, stretched.in_order(start, n)) {
                    part_places.push(values[at..at + n].as_ptr().cast_mut());
                    continue;
                }
                // SAFETY: the registers of parts come after those of scalars and have `length` elements each. Nothing else
                // refers to this one here.
                let to = unsafe { std::slice::from_raw_parts_mut(base.add((first_part + i) * length), n) };
                values.spread(stretched, start, to);
                part_places.push(to.as_mut_ptr());
            }
            let address = |place: Place| -> *mut T {
                // SAFETY: registers have `length` elements each; spread scalars, parts, copied outputs and the spare one come
                // last. Rows have `period` elements. Inputs, and outputs from `origin` on, have all of the range. `n` elements
                // from here on are inside all of them.
                unsafe {
                    match place {
                        Place::Input(i) => self.memory.inputs[i as usize].add(start),
                        Place::Output(i) if streams.is_some() => base.add((first_copied + i as usize) * length),
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
                // and an output overlaps inputs only as a whole. No later step then reads these inputs.
                unsafe { step_on(step.instruction, address(step.a), address(step.b), address(step.to), spare, n) };
            }
            if let Some(streams) = &streams {
                for (i, to) in self.memory.outputs.iter().enumerate() {
                    // SAFETY: the register of an output and its range have `n` elements each, and nothing else uses them here.
                    unsafe {
                        let from = std::slice::from_raw_parts(base.add((first_copied + i) * length), n);
                        streams.copy(from, std::slice::from_raw_parts_mut(to.add(start - origin), n));
                    }
                }
            }
            start += n;
        }
        Ok(())
    }
}

/// The values of a part.
enum PartValues<'a, T> {
    Numbers(&'a [T]),
    Booleans(&'a [bool]),
}

impl<'a, T: Scalar + Element> PartValues<'a, T> {
    fn of(t: &'a Tensor) -> Result<Self> {
        Ok(if t.dtype() == DType::Bool { Self::Booleans(t.slice()?) } else { Self::Numbers(t.slice()?) })
    }

    /// Writes elements `start..start + out.len()` of the full shape, at most `LONGEST`: numbers, or the masks of booleans.
    fn spread(&self, stretched: &Stretched, start: usize, out: &mut [T]) {
        match (self, stretched.in_order(start, out.len())) {
            (Self::Numbers(values), _) => stretched.gather(values, start, out),
            (Self::Booleans(values), Some(at)) => masks::fill(&values[at..at + out.len()], out),
            (Self::Booleans(values), None) => {
                let mut gathered = [false; LONGEST];
                let gathered = &mut gathered[..out.len()];
                stretched.gather(values, start, gathered);
                masks::fill(gathered, out);
            }
        }
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
