//! `OnceLock`: a value made once, without a lock that a fork could leave held.

use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A cell that is filled once. Threads that fill it at the same time each make a value; the first one stays.
pub struct OnceLock<T> {
    value: AtomicPtr<T>,
    owns: PhantomData<T>,
}

// SAFETY: the value is shared as `&T` and may be dropped by another thread than the one that made it.
unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}

impl<T> OnceLock<T> {
    pub const fn new() -> OnceLock<T> {
        OnceLock { value: AtomicPtr::new(null_mut()), owns: PhantomData }
    }

    #[inline]
    pub fn get(&self) -> Option<&T> {
        // SAFETY: a pointer that is not null came from `Box::into_raw` in `set` and is freed only by `drop`.
        unsafe { self.value.load(Ordering::Acquire).as_ref() }
    }

    /// Errors: the value, where there was one before.
    pub fn set(&self, value: T) -> Result<(), T> {
        let made = Box::into_raw(Box::new(value));
        match self.value.compare_exchange(null_mut(), made, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Ok(()),
            // SAFETY: `made` came from `Box::into_raw` above and was not published.
            Err(_) => Err(*unsafe { Box::from_raw(made) }),
        }
    }

    /// Returns the value, made by `make` if there is none. A value made too late is dropped.
    #[inline]
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        match self.get() {
            Some(value) => value,
            None => self.init(make),
        }
    }

    #[cold]
    fn init(&self, make: impl FnOnce() -> T) -> &T {
        let made = Box::into_raw(Box::new(make()));
        match self.value.compare_exchange(null_mut(), made, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: `made` is published now and freed only by `drop`.
            Ok(_) => unsafe { &*made },
            Err(other) => {
                // SAFETY: `made` came from `Box::into_raw` above and was not published; `other` was, by another thread.
                unsafe {
                    drop(Box::from_raw(made));
                    &*other
                }
            }
        }
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> OnceLock<T> {
        OnceLock::new()
    }
}

impl<T> Drop for OnceLock<T> {
    fn drop(&mut self) {
        let value = *self.value.get_mut();
        if !value.is_null() {
            // SAFETY: it came from `Box::into_raw`, and nobody else has the cell any more.
            drop(unsafe { Box::from_raw(value) });
        }
    }
}
