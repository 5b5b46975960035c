"""The densely connected layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.docstrings import add_example
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import Activation, Initializer, ScopeLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.layers.layer import Layer
from ferroflow._src.layers.layer_functions import layer_arguments
from ferroflow._src.layers.named_functions import activation_of, initializer_of
from ferroflow._src.ops.math.linalg import tensordot
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.variables.initializers import Zeros

_ZEROS = Zeros()


class Dense(Layer):
    """A layer that computes `activation(inputs @ kernel + bias)` along the last dimension.

    Args:
        units: int, the size of the last dimension of the outputs.
        activation: callable, or its name, or None.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the kernel, of shape [inputs, units]; None for the scope's, or Glorot's.
        bias_initializer: initializer of the bias, of shape [units].
        kernel_regularizer: callable of the kernel that gives a loss.
        bias_regularizer: callable of the bias that gives a loss.
        activity_regularizer: callable of the outputs that gives a loss.
        kernel_constraint: callable that optimizers apply to the kernel after updates.
        bias_constraint: callable that optimizers apply to the bias after updates.
        trainable: bool. If True, the variables are trained.
        name: str, name of the layer.
        **kwargs: further arguments of `Layer`.
    """

    def __init__(
        self,
        units: int,
        activation: Activation | None = None,
        use_bias: bool = True,
        kernel_initializer: Initializer | None = None,
        bias_initializer: Initializer = _ZEROS,
        kernel_regularizer: Callable[..., Any] | None = None,
        bias_regularizer: Callable[..., Any] | None = None,
        activity_regularizer: Callable[..., Any] | None = None,
        kernel_constraint: Callable[..., Any] | None = None,
        bias_constraint: Callable[..., Any] | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.units = int(units)
        self.activation = activation_of(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializer_of(kernel_initializer)
        self.bias_initializer = initializer_of(bias_initializer)
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.supports_masking = True
        self.input_spec = InputSpec(min_ndim=2)
        self.kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the kernel and the bias.

        Args:
            input_shape: TensorShape of the inputs, [batch, ..., size].

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        size = TensorShape(input_shape)[-1].value
        if size is None:
            raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found `None`.")
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
        self.kernel = self.add_weight(
            "kernel",
            shape=[size, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            dtype=self.dtype,
        )
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=[self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
                dtype=self.dtype,
            )
        self.built = True

    def call(self, inputs: TensorLike) -> Any:
        """Computes the outputs.

        Args:
            inputs: Tensor of a float dtype, of shape [..., size].

        Returns:
            Tensor of the dtype of `inputs`, of shape [..., units].
        """
        inputs = convert_to_tensor(inputs, dtype=dtypes.as_dtype(self.dtype))
        shape = inputs.get_shape().as_list()
        if len(shape) > 2:
            outputs = tensordot(inputs, self.kernel, [[len(shape) - 1], [0]])
            outputs.set_shape([*shape[:-1], self.units])
        else:
            outputs = tensor_op("MatMul", [inputs, self.kernel])
        if self.use_bias:
            outputs = bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: ShapeTensorLike) -> TensorShape:
        """Returns the shape of the inputs with the last dimension replaced.

        Args:
            input_shape: TensorShape of the inputs, [batch, ..., size].

        Returns:
            TensorShape.

        Raises:
            ValueError: if the inputs have a rank below 2, or the last dimension is unknown.
        """
        shape = TensorShape(input_shape).with_rank_at_least(2)
        if shape[-1].value is None:
            raise ValueError(f"The innermost dimension of input_shape must be defined, but saw: {shape}")
        return shape[:-1].concatenate(self.units)


def dense(
    inputs: TensorLike,
    units: int,
    activation: Activation | None = None,
    use_bias: bool = True,
    kernel_initializer: Initializer | None = None,
    bias_initializer: Initializer = _ZEROS,
    kernel_regularizer: Callable[..., Any] | None = None,
    bias_regularizer: Callable[..., Any] | None = None,
    activity_regularizer: Callable[..., Any] | None = None,
    kernel_constraint: Callable[..., Any] | None = None,
    bias_constraint: Callable[..., Any] | None = None,
    trainable: bool = True,
    name: ScopeLike | None = None,
    reuse: object = None,
) -> Any:
    """Computes `activation(inputs @ kernel + bias)` along the last dimension, with new variables.

    Args:
        inputs: Tensor of a float dtype, of shape [..., size].
        units: int, the size of the last dimension of the outputs.
        activation: callable, or its name, or None.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the kernel, of shape [size, units]; None for the scope's, or Glorot's.
        bias_initializer: initializer of the bias, of shape [units].
        kernel_regularizer: callable of the kernel that gives a loss.
        bias_regularizer: callable of the bias that gives a loss.
        activity_regularizer: callable of the outputs that gives a loss.
        kernel_constraint: callable that optimizers apply to the kernel after updates.
        bias_constraint: callable that optimizers apply to the bias after updates.
        trainable: bool. If True, the variables are trained.
        name: str, the variable scope; None for "dense", made unique.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.

    Returns:
        Tensor of the dtype of `inputs`, of shape [..., units].

    Raises:
        ValueError: if the last dimension of the inputs is unknown, or variables exist and `reuse` is not set, or
            `reuse` is set and they do not exist.
    """
    inputs = convert_to_tensor(inputs)
    return Dense(**layer_arguments(locals()))(inputs)


add_example(
    dense,
    """
    >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> y = tf.layers.dense(x, units=3, activation=tf.nn.relu, kernel_initializer=tf.ones_initializer())
    >>> sess.run(tf.global_variables_initializer())
    >>> print(sess.run(y))
    [[3. 3. 3.]
     [7. 7. 7.]]
    >>> print([v.name for v in tf.trainable_variables()])
    ['dense/kernel:0', 'dense/bias:0']
    """,
)
