"""Gradient rules of tensor lists: the gradients of the elements are the elements of another list."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register_none
from ferroflow._src.autodiff.terms import densified, shape, zeros_like
from ferroflow._src.base import dtypes
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.gradient_registry import RegisterGradient
from ferroflow._src.framework.handles import Operation, Tensor

register_none(["TensorListConcatLists", "TensorListElementShape", "TensorListPushBackBatch"])


def _element_shape(values: Tensor) -> Tensor:
    return tensor_op("TensorListElementShape", [values], {"shape_type": dtypes.int32})


def _length(values: Tensor) -> Tensor:
    return tensor_op("TensorListLength", [values])


def _dtype(op: Operation) -> dict[str, Any]:
    return {"element_dtype": op.get_attr("element_dtype")}


@RegisterGradient("TensorListGetItem")
def _get_item(op: Operation, gradient: Any) -> list[Any]:
    values, index, _ = op.inputs
    empty = tensor_op("TensorListReserve", [_element_shape(values), _length(values)], _dtype(op))
    return [tensor_op("TensorListSetItem", [empty, index, densified(gradient)]), None, None]


@RegisterGradient("TensorListSetItem")
def _set_item(op: Operation, gradient: Tensor) -> list[Any]:
    _, index, item = op.inputs
    rest = tensor_op("TensorListSetItem", [gradient, index, zeros_like(item)])
    element = tensor_op("TensorListGetItem", [gradient, index, shape(item)], _dtype(op))
    element.set_shape(item.get_shape())
    return [rest, None, element]


@RegisterGradient("TensorListStack")
def _stack(op: Operation, gradient: Any) -> list[Any]:
    values = op.inputs[0]
    return [tensor_op("TensorListFromTensor", [densified(gradient), _element_shape(values)]), None]


@RegisterGradient("TensorListFromTensor")
def _from_tensor(op: Operation, gradient: Tensor) -> list[Any]:
    count = op.inputs[0].get_shape().dims
    known = None if count is None else count[0].value
    attrs = {**_dtype(op), "num_elements": -1 if known is None else known}
    return [tensor_op("TensorListStack", [gradient, _element_shape(gradient)], attrs), None]


@RegisterGradient("TensorListGather")
def _gather(op: Operation, gradient: Any) -> list[Any]:
    values, indices, _ = op.inputs
    given = [densified(gradient), indices, _element_shape(values), _length(values)]
    return [tensor_op("TensorListScatterV2", given), None, None]


def _gathered(op: Operation, gradient: Tensor, indices: Tensor) -> Tensor:
    return tensor_op("TensorListGather", [gradient, indices, _element_shape(gradient)], _dtype(op))


@RegisterGradient("TensorListScatter")
def _scatter(op: Operation, gradient: Tensor) -> list[Any]:
    return [_gathered(op, gradient, op.inputs[1]), None, None]


@RegisterGradient("TensorListScatterV2")
def _scatter_v2(op: Operation, gradient: Tensor) -> list[Any]:
    return [_gathered(op, gradient, op.inputs[1]), None, None, None]


@RegisterGradient("TensorListScatterIntoExistingList")
def _scatter_into(op: Operation, gradient: Tensor) -> list[Any]:
    _, tensor, indices = op.inputs
    rest = tensor_op("TensorListScatterIntoExistingList", [gradient, zeros_like(tensor), indices])
    return [rest, _gathered(op, gradient, indices), None]


def _split_again(op: Operation, gradient: Any) -> Tensor:
    return tensor_op("TensorListSplit", [densified(gradient), _element_shape(op.inputs[0]), op.outputs[1]])


@RegisterGradient("TensorListConcat")
def _concat(op: Operation, gradient: Any, _lengths: Any) -> list[Any]:
    return [_split_again(op, gradient)]


@RegisterGradient("TensorListConcatV2")
def _concat_v2(op: Operation, gradient: Any, _lengths: Any) -> list[Any]:
    return [_split_again(op, gradient), None, None]


@RegisterGradient("TensorListSplit")
def _split(op: Operation, gradient: Tensor) -> list[Any]:
    joined = apply_op("TensorListConcatV2", [gradient, _element_shape(gradient), op.inputs[2]], _dtype(op))
    return [joined.outputs[0], None, None]


@RegisterGradient("TensorListResize")
def _resize(op: Operation, gradient: Tensor) -> list[Any]:
    return [tensor_op("TensorListResize", [gradient, _length(op.inputs[0])]), None]
