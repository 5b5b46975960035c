"""The schemas of ops, read from the core once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow import _core
from ferroflow._src.base import errors

_schemas: dict[str, dict[str, Any]] = {}


def op_schema(op_type: str) -> dict[str, Any]:
    """Returns the schema of an op, as `_core.op_info` gives it.

    Raises:
        tf.errors.NotFoundError: if the op is not registered.
    """
    schema = _schemas.get(op_type)
    if schema is None:
        try:
            schema = _schemas[op_type] = _core.op_info(op_type)
        except KeyError:
            raise errors.NotFoundError(
                None, None, f"Op type not registered '{op_type}' in this build of ferroflow."
            ) from None
    return schema


def group_attrs(schema: dict[str, Any], attrs: dict[str, Any], inputs: Sequence[Any]) -> dict[str, Any]:
    """Infers the attributes that group a flat list of input tensors, if `attrs` lack them and one argument is a list.

    Raises:
        ValueError: if several arguments are lists.
    """
    lists = [a for a in schema["inputs"] if a["is_list"]]
    if all((a["number_attr"] or a["type_attr"]) in attrs for a in lists):
        return {}
    if len(lists) != 1:
        raise ValueError(f"the attrs of {schema['name']} must determine how its {len(inputs)} inputs group")
    length = len(inputs) - (len(schema["inputs"]) - 1)
    if lists[0]["number_attr"]:
        return {lists[0]["number_attr"]: length}
    start = schema["inputs"].index(lists[0])
    return {lists[0]["type_attr"]: [t.dtype.base_dtype for t in inputs[start : start + length]]}
