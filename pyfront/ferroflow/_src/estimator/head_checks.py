"""Checks of what heads are given: logits, labels, weights and loss functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.estimator.modes import argument_names
from ferroflow._src.feature_column.column import TransformedFeatures, dense_tensor
from ferroflow._src.feature_column.numeric import NumericColumn, numeric_column
from ferroflow._src.framework.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.losses.weighting import Reduction
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow.checking import (
    Assert,
    assert_equal,
    assert_less_equal,
    assert_non_negative,
    assert_rank_at_least,
)
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal, logical_or
from ferroflow._src.ops.math.reduction import reduce_all


def checked_reduction(loss_reduction: str) -> str:
    """Returns a way to combine losses; raises ValueError if it leaves them as they are, or there is no such way."""
    if loss_reduction not in Reduction.all() or loss_reduction == Reduction.NONE:
        raise ValueError(f"Invalid loss_reduction: {loss_reduction}")
    return loss_reduction


def checked_loss_fn(loss_fn: Any, more: tuple[str, ...] = ()) -> Any:
    """Returns a loss function, or None; raises ValueError if it takes other arguments than heads give it."""
    if loss_fn is None:
        return None
    names = argument_names(loss_fn)
    for needed in ("labels", "logits"):
        if needed not in names:
            raise ValueError(f"loss_fn must contain argument: {needed}. Given arguments: {names}")
    other = [name for name in names if name not in ("labels", "logits", "features", *more)]
    if other:
        raise ValueError(f"loss_fn has unexpected args: {other}")
    return loss_fn


def called_loss_fn(loss_fn: Any, labels: Tensor, logits: Tensor, features: Mapping[str, Any], dimension: int) -> Tensor:
    """Returns the losses that a loss function computes, of shape [..., `dimension`], which is checked."""
    more = {"features": features} if "features" in argument_names(loss_fn) else {}
    with name_scope(None, "call_loss_fn"):
        losses = convert_to_tensor(loss_fn(labels=labels, logits=logits, **more))
        expected = joining.concat([shaping.shape(logits)[:-1], [dimension]], 0)
        found = shaping.shape(losses)
        static = losses.get_shape()
        if static.ndims is not None and logits.get_shape().ndims not in (None, static.ndims):
            same = convert_to_tensor(False)
        else:
            same = reduce_all(equal(found, expected))
        text = f"loss_fn must return Tensor of shape [D0, D1, ... DN, {dimension}]. "
        check = Assert(same, [text, "logits_shape: ", shaping.shape(logits), "loss_shape: ", found])
        with control_dependencies([check]):
            return making.identity(losses)


def checked_thresholds(thresholds: Iterable[float] | None, text: str) -> tuple[float, ...]:
    """Returns thresholds as a tuple; raises ValueError with a text if one is not between 0 and 1."""
    found = tuple(thresholds or ())
    for threshold in found:
        if not 0.0 < threshold < 1.0:
            raise ValueError(text.format(one=threshold, all=(found,)))
    return found


def checked_weights(column: Any, features: Mapping[str, Any], logits: Tensor, per_logit: bool) -> Any:
    """Returns the examples' weights, of shape [..., 1] or, if `per_logit`, that of the logits; 1.0 without a column."""
    if column is None:
        return 1.0
    if isinstance(column, str):
        column = numeric_column(column)
    if not isinstance(column, NumericColumn):
        raise TypeError(f"Weight column must be either a string or _NumericColumn. Given type: {type(column)}.")
    text = "weights shape must be [D0, D1, ... DN] or [D0, D1, ... DN, 1]"
    if per_logit:
        text = "weights shape must be [D0, D1, ... DN], [D0, D1, ... DN, 1] or [D0, D1, ... DN, logits_dimension]"
    with name_scope(None, "weights") as scope:
        weights = cast(dense_tensor(column, TransformedFeatures(features)), dtypes.float32, name="weights")
        shape, of_logits = shaping.shape(weights), shaping.shape(logits)
        shapes = ["logits_shape: ", of_logits, "weights_shape: ", shape]
        rank, rank_of_logits = weights.get_shape().ndims, logits.get_shape().ndims
        if rank is not None and rank_of_logits is not None and rank == rank_of_logits - 1:
            with control_dependencies([assert_equal(of_logits[:-1], shape, shapes, message=text)]):
                expanded: Tensor = shaping.expand_dims(weights, -1, name=scope)
                return expanded
        expected = joining.concat([of_logits[:-1], [1]], 0)
        if per_logit:
            fits = logical_or(reduce_all(equal(of_logits, shape)), reduce_all(equal(expected, shape)))
            check = Assert(fits, [text, *shapes])
        else:
            check = assert_equal(expected, shape, shapes, message=text)
        with control_dependencies([check]):
            return making.identity(weights, name=scope)


def checked_logits(logits: Any, dimension: int) -> Tensor:
    """Returns logits as float32, of shape [..., `dimension`]; raises ValueError if they have another shape."""
    text = "logits shape must be [D0, D1, ... DN, logits_dimension]"
    with name_scope(None, "logits") as scope:
        logits = cast(logits, dtypes.float32)
        shape = logits.get_shape()
        if shape.ndims is not None and shape.ndims < 2:
            raise ValueError(f"{text}, got {shape}.")
        if shape.ndims is not None and shape[-1].value is not None:
            if shape[-1].value != dimension:
                raise ValueError(f"{text}, got {shape}.")
            found: Tensor = logits
            return found
        with control_dependencies([assert_rank_at_least(logits, 2, message=text)]):
            check = assert_equal(dimension, shaping.shape(logits)[-1], message=text)
        with control_dependencies([check]):
            return making.identity(logits, name=scope)


def checked_labels(labels: Any, logits: Tensor, dimension: int) -> Tensor:
    """Returns labels of shape [..., `dimension`]; raises ValueError if they are missing, sparse or of another shape."""
    if labels is None:
        raise ValueError(
            "You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check that your data "
            "contain your label feature. Check that your input_fn properly parses and returns labels."
        )
    with name_scope(None, "labels", [labels, logits]) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            raise ValueError(
                f"SparseTensor labels are not supported. labels must be a Tensor of shape [batch_size, {dimension}]. "
                "Suggested Fix: In your input_fn, use tf.sparse_tensor_to_dense() to turn labels into a Tensor."
            )
        rank = labels.get_shape().ndims
        if rank is not None and rank == (logits.get_shape().ndims or 0) - 1:
            labels = shaping.expand_dims(labels, -1)
        if rank and labels.get_shape()[-1].value not in (None, dimension):
            raise ValueError(
                f"Mismatched label shape. Expected labels dimension={dimension}.  Received "
                f"{labels.get_shape()[-1].value}. Suggested Fix: If your classifier expects one-hot encoding label, "
                "check your n_classes argument to the estimator and/or the shape of your label. Otherwise, check the "
                "shape of your label."
            )
        text = (
            f"labels shape must be [D0, D1, ... DN, {dimension}]. Suggested Fix: check your n_classes argument to the "
            "estimator and/or the shape of your label."
        )
        found, of_logits = shaping.shape(labels), shaping.shape(logits)
        with control_dependencies([assert_rank_at_least(labels, 2, message=text)]):
            expected = joining.concat([of_logits[:-1], [dimension]], 0)
            data = ["expected_labels_shape: ", expected, "labels_shape: ", found]
            check = assert_equal(expected, found, data, message=text)
            with control_dependencies([check]):
                return making.identity(labels, name=scope)


def in_range(labels: Tensor, n_classes: int, message: str | None = None) -> Tensor:
    """Returns labels, which are checked to be between 0 and `n_classes` - 1 when they are computed."""
    with name_scope(None, "assert_range", [labels]):
        most = convert_to_tensor(n_classes - 1, dtype=labels.dtype)
        checks = [
            assert_less_equal(labels, most, message=message or "Labels must <= n_classes - 1"),
            assert_non_negative(labels, message=message or "Labels must >= 0"),
        ]
        with control_dependencies(checks):
            return making.identity(labels)
