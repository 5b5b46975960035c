"""The names of the operations of stochastic dual coordinate ascent, which are not offered."""

from __future__ import annotations

from typing import Any, NoReturn


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"tf.train.{name} is not offered: stochastic dual coordinate ascent has no operation here. Minimize the same "
        "loss with tf.train.FtrlOptimizer, or tf.estimator.LinearClassifier, whose penalties are the same."
    )


def sdca_fprint(input: Any, name: str | None = None) -> NoReturn:
    """Raises an error.

    Args:
        input: accepted.
        name: accepted.

    Raises:
        NotImplementedError: on every call.
    """
    _refuse("sdca_fprint")


def sdca_shrink_l1(weights: Any, l1: float, l2: float, name: str | None = None) -> NoReturn:
    """Raises an error.

    Args:
        weights: accepted.
        l1: accepted.
        l2: accepted.
        name: accepted.

    Raises:
        NotImplementedError: on every call.
    """
    _refuse("sdca_shrink_l1")


def sdca_optimizer(
    sparse_example_indices: Any,
    sparse_feature_indices: Any,
    sparse_feature_values: Any,
    dense_features: Any,
    example_weights: Any,
    example_labels: Any,
    sparse_indices: Any,
    sparse_weights: Any,
    dense_weights: Any,
    example_state_data: Any,
    loss_type: str,
    l1: float,
    l2: float,
    num_loss_partitions: int,
    num_inner_iterations: int,
    adaptative: bool = True,
    name: str | None = None,
) -> NoReturn:
    """Raises an error.

    Args:
        sparse_example_indices: accepted.
        sparse_feature_indices: accepted.
        sparse_feature_values: accepted.
        dense_features: accepted.
        example_weights: accepted.
        example_labels: accepted.
        sparse_indices: accepted.
        sparse_weights: accepted.
        dense_weights: accepted.
        example_state_data: accepted.
        loss_type: accepted.
        l1: accepted.
        l2: accepted.
        num_loss_partitions: accepted.
        num_inner_iterations: accepted.
        adaptative: accepted.
        name: accepted.

    Raises:
        NotImplementedError: on every call.
    """
    _refuse("sdca_optimizer")
