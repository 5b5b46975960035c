"""The layer that flattens all dimensions but the first."""

from __future__ import annotations

import math
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import ShapeTensorLike, TensorLike
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.layers.layer import Layer
from ferroflow._src.layers.space import normalize_data_format
from ferroflow._src.ops.array import shaping


class Flatten(Layer):
    """A layer that flattens each example to a vector.

    Args:
        data_format: "channels_last", "channels_first" or None, which is "channels_last". With "channels_first",
            dimension 1 moves to the end first.
        **kwargs: arguments of `Layer`.

    Raises:
        ValueError: if `data_format` is none of these.
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format or "channels_last")
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Any) -> Any:
        """Flattens the inputs.

        Args:
            inputs: Tensor of any dtype, of shape [batch, ...].

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, elements of an example].
        """
        ndims = inputs.get_shape().ndims
        if self.data_format == "channels_first" and ndims is not None and ndims > 1:
            inputs = shaping.transpose(inputs, [0, *range(2, ndims), 1])
        outputs = shaping.reshape(inputs, (inputs.get_shape()[0].value or shaping.shape(inputs)[0], -1))
        outputs.set_shape(self.compute_output_shape(inputs.get_shape()))
        return outputs

    def compute_output_shape(self, input_shape: ShapeTensorLike) -> TensorShape:
        """Returns the number of examples, and the number of elements in each.

        Args:
            input_shape: TensorShape of the inputs, [batch, ...].

        Returns:
            TensorShape, of two dimensions; the second is None if one of the inputs' is not known.
        """
        batch, *inner = TensorShape(input_shape).as_list()
        return TensorShape([batch, math.prod(inner) if all(inner) else None])


def flatten(inputs: TensorLike, name: str | None = None, data_format: str = "channels_last") -> Any:
    """Flattens each example to a vector.

    Args:
        inputs: Tensor of any dtype, of shape [batch, ...].
        name: str, name of the layer.
        data_format: "channels_last" or "channels_first". With "channels_first", dimension 1 moves to the end first.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch, elements of an example].
    """
    return Flatten(name=name, data_format=data_format)(inputs)
