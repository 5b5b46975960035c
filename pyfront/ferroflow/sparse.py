"""`tf.sparse`: sparse tensors."""

from ferroflow._src.framework.composite import (
    SparseTensor as SparseTensor,
)
from ferroflow._src.ops.array.indexing import (
    sparse_mask as mask,
)
from ferroflow._src.ops.array.making import (
    sparse_placeholder as placeholder,
)
from ferroflow._src.ops.math.segment import (
    sparse_segment_mean as segment_mean,
)
from ferroflow._src.ops.math.segment import (
    sparse_segment_sqrt_n as segment_sqrt_n,
)
from ferroflow._src.ops.math.segment import (
    sparse_segment_sum as segment_sum,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_add as add,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_maximum as maximum,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_minimum as minimum,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_reduce_max as reduce_max,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_reduce_max_sparse as reduce_max_sparse,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_reduce_sum as reduce_sum,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_reduce_sum_sparse as reduce_sum_sparse,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_softmax as softmax,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_tensor_dense_matmul as matmul,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_tensor_dense_matmul as sparse_dense_matmul,
)
from ferroflow._src.ops.sparse.converting import (
    sparse_eye as eye,
)
from ferroflow._src.ops.sparse.converting import (
    sparse_from_dense as from_dense,
)
from ferroflow._src.ops.sparse.converting import (
    sparse_merge as merge,
)
from ferroflow._src.ops.sparse.converting import (
    sparse_tensor_to_dense as to_dense,
)
from ferroflow._src.ops.sparse.converting import (
    sparse_to_indicator as to_indicator,
)
from ferroflow._src.ops.sparse.crossing import (
    sparse_cross as cross,
)
from ferroflow._src.ops.sparse.crossing import (
    sparse_cross_hashed as cross_hashed,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_concat as concat,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_expand_dims as expand_dims,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_fill_empty_rows as fill_empty_rows,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_reorder as reorder,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_reset_shape as reset_shape,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_reshape as reshape,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_retain as retain,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_slice as slice,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_split as split,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_transpose as transpose,
)
from ferroflow._src.ops.state.accumulating import (
    SparseConditionalAccumulator as SparseConditionalAccumulator,
)

__all__ = [
    "SparseConditionalAccumulator",
    "SparseTensor",
    "add",
    "concat",
    "cross",
    "cross_hashed",
    "expand_dims",
    "eye",
    "fill_empty_rows",
    "from_dense",
    "mask",
    "matmul",
    "maximum",
    "merge",
    "minimum",
    "placeholder",
    "reduce_max",
    "reduce_max_sparse",
    "reduce_sum",
    "reduce_sum_sparse",
    "reorder",
    "reset_shape",
    "reshape",
    "retain",
    "segment_mean",
    "segment_sqrt_n",
    "segment_sum",
    "slice",
    "softmax",
    "sparse_dense_matmul",
    "split",
    "to_dense",
    "to_indicator",
    "transpose",
]
