"""Strings as small numbers, by their hash."""

from __future__ import annotations

from ferroflow._src.base.deprecation import deprecated_argument_lookup
from ferroflow._src.base.typing import ListLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.dispatch import add_dispatch_support
from ferroflow._src.framework.handles import Tensor


@add_dispatch_support
def string_to_hash_bucket(
    string_tensor: TensorLike | None = None,
    num_buckets: int | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """Hashes strings into buckets with a hash that may change between versions.

    Args:
        string_tensor: Tensor of string.
        num_buckets: int, at least 1.
        name: str, name of the operation.
        input: the newer name of `string_tensor`.

    Returns:
        Tensor of int64, in [0, num_buckets).
    """
    text = deprecated_argument_lookup("input", input, "string_tensor", string_tensor)
    return tensor_op("StringToHashBucket", [text], {"num_buckets": num_buckets}, name=name)


@add_dispatch_support
def string_to_hash_bucket_fast(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """Hashes strings into buckets with FarmHash's fingerprint, which never changes.

    Args:
        input: Tensor of string.
        num_buckets: int, at least 1.
        name: str, name of the operation.

    Returns:
        Tensor of int64, in [0, num_buckets).
    """
    return tensor_op("StringToHashBucketFast", [input], {"num_buckets": num_buckets}, name=name)


@add_dispatch_support
def string_to_hash_bucket_strong(input: TensorLike, num_buckets: int, key: ListLike, name: str | None = None) -> Tensor:
    """Hashes strings into buckets with SipHash: without the key, nobody can choose strings that fall into one bucket.

    Args:
        input: Tensor of string.
        num_buckets: int, at least 1.
        key: list of two ints.
        name: str, name of the operation.

    Returns:
        Tensor of int64, in [0, num_buckets).

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if `key` does not have two elements.
    """
    return tensor_op("StringToHashBucketStrong", [input], {"num_buckets": num_buckets, "key": key}, name=name)


def fingerprint(data: TensorLike, method: TensorLike = "farmhash64", name: str | None = None) -> Tensor:
    """Computes fingerprints of the slices of a tensor along its first dimension.

    Args:
        data: Tensor of any dtype, of shape [n, ...].
        method: Tensor of string, of shape []: "farmhash64".
        name: str, name of the operation.

    Returns:
        Tensor of uint8, of shape [n, 8], lowest byte first.
    """
    return tensor_op("Fingerprint", [data, method], name=name)
