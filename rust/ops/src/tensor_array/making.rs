//! TensorArrayV3, TensorArrayGradV3, TensorArraySizeV3, TensorArrayCloseV3.

use super::state::{Kind, TensorArray};
use ferroflow_graph::{AttrMap, HandleSource, HandleType, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::{PartialShape, Result, Tensor, ensure};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Arrays made so far.
static MADE: AtomicU64 = AtomicU64::new(0);

/// Returns a flow: it orders the uses of an array and has no value of its own.
pub(super) fn flow() -> Tensor {
    Tensor::scalar(0.0f32)
}

/// Returns a scalar int32 input that is an index or a size.
pub(super) fn scalar_int(t: &Tensor, what: &str) -> Result<i64> {
    ensure!(t.rank() == 0, InvalidArgument, "TensorArray {what} must be scalar, but had shape: {}", t.shape());
    Ok(i64::from(t.to_scalar::<i32>()?))
}

/// Sets the shapes of handle and flow. TF 1.x: a handle counts as the two names that it once was, and TensorFlow
/// refuses other shapes in graphs.
fn handle_and_flow(c: &mut ShapeContext<'_>) -> Result<()> {
    c.set_output(0, PartialShape::vector(Some(2)));
    c.set_output(1, PartialShape::scalar());
    Ok(())
}

/// Returns the type of every element, where the attributes say that all elements have one shape.
fn element(attrs: &AttrMap) -> Option<HandleType> {
    let (dtype, shape) = (attrs.dtype("dtype").ok()?, attrs.shape("element_shape").ok()?);
    let is_common = shape.to_shape().is_some() || attrs.bool("identical_element_shapes").ok()?;
    is_common.then_some(HandleType { dtype, shape })
}

/// Returns the known shape of the elements of the array whose handle is input 0.
pub(super) fn element_shape(c: &ShapeContext<'_>) -> Result<PartialShape> {
    Ok(c.input_handle(0)?.map_or_else(PartialShape::unknown, |h| h.shape.clone()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("TensorArrayV3")
            .input("size: int32")
            .output("handle: resource")
            .output("flow: float")
            .attr("dtype: type")
            .attr("element_shape: shape = { unknown_rank: true }")
            .attr("dynamic_size: bool = false")
            .attr("clear_after_read: bool = true")
            .attr("identical_element_shapes: bool = false")
            .attr("tensor_array_name: string = ''")
            .stateful()
            .handle_source(HandleSource::Attrs(element))
            .doc("Makes an array of tensors that lives as long as the step.")
            .shape(handle_and_flow)
            .kernel(|init| {
                let given = init.str("tensor_array_name")?;
                let kind = Kind {
                    name: if given.is_empty() { init.node.name.to_string() } else { given },
                    dtype: init.dtype("dtype")?,
                    dynamic_size: init.bool("dynamic_size")?,
                    clear_after_read: init.bool("clear_after_read")?,
                    identical_element_shapes: init.bool("identical_element_shapes")?,
                    is_gradient: false,
                };
                let element_shape = init.shape("element_shape")?;
                kernel(move |ctx| {
                    let size = scalar_int(ctx.input(0)?, "size")?;
                    ensure!(size >= 0, InvalidArgument, "Size should be >= 0.");
                    // Each call makes a new one, as its name states.
                    let name = format!("{}_{}", kind.name, MADE.fetch_add(1, Ordering::Relaxed));
                    let array = TensorArray::new(Kind { name, ..kind.clone() }, size as usize, element_shape.clone())?;
                    ctx.set_output(0, TensorArray::handle(Arc::new(array))?);
                    ctx.set_output(1, flow());
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("TensorArrayGradV3")
            .input("handle: resource")
            .input("flow_in: float")
            .output("grad_handle: resource")
            .output("flow_out: float")
            .attr("source: string")
            .stateful()
            .handle_source(HandleSource::FirstInput)
            .doc("Returns the array of the gradients of another one's elements.")
            .shape(handle_and_flow)
            .kernel(|init| {
                let source = init.str("source")?;
                kernel(move |ctx| {
                    let gradient = TensorArray::of(ctx)?.gradient(&source)?;
                    ctx.set_output(0, TensorArray::handle(gradient)?);
                    ctx.set_output(1, flow());
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("TensorArraySizeV3")
            .input("handle: resource")
            .input("flow_in: float")
            .output("size: int32")
            .stateful()
            .doc("Returns the number of elements.")
            .shape(shape_rules::scalar)
            .kernel(|_| {
                kernel(|ctx| {
                    let size = TensorArray::of(ctx)?.size()?;
                    ctx.set_output(0, Tensor::scalar(size as i32));
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("TensorArrayCloseV3")
            .input("handle: resource")
            .stateful()
            .doc("Drops an array's elements; later uses fail.")
            .shape(shape_rules::unknown)
            .kernel(|_| {
                kernel(|ctx| {
                    TensorArray::of(ctx)?.close();
                    Ok(())
                })
            }),
    );
}
