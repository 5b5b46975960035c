"""`TowerOptimizer`: an optimizer that adds up the gradients of a model's replicas before it applies them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.default_graph import (
    control_dependencies,
    device as on_device,
    get_default_graph,
    name_scope,
)
from ferroflow._src.losses.weighting import Reduction
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.flow.grouping import no_op
from ferroflow._src.ops.math.arithmetic import add_n, div
from ferroflow._src.training.optimizer import Optimizer
from ferroflow._src.variables.scope import variable_scope

__all__ = ["TowerOptimizer", "Towers", "scaled_loss", "sum_on_device"]

_KEY: Final = "replicate_model_fn_graph_states"


class Towers:
    """The replicas of a model in one graph, and the gradients that they have given so far.

    Attributes:
        count: int, the number of replicas.
        reduction: one of `tf.losses.Reduction`: how each replica combines the losses of its batch.
        uses_optimizer: bool. If True, a TowerOptimizer was used.
    """

    def __init__(self) -> None:
        self.count, self.reduction, self.uses_optimizer = 1, Reduction.SUM_BY_NONZERO_WEIGHTS, False
        self._index = 0
        self._gradients: dict[int, list[Any]] = {}
        self._first_scopes: tuple[Any, str] = (None, "")

    @staticmethod
    def of_graph() -> Towers:
        """Returns the replicas of the default graph."""
        found = get_default_graph().get_collection_ref(_KEY)
        if not found:
            found.append(Towers())
        towers: Towers = found[-1]
        return towers

    @staticmethod
    def forget() -> None:
        """Ends the replicas of the default graph."""
        get_default_graph().clear_collection(_KEY)

    @contextmanager
    def tower(self, index: int, var_scope: Any, scope: str) -> Iterator[None]:
        """Makes a replica the one that is built.

        Args:
            index: int, its number.
            var_scope: VariableScope around it.
            scope: str, the name scope around it.
        """
        if index == 0:
            self._first_scopes = (var_scope, scope)
        self._index = index
        yield

    @property
    def first_scopes(self) -> tuple[Any, str]:
        """The variable scope and the name scope around the first replica."""
        return self._first_scopes

    @property
    def is_last(self) -> bool:
        """True while the last replica is built."""
        return self._index == self.count - 1

    @property
    def is_even(self) -> bool:
        """True if all replicas have called their optimizers equally often."""
        return sum(map(len, self._gradients.values())) % self.count == 0

    def collect(self, pairs: Any) -> None:
        """Keeps the gradients of a call of an optimizer."""
        self._gradients.setdefault(self._index, []).append(list(pairs))

    def gathered(self) -> list[Any]:
        """Returns the gradients of the latest call of an optimizer, of all replicas."""
        call = len(self._gradients[self._index]) - 1
        return [pair for i in range(self._index + 1) for pair in self._gradients[i][call]]


def scaled_loss(loss: Any, reduction: str, count: int) -> Any:
    """Returns a replica's part of the loss of all replicas."""
    if loss is None or count == 1 or reduction == Reduction.SUM:
        return loss
    return div(loss, 1.0 * count, name="averaged_loss")


def sum_on_device(values: list[Any], device: Any, name: str | None = None) -> Any:
    """Returns the sum of Tensors or IndexedSlices, computed on a device."""
    with on_device(device):
        if not isinstance(values[0], IndexedSlices):
            return add_n(values, name=name)
        if name is not None:
            raise ValueError("The name argument is not expected to be given to IndexedSlices.")
        rows = concat([value.values for value in values], axis=0)
        indices = concat([value.indices for value in values], axis=0)
        return IndexedSlices(rows, indices, values[0].dense_shape)


def _tensors_of(pairs: Any) -> list[Any]:
    given = [gradient for gradient, _ in pairs if gradient is not None]
    return [gradient.values if isinstance(gradient, IndexedSlices) else gradient for gradient in given]


class TowerOptimizer(Optimizer):
    """An optimizer for `replicate_model_fn`: it adds up the gradients of all replicas before it applies them.

    Args:
        optimizer_or_optimizer_fn: Optimizer, or callable without arguments that makes one.

    Example:
        >>> with tf.Graph().as_default():
        ...     optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.GradientDescentOptimizer(0.1))
        ...     print(optimizer.get_name())
        GradientDescent
    """

    COLLECTION_FOR_GRAPH_STATES = _KEY

    def __init__(self, optimizer_or_optimizer_fn: Optimizer | Callable[[], Optimizer]) -> None:
        self._given: Any = optimizer_or_optimizer_fn

    @staticmethod
    def has_been_used() -> bool:
        """Returns True if such an optimizer was used in the default graph."""
        return Towers.of_graph().uses_optimizer

    def _inner(self) -> Any:
        if callable(self._given):
            self._given = self._given()
        Towers.of_graph().uses_optimizer = True
        return self._given

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Returns a slot of the optimizer inside.

        Args:
            *args: arguments of that method.
            **kwargs: arguments of that method by name.

        Returns:
            Variable, or None.
        """
        return self._inner().get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the names of the slots of the optimizer inside.

        Args:
            *args: arguments of that method.
            **kwargs: arguments of that method by name.

        Returns:
            list of str.
        """
        return self._inner().get_slot_names(*args, **kwargs)

    def get_name(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the name of the optimizer inside.

        Args:
            *args: arguments of that method.
            **kwargs: arguments of that method by name.

        Returns:
            str.
        """
        return self._inner().get_name(*args, **kwargs)

    def variables(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the variables of the optimizer inside.

        Args:
            *args: arguments of that method.
            **kwargs: arguments of that method by name.

        Returns:
            list of Variables.
        """
        return self._inner().variables(*args, **kwargs)

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """Returns the gradients of this replica's part of the loss.

        Args:
            loss: Tensor of a float dtype, of shape [].
            *args: further arguments of `tf.train.Optimizer.compute_gradients`.
            **kwargs: further arguments of `tf.train.Optimizer.compute_gradients`.

        Returns:
            list of pairs of a gradient and a variable.
        """
        towers = Towers.of_graph()
        return self._inner().compute_gradients(scaled_loss(loss, towers.reduction, towers.count), *args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """Applies the sums of all replicas' gradients in the last replica; the others only compute their gradients.

        Args:
            grads_and_vars: list of pairs of a gradient and a variable.
            global_step: Variable of an integer dtype, of shape [], or None.
            name: str, the name of the step, or None.

        Returns:
            Operation of the step.
        """
        towers, pairs = Towers.of_graph(), list(grads_and_vars)
        if towers.count == 1:
            return self._inner().apply_gradients(pairs, global_step, name=name)
        towers.collect(pairs)
        if not towers.is_last:
            with control_dependencies(_tensors_of(pairs)):
                return no_op(name="train_op_placeholder")
        var_scope, scope = towers.first_scopes
        with variable_scope(var_scope), name_scope(scope):
            of_variable: dict[Any, list[Any]] = {}
            for gradient, variable in towers.gathered():
                if gradient is not None:
                    of_variable.setdefault(variable, []).append(gradient)
            with name_scope("gradient_aggregating"):
                sums = [(sum_on_device(found, held.device), held) for held, found in of_variable.items()]
            return self._inner().apply_gradients(sums, global_step=global_step, name=name)
