"""`DatasetBase`: structure and options, which all parts of `Dataset` use, and the maker of datasets of one op."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ferroflow._src.base import dtypes
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.element_function import ElementFunction
from ferroflow._src.data.options import Options, merge_options
from ferroflow._src.data.structure import Structure
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor

if TYPE_CHECKING:
    from ferroflow._src.data.dataset import Dataset


class DatasetBase(abc.ABC):
    """Base of datasets: its tensor, and the structure of its elements."""

    @abc.abstractmethod
    def _as_variant_tensor(self) -> Tensor:
        """Returns the dataset as a Tensor of variant, of shape [], in the default graph."""

    @property
    @abc.abstractmethod
    def output_classes(self) -> Any:
        """The classes of the components, Tensor or SparseTensor, nested as elements are."""

    @property
    @abc.abstractmethod
    def output_shapes(self) -> Any:
        """The shapes of the components, nested as elements are."""

    @property
    @abc.abstractmethod
    def output_types(self) -> Any:
        """The dtypes of the components, nested as elements are."""

    def __repr__(self) -> str:
        shapes = str(nest.map_structure(str, self.output_shapes)).replace("'", "")
        types = str(nest.map_structure(repr, self.output_types)).replace("'", "")
        return f"<{self._kind()} shapes: {shapes}, types: {types}>"

    @property
    def _variant_tensor(self) -> Tensor:
        return self._as_variant_tensor()

    def _inputs(self) -> list[Any]:
        """Returns the datasets that this one is made of."""
        return []

    def _functions(self) -> list[ElementFunction]:
        """Returns the functions that this dataset calls."""
        return []

    def options(self) -> Options:
        """Returns the options of this dataset and of the datasets that it is made of.

        Returns:
            Options.

        Raises:
            ValueError: if two of the datasets set an option to different values.
        """
        merged: Options = merge_options(Options(), *(d.options() for d in self._inputs()))
        return merged

    def _kind(self) -> str:
        return type(self).__name__

    def _like(self, op_type: str, *inputs: Any, attrs: dict[str, Any] | None = None) -> Dataset:
        """Returns a dataset of elements as this one's."""
        return op_dataset(op_type, [self, *inputs], structure_of(self), attrs)


def variant_of(dataset: DatasetBase) -> Tensor:
    """Returns the tensor that holds a dataset."""
    return dataset._as_variant_tensor()


def structure_of(dataset: DatasetBase) -> Structure:
    """Returns the structure of a dataset's elements."""
    return Structure(dataset.output_types, dataset.output_shapes, dataset.output_classes)


def int64(value: Any, name: str) -> Tensor:
    return convert_to_tensor(value, dtype=dtypes.int64, name=name)


class _Makers:
    """The class of datasets that one operation makes, registered later: it is a class of datasets with all methods."""

    of_op: Callable[..., Any]


def register_op_dataset(made: Callable[..., Any]) -> None:
    """Registers the class that `op_dataset` makes objects of."""
    _Makers.of_op = staticmethod(made)


def op_dataset(
    op_type: str,
    inputs: Sequence[Any],
    structure: Structure,
    attrs: dict[str, Any] | None = None,
    described: bool = True,
    kind: str | None = None,
) -> Dataset:
    """Returns a dataset that one operation makes; the arguments are those of `OpDataset`."""
    made: Dataset = _Makers.of_op(op_type, inputs, structure, attrs, described, kind)
    return made
