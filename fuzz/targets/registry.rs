//! Every op there is.

use ferroflow_graph::Registry;
use std::sync::{Arc, LazyLock};

pub static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| {
    let mut registry = Registry::new();
    ferroflow_ops::register(&mut registry);
    ferroflow_input::register(&mut registry);
    registry.finish().unwrap()
});
