"""Decoding of LIBSVM's lines: a label, and the indices and values of features."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import boolean_mask
from ferroflow._src.ops.array.joining import concat, stack
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.checking import assert_equal, assert_non_negative
from ferroflow._src.ops.math.comparison import equal, not_equal
from ferroflow._src.ops.ragged.text import string_split
from ferroflow._src.ops.string.encoding import string_to_number

__all__ = ["decode_libsvm"]

_SPACES = " \t\n\v\f\r"


def decode_libsvm(
    content: TensorLike, num_features: int, dtype: DTypeLike | None = None, label_dtype: DTypeLike | None = None
) -> tuple[SparseTensor, Tensor]:
    """Decodes lines such as "1 3:0.5 7:2": a label, and the indices and values of features.

    Args:
        content: Tensor of str, of a known rank of 1 or more: the lines.
        num_features: int, the number of features.
        dtype: DType of the values; None for float32.
        label_dtype: DType of the labels; None for int64.

    Returns:
        (SparseTensor of `dtype`, of shape [*content.shape, num_features]: the features, in the lines' order; Tensor of
        `label_dtype`, of the shape of `content`: the labels).

    Raises:
        ValueError: if `content` has an unknown rank, or the rank 0.
        tf.errors.InvalidArgumentError: when a step runs, if a line has no label, a feature is not of the form
            "index:value", a number cannot be read, or an index is negative.
    """
    with name_scope(None, "DecodeLibSVM", [content]):
        lines: Any = convert_to_tensor(content, dtypes.string)
        if not lines.shape.ndims:
            raise ValueError(f"content must have a known rank of 1 or more, got the shape {lines.shape}.")
        words = string_split(shaping.reshape(lines, [-1]), _SPACES)
        is_label = equal(words.indices[:, 1], 0)
        labels = boolean_mask(words.values, is_label)
        message = "Each line must have a label."
        with control_dependencies([assert_equal(shaping.size(labels), shaping.size(lines), message=message)]):
            labels = shaping.reshape(string_to_number(labels, label_dtype or dtypes.int64), shaping.shape(lines))
        labels.set_shape(lines.shape)
        is_feature = not_equal(words.indices[:, 1], 0)
        of_line = boolean_mask(words.indices[:, 0], is_feature)
        features = boolean_mask(words.values, is_feature)
        parts = string_split(features, ":", skip_empty=False)
        message = "Features must be of the form index:value."
        counted = assert_equal(parts.dense_shape, [shaping.size(features, out_type=dtypes.int64), 2], message=message)
        complete = assert_equal(shaping.size(parts.values), 2 * shaping.size(features), message=message)
        with control_dependencies([counted, complete]):
            pairs = shaping.reshape(parts.values, [-1, 2])
        indices = string_to_number(pairs[:, 0], dtypes.int64)
        with control_dependencies([assert_non_negative(indices, message="Feature index should be >= 0.")]):
            indices = identity(indices)
        values = string_to_number(pairs[:, 1], dtype or dtypes.float32)
        shape = shaping.shape(lines, out_type=dtypes.int64)
        places: list[Any] = []
        for axis in reversed(range(lines.shape.ndims)):
            places.insert(0, of_line % shape[axis])
            of_line = of_line // shape[axis]
        size = concat([shape, [num_features]], 0)
        return SparseTensor(stack([*places, indices], 1), values, size), labels
