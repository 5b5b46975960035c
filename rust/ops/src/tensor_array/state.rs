//! `TensorArray`: what a handle refers to.

use crate::list::sum;
use crate::room::filled;
use ferroflow_graph::{KernelContext, ResourceName, Resources, reference_tensor};
use ferroflow_sync::Mutex;
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{DType, Object, PartialShape, Result, Shape, Status, Tensor, bail, ensure};
use std::sync::Arc;

/// Elements that one array may have.
const MAX_SIZE: usize = 1 << 27;

#[derive(Clone, Default)]
struct Slot {
    value: Option<Tensor>,
    /// Of a gradient's element that has a value in the array it is the gradient of: its shape.
    expected: Option<Shape>,
    written: bool,
    read: bool,
    cleared: bool,
}

struct State {
    slots: Vec<Slot>,
    element_shape: PartialShape,
    closed: bool,
    /// True after a write added to an element.
    aggregated: bool,
    /// Number of elements that a tensor was split into. The split's gradient is made of them, whatever was written
    /// later.
    parts: Option<usize>,
    /// By source: the arrays of this one's gradients.
    gradients: Vec<(String, Arc<TensorArray>)>,
}

/// The properties of an array that are fixed when it is made.
#[derive(Clone)]
pub(super) struct Kind {
    pub name: String,
    pub dtype: DType,
    pub dynamic_size: bool,
    pub clear_after_read: bool,
    pub identical_element_shapes: bool,
    /// A gradient's elements are added to by several writes, and zero where none was.
    pub is_gradient: bool,
}

pub(super) struct TensorArray {
    pub kind: Kind,
    state: Mutex<State>,
}

impl TensorArray {
    pub fn new(kind: Kind, size: usize, element_shape: PartialShape) -> Result<TensorArray> {
        if size > MAX_SIZE {
            bail!(ResourceExhausted, "TensorArray {} with {size} elements: at most {MAX_SIZE}", kind.name);
        }
        let state = State {
            slots: filled(size, Slot::default(), "elements of a TensorArray")?,
            element_shape,
            closed: false,
            aggregated: false,
            parts: None,
            gradients: Vec::new(),
        };
        Ok(TensorArray { kind, state: Mutex::new(state) })
    }

    /// Returns a handle of a shared array.
    pub fn handle(this: Arc<TensorArray>) -> Result<Tensor> {
        Tensor::from_objects(DType::Resource, Shape::scalar(), vec![Object::shared(this)])
    }

    /// Returns the handle of the older ops, a container and a name, by which the step finds a shared array.
    pub fn named(self: Arc<Self>, of_step: &Resources) -> Result<Tensor> {
        let name = ResourceName { container: "_tensor_arrays".into(), name: self.kind.name.clone() };
        of_step.insert(&name, self);
        reference_tensor(&name)
    }

    /// Returns the array behind input 0.
    pub fn of(ctx: &KernelContext<'_>) -> Result<Arc<TensorArray>> {
        let handle = ctx.input(0)?;
        if handle.dtype() == DType::String {
            return ctx.resource(0);
        }
        handle.objects()?.first().and_then(Object::to_shared::<TensorArray>).ok_or_else(|| {
            Status::invalid_argument(format!("Input 'handle' of {} is not the handle of a TensorArray", ctx.name()))
        })
    }

    fn open(&self) -> Result<ferroflow_sync::MutexGuard<'_, State>> {
        let state = self.state.lock();
        ensure!(!state.closed, InvalidArgument, "TensorArray {} has already been closed.", self.kind.name);
        Ok(state)
    }

    pub fn size(&self) -> Result<usize> {
        Ok(self.open()?.slots.len())
    }

    /// Returns the elements that are joined to one tensor.
    pub fn joined(&self) -> Result<usize> {
        let state = self.open()?;
        Ok(state.parts.filter(|_| self.kind.is_gradient).unwrap_or(state.slots.len()))
    }

    /// Notes that a tensor was split into all elements.
    pub fn mark_parts(&self) -> Result<()> {
        let mut state = self.open()?;
        // A gradient has the parts of its source.
        if !self.kind.is_gradient {
            state.parts = Some(state.slots.len());
        }
        Ok(())
    }

    /// Adds what an op states about the shape of all elements to what is known of it, and returns both.
    ///
    /// Errors: `InvalidArgument` if they contradict each other.
    pub fn merge_element_shape(&self, given: &PartialShape) -> Result<PartialShape> {
        let mut state = self.open()?;
        state.element_shape = state.element_shape.merge(given)?;
        Ok(state.element_shape.clone())
    }

    pub fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        state.slots.clear();
        state.gradients.clear();
    }

    /// Errors: `InvalidArgument` where the dtype is another.
    pub fn check_dtype(&self, dtype: DType, verb: &str) -> Result<()> {
        ensure!(
            self.kind.dtype == dtype,
            InvalidArgument,
            "TensorArray dtype is {} but Op {verb} dtype {}.",
            self.kind.dtype.name(),
            dtype.name()
        );
        Ok(())
    }

    /// Makes room for `size` elements where the array may grow, and checks it where it may not.
    pub fn reserve(&self, size: usize) -> Result<()> {
        let mut state = self.open()?;
        if size > state.slots.len() && self.kind.dynamic_size && size <= MAX_SIZE {
            state.slots.resize(size, Slot::default());
        }
        Ok(())
    }

    pub fn write(&self, index: i64, value: Tensor, threads: Threads) -> Result<()> {
        let name = &self.kind.name;
        let mut state = self.open()?;
        let size = state.slots.len();
        let Some(i) = usize::try_from(index).ok().filter(|&i| i < size || (self.kind.dynamic_size && i < MAX_SIZE))
        else {
            bail!(
                InvalidArgument,
                "TensorArray {name}: Tried to write to index {index} but array is not resizeable and size is: {size}"
            );
        };
        let at = format!("TensorArray {name}: Could not write to TensorArray index {index} because");
        ensure!(
            value.dtype() == self.kind.dtype,
            InvalidArgument,
            "{at} the value dtype is {} but TensorArray dtype is {}.",
            value.dtype().name(),
            self.kind.dtype.name()
        );
        let shape = PartialShape::from(value.shape());
        ensure!(
            state.element_shape.is_compatible_with(&shape),
            InvalidArgument,
            "{at} the value shape is {} which is incompatible with the TensorArray's inferred element shape: {} (consider \
             setting infer_shape=False).",
            value.shape(),
            state.element_shape
        );
        if i >= size {
            state.slots.resize(i + 1, Slot::default());
        }
        let slot = &mut state.slots[i];
        ensure!(!slot.read, InvalidArgument, "{at} it has already been read.");
        ensure!(self.kind.is_gradient || !slot.written, InvalidArgument, "{at} it has already been written to.");
        let expected = slot.value.as_ref().map(Tensor::shape).or(slot.expected.as_ref());
        if let Some(expected) = expected
            && expected != value.shape()
        {
            bail!(
                InvalidArgument,
                "TensorArray {name}: Could not aggregate to TensorArray index {index} because the existing shape is \
                 {expected} but the new input shape is {}.",
                value.shape()
            );
        }
        slot.written = true;
        if let Some(already) = slot.value.take() {
            slot.value = Some(sum(&already, &value, threads)?);
            state.aggregated = true;
        } else {
            slot.value = Some(value.into_owned()?);
        }
        if self.kind.identical_element_shapes {
            state.element_shape = state.element_shape.merge(&shape)?;
        }
        Ok(())
    }

    pub fn read(&self, index: i64) -> Result<Tensor> {
        let name = &self.kind.name;
        let mut state = self.open()?;
        let size = state.slots.len();
        let known = usize::try_from(index).ok().filter(|&i| i < size);
        let Some(i) = known else {
            // A gradient without writes is zero.
            if self.kind.is_gradient && index >= 0 {
                return self.zeros(&state, index);
            }
            bail!(InvalidArgument, "Tried to read from index {index} but array size is: {size}");
        };
        if !state.slots[i].written {
            return self.zeros(&state, index);
        }
        let slot = &mut state.slots[i];
        ensure!(
            !slot.cleared,
            InvalidArgument,
            "TensorArray {name}: Could not read index {index} twice because it was cleared after a previous read (perhaps \
             try setting clear_after_read = false?)."
        );
        slot.read = true;
        let value = match &slot.value {
            Some(value) => value.clone(),
            None => Tensor::zeros(self.kind.dtype, slot.expected.clone().unwrap_or_else(Shape::scalar))?,
        };
        if self.kind.clear_after_read {
            slot.value = None;
            slot.cleared = true;
        }
        Ok(value)
    }

    fn zeros(&self, state: &State, index: i64) -> Result<Tensor> {
        let Some(shape) = state.element_shape.to_shape() else {
            bail!(
                InvalidArgument,
                "TensorArray {}: Could not read from TensorArray index {index}.  Furthermore, the element shape is not \
                 fully defined: {}.  It is possible you are working with a resizeable TensorArray and stop_gradients is \
                 not allowing the gradients to be written.  If you set the full element_shape property on the forward \
                 TensorArray, the proper all-zeros tensor will be returned instead of incurring this error.",
                self.kind.name,
                state.element_shape
            );
        };
        Tensor::zeros(self.kind.dtype, shape)
    }

    /// Returns the array of gradients that `source` names, made on first use: as long as this one is then. Its elements
    /// have the dimensions of `outer` before those of this one's.
    pub fn gradient(&self, source: &str, outer: &Shape) -> Result<Arc<TensorArray>> {
        let mut state = self.open()?;
        ensure!(
            !state.aggregated || self.kind.is_gradient,
            InvalidArgument,
            "Unable to create a gradients TensorArray for {}.  Perhaps you used the multiple_writes_aggregate flag on a \
             previous write?  Gradient calculation is impossible when multiple writes are performed to the same index.",
            self.kind.name
        );
        if let Some((_, found)) = state.gradients.iter().find(|(name, _)| name == source) {
            return Ok(found.clone());
        }
        let kind = Kind {
            name: format!("{}@{source}", self.kind.name),
            dynamic_size: false,
            // Several writes added up to one element: each of them reads its gradient.
            clear_after_read: !self.kind.is_gradient,
            is_gradient: true,
            ..self.kind.clone()
        };
        let within = |shape: &Shape| outer.iter().chain(shape.iter()).copied().collect::<Shape>();
        let element_shape = match state.element_shape.rank() {
            Some(_) => PartialShape::from(outer).concatenate(&state.element_shape),
            None => PartialShape::unknown(),
        };
        let made = TensorArray::new(kind, state.slots.len(), element_shape)?;
        {
            let mut own = made.state.lock();
            own.parts = state.parts;
            for (slot, forward) in own.slots.iter_mut().zip(&state.slots) {
                if let (true, Some(value)) = (forward.written, &forward.value) {
                    slot.expected = Some(within(value.shape()));
                    slot.written = true;
                } else if let (true, Some(shape)) = (forward.written, &forward.expected) {
                    slot.expected = Some(within(shape));
                    slot.written = true;
                }
            }
        }
        let made = Arc::new(made);
        state.gradients.push((source.to_owned(), made.clone()));
        Ok(made)
    }
}
