"""Batch normalization as only `tf.contrib.layers.batch_norm` has it: weighted, and with unbiased averages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import BoolLike, Collections, DictLike, TensorLike
from ferroflow._src.contrib.layers.collecting import ONES, ZEROS, collect_variable
from ferroflow._src.control_flow.smart_conditional import smart_cond, smart_constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import add_to_collections, control_dependencies
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.making import identity, ones, zeros
from ferroflow._src.ops.nn import normalization
from ferroflow._src.training.moving_averages import assign_moving_average
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import get_variable_scope


@dataclass(frozen=True)
class Parameters:
    """Which variables a normalization has, and how they are made."""

    has_beta: bool
    has_gamma: bool
    initializers: dict[str, Any]
    regularizers: dict[str, Any]
    collections: Collections | DictLike | None
    trainable: bool

    def make(self, name: str, start: Any, size: int, dtype: dtypes.DType, trainable: bool) -> Any:
        """Returns the variable of a name."""
        made = get_variable(
            name,
            shape=[size],
            dtype=dtype,
            initializer=self.initializers.get(name, start),
            regularizer=self.regularizers.get(name) if trainable else None,
            trainable=trainable and self.trainable,
        )
        collect_variable(made, self.collections, name)
        return made


@dataclass(frozen=True)
class Averages:
    """Options of the averages, and of the choice between batch and averages."""

    decay: float
    zero_debias: bool
    is_training: BoolLike
    updates_collections: Collections | DictLike | None
    batch_weights: TensorLike | None

    def move(self, averages: tuple[Any, Any], values: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """Moves the averages of mean and variance towards those of a batch."""
        mean = assign_moving_average(averages[0], values[0], self.decay, zero_debias=self.zero_debias)
        return mean, assign_moving_average(averages[1], values[1], self.decay, zero_debias=False)


def normalize(
    inputs: Tensor, parameters: Parameters, averages: Averages, epsilon: float, data_format: str, can_fuse: bool
) -> Tensor:
    """Normalizes a batch in the current variable scope.

    Args:
        inputs: Tensor of a float dtype, of known rank and number of channels.
        parameters: `Parameters`.
        averages: `Averages`.
        epsilon: float, added to the variance.
        data_format: "NHWC" or "NCHW".
        can_fuse: bool. If True, inputs of rank 2 and 4 use the fused op, whose moving variance is that of a sample.

    Returns:
        Tensor of the dtype and shape of `inputs`.

    Raises:
        ValueError: if the rank or the number of channels is unknown.
    """
    rank = inputs.shape.ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    channels_first = data_format == "NCHW"
    size = inputs.shape[1 if channels_first else -1].value
    if size is None:
        raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {inputs.shape}.")
    is_fused = can_fuse and rank in (2, 4)
    dtype = dtypes.float32 if is_fused else inputs.dtype.base_dtype
    beta = parameters.make("beta", ZEROS, size, dtype, True) if parameters.has_beta else None
    gamma = parameters.make("gamma", ONES, size, dtype, True) if parameters.has_gamma else None
    with variable_scope(get_variable_scope()) as scope:
        scope.set_partitioner(None)
        moving = (
            parameters.make("moving_mean", ZEROS, size, dtype, False),
            parameters.make("moving_variance", ONES, size, dtype, False),
        )
    if is_fused:
        outputs = _fused(inputs, beta, gamma, moving, averages, epsilon, data_format)
    else:
        outputs = _plain(inputs, beta, gamma, moving, averages, epsilon, channels_first)
    outputs.set_shape(inputs.shape)
    return outputs


def _fused(
    inputs: Tensor, beta: Any, gamma: Any, moving: tuple[Any, Any], averages: Averages, epsilon: float, data_format: str
) -> Tensor:
    size = moving[0].shape[0].value
    given = inputs
    if inputs.shape.ndims == 2:
        given = shaping.reshape(inputs, [-1, size, 1, 1] if data_format == "NCHW" else [-1, 1, 1, size])
    scale = ones([size]) if gamma is None else gamma
    offset = zeros([size]) if beta is None else beta
    outputs, mean, variance = smart_cond(
        averages.is_training,
        lambda: normalization.fused_batch_norm(given, scale, offset, epsilon=epsilon, data_format=data_format),
        lambda: normalization.fused_batch_norm(
            given,
            scale,
            offset,
            mean=moving[0],
            variance=moving[1],
            epsilon=epsilon,
            is_training=False,
            data_format=data_format,
        ),
    )
    if smart_constant_value(averages.is_training) is not False:

        def forced() -> Tensor:
            with control_dependencies(averages.move(moving, (mean, variance))):
                return identity(outputs)

        if averages.updates_collections is None:
            outputs = smart_cond(averages.is_training, forced, lambda: outputs)
        else:
            _collect(averages, moving, (mean, variance))
    return outputs if given is inputs else shaping.reshape(outputs, shaping.shape(inputs))


def _collect(averages: Averages, moving: tuple[Any, Any], values: tuple[Tensor, Tensor]) -> tuple[Any, Any]:
    updates: tuple[Any, Any] = smart_cond(averages.is_training, lambda: averages.move(moving, values), lambda: moving)
    for update in updates:
        add_to_collections(averages.updates_collections, update)
    return updates


def _plain(
    inputs: Tensor,
    beta: Any,
    gamma: Any,
    moving: tuple[Any, Any],
    averages: Averages,
    epsilon: float,
    channels_first: bool,
) -> Tensor:
    rank = inputs.shape.ndims or 0
    axes = [0, *range(2, rank)] if channels_first else list(range(rank - 1))
    used: Any = moving
    if smart_constant_value(averages.is_training) is not False:
        values = _moments(inputs, axes, averages.batch_weights)

        def forced() -> tuple[Tensor, Tensor]:
            with control_dependencies(averages.move(moving, values)):
                return identity(values[0]), identity(values[1])

        if averages.updates_collections is None:
            used = smart_cond(averages.is_training, forced, lambda: moving)
        else:
            _collect(averages, moving, values)
            used = smart_cond(averages.is_training, lambda: values, lambda: moving)
    parts: list[Any] = [used[0], used[1], beta, gamma]
    if channels_first:
        broadcast = [1, -1, *(1 for _ in range(2, rank))]
        parts = [None if part is None else shaping.reshape(part, broadcast) for part in parts]
    mean, variance, offset, scale = parts
    return normalization.batch_normalization(inputs, mean, variance, offset, scale, epsilon)


def _moments(inputs: Tensor, axes: list[int], batch_weights: TensorLike | None) -> tuple[Tensor, Tensor]:
    if batch_weights is None:
        return normalization.moments(inputs, axes)
    weights: Tensor = convert_to_tensor(batch_weights)
    inputs.shape[0:1].assert_is_compatible_with(weights.shape)
    weights = shaping.reshape(weights, [-1, *(1 for _ in range((inputs.shape.ndims or 1) - 1))])
    return normalization.weighted_moments(inputs, axes, weights)
