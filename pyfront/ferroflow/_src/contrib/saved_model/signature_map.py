"""Signatures of SavedModels of objects: the functions that servers call, by their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ferroflow._src.base import compat, nest
from ferroflow._src.contrib.eager.concrete_function import ConcreteFunction
from ferroflow._src.contrib.eager.function import Function
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.saved_functions import SavableFunction
from ferroflow._src.framework.tensor_spec import TensorSpec
from ferroflow._src.framework.trackable import Trackable
from ferroflow._src.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY

# The attribute of a loaded object that holds the signatures.
ATTRIBUTE: Final = "signatures"
# The function of an object that is its signature if a program names none.
_DEFAULT: Final = "_default_save_signature"


class SignatureMap(Trackable, Mapping[str, ConcreteFunction]):
    """The signatures of a SavedModel: ConcreteFunctions by their names, which cannot be changed.

    Args:
        signatures: dict of ConcreteFunctions by names, or None.
    """

    def __init__(self, signatures: Mapping[str, ConcreteFunction] | None = None) -> None:
        self._signatures = dict(signatures or {})

    def __getitem__(self, key: str) -> ConcreteFunction:
        return self._signatures[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return f"_SignatureMap({self._signatures})"

    @property
    def _object_identifier(self) -> str:
        return "signature_map"

    def _list_functions_for_serialization(self, serialization_cache: Any) -> dict[str, Any]:
        return dict(self._signatures)


def add_signature(signatures: SignatureMap, name: str, function: ConcreteFunction) -> None:
    """Adds a signature to those of an object that is being loaded.

    Args:
        signatures: SignatureMap.
        name: str.
        function: ConcreteFunction.
    """
    signatures._signatures[name] = function


def _concrete(function: Any) -> ConcreteFunction | None:
    """Returns the function for the one signature that is known; None if there is none."""
    if isinstance(function, SavableFunction):
        function = function.saved_function
    if isinstance(function, Function) and function.input_signature is not None:
        function = function.get_concrete_function()
    return function if isinstance(function, ConcreteFunction) else None


def _named_outputs(results: Any, function: str, key: str) -> dict[str, Tensor]:
    """Returns the results of a signature's function by names.

    Raises:
        ValueError: if they are neither a dict of Tensors nor a flat sequence.
    """
    if isinstance(results, Mapping):
        for name, value in results.items():
            if not isinstance(value, Tensor):
                raise ValueError(
                    f"Got a dictionary containing non-Tensor value {value} for key {name} in the output of the "
                    f"function {function} used to generate a SavedModel signature. Each key needs one Tensor."
                )
        return dict(results)
    listed = list(results) if isinstance(results, list | tuple) else [results]
    if any(nest.is_sequence(item) for item in listed):
        raise ValueError(
            f"Got non-flat outputs '{results}' from '{function}' for SavedModel signature '{key}'. Return a Tensor, a "
            "list of Tensors, or a dict of Tensors by names."
        )
    return {f"output_{i}": item for i, item in enumerate(listed)}


def _is_usable(function: ConcreteFunction) -> bool:
    """Returns True if a function has results that a signature may have."""
    if not function.outputs:
        return False
    try:
        _named_outputs(function.structured_outputs, "", "")
    except ValueError:
        return False
    return True


def function_to_export(functions: Mapping[str, Any]) -> Any:
    """Returns the function that is an object's signature by default; None if not exactly one could be.

    Args:
        functions: dict of the object's functions by their names.
    """
    if _DEFAULT in functions:
        return functions[_DEFAULT]
    found = [concrete for concrete in map(_concrete, functions.values()) if concrete is not None]
    usable = [concrete for concrete in found if _is_usable(concrete)]
    return usable[0] if len(usable) == 1 else None


def canonical_signatures(signatures: Any) -> SignatureMap:
    """Returns signatures as functions that return dicts of Tensors.

    Args:
        signatures: function of one signature, dict of such functions by names, or None.

    Returns:
        SignatureMap.

    Raises:
        TypeError: if a name is no str.
        ValueError: if a function has no signature, or returns neither Tensors in a flat list nor a dict of Tensors.
    """
    if signatures is None:
        return SignatureMap()
    if not isinstance(signatures, Mapping):
        signatures = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures}
    for key in signatures:
        if not isinstance(key, str):
            raise TypeError(f"Names of signatures must be str, but one is {key!r}.")
    return SignatureMap({key: _wrapped(key, function) for key, function in signatures.items()})


def _wrapped(key: str, given: Any) -> ConcreteFunction:
    function = _concrete(given)
    if function is None:
        raise ValueError(
            f"Expected a TensorFlow function to generate a signature for, but got {given}. Only `tf.functions` with an "
            "input signature or concrete functions can be used as a signature."
        )
    names = function.argument_names
    if len(set(names)) != len(names):
        raise ValueError(
            f"Got non-flat/non-unique argument names for SavedModel signature '{key}': {names} of "
            f"'{compat.as_str(function.name)}'. Give each Tensor a name of its own: tf.TensorSpec(..., name=...)."
        )
    called = function

    def signature_wrapper(**kwargs: Any) -> Any:
        return _named_outputs(called(**kwargs), compat.as_str(called.name), key)

    specs = {
        name: TensorSpec(tensor.shape, tensor.dtype, name) for name, tensor in zip(names, function.inputs, strict=False)
    }
    wrapper = Function(signature_wrapper, "signature_wrapper", autograph=False)
    wrapped = wrapper.get_concrete_function(**specs)
    # Signatures have no order, so only one argument may be passed by position.
    wrapped.allow_positional(1 if len(names) == 1 else 0)
    return wrapped
