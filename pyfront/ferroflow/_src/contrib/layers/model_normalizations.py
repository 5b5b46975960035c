"""Normalizations of `tf.contrib.layers` over instances, groups of channels, and to unit length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.contrib.framework.arg_scope import add_arg_scope
from ferroflow._src.contrib.framework.model_variables import model_variable
from ferroflow._src.contrib.layers.collecting import ONES, ZEROS
from ferroflow._src.contrib.layers.model_utils import collect_named_outputs, get_variable_collections
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.arithmetic import div
from ferroflow._src.ops.math.elementwise import rsqrt, sqrt, square
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn import normalization
from ferroflow._src.variables.scope import variable_scope


def _parameters(
    channels: int,
    dtype: Any,
    center: bool,
    scale: bool,
    initializers: dict[str, Any] | None,
    collections: Any,
    trainable: bool,
    shape: list[int] | None,
) -> tuple[Any, Any]:
    """Returns beta and gamma for a number of channels, or None, in a shape that broadcasts against the inputs."""

    def parameter(name: str, default: Any) -> Any:
        initializer = (initializers or {}).get(name, default)
        keys = get_variable_collections(collections, name)
        made = model_variable(name, [channels], dtype, initializer, trainable=trainable, collections=keys)
        return made if shape is None else shaping.reshape(made, shape)

    return parameter("beta", ZEROS) if center else None, parameter("gamma", ONES) if scale else None


@add_arg_scope
def instance_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Callable[..., Any] | None = None,
    param_initializers: dict[str, Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Any:
    """Normalizes each channel of each example by its own mean and variance.

    Args:
        inputs: Tensor of a float dtype, of known rank, of shape [batch, ..., channels], or [batch, channels, ...].
        center: bool. If True, an offset beta is added.
        scale: bool. If True, the result is multiplied by gamma.
        epsilon: float, added to the variance.
        activation_fn: callable of the outputs, or None.
        param_initializers: dict from "beta" and "gamma" to initializers.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        variables_collections: list of keys of collections for the variables, or dict from "beta" and "gamma" to such
            lists.
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        trainable: bool. If True, the variables are trained.
        data_format: "NHWC" (the channels are the last dimension) or "NCHW" (the channels are the second dimension).
        scope: str, the variable scope; None for "InstanceNorm", made unique.

    Returns:
        Tensor of the dtype and shape of `inputs`.

    Raises:
        ValueError: if `data_format` is not one of the listed values, or the rank or the number of channels is unknown.

    Source: Ulyanov, Vedaldi, Lempitsky, Instance Normalization: The Missing Ingredient for Fast Stylization, 2016.
    """
    inputs = convert_to_tensor(inputs)
    static = inputs.get_shape()
    rank = static.ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with variable_scope(scope, "InstanceNorm", [inputs], reuse=reuse) as opened:
        axis = 1 if data_format == "NCHW" else rank - 1
        channels = static[axis].value
        if channels is None:
            raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {static[axis : axis + 1]}.")
        beta, gamma = _parameters(
            channels,
            inputs.dtype.base_dtype,
            center,
            scale,
            param_initializers,
            variables_collections,
            trainable,
            [1, channels] + [1] * (rank - 2) if data_format == "NCHW" else None,
        )
        axes = [i for i in range(1, rank) if i != axis]
        mean, variance = normalization.moments(inputs, axes, keep_dims=True)
        outputs = normalization.batch_normalization(inputs, mean, variance, beta, gamma, epsilon, name="instancenorm")
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, opened.name, outputs)


def _positive_axis(axis: int, rank: int) -> int:
    found = axis + rank if axis < 0 else axis
    if not 0 <= found < rank:
        raise ValueError("Axis is out of bounds.")
    return found


@add_arg_scope
def group_norm(
    inputs: Any,
    groups: int = 32,
    channels_axis: int = -1,
    reduction_axes: Sequence[int] = (-3, -2),
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Callable[..., Any] | None = None,
    param_initializers: dict[str, Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Normalizes groups of channels by their own mean and variance.

    Args:
        inputs: Tensor of a float dtype, of known rank of 2 or more.
        groups: int, the number of groups, which divides the number of channels.
        channels_axis: int, the dimension of the channels.
        reduction_axes: list of int, the other dimensions that are averaged over: [-3, -2] of images with the channels
            last, [-2, -1] of those with `channels_axis` -3.
        center: bool. If True, an offset beta is added.
        scale: bool. If True, the result is multiplied by gamma.
        epsilon: float, added to the variance.
        activation_fn: callable of the outputs, or None.
        param_initializers: dict from "beta" and "gamma" to initializers.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        variables_collections: list of keys of collections for the variables, or dict from "beta" and "gamma" to such
            lists.
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        trainable: bool. If True, the variables are trained.
        scope: str, the variable scope; None for "GroupNorm", made unique.

    Returns:
        Tensor of the dtype and shape of `inputs`.

    Raises:
        ValueError: if the rank, the number of channels or an averaged dimension is unknown. Also if an axis is out of
            bounds, the channels are among `reduction_axes`, or `groups` does not divide their number.

    Source: Wu, He, Group Normalization, 2018.
    """
    inputs = convert_to_tensor(inputs)
    static = inputs.get_shape()
    rank = static.ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    channels_axis = _positive_axis(channels_axis, rank)
    channels = static[channels_axis].value
    if channels is None:
        raise ValueError(f"Inputs {inputs.name} has undefined channel dimension: {channels_axis}.")
    axes = [_positive_axis(axis, rank) for axis in reduction_axes]
    for axis in axes:
        if static[axis].value is None:
            raise ValueError(f"Inputs {inputs.name} has undefined dimensions {axis}.")
        if axis == channels_axis:
            raise ValueError("reduction_axis must be mutually exclusive with channels_axis")
    if groups > channels:
        raise ValueError(f"Invalid groups {groups} for {channels} channels.")
    if channels % groups != 0:
        raise ValueError(f"{channels} channels is not commensurate with {groups} groups.")
    in_step: Any = None if static.is_fully_defined() else shaping.shape(inputs)
    sizes = [in_step[i] if size is None else size for i, size in enumerate(static.as_list())]
    grouped = [groups, channels // groups]
    before, after = sizes[:channels_axis], sizes[channels_axis + 1 :]
    parted = shaping.reshape(inputs, [*before, *grouped, *after])
    with variable_scope(scope, "GroupNorm", [parted], reuse=reuse) as opened:
        beta, gamma = _parameters(
            channels,
            inputs.dtype.base_dtype,
            center,
            scale,
            param_initializers,
            variables_collections,
            trainable,
            [1] * len(before) + grouped + [1] * len(after),
        )
        over = [channels_axis + 1, *(axis + 1 if axis > channels_axis else axis for axis in axes)]
        mean, variance = normalization.moments(parted, over, keep_dims=True)
        gain = rsqrt(variance + epsilon)
        offset = -mean * gain
        if gamma is not None:
            gain, offset = gain * gamma, offset * gamma
        if beta is not None:
            offset = offset + beta
        outputs = shaping.reshape(parted * gain + offset, sizes)
        outputs.set_shape(static)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, opened.name, outputs)


@add_arg_scope
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: Any = None) -> Tensor:
    """Computes `inputs / sqrt(sum(inputs**2) + epsilon)` along a dimension.

    Args:
        inputs: Tensor of a float dtype, of known rank.
        dim: int, the dimension, in [0, rank).
        epsilon: float, added to the sum of squares.
        scope: str, the variable scope; None for "UnitNorm", made unique.

    Returns:
        Tensor of the dtype and shape of `inputs`.

    Raises:
        ValueError: if the rank is unknown, or `dim` is out of range.
    """
    with variable_scope(scope, "UnitNorm", [inputs]):
        inputs = convert_to_tensor(inputs)
        rank = inputs.get_shape().ndims
        if rank is None:
            raise ValueError("The input rank must be known.")
        if not 0 <= dim < rank:
            raise ValueError("dim must be positive but smaller than the input rank.")
        return div(inputs, sqrt(epsilon + reduce_sum(square(inputs), dim, keepdims=True)))
