"""The name of the class that saves objects by their attributes, which is not offered."""

from __future__ import annotations

from typing import Any


class Checkpoint:
    """Cannot be made: variables are saved by their names, not by the attributes that hold them.

    Args:
        **kwargs: accepted.

    Raises:
        NotImplementedError: on every call.
    """

    def __init__(self, **kwargs: Any) -> None:
        raise NotImplementedError(
            "tf.train.Checkpoint is not offered. tf.train.Saver saves variables by their names, and Keras models have "
            "save_weights and load_weights."
        )
