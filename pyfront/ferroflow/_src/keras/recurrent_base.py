"""Base of the layers that run over the steps of sequences, and their states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.tensor_shape import TensorShape, as_shape
from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.framework.default_graph import init_scope
from ferroflow._src.framework.trackable import Trackable, child_of
from ferroflow._src.keras.backend import batch_set_value, tracked_variable
from ferroflow._src.keras.backend_rnn import rnn
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.layers.nodes import call_of
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.variables.variable import Variable


class Running(KerasLayer):
    """Base of the layers that run over sequences."""

    supports_masking = True

    return_sequences: bool
    return_state: bool
    go_backwards: bool
    # If True, the steps are the first dimension of the inputs, and the examples the second.
    time_major = False
    _OPTIONS: ClassVar[dict[str, Any]] = {"time_major": False}
    # The types of inputs that are followed by the first states; others are structures of inputs.
    _LISTS: ClassVar[tuple[type[Any], ...]] = (list, tuple)
    # Variables of a stateful layer, of shape [batch, size].
    _kept_states: list[Variable] | None = None
    _num_constants = 0
    # If True, the output is 0 at steps that do not count, otherwise that of the step before; None for layers without
    # this choice.
    zero_output_for_mask: bool | None = None

    def _owner_of_weights(self) -> Any:
        """Returns the object that stands for TensorFlow's cell, which has the edges to the variables there."""
        cell = child_of(self, "cell")
        if cell is None:
            cell = self._track_trackable(Trackable(), "cell")
        return cell

    def _set_running(
        self,
        return_sequences: bool,
        return_state: bool,
        go_backwards: bool,
        stateful: bool,
        unroll: bool,
        time_major: bool = False,
    ) -> None:
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.stateful, self.unroll = go_backwards, stateful, unroll
        self.time_major = time_major
        self.supports_masking = True

    @property
    def _batch_axis(self) -> int:
        """The dimension of the examples; the other one of the first two has the steps."""
        return 1 if self.time_major else 0

    @property
    def _sizes(self) -> tuple[Any, ...]:
        """The sizes of the states: ints or shapes without the batch."""
        raise NotImplementedError

    @property
    def _output_size(self) -> Any:
        """The size of the output."""
        return self._sizes[0]

    @property
    def _state_size(self) -> Any:
        """The sizes of the states, in the structure of the states."""
        return self._sizes

    def _structured(self, states: Iterable[Any]) -> list[Any]:
        """Returns the list of states in their structure."""
        size, flat = self._state_size, list(states)
        return list(nest.pack_sequence_as(size, flat)) if nest.is_nested(size) else flat

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Returns the shape of the output for that of the input.

        Args:
            input_shape: TensorShape of the inputs, [batch, steps, size], or list of it and those of states.

        Returns:
            TensorShape, or list of it and those of the states.
        """
        shape = TensorShape(input_shape[0] if isinstance(input_shape, list) else input_shape)
        states = [TensorShape([shape[self._batch_axis], *_dims(size)]) for size in self._sizes]
        outer = shape[:2] if self.return_sequences else [shape[self._batch_axis]]
        output = nest.map_structure(lambda size: TensorShape([*outer, *_dims(size)]), self._output_size)
        return [output, *states] if self.return_state else output

    @property
    def states(self) -> list[Any]:
        """The states between batches of a stateful layer, Variables of shape [batch, size]; None for each otherwise."""
        if self._kept_states is None:
            return [None] * (len(self._state_size) if nest.is_nested(self._state_size) else 1)
        return self._structured(self._kept_states)

    def __call__(self, inputs: NestedTensors, initial_state: Any = None, constants: Any = None, **kwargs: Any) -> Any:
        """Runs over the steps; the first states and constants of a model's layers are inputs of this one."""
        given: Any = inputs
        if isinstance(given, self._LISTS):
            given, *more = list(given)
            count = len(more) - (self._num_constants if constants is None else 0)
            if more and initial_state is None:
                initial_state = more[:count] or None
            if constants is None:
                constants = more[count:] or None
        states = [] if initial_state is None else nest.flatten(initial_state)
        constants = _as_list(constants)
        self._num_constants = len(constants)
        if (states or constants) and all(call_of(x) is not None for x in [*states, *constants]):
            spec, self.input_spec = self.input_spec, None
            try:
                return super().__call__([given, *states, *constants], **kwargs)
            finally:
                self.input_spec = spec
        if states:
            kwargs["initial_state"] = states
        if constants:
            kwargs["constants"] = constants
        return super().__call__(given, **kwargs)

    def get_initial_state(self, inputs: NestedTensors) -> list[Any]:
        """Returns zeros as first states.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, steps, size].

        Returns:
            list of Tensors of the dtype of `inputs`, of shape [batch, state size].
        """
        given: Any = inputs
        batch = shaping.shape(given)[self._batch_axis]
        return self._structured([making.zeros([batch, *_dims(size)], given.dtype) for size in self._sizes])

    def _keep_states(self, batch: int | None) -> list[Variable]:
        """Returns the variables of the states, and makes them at the first time.

        Raises:
            ValueError: if the size of a batch is not known.
        """
        if self._kept_states is None:
            if not batch:
                raise ValueError(
                    "If a RNN is stateful, it needs to know its batch size. Specify the batch size of your input "
                    "tensors: \n- If using a Sequential model, specify the batch size by passing a "
                    "`batch_input_shape` argument to your first layer.\n- If using the functional API, specify the "
                    "batch size by passing a `batch_shape` argument to your Input layer."
                )
            dtype = dtypes.as_dtype(self._dtype or dtypes.float32)
            with init_scope():
                self._kept_states = [
                    tracked_variable(making.zeros([batch, *_dims(size)], dtype), trainable=False)
                    for size in self._sizes
                ]
        return self._kept_states

    def reset_states(self, states: NestedTensors | None = None) -> None:
        """Sets the states between batches of a stateful layer.

        Args:
            states: list of arrays of shape [batch, state size], in the structure of the states, or one array for one
                state; None for zeros.

        Raises:
            AttributeError: if the layer is not stateful.
            ValueError: if the layer has not been called and the size of a batch is not known, or the number or the
                shape of the arrays is wrong.
        """
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        batch = None if self.batch_input_shape is None else self.batch_input_shape[0]
        kept = self._keep_states(batch)
        given: Any = states
        if given is None:
            given = [np.zeros(v.get_shape().as_list(), v.dtype.base_dtype.as_numpy_dtype) for v in kept]
        given = nest.flatten(given)
        if len(given) != len(kept):
            raise ValueError(
                f"Layer {self.name} expects {len(kept)} states, but it received {len(given)} state values. Input "
                f"received: {given}"
            )
        for i, (variable, value) in enumerate(zip(kept, given, strict=True)):
            shape = tuple(variable.get_shape().as_list())
            if np.shape(value) != shape:
                raise ValueError(
                    f"State {i} is incompatible with layer {self.name}: expected shape={shape}, found "
                    f"shape={np.shape(value)}"
                )
        with kept[0].graph.as_default():
            batch_set_value(list(zip(kept, given, strict=True)))

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Returns the mask of the outputs: the inputs' mask if all outputs are returned.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, steps, size], or list of it and states.
            mask: Tensor of bool, of shape [batch, steps], or list of it and those of states; None for all.

        Returns:
            Tensor of bool, of shape [batch, steps], or list of it and None for each state; None for all.
        """
        mask = mask[0] if isinstance(mask, list) else mask
        of_outputs = mask if self.return_sequences else None
        return [of_outputs] if self.return_state else of_outputs

    def _run(self, step: Any, inputs: Any, initial_state: Any, mask: Any) -> Any:
        mask = mask[0] if isinstance(mask, list) else mask
        if isinstance(inputs, (list, tuple)):
            count = len(inputs) - self._num_constants
            inputs, *initial_state = inputs[:count]
            initial_state = initial_state or None
        batch = inputs.get_shape()[self._batch_axis].value
        if initial_state is None:
            initial_state = self._keep_states(batch) if self.stateful else self.get_initial_state(inputs)
        start = tuple(nest.flatten(initial_state))
        if len(start) != len(self._sizes):
            raise ValueError(f"Layer has {len(self._sizes)} states but was passed {len(start)} initial states.")
        return self._over_steps(step, inputs, start, mask, **self._options_of_steps())

    def _options_of_steps(self) -> dict[str, Any]:
        zeroed = bool(self.zero_output_for_mask)
        return {"unroll": self.unroll, "time_major": self.time_major, "zero_output_for_mask": zeroed}

    def _over_steps(self, step: Any, inputs: Any, start: Sequence[Any], mask: Any, **options: Any) -> Any:
        """Returns the result of a call: runs over the steps, and keeps the last states of a stateful layer.

        Args:
            step: callable of the inputs and states of a step, which returns the output and the list of new states.
            inputs: Tensor of shape [batch, steps, ...], or structure of them.
            start: list of Tensors of shape [batch, ...], the first states.
            mask: Tensor of bool, of shape [batch, steps]; None for all.
            **options: arguments of `rnn`.

        Returns:
            The outputs of all steps or of the last one; with `return_state` a list of them and the last states.
        """
        last, outputs, states = rnn(step, inputs, start, go_backwards=self.go_backwards, mask=mask, **options)
        if self.stateful:
            self.add_update([assign(v, state).op for v, state in zip(self._keep_states(None), states, strict=True)])
        result = outputs if self.return_sequences else last
        return [result, *self._structured(states)] if self.return_state else result


def _dims(size: Any) -> list[Any]:
    """Returns the dimensions of a state or output without the batch."""
    return as_shape(size).as_list()


def _as_list(x: Any) -> list[Any]:
    if x is None:
        return []
    return list(x) if isinstance(x, (list, tuple)) else [x]
