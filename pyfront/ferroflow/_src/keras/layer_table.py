"""The table of a model's layers that `Model.summary` prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import nest
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers.nodes import Call, call_of, shape_of


def print_table(
    model: Any,
    calls: Sequence[tuple[Tensor, Call]],
    line_length: int | None,
    positions: Sequence[float] | None,
    print_fn: Callable[[str], Any],
) -> None:
    """Prints a line for each layer, and the numbers of elements of the variables.

    Args:
        model: Network.
        calls: the tensors of the model in the order of their computation, each with the call that gives it.
        line_length: int, the width of the table; None for the default.
        positions: list of float or int, the ends of the columns; None for the default.
        print_fn: callable of a line.
    """
    is_chain = _is_chain(model, calls)
    width = line_length or (65 if is_chain else 98)
    ends = list(positions or ((0.45, 0.85, 1.0) if is_chain else (0.33, 0.55, 0.67, 1.0)))
    columns = [int(width * end) for end in ends] if ends[-1] <= 1 else [int(end) for end in ends]

    def row(*cells: Any) -> None:
        line = ""
        for i, (cell, end) in enumerate(zip(cells, columns, strict=False)):
            line = f"{line[:-1]} {cell}" if i else str(cell)
            line = line[:end].ljust(end)
        print_fn(line)

    print_fn(f'Model: "{model.name}"')
    print_fn("_" * width)
    row("Layer (type)", "Output Shape", "Param #", *([] if is_chain else ["Connected to"]))
    print_fn("=" * width)
    for i, layer in enumerate(model.layers):
        if i:
            print_fn("_" * width)
        outputs = outputs_in(calls, layer)
        sources = [] if is_chain else _sources(calls, layer)
        shape = shape_of(outputs) if outputs else "multiple"
        if outputs and type(layer).__name__ == "InputLayer":
            shape = [tuple(outputs[0].get_shape().as_list())]
        row(
            f"{layer.name} ({type(layer).__name__})",
            shape,
            _count(layer.weights),
            *(sources[:1] or ([] if is_chain else [""])),
        )
        for source in sources[1:]:
            row("", "", "", source)
    print_fn("=" * width)
    trained = _count(model.trainable_weights)
    print_fn(f"Total params: {_count(model.weights):,}")
    print_fn(f"Trainable params: {trained:,}")
    print_fn(f"Non-trainable params: {_count(model.weights) - trained:,}")
    print_fn("_" * width)


def outputs_in(calls: Sequence[tuple[Tensor, Call]], layer: Any) -> list[Tensor]:
    """Returns the outputs of a layer in a model, from the calls of that."""
    own = [tensor for tensor, call in calls if call.layer is layer]
    return own or nest.flatten(getattr(layer, "output", []))


def _count(variables: Sequence[Any]) -> int:
    return int(sum(np.prod(w.get_shape().as_list()) for w in variables))


def _is_chain(model: Any, calls: Sequence[tuple[Tensor, Call]]) -> bool:
    """Returns True if each layer is called once, on the output of the one before it."""
    before = list(model.inputs)
    seen = []
    for tensor, made in calls:
        if len(before) != 1 or nest.flatten(made.inputs) != before or made.layer in seen:
            return False
        seen.append(made.layer)
        before = [tensor]
    return True


def _sources(calls: Sequence[tuple[Tensor, Call]], layer: Any) -> list[str]:
    """Returns the names of the layers that a layer is called on in the model, with the numbers of their calls and
    outputs.
    """
    own_calls: list[Call] = []
    for _, call in calls:
        if call.layer is layer and call not in own_calls:
            own_calls.append(call)
    found = []
    for call in own_calls:
        for tensor in nest.flatten(call.inputs):
            made = call_of(tensor)
            if made is not None:
                own = made.layer._inbound_nodes
                number = own.index(made) if made in own else 0
                found.append(f"{made.layer.name}[{number}][{made.outputs.index(tensor)}]")
    return found
