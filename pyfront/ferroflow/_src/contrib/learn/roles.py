"""Base classes of the objects that `tf.contrib.learn` trains and evaluates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

__all__ = ["Evaluable", "Trainable"]


class Evaluable(ABC):
    """An object that is evaluated, and has a folder."""

    @property
    @abstractmethod
    def model_dir(self) -> Any:
        """The folder of checkpoints and summaries, a str."""

    @abstractmethod
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        feed_fn: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Any = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Any = None,
    ) -> Any:
        """Evaluates metrics.

        Args:
            x: array, or dict of arrays, of one length; None where `input_fn` is given.
            y: array, or dict of arrays, of the length of `x`.
            input_fn: function of no arguments that returns features and labels.
            feed_fn: function of no arguments that returns a dict of values to feed at each step.
            batch_size: int; None for all of `x` at once.
            steps: int, the number of batches; None for all that there are.
            metrics: dict from names to metrics, or None.
            name: str, added to the name of the summaries' folder.
            checkpoint_path: str, prefix of the checkpoint; None for the latest.
            hooks: list of SessionRunHook.

        Returns:
            dict of the metrics by name.
        """


class Trainable(ABC):
    """An object that is trained."""

    @abstractmethod
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Any = None,
        max_steps: int | None = None,
    ) -> Any:
        """Trains.

        Args:
            x: array, or dict of arrays, of one length; None where `input_fn` is given.
            y: array, or dict of arrays, of the length of `x`.
            input_fn: function of no arguments that returns features and labels.
            steps: int, the number of steps to train; None for all that there is input for.
            batch_size: int; None for all of `x` at once.
            monitors: list of monitors or SessionRunHooks.
            max_steps: int, the global step to end at, or None.

        Returns:
            The object.
        """
