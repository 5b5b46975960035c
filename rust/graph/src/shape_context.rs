//! `ShapeContext`: what a shape rule sees of the node being added, and the outputs it fills.

use crate::attr::AttrMap;
use crate::constant;
use crate::graph::Graph;
use crate::node::{HandleType, OutputId};
use crate::op_def::OpDef;
use ferroflow_sync::OnceLock;
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, bail, ensure};
use smallvec::SmallVec;
use std::ops::Deref;

static UNKNOWN: OnceLock<PartialShape> = OnceLock::new();

/// Computes the shapes of a node's outputs from what is known of its inputs.
pub type ShapeFn = fn(&mut ShapeContext<'_>) -> Result<()>;

pub struct ShapeContext<'a> {
    graph: &'a Graph,
    op: &'a OpDef,
    attrs: &'a AttrMap,
    inputs: &'a [OutputId],
    outputs: SmallVec<[PartialShape; 1]>,
}

impl Deref for ShapeContext<'_> {
    type Target = AttrMap;
    fn deref(&self) -> &AttrMap {
        self.attrs
    }
}

impl<'a> ShapeContext<'a> {
    pub(crate) fn new(
        graph: &'a Graph,
        op: &'a OpDef,
        attrs: &'a AttrMap,
        inputs: &'a [OutputId],
        num_outputs: usize,
    ) -> Self {
        let outputs = SmallVec::from_elem(PartialShape::unknown(), num_outputs);
        ShapeContext { graph, op, attrs, inputs, outputs }
    }

    pub(crate) fn into_outputs(self) -> SmallVec<[PartialShape; 1]> {
        self.outputs
    }

    pub fn num_inputs(&self) -> usize {
        self.inputs.len()
    }

    pub fn num_outputs(&self) -> usize {
        self.outputs.len()
    }

    fn output_id(&self, i: usize) -> Result<OutputId> {
        match self.inputs.get(i) {
            Some(o) => Ok(*o),
            None => bail!(Internal, "no input {i}"),
        }
    }

    /// Returns the shape of an input; of a variable's handle that the op reads or writes through, the variable's.
    pub fn input(&self, i: usize) -> Result<&'a PartialShape> {
        let output = self.graph.output(self.output_id(i)?)?;
        if self.op.takes_handles && output.dtype == DType::Resource {
            return Ok(output.handle.as_ref().map_or_else(|| UNKNOWN.get_or_init(PartialShape::unknown), |h| &h.shape));
        }
        Ok(&output.shape)
    }

    /// Returns the known type of what a handle stands for.
    pub fn input_handle(&self, i: usize) -> Result<Option<&'a HandleType>> {
        Ok(self.graph.output(self.output_id(i)?)?.handle.as_deref())
    }

    pub fn input_type(&self, i: usize) -> Result<DType> {
        Ok(self.graph.output(self.output_id(i)?)?.dtype)
    }

    /// Returns an input, or what it stands for in a branch or loop.
    fn source(&self, i: usize) -> Result<OutputId> {
        Ok(constant::source(self.graph, self.output_id(i)?))
    }

    /// Returns the value of an input where the graph alone decides it.
    pub fn input_value(&self, i: usize) -> Result<Option<Tensor>> {
        Ok(constant::value(self.graph, self.source(i)?))
    }

    /// Returns `input_value` of an int32/int64 input.
    pub fn input_i64s(&self, i: usize) -> Result<Option<Vec<i64>>> {
        self.input_value(i)?.map(|t| t.to_i64s()).transpose()
    }

    /// Returns `input_i64s` element by element, None for those that the graph does not decide.
    pub fn input_partial_i64s(&self, i: usize) -> Result<Option<Vec<Option<i64>>>> {
        Ok(constant::partial_i64s(self.graph, self.source(i)?))
    }

    /// Returns a one-element int input's value.
    pub fn input_i64(&self, i: usize) -> Result<Option<i64>> {
        match self.input_i64s(i)? {
            None => Ok(None),
            Some(v) => match v[..] {
                [x] => Ok(Some(x)),
                _ => bail!(InvalidArgument, "Input must be scalar but has {} elements", v.len()),
            },
        }
    }

    /// Returns the shape that an int vector input describes (-1: unknown), as far as the graph alone decides it.
    pub fn input_as_shape(&self, i: usize) -> Result<PartialShape> {
        let shape = self.input(i)?.with_rank(1)?;
        constant::as_shape(self.graph, self.source(i)?).map(|s| match (s.rank(), shape.dim(0)) {
            (None, Some(n)) => PartialShape::unknown_of_rank(n),
            _ => s,
        })
    }

    /// Returns an axis input or attribute brought into [0, rank).
    ///
    /// Errors: `InvalidArgument` outside [-rank, rank).
    pub fn axis(&self, axis: i64, rank: usize) -> Result<usize> {
        normalize_axis(axis, rank)
    }

    /// Returns true if a plan relies on the shapes: rules must not state more than what kernels give, as some of TensorFlow's do.
    pub fn is_exact(&self) -> bool {
        self.graph.is_specialized()
    }

    pub fn set_output(&mut self, i: usize, shape: PartialShape) {
        if let Some(slot) = self.outputs.get_mut(i) {
            *slot = shape;
        }
    }
}

pub(crate) fn normalize_axis(axis: i64, rank: usize) -> Result<usize> {
    let r = rank as i64;
    ensure!(
        (-r..r).contains(&axis),
        InvalidArgument,
        "Invalid reduction dimension {axis} for input with {rank} dimensions."
    );
    Ok(if axis < 0 { (axis + r) as usize } else { axis as usize })
}
