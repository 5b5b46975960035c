//! `Position`: saves or restores the fields of iterators, which name them once for both.

use super::saved::{Reader, Saved, Writer};
use super::value::{BoxedIterator, Pull};
use ferroflow_tensor::{Result, Status};

enum Way<'a> {
    Save(Writer),
    Restore(Reader<'a>),
}

/// The position of an iterator on its way into bytes or out of them.
pub(super) struct Position<'a> {
    /// The limits of waiting, and of functions that are called again.
    pub pull: Pull<'a>,
    way: Way<'a>,
}

/// An iterator over a dataset that a function made, and what the function made it of.
pub(super) struct Made<A> {
    pub arguments: A,
    pub iterator: BoxedIterator,
}

/// Returns the error of a position that is not one of the iterator's.
pub(super) fn misfit() -> Status {
    Status::data_loss("The saved position does not fit the iterator's dataset")
}

impl<'a> Position<'a> {
    /// Returns a position to be saved behind what `to` has.
    pub fn to(to: Writer, pull: Pull<'a>) -> Position<'a> {
        Position { pull, way: Way::Save(to) }
    }

    /// Returns a position to be restored from what is left in `from`.
    pub fn from(from: Reader<'a>, pull: Pull<'a>) -> Position<'a> {
        Position { pull, way: Way::Restore(from) }
    }

    /// Returns the bytes of a saved position; none for a restored one.
    pub fn into_bytes(self) -> Vec<u8> {
        match self.way {
            Way::Save(to) => to.bytes,
            Way::Restore(_) => Vec::new(),
        }
    }

    pub fn is_restored(&self) -> bool {
        matches!(self.way, Way::Restore(_))
    }

    /// Saves a value, or replaces it by the saved one.
    pub fn value<T: Saved>(&mut self, value: &mut T) -> Result<()> {
        match &mut self.way {
            Way::Save(to) => value.put(to),
            Way::Restore(from) => {
                *value = T::get(from)?;
                Ok(())
            }
        }
    }

    /// Saves or restores an iterator.
    pub fn iterator(&mut self, iterator: &mut BoxedIterator) -> Result<()> {
        iterator.position(self)
    }

    /// Saves or restores a part that is absent at times; `make` adds one where the saved position has it.
    pub fn part<T>(
        &mut self,
        part: &mut Option<T>,
        make: impl FnOnce() -> T,
        each: impl FnOnce(&mut T, &mut Self) -> Result<()>,
    ) -> Result<()> {
        let mut is_there = part.is_some();
        self.value(&mut is_there)?;
        if is_there {
            return each(part.get_or_insert_with(make), self);
        }
        *part = None;
        Ok(())
    }

    /// Saves or restores a part that new iterators have, and that is dropped at its end.
    pub fn until_its_end<T>(
        &mut self,
        part: &mut Option<T>,
        each: impl FnOnce(&mut T, &mut Self) -> Result<()>,
    ) -> Result<()> {
        let mut is_there = part.is_some();
        self.value(&mut is_there)?;
        if is_there {
            return part.as_mut().map_or_else(|| Err(misfit()), |part| each(part, self));
        }
        *part = None;
        Ok(())
    }

    /// Saves or restores an iterator whose dataset `make` makes again from its arguments.
    pub fn made<A: Saved + Clone>(
        &mut self,
        made: &mut Option<Made<A>>,
        make: impl FnOnce(A, Pull<'_>) -> Result<BoxedIterator>,
    ) -> Result<()> {
        let mut arguments = made.as_ref().map(|made| made.arguments.clone());
        self.value(&mut arguments)?;
        if self.is_restored() {
            *made = match arguments {
                Some(arguments) => Some(Made { iterator: make(arguments.clone(), self.pull)?, arguments }),
                None => None,
            };
        }
        made.as_mut().map_or(Ok(()), |made| self.iterator(&mut made.iterator))
    }
}
