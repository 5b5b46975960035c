"""First centers of k-means, chosen among the points: k-means++ and the Markov chain of k-MC2."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.flow.checking import assert_greater_equal, assert_positive
from ferroflow._src.ops.math.arithmetic import maximum, minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import greater, less
from ferroflow._src.ops.math.elementwise import log, square
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.math.reduction import argmin, reduce_sum
from ferroflow._src.ops.math.segment import cumsum
from ferroflow._src.ops.random.sampling import random_uniform

__all__ = ["chain_choice", "plus_plus_centers", "squared_distances"]


def squared_distances(points: Any, centers: Any) -> Any:
    """Returns the squared Euclidean distances between points and centers.

    Args:
        points: Tensor of a float dtype, of shape [n, d].
        centers: Tensor of that dtype, of shape [k, d].

    Returns:
        Tensor of that dtype, of shape [n, k]; rounding may make it slightly negative.
    """
    of_points = reduce_sum(square(points), 1, keepdims=True)
    of_centers = shaping.transpose(reduce_sum(square(centers), 1, keepdims=True))
    return of_points - 2 * matmul(points, centers, transpose_b=True) + of_centers


def plus_plus_centers(points: Any, count: Any, seed: int, retries: int) -> Any:
    """Chooses centers by k-means++: each with a probability that grows with its squared distance to those before.

    Args:
        points: Tensor of float32, of shape [n, d].
        count: Tensor of int64, scalar, the number of centers; at most n.
        seed: int, of the random numbers.
        retries: int, how many further candidates are drawn for each center, of which the best is taken; a negative
            number for 2 + log(count).

    Returns:
        Tensor of float32, of shape [count, d], rows of `points`.

    Raises:
        InvalidArgumentError: if `count` is not in [1, n] when the step runs.
    """
    count = cast(count, dtypes.int32)
    total = shaping.shape(points)[0]
    with control_dependencies(
        [
            assert_positive(count, message="Expected num_to_sample > 0."),
            assert_greater_equal(total, count, message="Expected num_points >= num_to_sample."),
        ]
    ):
        first = random_uniform([1], 0, total, dtypes.int32, seed)
    drawn = 1 + (cast(2.0 + log(cast(count, dtypes.float32)), dtypes.int32) if retries < 0 else retries)

    def more(_: Any, nearest: Any) -> tuple[Any, Any]:
        sums = cumsum(nearest)
        marks = random_uniform(shaping.reshape(drawn, [1]), seed=seed) * sums[-1]
        below = reduce_sum(cast(sums[None, :] <= marks[:, None], dtypes.int32), 1)
        candidates = minimum(below, total - 1)
        found = minimum(nearest[:, None], _distances(points, gather(points, candidates)))
        best = argmin(reduce_sum(found, 0), 0)
        return gather(candidates, best), gather(found, best, axis=1)

    def body(chosen: Any, nearest: Any) -> tuple[Any, Any]:
        index, nearest = more(chosen, nearest)
        return concat([chosen, shaping.reshape(index, [1])], 0), nearest

    chosen, _ = while_loop(
        lambda chosen, _: less(shaping.size(chosen), count),
        body,
        [first, _distances(points, gather(points, first))[:, 0]],
        shape_invariants=[TensorShape([None]), TensorShape([None])],
    )
    return gather(points, chosen)


def chain_choice(distances: Any, seed: int) -> Any:
    """Chooses a point by the Markov chain of k-MC2.

    Args:
        distances: Tensor of float32, of shape [n]: each point's squared distance to the nearest center.
        seed: int, of the random numbers.

    Returns:
        Tensor of int32, scalar, the last state of the chain.
    """
    count = shaping.size(distances)
    draws = random_uniform(shaping.reshape(count, [1]), seed=seed)

    def body(i: Any, state: Any) -> tuple[Any, Any]:
        here, there = gather(distances, state), gather(distances, i)
        moves = greater(there, here * gather(draws, i))
        return i + 1, cond(moves, lambda: i + 0, lambda: state + 0)

    _, state = while_loop(lambda i, _: less(i, count), body, [1, 0])
    return state


def _distances(points: Any, centers: Any) -> Any:
    return maximum(squared_distances(points, centers), 0.0)
