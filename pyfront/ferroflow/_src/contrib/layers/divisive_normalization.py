"""Generalized divisive normalization, and projections into a ball."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.custom_gradient import custom_gradient
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import IntsLike, TensorLike
from ferroflow._src.contrib.framework.arg_scope import add_arg_scope
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.layers.layer import Layer
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.making import ones
from ferroflow._src.ops.math.arithmetic import maximum, minimum, multiply
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import less, logical_or
from ferroflow._src.ops.math.elementwise import rsqrt, sqrt, square
from ferroflow._src.ops.math.linalg import eye
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn import convolution as convolutions

__all__ = ["GDN", "gdn", "poincare_normalize"]


@custom_gradient
def _at_least(values: Tensor, bound: Tensor) -> Any:
    """Returns the maximum; below the bound, gradients that push upwards still pass."""

    def gradient(dy: Tensor) -> tuple[Tensor, None]:
        passes = logical_or(values >= bound, less(dy, 0.0))
        return cast(passes, dy.dtype) * dy, None

    return maximum(values, bound), gradient


class GDN(Layer):
    """A layer that divides each channel by a root of a weighted sum of the squares of all channels.

    Source: Balle, Laparra, Simoncelli, "Density modeling of images using a generalized normalization transformation",
    2016: `y[i] = x[i] / sqrt(beta[i] + sum over j of gamma[j, i] x[j] ** 2)`.

    Args:
        inverse: bool. If True, the layer multiplies instead.
        beta_min: float, the least beta.
        gamma_init: float, the start of gamma's diagonal.
        reparam_offset: float, which keeps the gradients of the parameters' roots from vanishing.
        data_format: str, "channels_last" or "channels_first".
        activity_regularizer: callable of the output that gives a loss, or None.
        trainable: bool. If True, the parameters are trained.
        name: str, the layer's name.
        **kwargs: as `tf.layers.Layer`.

    Raises:
        ValueError: if `data_format` is neither.
    """

    def __init__(
        self,
        inverse: bool = False,
        beta_min: float = 1e-6,
        gamma_init: float = 0.1,
        reparam_offset: float = 2**-18,
        data_format: str = "channels_last",
        activity_regularizer: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        if data_format not in ("channels_last", "channels_first"):
            raise ValueError(f"Unsupported `data_format` for GDN layer: {data_format}.")
        self.inverse = inverse
        self.data_format = data_format
        self._beta_min = beta_min
        self._gamma_init = gamma_init
        self._reparam_offset = reparam_offset
        self.input_spec = InputSpec(min_ndim=3, max_ndim=5)

    def _parameter(self, name: str, shape: list[int], start: Any, least: float) -> Tensor:
        pedestal = self._reparam_offset**2
        root = self.add_variable(
            name, shape=shape, initializer=lambda *_, **__: sqrt(start + pedestal), dtype=self.dtype, trainable=True
        )
        bound = constant((least + pedestal) ** 0.5, dtype=self.dtype)
        value: Tensor = square(_at_least(convert_to_tensor(root), bound)) - pedestal
        return value

    def build(self, input_shape: Any) -> None:
        """Makes the parameters.

        Args:
            input_shape: TensorShape of the input.

        Raises:
            ValueError: if the number of channels is unknown.
        """
        shape = TensorShape(input_shape)
        axis = 1 if self.data_format == "channels_first" else -1
        channels = shape[axis].value
        if channels is None:
            raise ValueError("The channel dimension of the inputs to `GDN` must be defined.")
        self.input_spec = InputSpec(ndim=shape.ndims, axes={axis: channels})
        self.beta = self._parameter("reparam_beta", [channels], ones([channels], dtype=self.dtype), self._beta_min)
        start = self._gamma_init * eye(channels, dtype=self.dtype)
        self.gamma = self._parameter("reparam_gamma", [channels, channels], start, 0.0)
        self.built = True

    def call(self, inputs: TensorLike) -> Tensor:
        """Normalizes.

        Args:
            inputs: Tensor of the layer's dtype, of rank 3 to 5.

        Returns:
            Tensor of the same dtype and shape.
        """
        given: Tensor = convert_to_tensor(inputs, dtype=self.dtype)
        rank = given.shape.ndims or 0
        weights = shaping.reshape(self.gamma, [1] * (rank - 2) + self.gamma.shape.as_list())
        if self.data_format == "channels_first":
            pool = convolutions.convolution(square(given), weights, "VALID", data_format="NC" + "DHW"[-(rank - 2) :])
            pool += shaping.reshape(self.beta, [1, -1] + [1] * (rank - 2))
        else:
            pool = convolutions.convolution(square(given), weights, "VALID") + self.beta
        factor = sqrt(pool) if self.inverse else rsqrt(pool)
        outputs = given * factor
        outputs.set_shape(given.shape)
        return outputs

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """Returns the shape of the output, which is that of the input.

        Args:
            input_shape: TensorShape or list of int, the shape of the input.

        Returns:
            TensorShape.
        """
        return TensorShape(input_shape)


@add_arg_scope
def gdn(
    inputs: TensorLike,
    inverse: bool = False,
    beta_min: float = 1e-6,
    gamma_init: float = 0.1,
    reparam_offset: float = 2**-18,
    data_format: str = "channels_last",
    activity_regularizer: Any = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | None = None,
) -> Any:
    """Applies a `GDN` layer.

    Args:
        inputs: Tensor of a float dtype, of rank 3 to 5.
        inverse: bool. If True, the layer multiplies instead.
        beta_min: float, the least beta.
        gamma_init: float, the start of gamma's diagonal.
        reparam_offset: float, which keeps the gradients of the parameters' roots from vanishing.
        data_format: str, "channels_last" or "channels_first".
        activity_regularizer: callable of the output that gives a loss, or None.
        trainable: bool. If True, the parameters are trained.
        name: str, the layer's name.
        reuse: bool. If True, the variables of a layer of this name are used again.

    Returns:
        Tensor of the same dtype and shape.

    Raises:
        ValueError: if `data_format` is neither, or the number of channels is unknown.
    """
    layer = GDN(
        inverse=inverse,
        beta_min=beta_min,
        gamma_init=gamma_init,
        reparam_offset=reparam_offset,
        data_format=data_format,
        activity_regularizer=activity_regularizer,
        trainable=trainable,
        name=name,
        dtype=convert_to_tensor(inputs).dtype.base_dtype,
        _scope=name,
        _reuse=reuse,
    )
    return layer.apply(inputs)


def poincare_normalize(x: TensorLike, axis: IntsLike = 1, epsilon: float = 1e-5, name: str | None = None) -> Tensor:
    """Scales vectors into the ball of radius `1 - epsilon`; those inside stay.

    Args:
        x: Tensor of a float dtype.
        axis: int or list of int, the dimensions of the vectors.
        epsilon: float, the distance from the unit sphere.
        name: str, name of the operations.

    Returns:
        Tensor of the same dtype and shape.
    """
    with name_scope(name, "poincare_normalize", [x]) as scope:
        given: Tensor = convert_to_tensor(x, name="x")
        inverse_norm = rsqrt(reduce_sum(square(given), axis, keepdims=True))
        return multiply(given, minimum((1.0 - epsilon) * inverse_norm, 1.0), name=scope)
