"""The first fully connected layer of `tf.contrib.layers`, whose bias is called bias."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import Collections, DictLike, TensorLike
from ferroflow._src.contrib.layers.collecting import XAVIER, ZEROS
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import add_to_collections
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.activation import bias_add, relu
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.scope import variable_scope


def legacy_fully_connected(
    x: TensorLike,
    num_output_units: int,
    activation_fn: Callable[..., Any] | None = None,
    weight_init: Any = XAVIER,
    bias_init: Any = ZEROS,
    name: str | None = None,
    weight_collections: Any = (GraphKeys.WEIGHTS,),
    bias_collections: Any = (GraphKeys.BIASES,),
    output_collections: Collections | DictLike = (GraphKeys.ACTIVATIONS,),
    trainable: bool = True,
    weight_regularizer: Callable[..., Any] | None = None,
    bias_regularizer: Callable[..., Any] | None = None,
) -> Any:
    """Computes `activation_fn(x @ weights + bias)` along the last dimension.

    Args:
        x: Tensor of a float dtype, of shape [batch, ..., size].
        num_output_units: int, the size of the last dimension of the outputs.
        activation_fn: callable of the outputs, or None.
        weight_init: initializer of the weights, of shape [size, num_output_units].
        bias_init: initializer of the bias, of shape [num_output_units]; None for no bias.
        name: str, the variable scope; None for "fully_connected", made unique.
        weight_collections: list of keys of collections for the weights.
        bias_collections: list of keys of collections for the bias.
        output_collections: list of keys of collections for the outputs, in addition to `GraphKeys.ACTIVATIONS`.
        trainable: bool. If True, the variables are trained.
        weight_regularizer: callable of the weights that gives a loss.
        bias_regularizer: callable of the bias that gives a loss.

    Returns:
        Tensor of the dtype of `x`, of shape [batch, ..., num_output_units].

    Raises:
        ValueError: if the rank is unknown or below 2, or the size of the last dimension is unknown.
    """
    with variable_scope(name, "fully_connected", [x]):
        x = convert_to_tensor(x)
        static = x.get_shape()
        rank = static.ndims
        if rank is None:
            raise ValueError("dims of x must be known but is None")
        if rank < 2:
            raise ValueError(f"rank of x must be at least 2 not: {rank}")
        size = static[-1].value
        if size is None:
            raise ValueError("last dimension of x must be known but is None")

        def variable(called: str, shape: list[int], initializer: Any, regularizer: Any, collections: Any) -> Any:
            return get_variable(
                called,
                shape,
                x.dtype.base_dtype,
                initializer,
                regularizer=regularizer,
                trainable=trainable,
                collections=[*(collections or ()), GraphKeys.GLOBAL_VARIABLES],
            )

        shape = [size, num_output_units]
        weights = variable("weights", shape, weight_init, weight_regularizer, weight_collections)
        outputs = matmul(x if rank == 2 else shaping.reshape(x, [-1, size]), weights)
        if bias_init is not None:
            bias = variable("bias", [num_output_units], bias_init, bias_regularizer, bias_collections)
            outputs = bias_add(outputs, bias)
        if rank > 2:
            sizes = [*joining.unstack(shaping.shape(x))[:-1], num_output_units]
            outputs = shaping.reshape(outputs, joining.stack(sizes))
            outputs.set_shape([*static.as_list()[:-1], num_output_units])
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        add_to_collections([*(output_collections or ()), GraphKeys.ACTIVATIONS], outputs)
        return outputs


legacy_relu = functools.partial(legacy_fully_connected, activation_fn=relu)
legacy_linear = functools.partial(legacy_fully_connected, activation_fn=None)
