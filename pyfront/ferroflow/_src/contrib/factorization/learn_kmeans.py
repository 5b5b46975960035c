"""`tf.contrib.learn.KMeansClustering`: k-means as an estimator that trains with `fit`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.contrib.factorization import clustering
from ferroflow._src.contrib.factorization.center_hook import InitializeClustersHook, LossRelativeChangeHook
from ferroflow._src.contrib.factorization.clustering import InitialClusters, KMeans
from ferroflow._src.contrib.learn.estimator import Estimator
from ferroflow._src.contrib.learn.model_ops import ModelFnOps
from ferroflow._src.contrib.learn.run_config import RunConfig
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.summary.values import scalar
from ferroflow._src.training.global_step import get_global_step

__all__ = ["KMeansClustering"]


class KMeansClustering(Estimator):
    """Estimator that clusters points by k-means; `tf.contrib.factorization.KMeansClustering` is its successor.

    Args:
        num_clusters: int.
        model_dir: str, folder of the checkpoints; None for a new one.
        initial_clusters: as of `tf.contrib.factorization.KMeans`.
        distance_metric: "squared_euclidean" or "cosine".
        random_seed: int, of the choice of first centers.
        use_mini_batch: bool. If False, each step needs all points.
        mini_batch_steps_per_iteration: int, steps after which the moved copy replaces the centers.
        kmeans_plus_plus_num_retries: int, further candidates for each center of k-means++.
        relative_tolerance: float. Training ends when the loss changes by a smaller share; None for no such end.
        config: tf.contrib.learn.RunConfig or None.
    """

    SQUARED_EUCLIDEAN_DISTANCE: Final = clustering.SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE: Final = clustering.COSINE_DISTANCE
    RANDOM_INIT: Final = clustering.RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT: Final = clustering.KMEANS_PLUS_PLUS_INIT
    SCORES: Final = "scores"
    CLUSTER_IDX: Final = "cluster_idx"
    CLUSTERS: Final = "clusters"
    ALL_SCORES: Final = "all_scores"
    LOSS_OP_NAME: Final = "kmeans_loss"

    def __init__(
        self,
        num_clusters: TensorLike,
        model_dir: str | None = None,
        initial_clusters: InitialClusters = clustering.RANDOM_INIT,
        distance_metric: str = clustering.SQUARED_EUCLIDEAN_DISTANCE,
        random_seed: int = 0,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: float | None = None,
        config: RunConfig | None = None,
    ) -> None:
        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
            if labels is not None:
                raise ValueError(f"Clustering has no labels, got {labels}")
            points = features
            if isinstance(features, Mapping):
                points = concat([features[key] for key in sorted(features)], 1)
            distances, nearest, scores, is_initialized, init_op, step = KMeans(
                points,
                num_clusters,
                initial_clusters,
                distance_metric,
                use_mini_batch,
                mini_batch_steps_per_iteration,
                random_seed,
                kmeans_plus_plus_num_retries,
            ).training_graph()
            loss = reduce_sum(scores, name=self.LOSS_OP_NAME)
            scalar("loss/raw", loss)
            hooks: list[Any] = [InitializeClustersHook(init_op, is_initialized, config.is_chief)]
            if relative_tolerance is not None:
                hooks.append(LossRelativeChangeHook(loss, relative_tolerance))
            return ModelFnOps(
                mode=mode,
                predictions={self.ALL_SCORES: distances[0], self.CLUSTER_IDX: nearest[0]},
                eval_metric_ops={self.SCORES: loss},
                loss=loss,
                train_op=with_dependencies([step, assign_add(get_global_step(), 1)], loss),
                training_hooks=hooks,
            )

        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)

    def predict_cluster_idx(self, input_fn: Any = None) -> Any:
        """Yields the cluster of each point.

        Args:
            input_fn: function that returns the points.

        Yields:
            int64 scalars.
        """
        for result in self.predict(input_fn=input_fn, outputs=[self.CLUSTER_IDX]):
            yield result[self.CLUSTER_IDX]

    def score(self, input_fn: Any = None, steps: int | None = None) -> Any:
        """Returns the sum of the distances to the nearest centers.

        Args:
            input_fn: function that returns the points.
            steps: int, the number of batches; None for all.

        Returns:
            float32 scalar.
        """
        return np.sum(self.evaluate(input_fn=input_fn, steps=steps)[self.SCORES])

    def transform(self, input_fn: Any = None, as_iterable: bool = False) -> Any:
        """Returns the distances of the points to all centers; squared, if the distance is Euclidean.

        Args:
            input_fn: function that returns the points.
            as_iterable: bool. If True, dicts with the distances of each point are yielded.

        Returns:
            Array of float32, of shape [n, k]; or an iterator.
        """
        results = self.predict(input_fn=input_fn, outputs=[self.ALL_SCORES], as_iterable=as_iterable)
        return results if as_iterable else results[self.ALL_SCORES]

    def clusters(self) -> Any:
        """Returns the centers of the latest checkpoint, an array of float32, of shape [k, d]."""
        return self.get_variable_value(self.CLUSTERS)
