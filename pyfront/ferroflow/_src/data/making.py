"""The functions that TF 1.13 and later have for methods, properties and tensors of datasets."""

from __future__ import annotations

from typing import Any

from ferroflow._src.data.dataset import Dataset, VariantDataset
from ferroflow._src.data.dataset_base import variant_of
from ferroflow._src.data.element_specs import structure_of_specifications
from ferroflow._src.data.iterator import Iterator
from ferroflow._src.framework.handles import Tensor


def _checked(dataset_or_iterator: Any) -> Any:
    if not isinstance(dataset_or_iterator, Dataset | Iterator):
        raise TypeError(
            f"`dataset_or_iterator` must be a Dataset or Iterator object, but got {type(dataset_or_iterator)}."
        )
    return dataset_or_iterator


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

    Raises:
        TypeError: if it is neither.
    """
    return _checked(dataset_or_iterator).output_types


def get_output_shapes(dataset_or_iterator: Dataset | Iterator) -> Any:
    """Returns the shapes of the components, nested as elements are.

    Args:
        dataset_or_iterator: Dataset or Iterator.

    Returns:
        TensorShape, or structure of TensorShapes.

    Raises:
        TypeError: if it is neither.
    """
    return _checked(dataset_or_iterator).output_shapes


def get_output_classes(dataset_or_iterator: Dataset | Iterator) -> Any:
    """Returns the classes of the components, Tensor or SparseTensor, nested as elements are.

    Args:
        dataset_or_iterator: Dataset or Iterator.

    Returns:
        Class, or structure of classes.

    Raises:
        TypeError: if it is neither.
    """
    return _checked(dataset_or_iterator).output_classes


def get_structure(dataset_or_iterator: Dataset | Iterator) -> Any:
    """Returns the specifications of the components, nested as elements are.

    Args:
        dataset_or_iterator: Dataset or Iterator.

    Returns:
        TypeSpec, or structure of TypeSpecs.

    Raises:
        TypeError: if the value is neither a Dataset nor an Iterator.
    """
    if not isinstance(dataset_or_iterator, (Dataset, Iterator)):
        raise TypeError(
            f"`dataset_or_iterator` must be a Dataset or Iterator object, but got {type(dataset_or_iterator)}."
        )
    return dataset_or_iterator.element_spec


def to_variant(dataset: Dataset) -> Tensor:
    """Returns the tensor that holds a dataset.

    Args:
        dataset: Dataset.

    Returns:
        Tensor of variant, of shape [].
    """
    return variant_of(dataset)


def from_variant(variant: Tensor, structure: Any) -> Dataset:
    """Returns the dataset that a tensor holds.

    Args:
        variant: Tensor of variant, of shape [].
        structure: TypeSpecs of the components, nested as elements are.

    Returns:
        Dataset.

    Raises:
        TypeError: if a component is not a TensorSpec, SparseTensorSpec or DatasetSpec.
    """
    return VariantDataset(variant, structure_of_specifications(structure))
