//! Kernel throughput benches; run with `cargo bench`.

use ferroflow_graph::Registry;
use ferroflow_tensor::Result;
use std::sync::Arc;

/// Returns the registry of every op.
///
/// Errors: `Internal` for a faulty definition.
pub fn registry() -> Result<Arc<Registry>> {
    let mut all = Registry::new();
    ferroflow_ops::register(&mut all);
    ferroflow_input::register(&mut all);
    all.finish()
}
