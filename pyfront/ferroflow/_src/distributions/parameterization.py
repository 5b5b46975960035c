"""Values derived from parameters of distributions: logits from probabilities, seeds from seeds, orders from numbers."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.distributions import validation
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import indexing, making
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.elementwise import expm1, lgamma, log, log1p, sigmoid
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.softmax import softmax


def _as_floats(x: Any, name: str) -> Any:
    x = convert_to_tensor(x, name=name)
    if not x.dtype.is_floating:
        raise TypeError(f"{name} must having floating type.")
    return x


def get_logits_and_probs(
    logits: TensorLike | None = None,
    probs: Any = None,
    multidimensional: bool = False,
    validate_args: bool = False,
    name: str = "get_logits_and_probs",
) -> tuple[Any, Any]:
    """Returns both logits and probabilities where one of them is given.

    Args:
        logits: Tensor of a float dtype: log odds, or with `multidimensional` logarithms of weights along the last
            dimension; or None.
        probs: Tensor of a float dtype: probabilities; or None.
        multidimensional: bool. If True, the last dimension holds the classes of one distribution.
        validate_args: bool. If True, the step checks that probabilities are in [0, 1] and add up to 1.
        name: str, name scope of the operations.

    Returns:
        (logits, probs).

    Raises:
        ValueError: if both or neither are given.
        TypeError: if `logits` or `probs` is not of a float dtype.
    """
    with name_scope(name, values=[probs, logits]):
        if (probs is None) == (logits is None):
            raise ValueError("Must pass probs or logits, but not both.")
        if probs is None:
            logits = _as_floats(logits, "logits")
            if not multidimensional:
                return logits, sigmoid(logits, name="probs")
            if validate_args:
                logits = validation.categorical_event_shape(logits)
            return logits, softmax(logits, name="probs")
        probs = _as_floats(probs, "probs")
        if validate_args:
            with name_scope("validate_probs"):
                one = constant(1.0, probs.dtype)
                checks = [checking.assert_non_negative(probs)]
                if multidimensional:
                    probs = validation.categorical_event_shape(probs)
                    total = reduce_sum(probs, -1)
                    checks.append(validation.assert_close(total, one, message="probs does not sum to 1."))
                else:
                    message = "probs has components greater than 1."
                    checks.append(checking.assert_less_equal(probs, one, message=message))
                probs = with_dependencies(checks, probs)
        with name_scope("logits"):
            return (log(probs) if multidimensional else log(probs) - log1p(-1.0 * probs)), probs


def gen_new_seed(seed: int | None, salt: str) -> int | None:
    """Returns the seed of a second operation, made from that of the first and a word; None for None."""
    if seed is None:
        return None
    return int(hashlib.md5((str(seed) + salt).encode()).hexdigest()[:8], 16) & 0x7FFFFFFF


def log_beta(x: TensorLike, name: str = "lbeta") -> Any:
    """Returns the logarithm of the multivariate beta function along the last dimension."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        return reduce_sum(lgamma(x), axis=[-1]) - lgamma(reduce_sum(x, axis=[-1]))


def log_combinations(n: Any, counts: Any, name: str = "log_combinations") -> Any:
    """Returns the logarithm of how many orders n draws with given counts, along the last dimension, can have."""
    with name_scope(name, values=[n, counts]):
        n = convert_to_tensor(n, name="n")
        counts = convert_to_tensor(counts, name="counts")
        return lgamma(n + 1) - reduce_sum(lgamma(counts + 1), axis=[-1])


def softplus_inverse(x: TensorLike, name: str | None = None) -> Any:
    """Computes `log(exp(x) - 1)`, the inverse of softplus.

    Args:
        x: Tensor of float16, float32 or float64, above 0.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    with name_scope(name, "softplus_inverse", values=[x]):
        x = convert_to_tensor(x, name="x")
        # Beyond the threshold on either side, the other term of the sum below rounds away.
        threshold = np.log(np.finfo(x.dtype.as_numpy_dtype).eps) + 2.0
        is_too_small = comparison.less(x, np.exp(threshold))
        is_too_large = comparison.greater(x, -threshold)
        small, large = log(x), x
        inner = indexing.where(comparison.logical_or(is_too_small, is_too_large), making.ones_like(x), x)
        middle = inner + log(-expm1(-inner))
        return indexing.where(is_too_small, small, indexing.where(is_too_large, large, middle))
