//! Special functions of float32, computed in double precision for several elements side by side.
//!
//! An element needs one of a few formulas. Each block is sorted by formula, so that every formula is a loop without
//! branches. The result of an element does not depend on those beside it.

use ferroflow_tensor::elementwise::{Broadcast, Inputs, Terms};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::vector::{Loops, Operand, loops_on_best_isa};
use ferroflow_tensor::{DType, Result, Tensor};
use std::marker::PhantomData;

/// Elements of one parallel block.
pub(crate) const BLOCK: usize = 256;
/// Elements that go through a series or fraction together, as many as have its longest latency at work.
pub(crate) const LANES: usize = 8;

pub(crate) type Lanes = [f64; LANES];

/// A function of `N` numbers with the digits of float32.
pub(crate) trait Formulas<const N: usize> {
    /// Number of formulas that are loops without branches.
    const COUNT: usize;
    /// Returns the index of the formula that fits the arguments, or `COUNT` for those that only `alone` computes.
    fn choose(arguments: [f64; N]) -> usize;
    /// Computes the formula `index` for equally long arguments.
    fn compute(index: usize, arguments: [&[f64]; N], out: &mut [f64]);
    /// Computes one element of the others.
    fn alone(arguments: [f64; N]) -> f64;
}

/// At most `BLOCK` elements to compute; `argument` returns the arguments of an element.
struct Block<'a, F, A, const N: usize> {
    formulas: PhantomData<F>,
    out: &'a mut [f32],
    argument: A,
}

impl<F: Formulas<N>, A: Fn(usize) -> [f32; N], const N: usize> Loops for Block<'_, F, A, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        block::<F, N>(self.out, self.argument);
    }
}

fn compute_block<F: Formulas<N>, const N: usize>(out: &mut [f32], argument: impl Fn(usize) -> [f32; N]) {
    loops_on_best_isa(Block { formulas: PhantomData::<F>, out, argument });
}

#[inline(always)]
fn block<F: Formulas<N>, const N: usize>(out: &mut [f32], argument: impl Fn(usize) -> [f32; N]) {
    let mut formulas = [0u8; BLOCK];
    for (i, formula) in formulas[..out.len()].iter_mut().enumerate() {
        *formula = F::choose(argument(i).map(f64::from)) as u8;
    }
    for index in 0..F::COUNT {
        let mut members = [0u8; BLOCK];
        let mut gathered = [[0.0; BLOCK]; N];
        let mut count = 0;
        for i in (0..out.len()).filter(|i| formulas[*i] == index as u8) {
            members[count] = i as u8;
            for (column, value) in gathered.iter_mut().zip(argument(i)) {
                column[count] = value.into();
            }
            count += 1;
        }
        // The last group is filled up with its first element.
        let padded = count.next_multiple_of(LANES);
        for column in &mut gathered {
            let first = column[count.saturating_sub(1) / LANES * LANES];
            column[count..padded].fill(first);
        }
        let mut results = [0.0; BLOCK];
        let columns = std::array::from_fn(|k| &gathered[k][..padded]);
        F::compute(index, columns, &mut results[..padded]);
        for (i, result) in members[..count].iter().zip(results) {
            out[usize::from(*i)] = result as f32;
        }
    }
    for i in (0..out.len()).filter(|i| usize::from(formulas[*i]) == F::COUNT) {
        out[i] = F::alone(argument(i).map(f64::from)) as f32;
    }
}

/// Returns a function of two tensors of float32, with NumPy's broadcasting.
///
/// Errors: `InvalidArgument` for shapes that do not broadcast.
pub(crate) fn zip_lanes<F: Formulas<2>>(x: &Tensor, y: &Tensor, threads: Threads) -> Result<Tensor> {
    let plan = Broadcast::new(x.shape(), y.shape())?;
    let mut out = Tensor::new(DType::F32, plan.shape.clone())?;
    let inputs = Inputs::Both(x.slice::<f32>()?, y.slice::<f32>()?);
    plan.apply(threads, BLOCK, inputs, out.slice_mut::<f32>()?, |terms, out| {
        let Terms::Both(x, y) = terms else { return };
        let at = |operand: Operand<'_, f32>, i: usize| match operand {
            Operand::Slice(values) => values[i],
            Operand::Scalar(value) => value,
        };
        for (number, part) in out.chunks_mut(BLOCK).enumerate() {
            let start = number * BLOCK;
            compute_block::<F, 2>(part, |i| [at(x, start + i), at(y, start + i)]);
        }
    })?;
    Ok(out)
}

/// Computes a function of `N` slices; the element `i` has the arguments at `i * step`.
pub(crate) fn map_lanes<F: Formulas<N>, const N: usize>(
    arguments: [&[f32]; N],
    steps: [usize; N],
    threads: Threads,
    out: &mut [f32],
) -> Result<()> {
    try_for_chunks_mut(threads, out, BLOCK, |start, part| {
        for (number, part) in part.chunks_mut(BLOCK).enumerate() {
            let start = start + number * BLOCK;
            compute_block::<F, N>(part, |i| std::array::from_fn(|k| arguments[k][(start + i) * steps[k]]));
        }
    })?;
    Ok(())
}

/// Returns the groups of `LANES` elements.
#[inline(always)]
pub(crate) fn groups(values: &[f64]) -> impl Iterator<Item = &Lanes> {
    values.as_chunks().0.iter()
}

/// Returns the groups of `LANES` elements, to be written.
#[inline(always)]
pub(crate) fn groups_mut(values: &mut [f64]) -> impl Iterator<Item = &mut Lanes> {
    values.as_chunks_mut().0.iter_mut()
}

/// Returns one element as it is computed beside others, before it is rounded to float32.
#[cfg(test)]
pub(crate) fn one_by_one<F: Formulas<N>, const N: usize>(arguments: [f64; N]) -> f64 {
    let index = F::choose(arguments);
    if index == F::COUNT {
        return F::alone(arguments);
    }
    let columns = arguments.map(|value| [value; LANES]);
    let mut out = [0.0; LANES];
    F::compute(index, std::array::from_fn(|k| &columns[k][..]), &mut out);
    out[0]
}
