"""The arguments of an op as tensors: other values are converted as its schema requires."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.array_conversion import exceeds_int32, holds_dimension
from ferroflow._src.base.shown import shown
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.op_schema import op_schema

# The numbers of int32 and int64.
_INDEX_TYPES = {3, 9}
_index_attrs_of: dict[str, frozenset[str]] = {}


_converters: list[Callable[..., Tensor]] = []


def register_converter(convert_to_tensor: Callable[..., Tensor]) -> None:
    """Registers the function that converts arguments to tensors; called once by the conversion module."""
    _converters.append(convert_to_tensor)


def leaves(inputs: Sequence[Any]) -> list[Any]:
    """Returns the arguments of an op, with those of lists one by one."""
    found: list[Any] = []
    for item in inputs:
        if isinstance(item, list | tuple):
            found.extend(item)
        else:
            found.append(item)
    return found


def converted(op_type: str, inputs: Sequence[Any], attrs: dict[str, Any]) -> list[Any]:
    """Returns the arguments of an op as tensors and lists of tensors.

    Raises:
        TypeError: if the number of arguments is wrong, or one cannot be converted to a dtype that the schema allows.
        ValueError: if an argument cannot be converted.
    """
    schema = op_schema(op_type)
    if len(inputs) != len(schema["inputs"]):
        raise TypeError(f"{op_type} takes {len(schema['inputs'])} inputs, got {len(inputs)}")
    known: dict[str, Any] = {a["name"]: attrs[a["name"]] for a in schema["attrs"] if a["name"] in attrs}
    known.update(_decided_attrs(schema, inputs, known))
    source: dict[str, str] = {}
    result = []
    for arg, value in zip(schema["inputs"], inputs, strict=True):
        convert = _convert_list if arg["is_list"] else _convert_one
        converted = convert(op_type, schema, arg, value, known, source)
        type_attr = arg.get("type_attr")
        if type_attr is not None and type_attr not in known and not arg["is_type_list"]:
            first = converted[0] if isinstance(converted, list) and converted else converted
            if isinstance(first, Tensor):
                known[type_attr] = first.dtype.base_dtype
                source[type_attr] = arg["name"]
        result.append(converted)
    return result


def _index_attrs(schema: dict[str, Any]) -> frozenset[str]:
    """Returns the type attributes of sizes, positions and counts: those that can be int32 or int64 alone."""
    op_type = schema["name"]
    found = _index_attrs_of.get(op_type)
    if found is None:
        found = frozenset(a["name"] for a in schema["attrs"] if set(a["allowed_types"]) == _INDEX_TYPES)
        _index_attrs_of[op_type] = found
    return found


def _decided_attrs(schema: dict[str, Any], inputs: Sequence[Any], known: dict[str, Any]) -> dict[str, Any]:
    """Returns the type attributes of sizes, positions and counts that a Python value decides.

    They are int64 where a value needs 64 bits, and int32 where one holds a `Dimension`, which has no type of its own.
    """
    index_attrs = _index_attrs(schema)
    decided: dict[str, Any] = {}
    if not index_attrs:
        return decided
    fixed = set(known)
    for arg, value in zip(schema["inputs"], inputs, strict=True):
        type_attr = arg.get("type_attr")
        if type_attr not in index_attrs or type_attr in fixed:
            continue
        if isinstance(value, Tensor):
            fixed.add(type_attr)
        elif exceeds_int32(value):
            decided[type_attr] = dtypes.int64
        elif holds_dimension(value):
            decided.setdefault(type_attr, dtypes.int32)
    return {attr: dtype for attr, dtype in decided.items() if attr not in fixed}


def _wanted(schema: dict[str, Any], arg: dict[str, Any], known: dict[str, Any]) -> tuple[Any, Any]:
    """Returns (required dtype or None, preferred dtype or None) of an argument."""
    if "type" in arg:
        return dtypes.as_dtype(arg["type"]), None
    type_attr = arg["type_attr"]
    if type_attr in known:
        return dtypes.as_dtype(known[type_attr]), None
    for attr in schema["attrs"]:
        if attr["name"] == type_attr and attr["has_default"] and not arg["is_type_list"]:
            return None, dtypes.as_dtype(attr["default"])
    return None, None


def _is_index(schema: dict[str, Any], arg: dict[str, Any]) -> bool:
    """Returns whether an argument is a size, position or count; its ints must not lose their upper bits."""
    return "type" in arg or arg["type_attr"] in _index_attrs(schema)


def _convert_one(
    op_type: str, schema: dict[str, Any], arg: dict[str, Any], value: Any, known: dict[str, Any], source: dict[str, str]
) -> Tensor:
    if isinstance(value, Tensor):
        return value
    convert = _converters[0]
    required, preferred = _wanted(schema, arg, known)
    try:
        if required is dtypes.int32 and _is_index(schema, arg) and exceeds_int32(value):
            raise TypeError
        return convert(value, name=arg["name"], dtype=required, as_ref=arg["is_ref"], preferred_dtype=preferred)
    except TypeError as error:
        if required is None or isinstance(error, OverflowError):
            raise
        raise TypeError(
            f"Expected {required.name} passed to parameter '{arg['name']}' of op '{op_type}', "
            f"got {shown(value, repr)} of type '{type(value).__name__}' instead."
        ) from None
    except ValueError:
        # Converts again without a dtype, to name the value's own type in the message.
        try:
            observed = convert(value, as_ref=arg["is_ref"]).dtype.name
        except ValueError as error:
            raise ValueError(f"Tried to convert '{arg['name']}' to a tensor and failed. Error: {error}") from None
        prefix = f"Input '{arg['name']}' of '{op_type}' Op has type {observed} that does not match"
        if required is None:
            raise
        if "type" in arg:
            raise TypeError(f"{prefix} expected type of {required.name}.") from None
        raise TypeError(
            f"{prefix} type {required.name} of argument '{source.get(arg['type_attr'], arg['type_attr'])}'."
        ) from None


def _convert_list(
    op_type: str,
    schema: dict[str, Any],
    arg: dict[str, Any],
    values: Any,
    known: dict[str, Any],
    source: dict[str, str],
) -> list[Tensor]:
    if not isinstance(values, list | tuple):
        raise TypeError(f"Expected list for '{arg['name']}' argument to '{op_type}' Op, not {shown(values)}.")
    convert = _converters[0]
    required, preferred = _wanted(schema, arg, known)
    if arg["is_type_list"]:
        listed = known.get(arg["type_attr"])
        wanted: list[Any] = [dtypes.as_dtype(t) for t in listed] if listed is not None else [None] * len(values)
    else:
        if required is None:
            required = next((v.dtype.base_dtype for v in values if isinstance(v, Tensor)), None)
        wanted = [required] * len(values)
    if len(wanted) != len(values):
        raise TypeError(f"'{op_type}' Op expects {len(wanted)} tensors for '{arg['name']}', got {len(values)}")
    result = []
    try:
        for i, (value, dtype) in enumerate(zip(values, wanted, strict=True)):
            if dtype is dtypes.int32 and not arg["is_type_list"] and _is_index(schema, arg) and exceeds_int32(value):
                raise TypeError
            result.append(
                convert(value, name=f"{arg['name']}_{i}", dtype=dtype, as_ref=arg["is_ref"], preferred_dtype=preferred)
            )
    except (TypeError, ValueError):
        observed = []
        for value in values:
            try:
                observed.append(convert(value, as_ref=arg["is_ref"]).dtype.base_dtype.name)
            except (TypeError, ValueError):
                observed.append("<NOT CONVERTIBLE TO TENSOR>")
        prefix = f"Tensors in list passed to '{arg['name']}' of '{op_type}' Op have types [{', '.join(observed)}]"
        if arg["number_attr"] and required is not None:
            if arg.get("type_attr") in source:
                raise TypeError(
                    f"{prefix} that do not match type {required.name} inferred from earlier arguments."
                ) from None
            if "type" in arg:
                raise TypeError(f"{prefix} that do not match expected type {required.name}.") from None
            raise TypeError(f"{prefix} that don't all match.") from None
        raise TypeError(f"{prefix} that are invalid.") from None
    return result
