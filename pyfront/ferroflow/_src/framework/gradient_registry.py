"""The registry of gradient rules by op type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ferroflow._src.base.late_modules import LateModules
from ferroflow._src.framework.handles import Operation, has_attr

# (op, *gradients of its outputs) -> gradients of its inputs.
GradientFunction = Callable[..., Any]

_rules: dict[str, GradientFunction | None] = {}
# Modules of rules. They are imported when a graph first gets gradients, or before a program registers a rule.
late_modules: Final = LateModules()


class RegisterGradient:
    """Decorator that registers the gradient rule of an op type.

    Args:
        op_type: the op type, or the name used in `Graph.gradient_override_map`.

    Raises:
        TypeError: if `op_type` is not a string.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, rule: GradientFunction) -> GradientFunction:
        """Registers the rule of the op type.

        Args:
            rule: function of the operation and the gradients of its outputs (Tensors, or None). It returns the
                gradients of the inputs, a Tensor, IndexedSlices or None for each, in a list if there are several.

        Returns:
            `rule`.

        Raises:
            KeyError: if the op type has a rule already.
        """
        _register(self._op_type, rule)
        return rule


def _register(op_type: str, rule: GradientFunction | None) -> None:
    late_modules.load()
    if op_type in _rules:
        raise KeyError(f"Registering two gradient with name '{op_type}'!")
    _rules[op_type] = rule


def rules() -> dict[str, GradientFunction | None]:
    """Returns all rules by op type, which the caller may change; None is that of an op without a gradient."""
    late_modules.load()
    return _rules


def NotDifferentiable(op_type: str) -> None:  # noqa: N802  # TF1's spelling
    """Registers that an op type passes no gradient.

    Args:
        op_type: str, such as `Equal`.

    Raises:
        TypeError: if `op_type` is not a string.
        KeyError: if the op type has a rule already.
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    _register(op_type, None)


NoGradient = NotDifferentiable


def get_gradient_function(op: Operation) -> GradientFunction | None:
    """Returns the gradient rule of an operation; None for one without inputs or that passes no gradient.

    Raises:
        LookupError: if no rule is registered for its type.
    """
    return registered_gradient(op) if op.inputs else None


def registered_gradient(op: Operation) -> GradientFunction | None:
    """Returns the gradient rule of an operation that has inputs; None if it passes no gradient.

    Raises:
        LookupError: if no rule is registered for its type.
    """
    op_type = op.type
    if has_attr(op, "_gradient_op_type"):
        op_type = op.get_attr("_gradient_op_type").decode()
    if op_type not in _rules:
        late_modules.load()
    try:
        return _rules[op_type]
    except KeyError:
        raise LookupError(f"gradient registry has no entry for: {op_type}") from None
