"""Datasets of parsed examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.data.dataset import Dataset
from ferroflow._src.data.dataset_base import structure_of
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.parsing.examples import parse_example


def parse_example_dataset(
    features: dict[str, Any], num_parallel_calls: TensorLike | None = 1
) -> Callable[[Dataset], Dataset]:
    """Returns a transformation: batches of serialized examples as dicts of parsed tensors.

    Args:
        features: dict of the features to parse by name, as for `tf.parse_example`.
        num_parallel_calls: int32 scalar, how many batches are parsed at a time.

    Returns:
        A function from a Dataset of string vectors to a Dataset of dicts, for `Dataset.apply`.

    Raises:
        ValueError: if `features` is None.
        TypeError: if the elements are not vectors of string.
    """
    if features is None:
        raise ValueError("Missing: features was None.")

    def apply(dataset: Dataset) -> Dataset:
        types, shapes, classes = structure_of(dataset)
        if types != dtypes.string or classes is not Tensor or not shapes.is_compatible_with(TensorShape([None])):
            raise TypeError("Input dataset should be a dataset of vectors of strings")
        return dataset.map(lambda serialized: parse_example(serialized, features), num_parallel_calls)

    return apply
