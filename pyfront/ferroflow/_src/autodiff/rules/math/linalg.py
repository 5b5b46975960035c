"""Gradient rules of matrix products and of diagonals."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.counting import counted
from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.autodiff.terms import (
    cast,
    concat,
    conj,
    densified,
    filled,
    item,
    known_dims,
    part,
    rank,
    reduce_sum,
    reshape,
    shape,
    stack,
    term,
    zeros_like,
)
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.handles import Operation, Tensor, static_dims

# The gradients of a b, by (a is transposed, b is transposed): for each of a and b, two factors and whether each is
# transposed.
_PRODUCTS: dict[tuple[bool, bool], tuple[tuple[str, bool, bool], tuple[str, bool, bool]]] = {
    (False, False): (("gb", False, True), ("ag", True, False)),
    (False, True): (("gb", False, False), ("ga", True, False)),
    (True, False): (("bg", False, True), ("ag", False, False)),
    (True, True): (("bg", True, True), ("ga", True, True)),
}


def _mat_mul(op: Operation, g: Any) -> list[Tensor]:
    a, b = op.inputs
    factors = {"a": conj(a), "b": conj(b), "g": densified(g)}
    transposed = (op.get_attr("transpose_a"), op.get_attr("transpose_b"))
    return [
        tensor_op("MatMul", [factors[pair[0]], factors[pair[1]]], {"transpose_a": first, "transpose_b": second})
        for pair, first, second in _PRODUCTS[transposed]
    ]


def _batch_mat_mul(op: Operation, g: Any) -> list[Tensor]:
    factors = {"a": op.inputs[0], "b": op.inputs[1], "g": densified(g)}
    # The op takes adjoints, so nothing is conjugated here.
    adjoint = (op.get_attr("adj_x"), op.get_attr("adj_y"))
    return [
        tensor_op(op.type, [factors[pair[0]], factors[pair[1]]], {"adj_x": first, "adj_y": second}, name="MatMul")
        for pair, first, second in _PRODUCTS[adjoint]
    ]


def _counted_batch_mat_mul(op: Operation, g: Any) -> list[Tensor]:
    # TF 1.x: products and sums over the dimensions along which BatchMatMulV2 may repeat an argument.
    with counted(17):
        return _batch_mat_mul(op, g)


def _batch_mat_mul_broadcast(op: Operation, g: Any) -> list[Tensor]:
    gx, gy = _batch_mat_mul(op, g)
    x, y = op.inputs
    x_dims, y_dims = static_dims(x), static_dims(y)
    if x_dims is not None and y_dims is not None:
        x_batch, y_batch = x_dims[:-2], y_dims[:-2]
        if x_batch == y_batch and None not in x_batch:
            get_default_graph().count_operations(15)
            return [gx, gy]
    x_shape, y_shape = shape(x), shape(y)
    x_axes, y_axes = apply_op("BroadcastGradientArgs", [part(x_shape, end=-2), part(y_shape, end=-2)]).outputs
    return [reshape(reduce_sum(gx, x_axes), x_shape), reshape(reduce_sum(gy, y_axes), y_shape)]


def _sparse_mat_mul(op: Operation, g: Any) -> list[Tensor]:
    a, b = op.inputs
    factors = {"a": a, "b": b, "g": g}
    sparse = {
        "a": op.get_attr("a_is_sparse"),
        "b": op.get_attr("b_is_sparse"),
        # TF 1.x: what comes through a rectifier is taken to be sparse.
        "g": g.op.type == "ReluGrad",
    }
    transposed = (op.get_attr("transpose_a"), op.get_attr("transpose_b"))
    result = []
    for source, (pair, first, second) in zip((a, b), _PRODUCTS[transposed], strict=True):
        left, right = factors[pair[0]], factors[pair[1]]
        attrs = {
            "transpose_a": first,
            "transpose_b": second,
            "a_is_sparse": sparse[pair[0]],
            "b_is_sparse": sparse[pair[1]],
        }
        result.append(cast(tensor_op("SparseMatMul", [left, right], attrs, name="MatMul"), source.dtype))
    return result


matrix_diag, matrix_diag_part, matrix_set_diag = term("MatrixDiag"), term("MatrixDiagPart"), term("MatrixSetDiag", 2)


def _matrix_diag_part(op: Operation, g: Tensor) -> Tensor:
    found = static_dims(op.inputs[0])
    if found is not None and None not in found[-2:] and found[-2] == found[-1]:
        return matrix_diag(g)
    return matrix_set_diag(zeros_like(op.inputs[0]), g)


def _matrix_set_diag(op: Operation, g: Tensor) -> tuple[Tensor, Tensor]:
    g = densified(g)
    known = known_dims(op.inputs[0]) or known_dims(g)
    if known is not None:
        diagonal: Any = (*known[:-2], min(known[-2:]))
    else:
        g_shape = shape(g)
        axes = rank(g) - 2
        batch = tensor_op("Slice", [g_shape, [0], stack([axes])])
        matrix = tensor_op("Slice", [g_shape, stack([axes]), [2]])
        shortest = tensor_op("Minimum", [item(matrix, 0), item(matrix, 1)])
        diagonal = concat([batch, stack([shortest])])
    zeros = filled(diagonal, 0, g.dtype.base_dtype, "zeros")
    return matrix_set_diag(g, zeros), matrix_diag_part(g)


_VERSIONS = ("V2", "V3")


def _bands(op: Operation, kind: str, inputs: list[Any]) -> Tensor:
    """Returns another op on diagonals, of the same version and with the same alignment."""
    version = op.type[-2:]
    attrs = {"align": op.get_attr("align")} if version == "V3" else {}
    return tensor_op(f"{kind}{version}", inputs, attrs)


def _zero(g: Tensor) -> Tensor:
    return filled((), 0, g.dtype.base_dtype, "zero")


def _matrix_diag_of_bands(op: Operation, g: Tensor) -> tuple[Any, ...]:
    return _bands(op, "MatrixDiagPart", [g, op.inputs[1], _zero(g)]), None, None, None, None


def _matrix_diag_part_of_bands(op: Operation, g: Tensor) -> tuple[Any, ...]:
    return _bands(op, "MatrixSetDiag", [zeros_like(op.inputs[0]), g, op.inputs[1]]), None, None


def _matrix_set_diag_of_bands(op: Operation, g: Tensor) -> tuple[Any, ...]:
    g = densified(g)
    kept = _bands(op, "MatrixSetDiag", [g, zeros_like(op.inputs[1]), op.inputs[2]])
    return kept, _bands(op, "MatrixDiagPart", [g, op.inputs[2], _zero(g)]), None


register(
    {
        "BatchMatMul": _counted_batch_mat_mul,
        "BatchMatMulV2": _batch_mat_mul_broadcast,
        "MatMul": _mat_mul,
        "SparseMatMul": _sparse_mat_mul,
        "Diag": lambda op, g: term("DiagPart")(g),
        "DiagPart": lambda op, g: term("Diag")(g),
        "MatrixBandPart": lambda op, g: (term("MatrixBandPart", 3)(g, op.inputs[1], op.inputs[2]), None, None),
        "MatrixDiag": lambda op, g: matrix_diag_part(g),
        **{f"MatrixDiag{version}": _matrix_diag_of_bands for version in _VERSIONS},
        **{f"MatrixDiagPart{version}": _matrix_diag_part_of_bands for version in _VERSIONS},
        **{f"MatrixSetDiag{version}": _matrix_set_diag_of_bands for version in _VERSIONS},
        "MatrixDiagPart": _matrix_diag_part,
        "MatrixSetDiag": _matrix_set_diag,
    }
)
