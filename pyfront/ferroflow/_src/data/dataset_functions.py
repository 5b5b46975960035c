"""Methods of `Dataset` that call a function with elements."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.dataset_base import DatasetBase, int64, op_dataset, structure_of, variant_of
from ferroflow._src.data.element_function import ElementFunction, called
from ferroflow._src.data.state_functions import only_state, state_function
from ferroflow._src.data.structure import (
    Structure,
    normalized,
)
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor

if TYPE_CHECKING:
    from ferroflow._src.data.dataset import Dataset


class DatasetFunctions(DatasetBase):
    """Methods of `Dataset` that call a function with elements."""

    def map(self, map_func: Callable[..., Any], num_parallel_calls: TensorLike | None = None) -> Dataset:
        """Returns the results of a function for the elements.

        Args:
            map_func: called once, with tensors that stand for an element (the parts of a tuple as arguments of their
                own); returns a structure of tensors, arrays and sparse tensors.
            num_parallel_calls: int32 scalar, how many elements are computed at a time; the order is that of the
                elements.

        Returns:
            Dataset of the results of `map_func`.
        """
        f = ElementFunction(lambda e: called(map_func, e), [structure_of(self)], "tf_map_func")
        if num_parallel_calls is None:
            return op_dataset("MapDataset", [self, f], f.structure, {"f": f, "preserve_cardinality": True})
        calls = convert_to_tensor(num_parallel_calls, dtype=dtypes.int32, name="num_parallel_calls")
        attrs = {"f": f, "preserve_cardinality": True}
        return op_dataset("ParallelMapDataset", [self, f, calls], f.structure, attrs)

    def map_with_legacy_function(
        self, map_func: Callable[..., Any], num_parallel_calls: TensorLike | None = None
    ) -> Dataset:
        """Returns the results of a function for the elements, as `map`.

        Args:
            map_func: callable, as for `map`.
            num_parallel_calls: int32 scalar, how many elements are computed at a time.

        Returns:
            Dataset of the results of `map_func`.
        """
        return self.map(map_func, num_parallel_calls)

    def filter_with_legacy_function(self, predicate: Callable[..., Any]) -> Dataset:
        """Returns the elements for which a function is true, as `filter`.

        Args:
            predicate: callable, as for `filter`.

        Returns:
            Dataset.

        Raises:
            ValueError: if `predicate` does not return a bool scalar.
        """
        return self.filter(predicate)

    def flat_map(self, map_func: Callable[..., Any]) -> Dataset:
        """Returns the elements of the datasets that a function makes of the elements, one dataset after the other.

        Args:
            map_func: called as that of `map`; returns a Dataset.

        Returns:
            Dataset of the elements of these datasets.

        Raises:
            TypeError: if `map_func` gives no Dataset.
        """
        f = dataset_function(self, map_func)
        return op_dataset("FlatMapDataset", [self, f], f.structure, {"f": f})

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: TensorLike = -1,
        block_length: TensorLike = 1,
        num_parallel_calls: TensorLike | None = None,
    ) -> Dataset:
        """Maps elements to datasets, and returns the elements of these interleaved.

        Args:
            map_func: as for `flat_map`.
            cycle_length: int64 scalar, how many datasets take turns; -1 for the number of processors.
            block_length: int64 scalar, elements in a turn.
            num_parallel_calls: int64 scalar; the datasets are read ahead if it is not None. The order stays the same.

        Returns:
            Dataset of the elements of these datasets.

        Raises:
            TypeError: if `map_func` gives no Dataset.
        """
        f = dataset_function(self, map_func)
        if isinstance(cycle_length, int) and cycle_length == -1:
            cycle_length = os.cpu_count() or 1
        inputs = [self, f, int64(cycle_length, "cycle_length"), int64(block_length, "block_length")]
        if num_parallel_calls is None:
            return op_dataset("InterleaveDataset", inputs, f.structure, {"f": f})
        inputs.append(int64(num_parallel_calls, "num_parallel_calls"))
        return op_dataset("ParallelInterleaveDatasetV2", inputs, f.structure, {"f": f})

    def filter(self, predicate: Callable[..., Any]) -> Dataset:
        """Returns the elements for which a function is true.

        Args:
            predicate: called as `map_func` of `map`; returns a bool scalar.

        Returns:
            Dataset.

        Raises:
            ValueError: if `predicate` does not return a bool scalar.
        """
        f = ElementFunction(lambda e: called(predicate, e), [structure_of(self)], "tf_predicate", decision)
        return op_dataset("FilterDataset", [self, f], structure_of(self), {"predicate": f})

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """Returns the dataset that a transformation makes of this one.

        Args:
            transformation_func: callable of a Dataset that returns a Dataset.

        Returns:
            Dataset, `transformation_func(self)`.

        Raises:
            TypeError: if it gives no Dataset.
        """
        dataset: Any = transformation_func(cast("Dataset", self))
        if not isinstance(dataset, DatasetBase):
            raise TypeError("`transformation_func` must return a Dataset.")
        return cast("Dataset", dataset)

    def reduce(self, initial_state: object, reduce_func: Callable[..., Any]) -> Any:
        """Returns the last state of a function that takes a state and an element to the next state.

        Args:
            initial_state: structure of tensors, of any dtypes and shapes.
            reduce_func: called with a state and an element; returns a state of the same structure.

        Returns:
            Structure of Tensors of the dtypes and shapes of the state; a run passes over the whole dataset.

        Raises:
            TypeError: if the types of states differ.
        """
        with name_scope("initial_state"):
            state = normalized(initial_state)
        f, states = state_function(structure_of(self), state, reduce_func, "reduce_func", only_state)
        inputs = [self._as_variant_tensor(), nest.flatten(state), f.captured_inputs]
        op = apply_op("ReduceDataset", inputs, {"f": f.name, **states.attrs()})
        return states.element(op.outputs)


def decision(result: Any) -> tuple[list[Tensor], None]:
    """Returns the decision of a predicate as the result of its function.

    Args:
        result: value that the program's predicate returned.

    Raises:
        ValueError: if it is not a bool scalar.
    """
    tensor = convert_to_tensor(result)
    if tensor.dtype != dtypes.bool or not tensor.shape.is_compatible_with(TensorShape([])):
        raise ValueError("`predicate` must return a scalar boolean tensor.")
    return [tensor], None


def dataset_function(dataset: DatasetBase, map_func: Callable[..., Any]) -> ElementFunction:
    """Returns a function from elements to datasets, whose structure is that of the datasets' elements."""
    return ElementFunction(
        lambda e: called(map_func, e), [structure_of(dataset)], "tf_map_func", _dataset_result("`map_func`")
    )


def _dataset_result(what: str) -> Callable[[Any], tuple[list[Tensor], Structure]]:
    def finish(result: Any) -> tuple[list[Tensor], Structure]:
        if not isinstance(result, DatasetBase):
            raise TypeError(f"{what} must return a `Dataset` object.")
        return [variant_of(result)], structure_of(result)

    return finish
