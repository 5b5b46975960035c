//! `Object`: an element of a resource or variant tensor, a shared value that only its own ops understand.

use crate::deep::Deep;
use std::any::Any;
use std::sync::Arc;

/// A shared value of any type. Cloning shares it.
#[derive(Clone)]
pub struct Object(Deep<Arc<dyn Any + Send + Sync>>);

impl Object {
    pub fn new<T: Any + Send + Sync>(value: T) -> Object {
        Object(Deep::new(Arc::new(value)))
    }

    /// Returns an object that shares what `value` refers to.
    pub fn shared<T: Any + Send + Sync>(value: Arc<T>) -> Object {
        Object(Deep::new(value))
    }

    /// Returns the value, where it has that type.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }

    /// Returns the value as a reference of its own, where it has that type.
    pub fn to_shared<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        Arc::clone(&self.0).downcast().ok()
    }

    /// Returns the value for writing, where it has that type and nothing else refers to it.
    pub fn get_mut<T: Any + Send + Sync>(&mut self) -> Option<&mut T> {
        Arc::get_mut(&mut self.0)?.downcast_mut()
    }
}

/// Equal where they are the same object.
impl PartialEq for Object {
    fn eq(&self, other: &Object) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.0), Arc::as_ptr(&other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_seen_as_its_own_type_only_and_written_while_unshared() {
        let mut a = Object::new(vec![1u8]);
        assert_eq!(a.get::<Vec<u8>>(), Some(&vec![1]));
        assert!(a.get::<u8>().is_none() && a.to_shared::<u8>().is_none());
        a.get_mut::<Vec<u8>>().unwrap().push(2);
        let b = a.clone();
        assert!(a == b && a != Object::new(vec![1u8, 2]) && a.get_mut::<Vec<u8>>().is_none());
        assert_eq!(*b.to_shared::<Vec<u8>>().unwrap(), [1, 2]);
    }
}
