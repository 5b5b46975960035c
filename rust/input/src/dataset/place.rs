//! `Place`: the position of an iterator in a pipeline, to which the state that datasets keep from pass to pass belongs.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::swap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A use of a dataset: two inputs of a pipeline that are the same dataset are two uses of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use(u64);

impl Use {
    pub fn new() -> Use {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Use(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns one of the uses by a function that makes a dataset for every element.
    pub fn numbered(self, number: u64) -> Use {
        Use(hash_of(self.0, number))
    }
}

fn hash_of(a: u64, b: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (a, b).hash(&mut hasher);
    hasher.finish()
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
        let path = hash_of(parent.as_ref().map_or(0, |p| p.path), site.0);
        Place { path, root: parent.map_or_else(|| Arc::new(()), |p| p.root) }
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
    fn numbered_uses_are_places_to_come_back_to() {
        let (a, b) = (Use::new(), Use::new());
        let path = |site: Use| Place::below(site).path;
        assert_eq!(path(a.numbered(1)), path(a.numbered(1)));
        let all = [path(a), path(b), path(a.numbered(0)), path(a.numbered(1)), path(b.numbered(0))];
        assert!((1..all.len()).all(|i| !all[..i].contains(&all[i])));
    }
}
