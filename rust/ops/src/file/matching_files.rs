//! MatchingFiles: the files whose names match patterns.

use super::path::path_of;
use ferroflow_graph::{KernelContext, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Bytes, PartialShape, Result, Status, Tensor};
use glob::MatchOptions;

/// As a shell matches, but names that begin with a point match too.
const OPTIONS: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: false };

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank_at_most(1)?;
    c.set_output(0, PartialShape::vector(None));
    Ok(())
}

fn matches(pattern: &str) -> Result<Vec<Bytes>> {
    let path = path_of(pattern);
    let found = glob::glob_with(&path.to_string_lossy(), OPTIONS)
        .map_err(|e| Status::invalid_argument(format!("Invalid pattern {pattern}: {e}")))?;
    // What cannot be looked into has no matches.
    Ok(found.flatten().map(|p| p.into_os_string().into_encoded_bytes().into()).collect())
}

fn matching_files(ctx: &mut KernelContext<'_>) -> Result<()> {
    let mut names = Vec::new();
    for pattern in ctx.input(0)?.strings()? {
        names.extend(matches(&String::from_utf8_lossy(pattern))?);
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
