"""The operations that grow trees, from one batch or from the statistics of several."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.estimator.tree_ensemble import PruningMode, TreeEnsemble
from ferroflow._src.estimator.tree_quantiles import QuantileAccumulator
from ferroflow._src.estimator.tree_settings import TreeSettings
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.math.comparison import greater_equal
from ferroflow._src.ops.math.reduction import reduce_mean, reduce_min
from ferroflow._src.ops.state.accumulating import ConditionalAccumulator
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)


class Grower(abc.ABC):
    """Base of the growers: a layer from statistics.

    Args:
        ensemble: TreeEnsemble.
        quantiles: QuantileAccumulator of the float features; None without such features.
        settings: TreeSettings.
        groups: list of lists of int, the features with the same number of buckets.

    Raises:
        ValueError: if the pruning mode does not exist, or does not fit the tree complexity.
    """

    def __init__(
        self,
        ensemble: TreeEnsemble,
        quantiles: QuantileAccumulator | None,
        settings: TreeSettings,
        groups: list[list[int]],
    ) -> None:
        self._ensemble = ensemble
        self._quantiles = quantiles
        self._settings = settings
        self._groups = groups
        self._pruning = PruningMode.from_str(settings.pruning_mode)
        prunes = self._pruning != PruningMode.NO_PRUNING
        if settings.tree_complexity > 0 and not prunes:
            raise ValueError("Tree complexity have no effect unless pruning mode is chosen.")
        if settings.tree_complexity <= 0 and prunes:
            raise ValueError("For pruning, tree_complexity must be positive.")

    @abc.abstractmethod
    def accumulate_quantiles(self, float_features: list[Tensor], weights: Tensor, are_ready: Any) -> Operation:
        """Returns the operation that adds a batch to the quantiles, and sets `are_ready` once there are enough."""

    @abc.abstractmethod
    def center_bias(self, is_needed: Any, gradients: Tensor, hessians: Tensor) -> Operation:
        """Returns the operation that centers the bias, and sets `is_needed` to False once it is."""

    @abc.abstractmethod
    def grow(self, statistics: list[list[Tensor]], last_layer: Tensor) -> Operation:
        """Returns the operation that adds a layer.

        Args:
            statistics: for each group the statistics of its features, float32 Tensors of shape [splits, buckets, 2].
            last_layer: int32 Tensor of shape [2], the nodes to split.
        """

    def initializer(self) -> Operation:
        """Returns the operation that the chief runs before the first step."""
        return no_op()

    def _added_quantiles(self, float_features: list[Tensor], weights: Tensor) -> tuple[QuantileAccumulator, Operation]:
        if self._quantiles is None:
            raise ValueError("Without float features there are no quantiles.")
        return self._quantiles, self._quantiles.add_summaries(float_features, weights)

    def _moved_bias(self, is_needed: Any, mean_gradient: Tensor, mean_hessian: Tensor) -> Any:
        values = [self._ensemble.resource_handle, mean_gradient, mean_hessian, self._settings.l1, self._settings.l2]
        return is_needed.assign(tensor_op("BoostedTreesCenterBias", values))

    def _added_layer(self, statistics: Sequence[list[Tensor]], last_layer: Tensor) -> Operation:
        settings = self._settings
        numbers = [settings.l1, settings.l2, settings.tree_complexity, settings.min_node_weight]
        feature_ids: list[int] = []
        # Node ids, gains, thresholds, and the weights of the left and the right children.
        candidates: list[list[Tensor]] = [[], [], [], [], []]
        for features, summaries in zip(self._groups, statistics, strict=True):
            feature_ids += features
            values = [last_layer, summaries, *numbers]
            attrs = {"max_splits": settings.max_splits}
            found = list(apply_op("BoostedTreesCalculateBestGainsPerFeature", values, attrs).outputs)
            for i, list_of_kind in enumerate(candidates):
                list_of_kind += found[i * len(features) : (i + 1) * len(features)]
        values = [self._ensemble.resource_handle, feature_ids, *candidates, settings.max_depth, settings.learning_rate]
        return apply_op("BoostedTreesUpdateEnsemble", values, {"pruning_mode": self._pruning})


class InMemoryGrower(Grower):
    """Grows a layer in each step, whose batch is the whole data."""

    def accumulate_quantiles(self, float_features: list[Tensor], weights: Tensor, are_ready: Any) -> Operation:
        quantiles, add = self._added_quantiles(float_features, weights)
        with control_dependencies([add]):
            flush = quantiles.flush()
        with control_dependencies([flush]):
            return group(are_ready.assign(True))

    def center_bias(self, is_needed: Any, gradients: Tensor, hessians: Tensor) -> Operation:
        means = [shaping.expand_dims(reduce_mean(values, 0), 0) for values in (gradients, hessians)]
        return group(self._moved_bias(is_needed, *means))

    def grow(self, statistics: list[list[Tensor]], last_layer: Tensor) -> Operation:
        return self._added_layer(statistics, last_layer)


class AccumulatingGrower(Grower):
    """Grows a layer from the statistics of several batches, which may be those of several workers.

    Args:
        ensemble: as `Grower`.
        quantiles: as `Grower`.
        settings: as `Grower`.
        groups: as `Grower`.
        stamp: int64 Tensor of shape [], the stamp of the ensemble that gave the statistics.
        n_batches: int or int64 Tensor of shape [], the batches of a layer.
        bucket_counts: list of int, the number of buckets of each group.
        is_chief: bool. If True, this worker changes the ensemble.
    """

    def __init__(
        self,
        ensemble: TreeEnsemble,
        quantiles: QuantileAccumulator | None,
        settings: TreeSettings,
        groups: list[list[int]],
        stamp: Tensor,
        n_batches: Any,
        bucket_counts: list[int],
        is_chief: bool,
    ) -> None:
        super().__init__(ensemble, quantiles, settings, groups)
        self._stamp = stamp
        self._n_batches = n_batches
        self._is_chief = is_chief
        shapes = [
            [len(features), settings.max_splits, buckets, 2]
            for features, buckets in zip(groups, bucket_counts, strict=True)
        ]
        name = "numeric_stats_summary_accumulator_"
        self._accumulators = [
            ConditionalAccumulator(dtypes.float32, shape, shared_name=f"{name}{i}") for i, shape in enumerate(shapes)
        ]
        self._of_bias: ConditionalAccumulator | None = None
        if settings.center_bias:
            self._of_bias = ConditionalAccumulator(dtypes.float32, [2, 1], shared_name="bias_accumulator")
        every = [*self._accumulators, *([self._of_bias] if self._of_bias else [])]
        self._start = group(*(accumulator.set_global_step(stamp) for accumulator in every))

    def initializer(self) -> Operation:
        return self._start

    def _is_enough(self, accumulated: Tensor) -> Tensor:
        return greater_equal(accumulated, self._n_batches)

    def accumulate_quantiles(self, float_features: list[Tensor], weights: Tensor, are_ready: Any) -> Operation:
        quantiles, add = self._added_quantiles(float_features, weights)
        counter = ConditionalAccumulator(dtypes.float32, [], shared_name="quantile_summary_accum")
        step = counter.set_global_step(self._stamp)
        with control_dependencies([step]):
            counted = counter.apply_grad(constant(0.0), self._stamp)
        update = group(add, counted)
        if not self._is_chief:
            return update

        def flush() -> Operation:
            taken = counter.take_grad(1)
            made = quantiles.flush()
            with control_dependencies([made]):
                return group(taken, are_ready.assign(True))

        with control_dependencies([update]):
            is_enough = self._is_enough(counter.num_accumulated())
            return group(cond(is_enough, flush, no_op, name="wait_until_quaniles_accumulated"))

    def center_bias(self, is_needed: Any, gradients: Tensor, hessians: Tensor) -> Operation:
        of_bias = self._of_bias
        if of_bias is None:
            raise RuntimeError("center_bias called but bias centering is disabled.")
        means = reduce_mean(joining.stack([gradients, hessians], axis=0), axis=1)
        added = of_bias.apply_grad(means, self._stamp)

        def set_steps() -> Operation:
            return group(*(accumulator.set_global_step(self._stamp + 1) for accumulator in self._accumulators))

        def center() -> Operation:
            gradient, hessian = joining.unstack(of_bias.take_grad(1), axis=0)
            means = shaping.expand_dims(gradient, 0), shaping.expand_dims(hessian, 0)
            moved = self._moved_bias(is_needed, *means)
            with control_dependencies([moved]):
                return group(cond(is_needed.read_value(), no_op, set_steps))

        with control_dependencies([added]):
            if not self._is_chief:
                return no_op()
            is_enough = self._is_enough(of_bias.num_accumulated())
            return group(cond(is_enough, center, no_op, name="wait_until_n_batches_for_bias_accumulated"))

    def grow(self, statistics: list[list[Tensor]], last_layer: Tensor) -> Operation:
        added = [
            accumulator.apply_grad(joining.stack(summaries, axis=0), self._stamp)
            for accumulator, summaries in zip(self._accumulators, statistics, strict=True)
        ]

        def add_layer() -> Operation:
            means = [joining.unstack(accumulator.take_grad(1), axis=0) for accumulator in self._accumulators]
            return self._added_layer(means, last_layer)

        with control_dependencies(added):
            if not self._is_chief:
                return no_op()
            fewest = reduce_min(joining.stack([a.num_accumulated() for a in self._accumulators]))
            return group(cond(self._is_enough(fewest), add_layer, no_op, name="wait_until_n_batches_accumulated"))


class StopAtAttemptsHook(SessionRunHook):
    """Hook that ends the training when all trees are grown, or too many layers were tried.

    Args:
        finalized_trees: int32 Tensor of shape [], the complete trees.
        attempted_layers: int32 Tensor of shape [], the layers that were tried.
        settings: TreeSettings.
    """

    def __init__(self, finalized_trees: Tensor, attempted_layers: Tensor, settings: TreeSettings) -> None:
        self._counts = [finalized_trees, attempted_layers]
        self._most_trees = settings.n_trees
        self._most_layers = 2 * settings.n_trees * settings.max_depth

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Requests the counts.

        Args:
            run_context: SessionRunContext.

        Returns:
            SessionRunArgs.
        """
        return SessionRunArgs(self._counts)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Requests the end of the training if the trees are grown.

        Args:
            run_context: SessionRunContext.
            run_values: SessionRunValues.
        """
        trees, layers = run_values.results
        if trees >= self._most_trees - 1 or layers > self._most_layers - 1:
            # The step's counts are those before its layer.
            trees, layers = run_context.session.run(self._counts)
        if trees >= self._most_trees or layers > self._most_layers:
            run_context.request_stop()


class InitializationHook(SessionRunHook):
    """Hook that runs an operation before the first step.

    Args:
        operation: Operation.
    """

    def __init__(self, operation: Operation) -> None:
        self._operation = operation

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Runs the operation.

        Args:
            session: Session of the training.
            coord: Coordinator of its threads.
        """
        session.run(self._operation)
