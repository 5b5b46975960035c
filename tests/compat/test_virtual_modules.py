"""Modules that are no files: what `from module import *` gives, functions with the names of modules, one finder."""

import builtins
import importlib
import pickle
import subprocess
import sys
import types

import pytest
from compat.virtual_paths import names_an_absent_function

import ferroflow as tf
from ferroflow._src.base import moved_modules, virtual_modules
from ferroflow.python import _table
from ferroflow.python._modules import MOVED

# A few names that programs use after `from module import *`, and what is no name of the module.
STARS = {
    "python.ops.math_ops": ({"reduce_sum", "equal", "mod", "linspace", "matmul", "ops", "dtypes"}, {"placeholder"}),
    "python.ops.array_ops": ({"concat", "placeholder", "reshape", "ensure_shape"}, {"matmul"}),
    "python.ops.nn": ({"conv2d", "relu", "softmax"}, {"keras"}),
    "python.ops.gen_math_ops": ({"mat_mul", "acos"}, {"open", "str"}),
    "python.framework.ops": ({"Graph", "Tensor", "convert_to_tensor", "name_scope"}, {"Callable", "Any"}),
    "python.framework.dtypes": ({"DType", "float32", "as_dtype"}, {"np"}),
    "python.keras.layers": ({"Dense", "Conv2D", "LSTM"}, {"placeholder"}),
    "python": ({"placeholder", "Session", "nn", "training"}, set()),
    "contrib": ({"layers", "rnn", "slim", "training"}, set()),
    "contrib.layers.python.layers.layers": ({"conv2d", "batch_norm", "fully_connected"}, set()),
    "contrib.slim.python.slim.learning": ({"create_train_op", "train"}, set()),
    "contrib.eager.python.tfe": ({"run_test_in_graph_and_eager_modes"}, {"Any"}),
    "core": ({"framework", "protobuf", "util"}, set()),
    "core.framework": ({"graph_pb2", "summary_pb2", "types_pb2"}, set()),
    "core.framework.types_pb2": ({"DataType", "DT_FLOAT", "DESCRIPTOR"}, set()),
}


def star(module):
    names = {}
    exec(f"from {module} import *", names)
    return names.keys() - {"__builtins__"}


@pytest.mark.parametrize("path", STARS)
def test_a_star_gives_what_is_there(path):
    there, elsewhere = STARS[path]
    names = star(f"ferroflow.{path}")
    assert there <= names
    assert not elsewhere & names
    module = importlib.import_module(f"ferroflow.{path}")
    assert all(hasattr(module, name) for name in names)
    assert not [name for name in names if name.startswith("_")]


@pytest.mark.parametrize("package", ["python.framework", "python.training", "python.util", "core.protobuf"])
def test_a_star_gives_each_listed_name_that_its_module_has(package):
    for name in sorted(importlib.import_module(f"ferroflow.{package}").__all__):
        module = getattr(importlib.import_module(f"ferroflow.{package}"), name)
        if isinstance(module, types.ModuleType) and package == "core.protobuf":
            assert star(module.__name__) == {entry for entry in dir(module) if not entry.startswith("_")}
        elif isinstance(module, types.ModuleType):
            path = module.__name__.removeprefix("ferroflow.")
            listed = {entry for entry in _table.members(path) if not entry.startswith("_") and hasattr(module, entry)}
            assert listed <= star(module.__name__)


def test_a_star_from_the_root_gives_the_late_modules_too():
    names = star("ferroflow")
    assert {"contrib", "layers", "keras", "data", "train", "estimator", "GraphDef", "GradientTape", "Session"} <= names
    assert names == {name for name in dir(tf) if not name.startswith("_")}


def test_a_star_from_the_alias_is_that_from_ferroflow():
    program = (
        "import ferroflow; ferroflow.install_as_tensorflow()\n"
        "from tensorflow import *\nfrom tensorflow.python.ops.math_ops import *\n"
        "assert contrib.layers.conv2d and reduce_mean and keras.layers.Dense and data.Dataset"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_path_that_names_a_function_gives_the_function_or_an_import_error():
    seen = set()
    for package in sorted(path for path in _table._table() if path and _table.functions(path)):
        for name in _table.functions(package):
            names = {}
            absent = names_an_absent_function(f"{package}.{name}")
            seen.add(absent)
            if absent:
                with pytest.raises(ImportError, match=f"{name} is not in ferroflow"):
                    exec(f"from ferroflow.{package} import {name}", names)
            else:
                importlib.import_module(f"ferroflow.{package}.{name}")
                exec(f"from ferroflow.{package} import {name}", names)
                assert not isinstance(names[name], types.ModuleType)
    assert seen == {True, False}


def test_modules_that_tensorflow_generates_are_those_that_it_has():
    importlib.import_module("ferroflow.python.ops.gen_array_ops")
    importlib.import_module("ferroflow.python.ops.gen_training_ops")
    with pytest.raises(ImportError, match="is not in ferroflow"):
        exec("from ferroflow.python.ops import gen_nothing_ops")


@pytest.mark.parametrize("module", ["ferroflow.nothing", "ferroflow.python.nothing", "ferroflow.contrib.nothing.more"])
def test_an_absent_module_is_an_import_error_with_advice(module):
    with pytest.raises(ModuleNotFoundError, match="is not in ferroflow"):
        importlib.import_module(module)
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'ferroflow\._src\.nothing'$"):
        importlib.import_module("ferroflow._src.nothing")


def test_there_is_one_finder():
    program = (
        "import sys; before = list(sys.meta_path); import ferroflow as tf; tf.contrib, tf.python, tf.core.framework\n"
        "assert len(sys.meta_path) == len(before) + 1, sys.meta_path\n"
        "tf.install_as_tensorflow(); assert len(sys.meta_path) == len(before) + 5, sys.meta_path"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert sys.meta_path.count(virtual_modules._Finder) == 1


@pytest.mark.parametrize("place", sorted(moved_modules._MOVED))
def test_earlier_places_of_modules_have_what_the_new_ones_have(place):
    there = importlib.import_module(f"ferroflow._src.{moved_modules._MOVED[place]}")
    classes = {name for name, found in vars(there).items() if isinstance(found, type) and not hasattr(builtins, name)}
    assert classes
    assert all(getattr(importlib.import_module(f"ferroflow.{place}"), name) is vars(there)[name] for name in classes)


@pytest.mark.parametrize("place", sorted(MOVED))
def test_modules_that_tensorflow_moved_are_at_both_paths(place):
    before, now = (importlib.import_module(f"ferroflow.{path}") for path in (place, MOVED[place]))
    assert now.__all__
    assert before.__all__ == now.__all__
    assert all(getattr(before, name) is getattr(now, name) for name in now.__all__)


def test_a_pickle_from_before_the_move_loads():
    found = pickle.loads(b"cferroflow._src.training.hyperparameters\nHParams\n.")
    assert found is tf.contrib.training.HParams
    assert pickle.loads(b"cferroflow._src.seq2seq.basic_decoder\nBasicDecoderOutput\n.") is (
        tf.contrib.seq2seq.BasicDecoderOutput
    )
