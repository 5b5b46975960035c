//! A library of shape rules that many ops share.

use crate::shape_context::ShapeContext;
use ferroflow_tensor::{PartialShape, Result};

/// Sets output 0 to the shape of input 0.
pub fn unchanged(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(0)?.clone();
    c.set_output(0, s);
    Ok(())
}

/// Sets every output to a scalar.
pub fn scalar(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in 0..c.num_outputs() {
        c.set_output(i, PartialShape::scalar());
    }
    Ok(())
}

/// Sets nothing: the op has no outputs, or their shapes are unknown.
pub fn unknown(_: &mut ShapeContext<'_>) -> Result<()> {
    Ok(())
}

/// Sets output 0 to the broadcast shape of inputs 0 and 1.
pub fn broadcast_binary(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = PartialShape::broadcast(c.input(0)?, c.input(1)?)?;
    c.set_output(0, s);
    Ok(())
}

/// Merges the shapes of all inputs and output 0.
pub fn merged(c: &mut ShapeContext<'_>) -> Result<()> {
    let mut s = PartialShape::unknown();
    for i in 0..c.num_inputs() {
        s = s.merge(c.input(i)?)?;
    }
    c.set_output(0, s);
    Ok(())
}

/// Sets output 0 to the shape that the attribute `shape` holds.
pub fn from_shape_attr(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.shape("shape")?;
    c.set_output(0, s);
    Ok(())
}

/// Sets output 0 to the shape that the int vector input 0 describes.
pub fn from_shape_input(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input_as_shape(0)?;
    c.set_output(0, s);
    Ok(())
}
