//! ConditionalAccumulator, SparseConditionalAccumulator and their ops: gradients summed until so many came, then taken.

use super::accumulated_rows::{AccumulatedRows, Reduction};
use ferroflow_graph::{
    Bell, Cancellation, Kernel, KernelContext, KernelInit, Op, Pending, Registry, ShapeContext, Unnamed, kernel,
    resource_kernel, shape_rules,
};
use ferroflow_sync::Mutex;
use ferroflow_tensor::vector::{Binary, Element, Operand, binary_in_place_left};
use ferroflow_tensor::{DType, PartialShape, Result, Scalar, Status, Tensor, dispatch, elementwise, ensure};
use smallvec::{SmallVec, smallvec};
use std::collections::VecDeque;
use std::sync::Arc;

/// The sum of the gradients so far.
enum Sum {
    Nothing,
    Dense(Tensor),
    Rows(AccumulatedRows),
}

struct Progress {
    sum: Sum,
    count: i64,
    global_step: i64,
    /// Takes that wait, first come first served.
    waiting: VecDeque<Arc<Ticket>>,
}

/// A take in line, and its step's bell.
struct Ticket {
    required: i64,
    bell: Arc<Bell>,
}

/// The form of the gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Dense,
    Sparse,
}

impl Form {
    fn name(self) -> &'static str {
        match self {
            Form::Dense => "dense",
            Form::Sparse => "sparse",
        }
    }
}

/// Sums gradients until a take finds enough of them.
pub(super) struct Accumulator {
    dtype: DType,
    shape: PartialShape,
    form: Form,
    reduction: Reduction,
    progress: Mutex<Progress>,
}

impl Accumulator {
    fn new(dtype: DType, shape: PartialShape, form: Form, reduction: Reduction) -> Accumulator {
        let progress = Progress { sum: Sum::Nothing, count: 0, global_step: 0, waiting: VecDeque::new() };
        Accumulator { dtype, shape, form, reduction, progress: Mutex::new(progress) }
    }

    fn check(&self, dtype: DType, form: Form) -> Result<()> {
        ensure!(
            self.dtype == dtype && self.form == form,
            InvalidArgument,
            "The accumulator holds {} {} gradients, not {} {}",
            self.form.name(),
            self.dtype.schema_name(),
            form.name(),
            dtype.schema_name()
        );
        Ok(())
    }

    /// Adds a gradient, unless it was computed before the accumulator's global step. `add` checks before it changes.
    fn apply(&self, local_step: i64, add: impl FnOnce(&mut Sum) -> Result<()>) -> Result<()> {
        let mut progress = self.progress.lock();
        if local_step >= progress.global_step {
            if progress.count == 0 {
                progress.sum = Sum::Nothing;
            }
            add(&mut progress.sum)?;
            progress.count += 1;
            progress.ring();
        }
        Ok(())
    }

    /// Stands in line for the sum of `required` gradients.
    fn line_up(&self, required: i64, step: &Cancellation) -> Result<Arc<Ticket>> {
        ensure!(required > 0, InvalidArgument, "Argument num_required must be positive, but was {required}");
        let ticket = Arc::new(Ticket { required, bell: step.bell().clone() });
        self.progress.lock().waiting.push_back(ticket.clone());
        Ok(ticket)
    }

    /// Returns the sum and the number of its gradients, once there are as many as the first in line requires. None are
    /// left, and the global step goes on.
    fn take(&self, ticket: &Arc<Ticket>) -> Option<(Sum, i64)> {
        let mut progress = self.progress.lock();
        let is_first = progress.waiting.front().is_some_and(|t| Arc::ptr_eq(t, ticket));
        if !is_first || progress.count < ticket.required {
            return None;
        }
        progress.waiting.pop_front();
        progress.global_step += 1;
        let count = std::mem::take(&mut progress.count);
        Some((std::mem::replace(&mut progress.sum, Sum::Nothing), count))
    }

    /// Takes a ticket out of the line; the next may find enough.
    fn leave(&self, ticket: &Arc<Ticket>) {
        let mut progress = self.progress.lock();
        progress.waiting.retain(|t| !Arc::ptr_eq(t, ticket));
        progress.ring();
    }

    fn set_global_step(&self, step: i64) {
        self.progress.lock().global_step = step;
    }

    fn count(&self) -> i64 {
        self.progress.lock().count
    }
}

impl Progress {
    /// Wakes the first in line where there is enough for it.
    fn ring(&self) {
        if let Some(first) = self.waiting.front()
            && self.count >= first.required
        {
            first.bell.ring();
        }
    }
}

/// Makes the outputs of what was taken.
type Finish = fn(&Accumulator, Sum, i64) -> Result<SmallVec<[Tensor; 2]>>;

/// A take in line.
struct Take {
    accumulator: Arc<Accumulator>,
    ticket: Arc<Ticket>,
    finish: Finish,
}

impl Pending for Take {
    fn poll(&mut self) -> Option<Result<SmallVec<[Tensor; 2]>>> {
        let (sum, count) = self.accumulator.take(&self.ticket)?;
        Some((self.finish)(&self.accumulator, sum, count))
    }

    fn cancelled(&self) -> &'static str {
        "TakeGrad operation was cancelled"
    }
}

impl Drop for Take {
    fn drop(&mut self) {
        self.accumulator.leave(&self.ticket);
    }
}

/// Divides `values` by a number of gradients.
pub(super) fn divided<T: Scalar + Element>(values: &mut [T], count: i64) -> Result<()> {
    let one = elementwise::cast(Tensor::scalar(count as f64), T::DTYPE, ferroflow_tensor::threads::Threads::single())?;
    binary_in_place_left(Binary::Div, values, Operand::Scalar(one.to_scalar::<T>()?));
    Ok(())
}

fn accumulator(ctx: &KernelContext<'_>) -> Result<Arc<Accumulator>> {
    ctx.resource(0)
}

fn scalar<T: Scalar>(ctx: &KernelContext<'_>, i: usize, name: &str) -> Result<T> {
    let t = ctx.input(i)?;
    ensure!(t.rank() == 0, InvalidArgument, "Argument {name} must be scalar, but had bad shape {}", t.shape());
    t.to_scalar()
}

fn make(init: &KernelInit<'_>, form: Form) -> Result<Box<dyn Kernel>> {
    let (dtype, shape) = (init.dtype("dtype")?, init.shape("shape")?);
    let reduction = if init.str("reduction_type")? == "SUM" { Reduction::Sum } else { Reduction::Mean };
    if !matches!(dtype, DType::F16 | DType::BF16 | DType::F32 | DType::F64) {
        return Err(init.unsupported());
    }
    let made = move |_: &KernelContext<'_>, _: &str| Ok(Accumulator::new(dtype, shape.clone(), form, reduction));
    resource_kernel(init, Unnamed::Private, made, move |found: &Accumulator| found.check(dtype, form))
}

fn add_dense<T: Scalar + Element>(shape: &PartialShape, sum: &mut Sum, gradient: &Tensor) -> Result<()> {
    if let Sum::Dense(sum) = sum {
        ensure!(
            sum.shape() == gradient.shape(),
            InvalidArgument,
            "Shape mismatch: expected {}, got {}",
            sum.shape(),
            gradient.shape()
        );
        binary_in_place_left(Binary::Add, sum.slice_mut::<T>()?, Operand::Slice(gradient.slice::<T>()?));
        return Ok(());
    }
    ensure!(
        shape.is_compatible_with(&gradient.shape().into()),
        InvalidArgument,
        "Shape mismatch: expected {shape}, got {}",
        gradient.shape()
    );
    *sum = Sum::Dense(gradient.clone().into_owned()?);
    Ok(())
}

fn apply(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("dtype")?;
    dispatch!(dtype, T in float, kernel(move |ctx| {
        let accumulator = accumulator(ctx)?;
        accumulator.check(dtype, Form::Dense)?;
        let gradient = ctx.input(2)?;
        accumulator.apply(scalar(ctx, 1, "local_step")?, |sum| add_dense::<T>(&accumulator.shape, sum, gradient))
    }), else Err(init.unsupported()))
}

fn apply_sparse(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (dtype, known) = (init.dtype("dtype")?, init.bool("has_known_shape")?);
    dispatch!(dtype, T in float, kernel(move |ctx| {
        let accumulator = accumulator(ctx)?;
        accumulator.check(dtype, Form::Sparse)?;
        let (indices, values) = (ctx.input(2)?, ctx.input(3)?);
        let dense_shape = if known { Some(ctx.input(4)?) } else { None };
        accumulator.apply(scalar(ctx, 1, "local_step")?, |sum| {
            let before = if let Sum::Rows(rows) = &*sum { Some(rows) } else { None };
            let rows = AccumulatedRows::sum::<T>(before, &accumulator.shape, indices, values, dense_shape)?;
            *sum = Sum::Rows(rows);
            Ok(())
        })
    }), else Err(init.unsupported()))
}

/// Returns the kernel of a take, which makes its outputs of the gradients that it takes, now or later.
fn take(init: &KernelInit<'_>, form: Form) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("dtype")?;
    dispatch!(dtype, T in float, {
        let finish: Finish = match form {
            Form::Dense => finish_dense::<T>,
            Form::Sparse => finish_rows::<T>,
        };
        kernel(move |ctx| {
            let accumulator = accumulator(ctx)?;
            accumulator.check(dtype, form)?;
            let required = scalar::<i32>(ctx, 1, "num_required")?.into();
            let ticket = accumulator.line_up(required, ctx.step.cancellation)?;
            let mut take = Take { accumulator, ticket, finish };
            match take.poll() {
                Some(outputs) => outputs?.into_iter().enumerate().for_each(|(i, t)| ctx.set_output(i, t)),
                None => ctx.wait_for(take),
            }
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn finish_dense<T: Scalar + Element>(from: &Accumulator, sum: Sum, count: i64) -> Result<SmallVec<[Tensor; 2]>> {
    let Sum::Dense(mut sum) = sum else {
        return Err(Status::internal("an accumulator of dense gradients has none"));
    };
    if from.reduction == Reduction::Mean {
        divided(sum.slice_mut::<T>()?, count)?;
    }
    Ok(smallvec![sum])
}

fn finish_rows<T: Scalar + Element>(from: &Accumulator, sum: Sum, _: i64) -> Result<SmallVec<[Tensor; 2]>> {
    let Sum::Rows(rows) = sum else {
        return Err(Status::internal("an accumulator of sparse gradients has none"));
    };
    Ok(SmallVec::from_iter(rows.finish::<T>(&from.shape, from.reduction)?))
}

fn number(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let count = i32::try_from(accumulator(ctx)?.count()).unwrap_or(i32::MAX);
        ctx.set_output(0, Tensor::scalar(count));
        Ok(())
    })
}

fn set_global_step(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        accumulator(ctx)?.set_global_step(scalar(ctx, 1, "new_global_step")?);
        Ok(())
    })
}

fn handle_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.set_output(0, PartialShape::vector(Some(2)));
    Ok(())
}

fn scalar_argument(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.with_rank(0)?;
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let maker = |name: &str| {
        Op::new(name)
            .output("handle: Ref(string)")
            .attr("dtype: numbertype")
            .attr("shape: shape")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'")
            .stateful()
            .shape(handle_shape)
    };
    let user = |name: &str| Op::new(name).input("handle: Ref(string)").inspects_ref().stateful().listed_stateful(false);
    r.add(
        maker("ConditionalAccumulator")
            .doc("Returns a handle to an accumulator of dense gradients.")
            .kernel(|init| make(init, Form::Dense)),
    );
    r.add(
        maker("SparseConditionalAccumulator")
            .doc("Returns a handle to an accumulator of gradients given as slices.")
            .kernel(|init| make(init, Form::Sparse)),
    );
    r.add(
        user("AccumulatorNumAccumulated")
            .output("num_accumulated: int32")
            .doc("Returns the number of gradients that were added since the last take.")
            .shape(shape_rules::scalar)
            .kernel(number),
    );
    r.add(
        user("AccumulatorSetGlobalStep")
            .input("new_global_step: int64")
            .doc("Sets the step from which on gradients are added.")
            .shape(scalar_argument)
            .kernel(set_global_step),
    );
    r.add(
        user("AccumulatorApplyGradient")
            .input("local_step: int64")
            .input("gradient: dtype")
            .attr("dtype: numbertype")
            .doc("Adds a gradient, unless it was computed in a step before the accumulator's.")
            .shape(scalar_argument)
            .kernel(apply),
    );
    r.add(
        user("AccumulatorTakeGradient")
            .input("num_required: int32")
            .output("average: dtype")
            .attr("dtype: numbertype")
            .doc("Waits until `num_required` gradients were added; returns their mean and begins anew.")
            .shape(scalar_argument)
            .may_wait()
            .kernel(|init| take(init, Form::Dense)),
    );
    r.add(
        user("SparseAccumulatorApplyGradient")
            .input("local_step: int64")
            .input("gradient_indices: int64")
            .input("gradient_values: dtype")
            .input("gradient_shape: int64")
            .attr("dtype: numbertype")
            .attr("has_known_shape: bool")
            .doc("Adds a gradient given as slices, unless it was computed in a step before the accumulator's.")
            .shape(scalar_argument)
            .kernel(apply_sparse),
    );
    r.add(
        user("SparseAccumulatorTakeGradient")
            .input("num_required: int32")
            .output("indices: int64")
            .output("values: dtype")
            .output("shape: int64")
            .attr("dtype: numbertype")
            .doc("Waits until `num_required` gradients were added; returns the mean of each slice and begins anew.")
            .shape(scalar_argument)
            .may_wait()
            .kernel(|init| take(init, Form::Sparse)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense() -> Accumulator {
        Accumulator::new(DType::F32, PartialShape::vector(Some(2)), Form::Dense, Reduction::Mean)
    }

    fn add(to: &Accumulator, step: i64, values: &[f32]) -> Result<()> {
        let gradient = Tensor::from_slice([values.len()], values)?;
        to.apply(step, |sum| add_dense::<f32>(&to.shape, sum, &gradient))
    }

    fn step() -> Cancellation {
        Cancellation::new()
    }

    fn taken(from: &Accumulator, required: i64) -> (Vec<f32>, i64) {
        match from.take(&from.line_up(required, &step()).unwrap()) {
            Some((Sum::Dense(sum), count)) => (sum.slice::<f32>().unwrap().to_vec(), count),
            _ => (vec![], 0),
        }
    }

    #[test]
    fn gradients_are_summed_and_late_ones_dropped() {
        let a = dense();
        add(&a, 0, &[1.0, 2.0]).unwrap();
        add(&a, 0, &[3.0, 4.0]).unwrap();
        assert_eq!(taken(&a, 1), (vec![4.0, 6.0], 2));
        add(&a, 0, &[1.0, 1.0]).unwrap();
        assert_eq!(a.count(), 0);
        add(&a, 1, &[1.0, 1.0]).unwrap();
        assert_eq!(taken(&a, 1), (vec![1.0, 1.0], 1));
        assert!(a.line_up(0, &step()).is_err());
        a.set_global_step(5);
        add(&a, 4, &[1.0, 1.0]).unwrap();
        assert_eq!(a.count(), 0);
        assert_eq!(add(&a, 5, &[1.0]).unwrap_err().message(), "Shape mismatch: expected [2], got [1]");
    }

    #[test]
    fn takes_wait_for_their_turn_and_leave_it_to_the_next() {
        let a = Arc::new(dense());
        let [first, second] = [2, 1].map(|required| {
            let step = step();
            let ticket = a.line_up(required, &step).unwrap();
            (Take { accumulator: a.clone(), ticket, finish: finish_dense::<f32> }, step)
        });
        add(&a, 0, &[1.0, 2.0]).unwrap();
        let ((mut first, _), (mut second, step)) = (first, second);
        assert!(first.poll().is_none() && second.poll().is_none());
        drop(first);
        step.bell().wait(&mut 0, std::time::Duration::from_secs(60));
        let outputs = second.poll().unwrap().unwrap();
        assert_eq!(outputs[0].slice::<f32>().unwrap(), [1.0, 2.0]);
        drop(second);
        assert!(a.progress.lock().waiting.is_empty());
    }
}
