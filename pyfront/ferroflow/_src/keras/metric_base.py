"""`Metric`: a metric with a state, which adds up over batches."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.framework.default_graph import control_dependencies, get_default_graph
from ferroflow._src.framework.graph_scopes import current_flow_context
from ferroflow._src.framework.handles import Operation, Tensor, flow_context
from ferroflow._src.keras import named
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.settings import floatx
from ferroflow._src.layers.sessions import assigner, batch_set_value, get_session, track_variable
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.variables.resource_variable import ResourceVariable
from ferroflow._src.variables.synchronization import VariableAggregation, VariableSynchronization


def _as_update(update: Callable[..., Any], made_updates: list[Operation], is_own: bool) -> Callable[..., Operation]:
    """Returns a function that adds operations, and returns an operation that waits for those with effects.

    Each operation that it returns is also added to `made_updates`. The functions of this library's own metrics return
    that operation themselves.
    """

    @functools.wraps(update)
    def update_state(*args: Any, **kwargs: Any) -> Operation:
        graph = get_default_graph()
        if is_own:
            made = update(*args, **kwargs)
            last: Operation = made if isinstance(made, Operation) else made.op
            made_updates.append(last)
            return last
        known = len(graph.get_operations())
        around = current_flow_context(graph)
        update(*args, **kwargs)
        made = graph.get_operations()[known:]
        contexts = [flow_context(op) for op in made]
        stateful = [
            op for op, context in zip(made, contexts, strict=True) if context is around and op.op_def.is_stateful
        ]
        whole: Operation = group(*stateful)
        made_updates.append(whole)
        return whole

    return update_state


def _as_result(result: Callable[..., Any]) -> Callable[..., Tensor]:
    @functools.wraps(result)
    def value() -> Tensor:
        return identity(result())

    return value


class Metric(KerasLayer):
    """Base of metrics with a state: `update_state` adds a batch, `result` computes the value of all.

    Args:
        name: str; by default the class's name in snake case, with a number if it is taken.
        dtype: DType of the state; `floatx()` by default.
        **kwargs: arguments of `KerasLayer`.

    Example:
        >>> mean = tf.keras.metrics.Mean()
        >>> update = mean.update_state([1.0, 3.0])
        >>> value = mean.result()
        >>> sess.run([v.initializer for v in mean.variables])
        >>> sess.run(update)
        >>> print(sess.run(value))
        2.0
    """

    def __init__(self, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=floatx() if dtype is None else dtypes.as_dtype(dtype).name, **kwargs)
        self.stateful = True
        self.built = True
        self.state_updates: list[Operation] = []
        # The ids of the variables that start at zero.
        self._zeros_at_first: set[int] = set()
        is_own = type(self).update_state.__module__.startswith("ferroflow.")
        self.update_state = _as_update(self.update_state, self.state_updates, is_own)  # type: ignore[method-assign]  # a wrapper for each object
        self.result = _as_result(self.result)  # type: ignore[method-assign]  # a wrapper for each object

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        """Adds a batch and computes the value of all.

        Args:
            *args: arguments of `update_state`.
            **kwargs: arguments of `update_state`.

        Returns:
            Tensor, the value after the update.
        """
        with control_dependencies([self.update_state(*args, **kwargs)]):
            value: Tensor = self.result()
        value._metric_obj = self  # type: ignore[attr-defined]
        object.__setattr__(self, "_call_result", value)
        return value

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Adds the operations that add a batch to the state.

        Args:
            *args: as the class defines them.
            **kwargs: as the class defines them.

        Returns:
            The operation that updates the state.

        Raises:
            NotImplementedError: if the class does not define it.
        """
        raise NotImplementedError("Must be implemented in subclasses.")

    def result(self) -> Any:
        """Computes the metric of all batches.

        Returns:
            Tensor of the dtype of the state, of any shape.

        Raises:
            NotImplementedError: if the class does not define it.
        """
        raise NotImplementedError("Must be implemented in subclasses.")

    @property
    def updates(self) -> list[Operation]:
        """The operations that `update_state` returned."""
        return list(self.state_updates)

    def add_weight(  # type: ignore[override]  # TF 1.x: fewer arguments than those of layers
        self,
        name: str,
        shape: Any = (),
        aggregation: Any = VariableAggregation.SUM,
        synchronization: Any = VariableSynchronization.ON_READ,
        initializer: Any = None,
        dtype: Any = None,
    ) -> Any:
        """Makes a variable of the state, which is in no collection.

        Args:
            name: str.
            shape: tuple of ints.
            aggregation: accepted.
            synchronization: accepted.
            initializer: initializer, or its name; zeros by default.
            dtype: DType; None for the metric's.

        Returns:
            Variable of `dtype` and `shape`.
        """
        del aggregation, synchronization
        make, kind = named.initializer(initializer or "zeros"), dtypes.as_dtype(dtype or self.dtype)
        variable = ResourceVariable(
            lambda: make(list(shape), dtype=kind), trainable=False, name=name, collections=[], dtype=kind
        )
        if initializer is None:
            self._zeros_at_first.add(id(variable))
        self._non_trainable_weights.append(variable)
        track_variable(variable)
        return variable

    def reset_states(self) -> None:
        """Sets the state to zeros in Keras's session."""
        batch_set_value([(v, np.zeros(v.get_shape().as_list(), v.dtype.as_numpy_dtype)) for v in self.variables])

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal metric."""
        return {"name": self.name, "dtype": self.dtype}


# By metric, the operations that set its state to zeros, and what they are fed.
_resets: WeakKeyDictionary[Metric, tuple[list[Operation], dict[Any, Any]]] = WeakKeyDictionary()


def _reset_of(metric: Metric) -> tuple[list[Operation], dict[Any, Any]]:
    found = _resets.get(metric)
    if found is None:
        found = [], {}
        for v in metric.variables:
            given, step = assigner(v, len(v.get_shape()))
            if id(v) in metric._zeros_at_first:
                # Its initializer does the same without a feed.
                found[0].append(v.initializer)
            else:
                found[0].append(step)
                found[1][given] = np.zeros(v.get_shape().as_list(), v.dtype.as_numpy_dtype)
        _resets[metric] = found
    return found


def reset_states(metrics: list[Any]) -> None:
    """Sets the states of metrics to zeros, those without a `reset_states` of their own in one step.

    Args:
        metrics: list of Metrics of the default graph.
    """
    plain = [_reset_of(metric) for metric in metrics if type(metric).reset_states is Metric.reset_states]
    if plain:
        steps, feeds = (
            [step for steps, _ in plain for step in steps],
            {k: v for _, fed in plain for k, v in fed.items()},
        )
        get_session().run(steps, feeds)
    for metric in metrics:
        if type(metric).reset_states is not Metric.reset_states:
            metric.reset_states()
