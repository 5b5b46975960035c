"""The name of the class that saves objects by their attributes, which is not offered."""

from __future__ import annotations

from typing import Any, NoReturn


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

    @property
    def save_counter(self) -> NoReturn:
        """The number of saved checkpoints, which does not exist.

        Raises:
            NotImplementedError: on every access.
        """
        raise NotImplementedError("tf.train.Checkpoint is not offered; use tf.train.Saver.")

    def save(self, file_prefix: str, session: Any = None) -> NoReturn:
        """Never called: no Checkpoint can be made.

        Args:
            file_prefix: accepted.
            session: accepted.

        Raises:
            NotImplementedError: on every call.
        """
        raise NotImplementedError("tf.train.Checkpoint is not offered; use tf.train.Saver.")

    def restore(self, save_path: str) -> NoReturn:
        """Never called: no Checkpoint can be made.

        Args:
            save_path: accepted.

        Raises:
            NotImplementedError: on every call.
        """
        raise NotImplementedError("tf.train.Checkpoint is not offered; use tf.train.Saver.")
