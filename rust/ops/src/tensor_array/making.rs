//! TensorArray, TensorArrayGrad, TensorArrayGradWithShape, TensorArraySize and TensorArrayClose, of all generations.

use super::form::Form;
use super::state::{Kind, TensorArray};
use ferroflow_graph::{
    AttrMap, ElementsPart, HandleSource, HandleType, Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext,
    kernel, shape_rules,
};
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, ensure};
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

/// Returns the type of every element, where the attributes say that all elements have one shape.
fn element(attrs: &AttrMap) -> Option<HandleType> {
    let (dtype, shape) = (attrs.dtype("dtype").ok()?, attrs.shape("element_shape").ok()?);
    let is_common = shape.to_shape().is_some() || attrs.bool("identical_element_shapes").ok()?;
    is_common.then_some(HandleType::new(dtype, shape))
}

/// Returns the known shape of the elements of the array whose handle is input 0.
pub(super) fn element_shape(c: &ShapeContext<'_>) -> Result<PartialShape> {
    Ok(c.input_handle(0)?.map_or_else(PartialShape::unknown, |h| h.shape.clone()))
}

/// Sets the outputs of an op that gives an array: its handle, and the flow where there is one.
fn give(ctx: &mut KernelContext<'_>, array: Arc<TensorArray>, form: Form) -> Result<()> {
    let handle = if form == Form::Third { TensorArray::handle(array)? } else { array.named(ctx.step.locals)? };
    ctx.set_output(0, handle);
    ctx.set_output(1, flow());
    Ok(())
}

fn make(init: &KernelInit<'_>, form: Form) -> Result<Box<dyn Kernel>> {
    let given = init.str("tensor_array_name")?;
    let kind = Kind {
        name: if given.is_empty() { init.node.name.to_string() } else { given },
        dtype: init.dtype("dtype")?,
        dynamic_size: init.bool("dynamic_size")?,
        clear_after_read: init.bool("clear_after_read")?,
        identical_element_shapes: form == Form::Third && init.bool("identical_element_shapes")?,
        is_gradient: false,
    };
    let element_shape = init.shape("element_shape")?;
    kernel(move |ctx| {
        let size = scalar_int(ctx.input(0)?, "size")?;
        ensure!(size >= 0, InvalidArgument, "Size should be >= 0.");
        // Each call makes a new one, as its name states.
        let name = format!("{}_{}", kind.name, MADE.fetch_add(1, Ordering::Relaxed));
        let array = TensorArray::new(Kind { name, ..kind.clone() }, size as usize, element_shape.clone())?;
        give(ctx, Arc::new(array), form)
    })
}

fn gradient(init: &KernelInit<'_>, form: Form) -> Result<Box<dyn Kernel>> {
    let source = init.str("source")?;
    let has_shape = init.node.inputs.len() == 3;
    kernel(move |ctx| {
        let outer = match has_shape {
            true => Shape::checked(&ctx.input(2)?.to_i64s()?)?,
            false => Shape::scalar(),
        };
        let gradient = TensorArray::of(ctx)?.gradient(&source, &outer)?;
        give(ctx, gradient, form)
    })
}

pub(super) fn register(r: &mut Registry) {
    for form in Form::ALL {
        let op = Op::new(&form.name("TensorArray")).input("size: int32").output(&format!("handle: {}", form.handle()));
        // The first generation lists the shape last.
        let shape = "element_shape: shape = { unknown_rank: true }";
        let common = |op: Op| op.attr("dynamic_size: bool = false").attr("clear_after_read: bool = true");
        let name = "tensor_array_name: string = ''";
        let op = match form {
            Form::First => common(op.attr("dtype: type")).attr(name).attr(shape),
            Form::Second => common(op.attr("dtype: type").attr(shape)).attr(name),
            Form::Third => {
                let op = common(op.output("flow: float").attr("dtype: type").attr(shape));
                op.attr("identical_element_shapes: bool = false").attr(name).handle_source(HandleSource::Attrs(element))
            }
        };
        r.add(
            form.elements(op, ElementsPart::MakeArray)
                .stateful()
                .doc("Makes an array of tensors that lives as long as the step.")
                .shape(form.handle_shape())
                .kernel(match form {
                    Form::First => |init| make(init, Form::First),
                    Form::Second => |init| make(init, Form::Second),
                    Form::Third => |init| make(init, Form::Third),
                }),
        );
        // TF 1.x: the first generation's array is a plain string here.
        let op = form.on_array_of("TensorArrayGrad", if form == Form::First { "string" } else { form.handle() });
        let op = op.listed_stateful(true).input("flow_in: float").output(&format!("grad_handle: {}", form.handle()));
        let op = match form {
            Form::Third => op.output("flow_out: float").handle_source(HandleSource::FirstInput),
            _ => op,
        };
        r.add(
            form.elements(op, ElementsPart::MakeGradients)
                .attr("source: string")
                .doc("Returns the array of the gradients of another one's elements.")
                .shape(form.handle_shape())
                .kernel(match form {
                    Form::First => |init| gradient(init, Form::First),
                    Form::Second => |init| gradient(init, Form::Second),
                    Form::Third => |init| gradient(init, Form::Third),
                }),
        );
        r.add(
            form.on_array("TensorArraySize", ElementsPart::Size)
                .input("flow_in: float")
                .output("size: int32")
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
            form.on_array("TensorArrayClose", ElementsPart::Inspect)
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
    r.add(
        Op::new("TensorArrayGradWithShape")
            .input("handle: resource")
            .input("flow_in: float")
            .input("shape_to_prepend: int32")
            .output("grad_handle: resource")
            .output("flow_out: float")
            .attr("source: string")
            .stateful()
            .doc("Returns the array of gradients that have more dimensions before those of the elements.")
            .shape(Form::Third.handle_shape())
            .kernel(|init| gradient(init, Form::Third)),
    );
}
