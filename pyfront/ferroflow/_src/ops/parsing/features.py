"""Features to parse from examples: their descriptions, and the attributes of the parsing operations."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.base.tensor_shape import as_shape
from ferroflow._src.base.typing import DTypeLike, ShapeLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.ops.sparse.converting import sparse_merge

if TYPE_CHECKING:
    from typing_extensions import Self


class VarLenFeature(NamedTuple):
    """A feature of any number of values, parsed to a SparseTensor.

    Args:
        dtype: DType: float32, int64 or string.
    """

    dtype: Any


class _SparseFeature(NamedTuple):
    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool


class SparseFeature(_SparseFeature):
    """A SparseTensor whose indices and values are features of their own.

    Args:
        index_key: str, or list of str with one for each dimension: the features with the indices, of int64.
        value_key: str, the feature with the values.
        dtype: DType of the values: float32, int64 or string.
        size: int, or list of int with one for each dimension: the dense shape.
        already_sorted: bool; True if the values come in row-major order.
    """

    def __new__(cls, index_key: Any, value_key: str, dtype: Any, size: Any, already_sorted: bool = False) -> Self:
        return super().__new__(cls, index_key, value_key, dtype, size, already_sorted)


class _FixedLenFeature(NamedTuple):
    shape: Any
    dtype: Any
    default_value: Any


class FixedLenFeature(_FixedLenFeature):
    """Feature with a fixed number of values, parsed to a Tensor of a given shape.

    Args:
        shape: list or tuple of int, or TensorShape.
        dtype: DType: float32, int64 or string.
        default_value: the value of that shape for examples without the feature; None if all examples must have it.

    Example:
        >>> example = tf.train.Example()
        >>> example.features.feature["label"].int64_list.value.append(3)
        >>> spec = {
        ...     "label": tf.FixedLenFeature([], tf.int64),
        ...     "weight": tf.FixedLenFeature([], tf.float32, default_value=1.0),
        ... }
        >>> parsed = tf.parse_single_example(example.SerializeToString(), spec)
        >>> print(sess.run(parsed["label"]), sess.run(parsed["weight"]))
        3 1.0
    """

    def __new__(cls, shape: ShapeLike, dtype: DTypeLike, default_value: TensorLike | None = None) -> Self:
        return super().__new__(cls, shape, dtype, default_value)


class _FixedLenSequenceFeature(NamedTuple):
    shape: Any
    dtype: Any
    allow_missing: bool
    default_value: Any


class FixedLenSequenceFeature(_FixedLenSequenceFeature):
    """A feature with any number of rows, all of one shape, parsed to a Tensor.

    Args:
        shape: list or tuple of int, or TensorShape: the shape of a row.
        dtype: DType: float32, int64 or string.
        allow_missing: bool. If True, an example may lack the feature; must be true for `tf.parse_example`.
        default_value: the element that fills up shorter examples of a batch; None for 0 or an empty string.
    """

    def __new__(cls, shape: Any, dtype: Any, allow_missing: bool = False, default_value: Any = None) -> Self:
        return super().__new__(cls, shape, dtype, allow_missing, default_value)


@dataclasses.dataclass
class Wanted:
    """Keys, dtypes, shapes and defaults, as the parsing operations take them."""

    sparse_keys: list[str] = dataclasses.field(default_factory=list)
    sparse_types: list[dtypes.DType] = dataclasses.field(default_factory=list)
    dense_keys: list[str] = dataclasses.field(default_factory=list)
    dense_types: list[dtypes.DType] = dataclasses.field(default_factory=list)
    dense_shapes: list[Any] = dataclasses.field(default_factory=list)
    dense_defaults: dict[str, Any] = dataclasses.field(default_factory=dict)

    def add_sparse(self, key: str, dtype: DTypeLike, other: str) -> None:
        """Requests a sparse feature that several descriptions may share.

        Raises:
            ValueError: if the key was requested with another dtype before; `other` names the new request in the
                message.
        """
        dtype = dtypes.as_dtype(dtype)
        if key not in self.sparse_keys:
            self.sparse_keys.append(key)
            self.sparse_types.append(dtype)
            return
        known = self.sparse_types[self.sparse_keys.index(key)]
        if known != dtype:
            raise ValueError(f"Conflicting type {known} vs {other} for feature {key}.")

    def add_dense(self, key: str, dtype: DTypeLike, shape: ShapeTensorLike) -> None:
        """Requests a dense feature."""
        self.dense_keys.append(key)
        self.dense_types.append(dtypes.as_dtype(dtype))
        self.dense_shapes.append(shape)


def _index_keys(feature: SparseFeature) -> list[str]:
    return [feature.index_key] if isinstance(feature.index_key, str) else list(feature.index_key)


def _add_sparse_feature(wanted: Wanted, feature: SparseFeature) -> None:
    if not feature.index_key:
        raise ValueError(f"Missing index_key for SparseFeature {feature}.")
    if not feature.value_key:
        raise ValueError(f"Missing value_key for SparseFeature {feature}.")
    keys = _index_keys(feature)
    if len(keys) > 1:
        tf_logging.warning(
            "SparseFeature is a complicated feature config and should only be used after careful consideration of "
            "VarLenFeature."
        )
    for key in sorted(keys):
        wanted.add_sparse(key, dtypes.int64, "int64")
    wanted.add_sparse(feature.value_key, feature.dtype, str(feature.dtype))


def _add_fixed_feature(wanted: Wanted, key: str, feature: FixedLenFeature) -> None:
    shape = as_shape(feature.shape)
    if feature.shape and shape.ndims and shape.as_list()[0] is None:
        raise ValueError(f"First dimension of shape for feature {key} unknown. Consider using FixedLenSequenceFeature.")
    if not shape.is_fully_defined():
        raise ValueError(f"All dimensions of shape for feature {key} need to be known but received {feature.shape}.")
    wanted.add_dense(key, feature.dtype, feature.shape)


def wanted_features(features: Mapping[str, Any] | None, allowed: Iterable[type]) -> Wanted:
    """Reads the descriptions of features.

    Args:
        features: dict from keys to descriptions, or None.
        allowed: the kinds of descriptions.

    Raises:
        ValueError: if a description has a wrong type, is incomplete or contradicts another.
    """
    wanted = Wanted()
    kinds = tuple(allowed)
    for key in sorted(features or {}):
        feature = (features or {})[key]
        kind = type(feature)
        if not isinstance(feature, VarLenFeature | SparseFeature | FixedLenFeature | FixedLenSequenceFeature):
            raise ValueError(f"Invalid feature {key}:{feature}.")
        if not isinstance(feature, kinds):
            raise ValueError(f"Unsupported {kind.__name__} {feature}.")
        if isinstance(feature, SparseFeature) and not (feature.index_key and feature.value_key):
            _add_sparse_feature(wanted, feature)
        if not feature.dtype:
            raise ValueError(f"Missing type for feature {key}.")
        if isinstance(feature, VarLenFeature):
            wanted.sparse_keys.append(key)
            wanted.sparse_types.append(dtypes.as_dtype(feature.dtype))
        elif isinstance(feature, SparseFeature):
            _add_sparse_feature(wanted, feature)
        elif feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}.")
        elif isinstance(feature, FixedLenFeature):
            _add_fixed_feature(wanted, key, feature)
        else:
            wanted.add_dense(key, feature.dtype, feature.shape)
            if feature.allow_missing:
                wanted.dense_defaults[key] = None
        default = getattr(feature, "default_value", None)
        if default is not None:
            wanted.dense_defaults[key] = default
    return wanted


def with_unknown_length(features: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the descriptions, those of sequences with a first dimension of unknown size.

    Raises:
        ValueError: if a sequence must not be missing.
    """
    changed = dict(features)
    for key, feature in features.items():
        if isinstance(feature, FixedLenSequenceFeature):
            if not feature.allow_missing:
                raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
            changed[key] = feature._replace(shape=[None, *as_shape(feature.shape).as_list()])
    return changed


def merged(features: Mapping[str, Any], tensors: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the parsed values by the keys of the descriptions; each SparseFeature is made from the features with
    its parts.
    """
    result = dict(tensors)
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, SparseFeature):
            ids = feature.index_key
            sp_ids: SparseTensor | list[SparseTensor] = (
                tensors[ids] if isinstance(ids, str) else [tensors[index] for index in ids]
            )
            result[key] = sparse_merge(
                sp_ids, tensors[feature.value_key], vocab_size=feature.size, already_sorted=feature.already_sorted
            )
    return {key: tensor for key, tensor in result.items() if key in features}
