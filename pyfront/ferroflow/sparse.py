"""`tf.sparse`: sparse tensors."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.framework.composite import SparseTensor as SparseTensor
from ferroflow._src.ops.array.indexing import sparse_mask as _sparse_mask
from ferroflow._src.ops.array.making import sparse_placeholder as _sparse_placeholder
from ferroflow._src.ops.math import segment as _segment
from ferroflow._src.ops.sparse import arithmetic as _arithmetic, converting as _converting, shaping as _shaping
from ferroflow._src.ops.sparse.crossing import (
    sparse_cross as _sparse_cross,
    sparse_cross_hashed as _sparse_cross_hashed,
)
from ferroflow._src.ops.state.accumulating import SparseConditionalAccumulator as SparseConditionalAccumulator

add = _arithmetic.sparse_add
concat = _shaping.sparse_concat
cross = _sparse_cross
cross_hashed = _sparse_cross_hashed
expand_dims = _shaping.sparse_expand_dims
eye = _converting.sparse_eye
fill_empty_rows = _shaping.sparse_fill_empty_rows
from_dense = _converting.sparse_from_dense
mask = _sparse_mask
matmul = _arithmetic.sparse_tensor_dense_matmul
maximum = _arithmetic.sparse_maximum
merge = _converting.sparse_merge
minimum = _arithmetic.sparse_minimum
placeholder = _sparse_placeholder
reduce_max = _arithmetic.sparse_reduce_max
reduce_max_sparse = _arithmetic.sparse_reduce_max_sparse
reduce_sum = _arithmetic.sparse_reduce_sum
reduce_sum_sparse = _arithmetic.sparse_reduce_sum_sparse
reorder = _shaping.sparse_reorder
reset_shape = _shaping.sparse_reset_shape
reshape = _shaping.sparse_reshape
retain = _shaping.sparse_retain
segment_mean = _segment.sparse_segment_mean
segment_sqrt_n = _segment.sparse_segment_sqrt_n
segment_sum = _segment.sparse_segment_sum
slice = _shaping.sparse_slice
softmax = _arithmetic.sparse_softmax
sparse_dense_matmul = _arithmetic.sparse_tensor_dense_matmul
split = _shaping.sparse_split
to_dense = _converting.sparse_tensor_to_dense
to_indicator = _converting.sparse_to_indicator
transpose = _shaping.sparse_transpose

_tell_absent(globals())
