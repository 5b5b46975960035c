//! Fingerprint: FarmHash's fingerprint of each slice along the first dimension.

use super::farm_hash::fingerprint as fast;
use ferroflow_graph::{KernelContext, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, bail, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let data = c.input(0)?.with_rank_at_least(1)?;
    c.input(1)?.with_rank(0)?;
    let method = c.input_value(1)?;
    method.as_ref().map_or(Ok(()), check)?;
    // The one method gives 8 bytes.
    c.set_output(0, PartialShape::from_dims(&[data.dim(0), method.map(|_| 8)]));
    Ok(())
}

fn check(method: &Tensor) -> Result<()> {
    match (method.rank(), method.strings()?) {
        (0, [name]) if &**name == b"farmhash64" => Ok(()),
        (0, [name]) => bail!(InvalidArgument, "Unsupported fingerprint method: {}", String::from_utf8_lossy(name)),
        _ => bail!(InvalidArgument, "`method` should be a scalar string: {}", method.shape()),
    }
}

fn fingerprint(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (data, method) = (ctx.input(0)?, ctx.input(1)?);
    check(method)?;
    ensure!(data.rank() >= 1, InvalidArgument, "`data` should have at least one dimension: {}", data.shape());
    let rows = data.shape()[0];
    let row = data.elements().checked_div(rows).unwrap_or(0);
    let prints: Vec<u64> = match data.dtype() {
        // TF 1.x: of a slice with one string the string itself counts, of others the fingerprints of their strings.
        DType::String if row == 1 => data.strings()?.iter().map(|s| fast(s)).collect(),
        DType::String => {
            let each: Vec<u8> = data.strings()?.iter().flat_map(|s| fast(s).to_le_bytes()).collect();
            (0..rows).map(|i| fast(&each[i * row * 8..(i + 1) * row * 8])).collect()
        }
        dtype => {
            let Some(bytes) = data.bytes() else { bail!(InvalidArgument, "{} has no fingerprint", dtype.name()) };
            let size = row * dtype.size();
            (0..rows).map(|i| fast(&bytes[i * size..(i + 1) * size])).collect()
        }
    };
    let bytes: Vec<u8> = prints.into_iter().flat_map(u64::to_le_bytes).collect();
    let out = Tensor::from_slice([rows, 8], &bytes)?;
    ctx.set_output(0, out);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Fingerprint")
            .input("data: T")
            .input("method: string")
            .output("fingerprint: uint8")
            .attr("T: type")
            .doc(
                "Returns eight bytes for each slice along the first dimension: its FarmHash fingerprint, lowest byte \
                 first.",
            )
            .shape(shape)
            .kernel(|_| kernel(fingerprint)),
    );
}
