//! MergeV2Checkpoints: one checkpoint of the shards of a save.

use super::arguments::one_string;
use ferroflow_graph::{Blocking, Kernel, KernelInit, Op, Outputs, Registry, ShapeContext, kernel};
use ferroflow_io::bundle::merge;
use ferroflow_tensor::{Result, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(1)?;
    c.input(1)?.with_rank(0)?;
    Ok(())
}

fn make(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let delete_old_dirs = init.bool("delete_old_dirs")?;
    kernel(move |ctx| {
        let (prefixes, destination) = (ctx.input(0)?, ctx.input(1)?);
        ensure!(
            prefixes.rank() == 1,
            InvalidArgument,
            "Input checkpoint_prefixes should be an 1-D tensor, got {} instead.",
            prefixes.shape()
        );
        ensure!(
            destination.rank() == 0,
            InvalidArgument,
            "Input destination_prefix should be a scalar tensor, got {} instead.",
            destination.shape()
        );
        let prefixes: Vec<_> = prefixes.strings()?.iter().map(|p| String::from_utf8_lossy(p).into_owned()).collect();
        let destination = one_string(destination, "destination_prefix")?;
        ctx.run_blocking(move |_| merge(&prefixes, &destination, delete_old_dirs).map(|()| Outputs::new()))
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("MergeV2Checkpoints")
            .input("checkpoint_prefixes: string")
            .input("destination_prefix: string")
            .attr("delete_old_dirs: bool = true")
            .stateful()
            .foreign()
            .blocks(Blocking::Files)
            .doc("Makes one checkpoint of several, whose data files are moved, not copied.")
            .shape(shape)
            .kernel(make),
    );
}
