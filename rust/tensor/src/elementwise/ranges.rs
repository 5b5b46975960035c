//! `Ranges`: an output of a program that its reader computes, a range at a time.

use super::blocks::{BlockLoop, Memory, Spread, address, early_values};
use super::layout::{Layout, Outcome};
use super::program::Program;
use crate::dtype::Scalar;
use crate::shape::Shape;
use crate::status::Result;
use crate::tensor::Tensor;
use crate::threads::Threads;
use crate::vector::Element;
use smallvec::SmallVec;
use std::sync::Arc;

/// The only output of a program, of which any range can be computed.
pub struct Ranges<T> {
    layout: Arc<Layout>,
    shape: Shape,
    inputs: SmallVec<[Tensor; 8]>,
    spread: Spread<T>,
}

impl<T: Scalar + Element> Ranges<T> {
    /// Returns None if the output is an input, is smaller than the full shape, or has no elements.
    pub(super) fn new(
        program: &Program,
        layout: Arc<Layout>,
        shape: Shape,
        inputs: SmallVec<[Tensor; 8]>,
        threads: Threads,
    ) -> Result<Option<Ranges<T>>> {
        if !matches!(layout.results[..], [Outcome::Computed(0)]) || shape.elements() == 0 {
            return Ok(None);
        }
        let early = early_values::<T>(program, &layout, &inputs, threads)?;
        let spread = Spread::new(&layout, &early, &shape)?;
        Ok(Some(Ranges { layout, shape, inputs, spread }))
    }

    /// Returns the shape of the whole output.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the number of elements that are worth a thread.
    pub fn grain(&self) -> usize {
        self.layout.grain
    }

    /// Computes elements `start..start + out.len()` of the output.
    ///
    /// Panics if there are fewer.
    pub fn compute(&self, start: usize, out: &mut [T]) -> Result<()> {
        let end = start + out.len();
        assert!(end <= self.shape.elements(), "elements {start}..{end} of {}", self.shape);
        if out.is_empty() {
            return Ok(());
        }
        let outputs = std::iter::once(out.as_mut_ptr()).collect();
        // Small tensors have their elements in themselves, so that these move with them.
        let inputs = self.inputs.iter().enumerate().map(|(v, t)| address(&self.layout, v, t)).collect::<Result<_>>()?;
        let memory = Memory { inputs, outputs, origin: start, past_caches: false };
        BlockLoop { layout: &self.layout, memory: &memory, spread: &self.spread }.task(start..end)
    }
}
