//! `Place`: where in a pipeline an iterator stands. What a dataset keeps from one pass to the next belongs to a place.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::swap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A use of a dataset: two inputs of a pipeline that are the same dataset are two uses of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    number: u64,
    /// True if a function made the dataset for one element: no other pass comes back to this place.
    is_once: bool,
}

impl Use {
    fn numbered(is_once: bool) -> Use {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Use { number: NEXT.fetch_add(1, Ordering::Relaxed), is_once }
    }

    pub fn new() -> Use {
        Use::numbered(false)
    }

    pub fn once() -> Use {
        Use::numbered(true)
    }
}

/// The uses from the iterator that a program reads down to one of the iterators in it.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// A hash of the uses.
    pub path: u64,
    /// Lives as long as passes can come back to this place.
    pub root: Arc<()>,
}

thread_local! {
    /// The place of the iterator that runs or is made on this thread.
    static CURRENT: RefCell<Option<Place>> = const { RefCell::new(None) };
}

impl Place {
    /// Returns the place of the iterator that is being made, if it has one.
    pub fn current() -> Option<Place> {
        CURRENT.try_with(|current| current.borrow().clone()).ok().flatten()
    }

    /// Returns the place of a use by the iterator that runs or is made.
    pub fn below(site: Use) -> Place {
        let parent = Place::current();
        let mut hasher = DefaultHasher::new();
        (parent.as_ref().map_or(0, |p| p.path), site.number).hash(&mut hasher);
        let root = match parent {
            Some(parent) if !site.is_once => parent.root,
            _ => Arc::new(()),
        };
        Place { path: hasher.finish(), root }
    }
}

/// While it lives, `Place::current` is the given place.
pub(super) struct Entered<'a>(&'a mut Option<Place>);

fn exchange(place: &mut Option<Place>) {
    // A thread that ends has no place any more, and makes no iterators.
    let _ = CURRENT.try_with(|current| swap(&mut *current.borrow_mut(), place));
}

impl Entered<'_> {
    pub fn new(place: &mut Option<Place>) -> Entered<'_> {
        exchange(place);
        Entered(place)
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        exchange(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_uses_on_the_way_to_it() {
        let (a, b) = (Use::new(), Use::new());
        let at_root = Place::below(a);
        assert_eq!(at_root.path, Place::below(a).path);
        assert_ne!(at_root.path, Place::below(b).path);
        let mut entered = Some(at_root.clone());
        let inner = {
            let _entered = Entered::new(&mut entered);
            assert_eq!(Place::current().map(|p| p.path), Some(at_root.path));
            Place::below(b)
        };
        assert!(Place::current().is_none());
        assert_ne!(inner.path, Place::below(b).path);
        assert!(Arc::ptr_eq(&inner.root, &at_root.root));
    }

    #[test]
    fn a_dataset_made_for_one_element_has_a_root_of_its_own() {
        let mut entered = Some(Place::below(Use::new()));
        let root = entered.as_ref().map(|p| p.root.clone());
        let _entered = Entered::new(&mut entered);
        assert!(root.is_some_and(|root| !Arc::ptr_eq(&root, &Place::below(Use::once()).root)));
    }
}
