//! RestoreV2: tensors of a checkpoint.

use super::arguments::{check_names, one_string, set_slice_shape, slice_of};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_io::bundle::{Checkpoint, Wanted};
use ferroflow_tensor::{DType, Result, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    c.input(1)?.with_rank(1)?.merge(&c.input(2)?.with_rank(1)?)?;
    let Some(slices) = c.input_value(2)? else { return Ok(()) };
    ensure!(
        slices.elements() == c.num_outputs(),
        InvalidArgument,
        "The number of shape_and_slice doesn't match tensor outputs."
    );
    slices.strings()?.iter().enumerate().try_for_each(|(i, text)| set_slice_shape(c, i, text))
}

fn restore(ctx: &mut KernelContext<'_>, dtypes: &[DType]) -> Result<()> {
    let prefix = one_string(ctx.input(0)?, "prefix")?;
    let (names, slices) = (ctx.input(1)?.clone(), ctx.input(2)?.clone());
    ensure!(
        names.elements() == dtypes.len(),
        InvalidArgument,
        "Got {} tensor names, but {} expected dtypes.",
        names.elements(),
        dtypes.len()
    );
    check_names(&names, &slices, dtypes.len())?;
    let checkpoint = Checkpoint::open(&prefix)?;
    let mut wanted = Vec::with_capacity(dtypes.len());
    for ((name, slice), dtype) in names.strings()?.iter().zip(slices.strings()?).zip(dtypes) {
        let (stored, _) = checkpoint.describe(name)?;
        ensure!(
            stored == *dtype,
            InvalidArgument,
            "tensor_name = {}; expected dtype {} does not equal original dtype {}",
            String::from_utf8_lossy(name),
            dtype.schema_name(),
            stored.schema_name()
        );
        wanted.push(Wanted { name, part: slice_of(slice)? });
    }
    for (i, tensor) in checkpoint.read(&wanted, ctx.threads())?.into_iter().enumerate() {
        ctx.set_output(i, tensor);
    }
    Ok(())
}

fn make(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtypes = init.dtypes("dtypes")?;
    kernel(move |ctx| restore(ctx, &dtypes))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("RestoreV2")
            .input("prefix: string")
            .input("tensor_names: string")
            .input("shape_and_slices: string")
            .output("tensors: dtypes")
            .attr("dtypes: list(type)")
            .stateful()
            .foreign()
            .doc("Reads tensors, or slices of tensors, from the checkpoint that a prefix names, of either format.")
            .shape(shape)
            .kernel(make),
    );
}
