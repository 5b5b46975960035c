"""`KMeansClustering`: k-means as an estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.contrib.factorization import clustering
from ferroflow._src.contrib.factorization.center_hook import InitializeClustersHook, LossRelativeChangeHook
from ferroflow._src.contrib.factorization.clustering import InitialClusters, KMeans, check_choices
from ferroflow._src.estimator.estimator import Estimator
from ferroflow._src.estimator.export_outputs import PredictOutput
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.feature_column.models import input_layer
from ferroflow._src.metrics.averaging import mean
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from ferroflow._src.summary.values import scalar
from ferroflow._src.supervision.session_run_hook import SessionRunHook
from ferroflow._src.training.global_step import get_global_step

__all__ = ["KMeansClustering"]


def points_of(features: Any, feature_columns: Sequence[Any] | None) -> Any:
    if not isinstance(features, Mapping):
        return features
    if feature_columns:
        return input_layer(features, feature_columns)
    return concat([features[key] for key in sorted(features)], 1)


class KMeansClustering(Estimator):
    """Estimator that clusters points by k-means.

    Args:
        num_clusters: int; without an effect if `initial_clusters` is an array.
        model_dir: str, folder of the checkpoints; None for a new one.
        initial_clusters: "random" or "kmeans_plus_plus". Or an array of float32, of shape [k, d], the first centers.
            Or a function of the inputs and a number that returns at most so many centers.
        distance_metric: "squared_euclidean" or "cosine".
        random_seed: int, of the choice of first centers.
        use_mini_batch: bool. If False, each step needs all points.
        mini_batch_steps_per_iteration: int, steps after which the moved copy replaces the centers.
        kmeans_plus_plus_num_retries: int, further candidates for each center of k-means++.
        relative_tolerance: float. Training ends when the loss changes by a smaller share; None for no such end.
        config: tf.estimator.RunConfig or None.
        feature_columns: list of feature columns that make the points of a dict of features; None for all features in
            the order of their names.

    Raises:
        ValueError: if `initial_clusters` or `distance_metric` is a str that is not listed above.
    """

    SQUARED_EUCLIDEAN_DISTANCE: Final = clustering.SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE: Final = clustering.COSINE_DISTANCE
    RANDOM_INIT: Final = clustering.RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT: Final = clustering.KMEANS_PLUS_PLUS_INIT
    SCORE: Final = "score"
    CLUSTER_INDEX: Final = "cluster_index"
    ALL_DISTANCES: Final = "all_distances"
    CLUSTER_CENTERS_VAR_NAME: Final = clustering.CLUSTERS_VAR_NAME

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
        feature_columns: Sequence[Any] | None = None,
    ) -> None:
        inits = (clustering.RANDOM_INIT, clustering.KMEANS_PLUS_PLUS_INIT)
        check_choices(initial_clusters, distance_metric, inits)

        def model_fn(features: Any, mode: str, config: Any) -> EstimatorSpec:
            distances, nearest, losses, is_initialized, init_op, step = KMeans(
                points_of(features, feature_columns),
                num_clusters,
                initial_clusters,
                distance_metric,
                use_mini_batch,
                mini_batch_steps_per_iteration,
                random_seed,
                kmeans_plus_plus_num_retries,
            ).training_graph()
            loss = reduce_sum(losses)
            scalar("loss/raw", loss)
            train_op = with_dependencies([step, assign_add(get_global_step(), 1)], loss)
            hooks: list[SessionRunHook] = [InitializeClustersHook(init_op, is_initialized, config.is_chief)]
            if relative_tolerance is not None:
                hooks.append(LossRelativeChangeHook(loss, relative_tolerance))
            predictions = {self.ALL_DISTANCES: distances[0], self.CLUSTER_INDEX: nearest[0]}
            return EstimatorSpec(
                mode,
                predictions=predictions,
                loss=loss,
                train_op=train_op,
                eval_metric_ops={self.SCORE: mean(loss)},
                training_hooks=hooks,
                export_outputs={
                    **{key: PredictOutput(value) for key, value in predictions.items()},
                    DEFAULT_SERVING_SIGNATURE_DEF_KEY: PredictOutput(nearest[0]),
                },
            )

        super().__init__(model_fn, model_dir, config)

    def predict_cluster_index(self, input_fn: Callable[[], Any]) -> Iterator[Any]:
        """Yields the cluster of each point.

        Args:
            input_fn: function that returns the points.

        Yields:
            int64 scalars.
        """
        return self._predicted(input_fn, self.CLUSTER_INDEX)

    def score(self, input_fn: Callable[[], Any]) -> Any:
        """Returns the sum of the distances to the nearest centers over the first batch.

        Args:
            input_fn: function that returns the points.

        Returns:
            float32 scalar.
        """
        return self.evaluate(input_fn, steps=1)[self.SCORE]

    def transform(self, input_fn: Callable[[], Any]) -> Iterator[Any]:
        """Yields the distances of each point to all centers; squared, if the distance is Euclidean.

        Args:
            input_fn: function that returns the points.

        Yields:
            Arrays of float32, of shape [k].
        """
        return self._predicted(input_fn, self.ALL_DISTANCES)

    def cluster_centers(self) -> np.ndarray[Any, Any]:
        """Returns the centers of the latest checkpoint, an array of float32, of shape [k, d]."""
        centers: np.ndarray[Any, Any] = self.get_variable_value(self.CLUSTER_CENTERS_VAR_NAME)
        return centers

    def _predicted(self, input_fn: Callable[[], Any], key: str) -> Iterator[Any]:
        for result in self.predict(input_fn, predict_keys=[key]):
            yield result[key]
