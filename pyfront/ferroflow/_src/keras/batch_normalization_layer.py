"""The batch normalization layer of models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import (
    DictLike,
    Identifier,
    Initializer,
    IntsLike,
)
from ferroflow._src.keras import named
from ferroflow._src.keras.backend import learning_phase
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.layers import batch_normalization


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
            **named.resolved({**own, **kwargs}),
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
