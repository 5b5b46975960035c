//! State that outlives a step: the variable, and the session's resources by container and name.

use ferroflow_tensor::{DType, Result, Tensor, bail};
use parking_lot::{Mutex, MutexGuard};
use rustc_hash::FxHashMap;
use std::any::{Any, TypeId};
use std::sync::Arc;

/// A variable's current value: a shared immutable tensor behind a short lock.
pub struct Variable {
    pub name: String,
    pub dtype: DType,
    value: Mutex<Option<Tensor>>,
}

impl Variable {
    pub fn new(name: impl Into<String>, dtype: DType) -> Variable {
        Variable { name: name.into(), dtype, value: Mutex::new(None) }
    }

    /// The value now; `None` before the first assignment. Shares the elements.
    pub fn read(&self) -> Option<Tensor> {
        self.value.lock().clone()
    }

    pub fn is_initialized(&self) -> bool {
        self.value.lock().is_some()
    }

    pub fn lock(&self) -> MutexGuard<'_, Option<Tensor>> {
        self.value.lock()
    }
}

type Key = (TypeId, String, String);

/// Named objects of a session: variables, queues, tables. Keyed by kind, container and name.
#[derive(Default)]
pub struct Resources {
    objects: Mutex<FxHashMap<Key, Arc<dyn Any + Send + Sync>>>,
}

impl Resources {
    pub fn new() -> Resources {
        Resources::default()
    }

    /// The object of that name, made on first use.
    pub fn lookup_or_create<T: Any + Send + Sync>(
        &self,
        container: &str,
        name: &str,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        let key = (TypeId::of::<T>(), container.to_owned(), name.to_owned());
        let mut objects = self.objects.lock();
        let object = match objects.get(&key) {
            Some(o) => o.clone(),
            None => {
                let object: Arc<dyn Any + Send + Sync> = Arc::new(make()?);
                objects.insert(key, object.clone());
                object
            }
        };
        match object.downcast::<T>() {
            Ok(o) => Ok(o),
            Err(_) => bail!(Internal, "resource {name} has another kind"),
        }
    }

    /// Drops every object of a container ("" is the default one).
    pub fn clear(&self, container: &str) {
        self.objects.lock().retain(|(_, c, _), _| c != container);
    }

    pub fn clear_all(&self) {
        self.objects.lock().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shared_within_a_container_and_kind() {
        let r = Resources::new();
        let make = || Ok(Variable::new("v", DType::F32));
        let a = r.lookup_or_create("", "v", make).unwrap();
        let b = r.lookup_or_create("", "v", make).unwrap();
        let c = r.lookup_or_create("other", "v", make).unwrap();
        assert!(Arc::ptr_eq(&a, &b) && !Arc::ptr_eq(&a, &c));
        assert_eq!(*r.lookup_or_create("", "v", || Ok(5u32)).unwrap(), 5);
        r.clear("");
        assert!(!Arc::ptr_eq(&a, &r.lookup_or_create("", "v", make).unwrap()));
        assert!(Arc::ptr_eq(&c, &r.lookup_or_create("other", "v", make).unwrap()));
    }
}
