"""Layers of models."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import (
    DictLike,
    Identifier,
    Initializer,
    IntsLike,
    NestedTensors,
    ShapeTensorLike,
    TensorLike,
)
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import named
from ferroflow._src.keras.backend import learning_phase
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.settings import image_data_format
from ferroflow._src.layers import batch_normalization, convolution, dense, dropout, flatten, pooling
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import not_equal
from ferroflow._src.ops.math.reduction import reduce_max, reduce_mean, reduce_sum
from ferroflow._src.ops.nn.embedding import embedding_lookup

_ACTIVATIONS = ("activation", "recurrent_activation")


def resolved(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments, with names of activations, initializers and regularizers replaced by the objects."""
    found = dict(kwargs)
    for name, value in kwargs.items():
        if name.endswith("_initializer"):
            found[name] = named.initializer(value)
        elif name.endswith("_regularizer"):
            found[name] = named.regularizer(value)
        elif name.endswith("_constraint"):
            found[name] = named.constraint(value)
        elif name in _ACTIVATIONS:
            found[name] = named.activation(value)
    return found


class Dense(KerasLayer, dense.Dense):
    """Dense layer: `activation(inputs @ kernel + bias)` along the last dimension.

    Args:
        units: int, the size of the last dimension of the outputs.
        activation: callable, or its name, or None.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer, or its name.
        bias_initializer: initializer, or its name.
        kernel_regularizer: callable of the kernel that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        kernel_constraint: callable of the kernel after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Example:
        >>> inputs = tf.keras.layers.Input([3])
        >>> outputs = tf.keras.layers.Dense(2, kernel_initializer="ones", activation="relu")(inputs)
        >>> model = tf.keras.models.Model(inputs, outputs)
        >>> print(model.predict(np.array([[1.0, 2.0, 3.0]])))
        [[6. 6.]]
    """

    def __init__(
        self,
        units: int,
        activation: Identifier | None = None,
        use_bias: bool = True,
        kernel_initializer: Initializer | DictLike = "glorot_uniform",
        bias_initializer: Initializer | DictLike = "zeros",
        kernel_regularizer: Identifier | None = None,
        bias_regularizer: Identifier | None = None,
        activity_regularizer: Identifier | None = None,
        kernel_constraint: Identifier | None = None,
        bias_constraint: Identifier | None = None,
        **kwargs: Any,
    ) -> None:
        own = {
            "activation": activation,
            "use_bias": use_bias,
            "kernel_initializer": kernel_initializer,
            "bias_initializer": bias_initializer,
            "kernel_regularizer": kernel_regularizer,
            "bias_regularizer": bias_regularizer,
            "activity_regularizer": activity_regularizer,
            "kernel_constraint": kernel_constraint,
            "bias_constraint": bias_constraint,
        }
        super().__init__(units, **resolved({**own, **kwargs}))


class _KerasConvolution(KerasLayer):
    """Base of the convolution layers."""

    def __init__(
        self,
        filters: int,
        kernel_size: IntsLike,
        strides: IntsLike = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: IntsLike = 1,
        activation: Identifier | None = None,
        use_bias: bool = True,
        kernel_initializer: Initializer | DictLike = "glorot_uniform",
        bias_initializer: Initializer | DictLike = "zeros",
        kernel_regularizer: Identifier | None = None,
        bias_regularizer: Identifier | None = None,
        activity_regularizer: Identifier | None = None,
        kernel_constraint: Identifier | None = None,
        bias_constraint: Identifier | None = None,
        **kwargs: Any,
    ) -> None:
        own = {
            "strides": strides,
            "padding": padding,
            "data_format": data_format or "channels_last",
            "dilation_rate": dilation_rate,
            "activation": activation,
            "use_bias": use_bias,
            "kernel_initializer": kernel_initializer,
            "bias_initializer": bias_initializer,
            "kernel_regularizer": kernel_regularizer,
            "bias_regularizer": bias_regularizer,
            "activity_regularizer": activity_regularizer,
            "kernel_constraint": kernel_constraint,
            "bias_constraint": bias_constraint,
        }
        super().__init__(filters, kernel_size, **resolved({**own, **kwargs}))


class Conv1D(_KerasConvolution, convolution.Conv1D):
    """Convolution layer over one dimension: `activation(convolution(inputs, kernel) + bias)`.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or list of one int: the sizes of windows.
        strides: int, or list of one int: the distances between windows.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first".
        dilation_rate: int, or list of one int: the distances between a window's points.
        activation: callable, or its name, or None.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the kernel, of shape kernel_size + [channels, filters], or its name.
        bias_initializer: initializer of the bias, of shape [filters], or its name.
        kernel_regularizer: callable of the kernel that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        kernel_constraint: callable of the kernel after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: IntsLike,
        strides: IntsLike = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        dilation_rate: IntsLike = 1,
        activation: Identifier | None = None,
        use_bias: bool = True,
        kernel_initializer: Initializer | DictLike = "glorot_uniform",
        bias_initializer: Initializer | DictLike = "zeros",
        kernel_regularizer: Identifier | None = None,
        bias_regularizer: Identifier | None = None,
        activity_regularizer: Identifier | None = None,
        kernel_constraint: Identifier | None = None,
        bias_constraint: Identifier | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            activity_regularizer,
            kernel_constraint,
            bias_constraint,
            **kwargs,
        )


class Conv2D(_KerasConvolution, convolution.Conv2D):
    """Convolution layer over two dimensions: `activation(convolution(inputs, kernel) + bias)`.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or list of two ints, of rows and columns: the sizes of windows.
        strides: int, or list of two ints, of rows and columns: the distances between windows.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first"; None for the first.
        dilation_rate: int, or list of two ints, of rows and columns: the distances between a window's points.
        activation: callable, or its name, or None.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the kernel, of shape kernel_size + [channels, filters], or its name.
        bias_initializer: initializer of the bias, of shape [filters], or its name.
        kernel_regularizer: callable of the kernel that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        kernel_constraint: callable of the kernel after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


class Conv3D(_KerasConvolution, convolution.Conv3D):
    """Convolution layer over three dimensions: `activation(convolution(inputs, kernel) + bias)`.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or list of three ints: the sizes of windows.
        strides: int, or list of three ints: the distances between windows.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first"; None for the first.
        dilation_rate: int, or list of three ints: the distances between a window's points.
        activation: callable, or its name, or None.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the kernel, of shape kernel_size + [channels, filters], or its name.
        bias_initializer: initializer of the bias, of shape [filters], or its name.
        kernel_regularizer: callable of the kernel that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        kernel_constraint: callable of the kernel after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


class _KerasPooling(KerasLayer):
    """Base of the pooling layers: windows do not overlap by default."""

    def __init__(
        self,
        pool_size: IntsLike = 2,
        strides: IntsLike | None = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        strides = pool_size if strides is None else strides
        super().__init__(pool_size, strides, padding, data_format or "channels_last", **kwargs)


class MaxPooling1D(_KerasPooling, pooling.MaxPooling1D):
    """Layer that returns the largest element of each window over one dimension.

    Args:
        pool_size: int, or list of one int: the sizes of windows.
        strides: int, or list of one int: the distances between windows; None for `pool_size`.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first"; None for the first.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


class MaxPooling2D(_KerasPooling, pooling.MaxPooling2D):
    """Layer that returns the largest element of each window over two dimensions.

    Args:
        pool_size: int, or list of two ints, of rows and columns: the sizes of windows.
        strides: int, or list of two ints, of rows and columns: the distances between windows; None for `pool_size`.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first"; None for the first.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


class MaxPooling3D(_KerasPooling, pooling.MaxPooling3D):
    """Layer that returns the largest element of each window over three dimensions.

    Args:
        pool_size: int, or list of three ints: the sizes of windows.
        strides: int, or list of three ints: the distances between windows; None for `pool_size`.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first"; None for the first.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


class AveragePooling1D(_KerasPooling, pooling.AveragePooling1D):
    """Layer that returns the mean of each window over one dimension.

    Args:
        pool_size: int, or list of one int: the sizes of windows.
        strides: int, or list of one int: the distances between windows; None for `pool_size`.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first"; None for the first.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


class AveragePooling2D(_KerasPooling, pooling.AveragePooling2D):
    """Layer that returns the mean of each window over two dimensions.

    Args:
        pool_size: int, or list of two ints, of rows and columns: the sizes of windows.
        strides: int, or list of two ints, of rows and columns: the distances between windows; None for `pool_size`.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first"; None for the first.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


class AveragePooling3D(_KerasPooling, pooling.AveragePooling3D):
    """Layer that returns the mean of each window over three dimensions.

    Args:
        pool_size: int, or list of three ints: the sizes of windows.
        strides: int, or list of three ints: the distances between windows; None for `pool_size`.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first"; None for the first.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


class _GlobalPooling(KerasLayer):
    """Base of the global pooling layers."""

    _REDUCTION: Callable[..., Tensor]
    _DIMENSIONS = 1

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format or image_data_format()
        if self.data_format not in ("channels_last", "channels_first"):
            raise ValueError(f"Unknown data_format: {data_format}")

    def call(self, inputs: Any) -> Tensor:
        """Reduces all positions.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, places ..., channels], or [batch, channels, places ...].

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, channels].
        """
        first = 2 if self.data_format == "channels_first" else 1
        return type(self)._REDUCTION(inputs, axis=list(range(first, first + self._DIMENSIONS)))


class _GlobalPoolingOfSteps(_GlobalPooling):
    """Base of the global pooling layers over steps."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("channels_last", **kwargs)


class GlobalMaxPooling1D(_GlobalPoolingOfSteps):
    """Layer that returns the largest element over all steps.

    Args:
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.
    """

    _REDUCTION = staticmethod(reduce_max)


class GlobalMaxPooling2D(_GlobalPooling):
    """Layer that returns the largest element over all positions of an image.

    Args:
        data_format: str, "channels_last" or "channels_first"; None for `tf.keras.backend.image_data_format()`.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """

    _REDUCTION = staticmethod(reduce_max)
    _DIMENSIONS = 2


class GlobalMaxPooling3D(_GlobalPooling):
    """Layer that returns the largest element over all positions of a volume.

    Args:
        data_format: str, "channels_last" or "channels_first"; None for `tf.keras.backend.image_data_format()`.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """

    _REDUCTION = staticmethod(reduce_max)
    _DIMENSIONS = 3


class GlobalAveragePooling1D(_GlobalPoolingOfSteps):
    """Layer that returns the mean over all steps.

    Args:
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.
    """

    _REDUCTION = staticmethod(reduce_mean)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Computes the mean of the steps that count.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, steps, channels].
            mask: Tensor of bool, of shape [batch, steps]: the steps that count; None for all.

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, channels].
        """
        if mask is None:
            return super().call(inputs)
        counts = shaping.expand_dims(cast(mask, inputs.dtype.base_dtype), 2)
        return reduce_sum(inputs * counts, axis=1) / reduce_sum(counts, axis=1)

    def compute_mask(self, inputs: Any, mask: Any = None) -> None:
        """Which steps of the output count: it has none.

        Args:
            inputs: accepted.
            mask: accepted.
        """


class GlobalAveragePooling2D(_GlobalPooling):
    """Layer that returns the mean over all positions of an image.

    Args:
        data_format: str, "channels_last" or "channels_first"; None for `tf.keras.backend.image_data_format()`.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """

    _REDUCTION = staticmethod(reduce_mean)
    _DIMENSIONS = 2


class GlobalAveragePooling3D(_GlobalPooling):
    """Layer that returns the mean over all positions of a volume.

    Args:
        data_format: str, "channels_last" or "channels_first"; None for `tf.keras.backend.image_data_format()`.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """

    _REDUCTION = staticmethod(reduce_mean)
    _DIMENSIONS = 3


class Flatten(KerasLayer, flatten.Flatten):
    """Layer that flattens each example to a vector.

    Args:
        *args: arguments of `tf.layers.Flatten`.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.
    """


class Dropout(KerasLayer, dropout.Dropout):
    """Layer that sets random inputs to 0 in training.

    Args:
        rate: float, the fraction of elements.
        noise_shape: shape of the mask; None for that of the inputs.
        seed: int, or None.
        **kwargs: further arguments of `KerasLayer`.
    """

    def __init__(
        self, rate: float, noise_shape: ShapeTensorLike | None = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(rate=rate, noise_shape=noise_shape, seed=seed, **kwargs)

    def call(self, inputs: Any, training: Any = None) -> Any:
        """Drops a fraction of the inputs in training.

        Args:
            inputs: Tensor of a float dtype, of any shape.
            training: bool, or Tensor of bool of shape []; None for the model's learning phase.

        Returns:
            Tensor of the dtype and shape of `inputs`.
        """
        return super().call(inputs, training=learning_phase() if training is None else training)


class BatchNormalization(KerasLayer, batch_normalization.BatchNormalization):
    """Layer that normalizes by the mean and variance of the batch in training, and by their averages otherwise.

    Args:
        axis: int, the dimension of the channels, or list of ints.
        momentum: float, the part of the moving averages that a batch leaves.
        epsilon: float, added to the variance.
        center: bool. If True, `beta` is added.
        scale: bool. If True, the result is multiplied by `gamma`.
        beta_initializer: initializer of `beta`, or its name.
        gamma_initializer: initializer of `gamma`, or its name.
        moving_mean_initializer: initializer of the average of means, or its name.
        moving_variance_initializer: initializer of the average of variances, or its name.
        beta_regularizer: callable of `beta` that gives a loss, or its name, or None.
        gamma_regularizer: callable of `gamma` that gives a loss, or its name, or None.
        beta_constraint: callable of `beta` after each update, or its name, or None.
        gamma_constraint: callable of `gamma` after each update, or its name, or None.
        renorm: bool, as `tf.layers.BatchNormalization` takes it.
        renorm_clipping: dict, as `tf.layers.BatchNormalization` takes it.
        renorm_momentum: float, as `tf.layers.BatchNormalization` takes it.
        fused: bool, as `tf.layers.BatchNormalization` takes it.
        trainable: bool. If True, the variables are trained.
        virtual_batch_size: int, as `tf.layers.BatchNormalization` takes it.
        adjustment: callable, as `tf.layers.BatchNormalization` takes it.
        name: str, name of the layer.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.
    """

    _NOT_TOLD = frozenset(("adjustment", "fused", "renorm", "renorm_clipping", "renorm_momentum", "virtual_batch_size"))

    def __init__(
        self,
        axis: IntsLike = -1,
        momentum: float = 0.99,
        epsilon: float = 0.001,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Initializer | DictLike = "zeros",
        gamma_initializer: Initializer | DictLike = "ones",
        moving_mean_initializer: Initializer | DictLike = "zeros",
        moving_variance_initializer: Initializer | DictLike = "ones",
        beta_regularizer: Identifier | None = None,
        gamma_regularizer: Identifier | None = None,
        beta_constraint: Identifier | None = None,
        gamma_constraint: Identifier | None = None,
        renorm: bool = False,
        renorm_clipping: DictLike | None = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Callable[..., Any] | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        own = {
            "beta_initializer": beta_initializer,
            "gamma_initializer": gamma_initializer,
            "moving_mean_initializer": moving_mean_initializer,
            "moving_variance_initializer": moving_variance_initializer,
            "beta_regularizer": beta_regularizer,
            "gamma_regularizer": gamma_regularizer,
            "beta_constraint": beta_constraint,
            "gamma_constraint": gamma_constraint,
        }
        super().__init__(
            axis,
            momentum,
            epsilon,
            center,
            scale,
            renorm=renorm,
            renorm_clipping=renorm_clipping,
            renorm_momentum=renorm_momentum,
            fused=fused,
            trainable=trainable,
            virtual_batch_size=virtual_batch_size,
            adjustment=adjustment,
            name=name,
            **resolved({**own, **kwargs}),
        )

    def call(self, inputs: Any, training: Any = None) -> Any:
        """Scales the inputs by the mean and variance of the batch, in training, or by their moving averages.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, ...].
            training: bool, or Tensor of bool of shape []; None for the model's learning phase.

        Returns:
            Tensor of the dtype and shape of `inputs`.
        """
        return super().call(inputs, training=learning_phase() if training is None else training)


class Activation(KerasLayer):
    """Layer that applies a function to each element.

    Args:
        activation: callable, or its name.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.activation = named.activation(activation)

    def call(self, inputs: NestedTensors) -> Any:
        """Applies the function.

        Args:
            inputs: Tensor of a float dtype, of any shape.

        Returns:
            Tensor of the dtype and shape that the function gives.
        """
        return self.activation(inputs)


class Reshape(KerasLayer):
    """Layer that reshapes examples.

    Args:
        target_shape: tuple, the shape without the batch; -1 for the size that follows from the others.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(self, target_shape: Sequence[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs: Any) -> Tensor:
        """Reshapes the examples.

        Args:
            inputs: Tensor of any dtype, of shape [batch, ...].

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch] + `target_shape`.
        """
        outputs = shaping.reshape(inputs, [shaping.shape(inputs)[0], *self.target_shape])
        outputs.set_shape(self.compute_output_shape(inputs.get_shape()))
        return outputs

    def compute_output_shape(self, input_shape: ShapeTensorLike) -> TensorShape:
        """Returns the shape of the output for that of the input.

        Args:
            input_shape: TensorShape of the inputs, with the batch.

        Returns:
            TensorShape.
        """
        given = TensorShape(input_shape)
        known = given[1:].num_elements()
        rest = 1
        for size in self.target_shape:
            rest *= 1 if size == -1 else size
        missing = None if known is None else known // rest
        return TensorShape([given[0], *(missing if size == -1 else size for size in self.target_shape)])


class Embedding(KerasLayer):
    """Layer that looks up rows of a table by id.

    Args:
        input_dim: int, the number of rows.
        output_dim: int, the number of columns.
        embeddings_initializer: initializer of the table, or its name.
        embeddings_regularizer: callable of the table that gives a loss, or its name, or None.
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        embeddings_constraint: callable of the table after each update, or its name, or None.
        mask_zero: bool. If True, the id 0 stands for steps that do not count, for the layers that follow.
        input_length: int, the number of ids of an example; None for any.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Initializer | DictLike = "uniform",
        embeddings_regularizer: Identifier | None = None,
        activity_regularizer: Identifier | None = None,
        embeddings_constraint: Identifier | None = None,
        mask_zero: bool = False,
        input_length: int | None = None,
        **kwargs: Any,
    ) -> None:
        if "input_shape" not in kwargs and "batch_input_shape" not in kwargs:
            kwargs["input_shape"] = (input_length,)
        kwargs.setdefault("dtype", "float32")
        super().__init__(activity_regularizer=named.regularizer(activity_regularizer), **kwargs)
        self.input_dim, self.output_dim = input_dim, output_dim
        self.embeddings_initializer = named.initializer(embeddings_initializer)
        self.embeddings_regularizer = named.regularizer(embeddings_regularizer)
        self.embeddings_constraint = named.constraint(embeddings_constraint)
        self.mask_zero, self.input_length = mask_zero, input_length

    def compute_mask(self, inputs: TensorLike, mask: Any = None) -> Any:
        """Returns the mask of the ids: None, or True for ids other than 0.

        Args:
            inputs: Tensor of an integer or float dtype, of shape [batch, steps]: the ids.
            mask: accepted.

        Returns:
            Tensor of bool, of the shape of `inputs`; None for all.
        """
        return not_equal(inputs, 0) if self.mask_zero else None

    def build(self, input_shape: Any) -> None:
        """Makes the table.

        Args:
            input_shape: TensorShape of the inputs, accepted.
        """
        del input_shape
        self.embeddings = self.add_weight(
            "embeddings",
            shape=(self.input_dim, self.output_dim),
            initializer=self.embeddings_initializer,
            regularizer=self.embeddings_regularizer,
            constraint=self.embeddings_constraint,
        )
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        """Looks up rows by id.

        Args:
            inputs: Tensor of an integer or float dtype, of shape [batch, ...]: the numbers of the rows.

        Returns:
            Tensor of the table's dtype, of the shape of `inputs` + [output_dim].
        """
        return embedding_lookup(self.embeddings, cast(inputs, "int32"))


class Lambda(KerasLayer):
    """A function of tensors as a layer.

    Args:
        function: callable of the inputs, and of `mask` if it has such an argument.
        output_shape: tuple of int and None, the shape of an example of the output, or callable of the input's shape
            that returns the shape with the batch. None to infer it from the function.
        mask: Tensor of bool, of shape [batch, steps], the steps of the output that count, or callable of the inputs and
            their mask; None for all.
        arguments: dict of the function's further arguments, or None.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        TypeError: if `output_shape` is not a tuple or list.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        output_shape: ShapeTensorLike | None = None,
        mask: NestedTensors | None = None,
        arguments: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if output_shape is not None and not isinstance(output_shape, (tuple, list)) and not callable(output_shape):
            raise TypeError("In Lambda, `output_shape` must be a list, a tuple, or a function.")
        self.function, self.mask = function, mask
        self.arguments = arguments or {}
        self.supports_masking = mask is not None
        self._result_shape = output_shape

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        """Returns a layer from the result of `get_config`.

        Args:
            config: dict of arguments; a function may be its name in `custom_objects`.
            custom_objects: dict of functions of the program by name.

        Returns:
            Lambda of this class.
        """
        known = dict(custom_objects or {})
        return cls(**{k: known[v] if isinstance(v, str) and v in known else v for k, v in config.items()})

    def call(self, inputs: NestedTensors, mask: NestedTensors | None = None) -> Any:
        """Calls the function.

        Args:
            inputs: Tensor of a dtype and shape that the function takes, or list of them.
            mask: Tensor of bool, of shape [batch, steps]: the steps that count; None for all.

        Returns:
            Tensor of the dtype and shape that the function gives, or list of them.
        """
        try:
            takes_mask = "mask" in inspect.signature(self.function).parameters
        except (TypeError, ValueError):  # written in C
            takes_mask = False
        return self.function(inputs, **self.arguments, **({"mask": mask} if takes_mask else {}))

    def compute_mask(self, inputs: NestedTensors, mask: NestedTensors | None = None) -> Any:
        """Returns the argument `mask`, or its result.

        Args:
            inputs: Tensor of any dtype and shape, or list of them.
            mask: Tensor of bool, of shape [batch, steps]; None for all.

        Returns:
            Tensor of bool, of shape [batch, steps]; None for all.
        """
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def compute_output_shape(self, input_shape: ShapeTensorLike) -> Any:
        """Returns the shape of the output for that of the input.

        Args:
            input_shape: TensorShape or tuple, with the batch.

        Returns:
            TensorShape, or list of them.
        """
        shape = tuple(TensorShape(input_shape).as_list())
        if callable(self._result_shape):
            return TensorShape(self._result_shape(shape))
        if self._result_shape is not None:
            return TensorShape([shape[0], *self._result_shape])
        with Graph().as_default():
            given = self.call(placeholder(self.dtype or dtypes.float32, shape=list(shape)))
            return [x.get_shape() for x in given] if isinstance(given, list) else given.get_shape()
