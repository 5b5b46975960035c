"""The dropout layer."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.docstrings import add_example
from ferroflow._src.base.typing import BoolLike, FloatLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.layers.layer import Layer
from ferroflow._src.layers.training_mode import choose, training_mode
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.nn import normalization


class Dropout(Layer):
    """A layer that sets random elements to 0 in training and scales the others up by `1 / (1 - rate)`.

    Args:
        rate: float, or Tensor of the dtype of the inputs, of shape []: the probability that an element is set to 0.
        noise_shape: Tensor of int32, of the length of the rank of the inputs, or list of int or None. Along dimensions
            of size 1, all elements share one draw. None for the shape of the inputs, or for one size in a list.
        seed: int, the op's seed; None to derive it from the graph's.
        name: str, name of the layer.
        **kwargs: further arguments of `Layer`.
    """

    def __init__(
        self,
        rate: FloatLike = 0.5,
        noise_shape: ShapeTensorLike | None = None,
        seed: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed
        self.supports_masking = True

    def _noise_shape(self, inputs: Any) -> Any:
        given = self.noise_shape
        if not isinstance(given, (list, tuple)) or None not in given:
            return given
        shape = shaping.shape(inputs)
        return [shape[i] if size is None else size for i, size in enumerate(given)]

    def call(self, inputs: TensorLike, training: BoolLike = False) -> Any:
        """Computes the outputs.

        Args:
            inputs: Tensor of a float dtype, of any shape.
            training: bool, or Tensor of bool of shape [].

        Returns:
            Tensor of the dtype and shape of `inputs`; equal to `inputs` when not training.
        """
        inputs = convert_to_tensor(inputs)

        def dropped() -> Any:
            noise_shape = self._noise_shape(inputs)
            return normalization.dropout(inputs, noise_shape=noise_shape, seed=self.seed, rate=self.rate)

        return choose(training_mode(training), dropped, lambda: identity(inputs))

    def compute_output_shape(self, input_shape: ShapeTensorLike) -> Any:
        """Returns the shape of the inputs.

        Args:
            input_shape: TensorShape of the inputs.

        Returns:
            `input_shape`.
        """
        return input_shape


def dropout(
    inputs: TensorLike,
    rate: FloatLike = 0.5,
    noise_shape: ShapeTensorLike | None = None,
    seed: int | None = None,
    training: BoolLike = False,
    name: str | None = None,
) -> Any:
    """Sets random elements to 0 in training and scales the others up by `1 / (1 - rate)`.

    Args:
        inputs: Tensor of a float dtype, of any shape.
        rate: float, or Tensor of the dtype of `inputs`, of shape []: the probability that an element is set to 0.
        noise_shape: Tensor of int32, or list of int or None, as `tf.layers.Dropout`.
        seed: int, the op's seed; None to derive it from the graph's.
        training: bool, or Tensor of bool of shape [].
        name: str, name of the layer.

    Returns:
        Tensor of the dtype and shape of `inputs`; equal to `inputs` when not training.
    """
    return Dropout(rate, noise_shape=noise_shape, seed=seed, name=name)(inputs, training=training)


add_example(
    dropout,
    """
    >>> training = tf.placeholder_with_default(False, [])
    >>> x = tf.layers.dropout(tf.ones([1000]), rate=0.25, seed=1, training=training)
    >>> print(np.unique(sess.run(x)), np.unique(sess.run(x, {training: True})).round(3))
    [1.] [0.    1.333]
    """,
)
