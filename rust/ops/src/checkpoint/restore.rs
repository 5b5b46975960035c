//! Restore, RestoreSlice: a tensor of a checkpoint in TF 1.x's first format.

use super::arguments::{one_string, set_slice_shape, slice_of};
use ferroflow_graph::{Blocking, Kernel, KernelInit, Op, Outputs, Registry, ShapeContext, kernel};
use ferroflow_io::bundle::{ReadRequest, SliceSpec, SlicesReader};
use ferroflow_tensor::{DType, Result, ensure};
use smallvec::smallvec;

fn scalars(c: &mut ShapeContext<'_>) -> Result<()> {
    (0..c.num_inputs()).try_for_each(|i| c.input(i)?.with_rank(0).map(|_| ()))
}

fn slice_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    scalars(c)?;
    match c.input_value(2)?.as_ref().map(|t| t.strings()) {
        Some(Ok([text])) => set_slice_shape(c, 0, text),
        _ => Ok(()),
    }
}

fn restore(files: &str, name: &str, dtype: DType, part: Option<SliceSpec>) -> Result<Outputs> {
    let reader = SlicesReader::open(files)?;
    let (stored, _) = reader.describe(name.as_bytes())?;
    ensure!(
        stored == dtype,
        InvalidArgument,
        "Expected to restore a tensor of type {}, got a tensor of type {} instead: tensor_name = {name}",
        dtype.schema_name(),
        stored.schema_name()
    );
    Ok(smallvec![reader.read(&ReadRequest { name: name.as_bytes(), part })?])
}

fn make(init: &KernelInit<'_>, sliced: bool) -> Result<Box<dyn Kernel>> {
    let dtype = init.output_type(0)?;
    kernel(move |ctx| {
        let part = if sliced { slice_of(one_string(ctx.input(2)?, "shape_and_slice")?.as_bytes())? } else { None };
        let (files, name) = (one_string(ctx.input(0)?, "file_pattern")?, one_string(ctx.input(1)?, "tensor_name")?);
        ctx.run_blocking(move |_| restore(&files, &name, dtype, part))
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Restore")
            .input("file_pattern: string")
            .input("tensor_name: string")
            .output("tensor: dt")
            .attr("dt: type")
            .attr("preferred_shard: int = -1")
            .stateful()
            .foreign()
            .blocks(Blocking::Files)
            .doc("Reads a tensor from the files of the first format whose names match a pattern.")
            .shape(scalars)
            .kernel(|init| make(init, false)),
    );
    r.add(
        Op::new("RestoreSlice")
            .input("file_pattern: string")
            .input("tensor_name: string")
            .input("shape_and_slice: string")
            .output("tensor: dt")
            .attr("dt: type")
            .attr("preferred_shard: int = -1")
            .stateful()
            .foreign()
            .blocks(Blocking::Files)
            .doc("Reads a slice of a tensor from the files of the first format whose names match a pattern.")
            .shape(slice_shape)
            .kernel(|init| make(init, true)),
    );
}
