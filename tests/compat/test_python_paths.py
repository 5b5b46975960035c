"""Programs may import names from the modules in which TensorFlow 1.x defines them."""

import importlib
import json
import sys
from pathlib import Path

import pytest
from compat.virtual_paths import names_an_absent_function

import ferroflow as tf

TABLE = json.loads((Path(tf.__file__).parent / "python" / "paths.json").read_text(encoding="utf-8"))
MODULES = [path for path in TABLE if path.startswith("python.")]
NAMED = {path: TABLE[path]["names"] for path in MODULES if "names" in TABLE[path]}


def public(path):
    found = tf
    for part in path.split("."):
        found = getattr(found, part, None)
        if found is None:
            return None
    return found


@pytest.mark.parametrize("package", sorted({path.rpartition(".")[0] for path in MODULES}))
def test_every_module_of_tensorflow_can_be_imported(package):
    for path in MODULES:
        if path.rpartition(".")[0] == package and not names_an_absent_function(path):
            assert importlib.import_module(f"ferroflow.{path}") is sys.modules[f"ferroflow.{path}"]


@pytest.mark.parametrize("module", NAMED)
def test_a_modules_names_are_the_public_ones(module):
    imported = importlib.import_module(f"ferroflow.{module}")
    for name, places in NAMED[module].items():
        offered = [found for found in map(public, places.split()) if found is not None]
        if offered:
            assert any(getattr(imported, name) is found for found in offered), name


def test_most_names_are_offered():
    names = [places for names in NAMED.values() for places in names.values()]
    assert sum(any(public(place) is not None for place in places.split()) for places in names) > 0.75 * len(names)


def test_names_that_modules_pass_on_are_found():
    from ferroflow.python.framework import errors
    from ferroflow.python.ops import array_ops, math_ops, nn, rnn_cell
    from ferroflow.python.training import training

    assert errors.NotFoundError is tf.errors.NotFoundError
    assert (array_ops.gather, math_ops.add, nn.relu) == (tf.gather, tf.add, tf.nn.relu)
    assert rnn_cell.GRUCell is tf.nn.rnn_cell.GRUCell
    assert training.AdamOptimizer is tf.train.AdamOptimizer


def test_generated_functions_take_their_arguments_by_position():
    from ferroflow.python.ops import gen_array_ops, gen_math_ops

    with tf.Graph().as_default(), tf.Session() as sess:
        product = gen_math_ops.mat_mul([[1.0, 2.0]], [[3.0, 4.0]], False, True, "product")
        assert product.op.name == "product"
        assert sess.run(product) == [[11.0]]
        assert sess.run(gen_array_ops.concat_v2([[1], [2]], axis=0)).tolist() == [1, 2]
        with pytest.raises(TypeError, match="positional"):
            gen_math_ops.exp(1.0, "name", "too many")


def test_modules_pass_on_the_generated_functions_that_tensorflows_pass_on():
    from ferroflow.python.ops import array_ops, bitwise_ops, io_ops, linalg_ops, math_ops, nn_ops

    with tf.Graph().as_default(), tf.Session() as sess:
        assert sess.run(math_ops.xlogy(2.0, 1.0)) == 0.0
        assert sess.run(bitwise_ops.bitwise_or(5, 2)) == 7
        assert sess.run(array_ops.gather_v2([3, 4], 1, 0)) == 4
        assert sess.run(nn_ops.softplus_grad(1.0, 0.0)) == 0.5
        assert linalg_ops.cholesky_grad([[1.0]], [[1.0]]).op.type == "CholeskyGrad"
        restored = io_ops.restore_v2("prefix", ["name"], ["2 2 0,1:-"], [tf.float32])
        assert [tensor.op.type for tensor in restored] == ["RestoreV2"]
    # TensorFlow's module of losses passes on no generated function.
    with pytest.raises(AttributeError):
        tf.python.ops.losses.losses_impl.xlogy  # noqa: B018


def test_what_is_internal_is_found_where_programs_import_it():
    from ferroflow.python.client import device_lib
    from ferroflow.python.training import moving_averages
    from ferroflow.python.util import compat, nest

    (device,) = device_lib.list_local_devices()
    assert (device.name, device.device_type) == ("/device:CPU:0", "CPU")
    config = tf.ConfigProto(device_count={"CPU": 2})
    assert [d.name for d in device_lib.list_local_devices(config)] == ["/device:CPU:0", "/device:CPU:1"]
    assert nest.flatten({"b": 2, "a": (1,)}) == [1, 2]
    assert callable(moving_averages.assign_moving_average)
    assert compat.as_bytes("a") == b"a"


def test_modules_pass_on_the_modules_that_they_import():
    from ferroflow.python.ops import array_ops, control_flow_ops, rnn, rnn_cell_impl

    assert (rnn.array_ops, rnn.rnn_cell_impl) == (array_ops, rnn_cell_impl)
    with tf.Graph().as_default(), tf.Session() as sess:
        below, above = control_flow_ops.switch(tf.constant(3), tf.constant(True))
        merged, chosen = control_flow_ops.merge([-below, above])
        assert sess.run(control_flow_ops.with_dependencies([merged], chosen)) == 1


def test_decorators_of_libraries_stand_for_what_they_decorate():
    from ferroflow.python.util import tf_contextlib, tf_decorator

    def target(x):
        """Adds one."""
        return x + 1

    def around(*args):
        return 2 * target(*args)

    assert tf_decorator.make_decorator(target, around) is around
    assert (around.__name__, around.__doc__, around(3)) == ("target", "Adds one.", 8)
    assert tf_decorator.unwrap(around) == ([around], target)
    assert tf_decorator.unwrap(target) == ([], target)

    @tf_contextlib.contextmanager
    def opened():
        yield 5

    with opened() as value:
        assert value == 5


def test_what_is_not_offered_says_so():
    from ferroflow.python.ops import math_ops

    with pytest.raises(AttributeError, match=r"tf\.python\.ops\.math_ops\.nothing is not in ferroflow"):
        math_ops.nothing  # noqa: B018
    with pytest.raises(ImportError):
        importlib.import_module("ferroflow.python.nothing")
    with pytest.raises(AttributeError):
        tf.python.nothing  # noqa: B018


def test_files_and_tables_are_found_by_their_internal_names(tmp_path):
    from ferroflow.python.layers import utils
    from ferroflow.python.lib.io import file_io
    from ferroflow.python.ops import lookup_ops
    from ferroflow.python.platform import gfile

    path = str(tmp_path / "words")
    file_io.write_string_to_file(path, "a\nb\n")
    assert file_io.read_file_to_string(path) == "a\nb\n"
    assert file_io.FileIO(path, "r").readline() == "a\n"
    assert gfile.Exists(path)
    assert gfile.Glob(str(tmp_path / "*")) == [path]
    assert utils.smart_cond(True, lambda: 1, lambda: 2) == 1
    with tf.Graph().as_default(), tf.Session() as sess:
        table = lookup_ops.index_table_from_file(path)
        words = lookup_ops.index_to_string_table_from_tensor(["a", "b"], default_value="?")
        sess.run(lookup_ops.tables_initializer())
        assert sess.run(table.lookup(tf.constant(["b", "c"]))).tolist() == [1, -1]
        assert sess.run(words.lookup(tf.constant([0, 5], tf.int64))).tolist() == [b"a", b"?"]


def test_the_parts_of_supervised_training_are_found_where_programs_import_them():
    from ferroflow.python.client import timeline
    from ferroflow.python.ops import resources
    from ferroflow.python.training import (
        basic_session_run_hooks,
        monitored_session,
        session_run_hook,
        summary_io,
        supervisor,
        training_util,
    )

    assert session_run_hook.SessionRunHook is tf.train.SessionRunHook
    assert basic_session_run_hooks.SummaryWriterCache is summary_io.SummaryWriterCache is tf.summary.FileWriterCache
    assert issubclass(tf.train.MonitoredSession, monitored_session._MonitoredSession)
    assert monitored_session._HookedSession(None, []).should_stop()
    assert issubclass(supervisor.SVSummaryThread, tf.train.LooperThread)
    assert callable(timeline.Timeline)
    with tf.Graph().as_default():
        assert resources.shared_resources() == []
        tf.train.create_global_step()
        read = training_util._get_or_create_global_step_read()
        assert tf.get_collection(training_util.GLOBAL_STEP_READ_KEY) == [read]


def test_kerass_modules_are_found_where_they_were_and_where_they_came_to_be():
    from ferroflow.python import keras
    from ferroflow.python.estimator.inputs.numpy_io import numpy_input_fn
    from ferroflow.python.keras import backend, layers
    from ferroflow.python.keras._impl.keras.layers.core import Dense
    from ferroflow.python.keras.engine.training import Model
    from ferroflow.python.keras.layers.core import Dropout

    assert (layers.Dense, Dense, Dropout) == (tf.keras.layers.Dense, tf.keras.layers.Dense, tf.keras.layers.Dropout)
    assert (Model, keras.models.Model) == (tf.keras.Model, tf.keras.Model)
    assert backend.learning_phase is tf.keras.backend.learning_phase
    assert numpy_input_fn is tf.estimator.inputs.numpy_input_fn
    with pytest.raises(AttributeError, match=r"tf\.keras\.layers\.nothing is not in ferroflow"):
        layers.nothing  # noqa: B018


def test_the_native_interface_reads_checkpoints(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        sess.run(tf.get_variable("v", initializer=[1.0, 2.0]).initializer)
        path = tf.train.Saver().save(sess, str(tmp_path / "model"))
    reader = tf.python.pywrap_tensorflow.NewCheckpointReader(path)
    assert reader.get_tensor("v").tolist() == [1.0, 2.0]
    assert tf.pywrap_tensorflow.NewCheckpointReader is tf.train.NewCheckpointReader
