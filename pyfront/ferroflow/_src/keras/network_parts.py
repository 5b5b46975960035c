"""TensorFlow's names for the parts of a model between inputs and outputs, which libraries read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ferroflow._src.base import nest
from ferroflow._src.layers.nodes import Call, call_of


class NetworkParts:
    """The layers and calls of a network by their distance from the outputs."""

    inputs: list[Any]
    outputs: list[Any]

    if TYPE_CHECKING:  # the network defines these

        @property
        def layers(self) -> list[Any]: ...

        @property
        def trainable_weights(self) -> list[Any]: ...

        @property
        def non_trainable_weights(self) -> list[Any]: ...

        def _tracked_layers(self) -> list[Any]: ...

    @property
    def _layers(self) -> list[Any]:
        """The layers, of a Sequential model with the one of its input."""
        return list(self._tracked_layers() or self.layers)

    @property
    def _trainable_weights(self) -> list[Any]:
        return list(self.trainable_weights)

    @property
    def _non_trainable_weights(self) -> list[Any]:
        return list(self.non_trainable_weights)

    @property
    def _input_layers(self) -> list[Any]:
        """The layers of the inputs."""
        return [call.layer for call in map(call_of, self.inputs or ()) if call is not None]

    @property
    def _output_layers(self) -> list[Any]:
        """The layers of the outputs."""
        return [call.layer for call in map(call_of, self.outputs or ()) if call is not None]

    @property
    def _nodes_by_depth(self) -> dict[int, list[Call]]:
        """The calls by the number of calls on the longest way to an output.

        An earlier call of a layer has at least the depth of its later ones.
        """
        calls = _calls_before(self.outputs or [])
        depths: dict[int, int] = {}
        layer_depths: dict[Any, int] = {}
        for call in reversed(calls):
            depth = max(depths.get(id(call), 0), layer_depths.get(call.layer, 0))
            depths[id(call)] = layer_depths[call.layer] = depth
            for before in _sources(call):
                depths[id(before)] = max(depths.get(id(before), 0), depth + 1)
        found: dict[int, list[Call]] = {}
        for call in calls:
            found.setdefault(depths[id(call)], []).append(call)
        return found


def _sources(call: Call) -> list[Call]:
    """Returns the calls that gave the arguments of a call."""
    return [made for made in map(call_of, nest.flatten(call.inputs)) if made is not None]


def _calls_before(outputs: list[Any]) -> list[Call]:
    """Returns the calls that outputs depend on, each after those that it depends on."""
    order: list[Call] = []
    seen: set[int] = set()
    stack = [(call, False) for call in map(call_of, reversed(outputs)) if call is not None]
    while stack:
        call, is_done = stack.pop()
        if is_done:
            order.append(call)
        elif id(call) not in seen:
            seen.add(id(call))
            stack.append((call, True))
            stack.extend((before, False) for before in reversed(_sources(call)))
    return order
