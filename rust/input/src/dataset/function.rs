//! `Captured`: a function of elements with the values it took from around it.

use super::place::Use;
use super::value::{DatasetValue, Element, Pull};
use ferroflow_graph::{Callable, KernelContext};
use ferroflow_tensor::{Code, Result, Tensor, bail};
use std::ops::Range;
use std::sync::Arc;

pub(super) struct Captured {
    function: Arc<dyn Callable>,
    captured: Vec<Tensor>,
    site: Use,
}

impl Captured {
    /// Returns an instance of the function `name` with the values of some inputs behind its arguments.
    pub fn new(ctx: &KernelContext<'_>, name: &str, inputs: Range<usize>) -> Result<Arc<Captured>> {
        let function = ctx.step.functions.clone().instance(name)?;
        // An op may have several functions, whose captured inputs begin at different ones or whose names differ.
        let site = Use::of_input(&format!("{}/{name}", ctx.name()), inputs.start as u64);
        Ok(Arc::new(Captured { function, captured: owned(ctx, inputs)?, site }))
    }

    /// Returns true if a call, once begun, runs to its end although the step is interrupted.
    pub fn is_whole(&self) -> bool {
        self.function.is_whole()
    }

    /// Returns true if every call ends by itself.
    pub fn is_bounded(&self) -> bool {
        self.function.is_bounded()
    }

    pub fn call(&self, arguments: impl IntoIterator<Item = Tensor>, pull: Pull<'_>) -> Result<Element> {
        let arguments = arguments.into_iter().chain(self.captured.iter().cloned()).collect();
        let results = self.function.call(arguments, pull.cancellation)?;
        // A part of a larger tensor would keep all of it while the element waits in a buffer.
        results.into_iter().map(Tensor::into_owned).collect()
    }

    /// Returns `call`; the function may end the sequence by an `OutOfRange` error.
    pub fn map(&self, arguments: impl IntoIterator<Item = Tensor>, pull: Pull<'_>) -> Result<Option<Element>> {
        match self.call(arguments, pull) {
            Ok(element) => Ok(Some(element)),
            Err(e) if e.code() == Code::OutOfRange => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Returns the dataset that the function gives, at one of the places of its datasets; `what` names the function in messages.
    pub fn dataset(
        &self,
        arguments: impl IntoIterator<Item = Tensor>,
        place: u64,
        pull: Pull<'_>,
        what: &str,
    ) -> Result<DatasetValue> {
        let results = self.call(arguments, pull)?;
        match &results[..] {
            [one] => match DatasetValue::of(one) {
                Ok(value) => Ok(value.used(self.site.numbered(place))),
                Err(_) => bail!(InvalidArgument, "{what} must return a single scalar of dtype DT_VARIANT."),
            },
            _ => bail!(InvalidArgument, "{what} must return a single scalar of dtype DT_VARIANT."),
        }
    }
}

/// Returns the values of some inputs, to be kept after the step.
pub(super) fn owned(ctx: &KernelContext<'_>, inputs: Range<usize>) -> Result<Vec<Tensor>> {
    inputs.map(|i| ctx.input(i)?.clone().into_owned()).collect()
}
