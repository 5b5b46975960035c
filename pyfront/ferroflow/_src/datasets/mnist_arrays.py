"""The MNIST digits as whole arrays, from one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ferroflow._src.datasets.mnist import maybe_download

_SOURCE = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz"


def load_data(path: str = "mnist.npz") -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Returns MNIST's images and labels for training and for testing.

    Args:
        path: str, the file's name in `~/.keras/datasets`, where it is fetched if it is missing; or a path.

    Returns:
        Two pairs of numpy.ndarray of uint8: images of shape [60000 or 10000, 28, 28], and labels.

    Raises:
        tf.errors.UnavailableError: if the file is missing and cannot be fetched.
    """
    given = Path.home() / ".keras" / "datasets" / path  # an absolute path stands for itself
    with np.load(maybe_download(given.name, str(given.parent), _SOURCE)) as arrays:
        return (arrays["x_train"], arrays["y_train"]), (arrays["x_test"], arrays["y_test"])
