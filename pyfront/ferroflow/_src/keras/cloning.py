"""Copies of models, with new layers and variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.keras.input_layer import Input, InputLayer
from ferroflow._src.keras.model import Model
from ferroflow._src.keras.model_sources import calls_in_order
from ferroflow._src.keras.network import as_list, check_copied
from ferroflow._src.keras.sequential import Sequential, added_layers
from ferroflow._src.layers.nodes import call_of, one_or_list


def clone_model(model: Any, input_tensors: Any = None, clone_function: Callable[[Any], Any] | None = None) -> Any:
    """Makes a copy of a model, with layers and variables of its own.

    Args:
        model: Model of inputs and outputs, or Sequential.
        input_tensors: Tensor of any dtype, of shape [batch, ...], or list of them, the inputs of the copy; None for
            new placeholders.
        clone_function: callable of a layer that returns the layer of the copy; by default one of the same
            configuration. Inputs are copied without it.

    Returns:
        Model, or Sequential if `model` is one; it is not compiled.

    Raises:
        ValueError: if `model` is a subclass's model, `clone_function` cannot be called, or an input of a Sequential
            comes from another layer than an Input.
        NotImplementedError: if the model has losses that `add_loss` added.
    """
    copied = clone_function or _copied
    if not isinstance(model, Sequential):
        return _functional_copy(model, input_tensors, copied)
    return _sequential_copy(model, input_tensors, copied)


def _copied(layer: Any) -> Any:
    if isinstance(layer, Sequential):
        return _sequential_copy(layer, None, _copied)
    return type(layer).from_config(layer.get_config())


def _check(model: Any, copied: Any) -> None:
    if not callable(copied):
        raise ValueError("Expected `clone_function` argument to be a callable.")
    check_copied(model)


def _functional_copy(model: Any, input_tensors: Any, copied: Callable[[Any], Any]) -> Any:
    if not isinstance(model, Model):
        raise ValueError("Expected `model` argument to be a `Model` instance, got ", model)
    _check(model, copied)
    layers: dict[Any, Any] = {}
    given = [None] * len(model.inputs) if input_tensors is None else nest.flatten(input_tensors)
    starts = []
    for old, new in zip(model.inputs, given, strict=True):
        made = call_of(old)
        assert made is not None  # checked when the model was made
        starts.append(_start(made.layer, new))
        layers[made.layer] = None
    tensors = dict(zip(model.inputs, starts, strict=True))
    for made in calls_in_order(model.outputs):
        if made.layer not in layers:
            layers[made.layer] = copied(made.layer)
        if layers[made.layer] is not None:
            taken = nest.map_structure(lambda tensor: tensors[tensor], made.inputs)
            results = nest.flatten(layers[made.layer](taken, **made.arguments))
            tensors.update(zip(made.outputs, results, strict=True))
    return Model(one_or_list(starts), one_or_list([tensors[x] for x in model.outputs]), name=model.name)


def _start(layer: Any, tensor: Any) -> Any:
    """Returns the input of a copy, in the place of an `InputLayer`'s output."""
    if tensor is None:
        return _copied(layer).output
    return tensor if call_of(tensor) is not None else Input(tensor=tensor, name=f"input_wrapper_for_{layer.name}")


def _sequential_copy(model: Sequential, input_tensors: Any, copied: Callable[[Any], Any]) -> Sequential:
    _check(model, copied)
    layers = []
    for layer in added_layers(model):
        if not isinstance(layer, InputLayer):
            layers.append(copied(layer))
        elif input_tensors is None:
            layers.append(_copied(layer))
    if input_tensors is None:
        return Sequential(layers, name=model.name)
    given = as_list(input_tensors)
    if len(given) != 1:
        raise ValueError("To clone a `Sequential` model, we expect at most one tensor as part of `input_tensors`.")
    made = call_of(given[0])
    if made is None:
        made = call_of(Input(tensor=given[0], name=f"input_wrapper_for_{given[0].name}"))
    if made is None or not isinstance(made.layer, InputLayer):
        raise ValueError(
            "Cannot clone a `Sequential` model on top of a tensor that comes from a Keras layer other than an "
            "`InputLayer`. Use the functional API instead."
        )
    return Sequential([made.layer, *layers], name=model.name)
