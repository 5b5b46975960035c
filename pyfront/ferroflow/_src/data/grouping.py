"""Transformations that gather elements by a key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import ListLike, NestedShapes, TensorLike
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.dataset import Dataset, OpDataset, VariantDataset
from ferroflow._src.data.dataset_base import structure_of
from ferroflow._src.data.element_function import ElementFunction, called
from ferroflow._src.data.state_functions import only_state, reducing_function
from ferroflow._src.data.structure import Structure
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.flow.checking import assert_less
from ferroflow._src.ops.math.comparison import less, less_equal, logical_and
from ferroflow._src.ops.math.reduction import reduce_min

_SCALAR = TensorShape([])


def _number(what: str) -> Callable[[Any], tuple[list[Tensor], None]]:
    def finish(result: Any) -> tuple[list[Tensor], None]:
        tensor = convert_to_tensor(result, dtype=dtypes.int64)
        if tensor.dtype != dtypes.int64:
            raise ValueError(f"`{what}` must return a single tf.int64 tensor.")
        return [tensor], None

    return finish


def _window(result: Any) -> tuple[list[Tensor], Structure]:
    if not isinstance(result, Dataset):
        raise TypeError("`reduce_func` must return a `Dataset` object.")
    return [result._as_variant_tensor()], structure_of(result)


def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: TensorLike | None = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Callable[[Dataset], Dataset]:
    """Returns a transformation: elements with one key are gathered, and each full window of them becomes a dataset.

    Args:
        key_func: gives an int64 scalar for an element.
        reduce_func: gives a Dataset for a key and the Dataset of a window.
        window_size: int64 scalar, elements of a window.
        window_size_func: callable, gives it for a key, instead.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.

    Raises:
        ValueError: if both or neither of `window_size` and `window_size_func` are given, or a function returns a wrong
            type.
        TypeError: if `reduce_func` gives no Dataset.
    """
    if (window_size is None) == (window_size_func is None):
        raise ValueError("Must pass either window_size or window_size_func.")

    def apply(dataset: Dataset) -> Dataset:
        structure = structure_of(dataset)
        number = Structure(dtypes.int64, _SCALAR, Tensor)
        variant = Structure(dtypes.variant, _SCALAR, Tensor)
        size: Any = window_size
        size_func = window_size_func or (lambda _: convert_to_tensor(size, dtype=dtypes.int64))
        key = ElementFunction(lambda e: called(key_func, e), [structure], "tf_key_func", _number("key_func"))
        reduce = ElementFunction(
            lambda k, window: reduce_func(k, VariantDataset(window, structure)),
            [number, variant],
            "tf_reduce_func",
            _window,
        )
        size = ElementFunction(size_func, [number], "tf_window_size_func", _number("window_size_func"))
        functions = {"key_func": key, "reduce_func": reduce, "window_size_func": size}
        return OpDataset("GroupByWindowDataset", [dataset, key, reduce, size], reduce.structure, functions)

    return apply


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: ListLike,
    bucket_batch_sizes: ListLike,
    padded_shapes: NestedShapes | None = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Callable[[Dataset], Dataset]:
    """Returns a transformation: batches of elements of similar length, filled up to one shape.

    Args:
        element_length_func: gives an int32 scalar, the length of an element.
        bucket_boundaries: list of int, upper bounds of the buckets but the last.
        bucket_batch_sizes: list of int, elements of a batch for each bucket, one more than boundaries.
        padded_shapes: as for `Dataset.padded_batch`; by default the shapes of elements.
        padding_values: as for `Dataset.padded_batch`.
        pad_to_bucket_boundary: fills unknown dimensions up to the bucket's bound instead of its largest element.
        no_padding: joins elements, which then have the same shape, without filling up.
        drop_remainder: If True, batches that are smaller are left out.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.

    Raises:
        ValueError: if the numbers of boundaries and of batch sizes are incompatible.
    """
    with name_scope("bucket_by_seq_length"):
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError("len(bucket_batch_sizes) must equal len(bucket_boundaries) + 1")
        batch_sizes = constant(bucket_batch_sizes, dtype=dtypes.int64)

        def bucket_of(*element: Any) -> Tensor:
            length = element_length_func(*element)
            boundaries = list(bucket_boundaries)
            low = [np.iinfo(np.int32).min, *boundaries]
            high = [*boundaries, np.iinfo(np.int32).max]
            return reduce_min(where(logical_and(less_equal(low, length), less(length, high))))

        def size_of(bucket: Tensor) -> Tensor:
            size: Tensor = batch_sizes[bucket]
            return size

        def filled(shapes: Any, filler: Any) -> Any:
            dims = [[filler if d.value is None else d.value for d in TensorShape(s)] for s in nest.flatten(shapes)]
            return nest.pack_sequence_as(shapes, dims)

        def batch(bucket: Tensor, window: Dataset) -> Dataset:
            size = size_of(bucket)
            if no_padding:
                return window.batch(size, drop_remainder=drop_remainder)
            filler: Any = None
            if pad_to_bucket_boundary:
                message = "When pad_to_bucket_boundary=True, elements must have length <= max(bucket_boundaries)."
                last = constant(len(bucket_batch_sizes) - 1, dtype=dtypes.int64)
                with control_dependencies([assert_less(bucket, last, message=message)]):
                    filler = constant(bucket_boundaries, dtype=dtypes.int64)[bucket]
            shapes = filled(padded_shapes or window.output_shapes, filler)
            return window.padded_batch(size, shapes, padding_values, drop_remainder=drop_remainder)

        return lambda dataset: dataset.apply(group_by_window(bucket_of, batch, window_size_func=size_of))


class Reducer:
    """Three functions that reduce elements to one.

    Args:
        init_func: called with a key, int64 scalar; returns the first state.
        reduce_func: called with a state and an element; returns the next state.
        finalize_func: called with the last state; returns the result.
    """

    def __init__(
        self, init_func: Callable[..., Any], reduce_func: Callable[..., Any], finalize_func: Callable[..., Any]
    ) -> None:
        self._init_func = init_func
        self._reduce_func = reduce_func
        self._finalize_func = finalize_func

    @property
    def init_func(self) -> Callable[..., Any]:
        """The function that makes the first state of a key."""
        return self._init_func

    @property
    def reduce_func(self) -> Callable[..., Any]:
        """The function that makes the next state of a state and an element."""
        return self._reduce_func

    @property
    def finalize_func(self) -> Callable[..., Any]:
        """The function that makes the result of the last state."""
        return self._finalize_func


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Callable[[Dataset], Dataset]:
    """Returns a transformation: the elements with one key are reduced to one element; keys come in ascending order.

    Args:
        key_func: gives an int64 scalar for an element.
        reducer: Reducer.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.

    Raises:
        ValueError: if `key_func` does not return an int64 scalar.
        TypeError: if the states do not have the same dtypes.
    """

    def apply(dataset: Dataset) -> Dataset:
        structure = structure_of(dataset)
        number = Structure(dtypes.int64, _SCALAR, Tensor)
        key = ElementFunction(lambda e: called(key_func, e), [structure], "tf_key_func", _number("key_func"))
        init = ElementFunction(reducer.init_func, [number], "tf_init_func")
        reduce, states = reducing_function(structure, init.structure, reducer.reduce_func, "reduce_func", only_state)
        finalize = ElementFunction(lambda s: called(reducer.finalize_func, s), [states], "tf_finalize_func")
        functions = {"key_func": key, "init_func": init, "reduce_func": reduce, "finalize_func": finalize}
        inputs = [dataset, key, init, reduce, finalize]
        return OpDataset("ExperimentalGroupByReducerDataset", inputs, finalize.structure, functions)

    return apply
