"""The layer normalization layer of models."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DictLike, Identifier, Initializer, IntsLike
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import named
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.ops.array.shaping import reshape
from ferroflow._src.ops.nn.normalization import batch_normalization, moments


class LayerNormalization(KerasLayer):
    """Layer that normalizes each example by its own mean and variance.

    Args:
        axis: int, or list of int: the dimensions over which the mean is taken, and along which the weights differ.
        epsilon: float, added to the variance.
        center: bool. If True, `beta` is added.
        scale: bool. If True, the result is multiplied by `gamma`.
        beta_initializer: initializer of `beta`, or its name.
        gamma_initializer: initializer of `gamma`, or its name.
        beta_regularizer: callable of `beta` that gives a loss, or its name, or None.
        gamma_regularizer: callable of `gamma` that gives a loss, or its name, or None.
        beta_constraint: callable of `beta` after each update, or its name, or None.
        gamma_constraint: callable of `gamma` after each update, or its name, or None.
        trainable: bool. If True, the variables are trained.
        name: str, name of the layer.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if `axis` is not one of the above; when the layer is built, if the rank is unknown, or an axis is
            none of the input's or there twice.

    Source: Ba et al., Layer Normalization, 2016.
    """

    def __init__(
        self,
        axis: IntsLike = -1,
        epsilon: float = 0.001,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Initializer | DictLike = "zeros",
        gamma_initializer: Initializer | DictLike = "ones",
        beta_regularizer: Identifier | None = None,
        gamma_regularizer: Identifier | None = None,
        beta_constraint: Identifier | None = None,
        gamma_constraint: Identifier | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, trainable=trainable, **kwargs)
        if not isinstance(axis, int | list | tuple):
            raise ValueError(
                f"Expected an int or a list/tuple of ints for the argument 'axis', but received instead: {axis}"
            )
        self.axis: Any = axis if isinstance(axis, int) else list(axis)
        self.epsilon, self.center, self.scale = epsilon, center, scale
        self.beta_initializer = named.initializer(beta_initializer)
        self.gamma_initializer = named.initializer(gamma_initializer)
        self.beta_regularizer = named.regularizer(beta_regularizer)
        self.gamma_regularizer = named.regularizer(gamma_regularizer)
        self.beta_constraint = named.constraint(beta_constraint)
        self.gamma_constraint = named.constraint(gamma_constraint)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Makes the weights.

        Args:
            input_shape: TensorShape of the inputs, with the batch.

        Raises:
            ValueError: if the rank is unknown, or an axis is none of the input's or there twice.
        """
        shape = TensorShape(input_shape)
        rank = shape.ndims
        if rank is None:
            raise ValueError(f"Input shape {shape} has undefined rank.")
        given = [self.axis] if isinstance(self.axis, int) else self.axis
        self.axis = [axis + rank if axis < 0 else axis for axis in given]
        for axis in self.axis:
            if not 0 <= axis < rank:
                raise ValueError(f"Invalid axis: {axis}")
        if len(set(self.axis)) != len(self.axis):
            raise ValueError(f"Duplicate axis: {tuple(self.axis)}")
        sizes = [int(shape[axis]) for axis in self.axis]
        self.gamma = self._weight("gamma", sizes) if self.scale else None
        self.beta = self._weight("beta", sizes) if self.center else None
        self.built = True

    def _weight(self, name: str, sizes: list[int]) -> Any:
        return self.add_weight(
            name,
            sizes,
            initializer=getattr(self, f"{name}_initializer"),
            regularizer=getattr(self, f"{name}_regularizer"),
            constraint=getattr(self, f"{name}_constraint"),
        )

    def call(self, inputs: Any) -> Tensor:
        """Normalizes each example.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, ...].

        Returns:
            Tensor of the dtype and shape of `inputs`.
        """
        shape = inputs.get_shape()
        mean, variance = moments(inputs, self.axis, keep_dims=True)
        along = [int(shape[i]) if i in self.axis else 1 for i in range(shape.ndims)]
        fits = self.axis == [shape.ndims - 1] or len(self.axis) == shape.ndims

        def spread(weight: Any) -> Any:
            return weight if weight is None or fits else reshape(weight, along)

        beta, gamma = spread(self.beta), spread(self.gamma)
        outputs = batch_normalization(inputs, mean, variance, beta, gamma, self.epsilon)
        outputs.set_shape(shape)
        return outputs
