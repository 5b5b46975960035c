"""Graphs of k-means: assignment of points, updates by whole and by small batches, and the choice of first centers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.contrib.factorization.choosing_centers import chain_choice, plus_plus_centers, squared_distances
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Operation
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather, unique
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import identity, ones, ones_like, zeros, zeros_like
from ferroflow._src.ops.flow.checking import assert_equal, assert_greater_equal
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.math.arithmetic import add_n, maximum, minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal, less, less_equal
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.math.reduction import argmin
from ferroflow._src.ops.math.segment import unsorted_segment_sum
from ferroflow._src.ops.nn.embedding import embedding_lookup
from ferroflow._src.ops.nn.normalization import l2_normalize
from ferroflow._src.ops.random.sampling import random_uniform
from ferroflow._src.ops.state.assigning import assign, assign_sub, scatter_add
from ferroflow._src.variables.variable import Variable

__all__ = [
    "CLUSTERS_VAR_NAME",
    "COSINE_DISTANCE",
    "KMC2_INIT",
    "KMEANS_PLUS_PLUS_INIT",
    "RANDOM_INIT",
    "SQUARED_EUCLIDEAN_DISTANCE",
    "KMeans",
    "check_choices",
]

SQUARED_EUCLIDEAN_DISTANCE: Final = "squared_euclidean"
COSINE_DISTANCE: Final = "cosine"
RANDOM_INIT: Final = "random"
KMEANS_PLUS_PLUS_INIT: Final = "kmeans_plus_plus"
KMC2_INIT: Final = "kmc2"
CLUSTERS_VAR_NAME: Final = "clusters"
# Added to the number of points of a cluster, which may have none.
_EPSILON: Final = 1e-6

InitialClusters = str | TensorLike | Callable[[Any, Any], Any]


def check_choices(initial_clusters: InitialClusters, distance_metric: str, inits: tuple[str, ...]) -> None:
    """Raises ValueError if the first centers or the distance are not among those that exist."""
    if isinstance(initial_clusters, str) and initial_clusters not in inits:
        raise ValueError(f"Unsupported initialization algorithm '{initial_clusters}'")
    if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
        raise ValueError(f"Unsupported distance metric '{distance_metric}'")


def _least(distances: Any) -> Any:
    """Returns the distance of each point to its nearest center: NaN for a point with NaN, which a minimum would pass
    over.
    """
    return maximum(gather(distances, argmin(distances, 1), batch_dims=1), 0.0)


class KMeans:
    """Graph that clusters points by k-means, by whole batches or by small ones.

    Args:
        inputs: Tensor of float32, of shape [n, d], the points in random order; or a list of such Tensors.
        num_clusters: int or scalar Tensor of int32; without an effect if `initial_clusters` is a tensor.
        initial_clusters: "random", "kmeans_plus_plus" or "kmc2". Or a tensor of float32, of shape [k, d], the first
            centers. Or a function of the inputs and a number that returns at most so many centers.
        distance_metric: "squared_euclidean" or "cosine".
        use_mini_batch: bool. If True, each step moves the centers of its points' clusters, by a share that falls with
            the number of points seen. If False, each step has all points, and the centers become their clusters' means.
        mini_batch_steps_per_iteration: int. If it is larger than 1, so many steps move a copy of the centers, which
            then replaces the centers.
        random_seed: int, of the choice of first centers.
        kmeans_plus_plus_num_retries: int, further candidates for each center of k-means++, of which the best is
            taken; a negative number for a number that grows with the logarithm of the centers.
        kmc2_chain_length: int, the points for each center of k-MC2.

    Raises:
        ValueError: if `initial_clusters` or `distance_metric` is a str that is not listed above.
    """

    def __init__(
        self,
        inputs: Any,
        num_clusters: TensorLike,
        initial_clusters: InitialClusters = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        use_mini_batch: bool = False,
        mini_batch_steps_per_iteration: int = 1,
        random_seed: int = 0,
        kmeans_plus_plus_num_retries: int = 2,
        kmc2_chain_length: int = 200,
    ) -> None:
        check_choices(initial_clusters, distance_metric, (RANDOM_INIT, KMEANS_PLUS_PLUS_INIT, KMC2_INIT))
        parts = inputs if isinstance(inputs, list) else [inputs]
        self._inputs = [convert_to_tensor(part) for part in parts]
        self._initial: Any = initial_clusters
        self._is_cosine = distance_metric == COSINE_DISTANCE
        self._is_mini_batch = use_mini_batch
        self._steps = int(mini_batch_steps_per_iteration)
        self._seed = random_seed
        self._retries = kmeans_plus_plus_num_retries
        self._chain_length = kmc2_chain_length
        if not (isinstance(self._initial, str) or callable(self._initial)):
            self._initial = convert_to_tensor(self._initial)
            self._count = shaping.shape(self._initial)[0]
        else:
            self._count = convert_to_tensor(num_clusters)

    @property
    def _has_copy(self) -> bool:
        """True if the steps move a copy of the centers."""
        return self._is_mini_batch and self._steps > 1

    def training_graph(self) -> tuple[Any, ...]:
        """Adds the variables and operations.

        Run the fifth result until the fourth is True, and then the sixth.

        Returns:
            Six values. The first is a list of Tensors of float32, of shape [n, k], the distances to all centers.
            The second is a list of Tensors of int64, of shape [n], the nearest centers.
            The third is a list of Tensors of float32, of shape [n], the distances to the nearest centers.
            The fourth is the bool Variable that is True once all first centers are chosen.
            The fifth is the operation that chooses some of them. The sixth is the operation or Tensor that trains.
        """
        empty = zeros([0])
        self._centers = Variable(empty, name=CLUSTERS_VAR_NAME, validate_shape=False)
        self._initialized = Variable(False, name="initialized", dtype=dtypes.bool)
        self._moved, counts, left = self._centers, None, None
        if self._has_copy:
            self._moved = Variable(empty, name="clusters_updated", validate_shape=False)
            left = Variable(self._steps, name="update_in_steps", dtype=dtypes.int64)
            counts = Variable(zeros(shaping.reshape(self._count, [1]), dtypes.int64))
        elif self._is_mini_batch:
            counts = Variable(ones(shaping.reshape(self._count, [1]), dtypes.int64))
        start = self._initialization()

        points: list[Any] = self._inputs
        centers: Any = self._centers
        if self._is_cosine:
            points = [l2_normalize(part, axis=1) for part in points]
            centers = l2_normalize(centers, axis=1)
        distances = [self._distances(part, centers) for part in points]
        nearest = [argmin(each, 1) for each in distances]
        scores = [_least(each) for each in distances]
        if self._is_mini_batch:
            with control_dependencies([self._synchronized(left, counts)]):
                train = self._mini_batch_step(points, nearest, counts)
        else:
            train = self._full_step(points, nearest)
        return distances, nearest, scores, self._initialized, start, train

    def _distances(self, points: Any, centers: Any) -> Any:
        if self._is_cosine:
            return 1 - matmul(points, centers, transpose_b=True)
        return squared_distances(points, centers)

    def _full_step(self, points: list[Any], nearest: list[Any]) -> Any:
        sums, counts = [], []
        for part, clusters in zip(points, nearest, strict=True):
            sums.append(unsorted_segment_sum(part, clusters, self._count))
            counts.append(unsorted_segment_sum(ones_like(part[:, :1]), clusters, self._count))
        means = add_n(sums) / (add_n(counts) + _EPSILON)
        return assign(self._centers, l2_normalize(means, axis=1) if self._is_cosine else means)

    def _synchronized(self, left: Any, counts: Any) -> Any:
        """Returns the operation that replaces the centers by their copy when its steps are done."""
        if left is None:
            return no_op()

        def replace() -> Any:
            with control_dependencies([assign(left, self._steps - 1)]):
                moved = l2_normalize(self._moved, axis=1) if self._is_cosine else identity(self._moved)
            with control_dependencies([assign(self._centers, moved)]):
                cleared = assign(counts, zeros_like(counts))
            with control_dependencies([cleared]):
                return identity(left)

        return cond(less_equal(left, 0), replace, lambda: assign_sub(left, 1))

    def _mini_batch_step(self, points: list[Any], nearest: list[Any], counts: Any) -> Operation:
        updates = []
        for part, clusters in zip(points, nearest, strict=True):
            ids, places = unique(clusters)
            number = shaping.size(ids)
            old, old_centers = gather(counts, ids), gather(self._moved, ids)
            added = unsorted_segment_sum(ones_like(places, dtypes.int64), places, number)
            weights = shaping.expand_dims(cast(added, part.dtype), 1)
            rate = 1 / shaping.expand_dims(cast(old + added, part.dtype), 1)
            change = (unsorted_segment_sum(part, places, number) - weights * old_centers) * rate
            updates += [scatter_add(counts, ids, added), scatter_add(self._moved, ids, change)]
        return group(*updates)

    def _initialization(self) -> Operation:
        """Returns the operation that adds first centers, as many as the inputs give."""
        have = shaping.shape(identity(self._centers))[0]
        missing = self._count - have

        def finished() -> Operation:
            is_set = assert_equal(self._initialized, True, message="The centers are chosen, but not marked so.")
            return group(is_set)

        def choose() -> Operation:
            left = self._chained(have, missing) if self._initial == KMC2_INIT else self._added(have, missing)
            done = cond(equal(left, 0), lambda: assign(self._initialized, True), lambda: identity(self._initialized))
            chosen: Operation = done.op
            return chosen

        with control_dependencies([assert_greater_equal(missing, 0)]):
            chosen = cond(equal(missing, 0), lambda: _true_after(finished()), lambda: _true_after(choose()))
        operation: Operation = chosen.op
        return operation

    def _added(self, have: Any, missing: Any) -> Any:
        """Adds chosen centers and returns how many are missing then."""
        new = self._chosen(missing)
        if self._is_cosine:
            new = l2_normalize(new, axis=1)
        centers = cond(equal(have, 0), lambda: identity(new), lambda: concat([self._centers, new], 0))
        return self._count - shaping.shape(self._assigned(centers))[0]

    def _assigned(self, centers: Any) -> Any:
        result = assign(self._centers, centers, validate_shape=False)
        if self._moved is not self._centers:
            result = assign(self._moved, result, validate_shape=False)
        return result

    def _chosen(self, missing: Any) -> Any:
        if callable(self._initial):
            return self._initial(self._inputs, missing)
        total = add_n([shaping.shape(part)[0] for part in self._inputs])
        if not isinstance(self._initial, str):
            with control_dependencies([assert_equal(missing, shaping.shape(self._initial)[0])]):
                return identity(self._initial)
        if self._initial == RANDOM_INIT:
            return cond(
                less_equal(total, missing), lambda: concat(self._inputs, 0), lambda: self._random(missing, total)
            )
        with control_dependencies([assert_greater_equal(total, missing)]):
            points = identity(self._inputs[0])
        if self._is_cosine:
            points = l2_normalize(points, axis=1)
        return plus_plus_centers(points, missing, self._seed, self._retries)

    def _random(self, missing: Any, total: Any) -> Any:
        indices = random_uniform(shaping.reshape(missing, [1]), 0, cast(total, dtypes.int64), dtypes.int64, self._seed)
        return embedding_lookup(self._inputs, indices, partition_strategy="div")

    def _chained(self, have: Any, missing: Any) -> Any:
        """Adds a center for each `kmc2_chain_length` points of the first input, and returns how many are missing."""
        points = l2_normalize(self._inputs[0], axis=1) if self._is_cosine else self._inputs[0]
        number = maximum(minimum(missing, shaping.shape(points)[0] // self._chain_length), 1)

        def body(i: Any, centers: Any) -> tuple[Any, Any]:
            subset = points[i * self._chain_length : (i + 1) * self._chain_length]
            nearest = _least(squared_distances(subset, centers))
            state = shaping.reshape(chain_choice(nearest, self._seed), [1])
            return i + 1, concat([centers, gather(subset, state)], 0)

        is_first = equal(have, 0)
        centers = cond(is_first, lambda: identity(points[:1]), lambda: identity(self._centers))
        centers.set_shape([None, points.shape[1]])
        _, centers = while_loop(
            lambda i, _: less(i, number),
            body,
            [cast(is_first, dtypes.int32), centers],
            shape_invariants=[TensorShape([]), centers.shape],
        )
        return self._count - shaping.shape(self._assigned(centers))[0]


def _true_after(operation: Operation) -> Any:
    with control_dependencies([operation]):
        return convert_to_tensor(True)
