"""Labeled tensors from values, placeholders, examples and batches; functions mapped over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.labeled_tensor.axes import Axes, Axis, as_axis, check_type
from ferroflow._src.contrib.labeled_tensor.joining import pack, unpack
from ferroflow._src.contrib.labeled_tensor.labeled import (
    LabeledTensor,
    convert_to_labeled_tensor,
    identity,
    operation,
)
from ferroflow._src.control_flow import functional
from ferroflow._src.framework.constant import constant as constant_tensor
from ferroflow._src.input import batching
from ferroflow._src.ops.array import making
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.math.cast import cast as cast_tensor
from ferroflow._src.ops.parsing import examples, features as parsing_features


def constant(value: Any, dtype: Any = None, axes: Any = None, name: str | None = None) -> LabeledTensor:
    """Returns a labeled tensor of a constant.

    Args:
        value: array, nested list or number.
        dtype: its dtype; None for the value's own.
        axes: Axes, or a list of names or axes; a number fills axes of known sizes.
        name: str, of the operation.

    Returns:
        LabeledTensor.
    """
    with operation(name, "lt_constant") as (scope, _):
        given = list(axes.values()) if isinstance(axes, Axes) else list(axes or ())
        shape = None
        if not any(isinstance(axis, str) for axis in given):
            shape = [as_axis(axis).size for axis in given]
        return LabeledTensor(constant_tensor(value, dtype=dtype, shape=shape, name=scope), given)


def zeros_like(labeled_tensor: Any, dtype: Any = None, name: str | None = None) -> LabeledTensor:
    """Returns zeros with the axes of a labeled tensor.

    Args:
        labeled_tensor: LabeledTensor.
        dtype: dtype of the zeros; None for the labeled tensor's.
        name: str, of the operation.

    Returns:
        LabeledTensor.
    """
    with operation(name, "lt_zeros_like", labeled_tensor) as (scope, [given]):
        return LabeledTensor(making.zeros_like(given.tensor, dtype=dtype, name=scope), given.axes)


def ones_like(labeled_tensor: Any, dtype: Any = None, name: str | None = None) -> LabeledTensor:
    """Returns ones with the axes of a labeled tensor.

    Args:
        labeled_tensor: LabeledTensor.
        dtype: dtype of the ones; None for the labeled tensor's.
        name: str, of the operation.

    Returns:
        LabeledTensor.
    """
    with operation(name, "lt_ones_like", labeled_tensor) as (scope, [given]):
        return LabeledTensor(making.ones_like(given.tensor, dtype=dtype, name=scope), given.axes)


def cast(labeled_tensor: Any, dtype: Any = None, name: str | None = None) -> LabeledTensor:
    """Returns a labeled tensor with elements of another type.

    Args:
        labeled_tensor: LabeledTensor.
        dtype: the dtype.
        name: str, of the operation.

    Returns:
        LabeledTensor.
    """
    with operation(name, "lt_cast", labeled_tensor) as (scope, [given]):
        return LabeledTensor(cast_tensor(given.tensor, dtype=dtype, name=scope), given.axes)


def verify_tensor_all_finite(labeled_tensor: Any, message: str, name: str | None = None) -> LabeledTensor:
    """Returns a labeled tensor after a check that all its elements are finite.

    Args:
        labeled_tensor: LabeledTensor of a float dtype.
        message: str, the error's message.
        name: str, of the operation.

    Returns:
        LabeledTensor.
    """
    with operation(name, "lt_verify_tensor_all_finite", labeled_tensor) as (scope, [given]):
        return LabeledTensor(checking.verify_tensor_all_finite(given.tensor, message, name=scope), given.axes)


def placeholder(dtype: Any, axes: Sequence[Any], name: str | None = None) -> LabeledTensor:
    """Returns a labeled tensor whose value is fed.

    Args:
        dtype: the dtype.
        axes: list of names, whose sizes are unknown, or axes.
        name: str, of the operation.

    Returns:
        LabeledTensor.
    """
    with operation(name, "lt_placeholder") as (scope, _):
        known = Axes([(axis, None) if isinstance(axis, str) else axis for axis in axes])
        return LabeledTensor(making.placeholder(dtype, [axis.size for axis in known.values()], name=scope), known)


def map_fn(fn: Callable[..., LabeledTensor], labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Returns the results of a function for the parts of a labeled tensor along its first axis.

    Args:
        fn: callable of a LabeledTensor without that axis, whose result is one.
        labeled_tensor: LabeledTensor.
        name: str, of the operation.

    Returns:
        LabeledTensor.
    """
    with operation(name, "lt_map_fn", labeled_tensor) as (scope, [given]):
        axes = list(given.axes.values())
        first, others = axes[0], axes[1:]
        parts = unpack(given)
        if given.dtype == dtypes.string:
            return pack([fn(part) for part in parts], first, name=scope)
        example = fn(parts[0])
        mapped = functional.map_fn(lambda t: fn(LabeledTensor(t, others)).tensor, given.tensor, dtype=example.dtype)
        return identity(LabeledTensor(mapped, [first, *example.axes.values()]), name=scope)


def foldl(
    fn: Callable[..., LabeledTensor], labeled_tensor: Any, initial_value: Any, name: str | None = None
) -> LabeledTensor:
    """Returns the last result of a function that takes a result and a part of a labeled tensor along its first axis.

    Args:
        fn: callable of two LabeledTensors, whose result has the axes of the first.
        labeled_tensor: LabeledTensor.
        initial_value: LabeledTensor, the first result.
        name: str, of the operation.

    Returns:
        LabeledTensor.
    """
    with operation(name, "lt_foldl", labeled_tensor, initial_value) as (scope, [given, initial]):
        others = list(given.axes.values())[1:]
        folded = functional.foldl(
            lambda state, part: fn(LabeledTensor(state, initial.axes), LabeledTensor(part, others)).tensor,
            given.tensor,
            initializer=initial.tensor,
        )
        return identity(LabeledTensor(folded, initial.axes), name=scope)


def _batched(
    make: Callable[..., Any], name: str | None, labeled_tensors: Sequence[Any], **options: Any
) -> list[LabeledTensor]:
    """Returns the batches that a function of `tf.train` makes of tensors."""
    enqueue_many = options["enqueue_many"]
    with operation(name, f"lt_{make.__name__}", *labeled_tensors) as (scope, given):
        if enqueue_many:
            for one in given:
                if next(iter(one.axes), None) != "batch":
                    raise ValueError(
                        'When enqueue_many is True, input tensors must have an axis called "batch" as their first '
                        f"dimension, but axes were {one.axes}"
                    )
        made = make([one.tensor for one in given], **options, name=scope)
        batches = made if isinstance(made, list) else [made]
        size = None if options["allow_smaller_final_batch"] else options["batch_size"]
        labeled = []
        for one, tensor in zip(given, batches, strict=True):
            others = one.axes.remove("batch") if enqueue_many else one.axes
            labeled.append(LabeledTensor(tensor, [Axis("batch", size), *others.values()]))
        return labeled


def batch(
    labeled_tensors: Sequence[Any],
    batch_size: int,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    allow_smaller_final_batch: bool = False,
    name: str | None = None,
) -> list[LabeledTensor]:
    """Returns batches of labeled tensors, with a first axis "batch".

    Args:
        labeled_tensors: list of LabeledTensor.
        batch_size: int.
        num_threads: int, threads that fill the queue.
        capacity: int, of the queue.
        enqueue_many: bool. If True, the labeled tensors are batches already, with a first axis "batch".
        allow_smaller_final_batch: bool. If True, the last batch may be smaller; the size is then unknown.
        name: str, of the operation.

    Returns:
        list of LabeledTensor.

    Raises:
        ValueError: if the axis "batch" is missing.
    """
    return _batched(
        batching.batch,
        name,
        labeled_tensors,
        batch_size=batch_size,
        num_threads=num_threads,
        capacity=capacity,
        enqueue_many=enqueue_many,
        allow_smaller_final_batch=allow_smaller_final_batch,
    )


def shuffle_batch(
    labeled_tensors: Sequence[Any],
    batch_size: int,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    min_after_dequeue: int = 0,
    seed: int | None = None,
    allow_smaller_final_batch: bool = False,
    name: str | None = None,
) -> list[LabeledTensor]:
    """Returns shuffled batches of labeled tensors, with a first axis "batch".

    Args:
        labeled_tensors: list of LabeledTensor.
        batch_size: int.
        num_threads: int, threads that fill the queue.
        capacity: int, of the queue.
        enqueue_many: bool. If True, the labeled tensors are batches already, with a first axis "batch".
        min_after_dequeue: int, elements that stay in the queue to be mixed.
        seed: int, of the random order.
        allow_smaller_final_batch: bool. If True, the last batch may be smaller; the size is then unknown.
        name: str, of the operation.

    Returns:
        list of LabeledTensor.

    Raises:
        ValueError: if the axis "batch" is missing.
    """
    return _batched(
        batching.shuffle_batch,
        name,
        labeled_tensors,
        batch_size=batch_size,
        num_threads=num_threads,
        capacity=capacity,
        enqueue_many=enqueue_many,
        min_after_dequeue=min_after_dequeue,
        seed=seed,
        allow_smaller_final_batch=allow_smaller_final_batch,
    )


class FixedLenFeature:
    """A feature of examples with known axes.

    Args:
        axes: list of axes of known sizes.
        dtype: the dtype.
        default_value: the value of examples that lack the feature.
    """

    def __init__(self, axes: Sequence[Any], dtype: Any, default_value: Any = None) -> None:
        self.axes = [as_axis(axis) for axis in axes]
        self.dtype = dtype
        self.default_value = default_value


def _unlabeled(features: Mapping[str, FixedLenFeature]) -> dict[str, parsing_features.FixedLenFeature]:
    unlabeled = {}
    for key, feature in features.items():
        check_type(feature, FixedLenFeature, f"Feature {key!r}")
        shape = [axis.size for axis in feature.axes]
        if None in shape:
            raise ValueError("axes with unknown size are not supported")
        unlabeled[key] = parsing_features.FixedLenFeature(shape, feature.dtype, feature.default_value)
    return unlabeled


def parse_example(
    serialized: Any, features: Mapping[str, FixedLenFeature], name: str | None = None, example_names: Any = None
) -> dict[str, LabeledTensor]:
    """Returns the features of serialized examples as labeled tensors.

    Args:
        serialized: LabeledTensor of string with one axis.
        features: mapping from keys to FixedLenFeature.
        name: str, of the operation.
        example_names: names of the examples, for messages.

    Returns:
        dict of LabeledTensor by key.

    Raises:
        ValueError: if a feature's axis has an unknown size.
    """
    given = convert_to_labeled_tensor(serialized)
    parsed = examples.parse_example(given.tensor, _unlabeled(features), name, example_names)
    axes = list(given.axes.values())
    return {key: LabeledTensor(tensor, [*axes, *features[key].axes]) for key, tensor in parsed.items()}


def parse_single_example(
    serialized: Any, features: Mapping[str, FixedLenFeature], name: str | None = None, example_names: Any = None
) -> dict[str, LabeledTensor]:
    """Returns the features of a serialized example as labeled tensors.

    Args:
        serialized: LabeledTensor of string without axes.
        features: mapping from keys to FixedLenFeature.
        name: str, of the operation.
        example_names: name of the example, for messages.

    Returns:
        dict of LabeledTensor by key.

    Raises:
        ValueError: if a feature's axis has an unknown size.
    """
    given = convert_to_labeled_tensor(serialized)
    parsed = examples.parse_single_example(given.tensor, _unlabeled(features), name, example_names)
    return {key: LabeledTensor(tensor, features[key].axes) for key, tensor in parsed.items()}
