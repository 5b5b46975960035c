"""Gradient rules of recurrent cells that are one operation."""

from __future__ import annotations

from typing import Any, Final

from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.autodiff.terms import concat, term
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.handles import Operation, Tensor

product_transposed = term("MatMul", 2, transpose_b=True)
transposed_product = term("MatMul", 2, transpose_a=True)


def _columns(matrix: Tensor, sizes: list[int | None]) -> Any:
    """Returns a matrix cut into two by its columns."""
    if None in sizes:
        raise ValueError(f"The gradient of a block cell needs the sizes of input and state, got {sizes}")
    axis = 1
    return apply_op("SplitV", [matrix, sizes, axis], {"num_split": len(sizes)}).outputs


def _lstm_cell(op: Operation, *gradients: Any) -> tuple[Any, ...]:
    x, _, h_before, w = op.inputs[:4]
    attrs = {"use_peephole": op.get_attr("use_peephole")}
    inputs = [*op.inputs, *op.outputs[:6], gradients[1], gradients[6]]
    of_state, gates, *of_peepholes = apply_op("LSTMBlockCellGrad", inputs, attrs).outputs
    of_x, of_h = _columns(product_transposed(gates, w), [t.shape.with_rank(2)[1].value for t in (x, h_before)])
    of_w = transposed_product(concat([x, h_before], 1), gates)
    return of_x, of_state, of_h, of_w, *of_peepholes, tensor_op("BiasAddGrad", [gates])


# TensorFlow 1.15.5's BlockLSTMGradV2 returns other numbers, which are not the derivative.
_LSTM_GRADIENTS: Final = {"BlockLSTM": "BlockLSTMGrad", "BlockLSTMV2": "BlockLSTMGradV2"}


def _lstm(op: Operation, *gradients: Any) -> tuple[Any, ...]:
    attrs = {"use_peephole": op.get_attr("use_peephole")}
    inputs = [*op.inputs, *op.outputs, gradients[1], gradients[6]]
    return None, *apply_op(_LSTM_GRADIENTS[op.type], inputs, attrs).outputs


def _gru_cell(op: Operation, *gradients: Any) -> tuple[Any, ...]:
    x, h_before = op.inputs[:2]
    reset, update, candidate, _ = op.outputs
    inputs = [*op.inputs, reset, update, candidate, gradients[3]]
    of_x, of_h, of_candidate, of_gates = apply_op("GRUBlockCellGrad", inputs).outputs
    return (
        of_x,
        of_h,
        transposed_product(concat([x, h_before], 1), of_gates),
        transposed_product(concat([x, h_before * reset], 1), of_candidate),
        tensor_op("BiasAddGrad", [of_gates]),
        tensor_op("BiasAddGrad", [of_candidate]),
    )


register({"BlockLSTM": _lstm, "BlockLSTMV2": _lstm, "GRUBlockCell": _gru_cell, "LSTMBlockCell": _lstm_cell})
