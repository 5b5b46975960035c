//! The frame of the optimizers' update ops: schema, checks, and one pass over a variable, its slots and the gradient.

use crate::wide::Wide;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, ShapeContext, Variable, kernel};
use ferroflow_tensor::threads::for_rows_mut;
use ferroflow_tensor::vector::scalar::Elementary;
use ferroflow_tensor::vector::{Formula, update_in_place, update_rows_in_place};
use ferroflow_tensor::{PartialShape, Result, Status, Tensor, bail, dispatch, ensure};
use num_traits::{Float, NumCast, Zero};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;
/// More scalars than any update has.
const MOST_SCALARS: usize = 8;

/// The scalar inputs of an update, in the order of the op's.
pub(super) type Scalars<F> = [F; MOST_SCALARS];

/// The sign that a scalar must have.
#[derive(Clone, Copy)]
pub(super) enum Sign {
    Positive,
    NotNegative,
    NotPositive,
}

impl Sign {
    /// Returns true if a number has the sign; NaN has none.
    fn is_of<F: Float>(self, x: F) -> bool {
        match self {
            Sign::Positive => x > F::zero(),
            Sign::NotNegative => x >= F::zero(),
            Sign::NotPositive => x <= F::zero(),
        }
    }

    /// Returns the sign in an error's words.
    fn text(self) -> &'static str {
        match self {
            Sign::Positive => "positive",
            Sign::NotNegative => "non-negative",
            Sign::NotPositive => "non-positive",
        }
    }
}

/// Returns a scalar's name in an error's words.
fn told(name: &'static str) -> &'static str {
    match name {
        "l1" => "l1 regularization strength",
        "l2" => "l2 regularization strength",
        "l2_shrinkage" => "l2 shrinkage regularization strength",
        _ => name,
    }
}

/// An optimizer's formula for one element; `N` counts the variable and its slots, inputs 0 to N - 1 of the op.
pub(super) trait Rule<const N: usize>: Send + Sync + 'static {
    /// Names of the dense op's inputs: the variables, then scalars with the gradient among them.
    const INPUTS: &'static [&'static str];
    /// Position of the gradient.
    const GRADIENT: usize;
    /// The scalar that counts steps: int64 whatever the type of the variables.
    const COUNT: Option<&'static str> = None;
    /// Scalars that must have a sign.
    const SIGNS: &'static [(&'static str, Sign)] = &[];
    /// Slots whose absence behind a handle is `NotFound`. TF 1.x: some; that of all others is `Internal`.
    const SOUGHT: &'static [&'static str] = &[];
    /// The scalar that may also be a vector of one. TF 1.x: some kernels leave one out of their checks.
    const UNCHECKED: Option<&'static str> = None;
    /// If true, the sparse op refuses rows without elements. TF 1.x: some do.
    const NEEDS_COLUMNS: bool = false;

    /// Returns the new values of the variable and its slots.
    fn step<F: Elementary>(&self, s: &Scalars<F>, variables: [F; N], gradient: F) -> [F; N];

    /// Returns true if these scalars allow `quick_step`.
    fn is_quick<F: Elementary>(&self, _: &Scalars<F>) -> bool {
        false
    }

    /// Returns what `step` returns, without what keeps a loop from being vectorized: a test in `step` would not do.
    #[inline(always)]
    fn quick_step<F: Elementary>(&self, s: &Scalars<F>, variables: [F; N], gradient: F) -> [F; N] {
        self.step(s, variables, gradient)
    }
}

/// Returns the name and position of each input of a rule's op that is a scalar. A sparse op has its indices right after
/// the gradient.
fn scalar_inputs<const N: usize, R: Rule<N>>(sparse: bool) -> impl Iterator<Item = (&'static str, usize)> {
    let place = move |i| if sparse && i > R::GRADIENT { i + 1 } else { i };
    let scalars = R::INPUTS.iter().enumerate().skip(N).filter(|(i, _)| *i != R::GRADIENT);
    scalars.map(move |(i, name)| (*name, place(i)))
}

/// Returns the dense or sparse op of a rule, without its kernel.
pub(super) fn op<const N: usize, R: Rule<N>>(name: &str, sparse: bool, doc: &'static str) -> Op {
    let mut op = Op::new(name);
    for (i, input) in R::INPUTS.iter().enumerate() {
        let typed = match i {
            _ if i < N => format!("{input}: Ref(T)"),
            _ if R::COUNT == Some(input) => format!("{input}: int64"),
            _ => format!("{input}: T"),
        };
        op = op.input(&typed);
        if sparse && i == R::GRADIENT {
            op = op.input("indices: Tindices");
        }
    }
    op = op.output("out: Ref(T)").attr("T: numbertype");
    if sparse {
        op = op.attr("Tindices: {int32, int64}");
    }
    let shape = if sparse { sparse_shape::<N, R> } else { dense_shape::<N, R> };
    op.attr("use_locking: bool = false").doc(doc).shape(shape)
}

fn dense_shape<const N: usize, R: Rule<N>>(c: &mut ShapeContext<'_>) -> Result<()> {
    shape::<N, R>(c, false)
}

fn sparse_shape<const N: usize, R: Rule<N>>(c: &mut ShapeContext<'_>) -> Result<()> {
    shape::<N, R>(c, true)
}

/// Checks that the variables have one shape, and the gradient has it too or is a row of it for each index.
fn shape<const N: usize, R: Rule<N>>(c: &mut ShapeContext<'_>, sparse: bool) -> Result<()> {
    let mut s = PartialShape::unknown();
    for i in 0..N {
        s = s.merge(c.input(i)?)?;
    }
    let gradient = c.input(R::GRADIENT)?;
    if !sparse {
        s = s.merge(gradient)?;
    } else {
        let rows = c.input(R::GRADIENT + 1)?.with_rank(1)?;
        if let Some(dims) = s.with_rank_at_least(1)?.dims() {
            rows.concatenate(&PartialShape::from_dims(&dims[1..])).merge(gradient)?;
        }
        if let Some(mut dims) = gradient.with_rank_at_least(1)?.dims() {
            if let (Some(a), Some(b)) = (rows.dim(0), dims[0]) {
                ensure!(a == b, InvalidArgument, "Dimensions must be equal, but are {a} and {b}");
            }
            dims[0] = None;
            s = s.merge(&PartialShape::from_dims(&dims))?;
        }
    }
    for (_, i) in scalar_inputs::<N, R>(sparse) {
        c.input(i)?.merge(&PartialShape::scalar())?;
    }
    c.set_output(0, s);
    Ok(())
}

/// Returns the kernel of a dense update.
pub(super) fn dense<const N: usize, R: Rule<N>>(init: &KernelInit<'_>, rule: R) -> Result<Box<dyn Kernel>> {
    dispatch!(init.dtype("T")?, T in float, {
        kernel(move |ctx| update::<N, R, T>(ctx, &rule))
    }, else Err(init.unsupported()))
}

/// Returns the kernel of an update of the rows that indices name.
pub(super) fn sparse<const N: usize, R: Rule<N>>(init: &KernelInit<'_>, rule: R) -> Result<Box<dyn Kernel>> {
    dispatch!(init.dtype("T")?, T in float, {
        kernel(move |ctx| update_rows::<N, R, T>(ctx, &rule))
    }, else Err(init.unsupported()))
}

fn scalars<const N: usize, R: Rule<N>, T: Wide>(inputs: &[Tensor], sparse: bool) -> Result<Scalars<T::In>> {
    let mut values = [T::In::zero(); MOST_SCALARS];
    for ((name, i), value) in scalar_inputs::<N, R>(sparse).zip(&mut values) {
        let t = &inputs[i];
        let is_scalar = t.rank() == 0 || (R::UNCHECKED == Some(name) && t.elements() == 1);
        ensure!(is_scalar, InvalidArgument, "{name} is not a scalar: {}", t.shape());
        *value = if R::COUNT == Some(name) {
            NumCast::from(t.to_scalar::<i64>()?).unwrap_or_else(T::In::infinity)
        } else {
            t.to_scalar::<T>()?.widen()
        };
        if let Some((_, sign)) = R::SIGNS.iter().find(|(signed, _)| *signed == name) {
            let (told, text) = (told(name), sign.text());
            ensure!(sign.is_of(*value), InvalidArgument, "{told} is not a {text} scalar: {}", t.shape());
        }
    }
    Ok(values)
}

fn same_shape(var: &Tensor, name: &str, other: &Tensor) -> Result<()> {
    ensure!(
        var.shape() == other.shape(),
        InvalidArgument,
        "var and {name} do not have the same shape{} {}",
        var.shape(),
        other.shape()
    );
    Ok(())
}

/// Returns the elements of the variables, which have one shape, for writing.
fn slices_of<const N: usize, R: Rule<N>, T: Wide>(variables: [&mut Tensor; N]) -> Result<[&mut [T]; N]> {
    for (slot, name) in variables.iter().zip(R::INPUTS).skip(1) {
        same_shape(variables[0], name, slot)?;
    }
    let mut slices = std::array::from_fn(|_| <&mut [T]>::default());
    for (slice, variable) in slices.iter_mut().zip(variables) {
        *slice = variable.slice_mut::<T>()?;
    }
    Ok(slices)
}

/// Returns the error of an update for the variable without a value at place `i` of the inputs.
fn missing<const N: usize, R: Rule<N>>(i: usize, variable: &Variable) -> Status {
    match variable.is_of_handle() {
        false => variable.uninitialized(),
        true if R::SOUGHT.contains(&R::INPUTS[i]) => variable.not_found(),
        true => Status::internal("Invalid variable reference."),
    }
}

fn update<const N: usize, R: Rule<N>, T: Wide>(ctx: &mut KernelContext<'_>, rule: &R) -> Result<()> {
    let threads = ctx.threads();
    ctx.update_many(std::array::from_fn(|i| i), missing::<N, R>, |variables: [&mut Tensor; N], inputs| {
        let scalars = scalars::<N, R, T>(inputs, false)?;
        let gradient = &inputs[R::GRADIENT];
        same_shape(variables[0], R::INPUTS[R::GRADIENT], gradient)?;
        let (slices, gradient) = (slices_of::<N, R, T>(variables)?, gradient.slice::<T>()?);
        let scalars = &scalars;
        for_rows_mut(threads, gradient.len(), BLOCK, slices, |range, parts| {
            if rule.is_quick(scalars) {
                update_in_place(&WithScalars::<R, _, true> { rule, scalars }, parts, &gradient[range]);
            } else {
                update_in_place(&WithScalars::<R, _, false> { rule, scalars }, parts, &gradient[range]);
            }
        });
        Ok(())
    })
}

/// Updates row after row in the order of the indices, so that the sum of equal ones is certain.
fn update_rows<const N: usize, R: Rule<N>, T: Wide>(ctx: &mut KernelContext<'_>, rule: &R) -> Result<()> {
    ctx.update_many(std::array::from_fn(|i| i), missing::<N, R>, |variables: [&mut Tensor; N], inputs| {
        let scalars = scalars::<N, R, T>(inputs, true)?;
        let (gradient, indices) = (&inputs[R::GRADIENT], &inputs[R::GRADIENT + 1]);
        let var = variables[0].shape().clone();
        ensure!(indices.rank() == 1, InvalidArgument, "indices must be one-dimensional");
        let Some((&count, row)) = var.split_first() else {
            bail!(InvalidArgument, "var must be at least 1 dimensional")
        };
        let has_columns = row.iter().all(|&n| n > 0);
        ensure!(has_columns || !R::NEEDS_COLUMNS, InvalidArgument, "Inner dimension should be greater than zero.");
        let fits = gradient.shape().iter().eq(indices.shape().iter().chain(row));
        ensure!(
            fits,
            InvalidArgument,
            "grad must have one row of var for each of the indices: grad shape {}, indices shape {}, var shape {var}",
            gradient.shape(),
            indices.shape()
        );
        let row: usize = row.iter().product();
        let mut rows = Vec::with_capacity(indices.elements());
        for (i, &index) in indices.to_i64s()?.iter().enumerate() {
            match usize::try_from(index) {
                Ok(r) if r < count => rows.push(r),
                _ => bail!(InvalidArgument, "Index {index} at offset {i} in indices is out of range"),
            }
        }
        let slices = slices_of::<N, R, T>(variables)?;
        let (scalars, gradient) = (&scalars, gradient.slice::<T>()?);
        if rule.is_quick(scalars) {
            update_rows_in_place(&WithScalars::<R, _, true> { rule, scalars }, slices, row, &rows, gradient);
        } else {
            update_rows_in_place(&WithScalars::<R, _, false> { rule, scalars }, slices, row, &rows, gradient);
        }
        Ok(())
    })
}

/// A rule with the values of its scalars, which decide about `QUICK`.
struct WithScalars<'a, R, F, const QUICK: bool> {
    rule: &'a R,
    scalars: &'a Scalars<F>,
}

impl<const N: usize, R: Rule<N>, F: Elementary + Sync, const QUICK: bool> Formula<F, N>
    for WithScalars<'_, R, F, QUICK>
{
    #[inline(always)]
    fn apply(&self, values: [F; N], by: F) -> [F; N] {
        if QUICK { self.rule.quick_step(self.scalars, values, by) } else { self.rule.step(self.scalars, values, by) }
    }
}
