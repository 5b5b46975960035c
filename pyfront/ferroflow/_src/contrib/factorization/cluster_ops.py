"""Operations of clusterings, under the names that TensorFlow's kernels have."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import IntLike, TensorLike
from ferroflow._src.contrib.factorization.choosing_centers import chain_choice, plus_plus_centers, squared_distances
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.arithmetic import maximum, minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.nn.ranking import top_k

__all__ = ["kmc2_chain_initialization", "kmeans_plus_plus_initialization", "nearest_neighbors"]


def kmeans_plus_plus_initialization(
    points: TensorLike, num_to_sample: IntLike, seed: int, num_retries_per_sample: int, name: str | None = None
) -> Tensor:
    """Chooses points by k-means++: each with a probability that grows with its squared distance to those before.

    Args:
        points: Tensor of float32, of shape [n, d].
        num_to_sample: int, or Tensor of int64, of shape []: the number of points to choose.
        seed: int, the seed of the random numbers.
        num_retries_per_sample: int, the number of further candidates for each point, of which the best is chosen; a
            negative number for 2 + log(num_to_sample).
        name: str, the name scope of the operations; None for "KmeansPlusPlusInitialization".

    Returns:
        Tensor of float32, of shape [num_to_sample, d].

    Raises:
        tf.errors.InvalidArgumentError: when a step runs, if `num_to_sample` is not in [1, n].
    """
    with name_scope(name, "KmeansPlusPlusInitialization", [points]):
        chosen: Tensor = plus_plus_centers(
            convert_to_tensor(points, dtypes.float32), num_to_sample, seed, num_retries_per_sample
        )
        return chosen


def kmc2_chain_initialization(distances: TensorLike, seed: int, name: str | None = None) -> Tensor:
    """Chooses a point by the Markov chain of k-MC2.

    Args:
        distances: Tensor of float32, of shape [n]: each point's squared distance to the nearest center.
        seed: int, the seed of the random numbers.
        name: str, the name scope of the operations; None for "KMC2ChainInitialization".

    Returns:
        Tensor of int64, of shape []: the point's index.
    """
    with name_scope(name, "KMC2ChainInitialization", [distances]):
        chosen: Tensor = cast(chain_choice(convert_to_tensor(distances, dtypes.float32), seed), dtypes.int64)
        return chosen


def nearest_neighbors(
    points: TensorLike, centers: TensorLike, k: IntLike, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Finds the nearest centers of points.

    Args:
        points: Tensor of float32, of shape [n, d].
        centers: Tensor of float32, of shape [m, d].
        k: int, or Tensor of int64, of shape []: the number of centers to find; at most m are found.
        name: str, the name scope of the operations; None for "NearestNeighbors".

    Returns:
        (Tensor of int64, of shape [n, min(k, m)]: the centers, the nearest first; Tensor of float32, alike: the
        squared distances).
    """
    with name_scope(name, "NearestNeighbors", [points, centers]):
        places, choices = convert_to_tensor(points, dtypes.float32), convert_to_tensor(centers, dtypes.float32)
        distances: Any = maximum(squared_distances(places, choices), 0.0)
        most = shaping.shape(choices)[0]
        found = top_k(-distances, minimum(cast(k, dtypes.int32), most))
        return cast(found.indices, dtypes.int64), -found.values
