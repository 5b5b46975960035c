//! Arrays that tensors read where they are, given back to Python by the next thread that has its lock.
//!
//! A step drops its fed values without Python's lock. PyO3 would keep such objects in a list under a mutex of its own.
//! That mutex stays locked in the child of a fork that comes at that moment. This list has no lock.

use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyWeakrefReference;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

struct Given {
    /// Read by nobody: it keeps the elements alive.
    array: Py<PyAny>,
    /// A weak reference to the array that owns the elements. NumPy's `resize` refuses an array that has one, also with
    /// `refcheck=False`, instead of freeing memory that the tensor reads.
    pin: Option<Py<PyWeakrefReference>>,
    next: *mut Given,
}

static GIVEN_BACK: AtomicPtr<Given> = AtomicPtr::new(null_mut());

/// Keeps an array alive.
pub struct Lender(Option<Box<Given>>);

// SAFETY: `next` is null until the array is given back, and then belongs to the list.
unsafe impl Send for Lender {}
// SAFETY: nothing is read through a shared reference.
unsafe impl Sync for Lender {}

impl Lender {
    pub fn new(array: &Bound<'_, PyUntypedArray>) -> Lender {
        release(array.py());
        // Subclasses without weak references cannot be pinned.
        let pin = PyWeakrefReference::new(&owner(array)).ok().map(Bound::unbind);
        Lender(Some(Box::new(Given { array: array.clone().into_any().unbind(), pin, next: null_mut() })))
    }
}

/// Returns the array whose memory an array shows: itself, or the last of those it is a view of.
fn owner<'py>(array: &Bound<'py, PyUntypedArray>) -> Bound<'py, PyUntypedArray> {
    let mut owner = array.clone();
    loop {
        // SAFETY: `owner` is a live ndarray; the field holds a borrowed reference or null.
        let base = unsafe { Bound::from_borrowed_ptr_or_opt(owner.py(), (*owner.as_array_ptr()).fields.base) };
        match base.and_then(|b| b.cast_into::<PyUntypedArray>().ok()) {
            Some(base) => owner = base,
            None => return owner,
        }
    }
}

impl Drop for Lender {
    fn drop(&mut self) {
        let Some(given) = self.0.take() else { return };
        let given = Box::into_raw(given);
        let mut first = GIVEN_BACK.load(Ordering::Relaxed);
        loop {
            // SAFETY: `given` came from `Box::into_raw` above and is not in the list yet.
            unsafe { (*given).next = first };
            match GIVEN_BACK.compare_exchange_weak(first, given, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => first = other,
            }
        }
    }
}

/// Drops what was given back so far.
#[inline]
pub fn release(_py: Python<'_>) {
    if GIVEN_BACK.load(Ordering::Relaxed).is_null() {
        return;
    }
    let mut next = GIVEN_BACK.swap(null_mut(), Ordering::Acquire);
    while !next.is_null() {
        // SAFETY: the swap made the whole list this thread's; its members came from `Box::into_raw`.
        let given = unsafe { Box::from_raw(next) };
        next = given.next;
        drop((given.pin, given.array));
    }
}
