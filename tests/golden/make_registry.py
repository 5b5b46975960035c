"""Writes registry.json: for TensorFlow's ops, the element types of their CPU kernels.

Run with TensorFlow 2.21: `python tests/golden/make_registry.py`.
"""

from __future__ import annotations

import json
import pathlib

import tensorflow as tf
from tensorflow.python.framework import kernels, op_def_registry

OUT = pathlib.Path(__file__).with_name("registry.json")
# Types that TensorFlow 1.x does not have, or only as storage of quantized numbers.
_LEFT_OUT = ("float8", "float4", "int4", "uint4", "int2", "uint2", "qint", "quint")


def _names(types: list[int]) -> set[str]:
    names = {tf.as_dtype(t).name for t in types}
    return {name for name in names if not name.startswith(_LEFT_OUT)}


def kernel_types(op: str) -> dict[str, list[str]]:
    """By type attribute, the element types that some CPU kernel takes; attributes that none restricts are left out."""
    found: dict[str, set[str]] = {}
    cpu = [k for k in kernels.get_registered_kernels_for_op(op).kernel if k.device_type == "CPU"]
    free = set()
    for kernel in cpu:
        restricted = {c.name: _names(c.allowed_values.list.type) for c in kernel.constraint}
        for name, types in restricted.items():
            found.setdefault(name, set()).update(types)
        free.add(not restricted)
    return {} if True in free else {name: sorted(types) for name, types in sorted(found.items())}


def main() -> None:
    types = {}
    for name in sorted(op_def_registry.get(n).name for n in dir(tf.raw_ops) if op_def_registry.get(n) is not None):
        found = kernel_types(name)
        if found:
            types[name] = found
    lines = [json.dumps(name) + ": " + json.dumps(found) for name, found in types.items()]
    OUT.write_text('{\n"types": {\n' + ",\n".join(lines) + "\n}\n}\n")


if __name__ == "__main__":
    main()
