//! MatchingFiles: the files whose names match patterns.

use ferroflow_graph::{KernelContext, Op, Registry, ShapeContext, kernel};
use ferroflow_io::file;
use ferroflow_tensor::{PartialShape, Result, Tensor};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank_at_most(1)?;
    c.set_output(0, PartialShape::vector(None));
    Ok(())
}

fn matching_files(ctx: &mut KernelContext<'_>) -> Result<()> {
    let mut names = Vec::new();
    for pattern in ctx.input(0)?.strings()? {
        names.extend(file::matching(&String::from_utf8_lossy(pattern))?);
    }
    names.sort();
    let out = Tensor::from_strings([names.len()], names)?;
    ctx.set_output(0, out);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("MatchingFiles")
            .input("pattern: string")
            .output("filenames: string")
            .foreign()
            .doc("The names of the files that match one of the patterns, sorted.")
            .shape(shape)
            .kernel(|_| kernel(matching_files)),
    );
}
