//! Extremely randomized trees that grow while examples arrive: the trees of `tf.contrib.tensor_forest`.

mod bytes;
mod growth;
mod tree;
mod tree_ops;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    tree_ops::register(r);
}
