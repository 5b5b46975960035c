//! WindowDataset: datasets of elements that follow each other, one for each component.

use super::cardinality::Cardinality;
use super::held::Gathered;
use super::position::Position;
use super::schema::{described, scalars, unary};
use super::value::{
    BoxedIterator, Dataset, DatasetIterator, DatasetValue, Element, Pull, SharedDataset, Signature, dataset_input,
    dataset_kernel, scalar,
};
use ferroflow_graph::{KernelContext, Registry};
use ferroflow_tensor::{Result, Tensor, ensure};
use std::collections::VecDeque;
use std::sync::Arc;

/// Elements as a dataset of their own.
pub(super) struct Elements(pub Arc<[Element]>);

struct ElementsIterator {
    elements: Arc<[Element]>,
    next: usize,
}

impl Dataset for Elements {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(ElementsIterator { elements: self.0.clone(), next: 0 })
    }

    fn cardinality(&self) -> Cardinality {
        Cardinality::Finite(self.0.len() as u64)
    }

    fn elements(&self) -> Option<&[Element]> {
        Some(&self.0)
    }
}

impl DatasetIterator for ElementsIterator {
    fn next(&mut self, _: Pull<'_>) -> Result<Option<Element>> {
        let element = self.elements.get(self.next).cloned();
        self.next += 1;
        Ok(element)
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.value(&mut self.next)
    }
}

#[derive(Clone, Copy)]
struct Shape {
    /// Elements of a window.
    size: usize,
    /// Elements from the beginning of one window to that of the next.
    shift: usize,
    /// Elements from one element of a window to the next.
    stride: usize,
    drop_remainder: bool,
}

struct Window {
    input: DatasetValue,
    shape: Shape,
}

struct WindowIterator {
    input: Gathered,
    signature: Signature,
    shape: Shape,
    /// From the beginning of the next window on.
    buffer: VecDeque<Element>,
    /// A window that is given once as many elements more are skipped.
    ready: Option<(Element, usize)>,
}

impl Dataset for Window {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(WindowIterator {
            input: Gathered::new(self.input.dataset.iterator()),
            signature: self.input.signature.clone(),
            shape: self.shape,
            buffer: VecDeque::new(),
            ready: None,
        })
    }

    fn cardinality(&self) -> Cardinality {
        let Shape { size, shift, stride, drop_remainder } = self.shape;
        let span = (size - 1).saturating_mul(stride).saturating_add(1) as u64;
        let shift = shift as u64;
        self.input.dataset.cardinality().map(|n| match drop_remainder {
            true => n.checked_sub(span).map_or(0, |rest| rest / shift + 1),
            false => n.div_ceil(shift),
        })
    }
}

impl WindowIterator {
    /// Returns a dataset of component `c` of elements.
    fn component(&self, elements: &[Element], c: usize) -> Result<Tensor> {
        let column: Vec<Element> = elements.iter().map(|e| e.get(c).cloned().into_iter().collect()).collect();
        let signature = Signature {
            types: self.signature.types.iter().skip(c).take(1).copied().collect(),
            shapes: self.signature.shapes.iter().skip(c).take(1).cloned().collect(),
        };
        DatasetValue { dataset: SharedDataset::new(Elements(column.into())), signature, recipe: None }.into_tensor()
    }
}

impl WindowIterator {
    /// Returns the window, after `count` elements of the input are skipped. If the step is interrupted, the next call
    /// does the rest.
    fn skip(&mut self, window: Element, mut count: usize, pull: Pull<'_>) -> Result<Option<Element>> {
        let skipped = self.input.skip(&mut count, pull);
        if skipped.is_err() && pull.is_interrupted() {
            self.ready = Some((window, count));
            return skipped.map(|()| None);
        }
        skipped.map(|()| Some(window))
    }
}

impl DatasetIterator for WindowIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        if let Some((window, skipped)) = self.ready.take() {
            return self.skip(window, skipped, pull);
        }
        let Shape { size, shift, stride, drop_remainder } = self.shape;
        // As many as a whole window spans, but room is made only for existing elements.
        let span = (size - 1).saturating_mul(stride).saturating_add(1);
        let missing = span.saturating_sub(self.buffer.len());
        self.buffer.extend(self.input.take(missing, pull)?);
        if self.buffer.is_empty() || (drop_remainder && self.buffer.len() < span) {
            return Ok(None);
        }
        let elements: Vec<Element> = self.buffer.iter().step_by(stride).take(size).cloned().collect();
        let window = (0..self.signature.types.len()).map(|c| self.component(&elements, c)).collect::<Result<_>>()?;
        let skipped = shift.saturating_sub(self.buffer.len());
        self.buffer.drain(..shift.min(self.buffer.len()));
        self.skip(window, skipped, pull)
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        self.input.position(position)?;
        position.value(&mut self.buffer)?;
        position.value(&mut self.ready)
    }
}

/// Returns the number in scalar input `i`, called `name` in messages.
fn positive(ctx: &KernelContext<'_>, i: usize, name: &str) -> Result<usize> {
    let number = scalar::<i64>(ctx, i, name)?;
    ensure!(number > 0, InvalidArgument, "Window {name} must be greater than zero.");
    Ok(usize::try_from(number).unwrap_or(usize::MAX))
}

fn window(ctx: &KernelContext<'_>) -> Result<Window> {
    let shape = Shape {
        size: positive(ctx, 1, "size")?,
        shift: positive(ctx, 2, "shift")?,
        stride: positive(ctx, 3, "stride")?,
        drop_remainder: scalar(ctx, 4, "drop_remainder")?,
    };
    Ok(Window { input: dataset_input(ctx, 0)?, shape })
}

pub(super) fn register(r: &mut Registry) {
    let op = unary("WindowDataset")
        .input("size: int64")
        .input("shift: int64")
        .input("stride: int64")
        .input("drop_remainder: bool");
    r.add(
        described(op)
            .shape(scalars)
            .doc("Datasets of `size` elements that lie `stride` apart, each beginning `shift` after the one before.")
            .kernel(|init| dataset_kernel(init, window)),
    );
}
