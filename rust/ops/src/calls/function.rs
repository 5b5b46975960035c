//! `Called`: a function that an attribute names, with state of its own; and what all ops that call have in common.

use ferroflow_graph::{Blocking, Callable, Cancellation, Functions, KernelContext, Op, ShapeContext};
use ferroflow_sync::OnceLock;
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, ensure};
use smallvec::SmallVec;
use std::sync::Arc;

pub(crate) type Values = SmallVec<[Tensor; 4]>;

/// A function, planned at its first call: a function may call itself.
pub(crate) struct Called {
    name: String,
    instance: OnceLock<Arc<dyn Callable>>,
}

impl Called {
    pub fn new(name: String) -> Called {
        Called { name, instance: OnceLock::new() }
    }

    pub fn call(
        &self,
        functions: &Arc<dyn Functions>,
        arguments: Values,
        cancellation: &Cancellation,
    ) -> Result<Vec<Tensor>> {
        let instance = match self.instance.get() {
            Some(known) => known,
            None => {
                let made = functions.clone().instance(&self.name)?;
                self.instance.get_or_init(|| made)
            }
        };
        instance.call(arguments, cancellation)
    }

    /// Returns the results of a call, if there are as many as `types` and have these types.
    pub fn results(
        &self,
        functions: &Arc<dyn Functions>,
        arguments: Values,
        types: &[DType],
        cancellation: &Cancellation,
    ) -> Result<Values> {
        let results = self.call(functions, arguments, cancellation)?;
        ensure!(
            results.len() == types.len(),
            InvalidArgument,
            "Function {} returns {} values, expected {}",
            self.name,
            results.len(),
            types.len()
        );
        for (i, (value, expected)) in results.iter().zip(types).enumerate() {
            ensure!(
                value.dtype() == *expected,
                InvalidArgument,
                "Result {i} of function {} is {}, expected {}",
                self.name,
                value.dtype().schema_name(),
                expected.schema_name()
            );
        }
        Ok(results.into())
    }

    /// Returns the decision that the only result of a call stands for.
    pub fn decision(
        &self,
        functions: &Arc<dyn Functions>,
        arguments: Values,
        cancellation: &Cancellation,
    ) -> Result<bool> {
        let results = self.call(functions, arguments, cancellation)?;
        ensure!(
            results.len() == 1,
            InvalidArgument,
            "Function {} decides and must return one value, but returns {}",
            self.name,
            results.len()
        );
        is_true(&results[0])
    }
}

/// Returns whether a value decides for the first branch. TF 1.x: a tensor that is no scalar does if it has elements.
pub(crate) fn is_true(value: &Tensor) -> Result<bool> {
    if value.rank() > 0 {
        return Ok(value.elements() > 0);
    }
    Ok(match value.dtype() {
        DType::Bool => value.to_scalar()?,
        DType::String => value.strings()?.iter().any(|s| !s.is_empty()),
        DType::F32 => value.to_scalar::<f32>()? != 0.0,
        DType::F64 => value.to_scalar::<f64>()? != 0.0,
        DType::I8 => value.to_scalar::<i8>()? != 0,
        DType::I16 => value.to_scalar::<i16>()? != 0,
        DType::U8 => value.to_scalar::<u8>()? != 0,
        dtype => {
            ensure!(
                matches!(dtype, DType::I32 | DType::I64),
                InvalidArgument,
                "a scalar of type {} cannot decide",
                dtype.schema_name()
            );
            value.to_i64s()? != [0]
        }
    })
}

/// Returns the inputs of a node from `first` on, which are arguments of its functions.
pub(crate) fn arguments(ctx: &mut KernelContext<'_>, first: usize) -> Values {
    let count = ctx.num_node_inputs();
    ctx.take_inputs().into_iter().take(count).skip(first).collect()
}

/// Declares that an op calls functions. Each node has instances of its own, so its functions are never shared or
/// folded; `stateful`: what TensorFlow's registry says.
pub(crate) fn calling(op: Op, stateful: bool) -> Op {
    op.stateful().listed_stateful(stateful).blocks(Blocking::Code).unbounded()
}

/// Sets the shapes that the attribute `output_shapes` lists; without it, all are unknown.
pub(crate) fn listed_shapes(c: &mut ShapeContext<'_>) -> Result<()> {
    let shapes = c.shapes("output_shapes")?;
    ensure!(
        shapes.is_empty() || shapes.len() == c.num_outputs(),
        InvalidArgument,
        "`output_shapes` must be the same length as num outputs ({} vs. {})",
        shapes.len(),
        c.num_outputs()
    );
    for i in 0..c.num_outputs() {
        c.set_output(i, shapes.get(i).cloned().unwrap_or_else(PartialShape::unknown));
    }
    Ok(())
}

/// Leaves all shapes unknown.
pub(crate) fn unknown_shapes(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in 0..c.num_outputs() {
        c.set_output(i, PartialShape::unknown());
    }
    Ok(())
}
