"""Times one training step of a model with torch or JAX, and prints the figures as JSON.

python steps_peer.py torch|torch.compile|jax MODEL small|large THREADS FILE

FILE is that of `steps_start.py`. The model must use all its weights, each with its shape, and no others.
Its loss before the first step, with nothing random, must be that of ferroflow; the figures have both as `exact`.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any

import numpy as np
from step_times import timed


def main() -> None:
    """Times the named model."""
    library, name, size, threads, path = sys.argv[1:]
    with np.load(path) as file:
        arrays = {key: file[key] for key in file.files}
    weights = {key.partition(":")[2]: value for key, value in arrays.items() if key.startswith("weights:")}
    batch = [arrays[key] for key in sorted(arrays) if key.startswith("batch:")]
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(threads)])
    prepared = importlib.import_module(f"peers.{library.partition('.')[0]}_models").prepared
    exact, step = prepared(name, size == "large", weights, batch, int(threads), library.endswith(".compile"))
    found: dict[str, Any] = timed(step)
    print(json.dumps({**found, "exact": [exact, float(arrays["loss"])]}))


if __name__ == "__main__":
    main()
