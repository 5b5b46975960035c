"""Control flow contexts that programs define: they see operations and values, and change neither."""

from __future__ import annotations

from typing import Any

import ferroflow as tf
from ferroflow.python.ops.control_flow_ops import ControlFlowContext


class _Recorded(ControlFlowContext):  # type: ignore[misc]  # found at run time
    def __init__(self) -> None:
        super().__init__()
        self._name = "Recorded"
        self.operations: list[str] = []

    def AddOp(self, op: Any) -> None:  # noqa: N802
        self.operations.append(op.name)

    def AddValue(self, val: Any) -> Any:  # noqa: N802
        return val


def test_operations_are_passed_to_the_context_of_a_program() -> None:
    outside = tf.constant(2.0, name="outside")
    context = _Recorded()
    context.Enter()
    try:
        product = tf.multiply(outside, 3.0, name="product")
        chosen = tf.cond(product > 5.0, lambda: outside + 1.0, lambda: outside)
    finally:
        context.Exit()
    after = tf.add(product, 1.0, name="after")
    assert context.operations[:2] == ["product/y", "product"]
    assert "after" not in context.operations
    assert product.op._get_control_flow_context() is context
    assert product.op.inputs[0] is outside
    with tf.Session() as session:
        assert session.run([product, chosen, after]) == [6.0, 3.0, 7.0]
