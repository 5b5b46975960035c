"""Softmax, its logarithm, and the cross entropies of logits."""

from __future__ import annotations

import math
from typing import Any

from ferroflow._src.base import dtypes, errors
from ferroflow._src.base.deprecation import (
    deprecated,
    deprecated_args,
    deprecated_argument_lookup,
    warn_deprecated,
)
from ferroflow._src.base.typing import TensorLike, TensorLikes
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import (
    control_dependencies,
    name_scope,
)
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping, slicing
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import abs as absolute


def _as_rows(logits: Tensor) -> Tensor:
    """Returns the tensor as a matrix whose rows are vectors of the last dimension."""
    ndims = shaping.rank(logits)
    last = slicing.slice(shaping.shape(logits), [tensor_op("Sub", [ndims, 1])], [1])
    rows = shaping.reshape(logits, joining.concat([[-1], last], 0))
    static = logits.get_shape()
    if static.ndims is not None and static.ndims > 0:
        outer = static.as_list()[:-1]
        known = [d for d in outer if d is not None]
        count = math.prod(known) if len(known) == len(outer) else None
        rows.set_shape([count, static.as_list()[-1]])
    return rows


def _swap(logits: Tensor, first: Any, last: Any, name: str | None = None) -> Tensor:
    perm = joining.concat([making.range(first), [last], making.range(first + 1, last), [first]], 0)
    return shaping.transpose(logits, perm, name=name or "transpose")


def _along_axis(logits: Any, op_type: str, axis: Any, name: str | None) -> Tensor:
    logits = convert_to_tensor(logits)
    static = logits.get_shape()
    ndims = static.ndims
    if ndims is not None and not isinstance(axis, Tensor) and ndims > 0 and not -ndims <= axis < ndims:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Dimension ({axis}) must be in the range [{-ndims}, {ndims}) where {ndims} is the number of dimensions in "
            "the input.",
        )
    is_last = isinstance(axis, int) and (axis == -1 or (ndims is not None and axis == ndims - 1))
    if is_last:
        return tensor_op(op_type, [logits], name=name)
    if ndims is None:
        raise TypeError("logits must have a known rank if dim is not the last dimension")
    rank = shaping.rank(logits)
    # TF 1.x: a negative axis is counted from the end by operations.
    axis = axis + rank if not isinstance(axis, Tensor) and axis < 0 else axis
    input_rank = shaping.rank(logits)
    axis = axis % ndims
    result = tensor_op(op_type, [_swap(logits, axis, tensor_op("Sub", [input_rank, 1]))])
    result = _swap(result, axis, tensor_op("Sub", [input_rank, 1]), name=name)
    result.set_shape(static)
    return result


def _axis_or_dim(function: str, axis: Any, dim: Any) -> Any:
    if dim is not None:
        warn_deprecated(f"The argument dim of {function}", "axis", stacklevel=2)
    axis = deprecated_argument_lookup("axis", axis, "dim", dim)
    return -1 if axis is None else axis


def softmax(logits: TensorLike, axis: int | None = None, name: str | None = None, dim: int | None = None) -> Tensor:
    """Computes `exp(x) / sum(exp(x))` along a dimension.

    Args:
        logits: Tensor of float16, bfloat16, float32 or float64, of rank 1 or more.
        axis: int, the dimension, in [-rank, rank); None for the last.
        name: str, name of the operation.
        dim: deprecated name of `axis`.

    Returns:
        Tensor of the dtype and shape of `logits`.

    Raises:
        ValueError: if both names of `axis` are given.
        tf.errors.InvalidArgumentError: if `axis` is out of range.

    Example:
        >>> print(sess.run(tf.nn.softmax([[1.0, 1.0], [0.0, np.log(3.0)]])).round(3))
        [[0.5  0.5 ]
         [0.25 0.75]]
    """
    return _along_axis(logits, "Softmax", _axis_or_dim("softmax", axis, dim), name)


def log_softmax(logits: TensorLike, axis: int | None = None, name: str | None = None, dim: int | None = None) -> Tensor:
    """Computes `x - log(sum(exp(x)))` along a dimension.

    Args:
        logits: Tensor of float16, bfloat16, float32 or float64, of rank 1 or more.
        axis: int, the dimension, in [-rank, rank); None for the last.
        name: str, name of the operation.
        dim: deprecated name of `axis`.

    Returns:
        Tensor of the dtype and shape of `logits`.

    Raises:
        ValueError: if both names of `axis` are given.
        tf.errors.InvalidArgumentError: if `axis` is out of range.

    Example:
        >>> print(sess.run(tf.nn.log_softmax([[1.0, 1.0], [1000.0, 0.0]])).round(3))
        [[-6.93e-01 -6.93e-01]
         [ 0.00e+00 -1.00e+03]]
    """
    return _along_axis(logits, "LogSoftmax", _axis_or_dim("log_softmax", axis, dim), name)


def _require_names(function: str, sentinel: Any, labels: Any, logits: Any) -> None:
    if sentinel is not None:
        raise ValueError(f"Only call `{function}` with named arguments (labels=..., logits=..., ...)")
    if labels is None or logits is None:
        raise ValueError("Both labels and logits must be provided.")


@deprecated_args(dim="axis")
def softmax_cross_entropy_with_logits_v2(
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    axis: int | None = None,
    name: str | None = None,
    dim: int | None = None,
    _sentinel: None = None,
) -> Tensor:
    """Computes the cross entropy between distributions and the softmax of logits; gradients reach both.

    Args:
        labels: Tensor of the dtype and shape of `logits`: a distribution along `axis`.
        logits: Tensor of float16, bfloat16, float32 or float64, of shape [batch, classes], or more dimensions.
        axis: int, the dimension of the classes; None for the last.
        name: str, name of the operation.
        dim: deprecated name of `axis`.
        _sentinel: do not set; the other arguments must be given by name.

    Returns:
        Tensor of the dtype of `logits`, of its shape without that dimension.

    Raises:
        ValueError: if labels or logits are missing, or the shapes are incompatible.

    Example:
        >>> logits = tf.constant([[4.0, 1.0, 1.0], [1.0, 1.0, 1.0]])
        >>> labels = [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]
        >>> losses = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
        >>> print(sess.run(losses).round(3))
        [0.095 1.099]
    """
    _require_names("softmax_cross_entropy_with_logits", _sentinel, labels, logits)
    axis = deprecated_argument_lookup("axis", axis, "dim", dim)
    return _softmax_cross_entropy(labels, logits, -1 if axis is None else axis, name)


def _softmax_cross_entropy(labels: Any, logits: Any, axis: int, name: str | None) -> Tensor:
    with name_scope(name, "softmax_cross_entropy_with_logits", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        is_half = logits.dtype.base_dtype in (dtypes.float16, dtypes.bfloat16)
        precise = cast(logits, dtypes.float32) if is_half else logits
        labels = cast(labels, precise.dtype)
        ndims = shaping.rank(precise)
        static = logits.get_shape()
        if axis != -1:
            precise = _move_to_end(precise, axis, ndims)
            labels = _move_to_end(labels, axis, ndims)
        shape = shaping.shape(precise)
        rows, label_rows = _as_rows(precise), _as_rows(labels)
        cost = tensor_op("SoftmaxCrossEntropyWithLogits", [rows, label_rows], name=scope)
        cost = shaping.reshape(cost, slicing.slice(shape, [0], [tensor_op("Sub", [ndims, 1])]))
        if static.ndims is not None:
            sizes = static.as_list()
            del sizes[axis]
            cost.set_shape(sizes)
        return cast(cost, logits.dtype) if is_half else cost


def _move_to_end(tensor: Tensor, axis: int, ndims: Tensor) -> Tensor:
    static = tensor.get_shape().ndims
    if axis < 0 and static is not None:
        axis += static
    perm = joining.concat([making.range(axis), making.range(axis + 1, ndims), [axis]], 0)
    return shaping.transpose(tensor, perm)


@deprecated("tf.nn.softmax_cross_entropy_with_logits_v2", name="tf.nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(
    _sentinel: None = None,
    labels: TensorLike = None,  # type: ignore[assignment]  # the call fails without it
    logits: TensorLike | None = None,
    dim: int | None = None,
    name: str | None = None,
    axis: int | None = None,
) -> Tensor:
    """Computes the cross entropy between distributions and the softmax of logits; no gradient reaches the labels.

    Args:
        _sentinel: do not set: the other arguments must be given by name.
        labels: Tensor of the dtype and shape of `logits`: a distribution along `axis`.
        logits: Tensor of float16, bfloat16, float32 or float64, of shape [batch, classes], or more dimensions.
        dim: deprecated name of `axis`.
        name: str, name of the operation.
        axis: int, the dimension of the classes; None for the last.

    Returns:
        Tensor of the dtype of `logits`, of its shape without that dimension.

    Raises:
        ValueError: if an argument is positional or missing, or the shapes are incompatible.

    Example:
        >>> logits = tf.constant([[4.0, 1.0, 1.0]])
        >>> losses = tf.nn.softmax_cross_entropy_with_logits(labels=[[1.0, 0.0, 0.0]], logits=logits)
        >>> print(sess.run(losses).round(3))
        [0.095]
    """
    _require_names("softmax_cross_entropy_with_logits", _sentinel, labels, logits)
    axis = deprecated_argument_lookup("axis", axis, "dim", dim)
    with name_scope(name, "softmax_cross_entropy_with_logits_sg", [logits, labels]) as scope:
        labels = making.stop_gradient(labels, name="labels_stop_gradient")
    return _softmax_cross_entropy(labels, logits, -1 if axis is None else axis, scope)


def sparse_softmax_cross_entropy_with_logits(
    _sentinel: None = None,
    labels: TensorLike = None,  # type: ignore[assignment]  # the call fails without it
    logits: TensorLike = None,  # type: ignore[assignment]  # the call fails without it
    name: str | None = None,
) -> Tensor:
    """Computes the cross entropy between classes and the softmax of logits.

    Args:
        _sentinel: do not set: the other arguments must be given by name.
        labels: Tensor of int32 or int64, of the shape of `logits` without its last dimension, in [0, classes).
        logits: Tensor of float16, bfloat16, float32 or float64, of shape [batch, classes], or more dimensions.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `logits`, of the shape of `labels`.

    Raises:
        ValueError: if an argument is positional or missing, the logits are scalars, or the shapes are incompatible.

    Example:
        >>> logits = tf.constant([[4.0, 1.0, 1.0], [1.0, 1.0, 1.0]])
        >>> losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 2], logits=logits)
        >>> print(sess.run(losses).round(3))
        [0.095 1.099]
    """
    _require_names("sparse_softmax_cross_entropy_with_logits", _sentinel, labels, logits)
    with name_scope(name, "SparseSoftmaxCrossEntropyWithLogits", [labels, logits]):
        labels = convert_to_tensor(labels)
        logits = convert_to_tensor(logits)
        dtype = logits.dtype.base_dtype
        is_half = dtype in (dtypes.float16, dtypes.bfloat16)
        precise = cast(logits, dtypes.float32) if is_half else logits
        labels_static, logits_static = labels.get_shape(), logits.get_shape()
        labels_shape = shaping.shape(labels)
        if logits_static.ndims == 0:
            raise ValueError(f"Logits cannot be scalars - received shape {logits_static}.")
        if logits_static.ndims is not None and labels_static.ndims not in (None, logits_static.ndims - 1):
            raise ValueError(
                f"Rank mismatch: Rank of labels (received {labels_static.ndims}) should equal rank of logits minus 1 "
                f"(received {logits_static.ndims})."
            )
        both_known = labels_static.is_fully_defined() and logits_static[:-1].is_fully_defined()
        if both_known and labels_static.as_list() != logits_static.as_list()[:-1]:
            raise ValueError(
                f"Shape mismatch: The shape of labels (received {labels_static}) should equal the shape of logits "
                f"except for the last dimension (received {logits_static})."
            )
        op_type = "SparseSoftmaxCrossEntropyWithLogits"
        if logits_static.ndims == 2:
            cost = tensor_op(op_type, [precise, labels], name=_op_name(name, op_type))
            return cast(cost, dtype) if is_half else cost
        checks = []
        if not both_known:
            checks.append(checking.assert_equal(shaping.shape(labels), shaping.shape(logits)[:-1]))
        with control_dependencies(checks):
            classes = shaping.shape(logits)[shaping.rank(logits) - 1]
            rows = shaping.reshape(precise, [-1, classes])
            cost = tensor_op(op_type, [rows, shaping.reshape(labels, [-1])], name=_op_name(name, op_type))
            cost = shaping.reshape(cost, labels_shape)
            cost.set_shape(labels_static)
            return cast(cost, dtype) if is_half else cost


def sigmoid_cross_entropy_with_logits(
    _sentinel: None = None,
    labels: TensorLike = None,  # type: ignore[assignment]  # the call fails without it
    logits: TensorLike = None,  # type: ignore[assignment]  # the call fails without it
    name: str | None = None,
) -> Tensor:
    """Computes the cross entropy between probabilities and the sigmoid of logits, element by element.

    Args:
        _sentinel: do not set: the other arguments must be given by name.
        labels: Tensor of the dtype and shape of `logits`.
        logits: Tensor of float16, bfloat16, float32 or float64, of any shape.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `logits`.

    Raises:
        ValueError: if an argument is positional or missing, or the shapes differ.

    Example:
        >>> losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 0.0, 1.0], logits=[0.0, 0.0, 5.0])
        >>> print(sess.run(losses).round(4))
        [0.6931 0.6931 0.0067]
    """
    _require_names("sigmoid_cross_entropy_with_logits", _sentinel, labels, logits)
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        _require_same_shape("labels", labels, logits)
        # max(x, 0) - x * z + log(1 + exp(-|x|)): no exponential of a positive number.
        zeros = making.zeros_like(logits, dtype=logits.dtype)
        is_positive = logits >= zeros
        positive_part = indexing.where(is_positive, logits, zeros)
        negative_magnitude = indexing.where(is_positive, -logits, logits)
        linear = positive_part - logits * labels
        smooth = tensor_op("Log1p", [tensor_op("Exp", [negative_magnitude])])
        return tensor_op("Add", [linear, smooth], name=scope)


@deprecated_args(targets="labels")
def weighted_cross_entropy_with_logits(
    labels: TensorLike | None = None,
    logits: TensorLike = None,  # type: ignore[assignment]  # the call fails without it
    pos_weight: TensorLike | None = None,
    name: str | None = None,
    targets: TensorLikes | None = None,
) -> Tensor:
    """Computes `sigmoid_cross_entropy_with_logits` with the positive term weighted.

    Args:
        labels: Tensor of the dtype and shape of `logits`: the probabilities.
        logits: Tensor of float16, bfloat16, float32 or float64, of any shape.
        pos_weight: Tensor of the dtype of `logits`, that broadcasts to its shape: the weight of the positive term.
        name: str, name of the operation.
        targets: the older name of `labels`.

    Returns:
        Tensor of the dtype and shape of `logits`.

    Raises:
        ValueError: if the shapes differ, or the probabilities are given by both names.
    """
    targets = deprecated_argument_lookup("labels", labels, "targets", targets)
    with name_scope(name, "logistic_loss", [logits, targets]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        targets = convert_to_tensor(targets, name="targets")
        _require_same_shape("targets", targets, logits)
        # (1 - z) * x + w * (log(1 + exp(-|x|)) + max(-x, 0)) with w = 1 + (pos_weight - 1) * z.
        weight: Any = pos_weight
        log_weight = 1 + (weight - 1) * targets
        linear = (1 - targets) * logits
        smooth = tensor_op("Log1p", [tensor_op("Exp", [-absolute(logits)])])
        negative_part = tensor_op("Relu", [-logits])
        return tensor_op("Add", [linear, log_weight * (smooth + negative_part)], name=scope)


def log_poisson_loss(
    targets: TensorLike, log_input: TensorLike, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """Computes the negative log likelihood of counts under Poisson distributions.

    Args:
        targets: Tensor of the dtype and shape of `log_input`: the counts.
        log_input: Tensor of float32 or float64, of any shape: the logarithms of the distributions' means.
        compute_full_loss: bool. If True, the term that depends on the counts only is added, by Stirling's
            approximation.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `log_input`.

    Raises:
        ValueError: if the shapes differ.
    """
    with name_scope(name, "log_poisson_loss", [log_input, targets]):
        log_input = convert_to_tensor(log_input, name="log_input")
        targets = convert_to_tensor(targets, name="targets")
        try:
            targets.get_shape().merge_with(log_input.get_shape())
        except ValueError:
            raise ValueError(
                f"log_input and targets must have the same shape ({log_input.get_shape()} vs {targets.get_shape()})"
            ) from None
        result: Tensor = tensor_op("Exp", [log_input]) - log_input * targets
        if compute_full_loss:
            half = constant(0.5, dtype=targets.dtype)
            two_pi = constant(2 * math.pi, dtype=targets.dtype)
            log = tensor_op("Log", [targets])
            stirling = targets * log - targets + half * tensor_op("Log", [two_pi * targets])
            zeros = making.zeros_like(targets, dtype=targets.dtype)
            ones = making.ones_like(targets, dtype=targets.dtype)
            exact_zero = tensor_op("LogicalAnd", [targets >= zeros, targets <= ones])
            result = result + indexing.where(exact_zero, zeros, stirling)
        return result


def _require_same_shape(which: str, labels: Tensor, logits: Tensor) -> None:
    try:
        labels.get_shape().merge_with(logits.get_shape())
    except ValueError:
        raise ValueError(
            f"logits and {which} must have the same shape ({logits.get_shape()} vs {labels.get_shape()})"
        ) from None


def _op_name(name: str | None, op_type: str) -> str:
    # TF 1.x: the op's own name is opened inside the scope of that name.
    return op_type if name is None else name
