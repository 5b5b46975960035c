"""Gradient rules of activation functions, and of the operations that these gradients are made of."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.autodiff.terms import select, term, zeros_like
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Operation, Tensor

relu_grad, relu6_grad, elu_grad, selu_grad, softplus_grad, softsign_grad = (
    term(op_type, 2) for op_type in ["ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad"]
)
exp, sigmoid = term("Exp"), term("Sigmoid")


def _leaky(g: Any, x: Tensor, alpha: float) -> Tensor:
    return tensor_op("LeakyReluGrad", [g, x], {"alpha": alpha})


def _piecewise(gradient: Any, op: Operation, g: Any) -> tuple[Tensor, Tensor]:
    """Returns the gradients of an op that is linear in its first input, and flat in the second except at the
    corners.
    """
    x = op.inputs[1]
    return gradient(g, x), zeros_like(x)


def _exponential(gradient: Any, op: Operation, g: Any) -> tuple[Tensor, Tensor]:
    """Returns the gradients of an op that is linear in its first input. Below zero its second input, an activation's
    output, has slope one.
    """
    dy, y = op.inputs
    return gradient(g, y), select(y < 0, g * dy, zeros_like(y))


def _softplus_grad(op: Operation, g: Any) -> tuple[Tensor, Tensor]:
    dy, x = op.inputs
    return softplus_grad(g, x), g * dy / (exp(-x) + 2.0 + exp(x))


register(
    {
        "Elu": lambda op, g: elu_grad(g, op.outputs[0]),
        "LeakyRelu": lambda op, g: _leaky(g, op.inputs[0], op.get_attr("alpha")),
        "Relu": lambda op, g: relu_grad(g, op.outputs[0]),
        "Relu6": lambda op, g: relu6_grad(g, op.outputs[0]),
        "Selu": lambda op, g: selu_grad(g, op.outputs[0]),
        "Softplus": lambda op, g: g * sigmoid(op.inputs[0]),
        "Softsign": lambda op, g: softsign_grad(g, op.inputs[0]),
        "EluGrad": lambda op, g: _exponential(elu_grad, op, g),
        "LeakyReluGrad": lambda op, g: _piecewise(lambda g, x: _leaky(g, x, op.get_attr("alpha")), op, g),
        "Relu6Grad": lambda op, g: _piecewise(relu6_grad, op, g),
        "ReluGrad": lambda op, g: _piecewise(relu_grad, op, g),
        "SeluGrad": lambda op, g: _exponential(selu_grad, op, g),
        "SoftplusGrad": _softplus_grad,
    }
)
