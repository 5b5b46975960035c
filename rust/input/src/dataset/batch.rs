//! BatchDataset(V2), SlideDataset, UnbatchDataset: elements joined to one, and taken apart again.

use super::cardinality::Cardinality;
use super::held::Gathered;
use super::position::Position;
use super::schema::{described, scalars, unary};
use super::stacking::{rows, stack};
use super::value::{
    BoxedIterator, Dataset, DatasetIterator, Element, Pull, SharedDataset, dataset_input, dataset_kernel, scalar,
};
use ferroflow_graph::{KernelContext, Registry};
use ferroflow_tensor::{Result, bail, ensure};
use std::collections::VecDeque;

struct Batch {
    input: SharedDataset,
    size: usize,
    drop_remainder: bool,
}

struct BatchIterator {
    input: Gathered,
    size: usize,
    drop_remainder: bool,
}

impl Dataset for Batch {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(BatchIterator {
            input: Gathered::new(self.input.iterator()),
            size: self.size,
            drop_remainder: self.drop_remainder,
        })
    }

    fn cardinality(&self) -> Cardinality {
        self.input.cardinality().batches(self.size, self.drop_remainder)
    }
}

impl DatasetIterator for BatchIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        let elements = self.input.take(self.size, pull)?;
        if elements.is_empty() || (self.drop_remainder && elements.len() < self.size) {
            return Ok(None);
        }
        stack(&elements, pull.threads).map(Some)
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        self.input.position(position)
    }
}

/// Returns the size of batches in input 1.
pub(super) fn batch_size(ctx: &KernelContext<'_>) -> Result<usize> {
    let size = scalar::<i64>(ctx, 1, "batch_size")?;
    ensure!(size > 0, InvalidArgument, "Batch size must be greater than zero.");
    Ok(usize::try_from(size).unwrap_or(usize::MAX))
}

struct Slide {
    input: SharedDataset,
    size: usize,
    stride: usize,
}

struct SlideIterator {
    input: Gathered,
    window: VecDeque<Element>,
    size: usize,
    stride: usize,
}

impl Dataset for Slide {
    fn iterator(&self) -> BoxedIterator {
        let input = Gathered::new(self.input.iterator());
        BoxedIterator::new(SlideIterator { input, window: VecDeque::new(), size: self.size, stride: self.stride })
    }

    fn cardinality(&self) -> Cardinality {
        self.input.cardinality().batches(self.stride, true)
    }
}

impl DatasetIterator for SlideIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        let missing = self.size.saturating_sub(self.window.len());
        self.window.extend(self.input.take(missing, pull)?);
        if self.window.len() < self.size {
            return Ok(None);
        }
        let batch = stack(self.window.make_contiguous(), pull.threads);
        self.window.drain(..self.stride);
        batch.map(Some)
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        self.input.position(position)?;
        position.value(&mut self.window)
    }
}

struct Unbatch(SharedDataset);

struct UnbatchIterator {
    input: BoxedIterator,
    batch: Element,
    next: usize,
    count: usize,
}

impl Dataset for Unbatch {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(UnbatchIterator { input: self.0.iterator(), batch: Element::new(), next: 0, count: 0 })
    }
}

impl DatasetIterator for UnbatchIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        while self.next >= self.count {
            let Some(batch) = self.input.next(pull)? else { return Ok(None) };
            self.count = batch_rows(&batch)?;
            (self.next, self.batch) = (0, batch);
        }
        let element = rows(&self.batch, self.next)?;
        self.next += 1;
        Ok(Some(element))
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.iterator(&mut self.input)?;
        position.value(&mut self.batch)?;
        position.value(&mut self.next)?;
        position.value(&mut self.count)
    }
}

fn batch_rows(batch: &Element) -> Result<usize> {
    let mut first = None;
    for (i, t) in batch.iter().enumerate() {
        let Some(&n) = t.shape().first() else {
            bail!(InvalidArgument, "Input element must have a non-scalar value in each component.")
        };
        let first = *first.get_or_insert(n);
        ensure!(
            first == n,
            InvalidArgument,
            "Input element must have the same batch size in each component. Component 0 had size {first} but component \
             {i} had size, {n}."
        );
    }
    Ok(first.unwrap_or(0))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        described(unary("BatchDataset").input("batch_size: int64"))
            .shape(scalars)
            .doc("Returns batches of `batch_size` elements, the last one of as many as are left.")
            .kernel(|init| {
                dataset_kernel(init, |ctx| {
                    Ok(Batch { input: dataset_input(ctx, 0)?.dataset, size: batch_size(ctx)?, drop_remainder: false })
                })
            }),
    );
    r.add(
        described(unary("BatchDatasetV2").input("batch_size: int64").input("drop_remainder: bool"))
            .attr("parallel_copy: bool = false")
            .shape(scalars)
            .doc("Returns batches of `batch_size` elements, with or without a smaller last one.")
            .kernel(|init| {
                dataset_kernel(init, |ctx| {
                    let drop_remainder = scalar(ctx, 2, "drop_remainder")?;
                    Ok(Batch { input: dataset_input(ctx, 0)?.dataset, size: batch_size(ctx)?, drop_remainder })
                })
            }),
    );
    r.add(
        described(unary("SlideDataset").input("window_size: int64").input("stride: int64"))
            .shape(scalars)
            .doc("Returns batches of `window_size` elements, each beginning `stride` elements after the one before.")
            .kernel(|init| {
                dataset_kernel(init, |ctx| {
                    let size = scalar::<i64>(ctx, 1, "window_size")?;
                    ensure!(size > 0, InvalidArgument, "Window size must be greater than zero.");
                    let stride = scalar::<i64>(ctx, 2, "stride")?;
                    ensure!(stride > 0 && stride < size, InvalidArgument, "Stride must be in [1, window_size).");
                    Ok(Slide {
                        input: dataset_input(ctx, 0)?.dataset,
                        size: usize::try_from(size).unwrap_or(usize::MAX),
                        stride: usize::try_from(stride).unwrap_or(1),
                    })
                })
            }),
    );
    r.add(
        described(unary("UnbatchDataset"))
            .doc("Returns the rows of the input's elements as elements.")
            .kernel(|init| dataset_kernel(init, |ctx| Ok(Unbatch(dataset_input(ctx, 0)?.dataset)))),
    );
}
