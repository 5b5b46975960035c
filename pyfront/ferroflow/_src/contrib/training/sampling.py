"""Batches by rejection: examples are accepted at random, so that classes have given shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.composite import convert_n_to_tensor_or_indexed_slices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.input.batching import batch, maybe_batch
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather, where
from ferroflow._src.ops.array.making import identity, one_hot, sequence_mask, stop_gradient, zeros_like
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.flow.printing import Print
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.arithmetic import truediv
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import is_nan
from ferroflow._src.ops.math.reduction import reduce_all, reduce_max, reduce_mean, reduce_sum
from ferroflow._src.ops.random.sampling import random_poisson, random_uniform
from ferroflow._src.training.moving_averages import assign_moving_average
from ferroflow._src.variables.get_variable import get_local_variable
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable import Variable

__all__ = ["rejection_sample", "resample_at_rate", "stratified_sample", "weighted_resample"]
_TOLERANCE = 1e-6


def _verify_data_inputs(tensor_list: list[Tensor]) -> list[Tensor]:
    """Returns the tensors; raises ValueError if the batch sizes are known to differ."""
    for tensor in tensor_list:
        tensor.get_shape().with_rank_at_least(1)[0].assert_is_compatible_with(tensor_list[0].get_shape()[0])
    return tensor_list


def _singles(tensors: list[Tensor], capacity: int, threads: int) -> list[Tensor]:
    """Returns the examples of batches one by one, from a queue."""
    ones = batch(tensors, batch_size=1, num_threads=threads, capacity=capacity, enqueue_many=True)
    return [shaping.squeeze(one, [0]) for one in (ones if isinstance(ones, (list, tuple)) else [ones])]


def rejection_sample(
    tensors: list[TensorLike],
    accept_prob_fn: Callable[..., Any],
    batch_size: int,
    queue_threads: int = 1,
    enqueue_many: bool = False,
    prebatch_capacity: int = 16,
    prebatch_threads: int = 1,
    runtime_checks: bool = False,
    name: str | None = None,
) -> Any:
    """Returns batches of the examples that are accepted at random.

    Args:
        tensors: list of Tensors of any dtype, an example each, or batches of examples.
        accept_prob_fn: function of the list of an example's Tensors; its result is the probability of acceptance.
        batch_size: int, the size of the batches.
        queue_threads: int, the threads that fill the queue of batches.
        enqueue_many: bool. If True, the first dimension of the tensors is that of examples.
        prebatch_capacity: int, the capacity of the queue of examples.
        prebatch_threads: int, the threads that fill it.
        runtime_checks: bool. If True, the probabilities are checked when they are computed.
        name: str, name of the variable scope.

    Returns:
        list of Tensors of the same dtypes, of shape [batch_size, ...].

    Raises:
        ValueError: if `enqueue_many` is True and the batch sizes are known to differ.
    """
    with variable_scope(name, "rejection_sample", tensors):
        given = list(convert_n_to_tensor_or_indexed_slices(tensors))
        if enqueue_many:
            given = _singles(_verify_data_inputs(given), prebatch_capacity, prebatch_threads)
        probability = accept_prob_fn(given)
        if runtime_checks:
            checks = [checking.assert_less_equal(0.0, probability), checking.assert_less_equal(probability, 1.0)]
            probability = identity(with_dependencies(checks, probability), name="prob_with_checks")
        found = maybe_batch(
            given, keep_input=random_uniform([]) < probability, batch_size=batch_size, num_threads=queue_threads
        )
        return [found] if isinstance(found, Tensor) else found


def _estimate_data_distribution(labels: Tensor, num_classes: int, smoothing_constant: int = 10) -> Tensor:
    """Returns the shares of the classes among the labels so far."""
    if smoothing_constant <= 0:
        raise ValueError("smoothing_constant must be nonzero.")
    counts = Variable([smoothing_constant] * num_classes, trainable=False, name="class_count", dtype=dtypes.int64)
    seen = counts.assign_add(reduce_sum(one_hot(labels, num_classes, dtype=dtypes.int64), 0))
    # The sum is that of this step, whatever other threads add meanwhile.
    seen = seen + 0
    return cast(truediv(seen, reduce_sum(seen)), dtypes.float32)


def _verify_input(
    tensor_list: list[Tensor], labels: Tensor, probs_list: list[Tensor]
) -> tuple[list[Tensor], Tensor, list[Tensor]]:
    """Returns the tensors, depending on checks of labels and probabilities."""
    checked = []
    for probabilities in probs_list:
        probabilities.get_shape().assert_is_fully_defined()
        probabilities.get_shape().assert_has_rank(1)
        total = reduce_sum(probabilities)
        checks = [
            checking.assert_non_negative(probabilities),
            checking.assert_less(total, 1.0 + _TOLERANCE),
            checking.assert_less(1.0 - _TOLERANCE, total),
        ]
        checked.append(with_dependencies(checks, probabilities))
    classes = checked[0].get_shape().num_elements()
    if any(one.get_shape().num_elements() != classes for one in checked):
        raise ValueError("Probability parameters must have the same length.")
    labels.get_shape().assert_has_rank(1)
    for tensor in tensor_list:
        tensor.get_shape().with_rank_at_least(1)[0].assert_is_compatible_with(labels.get_shape()[0])
    size = shaping.shape(labels)[0]
    has_size = checking.assert_positive(size)
    labels = with_dependencies([has_size], labels)
    tensors = [
        with_dependencies([has_size, checking.assert_equal(shaping.shape(one)[0], size)], one) for one in tensor_list
    ]
    are_classes = [
        checking.assert_integer(labels),
        checking.assert_non_negative(labels),
        checking.assert_less(labels, cast(classes, labels.dtype)),
    ]
    return tensors, with_dependencies(are_classes, labels), checked


def _calculate_acceptance_probabilities(init_probs: Tensor, target_probs: Tensor) -> Tensor:
    """Returns how probably an example of each class is accepted: the greatest ratio of shares always is."""
    ratios = target_probs / init_probs
    ratios = where(is_nan(ratios), zeros_like(ratios), ratios)
    accepted: Tensor = ratios / reduce_max(ratios)
    return accepted


def stratified_sample(
    tensors: list[TensorLike],
    labels: TensorLike,
    target_probs: TensorLike,
    batch_size: int,
    init_probs: TensorLike | None = None,
    enqueue_many: bool = False,
    queue_capacity: int = 16,
    threads_per_queue: int = 1,
    name: str | None = None,
) -> tuple[list[Tensor], Tensor]:
    """Returns batches in which classes have given shares; examples of the others are left out at random.

    Args:
        tensors: list of Tensors of any dtype, an example each, or batches of examples.
        labels: Tensor of an integer dtype, a class, or the classes of the batch.
        target_probs: Tensor of float32, of shape [classes], the shares of the result.
        batch_size: int, the size of the batches.
        init_probs: Tensor of float32, of shape [classes], the shares of the data; None to count them.
        enqueue_many: bool. If True, the first dimension of the tensors is that of examples.
        queue_capacity: int, the capacity of the queue of examples.
        threads_per_queue: int, the threads that fill each queue.
        name: str, name scope.

    Returns:
        (list of Tensors of shape [batch_size, ...], Tensor of the labels, of shape [batch_size]).

    Raises:
        ValueError: if shapes are known not to fit.
        tf.errors.InvalidArgumentError: if probabilities do not sum to 1, a class without data has a
            share, or a label is no class.
    """
    with name_scope(name, "stratified_sample", [*tensors, labels]):
        given: list[Tensor] = list(convert_n_to_tensor_or_indexed_slices(tensors))
        classes: Tensor = convert_to_tensor(labels)
        wanted: Tensor = convert_to_tensor(target_probs, dtype=dtypes.float32)
        if not enqueue_many:
            given = [shaping.expand_dims(tensor, 0) for tensor in given]
            classes = shaping.expand_dims(classes, 0)
        if init_probs is None:
            wanted.get_shape().assert_is_fully_defined()
            shares = _estimate_data_distribution(classes, wanted.get_shape().num_elements() or 0)
        else:
            shares = convert_to_tensor(init_probs, dtype=dtypes.float32)
        given, classes, (shares, wanted) = _verify_input(given, classes, [shares, wanted])
        can_be = comparison.logical_or(comparison.not_equal(shares, 0), comparison.equal(wanted, 0))
        message = "All classes with zero initial probability must also have zero target probability: "
        shares = with_dependencies([checking.Assert(reduce_all(can_be), [message, shares, wanted])], shares)
        accepted = _calculate_acceptance_probabilities(shares, wanted)
        rejected = reduce_sum((1 - accepted) * shares)
        accepted = cond(
            comparison.less(rejected, 0.5),
            lambda: accepted,
            lambda: Print(
                accepted, [accepted], message="Proportion of examples rejected by sampler is high.", first_n=10
            ),
        )
        *values, label = _singles([*given, classes], queue_capacity, threads_per_queue)
        found = maybe_batch(
            [*values, label],
            keep_input=random_uniform([]) < gather(accepted, label),
            batch_size=batch_size,
            num_threads=threads_per_queue,
        )
        return found[:-1], found[-1]


def _repeat_range(counts: TensorLike, name: str | None = None) -> Tensor:
    """Returns each index as often as its count, in order."""
    with name_scope(name, "repeat_range", [counts]) as scope:
        times: Tensor = convert_to_tensor(counts, name="counts")
        times.shape.assert_has_rank(1)
        is_kept = sequence_mask(times)
        return cast(where(is_kept)[:, 0], dtypes.int32, name=scope)


def resample_at_rate(
    inputs: list[TensorLike],
    rates: TensorLike,
    scope: str | None = None,
    seed: int | None = None,
    back_prop: bool = False,
) -> list[Tensor]:
    """Returns examples of a batch, each as often as a Poisson distribution of its rate says.

    Args:
        inputs: list of Tensors of any dtype, of shape [batch, ...].
        rates: Tensor of a float dtype, of shape [batch]: how often an example comes on average.
        scope: str, name scope.
        seed: int, of the random numbers.
        back_prop: bool. If True, gradients go through the choice.

    Returns:
        list of Tensors of the same dtypes, of shape [chosen, ...].
    """
    with name_scope(scope, "resample_at_rate", [*inputs, rates]):
        means: Tensor = convert_to_tensor(rates, name="rates")
        indices = _repeat_range(cast(random_poisson(means, (), means.dtype, seed=seed), dtypes.int32))
        if not back_prop:
            indices = stop_gradient(indices)
        return [gather(one, indices) for one in inputs]


def weighted_resample(
    inputs: list[TensorLike],
    weights: Tensor,
    overall_rate: float,
    scope: str | None = None,
    mean_decay: float = 0.999,
    seed: int | None = None,
) -> tuple[list[Tensor], Tensor]:
    """Returns examples of a batch, each as often as its weight says, relative to the mean weight so far.

    Args:
        inputs: list of Tensors of any dtype, of shape [batch, ...].
        weights: Tensor of a float dtype, of shape [batch].
        overall_rate: float, how often examples come on average.
        scope: str, name scope.
        mean_decay: float, the decay of the mean weight's moving average.
        seed: int, of the random numbers.

    Returns:
        (list of Tensors of the same dtypes, of shape [chosen, ...]; Tensor of shape [chosen], the rate of each).
    """
    with name_scope(scope, "weighted_resample", inputs) as opened:
        with variable_scope(scope, "estimate_mean", inputs):
            estimate = get_local_variable("estimated_mean", initializer=cast(0, weights.dtype), dtype=weights.dtype)
            mean = assign_moving_average(estimate, reduce_mean(weights), mean_decay)
        rates = weights * overall_rate / mean
        results = resample_at_rate([rates, *inputs], rates, scope=opened, seed=seed, back_prop=False)
        return results[1:], results[0]
