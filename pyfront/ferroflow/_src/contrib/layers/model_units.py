"""Biases, maxima and softmaxes of `tf.contrib.layers`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import Collections, DictLike, TensorLike
from ferroflow._src.contrib.framework.arg_scope import add_arg_scope
from ferroflow._src.contrib.framework.model_variables import model_variable
from ferroflow._src.contrib.layers.collecting import ONES, ZEROS
from ferroflow._src.contrib.layers.model_utils import collect_named_outputs, get_variable_collections, last_dimension
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.array.making import lin_space
from ferroflow._src.ops.math.reduction import reduce_max, reduce_sum
from ferroflow._src.ops.nn import activation
from ferroflow._src.ops.nn.softmax import softmax as softmax_op
from ferroflow._src.variables.initializers import Constant
from ferroflow._src.variables.scope import variable_scope


@add_arg_scope
def bias_add(
    inputs: Any,
    activation_fn: Callable[..., Any] | None = None,
    initializer: Any = ZEROS,
    regularizer: Callable[..., Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Any:
    """Adds a bias to each channel; it can be the `normalizer_fn` of another layer.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, ..., channels], or [batch, channels, height, width].
        activation_fn: callable of the outputs, or None.
        initializer: initializer of the biases, of shape [channels].
        regularizer: callable of the biases that gives a loss.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        variables_collections: list of keys of collections for the variables, or dict from "biases" to such a list.
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        trainable: bool. If True, the biases are trained.
        data_format: "NHWC" (the channels are the last dimension) or "NCHW" (the channels are the second dimension).
        scope: str, the variable scope; None for "BiasAdd", made unique.

    Returns:
        Tensor of the dtype and shape of `inputs`.

    Raises:
        ValueError: if `data_format` is not one of the listed values, or is "NCHW" and the rank is not 4; or if the rank
            or the number of channels is unknown.
    """
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as opened:
        inputs = convert_to_tensor(inputs)
        static = inputs.get_shape()
        if static.ndims is None:
            raise ValueError("Dims of shape must be known but is None")
        if static.ndims != 4 and data_format == "NCHW":
            raise ValueError("Data format NCHW only supports 4D Tensor")
        channels = static[1 if data_format == "NCHW" else -1].value
        if channels is None:
            raise ValueError("`C` dimension must be known but is None")
        biases = model_variable(
            "biases",
            [channels],
            inputs.dtype.base_dtype,
            initializer,
            regularizer,
            trainable=trainable,
            collections=get_variable_collections(variables_collections, "biases"),
        )
        outputs = activation.bias_add(inputs, biases, data_format=data_format)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, opened.name, outputs)


@add_arg_scope
def maxout(inputs: Any, num_units: int, axis: int = -1, scope: Any = None) -> Tensor:
    """Computes the largest element of each group of channels.

    Args:
        inputs: Tensor of a real number dtype, of known rank.
        num_units: int, the number of groups, which divides the number of channels.
        axis: int, the dimension of the channels.
        scope: str, the variable scope; None for "MaxOut", made unique.

    Returns:
        Tensor of the dtype of `inputs`, of its shape except for `num_units` along `axis`.

    Raises:
        ValueError: if `num_units` does not divide the number of channels, or that number is unknown.

    Source: Goodfellow, Warde-Farley, Mirza, Courville, Bengio, Maxout Networks, 2013.
    """
    with variable_scope(scope, "MaxOut", [inputs]):
        inputs = convert_to_tensor(inputs)
        static = inputs.get_shape().as_list()
        channels = static[axis]
        if channels is None or channels % num_units:
            raise ValueError(f"number of features({channels}) is not a multiple of num_units({num_units})")
        static[axis] = num_units
        in_step: Any = shaping.shape(inputs) if None in static else None
        sizes = [in_step[i] if size is None else size for i, size in enumerate(static)]
        # TF 1.x: the elements of a group are neighbours in memory, whichever dimension `axis` is.
        outputs = reduce_max(shaping.reshape(inputs, [*sizes, channels // num_units]), -1)
        outputs.set_shape(static)
        return outputs


@add_arg_scope
def softmax(logits: Any, scope: Any = None) -> Tensor:
    """Computes `exp(x) / sum(exp(x))` along the last dimension.

    Args:
        logits: Tensor of a float dtype, of rank 2 or more.
        scope: str, the variable scope; None for "softmax", made unique.

    Returns:
        Tensor of the dtype and shape of `logits`.

    Raises:
        ValueError: if the rank is unknown or below 2, or the size of the last dimension is unknown.
    """
    with variable_scope(scope, "softmax", [logits]):
        logits = convert_to_tensor(logits)
        static = logits.get_shape()
        classes = last_dimension(static, min_rank=2)
        predictions = softmax_op(shaping.reshape(logits, [-1, classes]))
        predictions = shaping.reshape(predictions, shaping.shape(logits))
        predictions.set_shape(static)
        return predictions


@add_arg_scope
def spatial_softmax(
    features: TensorLike,
    temperature: float | None = None,
    name: str | None = None,
    variables_collections: Collections | DictLike | None = None,
    trainable: bool = True,
    data_format: str = "NHWC",
) -> Tensor:
    """Computes where each channel of an image is the largest, as the mean place under a softmax over space.

    Args:
        features: Tensor of float32, of shape [batch, height, width, channels], or [batch, channels, height, width].
        temperature: float, the initial value of the variable that divides the features; None for 1
        name: str, the variable scope; None for "spatial_softmax", made unique.
        variables_collections: list of keys of collections for the variable, or dict from "temperature" to such a list.
        trainable: bool. If True, the temperature is trained.
        data_format: "NHWC" or "NCHW".

    Returns:
        Tensor of float32, of shape [batch, 2 * channels]: for each channel the place along the height, then that along
        the width, both in [-1, 1].

    Raises:
        ValueError: if `data_format` is not one of the listed values, or the number of channels is unknown.

    Source: Finn et al., Deep Spatial Autoencoders for Visuomotor Learning, 2015.
    """
    with variable_scope(name, "spatial_softmax"):
        features = convert_to_tensor(features)
        if data_format not in ("NHWC", "NCHW"):
            raise ValueError("data_format has to be either NCHW or NHWC.")
        is_first = data_format == "NCHW"
        in_step = shaping.shape(features)
        height, width = (in_step[2], in_step[3]) if is_first else (in_step[1], in_step[2])
        channels = features.get_shape()[1 if is_first else 3].value
        if channels is None:
            raise ValueError(
                "The num_channels dimension of the inputs to `spatial_softmax` should be defined. Found `None`."
            )
        with name_scope("spatial_softmax_op", "spatial_softmax_op", [features]):
            lines = [lin_space(-1.0, 1.0, num=size) for size in (height, width)]
            places = [shaping.reshape(x, [height * width]) for x in joining.meshgrid(*lines, indexing="ij")]
            divisor = model_variable(
                "temperature",
                [],
                dtypes.float32,
                ONES if temperature is None else Constant(temperature),
                trainable=trainable,
                collections=get_variable_collections(variables_collections, "temperature") if trainable else None,
            )
            planes = features if is_first else shaping.transpose(features, [0, 3, 1, 2])
            attention = softmax_op(shaping.reshape(planes, [-1, height * width]) / divisor)
            means = [reduce_sum(place * attention, [1], keepdims=True) for place in places]
            keypoints = shaping.reshape(joining.concat(means, 1), [-1, 2 * channels])
            keypoints.set_shape([None, 2 * channels])
            return keypoints
