"""The layer that flattens all dimensions but the first."""

from __future__ import annotations

import math
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import ShapeTensorLike, TensorLike
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.layers.layer import Layer
from ferroflow._src.ops.array import shaping

__all__ = ["Flatten", "flatten"]


class Flatten(Layer):
    """A layer that flattens each example to a vector.

    Args:
        **kwargs: arguments of `Layer`.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.input_spec = InputSpec(min_ndim=2)

    def call(self, inputs: Any) -> Any:
        """Flattens the inputs.

        Args:
            inputs: Tensor of any dtype, of shape [batch, ...].

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, elements of an example].
        """
        outputs = shaping.reshape(inputs, (shaping.shape(inputs)[0], -1))
        outputs.set_shape(self.compute_output_shape(inputs.get_shape()))
        return outputs

    def compute_output_shape(self, input_shape: ShapeTensorLike) -> TensorShape:
        """Returns the number of examples and that of the elements of one.

        Args:
            input_shape: TensorShape of the inputs, [batch, ...].

        Returns:
            TensorShape, of two dimensions; the second is None where one of the inputs' is not known.
        """
        batch, *inner = TensorShape(input_shape).as_list()
        return TensorShape([batch, math.prod(inner) if all(inner) else None])


def flatten(inputs: TensorLike, name: str | None = None) -> Any:
    """Flattens each example to a vector.

    Args:
        inputs: Tensor of any dtype, of shape [batch, ...].
        name: str, name of the layer.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch, elements of an example].
    """
    return Flatten(name=name).apply(inputs)
