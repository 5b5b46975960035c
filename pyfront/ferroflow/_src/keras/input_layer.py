"""`InputLayer` and `Input`: the start of a model."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import DTypeLike, ShapeLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.configurations import serialized
from ferroflow._src.keras.settings import dtype_of, get_uid
from ferroflow._src.layers.nodes import note_call
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.variables.variable import Variable


class InputLayer(KerasLayer):
    """The start of a model: a placeholder.

    Args:
        input_shape: tuple, the shape of an example.
        batch_size: int, the number of examples of a batch; None for any.
        dtype: DType; `floatx()` by default.
        input_tensor: Tensor, of any dtype and shape, to take in the place of a placeholder.
        sparse: False; sparse inputs are not offered.
        name: str, name of the layer.
        ragged: False; ragged inputs are not offered.
        **kwargs: `batch_input_shape`, tuple, the shape with the batch, in the place of `input_shape`.

    Raises:
        ValueError: if neither shape is given, if both are, or if an argument is unknown.
        NotImplementedError: if `sparse` or `ragged` is true.
    """

    def __init__(
        self,
        input_shape: ShapeLike | None = None,
        batch_size: int | None = None,
        dtype: DTypeLike | None = None,
        input_tensor: Tensor | None = None,
        sparse: bool = False,
        name: str | None = None,
        ragged: bool = False,
        **kwargs: Any,
    ) -> None:
        batch_input_shape: Any = kwargs.pop("batch_input_shape", None)
        if ragged:
            raise NotImplementedError("Ragged inputs of models are not offered; use tf.ragged.placeholder in a graph.")
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments: {sorted(kwargs)}")
        if sparse:
            raise NotImplementedError("Sparse inputs of models are not offered; use tf.sparse_placeholder in a graph.")
        super().__init__(name=name or f"input_{get_uid('input')}")
        self.built = True
        if input_tensor is None:
            if input_shape is None and batch_input_shape is None:
                raise ValueError("An Input layer should be passed either a `batch_input_shape` or an `input_shape`.")
            inner: Any = input_shape
            shape = tuple(batch_input_shape) if batch_input_shape is not None else (batch_size, *inner)
            input_tensor = placeholder(dtype_of(dtype), shape=list(shape), name=self.name)
        if isinstance(input_tensor, Variable):
            input_tensor = convert_to_tensor(input_tensor)
        self.batch_input_shape = tuple(input_tensor.get_shape().as_list())
        self._given = {"batch_input_shape": self.batch_input_shape, "dtype": input_tensor.dtype.name}
        self._inbound_nodes.append(note_call(input_tensor, self, [], {}))

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal layer, and its name.

        Returns:
            dict, whose values JSON can hold.
        """
        return {**serialized(self._given), "sparse": False, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns a layer from the result of `get_config`.

        Args:
            config: dict of arguments.

        Returns:
            InputLayer.

        Raises:
            NotImplementedError: if its input is sparse.
        """
        if config.get("sparse") or config.get("ragged"):
            raise NotImplementedError("Sparse inputs of models are not offered; use tf.sparse_placeholder in a graph.")
        known = ("batch_input_shape", "batch_size", "input_shape", "dtype", "name")
        return cls(**{name: value for name, value in config.items() if name in known})


def Input(  # noqa: N802  # Keras's spelling
    shape: ShapeLike | None = None,
    batch_size: int | None = None,
    name: str | None = None,
    dtype: DTypeLike | None = None,
    sparse: bool = False,
    tensor: Tensor | None = None,
    ragged: bool = False,
    **kwargs: Any,
) -> Tensor:
    """Returns the input tensor of a model.

    Args:
        shape: tuple, the shape of an example.
        batch_size: int, the number of examples of a batch; None for any.
        name: str, name of the placeholder.
        dtype: DType; `floatx()` by default.
        sparse: False; sparse inputs are not offered.
        tensor: Tensor, of any dtype and shape, used instead of a placeholder.
        ragged: False; ragged inputs are not offered.
        **kwargs: `batch_shape`, tuple, the shape with the batch, in the place of `shape`.

    Returns:
        Tensor of `dtype`, of shape [batch] + `shape`.

    Raises:
        ValueError: if neither shape is given, if both are, or if an argument is unknown.
        NotImplementedError: if `sparse` or `ragged` is true.

    Example:
        >>> x = tf.keras.layers.Input(shape=[32], name="features")
        >>> print(x.shape)
        (?, 32)
    """
    batch_shape = kwargs.pop("batch_shape", kwargs.pop("batch_input_shape", None))
    if shape is not None and batch_shape is not None:
        raise ValueError("Only provide the `shape` OR `batch_shape` argument to Input, not both at the same time.")
    layer = InputLayer(shape, batch_size, dtype, tensor, sparse, name, ragged, batch_input_shape=batch_shape, **kwargs)
    output: Tensor = layer.output
    return output
