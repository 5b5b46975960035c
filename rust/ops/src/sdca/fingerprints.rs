//! SdcaFprint: the ids of examples as two numbers.

use crate::string::farm_hash::fingerprint_128;
use ferroflow_graph::{KernelContext, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Tensor, ensure};

/// The low halves 0 and 1 become others: tables use them as keys of empty and deleted places.
const RESERVED: u64 = 2;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let ids = c.input(0)?.with_rank(1)?;
    c.set_output(0, PartialShape::from_dims(&[ids.dim(0), Some(2)]));
    Ok(())
}

fn fingerprints(ctx: &mut KernelContext<'_>) -> Result<()> {
    let ids = ctx.input(0)?;
    ensure!(ids.rank() == 1, InvalidArgument, "Input must be a vector, got shape {}", ids.shape());
    let numbers: Vec<i64> = ids
        .strings()?
        .iter()
        .flat_map(|id| {
            let (low, high) = fingerprint_128(id);
            let low = if low < RESERVED { low.wrapping_sub(RESERVED) } else { low };
            [low as i64, high as i64]
        })
        .collect();
    let out = Tensor::from_slice([ids.elements(), 2], &numbers)?;
    ctx.set_output(0, out);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SdcaFprint")
            .input("input: string")
            .output("output: int64")
            .doc("Returns a row of two numbers for each string: FarmHash's fingerprint of 128 bits.")
            .shape(shape)
            .kernel(|_| kernel(fingerprints)),
    );
}
