"""Functions of `tf.contrib.estimator` that make heads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base.typing import ListLike
from ferroflow._src.estimator.classification_heads import binary_head_of, multi_class_head_of
from ferroflow._src.estimator.heads import BaseHead
from ferroflow._src.estimator.multi_head import MultiHeadOfLogits
from ferroflow._src.estimator.multi_label_head import MultiLabelHeadOfLogits
from ferroflow._src.estimator.regression_heads import RegressionHeadOfLogits, logistic_losses, poisson_losses
from ferroflow._src.losses.weighting import Reduction
from ferroflow._src.ops.math.elementwise import exp
from ferroflow._src.ops.nn.activation import sigmoid


def multi_class_head(
    n_classes: int,
    weight_column: object = None,
    label_vocabulary: ListLike | None = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> BaseHead:
    """Returns the head of a classifier of three or more classes.

    Args:
        n_classes: int, the number of classes, 3 or more.
        weight_column: str, the key of the feature that weighs examples, or a numeric feature column, or None.
        label_vocabulary: list of str, the names of the classes where labels are names; None if they are numbers.
        loss_reduction: one of `tf.losses.Reduction` but NONE: how the losses of a batch are combined.
        loss_fn: callable of `labels`, `logits` and, if it takes them, `features`, which returns float losses of shape
            [batch, 1]; None for the softmax cross entropy.
        name: str, which ends the names of metrics and summaries, or None.

    Returns:
        Head.

    Raises:
        ValueError: if an argument has a wrong value.

    Example:
        >>> head = tf.contrib.estimator.multi_class_head(3)
        >>> logits, labels = tf.constant([[10.0, 0.0, 0.0], [0.0, 0.0, 10.0]]), tf.constant([0, 2])
        >>> spec = head.create_estimator_spec({}, tf.estimator.ModeKeys.EVAL, logits, labels)
        >>> print(sorted(spec.eval_metric_ops))
        ['accuracy', 'average_loss']
    """
    return multi_class_head_of(n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name)


def binary_classification_head(
    weight_column: object = None,
    thresholds: Iterable[float] | None = None,
    label_vocabulary: ListLike | None = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> BaseHead:
    """Returns the head of a classifier of two classes, with one output.

    Args:
        weight_column: as `multi_class_head`.
        thresholds: iterable of float, each between 0 and 1, that metrics are also computed at, or None.
        label_vocabulary: as `multi_class_head`.
        loss_reduction: as `multi_class_head`.
        loss_fn: as `multi_class_head`; None for the cross entropy of the sigmoid function.
        name: as `multi_class_head`.

    Returns:
        Head.

    Raises:
        ValueError: if a threshold is not between 0 and 1, or an argument has a wrong value.
        TypeError: if `label_vocabulary` is no list.
    """
    return binary_head_of(weight_column, label_vocabulary, loss_reduction, thresholds, loss_fn, name)


def regression_head(
    weight_column: object = None,
    label_dimension: int = 1,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Callable[..., Any] | None = None,
    inverse_link_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> BaseHead:
    """Returns the head of a regression.

    Args:
        weight_column: as `multi_class_head`; each number of a label may have a weight of its own.
        label_dimension: int, the number of numbers of a label.
        loss_reduction: as `multi_class_head`.
        loss_fn: as `multi_class_head`, with losses of shape [batch, `label_dimension`]; None for the squared error.
        inverse_link_fn: callable of the logits to the predictions; None if they are the same.
        name: as `multi_class_head`.

    Returns:
        Head.

    Raises:
        ValueError: if an argument has a wrong value.
    """
    return RegressionHeadOfLogits(label_dimension, weight_column, loss_reduction, loss_fn, inverse_link_fn, name)


def poisson_regression_head(
    weight_column: object = None,
    label_dimension: int = 1,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    compute_full_loss: bool = True,
    name: str | None = None,
) -> BaseHead:
    """Returns the head of a regression of counts, whose outputs are the logarithms of their means.

    Args:
        weight_column: as `regression_head`.
        label_dimension: as `regression_head`.
        loss_reduction: as `multi_class_head`.
        compute_full_loss: bool. If True, the loss has the term that depends on the labels alone.
        name: as `multi_class_head`.

    Returns:
        Head.

    Raises:
        ValueError: if an argument has a wrong value.
    """
    losses = poisson_losses(compute_full_loss)
    return RegressionHeadOfLogits(label_dimension, weight_column, loss_reduction, losses, exp, name)


def logistic_regression_head(
    weight_column: object = None, loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE, name: str | None = None
) -> BaseHead:
    """Returns the head of a regression of chances, whose outputs are log odds.

    Args:
        weight_column: as `multi_class_head`.
        loss_reduction: as `multi_class_head`.
        name: as `multi_class_head`.

    Returns:
        Head.

    Raises:
        ValueError: if an argument has a wrong value.
    """
    return RegressionHeadOfLogits(1, weight_column, loss_reduction, logistic_losses, sigmoid, name)


def multi_label_head(
    n_classes: int,
    weight_column: object = None,
    thresholds: Iterable[float] | None = None,
    label_vocabulary: ListLike | None = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Callable[..., Any] | None = None,
    classes_for_class_based_metrics: ListLike | None = None,
    name: str | None = None,
) -> BaseHead:
    """Returns the head of a classifier of examples that belong to any number of classes.

    Args:
        n_classes: int, the number of classes, 2 or more.
        weight_column: as `multi_class_head`.
        thresholds: as `binary_classification_head`.
        label_vocabulary: list of str, the names of the classes; labels are then a SparseTensor of names. None if they
            are a SparseTensor of numbers, or an integer Tensor of zeros and ones.
        loss_reduction: as `multi_class_head`.
        loss_fn: as `multi_class_head`.
        classes_for_class_based_metrics: list of int or of str, the classes with metrics of their own, or None.
        name: as `multi_class_head`.

    Returns:
        Head.

    Raises:
        ValueError: if an argument has a wrong value.
    """
    return MultiLabelHeadOfLogits(
        n_classes,
        weight_column,
        thresholds,
        label_vocabulary,
        loss_reduction,
        loss_fn,
        classes_for_class_based_metrics,
        name,
    )


def multi_head(heads: Any, head_weights: ListLike | None = None) -> BaseHead:
    """Returns the head of several heads, each with labels under its name, whose losses add up.

    Args:
        heads: list of heads with names.
        head_weights: list of float, the factor of each head's loss, or None.

    Returns:
        Head, whose predictions have pairs of head and name as keys.

    Raises:
        ValueError: if there are no heads, a head has no name, or there are not as many weights as heads.
    """
    return MultiHeadOfLogits(heads, head_weights)
