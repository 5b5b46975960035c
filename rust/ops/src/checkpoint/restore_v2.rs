//! RestoreV2: tensors of a checkpoint.

use super::arguments::{check_names, one_string, set_slice_shape, slice_of};
use ferroflow_graph::{Blocking, Kernel, KernelInit, Op, Outputs, Registry, ShapeContext, kernel};
use ferroflow_io::bundle::{Checkpoint, ReadRequest};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{DType, Result, Tensor, bail, ensure};
use std::sync::Arc;

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

fn restore(inputs: &[Tensor], dtypes: &[DType], threads: Threads) -> Result<Outputs> {
    let [prefix, names, slices] = inputs else { bail!(Internal, "RestoreV2 has {} inputs", inputs.len()) };
    let prefix = one_string(prefix, "prefix")?;
    ensure!(
        names.elements() == dtypes.len(),
        InvalidArgument,
        "Got {} tensor names, but {} expected dtypes.",
        names.elements(),
        dtypes.len()
    );
    check_names(names, slices, dtypes.len())?;
    let checkpoint = Checkpoint::open(&prefix)?;
    let mut requests = Vec::with_capacity(dtypes.len());
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
        requests.push(ReadRequest { name, part: slice_of(slice)? });
    }
    Ok(checkpoint.read(&requests, threads)?.into_iter().collect())
}

fn make(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtypes: Arc<[DType]> = init.dtypes("dtypes")?.into();
    kernel(move |ctx| {
        let (inputs, dtypes, threads) = (ctx.take_inputs(), dtypes.clone(), ctx.threads());
        ctx.run_blocking(move |_| restore(&inputs, &dtypes, threads))
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("RestoreV2")
            .input("prefix: string")
            .input("tensor_names: string")
            .input("shape_and_slices: string")
            .output("tensors: dtypes")
            .attr("dtypes: list(type) >= 1")
            .stateful()
            .foreign()
            .blocks(Blocking::Files)
            .doc("Reads tensors, or slices of tensors, from the checkpoint that a prefix names, of either format.")
            .shape(shape)
            .kernel(make),
    );
}
