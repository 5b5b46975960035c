"""Writes keras_signatures.json.xz: the argument lists of TensorFlow's `tf.keras` and `tf.layers`, with their defaults.

Run with TensorFlow 1.15.5: `python tests/golden/make_keras_signatures.py`.
"""

from __future__ import annotations

import inspect
import json
import lzma
import pathlib
from collections.abc import Iterator
from typing import Any

import tensorflow as tf
from argument_lists_of_tf115 import arguments

OUT = pathlib.Path(__file__).with_name("keras_signatures.json.xz")
DEPTH = 4


def members(owner: Any, path: str, seen: set[int]) -> Iterator[tuple[str, str, Any]]:
    """Yields the functions, constructors and methods below a module, each with its owner's path and its name."""
    for name in sorted(dir(owner)):
        value = getattr(owner, name)
        if name.startswith("_") or id(value) in seen:
            continue
        seen.add(id(value))
        whole = f"{path}.{name}"
        if inspect.ismodule(value) and whole.count(".") < DEPTH:
            yield from members(value, whole, seen)
        elif inspect.isclass(value):
            methods = (
                method for method in dir(value) if not method.startswith("_") or method in ("__init__", "__call__")
            )
            yield from ((whole, method, getattr(value, method)) for method in methods)
        elif callable(value):
            yield path, name, value


def main() -> None:
    found: dict[str, dict[str, Any]] = {}
    for module in ("keras", "layers"):
        for path, name, value in members(getattr(tf, module), module, set()):
            listed = arguments(value) if callable(value) and not inspect.isclass(value) else None
            if listed is not None:
                found.setdefault(path, {})[name] = listed
    OUT.write_bytes(lzma.compress(json.dumps(found, sort_keys=True).encode(), preset=9))


if __name__ == "__main__":
    main()
