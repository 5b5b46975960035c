"""Serialized `tf.train.Example` and `tf.train.SequenceExample` messages as dicts of tensors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape, as_shape
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping, slicing
from ferroflow._src.ops.parsing.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
    Wanted,
    merged,
    wanted_features,
    with_unknown_length,
)

_KINDS = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature)


def _as_name(key: str) -> str:
    return re.sub("[^A-Za-z0-9_.\\-/]", "_", key)


def _default(key: str, value: Any, dtype: dtypes.DType, shape: TensorShape) -> Any:
    """Returns the tensor that gives an operation a default: an empty one for no default."""
    if shape.ndims and shape.as_list()[0] is None:
        if value is None:
            return constant("" if dtype == dtypes.string else 0, dtype=dtype)
        # A scalar: who gives something else than one element to fill up with gets an error.
        return shaping.reshape(convert_to_tensor(value, dtype=dtype, name="padding_" + _as_name(key)), [])
    if value is None:
        return constant([], dtype=dtype)
    if isinstance(value, Tensor):
        return value
    return shaping.reshape(convert_to_tensor(value, dtype=dtype, name="key_" + _as_name(key)), shape)


def _checked(wanted: Wanted) -> tuple[list[TensorShape], list[Any]]:
    """Returns shapes and defaults of the dense features."""
    if not wanted.sparse_keys and not wanted.dense_keys:
        raise ValueError("Must provide at least one sparse key or dense key")
    both = set(wanted.dense_keys) & set(wanted.sparse_keys)
    if both:
        raise ValueError(f"Dense and sparse keys must not intersect; intersection: {both}")
    shapes = [as_shape(shape) for shape in wanted.dense_shapes]
    defaults = [
        _default(key, wanted.dense_defaults.get(key), dtype, shape)
        for key, dtype, shape in zip(wanted.dense_keys, wanted.dense_types, shapes, strict=True)
    ]
    return shapes, defaults


def _by_key(wanted_sparse: Sequence[str], wanted_dense: Sequence[str], outputs: Sequence[Tensor]) -> dict[str, Any]:
    """Returns outputs in the order of the operations: all indices, all values, all shapes, the dense tensors."""
    n = len(wanted_sparse)
    parts = zip(outputs[:n], outputs[n : 2 * n], outputs[2 * n : 3 * n], strict=True)
    sparse = [SparseTensor(*part) for part in parts]
    return dict(zip([*wanted_sparse, *wanted_dense], [*sparse, *outputs[3 * n :]], strict=True))


def _parse_batch(serialized: Any, names: Any, wanted: Wanted, name: str | None) -> dict[str, Any]:
    with name_scope(name, "ParseExample", [serialized, names]):
        shapes, defaults = _checked(wanted)
        attrs = {
            "sparse_types": wanted.sparse_types,
            "dense_shapes": shapes,
        }
        names = constant([], dtypes.string) if names is None else names
        inputs = [serialized, names, wanted.sparse_keys, wanted.dense_keys, defaults]
        outputs = apply_op("ParseExample", inputs, attrs, name=name).outputs
        return _by_key(wanted.sparse_keys, wanted.dense_keys, outputs)


def parse_example(
    serialized: TensorLike,
    features: Mapping[str, Any],
    name: str | None = None,
    example_names: TensorLike | None = None,
) -> dict[str, Any]:
    """Parses a batch of serialized `tf.train.Example` messages.

    Args:
        serialized: Tensor of string, of shape [batch].
        features: dict from keys to `VarLenFeature`, `SparseFeature`, `FixedLenFeature` or `FixedLenSequenceFeature`.
        name: str, name scope of the operations.
        example_names: Tensor of string, of shape [batch]: the examples' names, for messages.

    Returns:
        dict from the keys to tensors. VarLenFeature: SparseTensor of dense shape [batch, longest]. SparseFeature:
        SparseTensor of dense shape [batch] + size. FixedLenFeature: Tensor of shape [batch] + shape.
        FixedLenSequenceFeature: Tensor of shape [batch, longest] + shape, filled up with the default.

    Raises:
        ValueError: if `features` is empty, or a description is invalid.
        tf.errors.InvalidArgumentError: when the step runs, if an element is not a serialized example, a feature has a
            wrong dtype or size, or a feature without default is missing.
    """
    if not features:
        raise ValueError(f"Missing: features was {features}.")
    features = with_unknown_length(features)
    return merged(features, _parse_batch(serialized, example_names, wanted_features(features, _KINDS), name))


def _parse_single(serialized: Any, wanted: Wanted, name: str | None) -> dict[str, Any]:
    with name_scope(name, "ParseSingleExample", [serialized]):
        serialized = convert_to_tensor(serialized)
        shapes, defaults = _checked(wanted)
        attrs = {
            "num_sparse": len(wanted.sparse_keys),
            "sparse_keys": wanted.sparse_keys,
            "dense_keys": wanted.dense_keys,
            "sparse_types": wanted.sparse_types,
            "dense_shapes": shapes,
        }
        outputs = apply_op("ParseSingleExample", [serialized, defaults], attrs, name=name).outputs
        return _by_key(wanted.sparse_keys, wanted.dense_keys, outputs)


def _parse_named(serialized: Any, example_name: Any, wanted: Wanted, name: str | None) -> dict[str, Any]:
    """Returns a single example as a batch of one, which can have a name."""
    with name_scope(name, "ParseSingleExample", [serialized, example_name]):
        serialized = convert_to_tensor(serialized)
        example_name = convert_to_tensor(example_name, dtypes.string)
        if serialized.shape.ndims not in (None, 0):
            raise ValueError("Input serialized must be a scalar")
        if example_name.shape.ndims not in (None, 0):
            raise ValueError("Input names must be a scalar")
        # Reshaped, and not expanded: what turns out to have more than one element fails.
        batch = _parse_batch(shaping.reshape(serialized, [1]), shaping.reshape(example_name, [1]), wanted, name)
        for key in wanted.dense_keys:
            batch[key] = shaping.squeeze(batch[key], [0], name=f"Squeeze_{_as_name(key)}")
        for key in wanted.sparse_keys:
            indices, shape = batch[key].indices, batch[key].dense_shape
            indices = slicing.slice(indices, [0, 1], [-1, -1], name=f"Slice_Indices_{_as_name(key)}")
            shape = slicing.slice(shape, [1], [-1], name=f"Squeeze_Shape_{_as_name(key)}")
            batch[key] = SparseTensor(indices, batch[key].values, shape)
        return batch


def parse_single_example(
    serialized: TensorLike,
    features: Mapping[str, Any],
    name: str | None = None,
    example_names: TensorLike | None = None,
) -> dict[str, Any]:
    """Parses a serialized `tf.train.Example` message.

    Args:
        serialized: Tensor of string, of shape [].
        features: dict from keys to `VarLenFeature`, `SparseFeature`, `FixedLenFeature` or `FixedLenSequenceFeature`.
        name: str, name scope of the operations.
        example_names: Tensor of string, of shape []: the example's name in error messages.

    Returns:
        dict from the keys to a SparseTensor of dense shape [length] (VarLenFeature) or size (SparseFeature), or a
        Tensor of the feature's shape (FixedLenFeature) or of shape [length] + shape (FixedLenSequenceFeature).

    Raises:
        ValueError: if `features` is empty, or a description is invalid.
        tf.errors.InvalidArgumentError: when the step runs, on the same conditions as `tf.parse_example`.

    Example:
        >>> example = tf.train.Example()
        >>> example.features.feature["size"].int64_list.value.extend([28, 28])
        >>> example.features.feature["name"].bytes_list.value.append(b"digit")
        >>> spec = {"size": tf.FixedLenFeature([2], tf.int64), "name": tf.FixedLenFeature([], tf.string)}
        >>> parsed = tf.parse_single_example(example.SerializeToString(), spec)
        >>> print(sess.run([parsed["size"], parsed["name"]]))
        [array([28, 28]), b'digit']
    """
    if not features:
        raise ValueError("Missing features.")
    features = with_unknown_length(features)
    wanted = wanted_features(features, _KINDS)
    if example_names is None:
        return merged(features, _parse_single(serialized, wanted, name))
    return merged(features, _parse_named(serialized, example_names, wanted, name))


def _intersection(sparse: list[str], dense: list[str], what: str) -> None:
    both = set(sparse) & set(dense)
    if both:
        raise ValueError(f"{what}_dense and {what}_sparse keys must not intersect; intersection: {both}")


def _sequence_features(context_features: Mapping[str, Any] | None, sequence_features: Mapping[str, Any] | None) -> Any:
    """Returns the requested features of sequence examples: of their contexts and of their feature lists."""
    if not context_features and not sequence_features:
        raise ValueError("Missing features.")
    context = wanted_features(context_features, [VarLenFeature, FixedLenFeature])
    lists = wanted_features(sequence_features, [VarLenFeature, FixedLenSequenceFeature])
    _intersection(context.sparse_keys, context.dense_keys, "context")
    _intersection(lists.sparse_keys, lists.dense_keys, "feature_list")
    for key, value in lists.dense_defaults.items():
        if value is not None:
            raise ValueError(f"Value feature_list_dense_defaults[{key}] must be None")
    return context, lists


def _sequence_attrs(context: Wanted, lists: Wanted) -> tuple[dict[str, Any], list[Any]]:
    """Returns the attributes of both operations that parse sequence examples, and the defaults of the context."""
    shapes = [as_shape(shape) for shape in context.dense_shapes]
    defaults = [
        _default(key, context.dense_defaults.get(key), dtype, shape)
        for key, dtype, shape in zip(context.dense_keys, context.dense_types, shapes, strict=True)
    ]
    attrs = {
        "context_sparse_types": context.sparse_types,
        "feature_list_dense_types": lists.dense_types,
        "context_dense_shapes": shapes,
        "feature_list_sparse_types": lists.sparse_types,
        "feature_list_dense_shapes": [as_shape(shape) for shape in lists.dense_shapes],
    }
    return attrs, defaults


def _context_and_lists(
    context: Wanted, lists: Wanted, outputs: Sequence[Tensor]
) -> tuple[dict[str, Any], dict[str, Any]]:
    split = 3 * len(context.sparse_keys) + len(context.dense_keys)
    return (
        _by_key(context.sparse_keys, context.dense_keys, outputs[:split]),
        _by_key(lists.sparse_keys, lists.dense_keys, outputs[split:]),
    )


def parse_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Parses a batch of serialized `tf.train.SequenceExample` messages.

    Args:
        serialized: Tensor of string, of shape [batch].
        context_features: dict from keys to `VarLenFeature` or `FixedLenFeature`.
        sequence_features: dict from keys to `VarLenFeature` or `FixedLenSequenceFeature`.
        example_names: Tensor of string, of shape [batch]: the examples' names, for messages.
        name: str, name scope of the operations.

    Returns:
        Three dicts from keys to tensors. The contexts are as in `tf.parse_example`. The feature lists are SparseTensors
        of dense shape [batch, time, longest], and Tensors of shape [batch, time] + shape, with shorter examples filled
        up with zeros or empty strings. The third has the numbers of steps of these Tensors, int64 [batch].

    Raises:
        ValueError: if there are no features, or a description is invalid.
        tf.errors.InvalidArgumentError: when the step runs, on the same conditions as `tf.parse_example`.
    """
    context, lists = _sequence_features(context_features, sequence_features)
    with name_scope(name, "ParseSequenceExample", [serialized, example_names]):
        attrs, defaults = _sequence_attrs(context, lists)
        attrs |= {
            "feature_list_dense_missing_assumed_empty": list(lists.dense_defaults),
            "context_sparse_keys": context.sparse_keys,
            "context_dense_keys": context.dense_keys,
            "feature_list_sparse_keys": lists.sparse_keys,
            "feature_list_dense_keys": lists.dense_keys,
            "Ncontext_sparse": len(context.sparse_keys),
            "Ncontext_dense": len(context.dense_keys),
            "Nfeature_list_sparse": len(lists.sparse_keys),
            "Nfeature_list_dense": len(lists.dense_keys),
        }
        names = constant([], dtypes.string) if example_names is None else example_names
        outputs = apply_op("ParseSequenceExample", [serialized, names, defaults], attrs, name=name).outputs
        steps = len(outputs) - len(lists.dense_keys)
        lengths = dict(zip(lists.dense_keys, outputs[steps:], strict=True))
        return (*_context_and_lists(context, lists, outputs[:steps]), lengths)


def parse_single_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_name: TensorLike | None = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parses a serialized `tf.train.SequenceExample` message.

    Args:
        serialized: Tensor of string, of shape [].
        context_features: dict from keys to `VarLenFeature` or `FixedLenFeature`.
        sequence_features: dict from keys to `VarLenFeature` or `FixedLenSequenceFeature`.
        example_name: Tensor of string, of shape []: the example's name, for messages.
        name: str, name scope of the operations.

    Returns:
        Two dicts from keys to tensors. The context is as in `tf.parse_single_example`. The feature lists are
        SparseTensors of dense shape [time, longest], and Tensors of shape [time] + shape.

    Raises:
        ValueError: if there are no features, or a description is invalid.
        tf.errors.InvalidArgumentError: when the step runs, on the same conditions as `tf.parse_example`.
    """
    context, lists = _sequence_features(context_features, sequence_features)
    with name_scope(name, "ParseSingleSequenceExample", [serialized]):
        attrs, defaults = _sequence_attrs(context, lists)
        may_lack = constant(list(lists.dense_defaults), dtypes.string, shape=[len(lists.dense_defaults)])
        inputs = [
            serialized,
            may_lack,
            context.sparse_keys,
            context.dense_keys,
            lists.sparse_keys,
            lists.dense_keys,
            defaults,
            "" if example_name is None else example_name,
        ]
        return _context_and_lists(
            context, lists, apply_op("ParseSingleSequenceExample", inputs, attrs, name=name).outputs
        )
