"""Layers of `tf.contrib.layers`, whose variables are called weights and biases and are also model variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import (
    add_to_collection,
    add_to_collections,
    get_collection,
    name_scope,
)
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.layers.dense import Dense
from ferroflow._src.layers.fan_initializers import xavier_initializer
from ferroflow._src.layers.flatten import flatten as flatten_layer
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.variables.initializers import Zeros
from ferroflow._src.variables.partitioned_variable import PartitionedVariable
from ferroflow._src.variables.scope import variable_scope

__all__ = ["flatten", "fully_connected"]

_XAVIER, _ZEROS = xavier_initializer(), Zeros()


def _model_variables_called(names: Mapping[str, str]) -> Callable[..., Any]:
    """A custom getter that renames variables and puts them into `GraphKeys.MODEL_VARIABLES` too."""

    def custom_getter(getter: Callable[..., Any], name: str, *args: Any, **kwargs: Any) -> Any:
        *scopes, last = name.split("/")
        given = list(kwargs.pop("collections", None) or ())
        kwargs["collections"] = [*given, GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
        return getter("/".join([*scopes, names.get(last, last)]), *args, **kwargs)

    return custom_getter


def _collect_variable(variable: Any, collections: Any, kind: str) -> None:
    keys = collections.get(kind) if isinstance(collections, dict) else collections
    for part in variable if isinstance(variable, PartitionedVariable) else [variable]:
        for key in keys or ():
            if not any(part is found for found in get_collection(key)):
                add_to_collection(key, part)


def _collected(outputs: Any, collections: Any, alias: str) -> Any:
    if collections:
        outputs.aliases = [*getattr(outputs, "aliases", ()), alias.rstrip("/")]
        add_to_collections(collections, outputs)
    return outputs


def flatten(inputs: Any, outputs_collections: Any = None, scope: str | None = None) -> Any:
    """Makes a matrix of a tensor, one row for each example.

    Args:
        inputs: Tensor of any dtype, of shape [batch, ...].
        outputs_collections: str or list of str, keys of collections that the result is put into; None for none.
        scope: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch, elements of an example].
    """
    with name_scope(scope, "Flatten", [inputs]) as name:
        return _collected(flatten_layer(convert_to_tensor(inputs)), outputs_collections, name)


def fully_connected(
    inputs: Any,
    num_outputs: int,
    activation_fn: Callable[..., Any] | None = relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Any = _XAVIER,
    weights_regularizer: Callable[..., Any] | None = None,
    biases_initializer: Any = _ZEROS,
    biases_regularizer: Callable[..., Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Computes `activation_fn(inputs @ weights + biases)` along the last dimension, by default with relu.

    Args:
        inputs: Tensor of a float dtype, of shape [..., size].
        num_outputs: int, the size of the last dimension of the outputs.
        activation_fn: callable of the outputs; None for none.
        normalizer_fn: callable that is applied in place of adding biases; None for biases.
        normalizer_params: dict of further arguments of it.
        weights_initializer: initializer of the weights, of shape [size, num_outputs].
        weights_regularizer: callable of the weights that gives a loss.
        biases_initializer: initializer of the biases, of shape [num_outputs]; None for no biases.
        biases_regularizer: callable of the biases that gives a loss.
        reuse: True, None or `AUTO_REUSE`: whether the variables of a scope of this name are used.
        variables_collections: list of keys of collections for the variables, or dict from "weights" and "biases" to
            such lists.
        outputs_collections: str or list of str, keys of collections that the result is put into; None for none.
        trainable: bool, whether the variables are trained.
        scope: str, the variable scope; None for "fully_connected", made unique.

    Returns:
        Tensor of the dtype of `inputs`, of shape [..., num_outputs].

    Raises:
        ValueError: `num_outputs` is no int, or the last dimension of the inputs is not known.
    """
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs should be int or long, got {num_outputs}.")
    getter = _model_variables_called({"kernel": "weights", "bias": "biases"})
    with variable_scope(scope, "fully_connected", [inputs], reuse=reuse, custom_getter=getter) as opened:
        inputs = convert_to_tensor(inputs)
        layer = Dense(
            num_outputs,
            use_bias=normalizer_fn is None and biases_initializer is not None,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=opened.name,
            dtype=inputs.dtype.base_dtype,
            _scope=opened,
            _reuse=reuse,
        )
        outputs = layer.apply(inputs)
        _collect_variable(layer.kernel, variables_collections, "weights")
        if layer.bias is not None:
            _collect_variable(layer.bias, variables_collections, "biases")
        if normalizer_fn is not None:
            outputs = normalizer_fn(outputs, **(normalizer_params or {}))
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return _collected(outputs, outputs_collections, opened.name)
