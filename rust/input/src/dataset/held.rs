//! Elements that an iterator has taken from its input and not yet given: after an interrupt the next call begins with them.

use super::function::Captured;
use super::position::Position;
use super::value::{BoxedIterator, Element, Pull};
use ferroflow_graph::Cancellation;
use ferroflow_tensor::Result;
use ferroflow_tensor::threads::unwatched;
use std::time::{Duration, Instant};

/// Calls of a function that take less are not interrupted.
const SHORT: Duration = Duration::from_millis(5);

/// Number of calls after a short one that count as short without being timed.
const TRUSTED: u8 = 15;

/// An input whose elements are given to a function one at a time.
pub(super) struct Held {
    input: BoxedIterator,
    /// The argument of a call that was interrupted.
    element: Option<Element>,
    /// Calls to come that are taken to be short.
    trusted: u8,
    /// The cancellation of calls that are not interrupted: never cancelled.
    never: Cancellation,
}

impl Held {
    pub fn new(input: BoxedIterator) -> Held {
        Held { input, element: None, trusted: 0, never: Cancellation::new() }
    }

    /// Calls `f`, which calls the function, with the next element; `None` at the end.
    ///
    /// If the step is interrupted before `f` has ended, the next call begins with the same element. A long call is interrupted
    /// and leaves its argument as it was, a short one runs to its end and may work in place.
    pub fn with<R>(
        &mut self,
        function: &Captured,
        pull: Pull<'_>,
        f: impl FnOnce(Element, Pull<'_>) -> Result<R>,
    ) -> Result<Option<R>> {
        let element = match self.element.take() {
            Some(element) => element,
            None => match self.input.next(pull)? {
                Some(element) => element,
                None => return Ok(None),
            },
        };
        if !pull.resumes || function.is_whole() {
            return f(element, pull).map(Some);
        }
        if self.trusted > 0 && function.is_bounded() {
            self.trusted -= 1;
            return unwatched(|| f(element, Pull { cancellation: &self.never, ..pull })).map(Some);
        }
        let kept = element.clone();
        let began = Instant::now();
        let result = f(element, pull);
        self.trusted = if began.elapsed() < SHORT { TRUSTED } else { 0 };
        if result.is_err() && pull.is_interrupted() {
            self.element = Some(kept);
        }
        result.map(Some)
    }

    pub fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.iterator(&mut self.input)?;
        position.value(&mut self.element)
    }
}

/// An input whose elements are gathered.
pub(super) struct Gathered {
    input: Option<BoxedIterator>,
    elements: Vec<Element>,
}

impl Gathered {
    pub fn new(input: BoxedIterator) -> Gathered {
        Gathered { input: Some(input), elements: Vec::new() }
    }

    /// Returns up to `size` elements; fewer once the input has no more.
    ///
    /// If the step is interrupted, the next call goes on with the elements of this one. After another error they are gone.
    pub fn take(&mut self, size: usize, pull: Pull<'_>) -> Result<Vec<Element>> {
        while self.elements.len() < size
            && let Some(iterator) = &mut self.input
        {
            match iterator.next(pull) {
                Ok(Some(element)) => self.elements.push(element),
                Ok(None) => self.input = None,
                Err(e) => {
                    if !pull.is_interrupted() {
                        self.elements.clear();
                    }
                    return Err(e);
                }
            }
        }
        Ok(std::mem::take(&mut self.elements))
    }

    /// Drops up to `count` elements of the input, each of which is counted down when it is gone.
    pub fn skip(&mut self, count: &mut usize, pull: Pull<'_>) -> Result<()> {
        while *count > 0
            && let Some(input) = &mut self.input
        {
            pull.check()?;
            if input.next(pull)?.is_none() {
                self.input = None;
            }
            *count -= 1;
        }
        Ok(())
    }

    pub fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.until_its_end(&mut self.input, |input, position| position.iterator(input))?;
        position.value(&mut self.elements)
    }
}
