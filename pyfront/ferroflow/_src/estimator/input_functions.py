"""Input functions: the tensors of their results, and the hooks that start their datasets."""

from __future__ import annotations

from typing import Any

from ferroflow._src.data.dataset import Dataset
from ferroflow._src.supervision.session_run_hook import SessionRunHook


class _DatasetInitializerHook(SessionRunHook):
    """Hook that initializes the iterator of a dataset that an input function returned."""

    def __init__(self, iterator: Any) -> None:
        self._iterator = iterator

    def begin(self) -> None:
        self._initializer = self._iterator.initializer

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._initializer)


def elements_of(result: Any, strategy: Any = None) -> tuple[Any, list[SessionRunHook]]:
    """Returns the elements of what an input function returned.

    Args:
        result: `tf.data.Dataset`, or nest of Tensors of any dtypes and shapes.
        strategy: strategy of `tf.distribute`, or None; each of its replicas takes a part of the dataset.

    Returns:
        The nest of Tensors, and the list of hooks that a session needs for it.

    Raises:
        ValueError: if there are several replicas, and the result is no dataset.
    """
    if not isinstance(result, Dataset):
        if strategy is not None and strategy.num_replicas_in_sync > 1:
            raise ValueError("input_fn must return a tf.data.Dataset, of which each replica takes a part.")
        return result, []
    if strategy is not None:
        result = strategy.extended.own_part(result)
    iterator = result.make_initializable_iterator()
    return iterator.get_next(), [_DatasetInitializerHook(iterator)]


def features_and_labels(elements: Any) -> tuple[Any, Any]:
    """Returns an input's features and its labels, None if there are none.

    Args:
        elements: nest of Tensors of any dtypes and shapes: features, or a pair of features and labels.

    Returns:
        tuple of features and labels.

    Raises:
        ValueError: if there is a tuple or list of another length.
    """
    if not isinstance(elements, (list, tuple)):
        return elements, None
    if len(elements) != 2:
        raise ValueError("input_fn should return (features, labels) as a len 2 tuple.")
    return elements[0], elements[1]


def parsed_result(result: Any) -> tuple[Any, Any, list[SessionRunHook]]:
    """Returns the features and labels of what an input function returned, and the hooks that a session needs.

    Args:
        result: `tf.data.Dataset`, or nest of Tensors of any dtypes and shapes.

    Raises:
        ValueError: if there is a tuple or list of another length than 2.
    """
    elements, hooks = elements_of(result)
    return (*features_and_labels(elements), hooks)
