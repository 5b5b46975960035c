"""The schemas of ops, asked of the core once."""

from __future__ import annotations

from typing import Any

from ferroflow import _core
from ferroflow._src.base import errors

_schemas: dict[str, dict[str, Any]] = {}


def op_schema(op_type: str) -> dict[str, Any]:
    """The schema of an op, as `_core.op_info` gives it.

    Raises:
      tf.errors.NotFoundError: there is no such op.
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
