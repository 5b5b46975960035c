"""Core layers of models: dense connections, dropout, activations, shapes and functions."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.tensor_shape import Dimension, TensorShape
from ferroflow._src.base.typing import (
    BoolLike,
    DictLike,
    Identifier,
    Initializer,
    NestedTensors,
    ShapeTensorLike,
)
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import named
from ferroflow._src.keras.backend import learning_phase
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.configurations import serialized
from ferroflow._src.keras.custom_objects import get_custom_objects
from ferroflow._src.keras.function_code import described, from_description
from ferroflow._src.layers import dense, dropout, flatten
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.making import placeholder


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
        super().__init__(units, **named.resolved({**own, **kwargs}))


class Flatten(KerasLayer, flatten.Flatten):
    """Layer that flattens each example to a vector.

    Args:
        data_format: str, "channels_last" or "channels_first"; None for the first. With "channels_first", dimension 1
            moves to the end first.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)


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

    Raises:
        ValueError: if several sizes are -1. In a call: if the examples have another number of elements.
    """

    def __init__(self, target_shape: Sequence[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)
        if self.target_shape.count(-1) > 1:
            raise ValueError(f"Can only specify one unknown dimension, but target_shape is {self.target_shape}")

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

        Raises:
            ValueError: if the examples have another number of elements.
        """
        given = TensorShape(input_shape)
        known = given[1:].num_elements()
        rest = math.prod(size for size in self.target_shape if size != -1)
        is_open = -1 in self.target_shape
        if known is not None and (known % rest if is_open and rest else known != rest):
            raise ValueError(
                f"total size of new array must be unchanged: examples of shape {given[1:]} cannot have shape "
                f"{self.target_shape}"
            )
        missing = None if known is None else known // max(rest, 1)
        return TensorShape([given[0], *(missing if size == -1 else size for size in self.target_shape)])


def _key(part: str, what: str) -> str:
    return what if (part, what) == ("function", "module") else f"{part}_{what}"


class Lambda(KerasLayer):
    """A function of tensors as a layer.

    Args:
        function: callable of the inputs, and of `mask` and `training` if it has such arguments.
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

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal layer, and its name.

        Returns:
            dict, whose values JSON can hold; functions are code, which only this version of Python reads.

        Raises:
            ValueError: if a value that a function takes from around it cannot be serialized.
        """
        parts = {"function": self.function, "output_shape": self._result_shape, "mask": self.mask}
        found = {**super().get_config(), "arguments": serialized(self.arguments)}
        for name, part in parts.items():
            found[name], found[_key(name, "type")], found[_key(name, "module")] = described(part)
        if self.mask is None:
            found = {key: value for key, value in found.items() if not key.startswith("mask")}
        return found

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        """Returns a layer from the result of `get_config`.

        Args:
            config: dict of arguments; a function may be its name in `custom_objects`.
            custom_objects: dict of functions of the program by name.

        Returns:
            Lambda of this class.

        Raises:
            ValueError: if a function is unknown, or its code cannot be read or is not trusted.
        """
        known = {**get_custom_objects(), **(custom_objects or {})}
        given = dict(config)
        for name in ("function", "output_shape", "mask"):
            kind, module = given.pop(_key(name, "type"), None), given.pop(_key(name, "module"), None)
            if name in given:
                given[name] = from_description(given[name], kind, module, known)
        return cls(**given)

    def call(self, inputs: NestedTensors, mask: NestedTensors | None = None, training: BoolLike | None = None) -> Any:
        """Calls the function.

        Args:
            inputs: Tensor of a dtype and shape that the function takes, or list of them.
            mask: Tensor of bool, of shape [batch, steps]: the steps that count; None for all.
            training: bool, or Tensor of bool of shape []; None for the model's learning phase.

        Returns:
            Tensor of the dtype and shape that the function gives, or list of them.
        """
        try:
            parameters = inspect.signature(self.function).parameters
        except (TypeError, ValueError):  # written in C
            return self.function(inputs, **self.arguments)
        given = dict(self.arguments)
        if "mask" in parameters:
            given["mask"] = mask
        if "training" in parameters:
            given["training"] = learning_phase() if training is None else training
        return self.function(inputs, **given)

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
            input_shape: TensorShape or tuple, with the batch; list or tuple of them for several inputs.

        Returns:
            TensorShape, or list or tuple of them.
        """
        shapes = _with_shapes(input_shape, lambda sizes: tuple(sizes.as_list()))
        if callable(self._result_shape):
            return _with_shapes(self._result_shape(shapes), lambda sizes: sizes)
        if self._result_shape is not None:
            first = shapes[0] if _is_one_shape(shapes) else shapes[0][0]
            return _with_shapes(self._result_shape, lambda sizes: TensorShape([first, *sizes]))
        with Graph().as_default():
            dtype = self.dtype or dtypes.float32
            given = self.call(_with_shapes(shapes, lambda sizes: placeholder(dtype, shape=sizes.as_list())))
            return nest.map_structure(lambda x: x.get_shape(), given)


def _is_one_shape(shapes: Any) -> bool:
    return isinstance(shapes, TensorShape) or all(x is None or isinstance(x, (int, Dimension)) for x in shapes)


def _with_shapes(shapes: Any, function: Callable[[TensorShape], Any]) -> Any:
    """Returns the results of a function of each shape, in the structure of the shapes."""
    if _is_one_shape(shapes):
        return function(TensorShape(shapes))
    return type(shapes)(_with_shapes(one, function) for one in shapes)
