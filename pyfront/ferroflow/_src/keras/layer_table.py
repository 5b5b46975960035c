"""The table of a model's layers that `Model.summary` prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import nest
from ferroflow._src.keras.network import calls_in, outputs_in
from ferroflow._src.layers.nodes import Call, call_of, shape_of


def print_table(
    model: Any, line_length: int | None, positions: Sequence[float] | None, print_fn: Callable[[str], Any]
) -> None:
    """Prints a line for each layer, and the numbers of elements of the variables."""
    is_chain = _is_chain(model)
    width = line_length or (65 if is_chain else 98)
    ends = list(positions or ((0.45, 0.85, 1.0) if is_chain else (0.33, 0.55, 0.67, 1.0)))
    columns = [int(width * end) for end in ends] if ends[-1] <= 1 else [int(end) for end in ends]

    def row(*cells: Any) -> None:
        line = ""
        for i, (cell, end) in enumerate(zip(cells, columns, strict=False)):
            line = f"{line[:-1]} {cell}" if i else str(cell)
            line = line[:end].ljust(end)
        print_fn(line)

    print_fn("_" * width)
    row("Layer (type)", "Output Shape", "Param #", *([] if is_chain else ["Connected to"]))
    print_fn("=" * width)
    for i, layer in enumerate(model.layers):
        if i:
            print_fn("_" * width)
        outputs = outputs_in(model, layer)
        sources = [] if is_chain else _sources(model, layer)
        shape = shape_of(outputs) if outputs else "multiple"
        row(f"{layer.name} ({type(layer).__name__})", shape, _count(layer.weights), *sources[:1])
        for source in sources[1:]:
            row("", "", "", source)
    print_fn("=" * width)
    trained = _count(model.trainable_weights)
    print_fn(f"Total params: {_count(model.weights):,}")
    print_fn(f"Trainable params: {trained:,}")
    print_fn(f"Non-trainable params: {_count(model.weights) - trained:,}")
    print_fn("_" * width)


def _count(variables: Sequence[Any]) -> int:
    return int(sum(np.prod(w.get_shape().as_list()) for w in variables))


def _is_chain(model: Any) -> bool:
    """Returns True if each layer is called once, on the output of the one before it."""
    before = list(model.inputs)
    seen = []
    for tensor, made in calls_in(model):
        if len(before) != 1 or nest.flatten(made.inputs) != before or made.layer in seen:
            return False
        seen.append(made.layer)
        before = [tensor]
    return True


def _sources(model: Any, layer: Any) -> list[str]:
    """Returns the names of the layers that a layer is called on in the model, with the numbers of their calls and
    outputs.
    """
    calls: list[Call] = []
    for _, call in calls_in(model):
        if call.layer is layer and call not in calls:
            calls.append(call)
    found = []
    for call in calls:
        for tensor in nest.flatten(call.inputs):
            made = call_of(tensor)
            if made is not None:
                own = made.layer._inbound_nodes
                number = own.index(made) if made in own else 0
                found.append(f"{made.layer.name}[{number}][{made.outputs.index(tensor)}]")
    return found
