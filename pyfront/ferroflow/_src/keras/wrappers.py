"""Layers around a layer: one for each step, one in both directions."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Sequence
from typing import Any, ClassVar

from ferroflow._src.base import nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import BoolLike, ListLike, NestedTensors
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.trackable import track, untrack
from ferroflow._src.keras.backend_rnn import rnn
from ferroflow._src.keras.base_layer import KerasLayer, is_layer
from ferroflow._src.keras.configurations import MadeOfLayers, serialized
from ferroflow._src.keras.recurrent_cells import track_cells
from ferroflow._src.layers.input_spec import assert_shape_compatibility
from ferroflow._src.layers.layer import Layer, copy_without_variables, rename
from ferroflow._src.layers.nodes import call_of, one_or_list
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.math.reduction import reduce_any
from ferroflow._src.variables.tracked_lists import ListWrapper


def check_inner(wrapper: Any, layer: Any) -> None:
    """Raises ValueError unless a wrapper is given a layer or a model."""
    if not is_layer(layer):
        raise ValueError(
            f"Please initialize `{type(wrapper).__name__}` layer with a `Layer` instance. You passed: {layer}"
        )


class Wrapper(MadeOfLayers, KerasLayer):
    """A layer around another layer, whose variables and losses it has.

    Args:
        layer: KerasLayer.
        **kwargs: arguments of `KerasLayer`.
    """

    _WITH_LAYERS: ClassVar[tuple[str, ...]] = ("layer",)

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        check_inner(self, layer)
        # A program's class may use the layer before this one is made, as where it defines `trainable` by the layer's.
        object.__setattr__(self, "layer", layer)
        super().__init__(**kwargs)
        self.layer = layer
        # TF 1.x: the list of inner layers is an object of the checkpoint as well.
        track(self, ListWrapper([layer]), "_layers")

    def build(self, input_shape: Any = None) -> None:
        """Builds the layer, unless it is built.

        Args:
            input_shape: TensorShape of the inputs, or list of them.
        """
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True
        self.built = True


class TimeDistributed(Wrapper):
    """A layer that applies another layer to each step of sequences.

    Args:
        layer: KerasLayer.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        self.supports_masking = True
        # The inputs of calls, and what the layer inside got of them.
        self._examples: dict[Tensor, Tensor] = {}

    def build(self, input_shape: Any = None) -> None:
        """Builds the layer for the inputs of a step.

        Args:
            input_shape: TensorShape of the inputs, [batch, steps, ...].

        Raises:
            ValueError: if the inputs have fewer than 3 dimensions.
        """
        rank = TensorShape(input_shape).ndims
        if rank is not None and rank < 3:
            raise ValueError(
                "`TimeDistributed` Layer should be passed an `input_shape ` with at least 3 dimensions, received: "
                f"{TensorShape(input_shape).as_list()}"
            )
        if isinstance(self.layer, Layer) and not self.layer.built:
            shape = TensorShape(input_shape).as_list()
            self.layer.build(TensorShape([shape[0], *shape[2:]]))
            self.layer.built = True
        self.built = True

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """Returns the shape of the output for that of the input.

        Args:
            input_shape: TensorShape of the inputs, [batch, steps, ...].

        Returns:
            TensorShape.
        """
        shape = TensorShape(input_shape)
        of_step = TensorShape(self.layer.compute_output_shape(TensorShape([shape[0], *shape[2:]])))
        return TensorShape([*shape[:2], *of_step[1:]])

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Tensor:
        """Calls the layer for all steps at once, as examples of one batch.

        Args:
            inputs: Tensor of any dtype, of shape [batch, steps, ...].
            training: bool, or Tensor of bool of shape [], for a layer that takes it.
            mask: Tensor of bool, of shape [batch, steps, ...], for a layer that takes it, or None.

        Returns:
            Tensor of the dtype that the layer gives, of shape [batch, steps, ...].
        """
        parameters = inspect.signature(self.layer.call).parameters
        kwargs = {"training": training} if "training" in parameters else {}
        sizes = inputs.get_shape().as_list()
        if sizes[0]:
            # TF 1.x: where the number of examples is known, the layer runs in a loop over the steps.
            by_step: Tensor = rnn(lambda x, _: (self.layer(x, **kwargs), []), inputs, [], input_length=sizes[1])[1]
            return by_step
        steps = sizes[1] or shaping.shape(inputs)[1]
        flat = shaping.reshape(inputs, _sizes((-1,), inputs, sizes[2:], 2))
        if "mask" in parameters and mask is not None:
            kwargs["mask"] = shaping.reshape(mask, _sizes((-1,), mask, mask.get_shape().as_list()[2:], 2))
        self._examples[inputs] = flat
        outputs = self.layer(flat, **kwargs)
        inner = self.compute_output_shape(inputs.get_shape()).as_list()[2:]
        result: Tensor = shaping.reshape(outputs, _sizes((-1, steps), outputs, inner, 1))
        return result

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Returns the mask of the outputs: that of the layer inside, or the mask of the steps.

        Args:
            inputs: Tensor of any dtype, of shape [batch, steps, ...].
            mask: Tensor of bool, of shape [batch, steps, ...]; None for all.

        Returns:
            Tensor of bool, of shape [batch, steps, ...]; None for all.
        """
        sizes = inputs.get_shape().as_list()
        if sizes[0]:
            return mask
        of_examples = mask
        if mask is not None:
            of_examples = shaping.reshape(mask, _sizes((-1,), mask, mask.get_shape().as_list()[2:], 2))
        found = self.layer.compute_mask(self._examples.get(inputs, inputs), of_examples)
        if found is None:
            found = mask
            for _ in range(2, 0 if mask is None else mask.get_shape().ndims):
                found = reduce_any(found, -1)
            return found
        steps = sizes[1] or shaping.shape(inputs)[1]
        return shaping.reshape(found, _sizes((-1, steps), found, found.get_shape().as_list()[1:], 1))


def _sizes(first: tuple[Any, ...], tensor: Any, known: Sequence[int | None], start: int) -> tuple[Any, ...]:
    """Returns sizes of which the unknown ones are those of a tensor, from a dimension on."""
    if all(known):
        return (*first, *known)
    shape = shaping.shape(tensor)
    return (*first, *(size or shape[start + i] for i, size in enumerate(known)))


class Bidirectional(Wrapper):
    """A layer that runs a recurrent layer in both directions.

    Args:
        layer: KerasLayer, such as LSTM.
        merge_mode: str, how the outputs of both become one: "concat", "sum", "mul" or "ave"; None for the list of both.
        weights: list of arrays, the values that the variables start from; None for those of the layers.
        backward_layer: KerasLayer that runs in the other direction; None for one of the options of `layer`.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if `merge_mode` is not one of the listed values, or the two layers run in one direction or return
            different results.
    """

    _NOT_TOLD = frozenset(("backward_layer",))
    _WITH_LAYERS: ClassVar[tuple[str, ...]] = ("forward_layer", "backward_layer")
    # The copies of `layer` are used, not the layer.
    _WITHOUT_LAYERS = Wrapper._WITHOUT_LAYERS | {"layer"}

    def __init__(
        self,
        layer: Any,
        merge_mode: str | None = "concat",
        weights: ListLike | None = None,
        backward_layer: Any = None,
        **kwargs: Any,
    ) -> None:
        if merge_mode not in ("sum", "mul", "ave", "concat", None):
            raise ValueError('Invalid merge mode. Merge mode should be one of {"sum", "mul", "ave", "concat", None}')
        check_inner(self, layer)
        if backward_layer is not None:
            _check_pair(layer, backward_layer)
        shape = kwargs.pop("input_shape", None)
        if shape is None and layer.batch_input_shape is not None and "batch_input_shape" not in kwargs:
            kwargs["batch_input_shape"] = layer.batch_input_shape
        elif shape is not None:
            kwargs["input_shape"] = shape
        if weights is not None:
            kwargs["weights"] = weights
        super().__init__(layer, **kwargs)
        self.supports_masking = True
        self.forward_layer = _copied(layer, "forward")
        if backward_layer is None:
            self.backward_layer = _copied(layer, "backward")
            self.backward_layer.go_backwards = not layer.go_backwards
        else:
            self._given["backward_layer"] = serialized(backward_layer)
            self.backward_layer = backward_layer
            rename(backward_layer, f"backward_{backward_layer.name}")
        for one in self._inner_layers():
            if getattr(one, "zero_output_for_mask", None) is not None:
                one.zero_output_for_mask = one.return_sequences
        untrack(self, "layer")
        track(self, ListWrapper(self._inner_layers()), "_layers")
        self.merge_mode = merge_mode
        self.return_sequences, self.return_state = layer.return_sequences, layer.return_state

    def build(self, input_shape: Any = None) -> None:
        """Builds the layers of both directions.

        Args:
            input_shape: TensorShape of the inputs, [batch, steps, size].

        Raises:
            ValueError: if the inputs have another rank than the layer needs, or an unknown one.
        """
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        for layer in self._inner_layers():
            assert_shape_compatibility(self.name, layer.input_spec, TensorShape(shape))
            with name_scope(layer.name):
                layer.build(shape)
                layer.built = True
        self.built = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Returns the shape of the output for that of the input.

        Args:
            input_shape: TensorShape of the inputs, [batch, steps, size], or list of it and those of states.

        Returns:
            TensorShape, or list of those of the outputs and of the states of both directions.
        """
        given = [one.compute_output_shape(input_shape) for one in self._inner_layers()]
        (forward, *states), (backward, *more) = (x if isinstance(x, list) else [x] for x in given)
        outputs = [forward, backward]
        if self.merge_mode == "concat":
            outputs = [TensorShape([*forward[:-1], forward[-1] + backward[-1]])]
        elif self.merge_mode is not None:
            outputs = [forward]
        return one_or_list([*outputs, *states, *more])

    def compute_mask(self, inputs: NestedTensors, mask: NestedTensors | None = None) -> Any:
        """Returns the mask of the outputs: the inputs' mask if all outputs are returned.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, steps, size].
            mask: Tensor of bool, of shape [batch, steps]; None for all.

        Returns:
            Tensor of bool, of shape [batch, steps], or list of two; None for all.
        """
        mask = mask[0] if isinstance(mask, list) else mask
        if not self.return_sequences:
            return None
        return [mask, mask] if self.merge_mode is None else mask

    @property
    def constraints(self) -> dict[Any, Any]:
        """The constraints of the layers of both directions by their variables."""
        return {v: x for one in self._inner_layers() for v, x in getattr(one, "constraints", {}).items()}

    def reset_states(self) -> None:
        """Sets the states of both directions to zeros."""
        for layer in self._inner_layers():
            layer.reset_states()

    def __call__(self, inputs: NestedTensors, initial_state: Any = None, constants: Any = None, **kwargs: Any) -> Any:
        """Runs over the steps in both directions; the first states of a model's layers are inputs of this one."""
        given: Any = inputs
        if isinstance(given, (list, tuple)):
            given, *more = given
            initial_state = initial_state or more or None
        if constants is not None:
            raise NotImplementedError("Bidirectional takes no constants; call the layers of both directions.")
        if initial_state is None:
            return super().__call__(given, **kwargs)
        states = nest.flatten(initial_state)
        if len(states) % 2:
            raise ValueError(
                "When passing `initial_state` to a Bidirectional RNN, the state should be a list containing the states "
                f"of the underlying RNNs. Found: {initial_state}"
            )
        if all(call_of(x) is not None for x in states):
            return super().__call__([given, *states], **kwargs)
        return super().__call__(given, initial_state=states, **kwargs)

    def call(
        self,
        inputs: NestedTensors,
        training: BoolLike | None = None,
        mask: NestedTensors | None = None,
        initial_state: NestedTensors | None = None,
        constants: None = None,
    ) -> Any:
        """Runs over the steps in both directions.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, steps, size], or list of it and the first states.
            training: bool, or Tensor of bool of shape []; None for the model's learning phase.
            mask: Tensor of bool, of shape [batch, steps]: the steps that count; None for all.
            initial_state: list of Tensors of the dtype of `inputs`, of shape [batch, size]: the first states of the
                forward layer, then those of the backward layer; None for zeros.
            constants: None.

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, size] or [batch, steps, size], or list of two. If the
            layer returns states, a list of it and the states of both.
        """
        given: Any = inputs
        states_given: Any = initial_state
        if isinstance(given, (list, tuple)):
            given, *states_given = given
        mask = mask[0] if isinstance(mask, list) else mask
        options = {"training": training, **({} if mask is None else {"mask": mask})}
        first = list(states_given or ())
        half = len(first) // 2
        parts = [{"initial_state": x} if x else {} for x in (first[:half], first[half:])]
        layers = self.forward_layer, self.backward_layer
        forward, backward = (one(given, **options, **part) for one, part in zip(layers, parts, strict=True))
        states: list[Any] = []
        if self.return_state:
            states = [*forward[1:], *backward[1:]]
            forward, backward = forward[0], backward[0]
        if self.return_sequences:
            backward = shaping.reverse(backward, [0 if getattr(self.forward_layer, "time_major", False) else 1])
        if self.merge_mode == "concat":
            outputs: Any = joining.concat([forward, backward], -1)
        elif self.merge_mode == "sum":
            outputs = forward + backward
        elif self.merge_mode == "ave":
            outputs = (forward + backward) / 2
        elif self.merge_mode == "mul":
            outputs = forward * backward
        else:
            outputs = [forward, backward]
        if not self.return_state:
            return outputs
        return [*outputs, *states] if isinstance(outputs, list) else [outputs, *states]


def _check_pair(forward: Any, backward: Any) -> None:
    """Raises ValueError unless two layers run in different directions and return the same kinds of results."""
    if not is_layer(backward):
        raise ValueError(f"`backward_layer` need to be a `Layer` instance. You passed: {backward}")
    if forward.go_backwards == backward.go_backwards:
        raise ValueError("Forward layer and backward layer should have different `go_backwards` value.")
    for name in ("stateful", "return_sequences", "return_state"):
        values = getattr(forward, name), getattr(backward, name)
        if values[0] != values[1]:
            raise ValueError(
                f"Forward layer and backward layer are expected to have the same value for attribute {name}, got "
                f"{values[0]} and {values[1]}"
            )


def _copied(layer: Any, direction: str) -> Any:
    """Returns a layer of the same options, without variables."""
    if layer.built:
        raise ValueError(f"Bidirectional takes a layer that has not been called: {layer.name}")
    made = copy_without_variables(layer, f"{direction}_{layer.name}")
    if vars(made).get("cell") is not None:
        made.cell = _copied_cell(made.cell)
    return made


def _copied_cell(cell: Any) -> Any:
    made = copy_without_variables(cell) if isinstance(cell, KerasLayer) else copy.copy(cell)
    if getattr(made, "cells", None) is not None:
        made.cells = [_copied_cell(one) for one in made.cells]
        track_cells(made)
    return made
