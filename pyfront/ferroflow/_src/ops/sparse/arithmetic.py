"""Sums, products, extremes and reductions of sparse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated_argument_lookup, warn_deprecated
from ferroflow._src.base.docstrings import document
from ferroflow._src.base.typing import IntsLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import SparseTensor, SparseTensorValue
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import all_dimensions, keeps_dimensions
from ferroflow._src.ops.sparse.arguments import as_sparse

_SPARSE = (SparseTensor, SparseTensorValue)


def sparse_add(a: TensorLike, b: TensorLike, threshold: TensorLike | None = None, thresh: Any = None) -> Any:
    """Adds two tensors of one shape, of which at least one is sparse.

    Args:
        a: SparseTensor or Tensor of a number dtype.
        b: SparseTensor or Tensor of the dtype and shape of `a`.
        threshold: Tensor of the real dtype of `a`, of shape []: where both tensors have an element, a sum of smaller
            magnitude is left out; None for 0. For two sparse tensors only.
        thresh: older name of `threshold`.

    Returns:
        SparseTensor where both are sparse, with indices in row-major order; Tensor where one is dense.

    Raises:
        TypeError: if neither is sparse.
        ValueError: if the shapes differ.
    """
    if thresh is not None:
        warn_deprecated("The argument thresh of sparse_add", "threshold")
    threshold = deprecated_argument_lookup("threshold", threshold, "thresh", thresh)
    if not isinstance(a, _SPARSE) and not isinstance(b, _SPARSE):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not (isinstance(a, _SPARSE) and isinstance(b, _SPARSE)):
        sparse, dense = (b, a) if isinstance(b, _SPARSE) else (a, b)
        sparse = as_sparse(sparse)
        return tensor_op("SparseTensorDenseAdd", [sparse.indices, sparse.values, sparse.dense_shape, dense])
    a, b = as_sparse(a), as_sparse(b)
    least = convert_to_tensor(
        0 if threshold is None else threshold, dtype=a.values.dtype.real_dtype.base_dtype, name="thresh"
    )
    inputs = [a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, least]
    indices, values, shape = apply_op("SparseAdd", inputs).outputs
    a.get_shape().assert_is_compatible_with(b.get_shape())
    static = shaping.broadcast_static_shape(a.get_shape(), b.get_shape())
    return SparseTensor(indices, values, static.as_list() if static.is_fully_defined() else shape)


def sparse_tensor_dense_matmul(
    sp_a: TensorLike, b: TensorLike, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """Multiplies a sparse matrix with a dense one.

    Args:
        sp_a: SparseTensor of float32, float64, int32, complex64 or complex128, of shape [m, k].
        b: Tensor of the dtype of `sp_a`, of shape [k, n].
        adjoint_a: bool. If True, `sp_a` is given conjugated and transposed.
        adjoint_b: bool. If True, `b` is given conjugated and transposed.
        name: str, name scope of the operation.

    Returns:
        Tensor of the dtype of `b`, of shape [m, n].

    Raises:
        TypeError: if `sp_a` is not sparse, or the dtypes differ.
        ValueError: if the inner dimensions are known to differ.
    """
    sp_a = as_sparse(sp_a)
    with name_scope(name, "SparseTensorDenseMatMul", [sp_a.indices, sp_a.values, b]):
        b = convert_to_tensor(b, name="b")
        return tensor_op(
            "SparseTensorDenseMatMul",
            [sp_a.indices, sp_a.values, sp_a.dense_shape, b],
            {"adjoint_a": adjoint_a, "adjoint_b": adjoint_b},
        )


def sparse_dense_cwise_add(sp_t: Any, dense_t: Any) -> SparseTensor:
    """Adds to each element of a sparse tensor that of a dense one, stretched to its shape.

    Args:
        sp_t: SparseTensor of a number dtype.
        dense_t: Tensor of the dtype of `sp_t`.

    Returns:
        SparseTensor with the indices of `sp_t`; other elements stay zero.
    """
    values = tensor_op("SparseDenseCwiseAdd", [sp_t.indices, sp_t.values, sp_t.dense_shape, dense_t])
    return SparseTensor(sp_t.indices, values, sp_t.dense_shape)


def _cwise(op_type: str, operator: str) -> Callable[..., SparseTensor]:
    def function(sp_t: SparseTensor, dense_t: Any) -> SparseTensor:
        with name_scope(None, operator, [sp_t, dense_t]) as scope:
            dense_t = convert_to_tensor(dense_t, dtype=sp_t.dtype.base_dtype, name="y")
            values = tensor_op(op_type, [sp_t.indices, sp_t.values, sp_t.dense_shape, dense_t], name=scope)
            return SparseTensor(sp_t.indices, values, sp_t.dense_shape)

    return function


sparse_dense_cwise_mul = _cwise("SparseDenseCwiseMul", "mul")
sparse_dense_cwise_div = _cwise("SparseDenseCwiseDiv", "div")

# Python 3's `/` of whole numbers: the dtype that both are made first.
_TRUE_DIVISION = {
    dtypes.uint8: dtypes.float32,
    dtypes.int8: dtypes.float32,
    dtypes.uint16: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.int32: dtypes.float64,
    dtypes.int64: dtypes.float64,
}


def sparse_truediv(sp_t: SparseTensor, dense_t: TensorLike) -> SparseTensor:
    """Divides each element of a sparse tensor by that of a dense one, stretched to its shape; `/` of Python 3.

    Args:
        sp_t: SparseTensor of a number dtype.
        dense_t: Tensor of the dtype of `sp_t`.

    Returns:
        SparseTensor with the indices of `sp_t`: of float32 or float64 where `sp_t` has whole numbers.
    """
    with name_scope(None, "truediv", [sp_t, dense_t]) as scope:
        dense_t = convert_to_tensor(dense_t, dtype=sp_t.dtype.base_dtype, name="y")
        values = sp_t.values
        wide = _TRUE_DIVISION.get(sp_t.dtype.base_dtype)
        if wide is not None:
            values, dense_t = cast(values, wide), cast(dense_t, wide)
        quotients = tensor_op("SparseDenseCwiseDiv", [sp_t.indices, values, sp_t.dense_shape, dense_t], name=scope)
        return SparseTensor(sp_t.indices, quotients, sp_t.dense_shape)


def _axes(
    function: str, sp_input: SparseTensor, axis: Any, keepdims: Any, reduction_axes: Any, keep_dims: Any
) -> tuple[Any, bool]:
    """Returns (the dimensions to reduce, whether they stay)."""
    if keep_dims is not None:
        warn_deprecated(f"The argument keep_dims of {function}", "keepdims", stacklevel=2)
    keepdims = deprecated_argument_lookup("keepdims", keepdims, "keep_dims", keep_dims)
    if reduction_axes is not None:
        warn_deprecated(f"The argument reduction_axes of {function}", "axis", stacklevel=2)
        if axis is not None:
            raise ValueError("Can't specify both 'axis' and 'reduction_indices'.")
        axis = reduction_axes
    return (all_dimensions(sp_input) if axis is None else axis), keeps_dimensions(keepdims)


def _reduction(public_name: str, op_type: str, what: str, is_sparse: bool) -> Callable[..., Any]:
    def function(
        sp_input: TensorLike,
        axis: IntsLike | None = None,
        keepdims: bool | None = None,
        reduction_axes: IntsLike | None = None,
        keep_dims: Any = None,
    ) -> Any:
        sp_input = as_sparse(sp_input)
        axes, keeps = _axes(public_name, sp_input, axis, keepdims, reduction_axes, keep_dims)
        inputs = [sp_input.indices, sp_input.values, sp_input.dense_shape, axes]
        outputs = apply_op(op_type, inputs, {"keep_dims": keeps}).outputs
        return SparseTensor(*outputs) if is_sparse else outputs[0]

    document(
        function,
        f"""Computes {what} of a sparse tensor's elements over dimensions.

    Args:
        sp_input: SparseTensor of a real number dtype.
        axis: Tensor of int32, of shape [] or [n]: the dimensions to reduce, in [-rank, rank); None for all.
        keepdims: bool. If True, a reduced dimension is kept, with size 1; None for False.
        reduction_axes: deprecated name of `axis`.
        keep_dims: deprecated name of `keepdims`.

    Returns:
        {"SparseTensor" if is_sparse else "Tensor"} of the dtype of `sp_input`{
            "" if is_sparse else "; 0 if it has no element"
        }.

    Raises:
        TypeError: if `sp_input` is not sparse.
        ValueError: if both names of an argument are given.
    """,
        name=public_name,
    )
    return function


sparse_reduce_sum = _reduction("sparse_reduce_sum", "SparseReduceSum", "the sum", False)
sparse_reduce_max = _reduction("sparse_reduce_max", "SparseReduceMax", "the maximum", False)
sparse_reduce_sum_sparse = _reduction("sparse_reduce_sum_sparse", "SparseReduceSumSparse", "the sum", True)
sparse_reduce_max_sparse = _reduction("sparse_reduce_max_sparse", "SparseReduceMaxSparse", "the maximum", True)


def sparse_softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Computes softmax over the elements of each innermost row that are there.

    Args:
        sp_input: SparseTensor of float32 or float64, of rank 2 or more.
        name: str, name scope of the operation.

    Returns:
        SparseTensor of the dtype, shape and indices of `sp_input`.
    """
    with name_scope(name, "SparseSoftmax", [sp_input.indices, sp_input.values]):
        values = tensor_op("SparseSoftmax", [sp_input.indices, sp_input.values, sp_input.dense_shape])
        return SparseTensor(sp_input.indices, values, sp_input.dense_shape)


def _extreme(public_name: str, op_type: str, what: str) -> Callable[..., SparseTensor]:
    def function(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
        with name_scope(name, op_type, [sp_a.indices, sp_a.values, sp_b.indices, sp_b.values]) as scope:
            inputs = [sp_a.indices, sp_a.values, sp_a.dense_shape, sp_b.indices, sp_b.values, sp_b.dense_shape]
            indices, values = apply_op(op_type, inputs, name=scope).outputs
        return SparseTensor(indices, values, sp_a.dense_shape)

    document(
        function,
        f"""Computes the {what} of two sparse tensors of one shape, element by element.

    Args:
        sp_a: SparseTensor of a real number dtype, its indices in row-major order.
        sp_b: SparseTensor of the dtype and shape of `sp_a`, its indices in row-major order.
        name: str, name of the operation.

    Returns:
        SparseTensor of the dtype and shape of `sp_a`, with the indices of both; an element that is not there is 0.
    """,
        name=public_name,
    )
    return function


sparse_maximum = _extreme("sparse_maximum", "SparseSparseMaximum", "larger")
sparse_minimum = _extreme("sparse_minimum", "SparseSparseMinimum", "smaller")
