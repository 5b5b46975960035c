"""Layers of `tf.contrib.layers`, whose variables are called weights and biases and are also model variables."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.base.docstrings import add_example
from ferroflow._src.base.function_families import FunctionFamily
from ferroflow._src.base.typing import (
    BoolLike,
    Collections,
    DictLike,
    FloatLike,
    Initializer,
    IntsLike,
    ScopeLike,
    ShapeTensorLike,
    TensorLike,
)
from ferroflow._src.contrib.framework.arg_scope import add_arg_scope
from ferroflow._src.contrib.layers.averaged_normalization import Averages, Parameters, normalize
from ferroflow._src.contrib.layers.collecting import (
    NAMES,
    ONES,
    XAVIER,
    ZEROS,
    collect_variable,
    finished,
    model_variables_called,
)
from ferroflow._src.contrib.layers.model_utils import collect_named_outputs, get_variable_collections
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import add_to_collections, control_dependencies, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.layers.batch_normalization import BatchNormalization
from ferroflow._src.layers.convolution import Conv1D, Conv2D, Conv3D
from ferroflow._src.layers.dense import Dense
from ferroflow._src.layers.dropout import Dropout
from ferroflow._src.layers.flatten import flatten as flatten_layer
from ferroflow._src.layers.pooling import AveragePooling2D, AveragePooling3D, MaxPooling2D, MaxPooling3D, Pooling
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.making import identity, one_hot
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.nn import normalization
from ferroflow._src.ops.nn.activation import elu as elu_of, relu as relu_of, relu6 as relu6_of
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.scope import variable_scope

_DATA_FORMATS = (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW")


@add_arg_scope
def flatten(
    inputs: TensorLike, outputs_collections: Collections | DictLike | None = None, scope: str | None = None
) -> Any:
    """Flattens each example to a vector.

    Args:
        inputs: Tensor of any dtype, of shape [batch, ...].
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        scope: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch, elements of an example].

    Example:
        >>> images = tf.placeholder(tf.float32, [None, 28, 28, 3])
        >>> print(tf.contrib.layers.flatten(images).shape)
        (?, 2352)
    """
    with name_scope(scope, "Flatten", [inputs]) as name:
        return collect_named_outputs(outputs_collections, name, flatten_layer(convert_to_tensor(inputs)))


@add_arg_scope
def fully_connected(
    inputs: TensorLike,
    num_outputs: int,
    activation_fn: Callable[..., Any] | None = relu_of,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Initializer = XAVIER,
    weights_regularizer: Callable[..., Any] | None = None,
    biases_initializer: Initializer | None = ZEROS,
    biases_regularizer: Callable[..., Any] | None = None,
    reuse: object = None,
    variables_collections: Collections | DictLike | None = None,
    outputs_collections: Collections | DictLike | None = None,
    trainable: bool = True,
    scope: ScopeLike | None = None,
) -> Any:
    """Computes `activation_fn(inputs @ weights + biases)` along the last dimension, by default with relu.

    Args:
        inputs: Tensor of a float dtype, of shape [..., size].
        num_outputs: int, the size of the last dimension of the outputs.
        activation_fn: callable of the outputs, or None.
        normalizer_fn: callable applied instead of adding biases; None for biases.
        normalizer_params: dict of further arguments of it.
        weights_initializer: initializer of the weights, of shape [size, num_outputs].
        weights_regularizer: callable of the weights that gives a loss.
        biases_initializer: initializer of the biases, of shape [num_outputs]; None for no biases.
        biases_regularizer: callable of the biases that gives a loss.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        variables_collections: list of keys of collections for the variables, or dict from "weights" and "biases" to
            such lists.
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        trainable: bool. If True, the variables are trained.
        scope: str, the variable scope; None for "fully_connected", made unique.

    Returns:
        Tensor of the dtype of `inputs`, of shape [..., num_outputs].

    Raises:
        ValueError: if `num_outputs` is not an int, or the last dimension of the inputs is unknown.

    Example:
        >>> x = tf.placeholder(tf.float32, [None, 784])
        >>> logits = tf.contrib.layers.fully_connected(x, num_outputs=10, activation_fn=None)
        >>> print(logits.shape)
        (?, 10)
        >>> print([v.name for v in tf.trainable_variables()])
        ['fully_connected/weights:0', 'fully_connected/biases:0']
    """
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs should be int or long, got {num_outputs}.")
    getter = model_variables_called(NAMES)
    with variable_scope(scope, "fully_connected", [inputs], reuse=reuse, custom_getter=getter) as opened:
        inputs = convert_to_tensor(inputs)
        layer = Dense(
            num_outputs,
            use_bias=normalizer_fn is None and biases_initializer is not None,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer or ZEROS,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=opened.name,
            dtype=inputs.dtype.base_dtype,
            _scope=opened,
            _reuse=reuse,
        )
        return finished(
            layer,
            inputs,
            opened.name,
            normalizer_fn,
            normalizer_params,
            activation_fn,
            variables_collections,
            outputs_collections,
        )


linear = functools.partial(fully_connected, activation_fn=None)
relu = functools.partial(fully_connected, activation_fn=relu_of)
relu6 = functools.partial(fully_connected, activation_fn=relu6_of)
elu = functools.partial(fully_connected, activation_fn=elu_of)


@FunctionFamily
def _convolution(
    conv_dims: int | None,
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: IntsLike,
    stride: IntsLike = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: IntsLike = 1,
    activation_fn: Callable[..., Any] | None = relu_of,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Initializer | None = XAVIER,
    weights_regularizer: Callable[..., Any] | None = None,
    biases_initializer: Initializer | None = ZEROS,
    biases_regularizer: Callable[..., Any] | None = None,
    reuse: object = None,
    variables_collections: Collections | DictLike | None = None,
    outputs_collections: Collections | DictLike | None = None,
    trainable: bool = True,
    scope: ScopeLike | None = None,
) -> Tensor:
    """Convolves over {space}, adds biases, and applies an activation, by default relu.

    Args:
        inputs: Tensor of a float dtype, of shape [batch] + space + [channels], or [batch, channels] + space.
        num_outputs: int, the number of channels of the outputs.
        kernel_size: int, or list of an int for each dimension of space: the sizes of windows.
        stride: int, or list of an int for each dimension of space: the distances between windows.
        padding: "SAME" or "VALID".
        data_format: "NWC", "NHWC" or "NDHWC", or "NCW", "NCHW" or "NCDHW"; None for channels last.
        rate: int, or list of an int for each dimension of space: the distances between a window's points.
        activation_fn: callable of the outputs, or None.
        normalizer_fn: callable that is applied in place of adding biases; None for biases.
        normalizer_params: dict of further arguments of it.
        weights_initializer: initializer of the weights.
        weights_regularizer: callable of the weights that gives a loss.
        biases_initializer: initializer of the biases; None for no biases.
        biases_regularizer: callable of the biases that gives a loss.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        variables_collections: list of keys of collections for the variables, or dict from "weights" and "biases" to
            such lists.
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        trainable: bool. If True, the variables are trained.
        scope: str, the variable scope; None for "Conv", made unique.

    Returns:
        Tensor of the dtype of `inputs`, with `num_outputs` channels.

    Raises:
        ValueError: if the rank of the inputs is wrong, or `data_format` is not one of the listed values.
    """
    if data_format not in _DATA_FORMATS:
        raise ValueError(f"Invalid data_format: {data_format!r}")
    getter = model_variables_called(NAMES)
    with variable_scope(scope, "Conv", [inputs], reuse=reuse, custom_getter=getter) as opened:
        inputs = convert_to_tensor(inputs)
        rank = inputs.get_shape().ndims
        if conv_dims is not None and conv_dims + 2 != rank:
            raise ValueError(f"Convolution expects input with rank {conv_dims + 2}, got {rank}")
        if rank not in (3, 4, 5):
            raise ValueError("Convolution not supported for input with rank", rank)
        layer = {3: Conv1D, 4: Conv2D, 5: Conv3D}[rank](
            num_outputs,
            kernel_size,
            strides=stride,
            padding=padding,
            data_format="channels_first" if (data_format or "").startswith("NC") else "channels_last",
            dilation_rate=rate,
            use_bias=normalizer_fn is None and biases_initializer is not None,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer or ZEROS,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=opened.name,
            dtype=inputs.dtype.base_dtype,
            _scope=opened,
            _reuse=reuse,
        )
        outputs: Tensor = finished(
            layer,
            inputs,
            opened.name,
            normalizer_fn,
            normalizer_params,
            activation_fn,
            variables_collections,
            outputs_collections,
        )
        return outputs


convolution = add_arg_scope(_convolution("convolution", None, space="one, two or three dimensions"))
convolution1d = conv1d = add_arg_scope(_convolution("convolution1d", 1, space="1 dimension"))
convolution2d = conv2d = add_arg_scope(_convolution("convolution2d", 2, space="2 dimensions"))
convolution3d = conv3d = add_arg_scope(_convolution("convolution3d", 3, space="3 dimensions"))


@add_arg_scope
def dropout(
    inputs: TensorLike,
    keep_prob: FloatLike = 0.5,
    noise_shape: ShapeTensorLike | None = None,
    is_training: BoolLike = True,
    outputs_collections: Collections | DictLike | None = None,
    scope: ScopeLike | None = None,
    seed: int | None = None,
) -> Any:
    """Sets random elements to 0 in training and scales the others up by `1 / keep_prob`.

    Args:
        inputs: Tensor of a float dtype, of any shape.
        keep_prob: float, or Tensor of the dtype of `inputs`, of shape []: the probability that an element stays.
        noise_shape: Tensor of int32, or list of int or None, as `tf.layers.Dropout`.
        is_training: bool, or Tensor of bool of shape [].
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        scope: str, the variable scope; None for "Dropout", made unique.
        seed: int, the op's seed; None to derive it from the graph's.

    Returns:
        Tensor of the dtype and shape of `inputs`.
    """
    with variable_scope(scope, "Dropout", [inputs]) as opened:
        inputs = convert_to_tensor(inputs)
        kept: Any = keep_prob
        layer = Dropout(1 - kept, noise_shape=noise_shape, seed=seed, name=opened.name, _scope=opened)
        return collect_named_outputs(outputs_collections, opened.name, layer.apply(inputs, training=is_training))


@add_arg_scope
def batch_norm(
    inputs: TensorLike,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Callable[..., Any] | None = None,
    param_initializers: dict[str, Any] | None = None,
    param_regularizers: dict[str, Any] | None = None,
    updates_collections: Collections | DictLike | None = GraphKeys.UPDATE_OPS,
    is_training: BoolLike = True,
    reuse: object = None,
    variables_collections: Collections | DictLike | None = None,
    outputs_collections: Collections | DictLike | None = None,
    trainable: bool = True,
    batch_weights: TensorLike | None = None,
    fused: bool | None = None,
    data_format: str = "NHWC",
    zero_debias_moving_mean: bool = False,
    scope: ScopeLike | None = None,
    renorm: bool = False,
    renorm_clipping: dict[str, Any] | None = None,
    renorm_decay: float = 0.99,
    adjustment: Callable[..., Any] | None = None,
) -> Any:
    """Normalizes by the mean and variance of the batch in training, and by their averages otherwise.

    Args:
        inputs: Tensor of a float dtype, of known rank.
        decay: float, how much of the averages stays in an update.
        center: bool. If True, an offset beta is added.
        scale: bool. If True, the result is multiplied by gamma.
        epsilon: float, added to the variance.
        activation_fn: callable of the outputs, or None.
        param_initializers: dict from "beta", "gamma", "moving_mean" and "moving_variance" to initializers.
        param_regularizers: dict from "beta" and "gamma" to callables that give losses.
        updates_collections: str or list of str, keys of collections for the updates of the averages; None to update
            them whenever the outputs are computed.
        is_training: bool, or Tensor of bool of shape [].
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        variables_collections: list of keys of collections for the variables, or dict from their names to such lists.
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        trainable: bool. If True, beta and gamma are trained.
        batch_weights: Tensor of shape [batch], how much each example counts in mean and variance; None for 1.
        fused: bool, as `tf.layers.BatchNormalization`; None for True.
        data_format: "NHWC" (the channels are the last dimension) or "NCHW" (the channels are the second dimension).
        zero_debias_moving_mean: bool. If True, the average of means has no bias towards its start at 0.
        scope: str, the variable scope; None for "BatchNorm", made unique.
        renorm: bool, as `tf.layers.BatchNormalization`.
        renorm_clipping: dict, as `tf.layers.BatchNormalization`.
        renorm_decay: float, the decay of the correction's averages.
        adjustment: callable, as `tf.layers.BatchNormalization`.

    Returns:
        Tensor of the dtype and shape of `inputs`.

    Raises:
        ValueError: if `data_format` is not one of the listed values, the rank or the number of channels is unknown, or
            `renorm` is combined with `batch_weights` or `zero_debias_moving_mean`.

    Example:
        >>> images = tf.random_normal([16, 8, 8, 3], mean=5.0, seed=1)
        >>> normalized = tf.contrib.layers.batch_norm(images, is_training=True, updates_collections=None)
        >>> sess.run(tf.global_variables_initializer())
        >>> print(abs(sess.run(normalized).mean()) < 0.01)
        True
    """
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse, custom_getter=model_variables_called()) as opened:
        inputs = convert_to_tensor(inputs)
        static = inputs.get_shape()
        if static.ndims is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank")
        is_fused = fused is None or fused
        can_fuse = is_fused and batch_weights is None and not renorm and adjustment is None
        # TF 1.x: the layer updates the averages only through its collection, if it is not fused.
        has_own_updates = not (can_fuse and static.ndims in (2, 4)) and updates_collections != GraphKeys.UPDATE_OPS
        if batch_weights is not None or zero_debias_moving_mean or has_own_updates:
            averages = Averages(decay, zero_debias_moving_mean, is_training, updates_collections, batch_weights)
            if renorm:
                raise ValueError(
                    "renorm is not supported with batch_weights, updates_collections or zero_debias_moving_mean"
                )
            parameters = Parameters(
                center, scale, param_initializers or {}, param_regularizers or {}, variables_collections, trainable
            )
            outputs = normalize(inputs, parameters, averages, epsilon, data_format, can_fuse)
            if activation_fn is not None:
                outputs = activation_fn(outputs)
            return collect_named_outputs(outputs_collections, opened.name, outputs)
        # TF 1.x: a matrix is normalized as an image of one point, with the variance divided by n - 1.
        is_image_of_one_point = is_fused and static.ndims == 2 and not renorm and adjustment is None
        given = inputs
        if is_image_of_one_point:
            channels = static[-1].value
            if channels is None:
                raise ValueError("`C` dimension must be known but is None")
            given = shaping.reshape(inputs, [-1, channels, 1, 1] if data_format == "NCHW" else [-1, 1, 1, channels])
        initializers, regularizers = param_initializers or {}, param_regularizers or {}
        layer = BatchNormalization(
            axis=1 if data_format == "NCHW" else -1,
            momentum=decay,
            epsilon=epsilon,
            center=center,
            scale=scale,
            beta_initializer=initializers.get("beta", ZEROS),
            gamma_initializer=initializers.get("gamma", ONES),
            moving_mean_initializer=initializers.get("moving_mean", ZEROS),
            moving_variance_initializer=initializers.get("moving_variance", ONES),
            beta_regularizer=regularizers.get("beta"),
            gamma_regularizer=regularizers.get("gamma"),
            trainable=trainable,
            renorm=renorm,
            renorm_clipping=renorm_clipping,
            renorm_momentum=renorm_decay,
            adjustment=adjustment,
            fused=is_fused,
            name=opened.name,
            _scope=opened,
            _reuse=reuse,
        )
        layer._updates_collection = None
        # TF 1.x: these cases have their own code, which makes beta first and collects the updates' tensors.
        has_own_code = is_fused and not renorm and adjustment is None and static.ndims in (2, 4)
        has_own_code = has_own_code and (static.ndims == 2 or updates_collections != GraphKeys.UPDATE_OPS)
        layer._beta_first = layer._updates_in_branches = has_own_code
        # The averages move in a layer that is not trained too.
        layer.stateful = True
        outputs = layer.apply(given, training=is_training)
        if updates_collections is None:
            if layer.updates:
                with control_dependencies(layer.updates):
                    outputs = identity(outputs)
        else:
            for update in layer.updates:
                has_tensor = has_own_code and isinstance(update, Operation) and update.outputs
                add_to_collections(updates_collections, update.outputs[0] if has_tensor else update)
        for name in ("beta", "gamma", "moving_mean", "moving_variance"):
            if getattr(layer, name) is not None:
                collect_variable(getattr(layer, name), variables_collections, name)
        if is_image_of_one_point:
            outputs = shaping.reshape(outputs, shaping.shape(inputs))
            outputs.set_shape(static)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, opened.name, outputs)


class _Pooling(NamedTuple):
    layer: type[Pooling]
    scope: str
    rank: int
    last: str
    first: str


@FunctionFamily
def _pooling(
    kind: _Pooling,
    inputs: TensorLike,
    kernel_size: IntsLike,
    stride: IntsLike = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: Collections | DictLike | None = None,
    scope: str | None = None,
) -> Tensor:
    """Takes {what} of windows over {value.rank} dimensions.

    Args:
        inputs: Tensor of a float dtype, of shape [batch] + space + [channels], or [batch, channels] + space.
        kernel_size: int, or list of an int for each dimension of space: the sizes of windows.
        stride: int, or list of an int for each dimension of space: the distances between windows.
        padding: "VALID" or "SAME".
        data_format: "{value.last}" or "{value.first}".
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        scope: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `inputs`, with an element for each window and channel.

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """
    if data_format not in (kind.last, kind.first):
        raise ValueError(f"data_format has to be either {kind.first} or {kind.last}.")
    with name_scope(scope, kind.scope, [inputs]) as name:
        pooling = kind.layer(
            kernel_size,
            stride,
            padding=padding,
            data_format="channels_first" if data_format == kind.first else "channels_last",
            _scope=name,
        )
        outputs: Tensor = collect_named_outputs(outputs_collections, name, pooling.apply(convert_to_tensor(inputs)))
        return outputs


_VOLUMES = {"data_format": "NDHWC"}
_LARGEST, _MEAN = "the largest element", "the mean"
max_pool2d = add_arg_scope(
    _pooling("max_pool2d", _Pooling(MaxPooling2D, "MaxPool2D", 2, "NHWC", "NCHW"), what=_LARGEST)
)
max_pool3d = add_arg_scope(
    _pooling("max_pool3d", _Pooling(MaxPooling3D, "MaxPool3D", 3, "NDHWC", "NCDHW"), _VOLUMES, what=_LARGEST)
)
avg_pool2d = add_arg_scope(
    _pooling("avg_pool2d", _Pooling(AveragePooling2D, "AvgPool2D", 2, "NHWC", "NCHW"), what=_MEAN)
)
avg_pool3d = add_arg_scope(
    _pooling("avg_pool3d", _Pooling(AveragePooling3D, "AvgPool3D", 3, "NDHWC", "NCDHW"), _VOLUMES, what=_MEAN)
)


@add_arg_scope
def layer_norm(
    inputs: TensorLike,
    center: bool = True,
    scale: bool = True,
    activation_fn: Callable[..., Any] | None = None,
    reuse: object = None,
    variables_collections: Collections | DictLike | None = None,
    outputs_collections: Collections | DictLike | None = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: ScopeLike | None = None,
) -> Any:
    """Normalizes each example by its own mean and variance.

    Args:
        inputs: Tensor of a float dtype, of known rank, of shape [batch, ...].
        center: bool. If True, an offset beta is added.
        scale: bool. If True, the result is multiplied by gamma.
        activation_fn: callable of the outputs, or None.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        variables_collections: list of keys of collections for the variables, or dict from "beta" and "gamma" to such
            lists.
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        trainable: bool. If True, the variables are trained.
        begin_norm_axis: int, the first dimension that is averaged over.
        begin_params_axis: int, the first dimension that beta and gamma have.
        scope: str, the variable scope; None for "LayerNorm", made unique.

    Returns:
        Tensor of the dtype and shape of `inputs`.

    Raises:
        ValueError: if the rank or the dimensions of beta and gamma are unknown, or an axis is out of range.

    Source: Ba, Kiros, Hinton, Layer Normalization, 2016.
    """
    with variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as opened:
        inputs = convert_to_tensor(inputs)
        static = inputs.get_shape()
        rank = static.ndims
        if rank is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        if begin_norm_axis < 0:
            begin_norm_axis = rank + begin_norm_axis
        if begin_params_axis >= rank or begin_norm_axis >= rank:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({begin_norm_axis}) must be < "
                f"rank(inputs) ({rank})"
            )
        shape = static[begin_params_axis:]
        if not shape.is_fully_defined():
            raise ValueError(
                f"Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully defined: {static}"
            )

        def parameter(name: str, initializer: Initializer) -> Any:
            own = list(get_variable_collections(variables_collections, name) or ())
            keys = [*own, GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
            dtype = inputs.dtype.base_dtype
            return get_variable(name, shape, dtype, initializer, trainable=trainable, collections=keys)

        beta = parameter("beta", ZEROS) if center else None
        gamma = parameter("gamma", ONES) if scale else None
        mean, variance = normalization.moments(inputs, list(range(begin_norm_axis, rank)), keep_dims=True)
        # TF 1.x: 1e-12 of float16 would be 0, and no variance of 0 has a quotient.
        epsilon = 1e-3 if inputs.dtype.base_dtype == dtypes.float16 else 1e-12
        outputs = normalization.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
        outputs.set_shape(static)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, opened.name, outputs)


@add_arg_scope
def one_hot_encoding(
    labels: TensorLike,
    num_classes: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    outputs_collections: Collections | DictLike | None = None,
    scope: str | None = None,
) -> Any:
    """Makes vectors that are `on_value` at one place.

    Args:
        labels: Tensor of int32 or int64, of any shape: the places.
        num_classes: int, the length of the vectors.
        on_value: float.
        off_value: float, the other elements.
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        scope: str, name scope of the operations.

    Returns:
        Tensor of float32, of the shape of `labels` + [num_classes].
    """
    with name_scope(scope, "OneHotEncoding", [labels, num_classes]) as name:
        labels = cast(convert_to_tensor(labels), dtypes.int64)
        encoded = one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return collect_named_outputs(outputs_collections, name, encoded)


def _name_of(layer: Any, default: str) -> str:
    # A partial has no name; its function has one.
    name: str = getattr(getattr(layer, "func", layer), "__name__", default)
    return name


def repeat(inputs: TensorLike, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Applies a layer several times, each time with its own variables.

    Args:
        inputs: Tensor of a dtype and shape that the layer takes.
        repetitions: int, how often.
        layer: callable of a Tensor, these arguments and a `scope`.
        *args: its arguments.
        **kwargs: its arguments by name; `scope` is the variable scope, and its name that of the layers with a number.

    Returns:
        Tensor of the dtype and shape of the outputs of the last.
    """
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Repeat", [inputs]):
        outputs = convert_to_tensor(inputs)
        prefix = _name_of(layer, "repeat") if scope is None else scope
        for i in range(repetitions):
            outputs = layer(outputs, *args, **{**kwargs, "scope": f"{prefix}_{i + 1}"})
        return outputs


def stack(inputs: TensorLike, layer: Callable[..., Any], stack_args: Any, **kwargs: Any) -> Any:
    """Applies a layer several times with different arguments, each time with its own variables.

    Args:
        inputs: Tensor of a dtype and shape that the layer takes.
        layer: callable of a Tensor, arguments and a `scope`.
        stack_args: list with the arguments of each time, a tuple or list of them or just one.
        **kwargs: arguments by name that are the same each time; `scope` is the variable scope, and its name that of
            the layers with a number.

    Returns:
        Tensor of the dtype and shape of the outputs of the last.

    Raises:
        ValueError: if `stack_args` is neither list nor tuple.
    """
    scope = kwargs.pop("scope", None)
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError("stack_args need to be a list or tuple")
    with variable_scope(scope, "Stack", [inputs]):
        outputs = convert_to_tensor(inputs)
        prefix = _name_of(layer, "stack") if scope is None else scope
        for i, given in enumerate(stack_args):
            arguments = given if isinstance(given, (list, tuple)) else [given]
            outputs = layer(outputs, *arguments, **{**kwargs, "scope": f"{prefix}_{i + 1}"})
        return outputs


add_example(
    conv2d,
    """
    >>> images = tf.zeros([8, 28, 28, 1])
    >>> with tf.contrib.slim.arg_scope([tf.contrib.slim.conv2d], padding="VALID"):
    ...     features = tf.contrib.slim.conv2d(images, 32, [5, 5], scope="conv1")
    >>> print(features.shape, [v.name for v in tf.trainable_variables()])
    (8, 24, 24, 32) ['conv1/weights:0', 'conv1/biases:0']
    """,
)
