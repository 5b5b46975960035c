"""Functions that TensorFlow 1.13 to 1.15 has a newer one for: each call warns and names it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from ferroflow._src.base.deprecation import deprecated, warn_deprecated
from ferroflow._src.base.typing import ShapeTensorLike, TensorLike
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing
from ferroflow._src.ops.math import arithmetic, clipping
from ferroflow._src.ops.nn import normalization
from ferroflow._src.ops.quantization import steps
from ferroflow._src.ops.random import sampling, stateless
from ferroflow._src.ops.script import py_func as script
from ferroflow._src.ops.sparse import converting
from ferroflow._src.ops.state import assigning
from ferroflow._src.ops.string import parts

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _superseded(old: str, new: str, function: _Function) -> _Function:
    return deprecated(new, name=f"tf.{old}")(function)


clip_by_average_norm = _superseded(
    "clip_by_average_norm",
    "tf.clip_by_norm(t, clip_norm * tf.cast(tf.size(t), tf.float32), name)",
    clipping.clip_by_average_norm,
)
count_up_to = _superseded("count_up_to", "tf.data.Dataset.range", assigning.count_up_to)
div = _superseded("div", "the operator / or tf.math.divide", arithmetic.div)
multinomial = _superseded("multinomial", "tf.random.categorical", sampling.multinomial)
py_func = _superseded("py_func", "tf.numpy_function", script.py_func)
quantize_v2 = _superseded("quantize_v2", "tf.quantization.quantize", steps.quantize_v2)
setdiff1d = _superseded("setdiff1d", "tf.sets.difference", indexing.setdiff1d)
sparse_to_dense = _superseded("sparse_to_dense", "a tf.SparseTensor and tf.sparse.to_dense", converting.sparse_to_dense)
stateless_multinomial = _superseded(
    "random.stateless_multinomial", "tf.random.stateless_categorical", stateless.stateless_multinomial
)
substr = _superseded("substr", "tf.strings.substr", parts.substr)


@functools.wraps(normalization.dropout)
def dropout(
    x: TensorLike,
    keep_prob: Any = None,
    noise_shape: ShapeTensorLike | None = None,
    seed: int | None = None,
    name: str | None = None,
    rate: TensorLike | None = None,
) -> Tensor:
    """Computes `dropout`, with a warning if `keep_prob` is given instead of `rate`."""
    if keep_prob is not None:
        warn_deprecated("The argument keep_prob of dropout", "rate = 1 - keep_prob")
    return normalization.dropout(x, keep_prob, noise_shape, seed, name, rate)
