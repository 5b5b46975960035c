"""`Projection`: matrices side by side times a kernel, plus a bias."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, Initializer, TensorLike
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Constant
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import get_variable_scope


def whole_bias(size: int, dtype: DTypeLike, initializer: Initializer | None = None) -> Any:
    """Returns the variable `bias` of the scope.

    Args:
        size: int, the number of elements.
        dtype: DType of the variable.
        initializer: an initializer; None for zeros.
    """
    # TF 1.x: the bias stays whole where the scope partitions variables.
    with variable_scope(get_variable_scope(), auxiliary_name_scope=False) as scope:
        scope.set_partitioner(None)
        return get_variable("bias", [size], dtype=dtype, initializer=initializer or Constant(0.0, dtype=dtype))


def _listed(inputs: Any) -> Sequence[Any]:
    found: Sequence[Any] = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    if not found or inputs is None:
        raise ValueError("`args` must be specified")
    return found


class Projection:
    """`[x...] @ kernel + bias`, with variables of the scope in which it is made.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, size], or list of them, like those it will be called with.
        output_size: int, the number of columns of the kernel.
        build_bias: bool. If True, there is a bias.
        bias_initializer: an initializer; None for zeros.
        kernel_initializer: an initializer; None for the scope's.

    Raises:
        ValueError: if there is no input, an input is not a matrix, or its second dimension is unknown.
    """

    def __init__(
        self,
        inputs: Any,
        output_size: int,
        build_bias: bool = True,
        bias_initializer: Initializer | None = None,
        kernel_initializer: Initializer | None = None,
    ) -> None:
        inputs = _listed(inputs)
        shapes = [x.get_shape() for x in inputs]
        if any(shape.ndims != 2 for shape in shapes):
            raise ValueError(f"linear is expecting 2D arguments: {shapes}")
        for shape in shapes:
            if shape[1].value is None:
                raise ValueError(f"linear expects shape[1] to be provided for shape {shape}, but saw {shape[1]}")
        rows = sum(shape[1].value for shape in shapes)
        dtype = inputs[0].dtype
        # The scope is entered again: names of later scopes inside count it.
        with variable_scope(get_variable_scope()):
            self._kernel = get_variable("kernel", [rows, output_size], dtype=dtype, initializer=kernel_initializer)
            self._bias = whole_bias(output_size, dtype, bias_initializer) if build_bias else None

    def __call__(self, inputs: Any) -> Any:
        """Computes the product.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size], or list of them.

        Returns:
            Tensor of shape [batch, output_size].
        """
        inputs = _listed(inputs)
        joined = inputs[0] if len(inputs) == 1 else concat(inputs, constant(1, dtype=dtypes.int32))
        product = matmul(joined, self._kernel)
        return product if self._bias is None else bias_add(product, self._bias)


def linear(
    args: TensorLike,
    output_size: int,
    bias: bool,
    bias_initializer: Initializer | None = None,
    kernel_initializer: Initializer | None = None,
) -> Tensor:
    """Makes a `Projection` and calls it, as cells of programs do by `core_rnn_cell._linear`.

    Args:
        args: Tensor of a float dtype, of shape [batch, size], or list of them.
        output_size: int, the number of columns.
        bias: bool. If True, there is a bias.
        bias_initializer: an initializer; None for zeros.
        kernel_initializer: an initializer; None for the scope's.

    Returns:
        Tensor of the dtype of the inputs, of shape [batch, output_size].

    Raises:
        ValueError: if there is no input, an input is not a matrix, or its second dimension is unknown.
    """
    result: Tensor = Projection(args, output_size, bias, bias_initializer, kernel_initializer)(args)
    return result
