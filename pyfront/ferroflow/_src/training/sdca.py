"""The operations of stochastic dual coordinate ascent, which trains linear models without a learning rate."""

from __future__ import annotations

import collections
from typing import Any

from ferroflow._src.base.typing import ListLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.handles import Operation, Tensor

SdcaOptimizer = collections.namedtuple(
    "SdcaOptimizer", ["out_example_state_data", "out_delta_sparse_weights", "out_delta_dense_weights"]
)


def sdca_fprint(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns a fingerprint of 128 bits for each string, as the ids of examples in tables.

    Args:
        input: Tensor of strings, of shape [n].
        name: str, name of the operation.

    Returns:
        Tensor of int64, of shape [n, 2]: the low half, which is never 0 or 1, and the high half.
    """
    return tensor_op("SdcaFprint", [input], name=name)


def sdca_shrink_l1(weights: Any, l1: float, l2: float, name: str | None = None) -> Operation:
    """Moves the elements of variables towards zero by `l1 / l2`, at most to zero.

    Args:
        weights: list of variables of float32.
        l1: float, the factor of the absolute values of weights.
        l2: float, the factor of the squares of weights.
        name: str, name of the operation.

    Returns:
        Operation.
    """
    return apply_op("SdcaShrinkL1", [list(weights)], {"l1": l1, "l2": l2}, name=name)


def sdca_optimizer(
    sparse_example_indices: ListLike,
    sparse_feature_indices: ListLike,
    sparse_feature_values: ListLike,
    dense_features: ListLike,
    example_weights: TensorLike,
    example_labels: TensorLike,
    sparse_indices: ListLike,
    sparse_weights: ListLike,
    dense_weights: ListLike,
    example_state_data: TensorLike,
    loss_type: str,
    l1: float,
    l2: float,
    num_loss_partitions: int,
    num_inner_iterations: int,
    adaptative: bool = True,
    name: str | None = None,
) -> SdcaOptimizer:
    """Makes one pass of dual coordinate ascent over a batch of examples, one example after the other.

    TensorFlow draws the order of the examples anew in each step; here it is a function of their state.

    Args:
        sparse_example_indices: list of Tensors of int64, of shape [n], one for each group of sparse features: the
            examples that have the features, sorted.
        sparse_feature_indices: list of Tensors of int64, of shape [n]: the features.
        sparse_feature_values: list of Tensors of float32, of shape [n]: the values of the first groups' features; they
            are 1 for the other groups.
        dense_features: list of Tensors of float32, of shape [batch, columns], one for each group of dense features.
        example_weights: Tensor of float32, of shape [batch].
        example_labels: Tensor of float32, of shape [batch]; 0 or 1 for the losses of two classes.
        sparse_indices: list of Tensors of int64, of shape [m], one for each sparse group: the features that occur.
        sparse_weights: list of Tensors of float32, of shape [m]: the weights of these features.
        dense_weights: list of Tensors of float32, of shape [columns], one for each dense group.
        example_state_data: Tensor of float32, of shape [batch, 4]: dual, primal loss, dual loss and weight of each
            example; zeros at first.
        loss_type: str, "logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss" or "poisson_loss".
        l1: float, the factor of the absolute values of weights.
        l2: float, the factor of the squares of weights.
        num_loss_partitions: int, the number of operations whose changes are added up.
        num_inner_iterations: int, accepted and not used, as in TensorFlow.
        adaptative: bool. If True, examples with larger residuals are drawn more often.
        name: str, name of the operation.

    Returns:
        (out_example_state_data, out_delta_sparse_weights, out_delta_dense_weights): the new state of the examples,
        and lists of the changes of the weights.
    """
    outputs = apply_op(
        "SdcaOptimizer",
        [
            list(sparse_example_indices),
            list(sparse_feature_indices),
            list(sparse_feature_values),
            list(dense_features),
            example_weights,
            example_labels,
            list(sparse_indices),
            list(sparse_weights),
            list(dense_weights),
            example_state_data,
        ],
        {
            "loss_type": loss_type,
            "l1": l1,
            "l2": l2,
            "num_loss_partitions": num_loss_partitions,
            "num_inner_iterations": num_inner_iterations,
            "adaptative": adaptative,
        },
        name=name,
    ).outputs
    groups = len(list(sparse_weights))
    return SdcaOptimizer(outputs[0], list(outputs[1 : 1 + groups]), list(outputs[1 + groups :]))
