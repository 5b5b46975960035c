"""`create_train_op`: one tensor that trains when it is computed; gradients clipped, scaled and summarized."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import FloatLike, TensorLike
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import control_dependencies, get_collection, get_collection_ref, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.flow.checking import check_numerics as checked_numerics
from ferroflow._src.ops.flow.grouping import no_op, with_dependencies
from ferroflow._src.ops.math.clipping import clip_by_norm, global_norm
from ferroflow._src.summary.values import histogram, scalar
from ferroflow._src.training.global_step import get_or_create_global_step
from ferroflow._src.training.optimizer import Optimizer
from ferroflow._src.variables.collections import trainable_variables

GradientsAndVariables = list[tuple[Any, Any]]

# Default of `global_step`, because None has a meaning: no counting.
USE_GLOBAL_STEP = 0


def add_gradients_summaries(grads_and_vars: Iterable[tuple[Any, Any]]) -> list[Tensor]:
    """Adds a histogram and the norm of each gradient to the summaries.

    Args:
        grads_and_vars: pairs of a gradient, or None, and its variable.

    Returns:
        list of string scalar Tensor.
    """
    return summarize_gradients_as(grads_and_vars, "_gradient")


def summarize_gradients_as(grads_and_vars: Iterable[tuple[Any, Any]], suffix: str) -> list[Tensor]:
    """Returns `add_gradients_summaries` with names that end differently.

    Args:
        grads_and_vars: pairs of a gradient, or None, and its variable.
        suffix: str, the suffix of the summary's name.

    Returns:
        list of string scalar Tensor.
    """
    summaries = []
    for gradient, variable in grads_and_vars:
        if gradient is None:
            tf_logging.info("Var %s has no gradient", variable.op.name)
            continue
        values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
        name = f"{variable.op.name}{suffix}"
        summaries += [histogram(name, values), scalar(f"{name}_norm", global_norm([values]))]
    return summaries


def _mapped(gradient: Any, function: Callable[[Any], Any]) -> Any:
    """Returns a function of a gradient; of its values, where it has only some rows."""
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(function(gradient.values), gradient.indices, gradient.dense_shape)
    return function(gradient)


def clip_gradient_norms(
    gradients_to_variables: Iterable[tuple[Any, Any]], max_norm: FloatLike
) -> GradientsAndVariables:
    """Scales down each gradient whose norm exceeds `max_norm`.

    Args:
        gradients_to_variables: pairs of a gradient, or None, and its variable.
        max_norm: float, or float scalar Tensor.

    Returns:
        list of pairs.
    """
    return [
        (None if gradient is None else _mapped(gradient, lambda values: clip_by_norm(values, max_norm)), variable)
        for gradient, variable in gradients_to_variables
    ]


def clip_gradient_norms_fn(max_norm: FloatLike) -> Callable[[Iterable[tuple[Any, Any]]], GradientsAndVariables]:
    """Returns a function that clips gradients to a norm, for `transform_grads_fn` of `create_train_op`.

    Args:
        max_norm: float, or float scalar Tensor.

    Returns:
        A function of a list of (gradient, variable) pairs to another such list.
    """
    return lambda gradients_to_variables: clip_gradient_norms(gradients_to_variables, max_norm)


def multiply_gradients(
    grads_and_vars: GradientsAndVariables, gradient_multipliers: dict[Any, Any]
) -> GradientsAndVariables:
    """Multiplies the gradients of some variables.

    Args:
        grads_and_vars: list of pairs of a gradient, or None, and its variable.
        gradient_multipliers: dict from variables or their names to floats or scalar Tensors.

    Returns:
        list of pairs.

    Raises:
        ValueError: if an argument is not a list or dict, there are no multipliers, or one for a variable without
            gradient.
    """
    if not isinstance(grads_and_vars, list):
        raise ValueError("`grads_and_vars` must be a list.")
    if not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty.")
    if not isinstance(gradient_multipliers, dict):
        raise ValueError("`gradient_multipliers` must be a dict.")
    multiplied = []
    for gradient, variable in grads_and_vars:
        multiplier = gradient_multipliers.get(variable, gradient_multipliers.get(variable.op.name))
        if multiplier is not None:
            if gradient is None:
                raise ValueError("Requested multiple of `None` gradient.")
            factor = multiplier if isinstance(multiplier, Tensor) else constant(multiplier, dtype=gradient.dtype)
            multiplied.append((_mapped(gradient, functools.partial(operator.mul, factor)), variable))
        else:
            multiplied.append((gradient, variable))
    return multiplied


def create_train_op(
    total_loss: Any,
    optimizer: Optimizer,
    global_step: TensorLike | None = USE_GLOBAL_STEP,
    update_ops: Iterable[Any] | None = None,
    variables_to_train: Iterable[Any] | None = None,
    transform_grads_fn: Callable[[Any], Any] | None = None,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: int | None = None,
    colocate_gradients_with_ops: bool = False,
    check_numerics: bool = True,
) -> Tensor:
    """Returns the loss as a tensor whose evaluation also runs one training step.

    Args:
        total_loss: float scalar Tensor.
        optimizer: Optimizer.
        global_step: variable that counts the steps; the graph's by default, created if missing; None for no counting.
        update_ops: operations that come before the gradients; those of the collection `UPDATE_OPS` by default.
        variables_to_train: list of variables; all trainable ones by default.
        transform_grads_fn: callable from a list of (gradient, variable) to another.
        summarize_gradients: bool. If True, summaries of the gradients are added.
        gate_gradients: `GATE_NONE`, `GATE_OP` or `GATE_GRAPH` of Optimizer.
        aggregation_method: a constant of `AggregationMethod`.
        colocate_gradients_with_ops: bool. If True, each gradient is placed with its forward operation.
        check_numerics: bool. If True, a loss that is not a number fails.

    Returns:
        float scalar Tensor, the loss; also put into the collection `TRAIN_OP`.
    """
    if global_step is USE_GLOBAL_STEP:
        global_step = get_or_create_global_step()
    of_collection = list(dict.fromkeys(get_collection(GraphKeys.UPDATE_OPS)))
    updates = of_collection if update_ops is None else list(dict.fromkeys(update_ops))
    if not set(of_collection) <= set(updates):
        tf_logging.warning("update_ops in create_train_op does not contain all the  update_ops in GraphKeys.UPDATE_OPS")
    if updates:
        with control_dependencies(updates):
            barrier = no_op(name="update_barrier")
        total_loss = with_dependencies([barrier], total_loss)
    trainable = trainable_variables()
    trained = trainable if variables_to_train is None else list(variables_to_train)
    for variable in trained:
        assert variable in trainable, f"{variable} is not trainable"
    assert trained, "there are no variables to train"
    gradients: Any = optimizer.compute_gradients(
        total_loss,
        trained,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if transform_grads_fn is not None:
        gradients = transform_grads_fn(gradients)
    if summarize_gradients:
        with name_scope("summarize_grads"):
            add_gradients_summaries(gradients)
    applied = optimizer.apply_gradients(gradients, global_step=global_step)
    with name_scope("train_op"):
        if check_numerics:
            total_loss = checked_numerics(total_loss, "LossTensor is inf or nan")
        train_op: Tensor = with_dependencies([applied], total_loss)
    train_ops = get_collection_ref(GraphKeys.TRAIN_OP)
    if train_op not in train_ops:
        train_ops.append(train_op)
    return train_op
