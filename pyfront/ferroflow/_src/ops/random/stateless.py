"""Random numbers as functions of their arguments: equal seeds give equal numbers."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_shape, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor

_DTYPES = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)


def stateless_random_uniform(
    shape: ShapeTensorLike,
    seed: TensorLike,
    minval: TensorLike = 0,
    maxval: Any = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Draws uniform numbers in [minval, maxval).

    Args:
        shape: Tensor of int32 or int64, of shape [rank].
        seed: Tensor of int32 or int64, of shape [2].
        minval: Tensor of `dtype`, that broadcasts with `shape` (for whole numbers: of shape []).
        maxval: Tensor as `minval`; None for 1, not allowed for whole numbers.
        dtype: DType of the result: float16, float32, float64, int32 or int64.
        name: str, name scope of the operations.

    Returns:
        Tensor of `dtype`, of the given shape: the same at each run.

    Raises:
        ValueError: if `dtype` is not supported, or is an integer dtype without `maxval`.
    """
    dtype = dtypes.as_dtype(dtype)
    if dtype not in _DTYPES:
        raise ValueError(f"Invalid dtype {dtype!r}")
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    with name_scope(name, "stateless_random_uniform", [shape, seed, minval, maxval]) as scope:
        shape = convert_shape(shape, name="shape")
        minval = convert_to_tensor(minval, dtype=dtype, name="min")
        maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
        if dtype.is_integer:
            return tensor_op("StatelessRandomUniformInt", [shape, seed, minval, maxval], name=scope)
        unit = tensor_op("StatelessRandomUniform", [shape, seed], {"dtype": dtype})
        return tensor_op("Add", [unit * (maxval - minval), minval], name=scope)


def _normal(op_type: str, scope_name: str, arguments: tuple[Any, ...], dtype: Any, name: str | None) -> Tensor:
    shape, seed, mean, stddev = arguments
    with name_scope(name, scope_name, [shape, seed, mean, stddev]) as scope:
        shape = convert_shape(shape, name="shape")
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        standard = tensor_op(op_type, [shape, seed], {"dtype": dtypes.as_dtype(dtype)})
        return tensor_op("Add", [standard * stddev, mean], name=scope)


def stateless_random_normal(
    shape: ShapeTensorLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Draws normal numbers.

    Args:
        shape: Tensor of int32 or int64, of shape [rank].
        seed: Tensor of int32 or int64, of shape [2].
        mean: Tensor of `dtype`, that broadcasts with `shape`.
        stddev: Tensor of `dtype`, that broadcasts with `shape`.
        dtype: DType of the result: float16, float32 or float64.
        name: str, name scope of the operations.

    Returns:
        Tensor of `dtype`, of the given shape: the same at each run.
    """
    arguments = (shape, seed, mean, stddev)
    return _normal("StatelessRandomNormal", "stateless_random_normal", arguments, dtype, name)


def stateless_truncated_normal(
    shape: ShapeTensorLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Draws normal numbers within two standard deviations of the mean.

    Args:
        shape: Tensor of int32 or int64, of shape [rank].
        seed: Tensor of int32 or int64, of shape [2].
        mean: Tensor of `dtype`, that broadcasts with `shape`.
        stddev: Tensor of `dtype`, that broadcasts with `shape`.
        dtype: DType of the result: float16, float32 or float64.
        name: str, name scope of the operations.

    Returns:
        Tensor of `dtype`, of the given shape: the same at each run.
    """
    arguments = (shape, seed, mean, stddev)
    return _normal("StatelessTruncatedNormal", "stateless_truncated_normal", arguments, dtype, name)


def _classes(logits: Any, num_samples: Any, seed: Any, dtype: Any, scope_name: str, name: str | None) -> Tensor:
    with name_scope(name, scope_name, [logits, seed]):
        logits = convert_to_tensor(logits, name="logits")
        wanted = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
        return tensor_op("StatelessMultinomial", [logits, num_samples, seed], {"output_dtype": wanted})


def stateless_categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Draws classes with the probabilities `softmax(logits)`.

    Args:
        logits: Tensor of float16, bfloat16, float32 or float64, of shape [batch, classes].
        num_samples: Tensor of int32, of shape []: draws for each row.
        seed: Tensor of int32 or int64, of shape [2].
        dtype: DType of the result, int32 or int64.
        name: str, name scope of the operation.

    Returns:
        Tensor of `dtype`, of shape [batch, num_samples]: the same at each run.
    """
    return _classes(logits, num_samples, seed, dtype, "stateless_categorical", name)


def stateless_multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    output_dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Draws classes with the probabilities `softmax(logits)`.

    Args:
        logits: Tensor of float16, bfloat16, float32 or float64, of shape [batch, classes].
        num_samples: Tensor of int32, of shape []: draws for each row.
        seed: Tensor of int32 or int64, of shape [2].
        output_dtype: DType of the result, int32 or int64.
        name: str, name scope of the operation.

    Returns:
        Tensor of `output_dtype`, of shape [batch, num_samples]: the same at each run.
    """
    return _classes(logits, num_samples, seed, output_dtype, "stateless_multinomial", name)
