"""The bijector that undoes the normalization of a batch."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.bijectors.base import Bijector
from ferroflow._src.layers.batch_normalization import BatchNormalization as BatchNormalizationLayer
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.elementwise import log, sqrt
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.ops.nn.normalization import moments


def _away_from_zero(gamma: Any) -> Any:
    return relu(gamma) + 1e-6


class BatchNormalization(Bijector):
    """The function whose inverse is a layer that normalizes batches.

    `forward` uses the layer's averages of means and variances, `inverse` those of its argument in training.

    Args:
        batchnorm_layer: BatchNormalization, a layer of `tf.layers`; None for one whose gamma stays above 0.
        training: bool. If True, `inverse` normalizes by the mean and variance of its argument.
        validate_args: bool, without an effect.
        name: str, name scope of its operations.

    Raises:
        ValueError: if `batchnorm_layer` is not a `BatchNormalization`, or renormalizes, or normalizes parts of the
            batch.

    Source: Papamakarios, Pavlakou, Murray, Masked autoregressive flow for density estimation, 2017.
    """

    def __init__(
        self,
        batchnorm_layer: Any = None,
        training: bool = True,
        validate_args: bool = False,
        name: str = "batch_normalization",
    ) -> None:
        layer = batchnorm_layer or BatchNormalizationLayer(gamma_constraint=_away_from_zero)
        if not isinstance(layer, BatchNormalizationLayer):
            raise ValueError("batchnorm_layer must be an instance of BatchNormalization layer.")
        if layer.renorm:
            raise ValueError("BatchNorm Bijector does not support renormalization.")
        if layer.virtual_batch_size:
            raise ValueError("BatchNorm Bijector does not support virtual batch sizes.")
        self.batchnorm: Any = layer
        self._training = training
        axis = self.batchnorm.axis
        super().__init__(
            forward_min_event_ndims=1 if isinstance(axis, int) else len(axis), validate_args=validate_args, name=name
        )

    def _channels(self, ndims: int) -> list[int]:
        axis = self.batchnorm.axis
        return [i % ndims for i in ([axis] if isinstance(axis, int) else axis)]

    def _built(self, x: Any) -> TensorShape:
        shape: TensorShape = x.get_shape()
        if not shape.is_fully_defined():
            raise ValueError("Input must have shape known at graph construction.")
        if not self.batchnorm.built:
            self.batchnorm.build(shape)
            self.batchnorm.built = True
        return shape

    def _forward(self, x: Any) -> Any:
        shape = self._built(x).as_list()
        channels = self._channels(len(shape))
        sizes = [size if i in channels else 1 for i, size in enumerate(shape)]

        def along_channels(parameter: Any) -> Any:
            return shaping.reshape(parameter, sizes) if channels != [len(shape) - 1] else parameter

        layer = self.batchnorm
        scale = sqrt(along_channels(layer.moving_variance) + layer.epsilon)
        if layer.scale:
            scale = scale / along_channels(layer.gamma)
        shift = along_channels(layer.moving_mean)
        if layer.center:
            shift = shift - along_channels(layer.beta) * scale
        return x * scale + shift

    def _inverse(self, y: Any) -> Any:
        return self.batchnorm.apply(y, training=self._training)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -self._inverse_log_det_jacobian(x, use_saved_statistics=True)

    def _inverse_log_det_jacobian(self, y: Any, use_saved_statistics: bool = False) -> Any:
        shape = self._built(y)
        layer = self.batchnorm
        if use_saved_statistics or not self._training:
            variance = layer.moving_variance
        else:
            channels = self._channels(len(shape))
            others = [i for i in range(len(shape)) if i not in channels]
            _, variance = moments(y, axes=others, keepdims=True)
        total = -0.5 * reduce_sum(log(variance + layer.epsilon))
        return total + reduce_sum(log(layer.gamma)) if layer.scale else total
