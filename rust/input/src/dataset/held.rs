//! What an iterator has taken from its input and not yet given: the call after one that was interrupted finds it here.

use super::function::Captured;
use super::value::{BoxedIterator, Element, Pull};
use ferroflow_tensor::Result;

/// An input whose elements are given to a function one at a time.
pub(super) struct Held {
    input: BoxedIterator,
    element: Option<Element>,
}

impl Held {
    pub fn new(input: BoxedIterator) -> Held {
        Held { input, element: None }
    }

    /// Calls `f` with the next element; `None` at the end.
    ///
    /// If the step is interrupted before `f` has ended, the next call begins with the same element.
    pub fn with<R>(
        &mut self,
        function: &Captured,
        pull: Pull<'_>,
        f: impl FnOnce(Element) -> Result<R>,
    ) -> Result<Option<R>> {
        let element = match self.element.take() {
            Some(element) => element,
            None => match self.input.next(pull)? {
                Some(element) => element,
                None => return Ok(None),
            },
        };
        let kept = (pull.resumes && !function.is_whole()).then(|| element.clone());
        let result = f(element);
        if result.is_err() && pull.is_interrupted() {
            self.element = kept;
        }
        result.map(Some)
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

    /// Up to `size` elements; fewer once the input has no more.
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
}
