"""Signatures of tensors: dtypes and shapes of features and labels, to make placeholders or parsers for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.ops.array.making import placeholder, sparse_placeholder
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.parsing.examples import parse_example
from ferroflow._src.ops.parsing.features import FixedLenFeature, VarLenFeature

__all__ = [
    "TensorSignature",
    "create_example_parser_from_signatures",
    "create_placeholders_from_signatures",
    "create_signatures",
    "tensors_compatible",
]
# The dtype in which examples hold numbers of another one.
_STORED = {dtypes.int32: dtypes.int64, dtypes.float64: dtypes.float32}


class _Signature(NamedTuple):
    dtype: Any
    shape: Any
    is_sparse: bool


class TensorSignature(_Signature):
    """The dtype and shape of a tensor, and if it is sparse.

    Args:
        tensor: Tensor or SparseTensor of any dtype and shape.
    """

    __slots__ = ()

    def __new__(cls, tensor: Any) -> TensorSignature:
        if isinstance(tensor, SparseTensor):
            return super().__new__(cls, tensor.values.dtype, None, True)
        return super().__new__(cls, tensor.dtype, tensor.get_shape(), False)

    def is_compatible_with(self, other: TensorSignature) -> bool:
        """Returns True if tensors of this signature fit another one; the size of the batch may differ.

        Args:
            other: TensorSignature.

        Returns:
            bool.
        """
        if self.is_sparse or other.is_sparse:
            return bool(self.is_sparse and other.is_sparse and self.dtype.is_compatible_with(other.dtype))
        return bool(self.dtype.is_compatible_with(other.dtype)) and _fit_but_for_batch(self.shape, other.shape)

    def get_placeholder(self) -> Any:
        """Returns a placeholder of any batch size, a Tensor or SparseTensor."""
        if self.is_sparse:
            return sparse_placeholder(dtype=self.dtype)
        return placeholder(dtype=self.dtype, shape=[None, *self.shape[1:].as_list()])

    def get_feature_spec(self) -> Any:
        """Returns the feature to parse from examples, FixedLenFeature or VarLenFeature; examples hold 64-bit integers
        and 32-bit floats.
        """
        stored = _STORED.get(self.dtype, self.dtype)
        return VarLenFeature(stored) if self.is_sparse else FixedLenFeature(self.shape[1:], stored)


def _fit_but_for_batch(one: TensorShape, other: TensorShape) -> bool:
    if one.ndims is None or other.ndims is None:
        return True
    return one.ndims == other.ndims and bool(one[1:].is_compatible_with(other[1:]))


def _each(function: Callable[[Any], Any], values: Any) -> Any:
    if values is None:
        return None
    if isinstance(values, Mapping):
        return {key: function(value) for key, value in values.items()}
    return function(values)


def tensors_compatible(tensors: Any, signatures: Any) -> bool:
    """Returns True if tensors fit signatures.

    Args:
        tensors: Tensor or SparseTensor of any dtype and shape, dict of them, or None.
        signatures: TensorSignature, dict of them, or None.

    Returns:
        bool; False if one is a dict and the other one is not, or a tensor is missing.
    """
    if tensors is None or signatures is None:
        return tensors is None and signatures is None
    if isinstance(tensors, Mapping) != isinstance(signatures, Mapping):
        return False
    if not isinstance(signatures, Mapping):
        return TensorSignature(tensors).is_compatible_with(signatures)
    return all(
        key in tensors and TensorSignature(tensors[key]).is_compatible_with(signature)
        for key, signature in signatures.items()
    )


def create_signatures(tensors: Any) -> Any:
    """Returns the signatures of tensors.

    Args:
        tensors: Tensor or SparseTensor of any dtype and shape, dict of them, or None.

    Returns:
        TensorSignature, dict of them, or None.
    """
    return _each(TensorSignature, tensors)


def create_placeholders_from_signatures(signatures: Any) -> Any:
    """Returns placeholders of signatures.

    Args:
        signatures: TensorSignature, dict of them, or None.

    Returns:
        Tensor or SparseTensor of the signature's dtype and shape, dict of them, or None.
    """
    return _each(TensorSignature.get_placeholder, signatures)


def create_example_parser_from_signatures(
    signatures: Any, examples_batch: Any, single_feature_name: str = "feature"
) -> Any:
    """Parses examples to tensors of signatures.

    Args:
        signatures: TensorSignature, or dict of them by the features' names.
        examples_batch: Tensor of string, of shape [batch]: serialized Examples.
        single_feature_name: str, the name of the feature of a single signature.

    Returns:
        Tensor or SparseTensor of the signature's dtype, or dict of them.
    """
    is_single = not isinstance(signatures, Mapping)
    named = {single_feature_name: signatures} if is_single else signatures
    parsed = parse_example(examples_batch, {name: signature.get_feature_spec() for name, signature in named.items()})
    features = {
        name: value if named[name].dtype.is_compatible_with(value.dtype) else cast(value, named[name].dtype)
        for name, value in parsed.items()
    }
    return features[single_feature_name] if is_single else features
