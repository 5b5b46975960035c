//! Sparse tensors: index matrix, values and dense shape; and sets, edit distances and what else is computed on them.

mod coordinates;
mod edit_distance;
mod serialize_sparse;
mod set_operation;
mod shapes;
mod sparse_add;
mod sparse_concat;
mod sparse_cross;
mod sparse_dense_cwise;
mod sparse_fill_empty_rows;
mod sparse_reduce;
mod sparse_reorder;
mod sparse_reshape;
mod sparse_slice;
mod sparse_softmax;
mod sparse_sparse_extreme;
mod sparse_split;
mod sparse_tensor_dense_add;
mod sparse_tensor_dense_mat_mul;
mod sparse_tensors_map;
mod sparse_to_dense;
mod stacking;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    edit_distance::register(r);
    serialize_sparse::register(r);
    set_operation::register(r);
    sparse_add::register(r);
    sparse_concat::register(r);
    sparse_cross::register(r);
    sparse_dense_cwise::register(r);
    sparse_fill_empty_rows::register(r);
    sparse_reduce::register(r);
    sparse_reorder::register(r);
    sparse_reshape::register(r);
    sparse_slice::register(r);
    sparse_softmax::register(r);
    sparse_sparse_extreme::register(r);
    sparse_split::register(r);
    sparse_tensor_dense_add::register(r);
    sparse_tensor_dense_mat_mul::register(r);
    sparse_tensors_map::register(r);
    sparse_to_dense::register(r);
}
