"""`SKCompat`: estimators of `tf.contrib.learn` with the methods of scikit-learn."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import DictLike
from ferroflow._src.contrib.learn.estimator import BaseEstimator

__all__ = ["SKCompat"]


class SKCompat:
    """An estimator with the methods of scikit-learn: `fit`, `score` and `predict`, on arrays.

    Args:
        estimator: BaseEstimator.
    """

    def __init__(self, estimator: BaseEstimator) -> None:
        self._estimator = estimator

    def fit(
        self,
        x: Any,
        y: Any,
        batch_size: int = 128,
        steps: int | None = None,
        max_steps: int | None = None,
        monitors: Any = None,
    ) -> SKCompat:
        """Trains on arrays.

        Args:
            x: array, or dict of arrays, of one length.
            y: array, or dict of arrays, of the length of `x`.
            batch_size: int.
            steps: int, the number of steps to train.
            max_steps: int, the global step to end at.
            monitors: list of monitors or SessionRunHooks.

        Returns:
            This object.
        """
        self._estimator.fit(x, y, steps=steps, batch_size=batch_size, monitors=monitors, max_steps=max_steps)
        return self

    def score(
        self,
        x: Any,
        y: Any,
        batch_size: int = 128,
        steps: int | None = None,
        metrics: DictLike | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Evaluates the metrics of the model on arrays.

        Args:
            x: array, or dict of arrays, of one length.
            y: array, or dict of arrays, of the length of `x`.
            batch_size: int.
            steps: int, the number of batches; None for all that there are.
            metrics: dict as `BaseEstimator.evaluate` takes it.
            name: str, added to the name of the summaries' folder.

        Returns:
            dict of the metrics by name.
        """
        return self._estimator.evaluate(x, y, batch_size=batch_size, steps=steps, metrics=metrics, name=name)

    def predict(self, x: Any, batch_size: int = 128, outputs: Any = None) -> Any:
        """Predicts for all examples.

        Args:
            x: array, or dict of arrays, of one length.
            batch_size: int.
            outputs: list of str, the keys of the predictions to return, if they are a dict; None for all.

        Returns:
            array, or dict of arrays, of the length of `x`.
        """
        return BaseEstimator.predict(self._estimator, x, batch_size=batch_size, outputs=outputs, as_iterable=False)
