"""`Pruning`: masks that hide the smallest weights, more and more of them during the training."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.contrib.model_pruning.assigning import partitioned_variable_assign, variable_assign
from ferroflow._src.contrib.model_pruning.blocks import expand_tensor, factorized_pool
from ferroflow._src.contrib.model_pruning.masks import get_masks, get_thresholds, get_weights
from ferroflow._src.contrib.training.hyperparameters import HParams
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.array.shaping import reshape, shape, size, squeeze
from ferroflow._src.ops.array.slicing import slice as slice_of
from ferroflow._src.ops.flow.grouping import no_op
from ferroflow._src.ops.math.arithmetic import add, add_n, div, maximum, minimum, multiply, pow
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import greater_equal, less, less_equal, logical_and, logical_or
from ferroflow._src.ops.math.elementwise import abs, round
from ferroflow._src.ops.nn.normalization import zero_fraction
from ferroflow._src.ops.nn.pooling import pool
from ferroflow._src.ops.nn.ranking import top_k
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.summary.values import scalar
from ferroflow._src.training.global_step import get_global_step
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Zeros
from ferroflow._src.variables.partitioned_variable import PartitionedVariable
from ferroflow._src.variables.scope import variable_scope


def get_pruning_hparams() -> HParams:
    """Returns the hyperparameters of `Pruning` with their defaults.

    `name` is the name scope of operations and summaries. Masks are updated from `begin_pruning_step` to
    `end_pruning_step`, every `pruning_frequency` steps; an end of -1 means the end of the training.

    The share of hidden weights grows from `initial_sparsity` to `target_sparsity`, between
    `sparsity_function_begin_step` and `sparsity_function_end_step`. With a `sparsity_function_exponent` above 1, it
    grows more slowly towards the end. `weight_sparsity_map` has other final shares for weights whose names match, as
    "REGEX:SHARE". `threshold_decay` is the decay of the thresholds' moving average.

    Weights are hidden in blocks of `block_height` times `block_width`; -1 means the size of the weights.
    `block_dims_map` has other sizes, as "REGEX:HEIGHTxWIDTH". `block_pooling_function` is "AVG" or "MAX", by which the
    weights of a block become one. With `use_tpu`, blocks are pooled over rows and columns in turn. `nbins` has no
    effect.

    Returns:
        `tf.contrib.training.HParams`.
    """
    return HParams(
        name="model_pruning",
        begin_pruning_step=0,
        end_pruning_step=-1,
        weight_sparsity_map=[""],
        block_dims_map=[""],
        threshold_decay=0.0,
        pruning_frequency=10,
        nbins=256,
        block_height=1,
        block_width=1,
        block_pooling_function="AVG",
        initial_sparsity=0.0,
        target_sparsity=0.5,
        sparsity_function_begin_step=0,
        sparsity_function_end_step=100,
        sparsity_function_exponent=3.0,
        use_tpu=False,
    )


def _check(spec: Any) -> None:
    begin, end = spec.begin_pruning_step, spec.end_pruning_step
    if begin < 0:
        raise ValueError("Illegal value for begin_pruning_step")
    if end not in (-1,) and begin >= end:
        raise ValueError(
            f"Pruning must begin before it can end. begin_step={begin}, end_step={end}. Set end_pruning_step to -1 if "
            "pruning is required till training stops"
        )
    if spec.sparsity_function_begin_step < 0:
        raise ValueError("Illegal value for sparsity_function_begin_step")
    if spec.sparsity_function_begin_step >= spec.sparsity_function_end_step:
        raise ValueError("Sparsity function requires begin_step < end_step")
    for name in ("threshold_decay", "initial_sparsity", "target_sparsity"):
        if not 0.0 <= getattr(spec, name) < 1.0:
            raise ValueError(f"{name} must be in range [0,1)")


def _pairs(entries: Iterable[str]) -> list[tuple[re.Pattern[str], str]]:
    """Returns the patterns and values of "REGEX:VALUE" entries; the last one of equal patterns."""
    found = {}
    for entry in entries:
        if entry:
            pattern, value = entry.split(":")
            found[pattern] = value
    return [(re.compile(pattern), value) for pattern, value in found.items()]


def _one_match(pairs: list[tuple[re.Pattern[str], Any]], name: str, parameter: str) -> Any:
    matches = [value for pattern, value in pairs if pattern.search(name)]
    if len(matches) > 1:
        raise ValueError(f"Multiple matches in {parameter} for weight {name}")
    return matches[0] if matches else None


def _block_sizes(entry: tuple[re.Pattern[str], str]) -> tuple[re.Pattern[str], list[int]]:
    pattern, value = entry
    sizes = value.split("x")
    if len(sizes) != 2:
        raise ValueError(f"Expected 2 values for block dim for {pattern.pattern}, got {sizes}")
    return pattern, [int(one) for one in sizes]


def _share(entry: tuple[re.Pattern[str], str]) -> tuple[re.Pattern[str], float]:
    pattern, value = entry
    if float(value) >= 1.0:
        raise ValueError("Weight sparsity can not exceed 1.0")
    return pattern, float(value)


def _name_of(variable: Any) -> str:
    name: str = variable.name if isinstance(variable, PartitionedVariable) else variable.op.name
    return name


class Pruning:
    """Updates of the masks of a graph, which hide the smallest weights.

    Args:
        spec: `HParams` as `get_pruning_hparams` returns them; None for the defaults.
        global_step: Variable or Tensor of integers, of shape []; None for the graph's global step.
        sparsity: float32 Tensor of shape [], the share of weights to hide; None for the one that `spec` describes.

    Raises:
        ValueError: if a hyperparameter is out of its range.

    Example:
        >>> step = tf.train.create_global_step()
        >>> weights = tf.get_variable("weights", initializer=[[0.1, -3.0, 2.0, -0.2]])
        >>> masked = tf.contrib.model_pruning.apply_mask(weights)
        >>> pruning = tf.contrib.model_pruning.Pruning(sparsity=0.5)
        >>> update = pruning.mask_update_op()
        >>> sess.run(tf.global_variables_initializer())
        >>> sess.run(update)
        >>> print(sess.run(masked))
        [[ 0. -3.  2. -0.]]
    """

    def __init__(self, spec: Any = None, global_step: Any = None, sparsity: Any = None) -> None:
        self._spec: Any = spec or get_pruning_hparams()
        _check(self._spec)
        self._global_step = cast(get_global_step() if global_step is None else global_step, dtypes.int32)
        self._sparsity = self._scheduled_sparsity() if sparsity is None else sparsity
        self._assign_ops: list[Any] = []
        self._last_update_step = self._make_last_update_step()
        self._block_dims = [self._spec.block_height, self._spec.block_width]
        self._block_pooling_function = self._spec.block_pooling_function
        self._block_dims_map = [_block_sizes(entry) for entry in _pairs(self._spec.block_dims_map)]
        self._weight_sparsity_map = [_share(entry) for entry in _pairs(self._spec.weight_sparsity_map)]

    def _scheduled_sparsity(self) -> Tensor:
        spec = self._spec
        begin, end = spec.sparsity_function_begin_step, spec.sparsity_function_end_step
        with name_scope(spec.name):
            part = div(cast(self._global_step - begin, dtypes.float32), end - begin)
            part = minimum(1.0, maximum(0.0, part))
            left = pow(1 - part, spec.sparsity_function_exponent)
            grown = multiply(spec.initial_sparsity - spec.target_sparsity, left)
            return add(grown, spec.target_sparsity, name="sparsity")

    def _make_last_update_step(self) -> Any:
        name = "last_mask_update_step"
        with variable_scope(self._spec.name, use_resource=self._spec.use_tpu) as scope:
            try:
                return get_variable(name, [], initializer=Zeros(), trainable=False, dtype=dtypes.int32)
            except ValueError:  # another `Pruning` of this name made it
                scope.reuse_variables()
                return get_variable(name, dtype=dtypes.int32)

    def _get_block_dims(self, weight_name: str) -> list[int]:
        """Returns the height and width of blocks of weights with a name."""
        found: list[int] | None = _one_match(self._block_dims_map, weight_name, "block_dims_map")
        return list(self._block_dims if found is None else found)

    def _get_sparsity(self, weight_name: str) -> Any:
        """Returns the share of weights with a name to hide."""
        target = _one_match(self._weight_sparsity_map, weight_name, "weight_sparsity_map")
        if target is None:
            return self._sparsity
        return multiply(self._sparsity, div(target, self._spec.target_sparsity))

    def _update_mask(self, weights: Tensor, threshold: Any) -> tuple[Tensor, Tensor]:
        """Returns the new threshold, and the mask of weights that are not below it.

        Args:
            weights: Tensor or Variable of float32.
            threshold: Variable of float32 and shape [].

        Returns:
            float32 Tensors: of shape [], and of the weights' shape.

        Raises:
            ValueError: if there is no sparsity.
        """
        if self._sparsity is None:
            raise ValueError("Sparsity variable undefined")
        sparsity = self._get_sparsity(weights.op.name)
        decay = self._spec.threshold_decay
        with name_scope(f"{weights.op.name}_pruning_ops"):
            magnitudes = abs(weights)
            kept = cast(round(cast(size(magnitudes), dtypes.float32) * (1 - sparsity)), dtypes.int32)
            ranked = top_k(reshape(magnitudes, [-1]), k=size(magnitudes)).values
            found = gather(ranked, kept - 1)
            smoothed = add_n([multiply(found, 1 - decay), multiply(threshold, decay)])
            return smoothed, cast(greater_equal(magnitudes, smoothed), dtypes.float32)

    def _maybe_update_block_mask(self, weights: Any, threshold: Any) -> tuple[Tensor, Tensor]:
        """Returns the new threshold and mask as `_update_mask`, for blocks of weights where blocks are set.

        Args:
            weights: Tensor or Variable of float32.
            threshold: Variable of float32 and shape [].

        Returns:
            float32 Tensors: of shape [], and of the weights' shape.

        Raises:
            ValueError: if the pooling function is neither "AVG" nor "MAX".
        """
        name = weights.op.name
        sizes = self._get_block_dims(name)
        squeezed = squeeze(weights)
        if squeezed.get_shape().ndims != 2 or sizes == [1, 1]:
            return self._update_mask(weights, threshold)
        whole: list[Any] = squeezed.get_shape().as_list()
        block = [full if part == -1 else part for part, full in zip(sizes, whole, strict=True)]
        if self._block_pooling_function not in ("AVG", "MAX"):
            raise ValueError(f"Unknown pooling function for block sparsity: {self._block_pooling_function}")
        with name_scope(f"{name}_pruning_ops"):
            pooled = self._pooled(abs(squeezed), block, f"{name}_pooled")
            new_threshold, mask = self._update_mask(pooled, threshold)
            mask = slice_of(expand_tensor(mask, block), [0, 0], whole)
        return new_threshold, reshape(mask, shape(weights))

    def _pooled(self, magnitudes: Tensor, block: list[int], name: str) -> Tensor:
        pooling = self._block_pooling_function
        if self._spec.use_tpu:
            return factorized_pool(magnitudes, block, pooling, block, "SAME", name=name)
        rows, columns = magnitudes.get_shape().as_list()
        image = reshape(magnitudes, [1, rows, columns, 1])
        pooled = pool(image, window_shape=block, pooling_type=pooling, strides=block, padding="SAME", name=name)
        return squeeze(pooled, axis=[0, 3])

    def _get_mask_assign_ops(self) -> None:
        """Adds the assignments of all thresholds and masks of the graph.

        Raises:
            ValueError: if they were added before, or the graph has not as many masks as thresholds.
        """
        if self._assign_ops:
            raise ValueError("Assign op list not empty. _get_mask_assign_ops() called twice?")
        masks, weights, thresholds = get_masks(), get_weights(), get_thresholds()
        if len(masks) != len(thresholds):
            raise ValueError(f"Number of masks {len(masks)} and number of thresholds {len(thresholds)} mismatch")
        for mask, whole, threshold in zip(masks, weights, thresholds, strict=False):
            in_parts = isinstance(whole, PartitionedVariable)
            weight = whole.as_tensor() if in_parts else whole
            new_threshold, new_mask = self._maybe_update_block_mask(weight, threshold)
            self._assign_ops.append(variable_assign(threshold, new_threshold))
            assign_mask = partitioned_variable_assign if in_parts else variable_assign
            self._assign_ops.append(assign_mask(mask, new_mask))

    def mask_update_op(self) -> Operation:
        """Returns the operation that updates all masks of the graph.

        Returns:
            Operation.

        Raises:
            ValueError: if the sizes of blocks, or the shares for names, are not clear for a weight.
        """
        with name_scope(self._spec.name):
            if not self._assign_ops:
                self._get_mask_assign_ops()
            noted = assign(self._last_update_step, self._global_step, name="last_mask_update_step_assign")
            with control_dependencies([noted]), control_dependencies(self._assign_ops):
                tf_logging.info("Updating masks.")
                return no_op("mask_update")

    def conditional_mask_update_op(self) -> Operation:
        """Returns the operation that updates all masks in the steps that the hyperparameters set.

        Returns:
            Operation.

        Raises:
            ValueError: on the same conditions as `mask_update_op`.
        """
        spec = self._spec
        with name_scope(spec.name):
            begun = greater_equal(self._global_step, spec.begin_pruning_step)
            not_over = logical_or(less_equal(self._global_step, spec.end_pruning_step), less(spec.end_pruning_step, 0))
            in_range = logical_and(begun, not_over)
            due = less_equal(add(self._last_update_step, spec.pruning_frequency), self._global_step)
            chosen = logical_and(in_range, due)
        updated: Operation = cond(chosen, self.mask_update_op, no_op)
        return updated

    def add_pruning_summaries(self) -> None:
        """Adds summaries of the sparsity, and of each mask's share of zeros and threshold."""
        with name_scope(f"{self._spec.name}_summaries"):
            scalar("sparsity", self._sparsity)
            scalar("last_mask_update_step", self._last_update_step)
            for mask, threshold in zip(get_masks(), get_thresholds(), strict=False):
                scalar(f"{_name_of(mask)}/sparsity", zero_fraction(mask))
                scalar(f"{threshold.op.name}/threshold", threshold)

    def print_hparams(self) -> None:
        """Logs the hyperparameters as JSON."""
        tf_logging.info(self._spec.to_json())
