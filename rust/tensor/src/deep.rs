//! `Deep`: an owner of what may own another of its kind, to any depth, dropped without recursion to any depth.

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

/// Values nested deeper than this wait until those around them are dropped.
const MAX_NESTED: u32 = 64;

thread_local! {
    /// Number of values that are being dropped, each within the one before.
    static NESTED: Cell<u32> = const { Cell::new(0) };
    static WAITING: RefCell<Vec<Box<dyn Send>>> = const { RefCell::new(Vec::new()) };
}

/// A value that may lead to a long chain of others, such as a dataset made of datasets.
#[derive(Clone)]
pub struct Deep<T: Send + 'static>(ManuallyDrop<T>);

impl<T: Send + 'static> Deep<T> {
    pub fn new(value: T) -> Deep<T> {
        Deep(ManuallyDrop::new(value))
    }
}

impl<T: Send + 'static> Deref for Deep<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Send + 'static> DerefMut for Deep<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: Send + 'static> Drop for Deep<T> {
    fn drop(&mut self) {
        // SAFETY: the value is taken here alone, and `self` is not used again.
        drop_flat(unsafe { ManuallyDrop::take(&mut self.0) });
    }
}

/// One level of dropping, also while it unwinds.
struct Level(u32);

impl Drop for Level {
    fn drop(&mut self) {
        let _ = NESTED.try_with(|n| n.set(self.0));
    }
}

fn drop_flat<T: Send + 'static>(value: T) {
    // A thread that ends has already dropped its list.
    let Ok(nested) = NESTED.try_with(Cell::get) else { return drop(value) };
    if nested >= MAX_NESTED {
        let mut value = Some(value);
        let _ = WAITING.try_with(|w| w.borrow_mut().extend(value.take().map(|v| Box::new(v) as Box<dyn Send>)));
        return;
    }
    let level = Level(nested);
    NESTED.set(nested + 1);
    drop(value);
    while nested == 0
        && let Ok(Some(next)) = WAITING.try_with(|w| w.borrow_mut().pop())
    {
        drop(next);
    }
    drop(level);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Link {
        _before: Vec<Deep<Arc<Link>>>,
        dropped: Arc<AtomicUsize>,
    }

    impl Drop for Link {
        fn drop(&mut self) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_chain_and_a_tree_are_dropped_whole_on_a_small_stack() {
        let work = || {
            let dropped = Arc::new(AtomicUsize::new(0));
            let link = |before| Deep::new(Arc::new(Link { _before: before, dropped: dropped.clone() }));
            let chain = (0..100_000).fold(link(vec![]), |before, _| link(vec![before]));
            let shared = chain.clone();
            drop(chain);
            assert_eq!(dropped.load(Ordering::Relaxed), 0);
            drop(shared);
            assert_eq!(dropped.swap(0, Ordering::Relaxed), 100_001);
            // Each level holds the one before and a leaf.
            drop((0..1_000).fold(link(vec![]), |before, _| link(vec![link(vec![]), before, link(vec![])])));
            assert_eq!(dropped.load(Ordering::Relaxed), 3_001);
        };
        std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
    }
}
