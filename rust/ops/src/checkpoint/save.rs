//! Save, SaveSlices: a checkpoint of given tensors in TF 1.x's first format.

use super::arguments::{check_names, one_string, slice_of, with_length};
use ferroflow_graph::{Blocking, KernelContext, Op, Outputs, Registry, ShapeContext, kernel};
use ferroflow_io::bundle::{Item, write_slices};
use ferroflow_tensor::{Result, Tensor, bail};

fn shape(c: &mut ShapeContext<'_>, fixed: usize) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    let tensors = c.num_inputs().saturating_sub(fixed);
    (1..fixed).try_for_each(|i| with_length(c, i, tensors))
}

fn save(file: &Tensor, names: &Tensor, slices: &Tensor, tensors: &[Tensor]) -> Result<()> {
    let file = one_string(file, "filename")?;
    check_names(names, slices, tensors.len())?;
    let mut items = Vec::with_capacity(tensors.len());
    for ((name, slice), tensor) in names.strings()?.iter().zip(slices.strings()?).zip(tensors) {
        items.push(Item { name, part: slice_of(slice)?, tensor });
    }
    write_slices(&file, &items)
}

fn save_whole(ctx: &mut KernelContext<'_>) -> Result<()> {
    let inputs = ctx.take_inputs();
    ctx.run_blocking(move |_| {
        let [file, names, tensors @ ..] = &inputs[..] else { bail!(Internal, "Save has too few inputs") };
        let slices = Tensor::new(names.dtype(), names.shape().clone())?;
        save(file, names, &slices, tensors)?;
        Ok(Outputs::new())
    })
}

fn save_slices(ctx: &mut KernelContext<'_>) -> Result<()> {
    let inputs = ctx.take_inputs();
    ctx.run_blocking(move |_| {
        let [file, names, slices, tensors @ ..] = &inputs[..] else { bail!(Internal, "SaveSlices has too few inputs") };
        save(file, names, slices, tensors)?;
        Ok(Outputs::new())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Save")
            .input("filename: string")
            .input("tensor_names: string")
            .input("data: T")
            .attr("T: list(type) >= 1")
            .stateful()
            .foreign()
            .blocks(Blocking::Files)
            .doc("Saves tensors in one file of the first format.")
            .shape(|c| shape(c, 2))
            .kernel(|_| kernel(save_whole)),
    );
    r.add(
        Op::new("SaveSlices")
            .input("filename: string")
            .input("tensor_names: string")
            .input("shapes_and_slices: string")
            .input("data: T")
            .attr("T: list(type) >= 1")
            .stateful()
            .foreign()
            .blocks(Blocking::Files)
            .doc("Saves tensors, or slices of tensors, in one file of the first format.")
            .shape(|c| shape(c, 3))
            .kernel(|_| kernel(save_slices)),
    );
}
