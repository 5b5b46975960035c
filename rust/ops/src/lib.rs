//! The ops: one file is one op or one table of ops that differ only in a formula; one folder is one family.

mod array;
mod construction;
mod file;
mod flow;
mod image;
mod linalg;
mod list;
mod lookup;
mod math;
mod nn;
mod quantization;
mod random;
pub mod script;
mod sparse;
mod spectral;
mod state;
mod string;
mod tensor_array;
mod tensor_message;
#[cfg(test)]
mod testing;
mod wide;

use ferroflow_graph::Registry;
use ferroflow_tensor::Result;
use std::sync::Arc;

/// The registry of every op there is.
///
/// Errors: `Internal` for a faulty definition.
pub fn registry() -> Result<Arc<Registry>> {
    let mut r = Registry::new();
    array::register(&mut r);
    construction::register(&mut r);
    file::register(&mut r);
    flow::register(&mut r);
    image::register(&mut r);
    linalg::register(&mut r);
    list::register(&mut r);
    lookup::register(&mut r);
    math::register(&mut r);
    nn::register(&mut r);
    quantization::register(&mut r);
    random::register(&mut r);
    script::register(&mut r);
    sparse::register(&mut r);
    spectral::register(&mut r);
    state::register(&mut r);
    string::register(&mut r);
    tensor_array::register(&mut r);
    r.finish()
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_definition_is_sound() {
        let registry = super::registry().unwrap();
        assert!(registry.get("Const").is_some());
    }
}
