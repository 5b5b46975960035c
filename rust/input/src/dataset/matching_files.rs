//! MatchingFilesDataset: the names of files that match patterns, in order.

use super::position::Position;
use super::schema::source;
use super::value::{BoxedIterator, Dataset, DatasetIterator, Element, Pull, Signature, signed_kernel};
use ferroflow_graph::{Registry, ShapeContext, shape_rules};
use ferroflow_io::file_pattern;
use ferroflow_tensor::{Bytes, Code, Result, Tensor, ensure};
use std::sync::Arc;

struct MatchingFiles(Arc<[Bytes]>);

struct MatchingFilesIterator {
    patterns: Arc<[Bytes]>,
    /// The names that are left, the next one last; `None` before the first call.
    left: Option<Vec<Bytes>>,
}

impl Dataset for MatchingFiles {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(MatchingFilesIterator { patterns: self.0.clone(), left: None })
    }
}

/// Returns the names that match, the last one first. TF 1.x: a pattern in a folder that does not exist matches none.
fn matching(patterns: &[Bytes]) -> Result<Vec<Bytes>> {
    let mut names = Vec::new();
    for pattern in patterns {
        match file_pattern::matching(pattern) {
            Ok(found) => names.extend(found),
            Err(e) if e.code() == Code::NotFound => {}
            Err(e) => return Err(e),
        }
    }
    names.sort_by(|a, b| b.cmp(a));
    Ok(names)
}

impl DatasetIterator for MatchingFilesIterator {
    fn next(&mut self, _: Pull<'_>) -> Result<Option<Element>> {
        let left = match &mut self.left {
            Some(left) => left,
            None => self.left.insert(matching(&self.patterns)?),
        };
        let Some(name) = left.pop() else { return Ok(None) };
        Ok(Some(vec![Tensor::from_strings([], vec![name])?]))
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.value(&mut self.left)
    }
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank_at_most(1)?;
    shape_rules::scalar(c)
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        source("MatchingFilesDataset")
            .input("patterns: string")
            .doc("Returns the names of the files that match one of the patterns, in order.")
            .shape(shape)
            .kernel(|init| {
                signed_kernel(init, Signature::records(), |ctx| {
                    let patterns = ctx.input(0)?;
                    ensure!(patterns.rank() <= 1, InvalidArgument, "`patterns` must be a scalar or a vector.");
                    Ok(MatchingFiles(patterns.strings()?.into()))
                })
            }),
    );
}
