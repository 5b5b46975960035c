"""The functions that TF 1.13 and later have for methods and properties of datasets."""

from __future__ import annotations

from typing import Any

from ferroflow._src.data.dataset import Dataset
from ferroflow._src.data.iterator import Iterator


def make_one_shot_iterator(dataset: Dataset) -> Iterator:
    """Returns an iterator that starts by itself, once.

    Args:
        dataset: Dataset.

    Returns:
        Iterator.

    Raises:
        ValueError: if the dataset depends on variables, tables or placeholders.
    """
    return dataset.make_one_shot_iterator()


def make_initializable_iterator(dataset: Dataset, shared_name: str | None = None) -> Iterator:
    """Returns an iterator that its `initializer` starts.

    Args:
        dataset: Dataset.
        shared_name: sessions on the same resources share an iterator of this name.

    Returns:
        Iterator.
    """
    return dataset.make_initializable_iterator(shared_name)


def get_output_types(dataset_or_iterator: Dataset | Iterator) -> Any:
    """Returns the dtypes of the components, nested as elements are.

    Args:
        dataset_or_iterator: Dataset or Iterator.

    Returns:
        DType, or structure of DTypes.
    """
    return dataset_or_iterator.output_types


def get_output_shapes(dataset_or_iterator: Dataset | Iterator) -> Any:
    """Returns the shapes of the components, nested as elements are.

    Args:
        dataset_or_iterator: Dataset or Iterator.

    Returns:
        TensorShape, or structure of TensorShapes.
    """
    return dataset_or_iterator.output_shapes


def get_output_classes(dataset_or_iterator: Dataset | Iterator) -> Any:
    """Returns the classes of the components, Tensor or SparseTensor, nested as elements are.

    Args:
        dataset_or_iterator: Dataset or Iterator.

    Returns:
        Class, or structure of classes.
    """
    return dataset_or_iterator.output_classes
