"""The libraries that benchmarks compare, under Python 3.7 and later."""

import importlib
import logging
import os
from typing import Any

# Names in tables, by the names of options.
LIBRARIES = {
    "ferroflow": "ferroflow",
    "tensorflow1": "TensorFlow 1.15",
    "tensorflow2": "TensorFlow 2.21",
    "torch": "torch",
    "torch.compile": "torch.compile",
    "jax": "JAX",
}


def load(name: str) -> Any:
    """Returns the library of that name in graph mode: "ferroflow", or TensorFlow 1.15 or 2 with reference variables."""
    if name == "ferroflow":
        return importlib.import_module("ferroflow")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    tf = importlib.import_module("tensorflow")
    if tf.__version__.startswith("1."):
        return tf
    tf = importlib.import_module("tensorflow.compat.v1")
    tf.disable_v2_behavior()
    return tf
