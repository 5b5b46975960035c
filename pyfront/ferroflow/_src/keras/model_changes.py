"""Changes of whole models that Keras's earlier backends and several devices need."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ferroflow._src.keras.backend import batch_get_value, batch_set_value
from ferroflow._src.keras.network import Network

_KERNELS = frozenset({"Conv1D", "Conv2D", "Conv3D", "Conv2DTranspose"})


def convert_all_kernels_in_model(model: Network) -> None:
    """Turns the kernels of a model's convolutions by half a turn, between Theano's order of weights and this one.

    Args:
        model: Model with variables.
    """
    changed = []
    for layer in model.layers:
        if type(layer).__name__ in _KERNELS:
            (value,) = batch_get_value([layer.kernel])
            places = tuple(range(np.ndim(value) - 2))
            changed.append((layer.kernel, np.flip(value, places)))
    batch_set_value(changed)


def multi_gpu_model(model: Network, gpus: Any, cpu_merge: bool = True, cpu_relocation: bool = False) -> NoReturn:
    """Raises an error: no GPU is available.

    Args:
        model: Model.
        gpus: int of 2 or more, or list of ints: the GPUs.
        cpu_merge: bool, accepted.
        cpu_relocation: bool, accepted.

    Raises:
        ValueError: if fewer than two GPUs are given, and otherwise because they are not available.
    """
    del model, cpu_merge, cpu_relocation
    given = list(gpus) if isinstance(gpus, (list, tuple)) else list(range(gpus))
    if len(given) <= 1:
        raise ValueError(
            f"For multi-gpu usage to be effective, call `multi_gpu_model` with `gpus >= 2`. Received: `gpus={gpus}`"
        )
    devices = ["/cpu:0", *(f"/gpu:{i}" for i in given)]
    raise ValueError(
        f"To call `multi_gpu_model` with `gpus={gpus}`, we expect the following devices to be available: {devices}. "
        "However this machine only has: ['/cpu:0']. Train the model itself; tf.distribute trains it in several "
        "processes."
    )
