//! The kernel that forwards its input.

use ferroflow_graph::KernelContext;
use ferroflow_tensor::Result;

pub(crate) fn forward(ctx: &mut KernelContext<'_>) -> Result<()> {
    let value = ctx.take(0)?;
    ctx.set_output(0, value);
    Ok(())
}
