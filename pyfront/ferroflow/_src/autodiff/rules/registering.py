"""Entry of tables of rules into the gradient registry."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.autodiff.terms import conj
from ferroflow._src.framework.gradient_registry import NotDifferentiable, RegisterGradient
from ferroflow._src.framework.handles import Operation

# (gradient of the output, the input or the output) -> gradient of the input.
Formula = Callable[[Any, Any], Any]


def register_unary(of_input: dict[str, Formula], of_output: dict[str, Formula]) -> None:
    """Registers rules of functions of one argument.

    Args:
        of_input: by op type, the rule as a formula of the gradient and the input.
        of_output: by op type, the rule as a formula of the gradient and the output.
    """
    for op_type, formula in of_input.items():
        RegisterGradient(op_type)(_of_input(formula))
    for op_type, formula in of_output.items():
        RegisterGradient(op_type)(_of_output(formula))


def _of_input(formula: Formula) -> Callable[[Operation, Any], Any]:
    return lambda op, g: formula(g, conj(op.inputs[0]))


def _of_output(formula: Formula) -> Callable[[Operation, Any], Any]:
    return lambda op, g: formula(g, conj(op.outputs[0]))


def register(rules: dict[str, Callable[..., Any]]) -> None:
    """Registers rules by op type; a rule takes the operation and the gradients of its outputs."""
    for op_type, rule in rules.items():
        RegisterGradient(op_type)(rule)


def register_none(op_types: Iterable[str]) -> None:
    """Registers op types that pass no gradient."""
    for op_type in op_types:
        NotDifferentiable(op_type)
