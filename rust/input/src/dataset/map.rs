//! MapDataset, FilterDataset, ScanDataset: a function called for every element.

use super::cardinality::Cardinality;
use super::function::{Captured, owned};
use super::held::Held;
use super::position::Position;
use super::schema::{described, unary};
use super::value::{
    BoxedIterator, Dataset, DatasetIterator, Element, Pull, SharedDataset, Signature, dataset_input, dataset_kernel,
};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::{DType, Result, Tensor, bail, ensure};
use std::sync::Arc;

struct Map {
    input: SharedDataset,
    function: Arc<Captured>,
    /// True if the function makes an element of each element, as its node promises.
    keeps_count: bool,
}

struct MapIterator {
    input: Held,
    function: Arc<Captured>,
}

impl Dataset for Map {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(MapIterator { input: Held::new(self.input.iterator()), function: self.function.clone() })
    }

    fn cardinality(&self) -> Cardinality {
        if self.keeps_count { self.input.cardinality() } else { Cardinality::Unknown }
    }
}

impl DatasetIterator for MapIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        let function = &self.function;
        Ok(self.input.with(function, pull, |element, pull| function.map(element, pull))?.flatten())
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        self.input.position(position)
    }
}

struct Filter {
    input: SharedDataset,
    predicate: Arc<Captured>,
}

struct FilterIterator {
    input: Held,
    predicate: Arc<Captured>,
}

impl Dataset for Filter {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(FilterIterator {
            input: Held::new(self.input.iterator()),
            predicate: self.predicate.clone(),
        })
    }
}

impl DatasetIterator for FilterIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        loop {
            pull.check()?;
            let tested = tested(&mut self.input, &self.predicate, "Filter predicate `f`", pull)?;
            let Some((passes, element)) = tested else { return Ok(None) };
            if passes {
                return Ok(Some(element));
            }
        }
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        self.input.position(position)
    }
}

/// Returns the next element and the decision of a predicate about it; `what` names the predicate in messages.
pub(super) fn tested(
    input: &mut Held,
    predicate: &Captured,
    what: &str,
    pull: Pull<'_>,
) -> Result<Option<(bool, Element)>> {
    let called = |element: Element, pull: Pull<'_>| -> Result<(Element, Element)> {
        Ok((predicate.call(element.iter().cloned(), pull)?, element))
    };
    let Some((decision, element)) = input.with(predicate, pull, called)? else { return Ok(None) };
    match &decision[..] {
        [one] if one.dtype() == DType::Bool && one.rank() == 0 => Ok(Some((one.to_scalar()?, element))),
        _ => bail!(InvalidArgument, "{what} must return a scalar bool."),
    }
}

struct Scan {
    input: SharedDataset,
    state: Vec<Tensor>,
    function: Arc<Captured>,
    signature: Signature,
    /// True if the function makes an element of each element, as its node promises.
    keeps_count: bool,
}

struct ScanIterator {
    input: Held,
    state: Vec<Tensor>,
    function: Arc<Captured>,
    signature: Signature,
}

impl Dataset for Scan {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(ScanIterator {
            input: Held::new(self.input.iterator()),
            state: self.state.clone(),
            function: self.function.clone(),
            signature: self.signature.clone(),
        })
    }

    fn cardinality(&self) -> Cardinality {
        if self.keeps_count { self.input.cardinality() } else { Cardinality::Unknown }
    }
}

impl DatasetIterator for ScanIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        let (function, before) = (&self.function, &self.state);
        let called = |element: Element, pull: Pull<'_>| function.map(before.iter().cloned().chain(element), pull);
        let Some(mut state) = self.input.with(function, pull, called)?.flatten() else { return Ok(None) };
        let (states, all) = (self.state.len(), self.state.len() + self.signature.types.len());
        ensure!(
            state.len() == all,
            InvalidArgument,
            "scan_func must return {all} values: the new state and the output, got {}",
            state.len()
        );
        let expected = self.state.iter().map(|t| t.dtype()).chain(self.signature.types.iter().copied());
        for (i, (got, expected)) in state.iter().zip(expected).enumerate() {
            ensure!(
                got.dtype() == expected,
                InvalidArgument,
                "Got wrong type for scan_func return value {i} (expected {}, got {}).",
                expected.schema_name(),
                got.dtype().schema_name()
            );
        }
        let output = state.split_off(states);
        self.state = state;
        Ok(Some(output))
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        self.input.position(position)?;
        position.value(&mut self.state)
    }
}

/// Returns the last state of a function that takes a state and an element to the next state.
fn reduce(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let f = init.func("f")?.name;
    let states = init.dtypes("Tstate")?.len();
    let types = init.dtypes("output_types")?;
    kernel(move |ctx| {
        let function = Captured::new(ctx, &f, 1 + states..ctx.num_inputs())?;
        let mut state = owned(ctx, 1..1 + states)?;
        let mut iterator = dataset_input(ctx, 0)?.dataset.iterator();
        let pull = Pull { cancellation: ctx.step.cancellation, threads: ctx.step.threads, resumes: false };
        while let Some(element) = iterator.next(pull)? {
            state = function.call(state.into_iter().chain(element), pull)?;
            pull.check()?;
        }
        ensure!(
            state.iter().map(|t| t.dtype()).eq(types.iter().copied()),
            InvalidArgument,
            "The types of the reduced state are not those of `output_types`"
        );
        state.into_iter().enumerate().for_each(|(i, t)| ctx.set_output(i, t));
        Ok(())
    })
}

fn reduced_shapes(c: &mut ShapeContext<'_>) -> Result<()> {
    c.shapes("output_shapes")?.into_iter().enumerate().for_each(|(i, s)| c.set_output(i, s));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let reducer = Op::new("ReduceDataset")
        .unbounded()
        .listed_stateful(true)
        .input("input_dataset: variant")
        .input("initial_state: Tstate");
    r.add(
        described(reducer.input("other_arguments: Targuments").output("components: output_types").attr("f: func"))
            .attr("Tstate: list(type) >= 1")
            .attr("Targuments: list(type) >= 0")
            .attr("use_inter_op_parallelism: bool = true")
            .shape(reduced_shapes)
            .doc(
                "Reduces the input: `f` makes a new state of a state and an element, one element after the other. \
                 Returns the last state.",
            )
            .kernel(reduce),
    );
    r.add(
        described(unary("MapDataset").input("other_arguments: Targuments"))
            .attr("f: func")
            .attr("Targuments: list(type) >= 0")
            .attr("use_inter_op_parallelism: bool = true")
            .attr("preserve_cardinality: bool = false")
            .doc("Returns the results of `f` for the elements of the input.")
            .kernel(|init| {
                let f = init.func("f")?.name;
                let keeps_count = init.bool("preserve_cardinality")?;
                dataset_kernel(init, move |ctx| {
                    let function = Captured::new(ctx, &f, 1..ctx.num_inputs())?;
                    Ok(Map { input: dataset_input(ctx, 0)?.dataset, function, keeps_count })
                })
            }),
    );
    r.add(
        described(unary("FilterDataset").input("other_arguments: Targuments"))
            .attr("predicate: func")
            .attr("Targuments: list(type) >= 0")
            .doc("Returns the elements for which `predicate` is true.")
            .kernel(|init| {
                let f = init.func("predicate")?.name;
                dataset_kernel(init, move |ctx| {
                    let predicate = Captured::new(ctx, &f, 1..ctx.num_inputs())?;
                    Ok(Filter { input: dataset_input(ctx, 0)?.dataset, predicate })
                })
            }),
    );
    r.add(
        described(unary("ScanDataset").input("initial_state: Tstate").input("other_arguments: Targuments"))
            .attr("f: func")
            .attr("Tstate: list(type) >= 1")
            .attr("Targuments: list(type) >= 0")
            .attr("preserve_cardinality: bool = false")
            .shape(shape_rules::scalar)
            .doc(
                "Returns the outputs of `f`, which is called with a state and an element and gives the next state and \
                 an output.",
            )
            .kernel(|init| {
                let f = init.func("f")?.name;
                let states = init.dtypes("Tstate")?.len();
                let signature = Signature::of(init)?;
                let keeps_count = init.bool("preserve_cardinality")?;
                dataset_kernel(init, move |ctx| {
                    let function = Captured::new(ctx, &f, 1 + states..ctx.num_inputs())?;
                    let state = owned(ctx, 1..1 + states)?;
                    let signature = signature.clone();
                    Ok(Scan { input: dataset_input(ctx, 0)?.dataset, state, function, signature, keeps_count })
                })
            }),
    );
}
