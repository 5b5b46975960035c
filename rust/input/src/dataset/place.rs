//! `Place`: the position of an iterator in a pipeline, to which the state that datasets keep from pass to pass belongs.

use ferroflow_sync::Mutex;
use ferroflow_tensor::philox::{Philox, Words};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::swap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// A use of a dataset: two inputs of a pipeline that are the same dataset are two uses of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use(u64);

impl Use {
    pub fn new() -> Use {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Use(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns the use of an input by a node. A function that makes the same datasets in every call comes back to
    /// their places.
    pub fn of_input(node: &str, input: u64) -> Use {
        let mut hasher = DefaultHasher::new();
        (node, input).hash(&mut hasher);
        Use(hasher.finish())
    }

    /// Returns the use of that `number`.
    pub fn of_number(number: u64) -> Use {
        Use(number)
    }

    pub fn number(self) -> u64 {
        self.0
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

/// The rewrites that OptimizeDataset requests, as far as they change the order of elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rewrites {
    /// `noop_elimination`: datasets that change nothing are left out.
    pub drops_no_ops: bool,
    /// `shuffle_and_repeat_fusion`: all passes of a repeated shuffle draw from one stream.
    pub fuses_shuffles: bool,
}

/// The uses from the iterator that a program reads down to one of the iterators in it.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// A hash of the uses.
    pub path: u64,
    /// Lives as long as passes can come back to this place.
    root: Arc<Root>,
    /// As the OptimizeDatasets on the way here request.
    pub rewrites: Rewrites,
}

/// The state that the places of a pipeline keep from pass to pass, by path.
#[derive(Debug, Default)]
struct Root {
    streams: Mutex<HashMap<u64, Words>>,
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
        let rewrites = parent.as_ref().map(|p| p.rewrites).unwrap_or_default();
        Place { path, root: parent.map_or_else(Arc::default, |p| p.root), rewrites }
    }

    /// Returns this place with further rewrites.
    pub fn rewritten(self, requested: Rewrites) -> Place {
        let rewrites = Rewrites {
            drops_no_ops: self.rewrites.drops_no_ops || requested.drops_no_ops,
            fuses_shuffles: self.rewrites.fuses_shuffles || requested.fuses_shuffles,
        };
        Place { rewrites, ..self }
    }

    /// Returns the rewrites that hold for the iterator that runs or is made.
    pub fn current_rewrites() -> Rewrites {
        Place::current().map(|place| place.rewrites).unwrap_or_default()
    }

    /// Returns the next two numbers of the stream that begins anew at each place.
    pub fn seeds(&self, stream: Philox) -> (u64, u64) {
        let mut streams = self.root.streams.lock();
        let words = streams.entry(self.path).or_insert_with(|| Words::new(stream));
        (words.next_u32().into(), words.next_u32().into())
    }

    /// Returns the streams of all places below the same root.
    pub fn streams(&self) -> BTreeMap<u64, Words> {
        self.root.streams.lock().iter().map(|(&path, words)| (path, words.clone())).collect()
    }

    /// Replaces the streams of all places below the same root.
    pub fn set_streams(&self, streams: BTreeMap<u64, Words>) {
        *self.root.streams.lock() = streams.into_iter().collect();
    }
}

/// The state that one dataset keeps at each of its places.
pub(super) struct PerPlace<T> {
    kept: HashMap<u64, (Weak<Root>, T)>,
    /// The number of places above which those are dropped that no pass comes back to.
    most: usize,
}

const LEAST_PLACES: usize = 64;

impl<T> Default for PerPlace<T> {
    fn default() -> PerPlace<T> {
        PerPlace { kept: HashMap::new(), most: LEAST_PLACES }
    }
}

impl<T: Default> PerPlace<T> {
    /// Returns what is kept at a place.
    pub fn at(&mut self, place: &Place) -> &mut T {
        if self.kept.len() > self.most {
            self.kept.retain(|_, (root, _)| root.strong_count() > 0);
            self.most = LEAST_PLACES.max(2 * self.kept.len());
        }
        let begin = || (Arc::downgrade(&place.root), T::default());
        &mut self.kept.entry(place.path).or_insert_with(begin).1
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
    fn rewrites_hold_for_all_places_below() {
        let site = Use::new();
        assert_eq!(Place::below(site).rewrites, Rewrites::default());
        let rewrites = Rewrites { drops_no_ops: false, fuses_shuffles: true };
        let mut entered = Some(Place::below(site).rewritten(rewrites));
        let _entered = Entered::new(&mut entered);
        assert_eq!((Place::below(site).rewrites, Place::current_rewrites()), (rewrites, rewrites));
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
