"""Docstrings of the functions that make an operation from keyword arguments, written from the op's schema."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from ferroflow._src.base.dtypes import as_dtype

_ATTR_KINDS = {
    "bool": "bool",
    "float": "float",
    "func": "function of the graph",
    "int": "int",
    "list(bool)": "list of bool",
    "list(float)": "list of float",
    "list(func)": "list of functions of the graph",
    "list(int)": "list of int",
    "list(shape)": "list of TensorShape",
    "list(string)": "list of str",
    "list(type)": "list of DType",
    "shape": "TensorShape",
    "string": "str",
    "tensor": "TensorProto",
    "type": "DType",
}


def _one_of(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _tensors(arg: Mapping[str, Any]) -> str:
    """Describes an input or output: one tensor or several, and their dtype."""
    type_attr = arg.get("type_attr")
    if arg["is_type_list"]:
        return f"list of Tensors of the dtypes `{type_attr}`"
    dtype = f"dtype `{type_attr}`" if type_attr else as_dtype(arg["type"]).name
    if arg["is_list"]:
        kind = f"list of `{arg['number_attr']}` {'references to ' if arg['is_ref'] else ''}Tensors"
    else:
        kind = "reference to a Tensor" if arg["is_ref"] else "Tensor"
    return f"{kind} of {dtype}"


def _attribute(attr: Mapping[str, Any], is_inferred: bool) -> str:
    """Describes an attribute and its default."""
    words = [_ATTR_KINDS[attr["type"]]]
    if attr["type"] in ("type", "list(type)"):
        types = [as_dtype(number).name for number in attr["allowed_types"]]
        words.append(_one_of(types) if types else "any")
    if attr["allowed_strings"]:
        words.append(_one_of([repr(value) for value in attr["allowed_strings"]]))
    if attr["minimum"] is not None:
        least = f"at least {attr['minimum']}"
        words.append(f"of {least} elements" if attr["type"].startswith("list") else least)
    if is_inferred:
        return f"{', '.join(words)}; {'None: counted' if attr['type'] == 'int' else 'None: read'} from the inputs."
    if attr["has_default"]:
        return f"{', '.join(words)}; None for {_default(attr)}."
    return f"{', '.join(words)}."


def _default(attr: Mapping[str, Any]) -> str:
    value = attr["default"]
    if attr["type"] == "type":
        return as_dtype(value).name
    if attr["type"] == "string":
        return repr(value.decode())
    if attr["type"] == "float":
        return f"{value:g}"
    if attr["type"] == "list(float)":
        return f"[{', '.join(f'{part:g}' for part in value)}]"
    if attr["type"] == "shape":
        return "an unknown shape" if value is None else str(list(value))
    return f"{value.dtype.name} {value.tolist()}" if attr["type"] == "tensor" else str(value)


def _inferred(schema: Mapping[str, Any]) -> set[str]:
    """Returns the attributes that the inputs decide."""
    found = {arg.get(key) for arg in schema["inputs"] for key in ("type_attr", "number_attr")}
    return {name for name in found if name}


def docstring(schema: Mapping[str, Any], renamed: Mapping[str, str]) -> str:
    """Describes the function that makes an op: its inputs and attributes, and its outputs.

    Args:
        schema: the op's, as `op_schema` gives it.
        renamed: from the names of inputs and attributes to the names of the arguments for them.

    Returns:
        The docstring.
    """
    attrs = {attr["name"]: attr for attr in schema["attrs"]}
    inferred = _inferred(schema)
    lines = [schema["doc"], "", "Args:"]
    for arg in schema["inputs"]:
        lines.append(f"    {renamed.get(arg['name'], arg['name'])}: {_tensors(arg)}.")
    for name in sorted(attrs):
        lines.append(f"    {renamed.get(name, name)}: {_attribute(attrs[name], name in inferred)}")
    lines += ["    name: str, name of the operation; None for the op's type.", "", "Returns:"]
    outputs = [(arg["name"], _tensors(arg)) for arg in schema["outputs"]]
    if not outputs:
        lines.append("    The Operation.")
    elif len(outputs) == 1:
        lines.append(f"    {outputs[0][1][0].upper()}{outputs[0][1][1:]}.")
    else:
        lines.append("    A named tuple:")
        lines += [f"        {name}: {text}." for name, text in outputs]
    lines += ["", "Raises:", "    TypeError: if an input is missing, or an argument is unknown."]
    return "\n".join(lines)


def signature(schema: Mapping[str, Any], renamed: Mapping[str, str]) -> inspect.Signature:
    """Returns the signature of the function that makes an op: keywords alone, attributes that may be left out None.

    Args:
        schema: the op's, as `op_schema` gives it.
        renamed: from the names of inputs and attributes to the names of the arguments for them.

    Returns:
        The signature.
    """
    optional = _inferred(schema) | {attr["name"] for attr in schema["attrs"] if attr["has_default"]}
    keyword = inspect.Parameter.KEYWORD_ONLY
    inputs = [renamed.get(arg["name"], arg["name"]) for arg in schema["inputs"]]
    attrs = sorted(attr["name"] for attr in schema["attrs"])
    parameters = [inspect.Parameter(name, keyword) for name in inputs]
    for name in [*attrs, "name"]:
        default = None if name in optional or name == "name" else inspect.Parameter.empty
        parameters.append(inspect.Parameter(renamed.get(name, name), keyword, default=default))
    return inspect.Signature(parameters)
