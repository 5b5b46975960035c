//! `Streams`: one stream of values for each feature, and the boundaries that were made of them.

use super::stream::Stream;
use super::summary::Summary;
use ferroflow_graph::{KernelContext, ResourceHandle};
use ferroflow_sync::Mutex;
use ferroflow_tensor::{Result, bail, ensure};

/// Streams by name; None until they are created.
#[derive(Default)]
pub(super) struct StreamsResource(pub Mutex<Option<Streams>>);

pub(super) struct Streams {
    empty: Stream,
    streams: Vec<Stream>,
    pub boundaries: Vec<Vec<f32>>,
}

impl Streams {
    /// Returns empty streams.
    pub fn new(empty: Stream, count: usize) -> Streams {
        Streams { streams: vec![empty.clone(); count], boundaries: vec![Vec::new(); count], empty }
    }

    /// Checks that there is one stream for each of some features.
    ///
    /// Errors: `InvalidArgument` if the numbers differ.
    pub fn check_count(&self, features: usize) -> Result<()> {
        let count = self.streams.len();
        ensure!(features == count, InvalidArgument, "There are {count} quantile streams, but {features} features");
        Ok(())
    }

    /// Adds a summary to each stream.
    pub fn add(&mut self, summaries: Vec<Summary>) {
        self.streams.iter_mut().zip(summaries).for_each(|(stream, summary)| stream.push_summary(summary));
    }

    /// Returns the summaries of all values, and empties the streams.
    pub fn take_summaries(&mut self) -> Vec<Summary> {
        self.streams.iter_mut().map(|stream| std::mem::replace(stream, self.empty.clone()).finish()).collect()
    }
}

/// Calls `f` with the streams that input 0 names.
///
/// Errors: `NotFound` if they have not been created.
pub(super) fn with_streams<R>(ctx: &KernelContext<'_>, f: impl FnOnce(&mut Streams) -> Result<R>) -> Result<R> {
    if let Some(streams) = &mut *ctx.resource::<StreamsResource>(0)?.0.lock() {
        return f(streams);
    }
    let name = &ResourceHandle::from_tensor(ctx.input(0)?)?.name;
    let container = if name.container.is_empty() { "localhost" } else { &name.container };
    bail!(
        NotFound,
        "Resource {container}/{}/N10tensorflow34BoostedTreesQuantileStreamResourceE does not exist.",
        name.name
    )
}
