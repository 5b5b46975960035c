//! The types of lists' elements as far as the graph decides them: what a list's handle has, and what ops check of it.

use ferroflow_graph::{HandleType, ShapeContext};
use ferroflow_tensor::{DType, PartialShape, Result, ensure};

/// The use that an op makes of an element; its message about another type depends on it.
#[derive(Clone, Copy)]
pub(super) enum Reading {
    Push,
    Pop,
    Item,
    Whole,
}

/// Returns the shape of an element that input `i` states, as far as the graph decides it.
pub(super) fn stated_element(c: &ShapeContext<'_>, i: usize) -> Result<PartialShape> {
    if c.input(i)?.rank() == Some(0) { Ok(PartialShape::unknown()) } else { c.input_as_shape(i) }
}

/// Returns the type of the elements of a list that a node makes, whose input `I` states their shape.
pub(super) fn made<const I: usize>(c: &ShapeContext<'_>) -> Option<HandleType> {
    Some(HandleType::new(c.dtype("element_dtype").ok()?, stated_element(c, I).ok()?))
}

/// Returns the type of the elements of input 0 after an op of known element type.
pub(super) fn pushed(c: &ShapeContext<'_>) -> Option<HandleType> {
    let known = c.input_handle(0).ok()?.cloned();
    known.or_else(|| Some(HandleType::new(c.dtype("element_dtype").ok()?, PartialShape::unknown())))
}

/// Returns the type of the elements of two joined lists.
///
/// Errors: `InvalidArgument` if a list is of another type than the op's, or the shapes contradict each other.
pub(super) fn joined(c: &ShapeContext<'_>) -> Result<Option<HandleType>> {
    let dtype = c.dtype("element_dtype")?;
    let mut shape = PartialShape::unknown();
    for (i, name) in ["input_a", "input_b"].into_iter().enumerate() {
        if let Some(list) = c.input_handle(i)? {
            ensure!(
                list.dtype == dtype,
                InvalidArgument,
                "{name}.type != element_dtype: {} vs. {}",
                list.dtype.schema_name(),
                dtype.schema_name()
            );
            shape = shape.merge(&list.shape)?;
        }
    }
    Ok(Some(HandleType::new(dtype, shape)))
}

/// Returns the known shape of the elements of the list that is input 0.
///
/// Errors: `InvalidArgument` if they are of another type than the op's.
pub(super) fn element(c: &ShapeContext<'_>, reading: Reading) -> Result<PartialShape> {
    let Some(list) = c.input_handle(0)? else { return Ok(PartialShape::unknown()) };
    let dtype = c.dtype("element_dtype")?;
    ensure!(list.dtype == dtype, InvalidArgument, "{}", wrong_type(reading, list.dtype, dtype));
    Ok(list.shape.clone())
}

fn wrong_type(reading: Reading, list: DType, op: DType) -> String {
    let (list, op) = (list.schema_name(), op.schema_name());
    let start = match reading {
        Reading::Item => {
            return format!("Expected list with element dtype {op} but got list with element dtype {list}");
        }
        Reading::Push => "push to",
        Reading::Pop | Reading::Whole => "read from",
    };
    let end = if matches!(reading, Reading::Whole) { "expected type" } else { "trying to push element with type" };
    format!("Trying to {start} list with wrong element dtype. List has type {list} but {end} {op}")
}
