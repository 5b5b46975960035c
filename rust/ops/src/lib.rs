//! The ops: one file is one op or one table of ops that differ only in a formula; one folder is one family.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "references of tests"))]
#![forbid(unsafe_code)]

mod array;
mod audio;
mod batching;
mod boosted_trees;
mod calls;
mod checkpoint;
mod construction;
mod file;
mod flow;
mod image;
mod linalg;
mod list;
mod lookup;
mod math;
mod nn;
mod proto;
mod quantization;
mod ragged;
mod random;
mod random_forest;
mod rnn;
mod room;
pub mod script;
mod sdca;
mod sparse;
mod spectral;
mod state;
mod string;
mod summary;
mod sums;
mod tensor_array;
#[cfg(test)]
mod testing;
mod wide;
mod word2vec;

use ferroflow_graph::Registry;

/// Adds every op of this crate.
pub fn register(r: &mut Registry) {
    array::register(r);
    audio::register(r);
    batching::register(r);
    boosted_trees::register(r);
    calls::register(r);
    checkpoint::register(r);
    construction::register(r);
    file::register(r);
    flow::register(r);
    image::register(r);
    linalg::register(r);
    list::register(r);
    lookup::register(r);
    math::register(r);
    nn::register(r);
    proto::register(r);
    quantization::register(r);
    ragged::register(r);
    random::register(r);
    random_forest::register(r);
    rnn::register(r);
    script::register(r);
    sdca::register(r);
    sparse::register(r);
    spectral::register(r);
    state::register(r);
    string::register(r);
    summary::register(r);
    tensor_array::register(r);
    word2vec::register(r);
}

/// Returns the registry of this crate's ops alone.
#[cfg(test)]
fn registry() -> ferroflow_tensor::Result<std::sync::Arc<Registry>> {
    let mut r = Registry::new();
    register(&mut r);
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
