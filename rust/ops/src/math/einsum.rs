//! Einsum: sums of products of elements over the dimensions that an equation names.

use super::batch_mat_mul::{Adjoints, products};
use super::mat_mul::Factor;
use crate::array::strided::{Walk, gathered};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, bail, by_size, dispatch, ensure};
use num_traits::One;

const ELLIPSIS: &str = "...";

/// A dimension: one that a letter names, or one behind an ellipsis, counted from its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    Letter(char),
    Behind(usize),
}

/// The letters of a tensor before and behind its ellipsis.
#[derive(Clone, Debug)]
struct Subscript {
    before: Vec<char>,
    behind: Vec<char>,
    has_ellipsis: bool,
}

impl Subscript {
    fn parse(text: &str) -> Result<Subscript> {
        let (before, behind, has_ellipsis) = match text.split_once(ELLIPSIS) {
            Some((before, behind)) => (before, behind, true),
            None => (text, "", false),
        };
        for part in [before, behind] {
            ensure!(!part.contains(ELLIPSIS), InvalidArgument, "Input contains more than one ellipsis.");
            if let Some(other) = part.chars().find(|c| !c.is_ascii_alphabetic()) {
                bail!(InvalidArgument, "Subscripts may only contain letters, got: '{other}' in '{text}'");
            }
        }
        Ok(Subscript { before: before.chars().collect(), behind: behind.chars().collect(), has_ellipsis })
    }

    /// Returns the labels of a tensor of `rank`; `None` gives the letters those of `hidden` dimensions between them.
    fn labels(&self, hidden: usize) -> Vec<Label> {
        let between = (0..hidden).rev().map(Label::Behind);
        let letters = |part: &[char]| part.iter().map(|&c| Label::Letter(c)).collect::<Vec<_>>();
        letters(&self.before).into_iter().chain(between).chain(letters(&self.behind)).collect()
    }

    /// Returns the number of dimensions behind the ellipsis of a tensor of `rank`.
    fn hidden(&self, rank: usize) -> Result<usize> {
        let named = self.before.len() + self.behind.len();
        match rank.checked_sub(named) {
            Some(hidden) if hidden == 0 || self.has_ellipsis => Ok(hidden),
            _ if self.has_ellipsis => bail!(InvalidArgument, "Shape must be at least rank {named} but is rank {rank}"),
            _ => bail!(InvalidArgument, "Shape must be rank {named} but is rank {rank}"),
        }
    }
}

/// An equation for one or two tensors.
#[derive(Clone, Debug)]
struct Equation {
    inputs: Vec<Subscript>,
    output: Subscript,
}

impl Equation {
    fn parse(text: &str, count: usize) -> Result<Equation> {
        let Some((inputs, output)) = text.split_once("->").filter(|(_, output)| !output.contains("->")) else {
            bail!(InvalidArgument, "Expecting exactly one '->' in einsum equation: {text}");
        };
        let inputs: Vec<Subscript> = inputs.split(',').map(Subscript::parse).collect::<Result<_>>()?;
        let given = inputs.len();
        ensure!(given <= 2, InvalidArgument, "Expecting 1 or 2 input subscripts in equation '{text}' but got: {given}");
        ensure!(given == count, InvalidArgument, "Expected {count} inputs for equation {text} but got: {given}");
        let output = Subscript::parse(output)?;
        let known = |c: &char| inputs.iter().any(|i| i.before.contains(c) || i.behind.contains(c));
        if let Some(unknown) = output.before.iter().chain(&output.behind).find(|c| !known(c)) {
            bail!(
                InvalidArgument,
                "Output subscripts contain the label '{unknown}' which is not present in the input subscripts"
            );
        }
        Ok(Equation { inputs, output })
    }

    /// Returns the labels of the result, whose ellipsis has as many dimensions as the longest of the inputs'.
    fn output_labels(&self, hidden: usize) -> Result<Vec<Label>> {
        ensure!(
            hidden == 0 || self.output.has_ellipsis,
            InvalidArgument,
            "Expected the output subscript to have an ellipsis for the {hidden} dimensions behind those of the inputs"
        );
        Ok(self.output.labels(if self.output.has_ellipsis { hidden } else { 0 }))
    }
}

/// Sizes of labels. The dimensions behind ellipses are stretched to one size, the others must be equal.
struct Sizes<T>(Vec<(Label, T)>);

impl<T: Copy> Sizes<T> {
    fn of(&self, label: Label) -> Option<T> {
        self.0.iter().find(|(known, _)| *known == label).map(|(_, size)| *size)
    }

    fn add(&mut self, label: Label, size: T, joined: impl Fn(T, T, bool) -> Result<T>) -> Result<()> {
        match self.0.iter_mut().find(|(known, _)| *known == label) {
            Some((_, known)) => *known = joined(*known, size, matches!(label, Label::Behind(_)))?,
            None => self.0.push((label, size)),
        }
        Ok(())
    }
}

fn joined(a: usize, b: usize, stretches: bool) -> Result<usize> {
    match (a, b) {
        _ if a == b => Ok(a),
        (1, n) | (n, 1) if stretches => Ok(n),
        _ => bail!(InvalidArgument, "Dimensions must be equal, but are {a} and {b}"),
    }
}

fn joined_partial(a: Option<usize>, b: Option<usize>, stretches: bool) -> Result<Option<usize>> {
    match (a, b) {
        (Some(a), Some(b)) => joined(a, b, stretches).map(Some),
        // A known size of 1 may be stretched to the unknown one.
        (Some(1), None) | (None, Some(1)) if stretches => Ok(None),
        (known, other) => Ok(known.or(other)),
    }
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let equation = Equation::parse(&c.str("equation")?, c.num_inputs())?;
    let mut sizes = Sizes(Vec::new());
    let mut most = 0;
    for (i, subscript) in equation.inputs.iter().enumerate() {
        let input = c.input(i)?;
        let Some(dims) = input.dims() else {
            if subscript.has_ellipsis {
                return Ok(());
            }
            continue;
        };
        let hidden = subscript.hidden(dims.len())?;
        most = most.max(hidden);
        for (label, size) in subscript.labels(hidden).into_iter().zip(dims) {
            sizes.add(label, size, joined_partial)?;
        }
    }
    let dims: Vec<_> = equation.output_labels(most)?.into_iter().map(|l| sizes.of(l).flatten()).collect();
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

/// A tensor with one dimension for each label.
struct Operand {
    labels: Vec<Label>,
    value: Tensor,
}

/// Returns the elements of a tensor with its dimensions in the order of `labels`: the diagonal of repeated ones.
fn arranged(x: &Tensor, own: &[Label], labels: &[Label], sizes: &Sizes<usize>, threads: Threads) -> Result<Tensor> {
    let strides = x.shape().strides();
    let mut walk = Walk::new(0);
    let mut dims = Vec::with_capacity(labels.len());
    for &label in labels {
        let size = sizes.of(label).unwrap_or(1);
        // A size of 1 is stretched: all elements are the same one.
        let steps = own.iter().zip(&strides).enumerate().filter(|(i, (l, _))| **l == label && x.shape()[*i] != 1);
        walk.push(size, steps.map(|(_, (_, &s))| s as isize).sum());
        dims.push(size);
    }
    gathered(threads, x, &walk, Shape::new(&dims))
}

/// Returns a tensor of `rows` matrices as batches: the number of elements of some labels.
fn count(labels: &[Label], sizes: &Sizes<usize>) -> i64 {
    labels.iter().map(|&l| sizes.of(l).unwrap_or(1) as i64).fold(1, i64::saturating_mul)
}

/// Sums over the dimensions of a tensor whose labels `is_kept` refuses.
fn summed<T: Factor + One>(
    x: &Tensor,
    own: &[Label],
    sizes: &Sizes<usize>,
    is_kept: impl Fn(Label) -> bool,
    threads: Threads,
) -> Result<Operand> {
    let mut distinct: Vec<Label> = Vec::new();
    own.iter().for_each(|l| {
        if !distinct.contains(l) {
            distinct.push(*l);
        }
    });
    let (kept, lost): (Vec<Label>, Vec<Label>) = distinct.into_iter().partition(|&l| is_kept(l));
    let labels: Vec<Label> = kept.iter().chain(&lost).copied().collect();
    let value = arranged(x, own, &labels, sizes, threads)?;
    let dims: Vec<usize> = kept.iter().map(|&l| sizes.of(l).unwrap_or(1)).collect();
    if lost.is_empty() {
        return Ok(Operand { labels: kept, value });
    }
    let (rows, columns) = (count(&kept, sizes), count(&lost, sizes));
    let value = value.reshaped(Shape::checked(&[rows, columns])?)?;
    let ones = Tensor::from_slice(Shape::checked(&[columns, 1])?, &vec![T::one(); columns as usize])?;
    let value = products::<T>(&value, &ones, Adjoints::default(), true, threads)?.reshaped(Shape::new(&dims))?;
    Ok(Operand { labels: kept, value })
}

/// Returns the products of two tensors, summed over the labels that both have and the output lacks.
fn contracted<T: Factor>(
    x: &Operand,
    y: &Operand,
    output: &[Label],
    sizes: &Sizes<usize>,
    threads: Threads,
) -> Result<Operand> {
    let shared: Vec<Label> = x.labels.iter().copied().filter(|l| y.labels.contains(l)).collect();
    let (batch, inner): (Vec<Label>, Vec<Label>) = shared.iter().partition(|l| output.contains(l));
    let own = |labels: &[Label]| labels.iter().copied().filter(|l| !shared.contains(l)).collect::<Vec<_>>();
    let (rows, columns) = (own(&x.labels), own(&y.labels));
    let matrices = |operand: &Operand, first: &[Label], second: &[Label]| {
        let order: Vec<Label> = batch.iter().chain(first).chain(second).copied().collect();
        let value = arranged(&operand.value, &operand.labels, &order, sizes, threads)?;
        value.reshaped(Shape::checked(&[count(&batch, sizes), count(first, sizes), count(second, sizes)])?)
    };
    let (a, b) = (matrices(x, &rows, &inner)?, matrices(y, &inner, &columns)?);
    let value = products::<T>(&a, &b, Adjoints::default(), true, threads)?;
    let labels: Vec<Label> = batch.iter().chain(&rows).chain(&columns).copied().collect();
    let dims: Vec<usize> = labels.iter().map(|&l| sizes.of(l).unwrap_or(1)).collect();
    Ok(Operand { labels, value: value.reshaped(Shape::new(&dims))? })
}

/// Puts elements in the places of the output: on the diagonal of repeated labels.
fn placed(x: &Operand, output: &[Label], sizes: &Sizes<usize>, dtype: DType, threads: Threads) -> Result<Tensor> {
    if output.len() == x.labels.len() {
        // No label is repeated, so that every element of the output is one of x.
        return arranged(&x.value, &x.labels, output, sizes, threads);
    }
    let dims: Vec<i64> = output.iter().map(|&l| sizes.of(l).unwrap_or(1) as i64).collect();
    let mut out = Tensor::zeros(dtype, Shape::checked(&dims)?)?;
    let strides = out.shape().strides();
    let mut walk = Walk::new(0);
    for (&label, &size) in x.labels.iter().zip(x.value.shape().iter()) {
        let steps = output.iter().zip(&strides).filter(|(l, _)| **l == label);
        walk.push(size, steps.map(|(_, &s)| s as isize).sum());
    }
    by_size!(dtype, E, walk.write(E::view(&x.value)?, E::view_mut(&mut out)?))?;
    Ok(out)
}

fn sums<T: Factor + One>(equation: &Equation, inputs: &[Tensor], threads: Threads) -> Result<Tensor> {
    let mut sizes = Sizes(Vec::new());
    let (mut labels, mut most) = (Vec::new(), 0);
    for (subscript, x) in equation.inputs.iter().zip(inputs) {
        let hidden = subscript.hidden(x.rank())?;
        most = most.max(hidden);
        let own = subscript.labels(hidden);
        for (&label, &size) in own.iter().zip(x.shape().iter()) {
            sizes.add(label, size, joined)?;
        }
        labels.push(own);
    }
    let output = equation.output_labels(most)?;
    let result = match (inputs, &labels[..]) {
        ([x], [own]) => summed::<T>(x, own, &sizes, |l| output.contains(&l), threads)?,
        ([x, y], [left, right]) => {
            let a = summed::<T>(x, left, &sizes, |l| output.contains(&l) || right.contains(&l), threads)?;
            let b = summed::<T>(y, right, &sizes, |l| output.contains(&l) || left.contains(&l), threads)?;
            contracted::<T>(&a, &b, &output, &sizes, threads)?
        }
        _ => bail!(InvalidArgument, "Expected either 1 or 2 inputs but got: {}", inputs.len()),
    };
    placed(&result, &output, &sizes, T::DTYPE, threads)
}

fn einsum(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let count = init.node.inputs.len();
    let equation = Equation::parse(&init.str("equation")?, count)?;
    dispatch!(init.output_type(0)?, T in [F32, F64, F16, BF16, I32, I64, Complex64, Complex128], {
        kernel(move |ctx| {
            let out = sums::<T>(&equation, ctx.inputs(), ctx.threads())?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Einsum")
            .input("inputs: N * T")
            .output("output: T")
            .attr("equation: string")
            .attr("N: int >= 1")
            .attr("T: type")
            .doc("Returns sums of products of elements over the dimensions that the equation names.")
            .shape(shape)
            .kernel(einsum),
    );
}
