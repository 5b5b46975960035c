"""Writes signatures.json: the parameters of TensorFlow's public functions, with their defaults.

Run with TensorFlow 1.15.5: `python tests/golden/make_signatures.py`.
"""

from __future__ import annotations

import inspect
import json
import pathlib
from typing import Any

import tensorflow as tf

OUT = pathlib.Path(__file__).with_name("signatures.json")
NAMESPACES = ("", "bitwise", "debugging", "linalg", "manip", "math", "nn", "random")


def default(parameter: inspect.Parameter) -> str:
    """The default as Python writes it; `*` for one that is no literal, empty for none."""
    value = parameter.default
    if value is inspect.Parameter.empty:
        return ""
    return repr(value) if value is None or isinstance(value, (bool, int, float, str)) else "*"


def main() -> None:
    found: dict[str, Any] = {}
    for namespace in NAMESPACES:
        module = getattr(tf, namespace) if namespace else tf
        for name in sorted(vars(module)):
            function = getattr(module, name)
            if name.startswith("_") or not inspect.isfunction(inspect.unwrap(function)):
                continue
            parameters = inspect.signature(function).parameters.values()
            key = f"{namespace}.{name}" if namespace else name
            found[key] = [[str(p).split(":")[0].split("=")[0].strip(), default(p)] for p in parameters]
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items()]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
