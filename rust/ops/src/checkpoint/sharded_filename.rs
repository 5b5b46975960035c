//! ShardedFilename, ShardedFilespec: the names of a save's shards, and the pattern that matches them all.

use ferroflow_graph::{KernelContext, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Tensor, ensure};

fn scalars(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in 0..c.num_inputs() {
        c.input(i)?.with_rank(0)?;
    }
    c.set_output(0, PartialShape::scalar());
    Ok(())
}

/// Returns the name that begins with the one string of `base`, up to its first zero byte, and goes on with `rest`.
///
/// TF 1.x: C's formatting makes the names, and ends a string there.
fn named(base: &Tensor, rest: &str) -> Result<Tensor> {
    let base = base.strings()?.first().map_or(&[][..], |text| &text[..]);
    let base = base.split(|&byte| byte == 0).next().unwrap_or_default();
    Tensor::from_strings([], vec![[base, rest.as_bytes()].concat().into()])
}

/// Checks that all inputs are scalars.
fn check_scalars(ctx: &KernelContext<'_>, names: &[&str]) -> Result<()> {
    for (input, name) in ctx.inputs().iter().zip(names) {
        ensure!(input.rank() == 0, InvalidArgument, "{name} must be a scalar, got shape {}", input.shape());
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ShardedFilename")
            .input("basename: string")
            .input("shard: int32")
            .input("num_shards: int32")
            .output("filename: string")
            .doc("Returns the name of one shard: basename-SSSSS-of-NNNNN.")
            .shape(scalars)
            .kernel(|_| {
                kernel(|ctx| {
                    check_scalars(ctx, &["basename", "shard", "num_shards"])?;
                    let (shard, shards) = (ctx.input(1)?.to_scalar::<i32>()?, ctx.input(2)?.to_scalar::<i32>()?);
                    let name = named(ctx.input(0)?, &format!("-{shard:05}-of-{shards:05}"))?;
                    ctx.set_output(0, name);
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("ShardedFilespec")
            .input("basename: string")
            .input("num_shards: int32")
            .output("filename: string")
            .doc("Returns a pattern that matches all shards: basename-?????-of-NNNNN.")
            .shape(scalars)
            .kernel(|_| {
                kernel(|ctx| {
                    check_scalars(ctx, &["basename", "num_shards"])?;
                    let shards = ctx.input(1)?.to_scalar::<i32>()?;
                    let name = named(ctx.input(0)?, &format!("-?????-of-{shards:05}"))?;
                    ctx.set_output(0, name);
                    Ok(())
                })
            }),
    );
}
