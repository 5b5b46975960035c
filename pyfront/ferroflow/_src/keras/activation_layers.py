"""Layers that are functions of each element."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import NestedTensors, TensorLike
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import activations, named
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import greater
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.ops.nn.softmax import softmax


class _Elementwise(KerasLayer):
    """Base of the elementwise layers: masks pass through."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True


class LeakyReLU(_Elementwise):
    """Layer that multiplies negative elements by a number.

    Args:
        alpha: float, the number.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(self, alpha: float = 0.3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: NestedTensors) -> Tensor:
        """Applies the function.

        Args:
            inputs: Tensor of a float dtype, of any shape.

        Returns:
            Tensor of the dtype and shape of `inputs`.
        """
        return activations.relu(inputs, alpha=self.alpha)


class PReLU(_Elementwise):
    """Layer that multiplies negative elements by a learned weight.

    Args:
        alpha_initializer: initializer of the weights, or its name.
        alpha_regularizer: callable of the weights that gives a loss, or its name, or None.
        alpha_constraint: callable of the weights after updates, or its name, or None.
        shared_axes: int, or list of ints: the dimensions along which weights are shared, or None.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(
        self,
        alpha_initializer: Any = "zeros",
        alpha_regularizer: Any = None,
        alpha_constraint: Any = None,
        shared_axes: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.alpha_initializer = named.initializer(alpha_initializer)
        self.alpha_regularizer = named.regularizer(alpha_regularizer)
        self.alpha_constraint = named.constraint(alpha_constraint)
        self.shared_axes = [shared_axes] if isinstance(shared_axes, int) else list(shared_axes or ())

    def build(self, input_shape: Any) -> None:
        """Makes the weights.

        Args:
            input_shape: TensorShape of the inputs, with the batch.

        Raises:
            TypeError: if a shared dimension is no integer.
            ValueError: if the rank of the inputs is unknown.
        """
        sizes = TensorShape(input_shape).as_list()[1:]
        for axis in self.shared_axes:
            sizes[axis - 1] = 1
        self.alpha = self.add_weight(
            "alpha",
            sizes,
            initializer=self.alpha_initializer,
            regularizer=self.alpha_regularizer,
            constraint=self.alpha_constraint,
        )
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        """Applies the function.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, ...].

        Returns:
            Tensor of the dtype and shape of `inputs`.
        """
        above = relu(inputs)
        result: Tensor = above + -self.alpha * relu(-inputs)
        return result


class ELU(_Elementwise):
    """Layer that replaces negative elements by `alpha * (exp(x) - 1)`.

    Args:
        alpha: float, the limit of negative elements.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: TensorLike) -> Tensor:
        """Applies the function.

        Args:
            inputs: Tensor of a float dtype, of any shape.

        Returns:
            Tensor of the dtype and shape of `inputs`.
        """
        return activations.elu(inputs, self.alpha)


class ReLU(_Elementwise):
    """Layer that replaces elements below a threshold and limits large ones.

    Args:
        max_value: float, the largest result, or None.
        negative_slope: float, the factor of how far elements are below the threshold.
        threshold: float, the number above which elements stay.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if a number is negative.
    """

    def __init__(
        self, max_value: float | None = None, negative_slope: float = 0, threshold: float = 0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        for name, value in (("max_value", max_value), ("negative_slope", negative_slope)):
            if value is not None and value < 0:
                raise ValueError(f"{name} of Relu layer cannot be negative value: {value}")
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold

    def call(self, inputs: NestedTensors) -> Tensor:
        """Applies the function.

        Args:
            inputs: Tensor of a float dtype, of any shape.

        Returns:
            Tensor of the dtype and shape of `inputs`.
        """
        return activations.relu(inputs, self.negative_slope, self.max_value, self.threshold)


class ThresholdedReLU(_Elementwise):
    """Layer that keeps elements above a threshold and replaces the others by 0.

    Args:
        theta: float, the number.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.theta = theta

    def call(self, inputs: Any) -> Tensor:
        """Applies the function.

        Args:
            inputs: Tensor of a float dtype, of any shape.

        Returns:
            Tensor of the dtype and shape of `inputs`.
        """
        result: Tensor = inputs * cast(greater(inputs, self.theta), inputs.dtype)
        return result


class Softmax(_Elementwise):
    """Layer that applies the softmax function along a dimension.

    Args:
        axis: int, the dimension.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any) -> Tensor:
        """Applies the function.

        Args:
            inputs: Tensor of a float dtype, of rank 1 or more.

        Returns:
            Tensor of the dtype and shape of `inputs`.
        """
        return softmax(inputs, axis=self.axis)
