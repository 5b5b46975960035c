"""The regularizers of `tf.contrib.layers`: callables that make a loss of a weight."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import FloatLike, TensorLike
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import add_to_collection, get_collection, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.math.arithmetic import add_n, multiply
from ferroflow._src.ops.math.elementwise import abs as absolute
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.normalization import l2_loss

Regularizer = Callable[..., Tensor | None]


def _scaled(
    scale: Any, scope: str | None, default_scope: str, penalty: Callable[[Any], Any], scale_name: str = "scale"
) -> Regularizer:
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"{scale_name} cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real):
        if scale < 0.0:
            raise ValueError(f"Setting a scale less than 0 on a regularizer: {float(scale):g}.")
        if scale == 0.0:
            tf_logging.info("Scale of 0 disables regularizer.")
            return lambda _: None

    def regularizer(weights: Any) -> Tensor:
        with name_scope(scope, default_scope, [weights]) as name:
            factor = convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return multiply(factor, penalty(weights), name=name)

    return regularizer


def l1_regularizer(scale: FloatLike, scope: str | None = None) -> Regularizer:
    """Makes a regularizer that gives `scale * sum(|w|)`.

    Args:
        scale: float, or Tensor of shape []; 0.0 for no regularizer.
        scope: str, name scope of the operations.

    Returns:
        A callable of a weight that returns a Tensor of its dtype, of shape [], or None for a scale of 0.0.

    Raises:
        ValueError: if `scale` is an int or below 0.
    """
    return _scaled(scale, scope, "l1_regularizer", lambda weights: reduce_sum(absolute(weights)))


def l2_regularizer(scale: FloatLike, scope: str | None = None) -> Regularizer:
    """Returns a regularizer that computes `scale * sum(w ** 2) / 2`.

    Args:
        scale: float, or Tensor of shape []; 0.0 for no regularizer.
        scope: str, name scope of the operations.

    Returns:
        A callable of a weight that returns a Tensor of its dtype, of shape [], or None for a scale of 0.0.

    Raises:
        ValueError: if `scale` is an int or below 0.

    Example:
        >>> regularizer = tf.contrib.layers.l2_regularizer(scale=0.1)
        >>> w = tf.get_variable("w", [2], initializer=tf.constant_initializer([3.0, 4.0]), regularizer=regularizer)
        >>> sess.run(w.initializer)
        >>> print(sess.run(tf.losses.get_regularization_loss()))
        1.25
    """
    return _scaled(scale, scope, "l2_regularizer", l2_loss)


def sum_regularizer(
    regularizer_list: Iterable[Regularizer | None], scope: str | None = None
) -> Callable[..., Tensor] | None:
    """Makes a regularizer that returns the sum of other regularizers' losses.

    Args:
        regularizer_list: the others; None among them is left out.
        scope: str, name scope of the operations.

    Returns:
        A callable of a weight that gives a Tensor of shape []; None if there are no others.
    """
    given = [regularizer for regularizer in regularizer_list if regularizer is not None]
    if not given:
        return None

    def regularizer(weights: TensorLike) -> Tensor:
        with name_scope(scope, "sum_regularizer", [weights]) as name:
            return add_n([one(weights) for one in given], name=name)

    return regularizer


def l1_l2_regularizer(scale_l1: FloatLike = 1.0, scale_l2: FloatLike = 1.0, scope: str | None = None) -> Any:
    """Makes a regularizer that gives `scale_l1 * sum(|w|) + scale_l2 * sum(w ** 2) / 2`.

    Args:
        scale_l1: float, or Tensor of shape [].
        scale_l2: float, or Tensor of shape [].
        scope: str, name scope of the operations.

    Returns:
        A callable of a weight that gives a Tensor of its dtype, of shape [].

    Raises:
        ValueError: if a scale is an int or below 0.
    """
    for name, scale in (("scale_l1", scale_l1), ("scale_l2", scale_l2)):
        if isinstance(scale, numbers.Integral):
            raise ValueError(f"{name} cannot be an integer: {scale}")
    scope = scope or "l1_l2_regularizer"
    if isinstance(scale_l1, float) and scale_l1 == 0.0:
        return l2_regularizer(scale_l2, scope)
    if isinstance(scale_l2, float) and scale_l2 == 0.0:
        return l1_regularizer(scale_l1, scope)
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope)


def apply_regularization(regularizer: Regularizer, weights_list: Iterable[Any] | None = None) -> Tensor:
    """Adds up a regularizer's losses for some weights, and adds the sum to `GraphKeys.REGULARIZATION_LOSSES`.

    Args:
        regularizer: callable of a weight that gives a Tensor of shape [] or None.
        weights_list: list of Tensors or Variables of float dtypes, of any shape; None for those in `GraphKeys.WEIGHTS`.

    Returns:
        Tensor of float32 or the weights' dtype, of shape [].

    Raises:
        ValueError: if there are no weights, or a loss is not a scalar.
    """
    weights = list(weights_list or get_collection(GraphKeys.WEIGHTS))
    if not weights:
        raise ValueError("No weights to regularize.")
    with name_scope("get_regularization_penalty", values=weights) as scope:
        penalties = [regularizer(w) for w in weights]
        losses = [constant(0.0) if penalty is None else penalty for penalty in penalties]
        for loss in losses:
            if loss.get_shape().ndims != 0:
                raise ValueError(
                    f"regularizer must return a scalar Tensor instead of a Tensor with rank {loss.get_shape().ndims}."
                )
        total = add_n(losses, name=scope)
        add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
        return total
