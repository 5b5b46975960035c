"""`function`: callables that compute tensors from the values of others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import nest
from ferroflow._src.base.typing import ListLike, NestedTensors
from ferroflow._src.framework.composite import SparseTensorValue
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.keras.backend import get_session
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.variables.variable import Variable

_OPTIONS = ("feed_dict", "fetches", "options", "run_metadata")


class Function:
    """A callable that computes tensors from the values of others; `function` makes it.

    Args:
        inputs: structure of Tensors of any dtypes and shapes, which are fed.
        outputs: structure of Tensors of any dtypes and shapes.
        updates: list of Operations, of Tensors of any dtype and shape, or of pairs of a Variable and its new value:
            what runs as well.
        name: str, accepted.
        **session_kwargs: `feed_dict`, a dict of further values, which may change between calls. `fetches`, a list of
            further Operations and Tensors, of any dtype and shape, to run. `options` and `run_metadata` of
            `tf.Session.run`.

    Raises:
        TypeError: if `updates` is not a list or tuple.
        ValueError: if there are other arguments.
    """

    def __init__(
        self,
        inputs: NestedTensors,
        outputs: NestedTensors,
        updates: ListLike | None = None,
        name: str | None = None,
        **session_kwargs: Any,
    ) -> None:
        if not isinstance(updates or [], (list, tuple)):
            raise TypeError("`updates` in a Keras backend function should be a list or tuple.")
        for key in session_kwargs:
            if key not in _OPTIONS:
                raise ValueError(f'Invalid argument "{key}" passed to K.function with TensorFlow backend')
        self._inputs_structure, self.name = inputs, name
        self._outputs_structure = nest.map_structure(lambda x: identity(x) if isinstance(x, Variable) else x, outputs)
        self.inputs = nest.flatten(inputs, expand_composites=True)
        self.outputs = nest.flatten(self._outputs_structure, expand_composites=True)
        self.feed_dict: Any = session_kwargs.get("feed_dict")
        self.run_options, self.run_metadata = session_kwargs.get("options"), session_kwargs.get("run_metadata")
        fetches = session_kwargs.get("fetches")
        self.fetches = [] if fetches is None else fetches if isinstance(fetches, list) else [fetches]
        with control_dependencies([x for x in self.outputs if isinstance(x, (Tensor, Operation))]):
            made = [assign(*one) if isinstance(one, tuple) else one for one in updates or []]
            self._updates = [group(*made)] if made else []
        self._casts: dict[tuple[int, Any], tuple[Any, Tensor]] = {}

    def _values(self, inputs: Any) -> list[Any]:
        """Returns the values of the inputs, one for each tensor that `inputs` of the constructor consists of."""
        if isinstance(self._inputs_structure, (list, tuple)) and isinstance(inputs, (list, tuple)):
            # TF 1.x: inputs without a value keep their default, and surplus values are ignored.
            pairs = list(zip(self._inputs_structure, inputs, strict=False))
        else:
            pairs = [(self._inputs_structure, inputs)]
        found = []
        for structure, value in pairs:
            leaves = nest.flatten(structure, expand_composites=True)
            if value is None or (len(leaves) == 1 and leaves[0] is structure):
                found += [value] * len(leaves)
            elif isinstance(value, SparseTensorValue):
                found += value
            else:
                found += nest.flatten(value, expand_composites=True)
        return found

    def _as_tensor(self, value: Any, dtype: Any) -> Tensor:
        """Returns a tensor or variable as a tensor of the dtype; the same one for each call."""
        key = id(value), dtype
        if key not in self._casts:
            self._casts[key] = value, cast(value, dtype)
        return self._casts[key][1]

    def __call__(self, inputs: NestedTensors) -> Any:
        """Computes the outputs.

        Args:
            inputs: structure like that of the inputs, of arrays or Tensors of their shapes, which are converted to
                their dtypes. None for an input that has a default.

        Returns:
            numpy.ndarrays of the dtypes and shapes of the outputs, in their structure.
        """
        session = get_session()
        feeds: dict[Any, Any] = {}
        for tensor, value in zip(self.inputs, self._values(inputs), strict=False):
            if value is None or not isinstance(tensor, Tensor):
                continue
            feeds[tensor] = (
                self._as_tensor(value, tensor.dtype)
                if isinstance(value, (Tensor, Variable))
                else np.asarray(value, dtype=tensor.dtype.as_numpy_dtype)
            )
        computed = {tensor: value for tensor, value in feeds.items() if isinstance(value, Tensor)}
        if computed:
            feeds.update(zip(computed, session.run(list(computed.values())), strict=True))
        feeds.update(self.feed_dict or {})
        fetched = [self._outputs_structure, self._updates, self.fetches]
        return session.run(fetched, feeds, options=self.run_options, run_metadata=self.run_metadata)[0]


def function(
    inputs: NestedTensors,
    outputs: NestedTensors,
    updates: ListLike | None = None,
    name: str | None = None,
    **kwargs: Any,
) -> Function:
    """Makes a callable that computes tensors from the values of others.

    Args:
        inputs: structure of Tensors of any dtypes and shapes, which are fed.
        outputs: structure of Tensors of any dtypes and shapes.
        updates: list of Operations, of Tensors of any dtype and shape, or of pairs of a Variable and its new value:
            what runs as well.
        name: str, the name of the callable.
        **kwargs: arguments of `Function`.

    Returns:
        `Function`.

    Raises:
        TypeError: if `updates` is not a list or tuple.
        ValueError: if there are other arguments.
    """
    return Function(inputs, outputs, updates, name, **kwargs)
