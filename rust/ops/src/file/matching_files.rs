//! MatchingFiles: the files whose names match patterns.

use ferroflow_graph::{Blocking, Op, Outputs, Registry, ShapeContext, kernel};
use ferroflow_io::file_pattern;
use ferroflow_tensor::{PartialShape, Result, Tensor, ensure};
use smallvec::smallvec;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank_at_most(1)?;
    c.set_output(0, PartialShape::vector(None));
    Ok(())
}

fn matching_files(patterns: &Tensor) -> Result<Outputs> {
    ensure!(
        patterns.rank() <= 1,
        InvalidArgument,
        "Input patterns tensor must be scalar or vector, but had shape: {}",
        patterns.shape()
    );
    let mut names = Vec::new();
    for pattern in patterns.strings()? {
        names.extend(file_pattern::matching(pattern)?);
    }
    names.sort();
    Ok(smallvec![Tensor::from_strings([names.len()], names)?])
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("MatchingFiles")
            .input("pattern: string")
            .output("filenames: string")
            .foreign()
            .blocks(Blocking::Files)
            .doc("Returns the names of the files that match one of the patterns, sorted.")
            .shape(shape)
            .kernel(|_| {
                kernel(|ctx| {
                    let patterns = ctx.take(0)?;
                    ctx.run_blocking(move |_| matching_files(&patterns))
                })
            }),
    );
}
