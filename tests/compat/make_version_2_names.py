"""Writes version_2.json of ferroflow.compat: the names of `tf.compat.v2` in TensorFlow 1.15, with those of version 1.

    PYTHON tests/compat/make_version_2_names.py

PYTHON is an interpreter with TensorFlow 1.15.5.
"""

import inspect
import json
import types
from pathlib import Path

import tensorflow as tf
import tensorflow.compat.v2 as v2
from tensorflow.python.util import tf_decorator

TARGET = Path(__file__).resolve().parents[2] / "pyfront" / "ferroflow" / "compat" / "version_2.json"
# Modules that are those of version 1, or of which nothing is offered.
WHOLE = ("raw_ops", "keras", "data", "feature_column")
LEFT_OUT = ("compat", "contrib", "core", "python", "tools", "estimator", "lite", "tpu", "distribute")


def is_module(found):
    return isinstance(found, types.ModuleType) or type(found).__name__ in ("TFModuleWrapper", "LazyLoader")


def walk(module, prefix, left_out):
    """Returns what a module and those below it have, by dotted name."""
    found = {}
    for name in dir(module):
        path = f"{prefix}{name}"
        if name.startswith("_") or path in left_out:
            continue
        value = getattr(module, name)
        if not is_module(value):
            found[path] = value
        elif any(place in value.__name__ for place in ("_api.", "keras.api", "tensorboard.summary")):
            found.update(walk(value, f"{path}.", left_out))
    return found


def unwrapped(value):
    return tf_decorator.unwrap(value)[1] if callable(value) else value


def written(default):
    if isinstance(default, tf.DType):
        return f"tf.{default.name}"
    return default.value if isinstance(default, tf.UnconnectedGradients) else default


def parameters(function):
    """Returns a function's parameters, each with its default if it has one."""
    listed = []
    for name, parameter in inspect.signature(function).parameters.items():
        default = parameter.default
        listed.append([name] if default is parameter.empty else [name, written(default)])
    return listed


def main():
    places = {}
    for path, value in walk(tf, "", LEFT_OUT).items():
        places.setdefault(id(unwrapped(value)), []).append(path)
    names, functions = {}, {}
    for path, value in walk(v2, "", (*WHOLE, *LEFT_OUT)).items():
        same = places.get(id(unwrapped(value)), [])
        is_constant = isinstance(value, (bool, int, float, str, tf.DType))
        module, _, name = path.rpartition(".")
        if path in same or is_constant:
            names.setdefault(module, []).append(name)
        elif same:
            names.setdefault(module, []).append(f"{name}={min(same, key=len)}")
        elif isinstance(value, types.FunctionType):
            functions[path] = parameters(value)
        elif inspect.isclass(value):
            names.setdefault(module, []).append(name)
    table = {
        "names": {module: " ".join(sorted(found)) for module, found in sorted(names.items())},
        "functions": dict(sorted(functions.items())),
    }
    rows = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in table["functions"].items()]
    modules = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in table["names"].items()]
    text = '{"names": {\n' + ",\n".join(modules) + '},\n"functions": {\n' + ",\n".join(rows) + "}}\n"
    TARGET.write_text(text)
    assert json.loads(text) == table


if __name__ == "__main__":
    main()
