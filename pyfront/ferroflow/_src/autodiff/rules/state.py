"""Operations on variables pass no gradient."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register, register_none
from ferroflow._src.autodiff.terms import concat, expand_dims, part, reshape, size
from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.handles import Operation, Tensor


def _read(op: Operation, grad: Any) -> Any:
    return grad


def _gather(op: Operation, grad: Tensor) -> list[Any]:
    handle, indices = op.inputs
    whole = tensor_op("VariableShape", [handle], {"out_type": dtypes.int32})
    count = expand_dims(size(indices), 0)
    values = reshape(grad, concat([count, part(whole, begin=1)]))
    known = op.outputs[0].shape
    if known.ndims is not None and indices.shape.ndims is not None:
        values.set_shape(TensorShape([None]).concatenate(known[indices.shape.ndims :]))
    return [IndexedSlices(values, reshape(indices, count), whole), None]


def _gather_nd(op: Operation, grad: Tensor) -> list[Any]:
    handle, indices = op.inputs
    whole = tensor_op("VariableShape", [handle], {"out_type": indices.dtype})
    if indices.shape.ndims == 2 and indices.shape.dims[-1].value == 1:
        return [IndexedSlices(grad, tensor_op("Squeeze", [indices], {"squeeze_dims": [-1]}), whole), None]
    return [tensor_op("ScatterNd", [indices, grad, whole]), None]


register({"ReadVariableOp": _read, "ResourceGather": _gather, "ResourceGatherNd": _gather_nd})

register_none(
    [
        "VarIsInitializedOp",
        "VariableShape",
        "Assign",
        "AssignAdd",
        "AssignSub",
        "ScatterAdd",
        "ScatterDiv",
        "ScatterMul",
        "ScatterNdAdd",
        "ScatterNdDiv",
        "ScatterNdMul",
        "ScatterNdSub",
        "ScatterNdUpdate",
        "ScatterSub",
    ]
)
