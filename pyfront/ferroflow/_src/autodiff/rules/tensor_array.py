"""Gradient rules of tensor arrays: the gradients of the elements are the elements of an array of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ferroflow._src.autodiff.backward_pass import current_source
from ferroflow._src.autodiff.rules.registering import register, register_none
from ferroflow._src.autodiff.terms import densified
from ferroflow._src.framework.gradient_registry import RegisterGradient
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.tensor_array import TensorArray

_Rule = TypeVar("_Rule", bound=Callable[..., list[Any]])

# TF 1.x: the ops of all generations have the same rules, whose arrays are those of the third one.
_GENERATIONS = ("", "V2", "V3")

register_none(
    [
        "TensorArrayGradWithShape",
        *(f"{base}{v}" for base in ("TensorArray", "TensorArrayClose", "TensorArraySize") for v in _GENERATIONS),
        *(f"TensorArrayGrad{v}" for v in _GENERATIONS[:2]),
    ]
)


def _of_all_generations(base: str) -> Callable[[_Rule], _Rule]:
    def registered(rule: _Rule) -> _Rule:
        register({f"{base}{v}": rule for v in _GENERATIONS})
        return rule

    return registered


def _gradients_of(op: Operation, dtype: Any, flow: Tensor) -> TensorArray:
    array = TensorArray(dtype, handle=op.inputs[0], flow=flow, colocate_with_first_write_call=False)
    return array.grad(source=current_source(), flow=flow)


@RegisterGradient("TensorArrayGradV3")
def _gradient_array(_op: Operation, _handle: Any, flow: Any) -> list[Any]:
    return [None, flow]


# The size of an array is known once what the forward operation waited for is done: its flow, or what follows from it.
@_of_all_generations("TensorArrayRead")
def _read(op: Operation, gradient: Any) -> list[Any]:
    array = _gradients_of(op, op.get_attr("dtype"), op.inputs[2])
    return [None, None, array.write(op.inputs[1], densified(gradient)).flow]


@_of_all_generations("TensorArrayWrite")
def _write(op: Operation, flow: Tensor) -> list[Any]:
    array = _gradients_of(op, op.get_attr("T"), flow)
    value = array.read(op.inputs[1])
    value.set_shape(op.inputs[2].shape)
    return [None, None, value, flow]


@_of_all_generations("TensorArrayGather")
def _gather(op: Operation, gradient: Any) -> list[Any]:
    array = _gradients_of(op, op.get_attr("dtype"), op.inputs[2])
    return [None, None, array.scatter(op.inputs[1], densified(gradient)).flow]


@_of_all_generations("TensorArrayScatter")
def _scatter(op: Operation, flow: Tensor) -> list[Any]:
    array = _gradients_of(op, op.get_attr("T"), flow)
    return [None, None, array.gather(op.inputs[1]), flow]


@_of_all_generations("TensorArrayConcat")
def _concat(op: Operation, gradient: Any, _lengths: Any) -> list[Any]:
    array = _gradients_of(op, op.get_attr("dtype"), op.inputs[1])
    return [None, array.split(densified(gradient), op.outputs[1]).flow]


@_of_all_generations("TensorArraySplit")
def _split(op: Operation, flow: Tensor) -> list[Any]:
    array = _gradients_of(op, op.get_attr("T"), flow)
    return [None, array.concat(), None, flow]
