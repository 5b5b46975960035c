//! State that outlives a step: the variable, the session's resources by container and name, and the handles that pass
//! them from op to op.

use crate::kernel::{Kernel, KernelContext, KernelInit};
use crate::node::Node;
use crate::op_def::OpDef;
use ferroflow_sync::{Mutex, MutexGuard};
use ferroflow_tensor::{Bytes, DType, Object, Result, Shape, Status, Tensor, bail, ensure};
use rustc_hash::FxHashMap;
use std::any::{Any, TypeId};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The container of temporary variables among the resources of a step.
const TEMPORARY: &str = "temporary";

/// A variable's current value: a shared immutable tensor behind a short lock.
pub struct Variable {
    pub name: String,
    pub dtype: DType,
    /// Of one that handles name (`VarHandleOp`): its container.
    container: Option<String>,
    /// Each step has a variable of its own in its place, which begins with zeros of this shape.
    of_step: Option<Shape>,
    value: Mutex<Option<Tensor>>,
}

impl Variable {
    pub fn new(name: impl Into<String>, dtype: DType) -> Variable {
        Variable { name: name.into(), dtype, container: None, of_step: None, value: Mutex::new(None) }
    }

    /// Returns a variable that handles name.
    pub fn of_handle(name: &ResourceName, dtype: DType) -> Variable {
        Variable { container: Some(name.container.clone()), ..Variable::new(&*name.name, dtype) }
    }

    /// Returns a variable that each step has by itself.
    pub fn temporary(name: &str, dtype: DType, shape: Shape) -> Variable {
        Variable { of_step: Some(shape), ..Variable::new(name, dtype) }
    }

    /// Returns the variable that a step uses: its own one if this is a temporary variable, else this.
    ///
    /// Errors: `ResourceExhausted` if there is no memory for a temporary variable.
    pub fn in_step(self: &Arc<Variable>, locals: &Resources) -> Result<Arc<Variable>> {
        let Some(shape) = &self.of_step else { return Ok(self.clone()) };
        locals.lookup_or_create(TEMPORARY, &self.name, || {
            let variable = Variable::new(&*self.name, self.dtype);
            *variable.value.lock() = Some(Tensor::zeros(self.dtype, shape.clone())?);
            Ok(variable)
        })
    }

    /// Returns the value of the variable that a step uses.
    ///
    /// Errors: as for `in_step`.
    pub fn read_in_step(self: &Arc<Variable>, locals: &Resources) -> Result<Option<Tensor>> {
        if self.is_temporary() { Ok(self.in_step(locals)?.read()) } else { Ok(self.read()) }
    }

    /// Returns true if each step has a variable of its own in the place of this one.
    pub fn is_temporary(&self) -> bool {
        self.of_step.is_some()
    }

    /// Returns the value now; `None` before the first assignment. Shares the elements.
    pub fn read(&self) -> Option<Tensor> {
        self.value.lock().clone()
    }

    pub fn is_initialized(&self) -> bool {
        self.value.lock().is_some()
    }

    /// Returns the error of reading a variable without a value. TF 1.x: programs match on these words.
    pub fn uninitialized(&self) -> Status {
        let name = &self.name;
        Status::failed_precondition(match self.resource() {
            None => format!("Attempting to use uninitialized value {name}"),
            Some((container, resource)) => format!(
                "Error while reading resource variable {name} from Container: {container}. This could mean that the \
                 variable was uninitialized. Not found: {resource} does not exist."
            ),
        })
    }

    /// Returns true if handles name this variable, and false if references do.
    pub fn is_of_handle(&self) -> bool {
        self.container.is_some()
    }

    /// Returns the error of finding a variable without a value: `NotFound` behind a handle, else as for reading it.
    pub fn not_found(&self) -> Status {
        match self.resource() {
            Some((_, resource)) => Status::not_found(format!("{resource} does not exist.")),
            None => self.uninitialized(),
        }
    }

    /// Returns the error of `op`, which needs the value of a variable without one. TF 1.x: through a handle, `NotFound`,
    /// unless the op only reads the value.
    pub fn missing_for(&self, op: &OpDef) -> Status {
        if op.takes_handles && !op.is_snapshot { self.not_found() } else { self.uninitialized() }
    }

    /// Returns the container and TensorFlow's words for the variable behind a handle; None for a variable of references.
    fn resource(&self) -> Option<(&str, String)> {
        let container = match self.container.as_deref()? {
            "" => "localhost",
            named => named,
        };
        Some((container, format!("Resource {container}/{}/N10tensorflow3VarE", self.name)))
    }

    pub fn lock(&self) -> MutexGuard<'_, Option<Tensor>> {
        self.value.lock()
    }
}

type Key = (TypeId, String, String);

/// Named objects of a session: variables, queues, tables. Keyed by kind, container and name.
pub struct Resources {
    objects: Mutex<FxHashMap<Key, Arc<dyn Any + Send + Sync>>>,
    /// A number that no other `Resources` has, and that changes when something is forgotten.
    version: AtomicU64,
}

fn next_version() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Default for Resources {
    fn default() -> Resources {
        Resources { objects: Mutex::default(), version: AtomicU64::new(next_version()) }
    }
}

impl Resources {
    pub fn new() -> Resources {
        Resources::default()
    }

    /// Returns the object of that name, made on first use.
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

    /// Gives an object a name. What had the name before is dropped.
    pub fn insert<T: Any + Send + Sync>(&self, name: &ResourceName, object: Arc<T>) {
        let key = (TypeId::of::<T>(), name.container.clone(), name.name.clone());
        let before = self.objects.lock().insert(key, object);
        drop(before);
    }

    /// Returns the object of that name, where it was made.
    pub fn lookup<T: Any + Send + Sync>(&self, container: &str, name: &str) -> Option<Arc<T>> {
        let objects = self.objects.lock();
        // Most steps have no resources of their own.
        if objects.is_empty() {
            return None;
        }
        let object = objects.get(&(TypeId::of::<T>(), container.to_owned(), name.to_owned())).cloned();
        drop(objects);
        object?.downcast().ok()
    }

    /// Forgets the object of that name; handles that hold it keep it. Whether there was one.
    pub fn remove<T: Any + Send + Sync>(&self, container: &str, name: &str) -> bool {
        let key = (TypeId::of::<T>(), container.to_owned(), name.to_owned());
        let removed = self.objects.lock().remove(&key);
        self.version.store(next_version(), Ordering::Release);
        removed.is_some()
    }

    /// Forgets what has that name, of whatever kind. Whether there was something.
    pub fn forget(&self, name: &ResourceName) -> bool {
        self.forget_where(|(_, container, n)| (container, n) == (&name.container, &name.name))
    }

    /// Drops every object of a container ("" is the default one).
    pub fn clear(&self, container: &str) {
        self.forget_where(|(_, c, _)| c == container);
    }

    pub fn clear_all(&self) {
        self.forget_where(|_| true);
    }

    /// Removes the objects that `is_meant` selects; returns true if there was one. They are dropped without the lock,
    /// because a destructor may use resources (a generator's finalizer does).
    fn forget_where(&self, mut is_meant: impl FnMut(&Key) -> bool) -> bool {
        let forgotten: Vec<_> = self.objects.lock().extract_if(|key, _| is_meant(key)).collect();
        self.version.store(next_version(), Ordering::Release);
        !forgotten.is_empty()
    }
}

/// The address of a resource: its container and its name there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceName {
    pub container: String,
    pub name: String,
}

/// The rule for the name of a resource without `shared_name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unnamed {
    /// Its node's name: steps of other sessions on the same resources that have such a node share it.
    NodeName,
    /// A name that nothing else has: it belongs to its node and session.
    Private,
}

impl ResourceName {
    /// Returns the name that a node's attributes `container` and `shared_name` give.
    pub fn of(init: &KernelInit<'_>, unnamed: Unnamed) -> Result<ResourceName> {
        ResourceName::of_node(init.node, unnamed)
    }

    pub fn of_node(node: &Node, unnamed: Unnamed) -> Result<ResourceName> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (container, shared) = (node.attrs.str("container")?, node.attrs.str("shared_name")?);
        ensure!(
            container.is_empty() || is_container_name(&container),
            InvalidArgument,
            "container contains invalid characters: {container}"
        );
        ensure!(!shared.starts_with('_'), InvalidArgument, "shared_name cannot start with '_':{shared}");
        let name = match unnamed {
            _ if !shared.is_empty() => shared,
            Unnamed::NodeName => node.name.to_string(),
            Unnamed::Private => format!("_{}_{}", NEXT.fetch_add(1, Ordering::Relaxed), node.name),
        };
        Ok(ResourceName { container, name })
    }
}

/// Returns true for a letter, digit or dot before any of these, dashes and slashes.
fn is_container_name(name: &str) -> bool {
    let is_first = |c: char| c.is_ascii_alphanumeric() || c == '.';
    name.starts_with(is_first) && name.chars().all(|c| is_first(c) || matches!(c, '-' | '/'))
}

/// An element of a resource tensor: a reference to a resource, which lives at least as long.
#[derive(Clone)]
pub struct ResourceHandle {
    pub name: ResourceName,
    object: Object,
}

impl ResourceHandle {
    pub fn new<T: Any + Send + Sync>(name: ResourceName, object: Arc<T>) -> ResourceHandle {
        ResourceHandle { name, object: Object::shared(object) }
    }

    /// Returns the scalar that ops pass on.
    pub fn into_tensor(self) -> Result<Tensor> {
        Tensor::from_objects(DType::Resource, [], vec![Object::new(self)])
    }

    /// Returns the handle in a scalar of type resource.
    pub fn from_tensor(tensor: &Tensor) -> Result<&ResourceHandle> {
        match tensor.objects()? {
            [one] => match one.get() {
                Some(handle) => Ok(handle),
                None => bail!(Internal, "a resource tensor holds something else than a handle"),
            },
            many => bail!(InvalidArgument, "Expected one resource handle, got {} of them", many.len()),
        }
    }

    /// Returns the resource, which must be a `T`.
    ///
    /// Errors: `InvalidArgument` for a resource of another kind.
    pub fn resource<T: Any + Send + Sync>(&self) -> Result<Arc<T>> {
        match self.object.to_shared() {
            Some(resource) => Ok(resource),
            None => bail!(
                InvalidArgument,
                "Trying to access resource {} that has another kind: {} was expected",
                self.name.name,
                short_type_name::<T>()
            ),
        }
    }
}

fn short_type_name<T>() -> &'static str {
    let full = std::any::type_name::<T>();
    full.rsplit("::").next().unwrap_or(full)
}

/// Returns the text tensor by which TF 1.x's older ops (those with inputs `Ref(string)`) pass a resource on: container
/// and name.
pub fn reference_tensor(name: &ResourceName) -> Result<Tensor> {
    let bytes = |s: &str| Bytes::from(s.as_bytes());
    Tensor::from_strings([2], vec![bytes(&name.container), bytes(&name.name)])
}

/// Returns the variable that a `TemporaryVariable` names; without a name, it has that of its node.
fn temporary(node: &Node) -> Result<Variable> {
    let name = node.attrs.str("var_name")?;
    let name = if name.is_empty() { node.name.to_string() } else { name };
    let Some(shape) = node.attrs.shape("shape")?.to_shape() else {
        bail!(InvalidArgument, "The shape of temporary variable {} must be known", node.name);
    };
    Ok(Variable::temporary(&name, node.attrs.dtype("dtype")?, shape))
}

impl Resources {
    /// Returns the variable that a `VariableV2` or `VarHandleOp` names.
    pub fn variable(&self, node: &Node) -> Result<Arc<Variable>> {
        if node.attrs.get("var_name").is_some() {
            return temporary(node).map(Arc::new);
        }
        let name = ResourceName::of_node(node, Unnamed::NodeName)?;
        let dtype = node.attrs.dtype("dtype")?;
        let is_handle = node.outputs.first().is_some_and(|o| o.dtype == DType::Resource);
        let make = || {
            if is_handle {
                return Ok(Variable::of_handle(&name, dtype));
            }
            let variable = Variable::new(&*name.name, dtype);
            // TF 1.x: a variable without elements has a value from the beginning.
            let shape = node.attrs.get("shape").map(|_| node.attrs.shape("shape")).transpose()?;
            if let Some(shape) = shape.and_then(|s| s.to_shape()).filter(|s| s.elements() == 0) {
                *variable.value.lock() = Some(Tensor::zeros(dtype, shape)?);
            }
            Ok(variable)
        };
        let variable = self.lookup_or_create(&name.container, &name.name, make)?;
        if variable.dtype != dtype {
            bail!(
                InvalidArgument,
                "Variable {} exists with type {}, but {} names it with type {}",
                name.name,
                variable.dtype.name(),
                node.name,
                dtype.name()
            );
        }
        Ok(variable)
    }
}

impl KernelContext<'_> {
    /// Returns the resource that input `i` names: a handle, or the reference of the older ops.
    ///
    /// Errors: `NotFound` where a reference names none, `InvalidArgument` for a resource of another kind.
    pub fn resource<T: Any + Send + Sync>(&self, i: usize) -> Result<Arc<T>> {
        let input = self.input(i)?;
        if input.dtype() == DType::Resource {
            return ResourceHandle::from_tensor(input)?.resource();
        }
        let [container, name] = input.strings()? else {
            bail!(InvalidArgument, "Resource handle must have 2 elements, but had shape: {}", input.shape());
        };
        let (container, name) = (String::from_utf8_lossy(container), String::from_utf8_lossy(name));
        let of_step = self.step.locals.lookup(&container, &name);
        match of_step.or_else(|| self.step.resources.lookup(&container, &name)) {
            Some(resource) => Ok(resource),
            None => bail!(NotFound, "Resource {container}/{name}/{} does not exist.", short_type_name::<T>()),
        }
    }
}

/// Returns the kernel of an op whose only output names a resource: made on first use, found by name from then on.
///
/// Args: `make` makes a resource from the step's inputs and the resource's name. `check` says whether one that was
/// found by its name is what the node's attributes describe.
pub fn resource_kernel<T: Any + Send + Sync>(
    init: &KernelInit<'_>,
    unnamed: Unnamed,
    make: impl Fn(&KernelContext<'_>, &str) -> Result<T> + Send + Sync + 'static,
    check: impl Fn(&T) -> Result<()> + Send + Sync + 'static,
) -> Result<Box<dyn Kernel>> {
    let name = ResourceName::of(init, unnamed)?;
    let by_handle = init.output_type(0)? == DType::Resource;
    // The output for a version of the resources: a new lookup would cost most of a queue's operation.
    let last: Mutex<Option<(u64, Tensor)>> = Mutex::new(None);
    crate::kernel::kernel(move |ctx| {
        let version = ctx.step.resources.version.load(Ordering::Acquire);
        if let Some((of, output)) = &*last.lock()
            && *of == version
        {
            ctx.set_output(0, output.clone());
            return Ok(());
        }
        let made = || make(ctx, &name.name);
        let resource = ctx.step.resources.lookup_or_create::<T>(&name.container, &name.name, made)?;
        check(&resource)?;
        let output = match by_handle {
            true => ResourceHandle::new(name.clone(), resource).into_tensor()?,
            false => reference_tensor(&name)?,
        };
        *last.lock() = Some((version, output.clone()));
        ctx.set_output(0, output);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_gives_its_resource_and_only_as_what_it_is() {
        let name = ResourceName { container: String::new(), name: "counter".into() };
        let tensor = ResourceHandle::new(name.clone(), Arc::new(7u32)).into_tensor().unwrap();
        assert_eq!((tensor.dtype(), tensor.rank()), (DType::Resource, 0));
        let handle = ResourceHandle::from_tensor(&tensor).unwrap();
        assert_eq!((&handle.name, *handle.resource::<u32>().unwrap()), (&name, 7));
        let message = handle.resource::<String>().unwrap_err();
        assert_eq!(message.message(), "Trying to access resource counter that has another kind: String was expected");
        assert!(ResourceHandle::from_tensor(&Tensor::scalar(1i32)).is_err());
    }

    #[test]
    fn what_is_removed_is_made_anew_while_its_users_keep_theirs() {
        let r = Resources::new();
        let old = r.lookup_or_create("", "n", || Ok(1u32)).unwrap();
        assert!(r.lookup::<u32>("", "n").is_some() && r.lookup::<u64>("", "n").is_none());
        assert!(r.remove::<u32>("", "n") && !r.remove::<u32>("", "n"));
        assert!(r.lookup::<u32>("", "n").is_none());
        assert_eq!((*old, *r.lookup_or_create("", "n", || Ok(2u32)).unwrap()), (1, 2));
    }

    #[test]
    fn an_object_that_takes_a_name_replaces_the_one_before() {
        let (r, name) = (Resources::new(), ResourceName { container: "c".into(), name: "n".into() });
        r.insert(&name, Arc::new(1u32));
        r.insert(&name, Arc::new(2u32));
        assert_eq!(*r.lookup::<u32>("c", "n").unwrap(), 2);
    }

    #[test]
    fn threads_that_ask_at_once_share_what_one_of_them_makes() {
        let (r, made) = (Resources::new(), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for round in 0..500 {
                        let make = || Ok(made.fetch_add(1, Ordering::Relaxed));
                        let first = r.lookup_or_create("", &format!("{round}"), make).unwrap();
                        assert!(Arc::ptr_eq(&first, &r.lookup::<u64>("", &format!("{round}")).unwrap()));
                    }
                });
            }
            scope.spawn(|| {
                for round in 0..500 {
                    r.lookup_or_create("other", "n", || Ok(round)).unwrap();
                    r.clear("other");
                }
            });
        });
        assert_eq!(made.into_inner(), 500);
    }

    #[test]
    fn what_ends_with_its_container_may_look_for_resources() {
        struct Last(Arc<Resources>);
        impl Drop for Last {
            fn drop(&mut self) {
                self.0.lookup_or_create("other", "trace", || Ok(1u32)).unwrap();
            }
        }
        let r = Arc::new(Resources::new());
        r.lookup_or_create("", "last", || Ok(Last(r.clone()))).unwrap();
        let (sender, ended) = std::sync::mpsc::channel();
        let cleared = r.clone();
        std::thread::spawn(move || {
            cleared.clear("");
            let _ = sender.send(());
        });
        assert!(ended.recv_timeout(std::time::Duration::from_secs(20)).is_ok(), "it waits for itself");
        assert!(r.lookup::<u32>("other", "trace").is_some());
    }

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
