//! A library of shape rules that many ops share.

use crate::shape_context::ShapeContext;
use ferroflow_tensor::{PartialShape, Result};

/// Output 0 has the shape of input 0.
pub fn unchanged(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(0)?.clone();
    c.set_output(0, s);
    Ok(())
}

/// Every output is a scalar.
pub fn scalar(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in 0..c.num_outputs() {
        c.set_output(i, PartialShape::scalar());
    }
    Ok(())
}

/// No outputs, or nothing known of them.
pub fn unknown(_: &mut ShapeContext<'_>) -> Result<()> {
    Ok(())
}

/// Output 0 has the broadcast shape of inputs 0 and 1.
pub fn broadcast_binary(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = PartialShape::broadcast(c.input(0)?, c.input(1)?)?;
    c.set_output(0, s);
    Ok(())
}

/// All inputs and output 0 have one shape.
pub fn merged(c: &mut ShapeContext<'_>) -> Result<()> {
    let mut s = PartialShape::unknown();
    for i in 0..c.num_inputs() {
        s = s.merge(c.input(i)?)?;
    }
    c.set_output(0, s);
    Ok(())
}

/// Output 0 has the shape that the attribute `shape` holds.
pub fn from_shape_attr(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.shape("shape")?;
    c.set_output(0, s);
    Ok(())
}

/// Output 0 has the shape that the int vector input 0 describes.
pub fn from_shape_input(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input_as_shape(0)?;
    c.set_output(0, s);
    Ok(())
}
