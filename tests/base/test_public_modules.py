"""Tests that public classes and functions name the public module that has them, and that pickles hold its path."""

import ast
import base64
import fractions
import importlib
import inspect
import json
import pickle
import pickletools
import pkgutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.base import public_modules
from ferroflow._src.base.public_modules import set_public_modules

_OLD = Path(__file__).parents[1] / "golden" / "pickles_of_0_1.json"
_OTHER = ("_src", "_alias", "_core", "command_line", "python", "core", "__main__")


def _public_modules():
    names = ["ferroflow"]
    for found in pkgutil.walk_packages(tf.__path__, "ferroflow."):
        if found.name.split(".")[1] not in _OTHER and not found.name.rpartition(".")[2].startswith("_"):
            names.append(found.name)
    return [importlib.import_module(name) for name in names]


def _values():
    return {
        "TensorShape": tf.TensorShape([2, None]),
        "Dimension": tf.Dimension(3),
        "DType": tf.float32,
        "ClusterSpec": tf.train.ClusterSpec({"worker": ["localhost:2222"]}),
        "HParams": tf.contrib.training.HParams(rate=0.5, units=[3, 4]),
        "DeviceSpec": tf.DeviceSpec(job="worker", task=1),
        "FixedLenFeature": tf.FixedLenFeature([2], tf.float32),
        "VarLenFeature": tf.VarLenFeature(tf.int64),
        "SparseTensorValue": tf.SparseTensorValue(np.array([[0]]), np.array([1.5]), np.array([2])),
        "LSTMStateTuple": tf.nn.rnn_cell.LSTMStateTuple(1, 2),
        "VariableSynchronization": tf.VariableSynchronization.ON_READ,
        "AdamOptimizer": tf.train.AdamOptimizer,
        "relu": tf.nn.relu,
        "reduce_mean": tf.reduce_mean,
        "dense": tf.layers.Dense,
        "constant_initializer": tf.constant_initializer(2.0),
        "contrib_conv2d": tf.contrib.layers.conv2d,
        "TensorSpec": tf.TensorSpec([2], tf.int32, "x"),
    }


def _described(value):
    if isinstance(value, tf.contrib.training.HParams):
        return value.to_json()
    if isinstance(value, tf.train.ClusterSpec):
        return value.as_dict()
    return getattr(value, "get_config", lambda: repr(value))() if not inspect.isclass(value) else value


def test_every_public_class_and_function_is_found_where_it_says():
    wrong, seen = [], set()
    for module in _public_modules():
        for name, value in vars(module).items():
            if name.startswith("_") or not (inspect.isclass(value) or inspect.isfunction(value)) or id(value) in seen:
                continue
            seen.add(id(value))
            # Messages have a way of pickling of their own, and no path here.
            if value.__module__.partition(".")[0] != "ferroflow" or hasattr(value, "DESCRIPTOR"):
                continue
            if ".<locals>" in value.__qualname__ or value.__module__.startswith("ferroflow._src"):
                wrong.append(f"{module.__name__}.{name} says {value.__module__}.{value.__qualname__}")
                continue
            found = importlib.import_module(value.__module__)
            for part in value.__qualname__.split("."):
                found = getattr(found, part, None)
            if found is not value:
                wrong.append(f"{module.__name__}.{name} is not {value.__module__}.{value.__qualname__}")
    assert len(seen) > 1800
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", sorted(_values()))
def test_pickles_hold_public_paths(name):
    value = _values()[name]
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        pickled = pickle.dumps(value, protocol)
        strings = [str(argument) for _, argument, _ in pickletools.genops(pickled) if isinstance(argument, str)]
        assert [text for text in strings if "ferroflow._src" in text] == []
        assert _described(pickle.loads(pickled)) == _described(value)


@pytest.mark.parametrize("name", sorted(_values()))
def test_pickles_of_version_0_1_load(name):
    pickled = base64.b64decode(json.loads(_OLD.read_text())[name])
    assert b"ferroflow._src" in pickled
    assert _described(pickle.loads(pickled)) == _described(_values()[name])


@pytest.mark.parametrize("first", ["contrib.rnn", "nn.rnn_cell", "contrib.slim", "keras.layers", "layers"])
def test_the_module_does_not_depend_on_which_was_imported_first(first):
    program = f"""
import importlib
import ferroflow as tf
from ferroflow._src.base import public_modules
importlib.import_module("ferroflow.{first}")
print(tf.nn.rnn_cell.LSTMCell.__module__, tf.layers.Dense.__module__, tf.add.__module__, tf.nn.relu.__module__)
"""
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.split() == ["ferroflow.nn.rnn_cell", "ferroflow.layers", "ferroflow", "ferroflow.nn"]


def test_names_of_others_and_second_names_stay_as_they_are():
    def inner():
        """Returns nothing."""

    namespace = {"__name__": "ferroflow.made", "path": Path, "alias": inner, "_private": inner, "number": 3}
    before = inner.__module__
    set_public_modules(namespace)
    assert Path.__module__.partition(".")[0] == "pathlib"
    assert inner.__module__ == before


def _public_objects():
    """Yields each public class and function once, with the path under which it was found."""
    seen = set()
    for module in _public_modules():
        for name, value in vars(module).items():
            is_code = inspect.isclass(value) or inspect.isfunction(value)
            if name.startswith("_") or not is_code or id(value) in seen:
                continue
            if value.__module__.partition(".")[0] == "ferroflow" and not hasattr(value, "DESCRIPTOR"):
                seen.add(id(value))
                yield f"{module.__name__}.{name}", value


def test_the_source_of_every_public_class_and_function_is_found():
    wrong, count = [], 0
    for path, value in _public_objects():
        if hasattr(value, "_fields"):
            continue  # Python writes no source for a named tuple.
        count += 1
        try:
            source = inspect.getsource(value)
        except (OSError, TypeError) as failure:
            wrong.append(f"{path}: {failure}")
            continue
        (node,) = ast.parse(textwrap.dedent(source)).body
        expected = ast.ClassDef if inspect.isclass(value) else ast.FunctionDef
        if not isinstance(node, expected):
            wrong.append(f"{path}: {source.splitlines()[0]}")
        elif expected is ast.ClassDef and node.name not in (value.__name__, public_modules._defined[value][1]):
            wrong.append(f"{path}: the class {node.name}")
    assert count > 1800
    assert not wrong, "\n".join(wrong)


def test_sources_of_other_classes_are_found_as_before():
    class Adam(tf.train.AdamOptimizer):
        """A class of a program."""

    assert "A class of a program" in inspect.getsource(Adam)
    assert "class Fraction" in inspect.getsource(fractions.Fraction)
    assert inspect.getfile(tf.train.AdamOptimizer).endswith("adam.py")
    with pytest.raises(TypeError, match="built-in"):
        inspect.getfile(int)
