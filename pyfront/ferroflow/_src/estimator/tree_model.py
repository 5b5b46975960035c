"""The model function of boosted trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.autodiff.gradients import gradients as gradients_of
from ferroflow._src.base import dtypes
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.estimator.head_checks import checked_labels
from ferroflow._src.estimator.modes import ModeKeys
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.estimator.tree_cache import CachedPlaces, Places, cached_features, tree_variable
from ferroflow._src.estimator.tree_ensemble import TreeEnsemble
from ferroflow._src.estimator.tree_features import (
    boundaries_by_name,
    feature_count,
    feature_vectors,
    features_by_buckets,
    float_columns_of,
    sorted_columns,
    transformed,
)
from ferroflow._src.estimator.tree_growth import (
    AccumulatingGrower,
    Grower,
    InitializationHook,
    InMemoryGrower,
    StopAtAttemptsHook,
)
from ferroflow._src.estimator.tree_quantiles import QuantileAccumulator
from ferroflow._src.estimator.tree_settings import TreeSettings
from ferroflow._src.feature_column.embedded import IndicatorColumn
from ferroflow._src.feature_column.numeric import numeric_column
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import control_dependencies, device, name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import exp, reciprocal
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.summary.values import scalar
from ferroflow._src.training.global_step import get_or_create_global_step

_SCOPE = "boosted_trees"
_QUANTILES = "QuantileAccumulator"


def logistic_gradients(logits: Tensor, labels: Any) -> tuple[Tensor, Tensor]:
    """Returns the first and the second derivative of the mean logistic loss with respect to the logits.

    Args:
        logits: float32 Tensor of shape [batch, 1].
        labels: Tensor of shape [batch] or [batch, 1], 0 or 1.

    Returns:
        Two float32 Tensors of shape [batch, 1].
    """
    chances = reciprocal(exp(-logits) + 1.0)
    share = reciprocal(cast(shaping.size(chances), dtypes.float32))
    known = checked_labels(cast(labels, dtypes.float32), logits, 1)
    return (chances - known) * share, chances * (1.0 - chances) * share


class TreeInputs:
    """The trees of a model in a graph, and the features that they read.

    Args:
        columns: list of feature columns, sorted by name.
        epsilon: float, the error of quantiles.
        num_quantiles: int, the number of buckets of a float feature.
        scope: str, the open name scope.
    """

    def __init__(self, columns: list[Any], epsilon: float, num_quantiles: int, scope: str) -> None:
        self.columns = columns
        self.ensemble = TreeEnsemble(name=scope)
        self.float_columns = float_columns_of(columns)
        self.quantiles: QuantileAccumulator | None = None
        self.boundaries: dict[str, list[Tensor]] = {}
        if self.float_columns:
            streams = sum(feature_count(column) for column in self.float_columns)
            self.quantiles = QuantileAccumulator(epsilon, streams, num_quantiles, name=_QUANTILES)
            found = self.quantiles.get_bucket_boundaries()
            self.boundaries = boundaries_by_name(self.float_columns, found)

    def vectors(self, features: Mapping[str, Any], known: Mapping[Any, Any] | None = None) -> list[Tensor]:
        """Returns the buckets of the features, int32 Tensors of shape [batch]."""
        return feature_vectors(features, self.columns, self.boundaries, known)

    def predict(self, vectors: list[Tensor], dimension: int) -> Tensor:
        """Returns the logits of all trees, float32 Tensor of shape [batch, dimension]."""
        attrs = {"logits_dimension": dimension}
        return tensor_op("BoostedTreesPredict", [self.ensemble.resource_handle, vectors], attrs)


class TreeModel:
    """A model of boosted trees; calling it adds the model to the default graph.

    Args:
        head: Head, with one logit.
        feature_columns: iterable of feature columns.
        settings: TreeSettings.
        n_batches_per_layer: int or int64 Tensor of shape [], the batches whose statistics make a layer.
        closed_form: callable of logits and labels that returns the loss's first and second derivatives, or None.
        weight_column: str, the key of the feature that weighs examples, or a numeric feature column, or None.
        train_in_memory: bool. If True, each batch is the whole data.
    """

    def __init__(
        self,
        head: Any,
        feature_columns: Any,
        settings: TreeSettings,
        n_batches_per_layer: Any,
        closed_form: Callable[[Tensor, Any], tuple[Tensor, Tensor]] | None = None,
        weight_column: Any = None,
        train_in_memory: bool = False,
    ) -> None:
        self._head = head
        self._columns = sorted_columns(feature_columns)
        self._settings = settings
        self._n_batches = n_batches_per_layer
        self._closed_form = closed_form
        self._weight_column = weight_column
        self._in_memory = train_in_memory

    def __call__(self, features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        """Returns the EstimatorSpec of the model in one mode."""
        settings = self._settings
        with name_scope(_SCOPE) as scope:
            get_or_create_global_step()
            inputs = TreeInputs(self._columns, settings.quantile_sketch_epsilon, settings.num_quantiles, scope)
            if mode == ModeKeys.TRAIN:
                return self._trained(inputs, features, labels, config, scope)
            logits = inputs.predict(inputs.vectors(features), self._head.logits_dimension)
            return self._spec(features, mode, labels, logits, lambda loss: no_op())

    def _spec(self, features: Any, mode: str, labels: Any, logits: Tensor, train_op_fn: Any) -> EstimatorSpec:
        spec: EstimatorSpec = self._head.create_estimator_spec(
            features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits
        )
        return spec

    def _check_in_memory(self, config: Any) -> None:
        if self._n_batches != 1:
            raise AssertionError(
                "When train_in_memory is enabled, input_fn should return the entire dataset as a single batch, and "
                "n_batches_per_layer should be set as 1."
            )
        if not config.is_chief or config.num_worker_replicas > 1 or config.num_ps_replicas > 0:
            raise ValueError("train_in_memory is supported only for non-distributed training.")

    def _trained(self, inputs: TreeInputs, features: Any, labels: Any, config: Any, scope: str) -> EstimatorSpec:
        settings, dimension = self._settings, self._head.logits_dimension
        if self._in_memory:
            self._check_in_memory(config)
        are_ready = tree_variable(not inputs.float_columns, "are_boundaries_ready")
        batch = shaping.shape(labels)[0]
        places: Places
        if self._in_memory:
            vectors = self._cached(inputs, features, batch, are_ready)
            places = CachedPlaces(batch, dimension)
        else:
            vectors = inputs.vectors(features)
            places = Places(batch, dimension)
        local, reload = self._local_ensemble(inputs.ensemble, config, scope)
        with control_dependencies([reload]):
            stamp, trees, finalized, layers, last_layer = local.get_states()
            values = [local.resource_handle, places.tree_ids, places.node_ids, vectors]
            attrs = {"logits_dimension": dimension}
            partial, tree_ids, node_ids = apply_op("BoostedTreesTrainingPredict", values, attrs).outputs
        logits = places.logits + partial
        bucket_counts, groups = features_by_buckets(self._columns, settings.num_quantiles)
        grower: Grower
        if self._in_memory:
            grower = InMemoryGrower(inputs.ensemble, inputs.quantiles, settings, groups)
        else:
            grower = AccumulatingGrower(
                *(inputs.ensemble, inputs.quantiles, settings, groups, stamp, self._n_batches, bucket_counts),
                is_chief=config.is_chief,
            )
        counts = {"num_trees": trees, "num_finalized_trees": finalized, "num_attempted_layers": layers}
        for name, count in counts.items():
            scalar(f"ensemble/{name}", count)
        bias_is_needed = tree_variable(settings.center_bias, "center_bias_needed")
        weights = self._weights(features)

        def update_quantiles() -> Operation:
            with name_scope("UpdateQuantile"):
                numbers = feature_vectors(features, inputs.float_columns)
                # The features of this step have the boundaries from before it.
                with control_dependencies([partial]):
                    return grower.accumulate_quantiles(numbers, weights, are_ready)

        def train(loss: Tensor) -> Operation:
            first, second = self._derivatives(loss, logits, labels)

            def grow() -> Operation:
                steps: list[Any] = []
                if isinstance(places, CachedPlaces):
                    cached = places

                    def insert() -> Operation:
                        return cached.update(tree_ids, node_ids, logits)

                    steps.append(cond(bias_is_needed.read_value(), no_op, insert))
                statistics = [
                    [self._statistics(node_ids, first, second, vectors[f], buckets) for f in group_of]
                    for group_of, buckets in zip(groups, bucket_counts, strict=True)
                ]
                if settings.center_bias:
                    update = cond(
                        bias_is_needed.read_value(),
                        lambda: grower.center_bias(bias_is_needed, first, second),
                        lambda: grower.grow(statistics, last_layer),
                    )
                else:
                    update = grower.grow(statistics, last_layer)
                with control_dependencies([update]):
                    counted = assign_add(get_or_create_global_step(), 1)
                return group(*steps, update, counted, name="grow_op")

            if not inputs.float_columns:
                return grow()
            return group(cond(are_ready.read_value(), grow, update_quantiles))

        spec = self._spec(features, ModeKeys.TRAIN, labels, logits, train)
        return spec._replace(
            training_hooks=(*spec.training_hooks, StopAtAttemptsHook(finalized, layers, settings)),
            training_chief_hooks=(InitializationHook(grower.initializer()), *spec.training_chief_hooks),
        )

    def _cached(self, inputs: TreeInputs, features: Any, batch: Tensor, are_ready: Any) -> list[Tensor]:
        # Tables that are initialized in a branch would miss the initialization of the others.
        known = transformed(features, [column for column in self._columns if isinstance(column, IndicatorColumn)])
        count = sum(feature_count(column) for column in self._columns)
        return cached_features(count, batch, are_ready, lambda: inputs.vectors(features, known))

    @staticmethod
    def _local_ensemble(ensemble: TreeEnsemble, config: Any, scope: str) -> tuple[TreeEnsemble, Operation]:
        """Returns the ensemble to predict with, a copy if several workers train, and the operation that copies it."""
        worker = no_op()
        if config.num_worker_replicas <= 1:
            return ensemble, worker
        with device(worker.device):
            local = TreeEnsemble(name=f"{scope.rstrip('/')}/_local", is_local=True)
        return local, local.deserialize(*ensemble.serialize())

    def _weights(self, features: Any) -> Tensor:
        column = self._weight_column
        if column is None:
            return constant(1.0, shape=[1])
        if isinstance(column, str):
            column = numeric_column(column, shape=(1,))
        return feature_vectors(features, [column])[0]

    def _derivatives(self, loss: Tensor, logits: Tensor, labels: Any) -> tuple[Tensor, Tensor]:
        if self._closed_form is not None:
            return self._closed_form(logits, labels)
        first = gradients_of(loss, logits, name="Gradients")[0]
        return first, gradients_of(first, logits, name="Hessians")[0]

    def _statistics(self, nodes: Tensor, first: Tensor, second: Tensor, feature: Tensor, buckets: int) -> Tensor:
        attrs = {"max_splits": self._settings.max_splits, "num_buckets": buckets}
        summary = tensor_op("BoostedTreesMakeStatsSummary", [nodes, first, second, [feature]], attrs)
        return shaping.squeeze(summary, axis=0)
