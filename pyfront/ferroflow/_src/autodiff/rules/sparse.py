"""Gradient rules of operations on sparse tensors: the gradients of their values and of dense operands."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register, register_none
from ferroflow._src.autodiff.terms import (
    cast,
    concat,
    conj,
    densified,
    expand_dims,
    filled,
    gather,
    item,
    reduce_sum,
    reshape,
    shape,
    size,
    span,
    term,
    zeros_like,
)
from ferroflow._src.base import dtypes
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.handles import Operation, Tensor, static_dims

gather_nd, maximum = term("GatherNd", 2), term("Maximum", 2)


def _transposed(x: Tensor) -> Tensor:
    """Returns the conjugate transpose of a matrix."""
    return tensor_op("Transpose", [conj(x), [1, 0]], name="transpose")


def _column(indices: Tensor, position: int) -> Tensor:
    """Returns one of the two columns of an index matrix."""
    count = shape(indices)
    part = tensor_op("Slice", [indices, [0, position], [-1, 1]])
    return reshape(part, expand_dims(item(count, 0), 0))


def _tensor_dense_mat_mul(op: Operation, g: Any) -> list[Any]:
    indices, values, a_shape, b = op.inputs
    adjoint_a, adjoint_b = op.get_attr("adjoint_a"), op.get_attr("adjoint_b")
    g = densified(g)
    b_grad = tensor_op("SparseTensorDenseMatMul", [indices, values, a_shape, g], {"adjoint_a": not adjoint_a})
    if adjoint_b:
        b_grad = _transposed(b_grad)
    rows, columns = (_column(indices, position) for position in ((1, 0) if adjoint_a else (0, 1)))
    products = gather(g, rows) * conj(gather(_transposed(b) if adjoint_b else b, columns))
    values_grad = reduce_sum(products, 1)
    return [None, conj(values_grad) if adjoint_a else values_grad, None, b_grad]


def _tensor_dense_add(op: Operation, g: Any) -> list[Any]:
    g = densified(g)
    return [None, gather_nd(g, op.inputs[0]), None, g]


def _add(op: Operation, _indices: Any, g: Any, _shape: Any) -> list[Any]:
    a_grad, b_grad = apply_op("SparseAddGrad", [g, op.inputs[0], op.inputs[3], op.outputs[0]]).outputs
    a_grad.set_shape(op.inputs[1].shape)
    b_grad.set_shape(op.inputs[4].shape)
    return [None, a_grad, None, None, b_grad, None, None]


def _reorder(op: Operation, _indices: Any, g: Any) -> list[Any]:
    indices, _, dense_shape = op.inputs
    entries = span(0, item(shape(indices), 0))
    order = apply_op("SparseReorder", [indices, entries, dense_shape]).outputs[1]
    return [None, gather(g, term("InvertPermutation")(order)), None]


def _reduce_sum(op: Operation, g: Any) -> list[Any]:
    indices, _, dense_shape, axes = op.inputs
    sizes = cast(dense_shape, dtypes.int32)
    rank = size(sizes)
    positive = (axes + rank) % rank
    ones = filled(shape(positive), 1, dtypes.int32, "ones")
    kept = tensor_op("DynamicStitch", [[span(0, rank), positive], [sizes, ones]])
    # Sizes of zero go with no elements; as divisors they count as one.
    scale = maximum(dense_shape // maximum(cast(kept, dtypes.int64), 1), 1)
    return [None, gather_nd(reshape(g, kept), indices // scale), None, None]


def _slice(op: Operation, _indices: Any, g: Any, _shape: Any) -> list[Any]:
    val_grad = tensor_op("SparseSliceGrad", [g, op.inputs[0], op.inputs[3], op.outputs[0]])
    val_grad.set_shape(op.inputs[1].shape)
    return [None, val_grad, None, None, None]


def _softmax(op: Operation, g: Any) -> list[Any]:
    indices, _, dense_shape = op.inputs
    softmax = op.outputs[0]
    products = [indices, softmax * g, dense_shape, constant([-1], dtype=dtypes.int32)]
    sums = -tensor_op("SparseReduceSum", products, {"keep_dims": True})
    # A row's sum is subtracted from the gradients of its elements.
    return [None, tensor_op("SparseDenseCwiseAdd", [indices, g, dense_shape, sums]) * softmax, None]


def _fill_empty_rows(op: Operation, _indices: Any, g: Any, _empty: Any, _map: Any) -> list[Any]:
    values, default = apply_op("SparseFillEmptyRowsGrad", [op.outputs[3], g]).outputs
    return [None, values, None, default]


def _to_dense(op: Operation, g: Any) -> list[Any]:
    indices, output_shape, values, _ = op.inputs
    g = densified(g)
    known = static_dims(indices)
    if known is None or len(known) < 2:
        # A list of numbers, or one number, is a column of indices.
        rank = expand_dims(size(output_shape), 0)
        indices = reshape(indices, concat([constant([-1], dtype=dtypes.int32), rank]))
    taken = gather_nd(g, indices)
    total = reduce_sum(taken, [0])
    default = reduce_sum(g, span(0, tensor_op("Rank", [g]))) - total
    return [None, None, total if static_dims(values) == () else taken, default]


def _cwise_mul_or_div(op: Operation, g: Any, is_mul: bool) -> list[Any]:
    indices, values, x_shape, y = op.inputs
    y_shape = cast(shape(y), dtypes.int64)
    missing = expand_dims(size(x_shape) - size(y_shape), 0)
    augmented = concat([filled(missing, 1, dtypes.int64, "ones"), y_shape])
    # Sizes of zero go with no elements; as divisors they count as one.
    y_indices = indices // maximum(x_shape // maximum(augmented, 1), 1)
    y = reshape(y, augmented)
    y_values = gather_nd(y, y_indices)
    if is_mul:
        dx, dy = g * y_values, g * values
    else:
        dx, dy = g / y_values, g * (-values / tensor_op("Square", [y_values]))
    # If y was broadcast, its indices repeat, so gradients of equal indices are added up.
    total = tensor_op("SparseTensorDenseAdd", [y_indices, dy, augmented, zeros_like(y)])
    return [None, dx, None, reshape(total, y_shape)]


def _not_implemented(op_type: str) -> Any:
    def rule(op: Operation, *gradients: Any) -> Any:
        # TF 1.x has a rule that refuses: these words are its.
        raise NotImplementedError(f"Gradient for {op_type} is currently not implemented yet.")

    return rule


register(
    {
        "SparseAdd": _add,
        "SparseDenseCwiseAdd": _not_implemented("SparseDenseCwiseAdd"),
        "SparseDenseCwiseDiv": lambda op, g: _cwise_mul_or_div(op, g, False),
        "SparseDenseCwiseMul": lambda op, g: _cwise_mul_or_div(op, g, True),
        "SparseFillEmptyRows": _fill_empty_rows,
        "SparseReduceSum": _reduce_sum,
        "SparseReorder": _reorder,
        "SparseSlice": _slice,
        "SparseSoftmax": _softmax,
        "SparseSparseMaximum": _not_implemented("SparseSparseMaximum"),
        "SparseSparseMinimum": _not_implemented("SparseSparseMinimum"),
        "SparseTensorDenseAdd": _tensor_dense_add,
        "SparseTensorDenseMatMul": _tensor_dense_mat_mul,
        "SparseToDense": _to_dense,
    }
)

register_none(
    [
        "DenseToDenseSetOperation",
        "DenseToSparseSetOperation",
        "EditDistance",
        "SetSize",
        "SparseAddGrad",
        "SparseConcat",
        "SparseToSparseSetOperation",
    ]
)
