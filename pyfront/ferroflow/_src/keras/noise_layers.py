"""Layers that disturb or leave out in training, and those that leave out steps or weigh outputs."""

from __future__ import annotations

import math
from typing import Any

from ferroflow._src.base.typing import NestedTensors, ShapeTensorLike, TensorLike
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import named
from ferroflow._src.keras.backend_nn import in_train_phase, random_normal, random_uniform
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.core_layers import Dropout
from ferroflow._src.keras.settings import floatx, image_data_format
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import greater_equal, not_equal
from ferroflow._src.ops.math.reduction import reduce_any

# The limit of `selu` for small inputs: minus its scale times its alpha.
_SELU_END = -1.0507009873554805 * 1.6732632423543772


class GaussianNoise(KerasLayer):
    """Layer that adds normal random numbers in training.

    Args:
        stddev: float, their standard deviation.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(self, stddev: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.stddev = stddev

    def call(self, inputs: Any, training: Any = None) -> Any:
        """Adds the numbers, in training.

        Args:
            inputs: Tensor of a float dtype, of any shape.
            training: bool, or Tensor of bool of shape []; None for the model's learning phase.

        Returns:
            Tensor of the dtype and shape of `inputs`.
        """

        def disturbed() -> Any:
            return inputs + random_normal(shaping.shape(inputs), 0.0, self.stddev)

        return in_train_phase(disturbed, inputs, training)


class GaussianDropout(KerasLayer):
    """Layer that multiplies by normal random numbers of mean 1 in training.

    Args:
        rate: float, of which their standard deviation is `sqrt(rate / (1 - rate))`.
        **kwargs: arguments of `KerasLayer`.

    Source: Srivastava et al., Dropout: A Simple Way to Prevent Neural Networks from Overfitting, 2014.
    """

    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.rate = rate

    def call(self, inputs: Any, training: Any = None) -> Any:
        """Multiplies by the numbers, in training.

        Args:
            inputs: Tensor of a float dtype, of any shape.
            training: bool, or Tensor of bool of shape []; None for the model's learning phase.

        Returns:
            Tensor of the dtype and shape of `inputs`.
        """
        if not 0 < self.rate < 1:
            return inputs
        deviation = math.sqrt(self.rate / (1.0 - self.rate))

        def disturbed() -> Any:
            return inputs * random_normal(shaping.shape(inputs), 1.0, deviation)

        return in_train_phase(disturbed, inputs, training)


class AlphaDropout(KerasLayer):
    """Layer that sets random inputs to the lower limit of `selu` in training, and scales to keep mean and variance.

    Args:
        rate: float, the fraction of elements.
        noise_shape: shape of the mask; None for that of the inputs.
        seed: int, or None.
        **kwargs: arguments of `KerasLayer`.

    Source: Klambauer et al., Self-Normalizing Neural Networks, 2017.
    """

    def __init__(
        self, rate: float, noise_shape: ShapeTensorLike | None = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    _NOT_TOLD = frozenset(("noise_shape", "seed"))

    def call(self, inputs: Any, training: Any = None) -> Any:
        """Sets a part of the inputs, in training.

        Args:
            inputs: Tensor of a float dtype, of any shape.
            training: bool, or Tensor of bool of shape []; None for the model's learning phase.

        Returns:
            Tensor of the dtype and shape of `inputs`.
        """
        if not 0 < self.rate < 1:
            return inputs
        rate = self.rate
        scale = ((1 - rate) * (1 + rate * _SELU_END**2)) ** -0.5
        shape: Any = shaping.shape(inputs) if self.noise_shape is None else self.noise_shape

        def disturbed() -> Any:
            kept = cast(greater_equal(random_uniform(shape, seed=self.seed), rate), floatx())
            return scale * (inputs * kept + _SELU_END * (1 - kept)) + -scale * _SELU_END * rate

        return in_train_phase(disturbed, inputs, training)


class _SpatialDropout(Dropout):
    """Base of the layers that drop whole channels."""

    _DIMENSIONS = 1
    _NOT_TOLD = frozenset(("data_format",))

    def __init__(self, rate: float, data_format: str | None = None, **kwargs: Any) -> None:
        # TF 1.x: the configuration has the shape of the base class, None, which is not that of this layer.
        kwargs.pop("noise_shape", None)
        self.data_format = data_format or image_data_format()
        places: list[Any] = [1] * self._DIMENSIONS
        is_first = self.data_format == "channels_first" and self._DIMENSIONS > 1
        super().__init__(rate, [None, None, *places] if is_first else [None, *places, None], **kwargs)
        self.input_spec = InputSpec(ndim=self._DIMENSIONS + 2)


class SpatialDropout1D(_SpatialDropout):
    """Layer that drops random channels of sequences in training.

    Args:
        rate: float, the fraction of elements.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(rate, **{**kwargs, "data_format": "channels_last"})


class SpatialDropout2D(_SpatialDropout):
    """Layer that drops random channels of images in training.

    Args:
        rate: float, the fraction of elements.
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        **kwargs: arguments of `KerasLayer`.
    """

    _DIMENSIONS = 2


class SpatialDropout3D(_SpatialDropout):
    """Layer that drops random channels of volumes in training.

    Args:
        rate: float, the fraction of elements.
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        **kwargs: arguments of `KerasLayer`.
    """

    _DIMENSIONS = 3


class Masking(KerasLayer):
    """Layer that masks the steps whose elements are all equal to one number.

    Args:
        mask_value: float, the number.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.mask_value = mask_value

    def compute_mask(self, inputs: TensorLike, mask: Any = None) -> Tensor:
        """Returns the mask of the inputs.

        Args:
            inputs: Tensor of a number dtype, of shape [batch, steps, size].
            mask: accepted.

        Returns:
            Tensor of bool, of shape [batch, steps].
        """
        return reduce_any(not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs: Any) -> Any:
        """Makes the steps that do not count 0.

        Args:
            inputs: Tensor of a number dtype, of shape [batch, steps, size].

        Returns:
            Tensor of the dtype and shape of `inputs`.
        """
        counts = reduce_any(not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        outputs = inputs * cast(counts, inputs.dtype)
        self._made_mask = shaping.squeeze(counts, [-1])
        return outputs

    def _mask_of_outputs(self, inputs: Any, mask: Any) -> Any:
        return self._made_mask


class ActivityRegularization(KerasLayer):
    """Layer that adds a loss of its inputs, and returns them unchanged.

    Args:
        l1: float, the factor of the sum of absolute values.
        l2: float, the factor of the sum of squares.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        regularizer = named.l1_l2(l1, l2) if l1 or l2 else None
        super().__init__(activity_regularizer=regularizer, **kwargs)
        self.supports_masking = True
        self.l1, self.l2 = l1, l2

    def call(self, inputs: NestedTensors, **kwargs: Any) -> Any:
        """Returns the inputs.

        Args:
            inputs: Tensor of a float dtype, of any shape.
            **kwargs: accepted.

        Returns:
            `inputs`.
        """
        return inputs
