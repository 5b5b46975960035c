"""`tf.raw_ops`: every operation there is as a function of keyword arguments."""

import collections as _collections
import functools as _functools
from collections.abc import Callable as _Callable
from typing import Any as _Any

from ferroflow import _core
from ferroflow._src.base.absent_names import absent as _absent, tell_absent as _tell_absent
from ferroflow._src.base.docstrings import document
from ferroflow._src.framework import op_reference as _op_reference
from ferroflow._src.framework.apply import apply_op as _apply_op
from ferroflow._src.framework.op_schema import op_schema as _op_schema

# TF 1.15: Python's names of some inputs and attributes are not the schema's.
_AXES = {"reduction_indices": "axis"}
_RENAMED = {
    "All": _AXES,
    "Any": _AXES,
    "EuclideanNorm": _AXES,
    "ExpandDims": {"dim": "axis"},
    "Max": _AXES,
    "Mean": _AXES,
    "Min": _AXES,
    "Prod": _AXES,
    "Select": {"t": "x", "e": "y"},
    "Split": {"split_dim": "axis"},
    "SplitV": {"split_dim": "axis"},
    "Squeeze": {"squeeze_dims": "axis"},
    "Sum": _AXES,
    "Where": {"input": "condition"},
}


@_functools.cache
def _function(op_type: str) -> _Callable[..., _Any]:
    schema = _op_schema(op_type)
    renamed = _RENAMED.get(op_type, {})
    inputs = [arg["name"] for arg in schema["inputs"]]
    outputs = [arg["name"] for arg in schema["outputs"]]
    attrs = {attr["name"] for attr in schema["attrs"]}
    # None is a value of a shape without a default: the shape is not known.
    shapes = {attr["name"] for attr in schema["attrs"] if attr["type"] == "shape" and not attr["has_default"]}
    functions = [attr["name"] for attr in schema["attrs"] if attr["type"] in ("func", "list(func)")]
    result_type = _collections.namedtuple(op_type, outputs, rename=True) if len(outputs) > 1 else None

    def raw_op(*, name: str | None = None, **arguments: _Any) -> _Any:
        values = []
        for input_name in inputs:
            other = renamed.get(input_name, input_name)
            if input_name not in arguments and other not in arguments:
                raise TypeError(f"{op_type}() missing 1 required keyword-only argument: {other!r}")
            values.append(arguments.pop(input_name if input_name in arguments else other))
        for attr in attrs & set(renamed):
            if renamed[attr] in arguments:
                arguments[attr] = arguments.pop(renamed[attr])
        unknown = sorted(set(arguments) - attrs)
        if unknown:
            raise TypeError(f"{op_type}() got an unexpected keyword argument {unknown[0]!r}")
        for function in functions:
            if function in arguments:
                arguments[function] = _library_names(arguments[function])
        given = {k: v for k, v in arguments.items() if v is not None or k in shapes}
        op = _apply_op(op_type, values, given, name=name)
        if not outputs:
            return op
        groups = _grouped(op, schema)
        return groups[0] if result_type is None else result_type(*groups)

    document(raw_op, _op_reference.docstring(schema, renamed), name=op_type)
    raw_op.__signature__ = _op_reference.signature(schema, renamed)  # type: ignore[attr-defined]
    return raw_op


def _library_names(value: _Any) -> _Any:
    """Returns the names in the graph's library of functions that `Defun` made, alone or in a list."""
    if isinstance(value, (list, tuple)):
        return [_library_names(each) for each in value]
    return value.library_function().name if hasattr(value, "library_function") else value


def _grouped(op: _Any, schema: dict[str, _Any]) -> list[_Any]:
    """Returns the outputs by argument of the schema: a tensor, or a list for list arguments."""
    rest = list(op.outputs)
    groups: list[_Any] = []
    for arg in schema["outputs"]:
        if not arg["is_list"]:
            groups.append(rest.pop(0))
            continue
        attr = arg["number_attr"] if arg["number_attr"] else arg["type_attr"]
        value = op.get_attr(attr)
        count = value if arg["number_attr"] else len(value)
        groups.append(rest[:count])
        del rest[:count]
    return groups


@_functools.cache
def _names() -> frozenset[str]:
    return frozenset(_core.op_names())


def __getattr__(name: str) -> _Any:
    if name in _names():
        return _function(name)
    raise _absent("ferroflow.raw_ops", name)


def __dir__() -> list[str]:
    return sorted(_names())


_tell_absent(globals())
