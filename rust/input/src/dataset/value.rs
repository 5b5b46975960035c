//! `Dataset` and `DatasetIterator`, and the variants by which the ops hand datasets on.

use super::cardinality::Cardinality;
use super::place::{Entered, Place, Rewrites, Use};
use super::position::Position;
use super::recipe::Recipe;
use ferroflow_graph::{AttrMap, Cancellation, Kernel, KernelContext, KernelInit, kernel};
use ferroflow_tensor::threads::{Threads, ensure_stack, stopped};
use ferroflow_tensor::{DType, Deep, Object, PartialShape, Result, Scalar, Status, Tensor, bail, ensure};
use std::sync::Arc;

/// The components of one element.
pub(crate) type Element = Vec<Tensor>;

/// The cancellation and the threads with which an element is requested.
#[derive(Clone, Copy)]
pub(crate) struct Pull<'a> {
    pub cancellation: &'a Cancellation,
    pub threads: Threads,
    /// True if the iterator is used again after this call was cancelled, as by the next step.
    pub resumes: bool,
}

impl Pull<'_> {
    /// Returns true if this call is cancelled: its failure is not the elements' fault.
    pub fn is_interrupted(&self) -> bool {
        self.cancellation.is_cancelled()
    }

    /// Fails once the pull is cancelled, signals and time limits of its step included: for loops without other checks.
    pub fn check(&self) -> Result<()> {
        if stopped() {
            self.cancellation.check()?;
        }
        self.cancellation.check()
    }
}

/// One pass over a dataset.
pub(crate) trait DatasetIterator: Send {
    /// Returns the next element; `None` at the end, after which it is not called again.
    ///
    /// After an error it may be called again. If the pull was cancelled, the next call continues as if this one had not
    /// been made: no element is lost.
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>>;

    /// Saves or restores all that `next` depends on and the dataset does not state.
    fn position(&mut self, position: &mut Position<'_>) -> Result<()>;
}

/// An iterator, which may own a long chain of others.
pub(crate) struct BoxedIterator {
    iterator: Deep<Box<dyn DatasetIterator>>,
    place: Option<Place>,
}

impl BoxedIterator {
    pub fn new(iterator: impl DatasetIterator + 'static) -> BoxedIterator {
        BoxedIterator { iterator: Deep::new(Box::new(iterator)), place: None }
    }

    /// Returns `DatasetIterator::next`.
    ///
    /// Errors: `ResourceExhausted` where iterators are nested so deeply that the stack is nearly used up.
    pub fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        ensure_stack(NESTED)?;
        if self.place.is_none() {
            return self.iterator.next(pull);
        }
        let _entered = Entered::new(&mut self.place);
        self.iterator.next(pull)
    }

    /// Returns `DatasetIterator::position`, with the errors of `next`.
    pub(super) fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        ensure_stack(NESTED)?;
        if self.place.is_none() {
            return self.iterator.position(position);
        }
        let _entered = Entered::new(&mut self.place);
        self.iterator.position(position)
    }

    pub(super) fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }
}

const NESTED: &str = "Datasets";

/// Stands for an iterator that could not be made.
struct TooDeep(Status);

impl DatasetIterator for TooDeep {
    fn next(&mut self, _: Pull<'_>) -> Result<Option<Element>> {
        Err(self.0.clone())
    }

    fn position(&mut self, _: &mut Position<'_>) -> Result<()> {
        Err(self.0.clone())
    }
}

/// A description of elements.
pub(crate) trait Dataset: Send + Sync {
    fn iterator(&self) -> BoxedIterator;

    /// Returns the replacement that OptimizeDataset requests for `count` repetitions of this dataset, if there is one.
    /// A negative count is without end.
    fn repeated(&self, _count: i64, _rewrites: Rewrites) -> Option<SharedDataset> {
        None
    }

    /// Returns the number of elements, as far as it is known without making them.
    fn cardinality(&self) -> Cardinality {
        Cardinality::Unknown
    }

    /// Returns the elements of a dataset that is nothing more than these.
    fn elements(&self) -> Option<&[Element]> {
        None
    }
}

/// A dataset that others share, which may be made of a long chain of others.
#[derive(Clone)]
pub(crate) struct SharedDataset {
    dataset: Deep<Arc<dyn Dataset>>,
    site: Use,
}

impl SharedDataset {
    pub fn new(dataset: impl Dataset + 'static) -> SharedDataset {
        SharedDataset { dataset: Deep::new(Arc::new(dataset)), site: Use::new() }
    }

    /// Returns the same dataset at another place.
    pub(super) fn used(&self, site: Use) -> SharedDataset {
        SharedDataset { dataset: self.dataset.clone(), site }
    }

    pub(super) fn site(&self) -> Use {
        self.site
    }

    /// Returns `Dataset::elements`.
    pub fn elements(&self) -> Option<&[Element]> {
        self.dataset.elements()
    }

    /// Returns a new pass; where datasets are nested too deeply for the stack, one that fails.
    pub fn iterator(&self) -> BoxedIterator {
        match ensure_stack(NESTED) {
            Ok(()) => {
                let place = Place::below(self.site);
                let mut entered = Some(place.clone());
                let mut made = {
                    let _entered = Entered::new(&mut entered);
                    self.dataset.iterator()
                };
                made.place.get_or_insert(place);
                made
            }
            Err(failure) => BoxedIterator::new(TooDeep(failure)),
        }
    }

    /// Returns `Dataset::repeated`.
    pub fn repeated(&self, count: i64, rewrites: Rewrites) -> Option<SharedDataset> {
        self.dataset.repeated(count, rewrites)
    }

    /// Returns `Dataset::cardinality`; unknown where datasets are nested too deeply for the stack.
    pub fn cardinality(&self) -> Cardinality {
        ensure_stack(NESTED).map_or(Cardinality::Unknown, |()| self.dataset.cardinality())
    }
}

/// The elements' types and shapes.
#[derive(Clone)]
pub(crate) struct Signature {
    pub types: Arc<[DType]>,
    pub shapes: Arc<[PartialShape]>,
}

impl Signature {
    /// Returns the signature in a node's attributes.
    pub fn of(attrs: &AttrMap) -> Result<Signature> {
        let types = if attrs.get("output_types").is_some() { "output_types" } else { "Toutput_types" };
        Ok(Signature { types: attrs.dtypes(types)?.into(), shapes: attrs.shapes("output_shapes")?.into() })
    }

    /// Scalars of type string, as records of files are.
    pub fn records() -> Signature {
        Signature { types: [DType::String].into(), shapes: [PartialShape::scalar()].into() }
    }

    /// Errors: `InvalidArgument` where elements of `found` are not elements of this signature.
    pub fn check(&self, found: &Signature) -> Result<()> {
        let (expected, got) = (self.types.len(), found.types.len());
        ensure!(
            expected == got,
            InvalidArgument,
            "Number of components does not match: expected {expected} types but got {got}."
        );
        for (i, (expected, got)) in self.types.iter().zip(found.types.iter()).enumerate() {
            ensure!(
                expected == got,
                InvalidArgument,
                "Data type mismatch at component {i}: expected {} but got {}.",
                expected.schema_name(),
                got.schema_name()
            );
        }
        let (expected, got) = (self.shapes.len(), found.shapes.len());
        ensure!(
            expected == got,
            InvalidArgument,
            "Number of components does not match: expected {expected} shapes but got {got}."
        );
        for (i, (expected, got)) in self.shapes.iter().zip(found.shapes.iter()).enumerate() {
            ensure!(
                expected.is_compatible_with(got),
                InvalidArgument,
                "Incompatible shapes at component {i}: expected {expected} but got {got}."
            );
        }
        Ok(())
    }
}

/// A dataset in a variant.
#[derive(Clone)]
pub(crate) struct DatasetValue {
    pub dataset: SharedDataset,
    pub signature: Signature,
    /// None for the elements of a window.
    pub(super) recipe: Option<Arc<Recipe>>,
}

impl DatasetValue {
    pub fn into_tensor(self) -> Result<Tensor> {
        Tensor::from_objects(DType::Variant, [], vec![Object::new(self)])
    }

    /// Returns the same dataset at another place.
    pub(super) fn used(&self, site: Use) -> DatasetValue {
        DatasetValue {
            dataset: self.dataset.used(site),
            signature: self.signature.clone(),
            recipe: self.recipe.clone(),
        }
    }

    /// Returns the dataset that a variant scalar holds.
    ///
    /// Errors: `InvalidArgument` where it holds something else.
    pub fn of(t: &Tensor) -> Result<&DatasetValue> {
        let found = match (t.dtype(), t.rank()) {
            (DType::Variant, 0) => t.objects()?.first().and_then(Object::get::<DatasetValue>),
            _ => None,
        };
        let Some(value) = found else {
            bail!(InvalidArgument, "Dataset tensor must be a scalar of dtype DT_VARIANT that holds a dataset.")
        };
        Ok(value)
    }
}

/// Returns the dataset at input `i`.
pub(crate) fn dataset_input(ctx: &KernelContext<'_>, i: usize) -> Result<DatasetValue> {
    Ok(DatasetValue::of(ctx.input(i)?)?.used(Use::of_input(ctx.name(), i as u64)))
}

/// Returns the value of scalar input `i`, called `name` in messages.
pub(crate) fn scalar<T: Scalar>(ctx: &KernelContext<'_>, i: usize, name: &str) -> Result<T> {
    let t = ctx.input(i)?;
    ensure!(t.rank() == 0, InvalidArgument, "{name} must be a scalar");
    t.to_scalar()
}

/// Returns the text in scalar input `i`, called `name` in messages.
pub(crate) fn text(ctx: &KernelContext<'_>, i: usize, name: &str) -> Result<String> {
    match (ctx.input(i)?.rank(), ctx.input(i)?.strings()?) {
        (0, [one]) => Ok(String::from_utf8_lossy(one).into_owned()),
        _ => bail!(InvalidArgument, "{name} must be a scalar"),
    }
}

/// Returns the kernel of an op that makes a dataset of its inputs.
pub(crate) fn dataset_kernel<D: Dataset + 'static>(
    init: &KernelInit<'_>,
    make: impl Fn(&KernelContext<'_>) -> Result<D> + Send + Sync + 'static,
) -> Result<Box<dyn Kernel>> {
    signed_kernel(init, Signature::of(init)?, make)
}

/// Returns `dataset_kernel` of an op whose attributes do not describe the elements.
pub(crate) fn signed_kernel<D: Dataset + 'static>(
    init: &KernelInit<'_>,
    signature: Signature,
    make: impl Fn(&KernelContext<'_>) -> Result<D> + Send + Sync + 'static,
) -> Result<Box<dyn Kernel>> {
    let node = Arc::new(init.node.clone());
    kernel(move |ctx| {
        // Dataset and recipe outlive the step, and share these values.
        for input in ctx.inputs_mut() {
            *input = input.clone().into_owned()?;
        }
        let dataset = SharedDataset::new(make(ctx)?);
        let (inputs, functions) = (ctx.inputs().to_vec(), ctx.step.functions.clone());
        let recipe = Some(Arc::new(Recipe { node: node.clone(), inputs, functions }));
        let value = DatasetValue { dataset, signature: signature.clone(), recipe };
        ctx.set_output(0, value.into_tensor()?);
        Ok(())
    })
}
