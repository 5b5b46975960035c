"""Input functions of generators of dicts, for `tf.contrib.learn`."""

from __future__ import annotations

from collections.abc import Callable, Container
from types import FunctionType, GeneratorType
from typing import Any

from ferroflow._src.estimator.feeding import enqueue_samples

__all__ = ["generator_input_fn"]


def generator_input_fn(
    x: Callable[[], Any],
    target_key: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    pad_value: float | None = None,
) -> Callable[[], Any]:
    """Returns an input function of the dicts that a generator function yields.

    Args:
        x: generator function that yields a dict of arrays for each example.
        target_key: str, the key of the label, or list of str; None for no labels.
        batch_size: int, the number of examples of a batch.
        num_epochs: int, how often `x` is called; None for no limit.
        shuffle: bool. If True, the examples come in random order.
        queue_capacity: int, the most examples that wait in the queue.
        num_threads: int, the number of threads that fill the queue.
        pad_value: number that fills shorter arrays of a batch up; None if all arrays of a key have one shape.

    Returns:
        callable without arguments that returns a dict of features by key, and the label or a dict of labels.

    Raises:
        TypeError: if `x` is no generator function of dicts, or `target_key` is no str and no list of str.
        KeyError: if the dicts lack a key of `target_key`.
    """
    if not isinstance(x, FunctionType):
        raise TypeError(f"x must be generator function; got {type(x).__name__}")
    generator = x()
    if not isinstance(generator, GeneratorType):
        raise TypeError(f"x() must be generator; got {type(generator).__name__}")
    example = next(generator)
    if not isinstance(example, dict):
        raise TypeError(f"x() must yield dict; got {type(example).__name__}")
    keys = sorted(example)
    targets = _checked_targets(target_key, keys)

    def input_fn() -> Any:
        queue = enqueue_samples(
            x,
            queue_capacity,
            shuffle=shuffle,
            num_threads=num_threads,
            enqueue_size=batch_size,
            num_epochs=num_epochs,
            pad_value=pad_value,
        )
        found = queue.dequeue_many(batch_size) if num_epochs is None else queue.dequeue_up_to(batch_size)
        features = dict(zip(keys, found if isinstance(found, list) else [found], strict=True))
        if not targets:
            return features
        labels = {key: features.pop(key) for key in targets}
        return features, labels if len(labels) > 1 else labels[targets[0]]

    return input_fn


def _checked_targets(target_key: Any, keys: list[str]) -> list[str]:
    if target_key is None:
        return []
    if isinstance(target_key, str):
        return [target_key]
    expected = "target_key must be str or Container of str; got"
    if not isinstance(target_key, Container):
        raise TypeError(f"{expected} {type(target_key).__name__}")
    targets: list[str] = list(target_key)  # type: ignore[call-overload]  # containers of keys can be iterated
    for key in targets:
        if not isinstance(key, str):
            raise TypeError(f"{expected} {type(key).__name__}")
        if key not in keys:
            raise KeyError(f"target_key not in yielded dict. Expected {keys} keys; got {key}")
    return targets
