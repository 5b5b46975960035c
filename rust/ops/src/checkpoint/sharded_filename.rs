//! ShardedFilename, ShardedFilespec: the names of a save's shards, and the pattern that matches them all.

use super::arguments::one_string;
use ferroflow_graph::{KernelContext, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Tensor, ensure};

fn scalars(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in 0..c.num_inputs() {
        c.input(i)?.with_rank(0)?;
    }
    c.set_output(0, PartialShape::scalar());
    Ok(())
}

/// Returns the text before the first zero byte.
///
/// TF 1.x: C's formatting makes the names, and ends a string there.
fn c_string(text: &str) -> &str {
    text.split('\0').next().unwrap_or_default()
}

/// Checks that all inputs are scalars.
fn check_scalars(ctx: &KernelContext<'_>, names: &[&str]) -> Result<()> {
    for (input, name) in ctx.inputs().iter().zip(names) {
        ensure!(input.rank() == 0, InvalidArgument, "{name} must be a scalar, got shape {}", input.shape());
    }
    Ok(())
}

fn named(name: String) -> Result<Tensor> {
    Tensor::from_strings([], vec![name.into_bytes().into()])
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
                    let (base, shard) = (one_string(ctx.input(0)?, "basename")?, ctx.input(1)?.to_scalar::<i32>()?);
                    let shards = ctx.input(2)?.to_scalar::<i32>()?;
                    ctx.set_output(0, named(format!("{}-{shard:05}-of-{shards:05}", c_string(&base)))?);
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
                    let (base, shards) = (one_string(ctx.input(0)?, "basename")?, ctx.input(1)?.to_scalar::<i32>()?);
                    ctx.set_output(0, named(format!("{}-?????-of-{shards:05}", c_string(&base)))?);
                    Ok(())
                })
            }),
    );
}
