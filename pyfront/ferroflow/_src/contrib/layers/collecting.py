"""Variable names, collections and final steps of the layers of `tf.contrib.layers`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ferroflow._src.base.typing import Collections, DictLike, TensorLike
from ferroflow._src.contrib.framework.model_variables import model_variable
from ferroflow._src.contrib.layers.fan_initializers import xavier_initializer
from ferroflow._src.contrib.layers.model_utils import collect_named_outputs, get_variable_collections
from ferroflow._src.framework.default_graph import add_to_collection, get_collection
from ferroflow._src.layers.layer import Layer
from ferroflow._src.variables.initializers import Ones, Zeros
from ferroflow._src.variables.partitioned_variable import PartitionedVariable

XAVIER, ZEROS, ONES = xavier_initializer(), Zeros(), Ones()
# The arguments of `model_variable` among those of a getter.
_TAKEN: Final = frozenset(
    (
        *("shape", "dtype", "initializer", "regularizer", "trainable", "collections", "caching_device"),
        *("partitioner", "use_resource"),
    )
)
# From what layers of `tf.layers` call their variables to what these do, which are also keys of collections by variable.
NAMES: Mapping[str, str] = {"kernel": "weights", "bias": "biases"}


def model_variables_called(rename: Mapping[str, str] | None = None) -> Callable[..., Any]:
    """Returns a custom getter that renames variables and puts them into `GraphKeys.MODEL_VARIABLES` too.

    Args:
        rename: dict from the last parts of names to other ones; None to rename nothing.
    """
    names = rename or {}

    def custom_getter(getter: Callable[..., Any], name: str, **kwargs: Any) -> Any:
        *scopes, last = name.split("/")
        # `model_variable` fills missing arguments from its argument scope; it does not take all of a getter's.
        beside = {key: value for key, value in kwargs.items() if key not in _TAKEN}
        taken = {key: value for key, value in kwargs.items() if key in _TAKEN}

        def with_beside(*args: Any, **given: Any) -> Any:
            return getter(*args, **{**given, **beside})

        return model_variable("/".join([*scopes, names.get(last, last)]), **taken, custom_getter=with_beside)

    return custom_getter


def collect_variable(variable: Any, collections: Collections | DictLike | None, kind: str) -> None:
    """Adds a variable, or the parts of one, to the collections of its kind, once."""
    keys = get_variable_collections(collections, kind)
    for part in variable if isinstance(variable, PartitionedVariable) else [variable]:
        for key in keys or ():
            if not any(part is found for found in get_collection(key)):
                add_to_collection(key, part)


def followed(
    outputs: Any,
    scope_name: str,
    normalizer_fn: Callable[..., Any] | None,
    normalizer_params: dict[str, Any] | None,
    activation_fn: Callable[..., Any] | None,
    outputs_collections: Collections | DictLike | None,
) -> Any:
    """Applies what follows a layer, and collects the outputs."""
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return collect_named_outputs(outputs_collections, scope_name, outputs)


def finished(
    layer: Layer,
    inputs: TensorLike,
    scope_name: str,
    normalizer_fn: Callable[..., Any] | None,
    normalizer_params: dict[str, Any] | None,
    activation_fn: Callable[..., Any] | None,
    variables_collections: Collections | DictLike | None,
    outputs_collections: Collections | DictLike | None,
    kinds: Mapping[str, str] = NAMES,
) -> Any:
    """Applies a layer with variables of these kinds by attribute, then what follows it, and fills the collections."""
    outputs = layer.apply(inputs)
    for attribute, kind in kinds.items():
        if getattr(layer, attribute) is not None:
            collect_variable(getattr(layer, attribute), variables_collections, kind)
    return followed(outputs, scope_name, normalizer_fn, normalizer_params, activation_fn, outputs_collections)
