"""Gradient rules of softmax and of its cross entropies."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.autodiff.terms import expand_dims, reduce_sum, term
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.handles import Operation, Tensor

exp, softmax, log_softmax = term("Exp"), term("Softmax"), term("LogSoftmax")


def _softmax(op: Operation, g: Any) -> Any:
    y = op.outputs[0]
    return (g - reduce_sum(g * y, [-1], keep_dims=True)) * y


def _log_softmax(op: Operation, g: Any) -> Any:
    y = exp(op.outputs[0])
    return g - reduce_sum(g, [-1], keep_dims=True) * y


def _logits_gradient(op: Operation, g_loss: Any, g_backprop: Any) -> Any:
    """Returns the gradient through both outputs: the loss of each row, and its gradient with respect to the logits."""
    logits, backprop = op.inputs[0], op.outputs[1]
    g = expand_dims(g_loss, -1) * backprop
    if _is_zero(g_backprop):
        return g
    y = softmax(logits)
    inner = _batch_mat_mul(expand_dims(g_backprop, 1), expand_dims(y, 2))
    return g + (g_backprop - tensor_op("Squeeze", [inner], {"squeeze_dims": [1]})) * y


def _batch_mat_mul(x: Tensor, y: Tensor) -> Tensor:
    return tensor_op("BatchMatMul", [x, y], name="MatMul")


def _is_zero(g: Any) -> bool:
    # Zeros stand for an output that nothing reads: the second-order part is then left out of the graph.
    if g is None or g.op.type == "ZerosLike":
        return True
    value = constant_value(g)
    return value is not None and not bool(value.any())


def _softmax_cross_entropy(op: Operation, g_loss: Any, g_backprop: Any) -> tuple[Tensor, Tensor]:
    g = _logits_gradient(op, g_loss, g_backprop)
    return g, expand_dims(g_loss, -1) * -log_softmax(op.inputs[0])


def _sparse_softmax_cross_entropy(op: Operation, g_loss: Any, g_backprop: Any) -> tuple[Tensor, None]:
    # TF 1.x: a PreventGradient.
    get_default_graph().count_operations(1)
    return _logits_gradient(op, g_loss, g_backprop), None


register(
    {
        "LogSoftmax": _log_softmax,
        "Softmax": _softmax,
        "SoftmaxCrossEntropyWithLogits": _softmax_cross_entropy,
        "SparseSoftmaxCrossEntropyWithLogits": _sparse_softmax_cross_entropy,
    }
)
