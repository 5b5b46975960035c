"""Writes op_definitions.json.xz: what TensorFlow's registry says about its ops.

Run with TensorFlow 1.15.5: `python tests/golden/make_op_definitions.py`.
"""

from __future__ import annotations

import json
import lzma
import pathlib
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python import pywrap_tensorflow

OUT = pathlib.Path(__file__).with_name("op_definitions.json.xz")


def _types(value: Any) -> list[str]:
    return sorted(tf.as_dtype(number).name for number in value.list.type)


def _argument(arg: Any) -> list[Any]:
    """An argument: its name, whether it is a reference, its dtype or the attribute with it, and its number's."""
    dtype = tf.as_dtype(arg.type).name if arg.type else arg.type_attr or arg.type_list_attr
    return [arg.name, arg.is_ref, dtype, arg.number_attr]


def _default(attr: Any) -> Any:
    """The default of an attribute as text; that of a tensor is left out."""
    if not attr.HasField("default_value") or attr.type == "tensor":
        return None
    value = attr.default_value
    kind = value.WhichOneof("value")
    if kind == "list":
        items = [item for _, field in value.list.ListFields() for item in field]
        return [_text(attr.type[5:-1], item) for item in items]
    return _text(attr.type, getattr(value, kind))


def _text(kind: str, value: Any) -> str:
    if kind == "type":
        return str(tf.as_dtype(value).name)
    if kind == "shape":
        return str(tf.TensorShape(value).as_list() if not value.unknown_rank else None)
    return str(value.decode() if isinstance(value, bytes) else value)


def described(op: Any) -> dict[str, Any]:
    """The facts of an OpDef that are compared."""
    return {
        "is_stateful": op.is_stateful,
        "is_commutative": op.is_commutative,
        "is_aggregate": op.is_aggregate,
        "inputs": [_argument(arg) for arg in op.input_arg],
        "outputs": [_argument(arg) for arg in op.output_arg],
        "attrs": {
            attr.name: {
                "type": attr.type,
                "has_default": attr.HasField("default_value"),
                "default": _default(attr),
                "minimum": attr.minimum if attr.has_minimum else None,
                "types": _types(attr.allowed_values),
                "strings": sorted(text.decode() for text in attr.allowed_values.list.s),
            }
            for attr in op.attr
        },
    }


def main() -> None:
    ops = op_def_pb2.OpList()
    ops.ParseFromString(pywrap_tensorflow.TF_GetBuffer(pywrap_tensorflow.TF_GetAllOpList()))
    found = {op.name: described(op) for op in ops.op if not op.name.startswith("_")}
    OUT.write_bytes(lzma.compress(json.dumps(found, sort_keys=True).encode(), preset=9))


if __name__ == "__main__":
    main()
