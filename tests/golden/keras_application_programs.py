"""Networks for pictures as Keras builds them: their layers, as a program of either library."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def networks(tf: Any) -> list[str]:
    """The names of a library's networks."""
    return [name for name in dir(tf.keras.applications) if name[0].isupper()]


def described(tf: Any, network: str) -> list[Any]:
    """A network's name, numbers of layers and parameters, and a digest of its layers and their variables."""
    tf.keras.backend.clear_session()
    model = getattr(tf.keras.applications, network)(weights=None)
    layers = [
        [
            layer.name,
            type(layer).__name__,
            [size if size is None else int(size) for size in layer.output_shape[1:]],
            [[w.name, [int(size) for size in w.shape]] for w in layer.weights],
        ]
        for layer in model.layers
        if not layer.name.startswith("input_")
    ]
    digest = hashlib.sha256(json.dumps(layers).encode()).hexdigest()
    return [model.name, len(model.layers), int(model.count_params()), digest]
