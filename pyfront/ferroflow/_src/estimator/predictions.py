"""A model's predictions: those that a program selects, and the examples of a batch of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ferroflow._src.framework.graph import Graph
from ferroflow._src.supervision.monitored_session import MonitoredSession
from ferroflow._src.supervision.session_creator import SessionCreator
from ferroflow._src.supervision.session_run_hook import SessionRunHook


def chosen_predictions(predictions: Any, keys: Any) -> Any:
    """Returns the predictions that have one of the keys.

    Args:
        predictions: Tensor of any dtype and shape, or dict of them.
        keys: list of str; None or empty for all predictions.

    Returns:
        Tensor or dict of Tensors, as `predictions`.

    Raises:
        ValueError: if the predictions are no dict, or none has such a key.
    """
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    chosen = {key: value for key, value in predictions.items() if key in keys}
    if not chosen:
        raise ValueError(f"Expected to run at least one output from {predictions.keys()}, provided {keys}.")
    return chosen


def examples_of(batch: Any) -> Iterator[Any]:
    """Yields the predictions of each example of a batch.

    Args:
        batch: array of any dtype, of shape [batch, ...], or dict of them.

    Yields:
        array, or dict of arrays.

    Raises:
        ValueError: if the arrays of a dict have different lengths.
    """
    if not isinstance(batch, dict):
        yield from batch
        return
    for i in range(_length(batch)):
        yield {key: value[i] for key, value in batch.items()}


def _length(batch: Mapping[str, Any]) -> int:
    lengths = {key: value.shape[0] for key, value in batch.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"Batch length of predictions should be same. The lengths are {lengths}.")
    return next(iter(lengths.values()), 0)


class BuiltPredictions(NamedTuple):
    """A model that is built to predict.

    Attributes:
        graph: Graph of the model.
        session_creator: SessionCreator.
        predictions: Tensor of any dtype and shape, or dict of them, fetched for each batch.
        hooks: list of SessionRunHook.
    """

    graph: Graph
    session_creator: SessionCreator
    predictions: Any
    hooks: list[SessionRunHook]

    def run(self, yield_single_examples: bool) -> Iterator[Any]:
        """Opens a session, and returns an iterator of the predictions of each example, or of each batch.

        The predictions end when the input ends, or when a hook stops them.
        """
        with self.graph.as_default():
            session = MonitoredSession(self.session_creator, self.hooks)
        return self._batches(session, yield_single_examples)

    def _batches(self, session: MonitoredSession, yield_single_examples: bool) -> Iterator[Any]:
        with self.graph.as_default(), session:
            while not session.should_stop():
                batch = session.run(self.predictions)
                if yield_single_examples:
                    yield from examples_of(batch)
                else:
                    yield batch
