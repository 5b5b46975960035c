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


def described(op: Any) -> dict[str, Any]:
    """The facts of an OpDef that are compared."""
    return {
        "is_stateful": op.is_stateful,
        "is_commutative": op.is_commutative,
        "is_aggregate": op.is_aggregate,
        "inputs": [[arg.name, arg.is_ref] for arg in op.input_arg],
        "outputs": [[arg.name, arg.is_ref] for arg in op.output_arg],
        "attrs": {
            attr.name: {
                "type": attr.type,
                "has_default": attr.HasField("default_value"),
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
