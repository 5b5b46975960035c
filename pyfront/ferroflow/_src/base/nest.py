"""Nested structures: flattening lists, tuples, namedtuples and dicts to a list of leaves, and packing them again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, MappingView, Sequence, Sized
from functools import lru_cache
from typing import Any, Final

from ferroflow._src.base.composite_parts import Parts, is_composite, parts_of
from ferroflow._src.base.shown import shown

_STRUCTURES: Final = (Sequence, Mapping, MappingView)


def is_sequence(seq: object) -> bool:
    """Returns True if `seq` is a structure, not a leaf: a mapping or a sequence, but no string.

    The keys, values and items of a dict are structures, too, and objects of the classes that `attrs` makes.

    Args:
        seq: any object; arrays, sets and tensors of any shape are leaves.

    Returns:
        bool.
    """
    kind: Any = seq.__class__
    return _is_structure_class(kind)


# The cache avoids checks against abstract classes, which take ten times as long.
@lru_cache(maxsize=1024)
def _is_structure_class(cls: Any) -> bool:
    return (issubclass(cls, _STRUCTURES) and not issubclass(cls, (str, bytes))) or _is_attrs_class(cls)


is_nested = is_sequence


def _is_attrs_class(cls: type) -> bool:
    return hasattr(cls, "__attrs_attrs__")


def attrs_fields(instance: Any) -> list[str] | None:
    """Returns the names of the fields of an object whose class `attrs` has made; None for other objects."""
    attributes = getattr(instance.__class__, "__attrs_attrs__", None)
    return None if attributes is None else [attribute.name for attribute in attributes]


def is_sequence_or_composite(seq: object) -> bool:
    """Returns True if `seq` is a structure, or a composite tensor such as a SparseTensor.

    Args:
        seq: any object.

    Returns:
        bool.
    """
    return is_sequence(seq) or is_composite(seq)


def _expanded(structure: Any, expand_composites: bool) -> Any:
    """Returns a structure with the parts of composite tensors in their places."""
    if not expand_composites:
        return structure
    if not is_sequence(structure):
        return parts_of(structure)
    return _like(structure, [_expanded(child, True) for child in yield_value(structure)])


def _sorted_keys(dictionary: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(dictionary)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


def _is_namedtuple(instance: Any) -> bool:
    if not isinstance(instance, tuple):
        return False
    fields = getattr(instance, "_fields", None)
    return isinstance(fields, Sequence) and all(isinstance(field, str) for field in fields)


def _same_namedtuples(first: Any, second: Any) -> bool:
    return first._fields == second._fields and type(first).__name__ == type(second).__name__


def _length(structure: Any) -> int:
    return len(structure if isinstance(structure, Sized) else attrs_fields(structure) or ())


def yield_value(iterable: Any) -> Iterator[Any]:
    """Yields the children of a structure; those of a mapping in the order of its sorted keys.

    Raises:
        TypeError: if a dict has keys that cannot be sorted.
    """
    if isinstance(iterable, Mapping):
        return iter([iterable[key] for key in _sorted_keys(iterable)])
    fields = None if isinstance(iterable, (Sequence, MappingView)) else attrs_fields(iterable)
    return iter(iterable) if fields is None else iter([getattr(iterable, name) for name in fields])


def _like(instance: Any, children: list[Any]) -> Any:
    """Returns a structure of the class of `instance` with other children; a list for the view of a dict."""
    if isinstance(instance, Parts):
        return instance.like(children)
    if isinstance(instance, Mapping):
        by_key = dict(zip(_sorted_keys(instance), children, strict=True))
        items = [(key, by_key[key]) for key in instance]
        if isinstance(instance, defaultdict):
            return type(instance)(instance.default_factory, items)
        make: Any = type(instance)
        return make(items)
    if isinstance(instance, MappingView):
        return children
    if _is_namedtuple(instance) or _is_attrs_class(instance.__class__):
        return type(instance)(*children)
    return type(instance)(children)


def flatten(structure: object, expand_composites: bool = False) -> list[Any]:
    """Returns the leaves of a structure, from left to right, dicts in the order of their sorted keys.

    Args:
        structure: a structure, or a leaf (which gives a list of itself); arrays and tensors are leaves, whatever their
            shape.
        expand_composites: bool. If True, composite tensors such as SparseTensors are structures of their tensors.

    Returns:
        A list.

    Raises:
        TypeError: if a dict has keys that cannot be sorted.
    """
    leaves: list[Any] = []
    _append_leaves(_expanded(structure, expand_composites), leaves)
    return leaves


def _append_leaves(nest: Any, leaves: list[Any]) -> None:
    if not is_sequence(nest):
        leaves.append(nest)
        return
    for child in yield_value(nest):
        _append_leaves(child, leaves)


def pack_sequence_as(structure: object, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """Returns the inverse of `flatten`: a structure like `structure` whose leaves are `flat_sequence`.

    Args:
        structure: a structure or a leaf.
        flat_sequence: sequence, one value per leaf of `structure`.
        expand_composites: bool. If True, composite tensors such as SparseTensors are structures of their tensors.

    Returns:
        The structure, or `flat_sequence[0]` if `structure` is a leaf.

    Raises:
        TypeError: if `flat_sequence` is not a sequence, or a dict has keys that cannot be sorted.
        ValueError: if the number of leaves differs.
    """
    if not is_sequence(flat_sequence):
        raise TypeError("flat_sequence must be a sequence")
    structure = _expanded(structure, expand_composites)
    if not is_sequence(structure):
        if len(flat_sequence) != 1:
            raise ValueError(f"Structure is a scalar but len(flat_sequence) == {len(flat_sequence)} > 1")
        return flat_sequence[0]
    count = len(flatten(structure))
    if count != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {count} elements, but flat_sequence had "
            f"{len(flat_sequence)} elements.  Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _pack(structure, iter(flat_sequence))


def _pack(structure: Any, leaves: Iterator[Any]) -> Any:
    children = [_pack(child, leaves) if is_sequence(child) else next(leaves) for child in yield_value(structure)]
    return _like(structure, children)


def _described(value: Any) -> str:
    return f"type={type(value).__name__} str={shown(value)}"


def _outline(structure: Any) -> str:
    """Returns the structure as text with a dot for each leaf."""
    return str(map_structure(lambda _: _Dot(), structure))


class _Dot:
    """A leaf in the text of a structure."""

    def __str__(self) -> str:
        return "."

    __repr__ = __str__


def assert_same_structure(
    nest1: object, nest2: object, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Checks that two structures have the same shape. Namedtuples of one name and the same fields have the same type.

    Args:
        nest1: a structure or leaf.
        nest2: a structure or leaf.
        check_types: If True, the classes of the structures and the keys of dicts must also agree.
        expand_composites: bool. If True, composite tensors such as SparseTensors are structures of their tensors.

    Raises:
        TypeError: if the classes of two substructures differ.
        ValueError: if the nesting, the number of elements or the keys of two substructures differ.
    """
    found = _difference(_expanded(nest1, expand_composites), _expanded(nest2, expand_composites), check_types)
    if found is not None:
        error_class, reason = found
        raise error_class(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {_described(nest1)}\n\nSecond structure: {_described(nest2)}\n\n"
            f"More specifically: {reason}\nEntire first structure:\n{_outline(nest1)}\n"
            f"Entire second structure:\n{_outline(nest2)}"
        )


def _difference(nest1: Any, nest2: Any, check_types: bool) -> tuple[type[Exception], str] | None:
    is_sequence1 = is_sequence(nest1)
    if is_sequence1 != is_sequence(nest2):
        structure, leaf = (nest1, nest2) if is_sequence1 else (nest2, nest1)
        return ValueError, (
            f'Substructure "{_described(structure)}" is a sequence, while substructure "{_described(leaf)}" is not'
        )
    if not is_sequence1:
        return None
    if check_types:
        found = _type_difference(nest1, nest2)
        if found is not None:
            return found
    children1 = list(yield_value(nest1))
    children2 = list(yield_value(nest2))
    for child1, child2 in zip(children1, children2, strict=False):
        found = _difference(child1, child2, check_types)
        if found is not None:
            return found
    if len(children1) != len(children2):
        return ValueError, (
            "The two structures don't have the same number of elements. "
            f"First structure: {_described(nest1)}. Second structure: {_described(nest2)}"
        )
    return None


def _is_plain_namedtuple(instance: Any) -> bool:
    """Returns True if `instance` is of a namedtuple class itself, not of a class that inherits from one."""
    return type(instance).__base__ is tuple and _is_namedtuple(instance)


def _type_difference(nest1: Any, nest2: Any) -> tuple[type[Exception], str] | None:
    type1, type2 = (type(x.whole if isinstance(x, Parts) else x) for x in (nest1, nest2))
    if type1 is not type2:
        both_namedtuples = _is_plain_namedtuple(nest1) and _is_plain_namedtuple(nest2)
        if not (both_namedtuples and _same_namedtuples(nest1, nest2)):
            return TypeError, (
                f"The two {'namedtuples' if both_namedtuples else 'structures'} don't have the same sequence type. "
                f"First structure {_described(nest1)} has type {type1.__name__}, "
                f"while second structure {_described(nest2)} has type {type2.__name__}"
            )
    if isinstance(nest1, Parts):
        reason = nest1.differs_from(nest2)
        return None if reason is None else (ValueError, reason)
    if isinstance(nest1, Mapping) and nest1.keys() != nest2.keys():
        return ValueError, (
            "The two dictionaries don't have the same set of keys. "
            f"First structure has keys {_described(list(nest1))}, "
            f"while second structure has keys {_described(list(nest2))}"
        )
    return None


def flatten_dict_items(dictionary: dict[Any, Any]) -> dict[Any, Any]:
    """Returns a dict from each leaf of each key to the leaf of its value at the same place.

    Args:
        dictionary: dict, each key a leaf or a structure like its value.

    Raises:
        TypeError: if `dictionary` is not a dict.
        ValueError: if a key and its value have different numbers of leaves, or a leaf is in the keys twice.
    """
    if not isinstance(dictionary, dict):
        raise TypeError("input must be a dictionary")
    flat: dict[Any, Any] = {}
    for key, value in dictionary.items():
        if is_sequence(key):
            keys, values = flatten(key), flatten(value)
            if len(keys) != len(values):
                raise ValueError(
                    f"Could not flatten dictionary. Key had {len(keys)} elements, but value had {len(values)} "
                    f"elements. Key: {keys}, value: {shown(values)}."
                )
        else:
            keys, values = [key], [value]
        for flat_key, flat_value in zip(keys, values, strict=True):
            if flat_key in flat:
                raise ValueError(f"Could not flatten dictionary: key {flat_key} is not unique.")
            flat[flat_key] = flat_value
    return flat


def map_structure(func: Callable[..., Any], *structure: object, **kwargs: Any) -> Any:
    """Applies `func` to the leaves of structures that have the same shape.

    Args:
        func: callable with one argument per structure.
        *structure: structures or leaves.
        **kwargs: `check_types`, bool, True: if True, the classes of the structures must agree too. `expand_composites`,
            bool, False: if True, composite tensors such as SparseTensors are structures of their tensors.

    Returns:
        A structure like the first one, of the results.

    Raises:
        TypeError: if `func` is not callable, or the classes of two structures differ.
        ValueError: if no structure is given, two structures differ, or there is an unexpected keyword argument.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types, expands = kwargs.pop("check_types", True), kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(f"Only valid keyword arguments are `check_types` and `expand_composites`, not: {list(kwargs)}")
    structures = [_expanded(one, expands) for one in structure] if expands else structure
    for other in structures[1:]:
        assert_same_structure(structures[0], other, check_types=check_types)
    leaves = [flatten(nest) for nest in structures]
    return pack_sequence_as(structures[0], [func(*values) for values in zip(*leaves, strict=True)])


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Checks that `input_tree` is `shallow_tree` with some leaves replaced by structures.

    Args:
        shallow_tree: a structure or leaf.
        input_tree: a structure or leaf.
        check_types: If True, the classes of the structures and the keys of dicts must also agree.
        expand_composites: bool. If True, composite tensors such as SparseTensors are structures of their tensors.

    Raises:
        TypeError: if a structure of `shallow_tree` stands where `input_tree` has a leaf, or their classes differ.
        ValueError: if the lengths or keys of two structures differ.
    """
    if expand_composites:
        shallow_tree = parts_of(shallow_tree)
        input_tree = parts_of(input_tree) if isinstance(shallow_tree, Parts) else input_tree
    if not is_sequence(shallow_tree):
        return
    if not is_sequence(input_tree):
        raise TypeError(
            f"If shallow structure is a sequence, input must also be a sequence. Input has type: {type(input_tree)}."
        )
    if check_types and not isinstance(input_tree, type(shallow_tree)):
        both_namedtuples = _is_namedtuple(shallow_tree) and _is_namedtuple(input_tree)
        if not (both_namedtuples and _same_namedtuples(shallow_tree, input_tree)):
            raise TypeError(
                f"The two {'namedtuples' if both_namedtuples else 'structures'} don't have the same sequence type. "
                f"Input structure has type {type(input_tree)}, while shallow structure has type {type(shallow_tree)}."
            )
    if _length(input_tree) != _length(shallow_tree):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{_length(input_tree)}, while shallow structure has length {_length(shallow_tree)}."
        )
    if check_types and isinstance(shallow_tree, dict) and set(input_tree) != set(shallow_tree):
        raise ValueError(
            "The two structures don't have the same keys. Input structure has keys "
            f"{list(input_tree)}, while shallow structure has keys {list(shallow_tree)}."
        )
    for shallow_branch, input_branch in zip(yield_value(shallow_tree), yield_value(input_tree), strict=True):
        assert_shallow_structure(shallow_branch, input_branch, check_types, expand_composites)


def flatten_up_to(
    shallow_tree: object, input_tree: object, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """Returns the parts of `input_tree` that stand at the leaves of `shallow_tree`.

    Args:
        shallow_tree: a structure or leaf.
        input_tree: a structure or leaf that `assert_shallow_structure` accepts.
        check_types: If True, the classes of the structures and the keys of dicts must also agree.
        expand_composites: bool. If True, composite tensors such as SparseTensors are structures of their tensors.

    Returns:
        A list, one part per leaf of `shallow_tree`.

    Raises:
        TypeError, ValueError: on the same conditions as `assert_shallow_structure`.
    """
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites)
    parts: list[Any] = []
    _append_parts(_expanded(shallow_tree, expand_composites), input_tree, parts)
    return parts


def _append_parts(shallow_tree: Any, input_tree: Any, parts: list[Any]) -> None:
    if isinstance(shallow_tree, Parts):
        input_tree = parts_of(input_tree)
    if not is_sequence(shallow_tree):
        parts.append(input_tree)
        return
    for shallow_branch, input_branch in zip(yield_value(shallow_tree), yield_value(input_tree), strict=True):
        _append_parts(shallow_branch, input_branch, parts)


def map_structure_up_to(
    shallow_tree: object, func: Callable[..., Any], *inputs: Any, check_types: bool = True, **kwargs: Any
) -> Any:
    """Applies `func` to the parts of structures that stand at the leaves of `shallow_tree`.

    Args:
        shallow_tree: a structure or leaf.
        func: callable with one argument per input.
        *inputs: structures or leaves that `assert_shallow_structure` accepts.
        check_types: If True, the classes of the structures and the keys of dicts must also agree.
        **kwargs: passed to `func`.

    Returns:
        A structure like `shallow_tree`, of the results.

    Raises:
        ValueError: if there is no input.
        TypeError, ValueError: on the same conditions as `assert_shallow_structure`.
    """
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    parts = [flatten_up_to(shallow_tree, input_tree, check_types) for input_tree in inputs]
    return pack_sequence_as(shallow_tree, [func(*values, **kwargs) for values in zip(*parts, strict=True)])


def get_traverse_shallow_structure(traverse_fn: Callable[[Any], Any], structure: object) -> Any:
    """Returns a structure of bools that says, for `flatten_up_to`, how deep to go into `structure`.

    Args:
        traverse_fn: callable from a substructure to a bool (go into it or not), or to a structure like its top level
            whose leaves are bools.
        structure: a structure or leaf.

    Returns:
        A structure of bools that is a shallow structure of `structure`.

    Raises:
        TypeError: if `traverse_fn` returns neither a bool nor a structure of bools.
    """
    to_traverse = traverse_fn(structure)
    if not is_sequence(structure):
        if not isinstance(to_traverse, bool):
            raise TypeError(f"traverse_fn returned structure: {to_traverse} for non-structure: {structure}")
        return to_traverse
    if isinstance(to_traverse, bool):
        if not to_traverse:
            return False
        return _like(structure, [get_traverse_shallow_structure(traverse_fn, x) for x in yield_value(structure)])
    if not is_sequence(to_traverse):
        raise TypeError(f"traverse_fn returned a non-bool scalar: {to_traverse} for input: {structure}")
    assert_shallow_structure(to_traverse, structure)
    levels: list[Any] = []
    for enter, branch in zip(yield_value(to_traverse), yield_value(structure), strict=True):
        if not isinstance(enter, bool):
            raise TypeError(
                f"traverse_fn didn't return a depth=1 structure of bools.  saw: {to_traverse}  "
                f"for structure: {structure}"
            )
        levels.append(get_traverse_shallow_structure(traverse_fn, branch) if enter else False)
    return _like(structure, levels)


def yield_flat_paths(nest: Any) -> Iterator[tuple[Any, ...]]:
    """Yields the path of each leaf, in the order of `flatten`: a tuple of keys, field names and indices."""
    if not is_sequence(nest):
        yield ()
        return
    if isinstance(nest, Parts):
        for i, part in enumerate(nest):
            for path in yield_flat_paths(part):
                yield (nest.step, i, *path)
        return
    steps: Any
    if isinstance(nest, Mapping):
        steps = _sorted_keys(nest)
    elif _is_namedtuple(nest):
        steps = nest._fields
    elif _is_attrs_class(nest.__class__):
        steps = attrs_fields(nest)
    else:
        steps = range(len(nest))
    for step, child in zip(steps, yield_value(nest), strict=True):
        for path in yield_flat_paths(child):
            yield (step, *path)


def flatten_with_joined_string_paths(
    structure: object, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """Returns the leaves of a structure with their paths.

    Args:
        structure: a structure or leaf.
        separator: str, between the steps of a path.
        expand_composites: bool. If True, composite tensors such as SparseTensors are structures of their tensors.

    Returns:
        A list of (path, leaf), in the order of `flatten`.
    """
    found = flatten_with_tuple_paths(structure, expand_composites)
    return [(separator.join(str(step) for step in path), leaf) for path, leaf in found]


def flatten_with_tuple_paths(structure: Any, expand_composites: bool = False) -> list[tuple[tuple[Any, ...], Any]]:
    """Returns the leaves of a structure with their paths as tuples.

    Args:
        structure: a structure or leaf.
        expand_composites: bool. If True, composite tensors such as SparseTensors are structures of their tensors.

    Returns:
        A list of (path, leaf), in the order of `flatten`.
    """
    structure = _expanded(structure, expand_composites)
    return list(zip(yield_flat_paths(structure), flatten(structure), strict=True))


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: object, **kwargs: Any) -> Any:
    """Applies `func` to the paths and the leaves of structures that have the same shape.

    Args:
        func: callable of a path, a tuple, and of one argument per structure.
        *structure: structures or leaves.
        **kwargs: as `map_structure` takes them.

    Returns:
        A structure like the first one, of the results.

    Raises:
        ValueError: if no structure is given, or on the same conditions as `map_structure`.
        TypeError: on the same conditions as `map_structure`.
    """
    if not structure:
        raise ValueError("Must provide at least one structure")
    paths = iter(list(yield_flat_paths(_expanded(structure[0], kwargs.get("expand_composites", False)))))
    return map_structure(lambda *leaves: func(next(paths), *leaves), *structure, **kwargs)


def map_structure_with_paths(func: Callable[..., Any], *structure: object, **kwargs: Any) -> Any:
    """Applies `func` to the paths, as text, and the leaves of structures that have the same shape.

    Args:
        func: callable of a path, a str with "/" between its steps, and of one argument per structure.
        *structure: structures or leaves.
        **kwargs: as `map_structure` takes them.

    Returns:
        A structure like the first one, of the results.

    Raises:
        ValueError: if no structure is given, or on the same conditions as `map_structure`.
        TypeError: on the same conditions as `map_structure`.
    """

    def with_text(path: tuple[Any, ...], *leaves: Any) -> Any:
        return func("/".join(str(step) for step in path), *leaves)

    return map_structure_with_tuple_paths(with_text, *structure, **kwargs)
