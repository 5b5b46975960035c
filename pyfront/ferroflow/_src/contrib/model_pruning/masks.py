"""Masks of weights: their variables, the collections that hold them, and the share of zeros."""

from __future__ import annotations

from typing import Any, Final

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.default_graph import add_to_collection, get_collection
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.math.arithmetic import multiply
from ferroflow._src.ops.nn.normalization import zero_fraction
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Ones, Zeros
from ferroflow._src.variables.scope import variable_scope

MASK_COLLECTION: Final = "masks"
THRESHOLD_COLLECTION: Final = "thresholds"
MASKED_WEIGHT_COLLECTION: Final = "masked_weights"
WEIGHT_COLLECTION: Final = "kernel"
MASKED_WEIGHT_NAME: Final = "weights/masked_weight"


def weight_mask_variable(var: Any, scope: Any) -> Any:
    """Returns the variable `mask` of weights, ones at first.

    Args:
        var: Tensor or Variable of a float dtype: the weights.
        scope: str, the variable scope.

    Returns:
        Variable of the dtype and shape of the weights, which is not trained.
    """
    with variable_scope(scope):
        return get_variable("mask", var.get_shape(), initializer=Ones(), trainable=False, dtype=var.dtype)


def weight_threshold_variable(var: Any, scope: Any) -> Any:
    """Returns the variable `threshold` of weights, 0 at first.

    Args:
        var: Tensor or Variable of a float dtype: the weights.
        scope: str, the variable scope.

    Returns:
        Variable of the dtype of the weights and shape [], which is not trained.
    """
    with variable_scope(scope):
        return get_variable("threshold", [], initializer=Zeros(), trainable=False, dtype=var.dtype)


def collect_masked(weights: Any, mask: Any, threshold: Any, masked: Tensor) -> None:
    """Adds weights and what prunes them to the collections."""
    add_to_collection(MASK_COLLECTION, mask)
    add_to_collection(MASKED_WEIGHT_COLLECTION, masked)
    add_to_collection(THRESHOLD_COLLECTION, threshold)
    add_to_collection(WEIGHT_COLLECTION, weights)


def collect_masked_once(weights: Any, mask: Any, threshold: Any, masked: Tensor) -> None:
    """Adds weights to the collections, unless these hold the mask: weights of a cell are masked in each step."""
    if not any(mask is found for found in get_masks()):
        collect_masked(weights, mask, threshold, masked)


def apply_mask(x: TensorLike, scope: Any = "") -> Tensor:
    """Multiplies weights by a new mask, which `Pruning` updates.

    Args:
        x: Variable or Tensor of a float dtype and any shape: the weights.
        scope: str, variable scope of the mask and its threshold.

    Returns:
        Tensor of the dtype and shape of `x`.

    Example:
        >>> weights = tf.get_variable("weights", initializer=[[1.0, 2.0]])
        >>> masked = tf.contrib.model_pruning.apply_mask(weights, scope="layer")
        >>> sess.run(tf.global_variables_initializer())
        >>> sess.run(tf.contrib.model_pruning.get_masks()[0].assign([[1.0, 0.0]]))
        >>> print(sess.run(masked))
        [[1. 0.]]
    """
    mask = weight_mask_variable(x, scope)
    threshold = weight_threshold_variable(x, scope)
    # The name is that by which tools find masked weights.
    masked = multiply(mask, x, MASKED_WEIGHT_NAME)
    collect_masked_once(x, mask, threshold, masked)
    return masked


def get_masked_weights() -> list[Any]:
    """Returns the products of weights and masks in the default graph, Tensors of float dtypes."""
    return get_collection(MASKED_WEIGHT_COLLECTION)


def get_masks() -> list[Any]:
    """Returns the masks in the default graph, Variables of float dtypes."""
    return get_collection(MASK_COLLECTION)


def get_thresholds() -> list[Any]:
    """Returns the thresholds of masks in the default graph, Variables of float dtypes and shape []."""
    return get_collection(THRESHOLD_COLLECTION)


def get_weights() -> list[Any]:
    """Returns the weights that have masks in the default graph, Variables or Tensors of float dtypes."""
    return get_collection(WEIGHT_COLLECTION)


def get_weight_sparsity() -> list[Tensor]:
    """Returns the share of zeros in each mask of the default graph.

    Returns:
        List of float32 Tensors of shape [].
    """
    return [zero_fraction(mask) for mask in get_masks()]
