//! SaveV2: a checkpoint of given tensors.

use super::arguments::{check_names, one_string, slice_of, with_length};
use ferroflow_graph::{Blocking, Op, Outputs, Registry, ShapeContext, kernel};
use ferroflow_io::bundle::{Item, write};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Result, Tensor, bail};

/// Prefix, names, slices.
const FIXED_INPUTS: usize = 3;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    let tensors = c.num_inputs().saturating_sub(FIXED_INPUTS);
    with_length(c, 1, tensors)?;
    with_length(c, 2, tensors)
}

fn save(inputs: &[Tensor], threads: Threads) -> Result<()> {
    let [prefix, names, slices, tensors @ ..] = inputs else { bail!(Internal, "SaveV2 has too few inputs") };
    let prefix = one_string(prefix, "prefix")?;
    check_names(names, slices, tensors.len())?;
    let mut items = Vec::with_capacity(tensors.len());
    for ((name, slice), tensor) in names.strings()?.iter().zip(slices.strings()?).zip(tensors) {
        items.push(Item { name, part: slice_of(slice)?, tensor });
    }
    write(&prefix, &items, threads)
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SaveV2")
            .input("prefix: string")
            .input("tensor_names: string")
            .input("shape_and_slices: string")
            .input("tensors: dtypes")
            .attr("dtypes: list(type) >= 1")
            .stateful()
            .foreign()
            .blocks(Blocking::Files)
            .doc("Saves tensors, or slices of tensors, as the checkpoint that a prefix names.")
            .shape(shape)
            .kernel(|_| {
                kernel(|ctx| {
                    let (inputs, threads) = (ctx.take_inputs(), ctx.threads());
                    ctx.run_blocking(move |_| save(&inputs, threads).map(|()| Outputs::new()))
                })
            }),
    );
}
