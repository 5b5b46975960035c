//! `Kernel`: what computes a node, and the context it computes in.

use crate::attr::AttrMap;
use crate::function::Functions;
use crate::node::Node;
use crate::rendezvous::Rendezvous;
use crate::resource::{ResourceHandle, Resources, Variable};
use crate::specialize::count_reshaped;
use crate::wait::{Cancellation, Pending};
use ferroflow_tensor::elementwise::Program;
use ferroflow_tensor::threads::{Threads, stopped, unwatched};
use ferroflow_tensor::{DType, Result, Shape, Status, Tensor, bail, ensure};
use smallvec::SmallVec;
use std::any::Any;
use std::ops::Deref;
use std::sync::Arc;

/// Computes one node; one instance per node and session, so what it holds is that node's state.
pub trait Kernel: Send + Sync {
    fn compute(&self, ctx: &mut KernelContext<'_>) -> Result<()>;
}

impl<F: Fn(&mut KernelContext<'_>) -> Result<()> + Send + Sync> Kernel for F {
    fn compute(&self, ctx: &mut KernelContext<'_>) -> Result<()> {
        self(ctx)
    }
}

/// Returns a boxed closure as a kernel: `kernel(move |ctx| ...)`.
pub fn kernel(f: impl Fn(&mut KernelContext<'_>) -> Result<()> + Send + Sync + 'static) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(f))
}

pub type KernelFactory = fn(&KernelInit<'_>) -> Result<Box<dyn Kernel>>;

/// Computes the output of an op that reads only the shape of its input.
pub type ShapeFunction = Box<dyn Fn(&Shape) -> Result<Tensor> + Send + Sync>;

/// The constructor of a kernel that computes one of its op's inputs by a program. The kernel's inputs are the op's, with
/// what the program is given in the place of the one that it computes.
pub type ProgramKernelFactory = fn(&KernelInit<'_>, Arc<Program>) -> Result<Box<dyn Kernel>>;

/// An op's kernel that computes an input by a program.
#[derive(Clone, Copy)]
pub struct ProgramKernel {
    /// The position of that input.
    pub input: usize,
    pub make: ProgramKernelFactory,
}

/// The arguments of a kernel's constructor: the node with its attributes and types.
pub struct KernelInit<'a> {
    pub node: &'a Node,
    pub input_types: &'a [DType],
    pub resources: &'a Resources,
}

impl Deref for KernelInit<'_> {
    type Target = AttrMap;
    fn deref(&self) -> &AttrMap {
        &self.node.attrs
    }
}

impl KernelInit<'_> {
    pub fn input_type(&self, i: usize) -> Result<DType> {
        match self.input_types.get(i) {
            Some(t) => Ok(*t),
            None => bail!(Internal, "{} has no input {i}", self.node.name),
        }
    }

    pub fn output_type(&self, i: usize) -> Result<DType> {
        match self.node.outputs.get(i) {
            Some(t) => Ok(t.dtype),
            None => bail!(Internal, "{} has no output {i}", self.node.name),
        }
    }

    /// Returns the error of a constructor that has no kernel for these types.
    pub fn unsupported(&self) -> Status {
        let types: Vec<_> = self.input_types.iter().map(|t| t.schema_name()).collect();
        Status::invalid_argument(format!(
            "No OpKernel was registered to support Op '{}' with these types: [{}]",
            self.node.op.name,
            types.join(", ")
        ))
    }
}

/// The data that all kernels of one step share.
pub struct Step<'a> {
    pub threads: Threads,
    pub cancellation: &'a Cancellation,
    pub resources: &'a Resources,
    /// Resources that end with the step, such as the arrays behind handles of type string.
    pub locals: &'a Resources,
    pub functions: &'a Arc<dyn Functions>,
    /// Present if the step runs in several processes.
    pub rendezvous: Option<&'a Arc<dyn Rendezvous>>,
}

/// The variables behind a node's reference inputs, and the versions its writes make.
#[derive(Default)]
pub struct Variables<'a> {
    /// By input position; `None` where the input is a plain value.
    pub handles: &'a [Option<Arc<Variable>>],
    /// Bit i: the version that a write through input i makes is read later in the step.
    pub read_later: u64,
    pub written: SmallVec<[(usize, Tensor); 1]>,
}

/// The outputs of a kernel that ends later.
pub type Outputs = SmallVec<[Tensor; 2]>;

/// Work of a blocking kernel for another thread. It owns its inputs.
pub type BlockingWork = Box<dyn FnOnce(&Cancellation) -> Result<Outputs> + Send>;

/// A value in a form that kernels made for themselves; None until one has. Several instructions, or several iterations of
/// a loop, read it.
pub type Prepared = Option<Box<dyn Any + Send>>;

/// The alternative to outputs in `compute`.
enum Left {
    Nothing,
    /// Nothing yet; the executor takes blocking work.
    MayBlock,
    Work(BlockingWork),
    Pending(Box<dyn Pending>),
}

/// Inputs and outputs of one execution of a node.
pub struct KernelContext<'a> {
    pub step: &'a Step<'a>,
    node: &'a Node,
    inputs: &'a mut [Tensor],
    outputs: &'a mut [Option<Tensor>],
    variables: Variables<'a>,
    prepared: Option<&'a mut Prepared>,
    left: Left,
}

impl<'a> KernelContext<'a> {
    pub fn new(
        step: &'a Step<'a>,
        node: &'a Node,
        inputs: &'a mut [Tensor],
        outputs: &'a mut [Option<Tensor>],
        variables: Variables<'a>,
    ) -> Self {
        KernelContext { step, node, inputs, outputs, variables, prepared: None, left: Left::Nothing }
    }

    pub fn name(&self) -> &str {
        &self.node.name
    }

    pub fn threads(&self) -> Threads {
        self.step.threads
    }

    pub fn num_inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Returns the number of the node's inputs. Behind them, a call has the variables that its functions may write.
    pub fn num_node_inputs(&self) -> usize {
        self.node.inputs.len()
    }

    pub fn num_outputs(&self) -> usize {
        self.outputs.len()
    }

    pub fn input(&self, i: usize) -> Result<&Tensor> {
        match self.inputs.get(i) {
            Some(t) => Ok(t),
            None => bail!(Internal, "{} has no input {i}", self.node.name),
        }
    }

    pub fn inputs(&self) -> &[Tensor] {
        self.inputs
    }

    pub fn inputs_mut(&mut self) -> &mut [Tensor] {
        self.inputs
    }

    /// Returns the input by value: unique, hence writable in place, where nothing else reads it. Leaves an empty tensor
    /// behind.
    pub fn take(&mut self, i: usize) -> Result<Tensor> {
        match self.inputs.get_mut(i) {
            Some(t) => Ok(std::mem::replace(t, Tensor::scalar(false))),
            None => bail!(Internal, "{} has no input {i}", self.node.name),
        }
    }

    /// Returns the input by value, to be changed in place: copied by the step's threads if something else reads it.
    /// Leaves an empty tensor behind.
    pub fn take_unique(&mut self, i: usize) -> Result<Tensor> {
        self.take(i)?.into_unique(self.threads())
    }

    /// Takes all inputs by value.
    pub fn take_inputs(&mut self) -> SmallVec<[Tensor; 4]> {
        self.inputs.iter_mut().map(|t| std::mem::replace(t, Tensor::scalar(false))).collect()
    }

    pub fn set_output(&mut self, i: usize, value: Tensor) {
        if let Some(slot) = self.outputs.get_mut(i) {
            *slot = Some(value);
        }
    }

    /// Gives the place of the prepared form of an input.
    pub fn set_prepared(&mut self, prepared: Option<&'a mut Prepared>) {
        self.prepared = prepared;
    }

    /// Returns the place of the prepared form of the input that the op prepares. While the place is the same, so is the
    /// input. None if nothing else reads that value.
    pub fn take_prepared(&mut self) -> Option<&'a mut Prepared> {
        self.prepared.take()
    }

    /// Ends `compute` without outputs: they come from `pending` later. Only for ops marked `may_wait`; the step's
    /// `cancellation` has the bell to ring.
    pub fn wait_for(&mut self, pending: impl Pending + 'static) {
        self.left = Left::Pending(Box::new(pending));
    }

    /// Has `run_blocking` leave its work to the executor.
    pub fn offload_blocking_work(&mut self) {
        self.left = Left::MayBlock;
    }

    /// Ends `compute` by work that blocks outside the engine and gives the outputs. It is to end soon once the
    /// cancellation it is given is set, as far as it can. It runs here, or on another thread while the step goes on, as
    /// the plan says. Only for ops marked `blocks`.
    pub fn run_blocking(&mut self, work: impl FnOnce(&Cancellation) -> Result<Outputs> + Send + 'static) -> Result<()> {
        if let Left::MayBlock = self.left {
            self.left = Left::Work(Box::new(work));
            return Ok(());
        }
        let outputs = work(self.step.cancellation)?;
        outputs.into_iter().enumerate().for_each(|(i, value)| self.set_output(i, value));
        Ok(())
    }

    /// Returns the work that `run_blocking` stored for the executor.
    pub fn take_work(&mut self) -> Option<BlockingWork> {
        match std::mem::replace(&mut self.left, Left::Nothing) {
            Left::Work(work) => Some(work),
            other => {
                self.left = other;
                None
            }
        }
    }

    /// Takes the pending operation that `compute` left, for the executor.
    pub fn take_pending(&mut self) -> Option<Box<dyn Pending>> {
        match std::mem::replace(&mut self.left, Left::Nothing) {
            Left::Pending(pending) => Some(pending),
            _ => None,
        }
    }

    /// Errors once the step is cancelled, be it by a signal or a time limit: for long loops without parallel tasks.
    pub fn check_cancelled(&self) -> Result<()> {
        if stopped() {
            self.step.cancellation.check()?;
        }
        self.step.cancellation.check()
    }

    /// Returns the variable that reference or handle input `i` names.
    pub fn variable(&self, i: usize) -> Result<Arc<Variable>> {
        match (self.variables.handles.get(i), self.inputs.get(i)) {
            (Some(Some(v)), _) => v.in_step(self.step.locals),
            (_, Some(input)) if input.dtype() == DType::Resource => ResourceHandle::from_tensor(input)?.resource(),
            _ => bail!(InvalidArgument, "Input {i} of {} is not a variable's reference", self.node.name),
        }
    }

    /// Returns the error for the variable of input `i`, which has no value and needs one.
    pub fn missing_value(&self, i: usize) -> Result<Status> {
        Ok(self.variable(i)?.missing_for(&self.node.op))
    }

    /// Puts the value of a variable in the place of its handle, where the planner has not done so.
    ///
    /// Errors: `FailedPrecondition` before the first assignment, `InvalidArgument` for a value of another type than `dtype`.
    pub fn read_handle(&mut self, i: usize, dtype: DType) -> Result<()> {
        if self.input(i)?.dtype() == DType::Resource {
            let variable = self.variable(i)?;
            self.inputs[i] = variable.read().ok_or_else(|| variable.missing_for(&self.node.op))?;
        }
        let got = self.inputs[i].dtype();
        ensure!(
            got == dtype,
            InvalidArgument,
            "Trying to read variable with wrong dtype. Expected {} got {}",
            dtype.name(),
            got.name()
        );
        Ok(())
    }

    /// Gives the variable of input `i` a value, initialized or not before. `f` runs under the variable's lock.
    pub fn assign(&mut self, i: usize, f: impl FnOnce(&mut Option<Tensor>, &mut [Tensor]) -> Result<()>) -> Result<()> {
        let variable = self.variable(i)?;
        let mut value = variable.lock();
        let before = value.as_ref().map(|t| t.shape().clone());
        unwatched(|| f(&mut value, self.inputs))?;
        if before.is_some_and(|before| value.as_ref().map(|t| t.shape()) != Some(&before)) {
            count_reshaped();
        }
        self.note_written(i, &value);
        Ok(())
    }

    /// Updates the variable of input `i` in place (its elements are copied first where a reader still holds them).
    ///
    /// Errors: `FailedPrecondition` before the first assignment.
    pub fn update<R>(&mut self, i: usize, f: impl FnOnce(&mut Tensor, &mut [Tensor]) -> Result<R>) -> Result<R> {
        let variable = self.variable(i)?;
        let mut value = variable.lock();
        let tensor = value.as_mut().ok_or_else(|| variable.missing_for(&self.node.op))?;
        let result = unwatched(|| f(tensor, self.inputs))?;
        self.note_written(i, &value);
        Ok(result)
    }

    /// Updates several variables at once (an optimizer's variable and slots); no other update runs in between.
    ///
    /// Errors: `missing` of the first that has no value, and its place in `which`; `InvalidArgument` where one variable
    /// is named twice.
    pub fn update_many<const N: usize>(
        &mut self,
        which: [usize; N],
        missing: impl Fn(usize, &Variable) -> Status,
        f: impl FnOnce([&mut Tensor; N], &mut [Tensor]) -> Result<()>,
    ) -> Result<()> {
        let mut variables = Vec::with_capacity(N);
        for i in which {
            variables.push(self.variable(i)?);
        }
        // One order for all steps, so that two updates cannot deadlock.
        let mut order: SmallVec<[usize; 4]> = (0..N).collect();
        order.sort_by_key(|&k| Arc::as_ptr(&variables[k]).addr());
        for pair in order.windows(2) {
            ensure!(
                !Arc::ptr_eq(&variables[pair[0]], &variables[pair[1]]),
                InvalidArgument,
                "{} updates variable {} through two of its inputs",
                self.node.name,
                variables[pair[0]].name
            );
        }
        let mut guards: [Option<_>; N] = [const { None }; N];
        for &k in &order {
            guards[k] = Some(variables[k].lock());
        }
        let mut tensors: SmallVec<[&mut Tensor; N]> = SmallVec::new();
        for (place, (guard, variable)) in guards.iter_mut().zip(&variables).enumerate() {
            match guard.as_mut().and_then(|g| g.as_mut()) {
                Some(t) => tensors.push(t),
                None => return Err(missing(place, variable)),
            }
        }
        let Ok(tensors) = tensors.into_inner() else { bail!(Internal, "wrong number of variables") };
        unwatched(|| f(tensors, self.inputs))?;
        for (k, guard) in guards.iter().enumerate() {
            if let Some(guard) = guard {
                self.note_written(which[k], guard);
            }
        }
        Ok(())
    }

    fn note_written(&mut self, i: usize, value: &Option<Tensor>) {
        if self.variables.read_later.checked_shr(i as u32).is_some_and(|bits| bits & 1 == 1)
            && let Some(t) = value
        {
            self.variables.written.push((i, t.clone()));
        }
    }

    /// Returns the versions made, for the executor.
    pub fn into_written(self) -> SmallVec<[(usize, Tensor); 1]> {
        self.variables.written
    }
}
