//! Iterator(V2), OneShotIterator, MakeIterator, IteratorGetNext(Sync), IteratorToStringHandle, IteratorFromStringHandle,
//! DatasetToSingleElement: iterators as resources of a session.

use super::background::lock;
use super::optional::Optional;
use super::value::{BoxedIterator, DatasetValue, Element, Pull, Signature};
use ferroflow_graph::{
    Blocking, Kernel, KernelContext, KernelInit, Op, Outputs, Registry, ResourceHandle, ResourceName, ShapeContext,
    Unnamed, kernel, resource_kernel, shape_rules,
};
use ferroflow_sync::Mutex;
use ferroflow_tensor::{Bytes, Code, Result, Status, Tensor, bail, ensure};
use smallvec::smallvec;
use std::sync::Arc;

/// A place for the iterator of the dataset that was last made one.
pub(super) struct IteratorResource {
    signature: Signature,
    current: Mutex<Option<Arc<Mutex<Pass>>>>,
}

/// A pass over a dataset.
pub(super) struct Pass {
    pub value: DatasetValue,
    /// Until its end.
    pub iterator: Option<BoxedIterator>,
}

impl IteratorResource {
    fn new(signature: Signature) -> IteratorResource {
        IteratorResource { signature, current: Mutex::new(None) }
    }

    fn start(&self, value: &DatasetValue) -> Result<()> {
        self.signature.check(&value.signature)?;
        self.replace(Pass { value: value.clone(), iterator: Some(value.dataset.iterator()) })
    }

    /// Goes on with a pass, in place of the one before.
    pub fn replace(&self, pass: Pass) -> Result<()> {
        self.signature.check(&pass.value.signature)?;
        let before = self.current.lock().replace(Arc::new(Mutex::new(pass)));
        // Dropped without the lock, because a destructor may use the iterator (a generator's finalizer does).
        drop(before);
        Ok(())
    }

    /// Returns the pass of the dataset that was last made one.
    pub fn pass(&self) -> Option<Arc<Mutex<Pass>>> {
        self.current.lock().clone()
    }

    /// Returns the next element; `None` at the end.
    fn next(&self, pull: Pull<'_>) -> Result<Option<Element>> {
        let Some(pass) = self.pass() else {
            bail!(
                FailedPrecondition,
                "GetNext() failed because the iterator has not been initialized. Ensure that you have run the initializer \
                 operation for this iterator before getting the next element."
            )
        };
        let mut pass = lock(&pass, pull)?;
        let Some(iterator) = &mut pass.iterator else { return Ok(None) };
        let element = iterator.next(pull)?;
        if element.is_none() {
            pass.iterator = None;
        }
        Ok(element)
    }
}

fn pull<'a>(ctx: &KernelContext<'a>) -> Pull<'a> {
    Pull { cancellation: ctx.step.cancellation, threads: ctx.step.threads, resumes: true }
}

/// Returns the iterator that resource input `i` is.
pub(super) fn iterator(ctx: &KernelContext<'_>, i: usize) -> Result<Arc<IteratorResource>> {
    ResourceHandle::from_tensor(ctx.input(i)?)?.resource()
}

fn make_resource(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let made = Signature::of(init)?;
    let expected = made.clone();
    resource_kernel(
        init,
        Unnamed::Private,
        move |_, _| Ok(IteratorResource::new(made.clone())),
        move |found: &IteratorResource| expected.check(&found.signature),
    )
}

/// Builds a one-shot iterator. TF 1.x: the factory's first result, an error too, stays.
fn one_shot(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    ensure!(
        init.str("shared_name")?.is_empty(),
        InvalidArgument,
        "OneShotIteratorOp does not currently support the 'shared_name' attr."
    );
    let name = ResourceName::of(init, Unnamed::Private)?;
    let factory = init.func("dataset_factory")?.name;
    let signature = Signature::of(init)?;
    let known: Mutex<Option<Result<Tensor>>> = Mutex::new(None);
    kernel(move |ctx| {
        let pull = pull(ctx);
        let mut known = lock(&known, pull)?;
        let handle = match &*known {
            Some(handle) => handle.clone(),
            None => {
                let made = first_pass(ctx, &factory, &signature, &name);
                // An interruption of the step is no result of the factory.
                if made.is_err() && (pull.is_interrupted() || matches!(&made, Err(e) if e.code() == Code::Cancelled)) {
                    return made.map(drop);
                }
                known.insert(made).clone()
            }
        };
        ctx.set_output(0, handle?);
        Ok(())
    })
}

fn first_pass(ctx: &KernelContext<'_>, factory: &str, signature: &Signature, name: &ResourceName) -> Result<Tensor> {
    let results = ctx.step.functions.clone().instance(factory)?.call(smallvec![], ctx.step.cancellation)?;
    let value = match &results[..] {
        [one] => DatasetValue::of(one).ok(),
        _ => None,
    };
    let Some(value) = value else {
        bail!(InvalidArgument, "The `dataset_factory` function must return a single scalar of dtype DT_VARIANT.")
    };
    let made = || Ok(IteratorResource::new(signature.clone()));
    let resource = ctx.step.resources.lookup_or_create::<IteratorResource>(&name.container, &name.name, made)?;
    resource.start(value)?;
    ResourceHandle::new(name.clone(), resource).into_tensor()
}

fn get_next(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let signature = Signature::of(init)?;
    kernel(move |ctx| {
        let (iterator, threads, signature) = (iterator(ctx, 0)?, ctx.threads(), signature.clone());
        ctx.run_blocking(move |cancellation| {
            let element = iterator.next(Pull { cancellation, threads, resumes: true })?;
            checked(&signature, element.ok_or_else(|| Status::out_of_range("End of sequence"))?)
        })
    })
}

/// Returns an element, if it is what the node's attributes promise.
fn checked(signature: &Signature, element: Element) -> Result<Outputs> {
    let found = Signature {
        types: element.iter().map(|t| t.dtype()).collect(),
        shapes: element.iter().map(|t| t.shape().into()).collect(),
    };
    signature.check(&found)?;
    Ok(element.into())
}

fn get_next_as_optional(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let signature = Signature::of(init)?;
    kernel(move |ctx| {
        let (iterator, threads, signature) = (iterator(ctx, 0)?, ctx.threads(), signature.clone());
        ctx.run_blocking(move |cancellation| {
            let element = iterator.next(Pull { cancellation, threads, resumes: true })?;
            let value = element.map(|element| checked(&signature, element)).transpose()?;
            let value = value.map(|outputs| outputs.into_iter().map(Tensor::into_owned).collect()).transpose()?;
            Ok(smallvec![Optional(value).into_tensor()?])
        })
    })
}

fn single_element(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let signature = Signature::of(init)?;
    kernel(move |ctx| {
        let mut iterator = DatasetValue::of(ctx.input(0)?)?.dataset.iterator();
        let (threads, signature) = (ctx.threads(), signature.clone());
        ctx.run_blocking(move |cancellation| {
            let pull = Pull { cancellation, threads, resumes: false };
            let Some(element) = iterator.next(pull)? else { bail!(InvalidArgument, "Dataset was empty.") };
            ensure!(iterator.next(pull)?.is_none(), InvalidArgument, "Dataset had more than one element.");
            checked(&signature, element)
        })
    })
}

/// The beginning of string handles.
const MARK: &[u8] = b"ferroflow.Iterator";

fn to_string_handle(ctx: &mut KernelContext<'_>) -> Result<()> {
    iterator(ctx, 0)?;
    let name = &ResourceHandle::from_tensor(ctx.input(0)?)?.name;
    let handle: Bytes = [MARK, name.container.as_bytes(), name.name.as_bytes()].join(&0).into();
    ctx.set_output(0, Tensor::from_strings([], vec![handle])?);
    Ok(())
}

fn from_string_handle(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let expected = Signature::of(init)?;
    ensure!(
        expected.types.is_empty() || expected.shapes.is_empty() || expected.types.len() == expected.shapes.len(),
        InvalidArgument,
        "If both 'output_types' and 'output_shapes' are set, they must have the same length."
    );
    kernel(move |ctx| {
        let handle = ctx.input(0)?;
        let [text] = handle.strings()? else { bail!(InvalidArgument, "string_handle must be a scalar") };
        ensure!(handle.rank() == 0, InvalidArgument, "string_handle must be a scalar");
        let parts: Vec<_> = text.splitn(3, |&b| b == 0).map(String::from_utf8_lossy).collect();
        let [mark, container, name] = &parts[..] else {
            bail!(InvalidArgument, "Could not parse string_handle as a valid ResourceHandle")
        };
        ensure!(mark.as_bytes() == MARK, InvalidArgument, "Could not parse string_handle as a valid ResourceHandle");
        let Some(resource) = ctx.step.resources.lookup::<IteratorResource>(container, name) else {
            bail!(NotFound, "Resource {container}/{name}/IteratorResource does not exist.")
        };
        let found = &resource.signature;
        if !expected.types.is_empty() {
            let types = Signature { types: expected.types.clone(), shapes: found.shapes.clone() };
            types.check(found)?;
        }
        if !expected.shapes.is_empty() {
            let shapes = Signature { types: found.types.clone(), shapes: expected.shapes.clone() };
            shapes.check(found)?;
        }
        let name = ResourceName { container: container.to_string(), name: name.to_string() };
        ctx.set_output(0, ResourceHandle::new(name, resource).into_tensor()?);
        Ok(())
    })
}

fn element_shapes(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    let shapes = c.shapes("output_shapes")?;
    ensure!(
        shapes.len() == c.num_outputs(),
        InvalidArgument,
        "`output_shapes` must be the same length as `output_types` ({} vs. {})",
        shapes.len(),
        c.num_outputs()
    );
    shapes.into_iter().enumerate().for_each(|(i, s)| c.set_output(i, s));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let described = |op: Op| op.attr("output_types: list(type) >= 1").attr("output_shapes: list(shape) >= 1");
    // Stateful, unlike in TF 1.x: equal nodes must not be merged, since each has an iterator of its own.
    for name in ["Iterator", "IteratorV2"] {
        let op = Op::new(name).output("handle: resource").attr("shared_name: string").attr("container: string");
        r.add(
            described(op)
                .stateful()
                .shape(shape_rules::scalar)
                .doc("Returns an iterator that is over no dataset before MakeIterator.")
                .kernel(make_resource),
        );
    }
    let one = Op::new("OneShotIterator").output("handle: resource").attr("dataset_factory: func");
    r.add(
        described(one)
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .stateful()
            .shape(shape_rules::scalar)
            .doc(
                "Returns an iterator over the dataset that a function returns. The function is called when the \
                 dataset is first needed.",
            )
            .kernel(one_shot),
    );
    r.add(
        Op::new("MakeIterator")
            .input("dataset: variant")
            .input("iterator: resource")
            .listed_stateful(true)
            .doc("Starts an iterator anew, over a dataset.")
            .shape(shape_rules::unknown)
            .kernel(|_| {
                kernel(|ctx| {
                    let resource = iterator(ctx, 1)?;
                    resource.start(DatasetValue::of(ctx.input(0)?)?)
                })
            }),
    );
    for name in ["IteratorGetNext", "IteratorGetNextSync"] {
        let op = Op::new(name).input("iterator: resource").output("components: output_types");
        r.add(
            described(op)
                .shape(element_shapes)
                .listed_stateful(true)
                .blocks(Blocking::Pipeline)
                .doc("Returns the next element; an OutOfRange error at the end.")
                .kernel(get_next),
        );
    }
    let optional = Op::new("IteratorGetNextAsOptional").input("iterator: resource").output("optional: variant");
    r.add(
        described(optional)
            .shape(shape_rules::scalar)
            .listed_stateful(true)
            .blocks(Blocking::Pipeline)
            .doc("Returns an optional with the next element; without a value at the end.")
            .kernel(get_next_as_optional),
    );
    let single = Op::new("DatasetToSingleElement").input("dataset: variant").output("components: output_types");
    r.add(
        described(single)
            .shape(element_shapes)
            .listed_stateful(true)
            .blocks(Blocking::Pipeline)
            .doc("Returns the only element of a dataset.")
            .kernel(single_element),
    );
    r.add(
        Op::new("IteratorToStringHandle")
            .input("resource_handle: resource")
            .output("string_handle: string")
            .listed_stateful(true)
            .doc("Returns a text by which steps of this session find the iterator.")
            .shape(shape_rules::scalar)
            .kernel(|_| kernel(to_string_handle)),
    );
    for name in ["IteratorFromStringHandle", "IteratorFromStringHandleV2"] {
        r.add(
            Op::new(name)
                .input("string_handle: string")
                .output("resource_handle: resource")
                .attr("output_types: list(type) >= 0 = []")
                .attr("output_shapes: list(shape) >= 0 = []")
                .stateful()
                .doc("Returns the iterator that a text names.")
                .shape(shape_rules::scalar)
                .kernel(from_string_handle),
        );
    }
}
