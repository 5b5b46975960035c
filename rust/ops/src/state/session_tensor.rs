//! GetSessionHandle, GetSessionTensor, DeleteSessionTensor: values that the session keeps between steps.

use ferroflow_graph::{
    KernelContext, Op, Registry, ResourceHandle, ResourceName, Resources, ShapeContext, kernel, shape_rules,
};
use ferroflow_tensor::{Bytes, DType, PartialShape, Result, Tensor, bail, ensure};
use std::sync::atomic::{AtomicU64, Ordering};

/// A value under its handle.
struct Kept(Tensor);

const CONTAINER: &str = "";
const CPU: &str = "/job:localhost/replica:0/task:0/device:CPU:0";

fn keep(ctx: &mut KernelContext<'_>, by_handle: bool) -> Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let value = ctx.take(0)?.into_owned()?;
    // TF 1.x: name, number and device; programs read the device off the end.
    let name = format!("{};{};{CPU}", ctx.name(), NEXT.fetch_add(1, Ordering::Relaxed));
    let kept = ctx.step.resources.lookup_or_create(CONTAINER, &name, || Ok(Kept(value)))?;
    let out = match by_handle {
        true => ResourceHandle::new(ResourceName { container: CONTAINER.into(), name }, kept).into_tensor()?,
        false => Tensor::from_strings([], vec![name.into_bytes().into()])?,
    };
    ctx.set_output(0, out);
    Ok(())
}

fn name_of(handle: &Tensor) -> Result<String> {
    match handle.strings()? {
        [one] => Ok(text(one)),
        _ => bail!(InvalidArgument, "A handle must be a scalar, got shape {}", handle.shape()),
    }
}

fn text(bytes: &Bytes) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn value(resources: &Resources, name: &str, dtype: DType) -> Result<Tensor> {
    let Some(kept) = resources.lookup::<Kept>(CONTAINER, name) else {
        bail!(InvalidArgument, "The tensor with handle '{name}' is not in the session store.");
    };
    let value = kept.0.clone();
    ensure!(
        value.dtype() == dtype,
        InvalidArgument,
        "The tensor with handle '{name}' is of type {}, not {}",
        value.dtype().schema_name(),
        dtype.schema_name()
    );
    Ok(value)
}

fn no_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    Ok(())
}

fn scalar(c: &mut ShapeContext<'_>) -> Result<()> {
    c.set_output(0, PartialShape::scalar());
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    for (name, handle) in [("GetSessionHandle", "string"), ("GetSessionHandleV2", "resource")] {
        r.add(
            Op::new(name)
                .input("value: T")
                .output(&format!("handle: {handle}"))
                .attr("T: type")
                .stateful()
                .doc("Keeps a value in the session, and returns the name that it is kept under.")
                .shape(scalar)
                .kernel(|init| {
                    let by_handle = init.output_type(0)? == DType::Resource;
                    kernel(move |ctx| keep(ctx, by_handle))
                }),
        );
    }
    r.add(
        Op::new("GetSessionTensor")
            .input("handle: string")
            .output("value: dtype")
            .attr("dtype: type")
            .stateful()
            .doc("Returns the value that is kept under a name.")
            .shape(no_shape)
            .kernel(|init| {
                let dtype = init.dtype("dtype")?;
                kernel(move |ctx| {
                    let value = value(ctx.step.resources, &name_of(ctx.input(0)?)?, dtype)?;
                    ctx.set_output(0, value);
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("DeleteSessionTensor")
            .input("handle: string")
            .stateful()
            .doc("Forgets the value that is kept under a name.")
            .shape(shape_rules::unknown)
            .kernel(|_| {
                kernel(|ctx| {
                    let name = name_of(ctx.input(0)?)?;
                    ensure!(
                        ctx.step.resources.remove::<Kept>(CONTAINER, &name),
                        InvalidArgument,
                        "Failed to delete a tensor with handle '{name}' in the session store."
                    );
                    Ok(())
                })
            }),
    );
}
