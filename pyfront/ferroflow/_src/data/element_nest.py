"""Nested structures of elements, in which lists are leaves: they become tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ferroflow._src.framework.composite import SparseTensorValue


def is_sequence(seq: Any) -> bool:
    """Returns True if `seq` is a structure: a tuple or a dict, but no value of a SparseTensor."""
    return isinstance(seq, tuple | dict) and not isinstance(seq, SparseTensorValue)


def _keys(dictionary: dict[Any, Any]) -> list[Any]:
    try:
        return sorted(dictionary)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


def _children(structure: Any) -> list[Any]:
    return [structure[k] for k in _keys(structure)] if isinstance(structure, dict) else list(structure)


def _like(structure: Any, children: list[Any]) -> Any:
    if isinstance(structure, dict):
        by_key = dict(zip(_keys(structure), children, strict=True))
        return type(structure)((key, by_key[key]) for key in structure)
    if hasattr(structure, "_fields"):
        return type(structure)(*children)
    return type(structure)(children)


def flatten(structure: Any) -> list[Any]:
    """Returns the leaves, from left to right, those of dicts by sorted key."""
    if not is_sequence(structure):
        return [structure]
    return [leaf for child in _children(structure) for leaf in flatten(child)]


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """Returns a structure like `structure` with other leaves.

    Raises:
        TypeError: if `flat_sequence` is not a list or tuple.
        ValueError: if the number of leaves differs.
    """
    if not isinstance(flat_sequence, list | tuple):
        raise TypeError("flat_sequence must be a sequence")
    if not is_sequence(structure):
        if len(flat_sequence) != 1:
            raise ValueError(f"Structure is a scalar but len(flat_sequence) == {len(flat_sequence)} > 1")
        return flat_sequence[0]
    count = len(flatten(structure))
    if count != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {count} elements, but flat_sequence had {len(flat_sequence)} "
            f"elements.  Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _packed(structure, iter(flat_sequence))


def _packed(structure: Any, leaves: Iterator[Any]) -> Any:
    if not is_sequence(structure):
        return next(leaves)
    return _like(structure, [_packed(child, leaves) for child in _children(structure)])


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Checks that two structures are nested in the same way.

    Raises:
        TypeError: if two substructures have other classes.
        ValueError: if the nesting, the number of elements or the keys differ.
    """
    if len(flatten(nest1)) != len(flatten(nest2)):
        raise ValueError(
            f"The two structures don't have the same number of elements. First structure: {nest1}, second structure: "
            f"{nest2}."
        )
    _assert_same(nest1, nest2, check_types)


def _assert_same(nest1: Any, nest2: Any, check_types: bool) -> None:
    if is_sequence(nest1) != is_sequence(nest2):
        raise ValueError(
            f"The two structures don't have the same nested structure. First structure: {nest1}, second structure: "
            f"{nest2}."
        )
    if not is_sequence(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise TypeError(
            f"The two structures don't have the same sequence type. First structure has type {type(nest1)}, while "
            f"second structure has type {type(nest2)}."
        )
    if isinstance(nest1, dict) and set(nest1) != set(nest2):
        raise ValueError(
            f"The two dictionaries don't have the same set of keys. First has keys {sorted(nest1)}, second has keys "
            f"{sorted(nest2)}."
        )
    for child1, child2 in zip(_children(nest1), _children(nest2), strict=False):
        _assert_same(child1, child2, check_types)


def map_structure(func: Callable[..., Any], *structures: Any) -> Any:
    """Returns a structure of the values of `func` for the leaves of structures that are nested alike.

    Raises:
        TypeError, ValueError: if the structures have different nesting.
    """
    for other in structures[1:]:
        assert_same_structure(structures[0], other)
    leaves = zip(*(flatten(s) for s in structures), strict=True)
    return pack_sequence_as(structures[0], [func(*x) for x in leaves])


def assert_shallow_structure(shallow: Any, deep: Any, check_types: bool = True) -> None:
    """Checks that `deep` is nested as `shallow` is, and perhaps further.

    Raises:
        TypeError: if a substructure has no counterpart, or a counterpart of another class.
        ValueError: if lengths or keys differ.
    """
    if not is_sequence(shallow):
        return
    if not is_sequence(deep):
        raise TypeError(
            f"If shallow structure is a sequence, input must also be a sequence. Input has type: {type(deep)}."
        )
    if check_types and not isinstance(deep, type(shallow)):
        raise TypeError(
            f"The two structures don't have the same sequence type. Input structure has type {type(deep)}, while "
            f"shallow structure has type {type(shallow)}."
        )
    if len(deep) != len(shallow):
        raise ValueError(
            f"The two structures don't have the same sequence length. Input structure has length {len(deep)}, while "
            f"shallow structure has length {len(shallow)}."
        )
    if isinstance(shallow, dict) and isinstance(deep, dict) and set(deep) != set(shallow):
        raise ValueError(
            f"The two structures don't have the same keys. Input structure has keys {list(deep)}, while shallow "
            f"structure has keys {list(shallow)}."
        )
    for inner, below in zip(_children(shallow), _children(deep), strict=True):
        assert_shallow_structure(inner, below, check_types)


def flatten_up_to(shallow: Any, deep: Any) -> list[Any]:
    """Returns the parts of `deep` at the positions of the leaves of `shallow`.

    Raises:
        TypeError, ValueError: if `deep` is not nested as `shallow` is.
    """
    assert_shallow_structure(shallow, deep)
    return _flattened_up_to(shallow, deep)


def _flattened_up_to(shallow: Any, deep: Any) -> list[Any]:
    if not is_sequence(shallow):
        return [deep]
    pairs = zip(_children(shallow), _children(deep), strict=True)
    return [leaf for inner, below in pairs for leaf in _flattened_up_to(inner, below)]


def map_structure_up_to(shallow: Any, func: Callable[..., Any], *inputs: Any) -> Any:
    """Returns a structure like `shallow` of the values of `func` for what the inputs have at its leaves.

    Raises:
        TypeError, ValueError: if an input is not nested as `shallow` is.
    """
    leaves = zip(*(flatten_up_to(shallow, i) for i in inputs), strict=True)
    return pack_sequence_as(shallow, [func(*x) for x in leaves])
