"""`KerasLayer`: what layers of models have beyond those of `tf.layers`: shapes given before, and known calls."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ferroflow._src.base import dtypes, nest
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.keras.backend import batch_get_value, batch_set_value
from ferroflow._src.layers.layer import Layer
from ferroflow._src.ops.array.making import placeholder

__all__ = ["Input", "InputLayer", "KerasLayer"]


class Call(NamedTuple):
    """One call of a layer.

    Attributes:
        layer: what was called.
        inputs: Tensor, or list of them.
        arguments: the other arguments.
        outputs: list of Tensor.
    """

    layer: Any
    inputs: Any
    arguments: dict[str, Any]
    outputs: list[Tensor]


_calls: WeakKeyDictionary[Graph, dict[Tensor, Call]] = WeakKeyDictionary()


def call_of(tensor: Tensor) -> Call | None:
    """The call that a tensor came from; None where it came from no layer."""
    return _calls.get(tensor.graph, {}).get(tensor)


def note_call(outputs: Any, layer: Any, inputs: Any, arguments: dict[str, Any]) -> None:
    """Keeps the call that tensors came from."""
    call = Call(layer, inputs, arguments, nest.flatten(outputs))
    for output in call.outputs:
        _calls.setdefault(output.graph, {})[output] = call


class KerasLayer(Layer):
    """A layer of a model; it comes before the layer of `tf.layers` that it is in a class's bases.

    Args:
        *args: arguments of that layer.
        **kwargs: `input_shape`, tuple without the batch; `batch_input_shape`, tuple with it; `input_dim`, int, for
            `input_shape=(input_dim,)`; `batch_size`, int, and `dtype` of the input; `weights`, list of the values that
            its variables start from; arguments of that layer.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        shape = kwargs.pop("batch_input_shape", None)
        size, width = kwargs.pop("batch_size", None), kwargs.pop("input_dim", None)
        inner = kwargs.pop("input_shape", None if width is None else (width,))
        if shape is None and inner is not None:
            shape = (size, *inner)
        self._initial_weights = kwargs.pop("weights", None)
        self._input_dtype = kwargs.get("dtype")
        super().__init__(*args, **kwargs)
        self.batch_input_shape: tuple[int | None, ...] | None = None if shape is None else tuple(shape)

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Computes the outputs; the first call makes the variables."""
        was_built = self.built
        outputs = super().__call__(inputs, *args, **kwargs)
        if not was_built and self._initial_weights is not None:
            self.set_weights(self._initial_weights)
        # An output that is an input, as that of a layer that does nothing, is still the layer's.
        note_call(outputs, self, inputs, kwargs)
        self.input, self.output = inputs, outputs
        return outputs

    @property
    def input_shape(self) -> Any:
        """The shape of the last input, as a tuple."""
        return _shape_of(self.input)

    @property
    def output_shape(self) -> Any:
        """The shape of the last output, as a tuple."""
        return _shape_of(self.output)

    def get_weights(self) -> list[Any]:
        """The values of its variables."""
        return batch_get_value(self.weights)

    def set_weights(self, weights: list[Any]) -> None:
        """Gives its variables values.

        Raises:
            ValueError: there are more or fewer values, or one has another shape.
        """
        set_weights(self, weights)


def set_weights(layer: Any, values: list[Any]) -> None:
    """Gives the variables of a layer or model values."""
    if len(values) != len(layer.weights):
        raise ValueError(
            f'You called `set_weights(weights)` on layer "{layer.name}" with a  weight list of length {len(values)}, '
            f"but the layer was expecting {len(layer.weights)} weights."
        )
    for variable, value in zip(layer.weights, values, strict=True):
        if not variable.get_shape().is_compatible_with(getattr(value, "shape", ())):
            raise ValueError(
                f"Layer weight shape {variable.get_shape()} not compatible with provided weight shape "
                f"{getattr(value, 'shape', ())}"
            )
    batch_set_value(list(zip(layer.weights, values, strict=True)))


def _shape_of(tensors: Any) -> Any:
    shapes = [tuple(t.get_shape().as_list()) for t in nest.flatten(tensors)]
    return shapes[0] if len(shapes) == 1 else shapes


class InputLayer(KerasLayer):
    """The start of a model: a placeholder.

    Args:
        input_shape: tuple, the shape of an example.
        batch_size: int, the number of examples of a batch; None for any.
        dtype: DType; float32 by default.
        input_tensor: Tensor to take in the place of a placeholder.
        name: str, name of the layer.
        batch_input_shape: tuple, the shape with the batch, in the place of `input_shape`.
    """

    def __init__(
        self,
        input_shape: Any = None,
        batch_size: int | None = None,
        dtype: Any = None,
        input_tensor: Tensor | None = None,
        name: Any = None,
        batch_input_shape: Any = None,
    ) -> None:
        super().__init__(name=name)
        self.built = True
        if input_tensor is None:
            if input_shape is None and batch_input_shape is None:
                raise ValueError("An Input layer should be passed either a `batch_input_shape` or an `input_shape`.")
            shape = tuple(batch_input_shape) if batch_input_shape is not None else (batch_size, *input_shape)
            input_tensor = placeholder(dtypes.as_dtype(dtype or dtypes.float32), shape=list(shape), name=self.name)
        self.batch_input_shape = tuple(input_tensor.get_shape().as_list())
        self.input = self.output = input_tensor
        note_call(input_tensor, self, [], {})


def Input(  # noqa: N802  # Keras's spelling
    shape: Any = None,
    batch_size: int | None = None,
    name: str | None = None,
    dtype: Any = None,
    sparse: bool = False,
    tensor: Tensor | None = None,
    batch_shape: Any = None,
) -> Tensor:
    """The start of a model.

    Args:
        shape: tuple, the shape of an example.
        batch_size: int, the number of examples of a batch; None for any.
        name: str, name of the placeholder.
        dtype: DType; float32 by default.
        sparse: False; sparse inputs are not offered.
        tensor: Tensor to take in the place of a placeholder.
        batch_shape: tuple, the shape with the batch, in the place of `shape`.

    Returns:
        Tensor.

    Raises:
        ValueError: no shape is given.
        NotImplementedError: `sparse` is true.
    """
    if sparse:
        raise NotImplementedError("Sparse inputs of models are not offered; use tf.sparse_placeholder in a graph.")
    layer = InputLayer(shape, batch_size, dtype, tensor, name, batch_shape)
    output: Tensor = layer.output
    return output
