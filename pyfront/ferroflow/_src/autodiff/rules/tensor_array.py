"""Gradient rules of tensor arrays: the gradients of the elements are the elements of an array of their own."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.backward_pass import current_source
from ferroflow._src.autodiff.terms import densified
from ferroflow._src.framework.gradient_registry import NotDifferentiable, RegisterGradient
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.tensor_array import TensorArray

for _op_type in ("TensorArrayV3", "TensorArraySizeV3", "TensorArrayCloseV3"):
    NotDifferentiable(_op_type)


def _gradients_of(op: Operation, dtype: Any, flow: Tensor) -> TensorArray:
    array = TensorArray(dtype, handle=op.inputs[0], flow=flow, colocate_with_first_write_call=False)
    return array.grad(source=current_source(), flow=flow)


@RegisterGradient("TensorArrayGradV3")
def _gradient_array(_op: Operation, _handle: Any, flow: Any) -> list[Any]:
    return [None, flow]


# The size of an array is known once what the forward operation waited for is done: its flow, or what follows from it.
@RegisterGradient("TensorArrayReadV3")
def _read(op: Operation, gradient: Any) -> list[Any]:
    array = _gradients_of(op, op.get_attr("dtype"), op.inputs[2])
    return [None, None, array.write(op.inputs[1], densified(gradient)).flow]


@RegisterGradient("TensorArrayWriteV3")
def _write(op: Operation, flow: Tensor) -> list[Any]:
    array = _gradients_of(op, op.get_attr("T"), flow)
    value = array.read(op.inputs[1])
    value.set_shape(op.inputs[2].shape)
    return [None, None, value, flow]


@RegisterGradient("TensorArrayGatherV3")
def _gather(op: Operation, gradient: Any) -> list[Any]:
    array = _gradients_of(op, op.get_attr("dtype"), op.inputs[2])
    return [None, None, array.scatter(op.inputs[1], densified(gradient)).flow]


@RegisterGradient("TensorArrayScatterV3")
def _scatter(op: Operation, flow: Tensor) -> list[Any]:
    array = _gradients_of(op, op.get_attr("T"), flow)
    return [None, None, array.gather(op.inputs[1]), flow]


@RegisterGradient("TensorArrayConcatV3")
def _concat(op: Operation, gradient: Any, _lengths: Any) -> list[Any]:
    array = _gradients_of(op, op.get_attr("dtype"), op.inputs[1])
    return [None, array.split(densified(gradient), op.outputs[1]).flow]


@RegisterGradient("TensorArraySplitV3")
def _split(op: Operation, flow: Tensor) -> list[Any]:
    array = _gradients_of(op, op.get_attr("T"), flow)
    return [None, array.concat(), None, flow]
