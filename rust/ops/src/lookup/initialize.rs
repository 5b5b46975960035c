//! InitializeTable: fills a static table from tensors.

use super::table::Table;
use ferroflow_graph::{KernelContext, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Result, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.with_rank(1)?.merge(c.input(2)?)?;
    Ok(())
}

fn initialize(ctx: &mut KernelContext<'_>) -> Result<()> {
    let table = ctx.resource::<Table>(0)?;
    let (keys, values) = (ctx.input(1)?, ctx.input(2)?);
    ensure!(keys.rank() == 1, InvalidArgument, "Keys must be a vector, but received shape {}", keys.shape());
    ensure!(values.rank() == 1, InvalidArgument, "Values must be a vector, but received shape {}", values.shape());
    ensure!(
        keys.elements() == values.elements(),
        InvalidArgument,
        "Keys and values must have the same size {} vs {}",
        keys.elements(),
        values.elements()
    );
    table.initialize(keys, values)
}

pub(super) fn register(r: &mut Registry) {
    for (name, handle) in [("InitializeTable", "Ref(string)"), ("InitializeTableV2", "resource")] {
        r.add(
            Op::new(name)
                .input(&format!("table_handle: {handle}"))
                .input("keys: Tkey")
                .input("values: Tval")
                .attr("Tkey: type")
                .attr("Tval: type")
                .stateful()
                .listed_stateful(name.ends_with("V2"))
                .doc("Fills a static table with `values` by `keys`.")
                .shape(shape)
                .kernel(|_| kernel(initialize)),
        );
    }
}
