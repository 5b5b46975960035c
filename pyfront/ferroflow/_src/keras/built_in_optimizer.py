"""`BuiltInOptimizer`: base of this library's optimizers of Keras, with one update for whole variables and rows."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.composite import is_tensor
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.keras.optimizer_base import Optimizer
from ferroflow._src.keras.settings import epsilon as default_epsilon
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.state.assigning import assign, scatter_update
from ferroflow._src.variables.resource_variable import is_resource_variable


class BuiltInOptimizer(Optimizer, abc.ABC):
    """Base of the optimizers with hyper-parameters `learning_rate` and `decay`.

    Args:
        learning_rate: float, LearningRateSchedule, or callable without arguments; `lr` takes its place.
        name: str, the name scope.
        **kwargs: as `Optimizer`.
    """

    # Hyper-parameters and attributes in the configuration, behind `learning_rate` and `decay`.
    _CONFIGURED: tuple[str, ...] = ()

    def __init__(self, learning_rate: Any, name: str | None, **kwargs: Any) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)

    @abc.abstractmethod
    def _update(self, grad: Tensor, var: Any, indices: Tensor | None, coefficients: dict[str, Any]) -> Any:
        """Returns the update of a variable, or of some rows.

        Args:
            grad: Tensor of the dtype and shape of `var`, or of its rows.
            var: Variable.
            indices: Tensor of int32 or int64, of shape [n], without repetition; None for all rows.
            coefficients: the tensors that `_prepare_local` made.
        """

    def _resource_apply_dense(self, grad: Tensor, handle: Any, apply_state: Any = None) -> Any:
        return self._update(grad, handle, None, self._coefficients(handle, apply_state))

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor, apply_state: Any = None) -> Any:
        return self._update(grad, handle, indices, self._coefficients(handle, apply_state))

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor as they are now."""
        found = super().get_config()
        for key in ("learning_rate", "decay", *self._CONFIGURED):
            found[key] = self._serialize_hyperparameter(key) if key in self._hyper else getattr(self, key)
        return found


class OlderWeights(BuiltInOptimizer):
    """Base of the optimizers whose older files lack the number of steps."""

    def set_weights(self, weights: list[Any]) -> None:
        """Assigns values to the optimizer's variables.

        Args:
            weights: list of arrays, of the dtypes and shapes of its variables, in their order; the first one, the
                number of steps, may be missing.

        Raises:
            ValueError: if the number of arrays is wrong, or an array has another shape.
        """
        missing = len(self.weights) == len(weights) + 1
        super().set_weights([np.array(0), *weights] if missing else weights)


def fused(op_type: str, var: Any, inputs: list[Any], indices: Tensor | None, **attrs: Any) -> Operation:
    """Returns the operation that is a whole update.

    Args:
        op_type: str, its type without "Resource" and "Sparse".
        var: Variable that it updates.
        inputs: list of Variables and Tensors, its inputs.
        indices: Tensor of int32 or int64, if the update is one of rows; it is among `inputs`.
        **attrs: attributes of the operation.
    """
    prefix = ("Resource" if is_resource_variable(var) else "") + ("" if indices is None else "Sparse")
    return apply_op(prefix + op_type, inputs, {"use_locking": True, **attrs})


def with_rows(grad: Tensor, indices: Tensor | None) -> list[Tensor]:
    """Returns the inputs of an update that are the gradient: with its indices if it is one of rows."""
    return [grad] if indices is None else [grad, indices]


def read(var: Any, indices: Tensor | None) -> Any:
    """Returns the value of a variable, or of some rows."""
    return var.read_value() if indices is None else gather(var, indices)


def write(var: Any, value: Any, indices: Tensor | None) -> Any:
    """Assigns a value to a variable, or to some rows."""
    return assign(var, value) if indices is None else scatter_update(var, indices, value)


def momentum_of(momentum: Any) -> bool:
    """Returns True if there is momentum.

    Raises:
        TypeError: if it is not a number, Tensor or callable.
        ValueError: if it is a number outside of [0, 1].
    """
    if isinstance(momentum, (int, float)) and (momentum < 0 or momentum > 1):
        raise ValueError("`momentum` must be between [0, 1].")
    return is_tensor(momentum) or callable(momentum) or bool(momentum > 0)


def epsilon_of(given: float | None) -> float:
    """Returns a number that is added to denominators; the default for None and 0."""
    return given or default_epsilon()
