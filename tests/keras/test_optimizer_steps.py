"""Keras's optimizers make TensorFlow 1.15's steps, and files and checkpoints hold their state."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from golden.keras_optimizer_programs import OPTIMIZERS, PROGRAMS
from golden.recent_runs import near, result_of
from hypothesis import given, settings, strategies as st

import ferroflow as tf

RECENT = json.loads((Path(__file__).parents[1] / "golden" / "recent.json").read_text(encoding="utf-8"))
EXPECTED = {k.partition(": ")[2]: v for k, v in RECENT.items() if k.startswith("keras_optimizers: ")}
keras = tf.keras
X = np.random.RandomState(0).rand(20, 4).astype(np.float32)
Y = X.sum(1, keepdims=True)


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield
        keras.backend.clear_session()


def test_every_golden_program_is_compared():
    assert set(PROGRAMS) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_results_are_tensorflows(name):
    found = json.loads(json.dumps(result_of(tf, PROGRAMS[name])))
    assert near(found, EXPECTED[name]), found


def _optimizer(name):
    kind, arguments = OPTIMIZERS[name]
    return getattr(keras.optimizers, kind)(**arguments)


def _stepped(name, behind_handle, gradients, indices):
    with tf.Graph().as_default(), tf.Session() as sess:
        table = tf.Variable(np.linspace(-1, 1, 8, dtype=np.float32).reshape(4, 2), use_resource=behind_handle)
        gradient = tf.placeholder(tf.float32, [None, 2])
        rows = gradient if indices is None else tf.IndexedSlices(gradient, tf.constant(indices), tf.constant([4, 2]))
        optimizer = _optimizer(name)
        step = optimizer.apply_gradients([(rows, table)])
        sess.run(tf.global_variables_initializer())
        for g in gradients:
            sess.run(step, {gradient: g})
        return sess.run([table, *optimizer.weights])


@pytest.mark.parametrize("name", [name for name in OPTIMIZERS if "clip" not in name])
@pytest.mark.parametrize("indices", [None, [3, 0, 3]])
def test_variables_by_reference_and_behind_handles_make_the_same_steps(name, indices):
    gradients = np.random.RandomState(1).uniform(-1, 1, (3, 4 if indices is None else 3, 2)).astype(np.float32)
    found = [_stepped(name, behind_handle, gradients, indices) for behind_handle in (False, True)]
    for by_reference, behind_handle in zip(*found, strict=True):
        np.testing.assert_allclose(by_reference, behind_handle, rtol=2e-5, atol=1e-6)


@settings(max_examples=5, deadline=None)
@given(st.sampled_from(["sgd", "adagrad", "adam", "rmsprop", "nadam"]), st.integers(0, 2**31))
def test_rows_without_gradient_move_as_with_gradients_of_zero(name, seed):
    gradients = np.random.RandomState(seed % 2**31).uniform(-1, 1, (2, 2, 2)).astype(np.float32)
    whole = np.zeros((2, 4, 2), np.float32)
    whole[:, [2, 1]] = gradients
    found = [_stepped(name, True, gradients, [2, 1]), _stepped(name, True, whole, None)]
    for rows, dense in zip(*found, strict=True):
        np.testing.assert_allclose(rows, dense, rtol=2e-4, atol=1e-6)


def _model(optimizer):
    model = keras.Sequential([keras.layers.Dense(3, activation="tanh", input_shape=(4,)), keras.layers.Dense(1)])
    model.compile(optimizer, "mse", ["mae"], loss_weights=[0.5])
    for _ in range(2):
        model.train_on_batch(X, Y)
    return model


def _continued(model):
    for _ in range(2):
        model.train_on_batch(X, Y)
    return [*model.get_weights(), *model.optimizer.get_weights(), *model.evaluate(X, Y, verbose=0)]


@pytest.mark.parametrize("name", ["nesterov", "rmsprop all", "amsgrad", "nadam", "ftrl shrinkage"])
def test_a_model_of_a_file_trains_on_as_the_saved_one(name, tmp_path):
    pytest.importorskip("h5py")
    model = _model(_optimizer(name))
    model.save(str(tmp_path / "model.h5"))
    config, expected = model.optimizer.get_config(), _continued(model)
    with tf.Graph().as_default():
        loaded = keras.models.load_model(str(tmp_path / "model.h5"))
        assert loaded.optimizer.get_config() == config
        for found, value in zip(_continued(loaded), expected, strict=True):
            np.testing.assert_array_equal(found, value)


def test_a_file_may_leave_the_optimizer_out(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = str(tmp_path / "model.h5")
    model = _model("adam")
    model.save(path, include_optimizer=False)
    with h5py.File(path) as file:
        assert "training_config" not in file.attrs
    assert keras.models.load_model(path).optimizer is None
    model.save(path)
    assert keras.models.load_model(path, compile=False).optimizer is None


def test_losses_and_metrics_of_the_program_are_found_by_name(tmp_path):
    pytest.importorskip("h5py")

    def own(labels, predictions):
        return tf.reduce_mean(tf.abs(labels - predictions), -1)

    path = str(tmp_path / "model.h5")
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(4,))])
    model.compile("sgd", own, [own])
    expected = model.evaluate(X, Y, verbose=0)
    model.save(path)
    loaded = keras.models.load_model(path, {"own": own})
    np.testing.assert_allclose(loaded.evaluate(X, Y, verbose=0), expected, rtol=1e-6)
    with pytest.raises(ValueError, match="own"):
        keras.models.load_model(path)


@pytest.mark.parametrize("late", [False, True])
def test_checkpoints_of_objects_hold_steps_rates_and_slots(late, tmp_path):
    def made():
        variable, optimizer = tf.Variable([1.0, 2.0], use_resource=True), keras.optimizers.Adam(0.1)
        return variable, optimizer, tf.train.Checkpoint(optimizer=optimizer, variable=variable)

    gradient = np.array([1.0, -3.0], np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        variable, optimizer, checkpoint = made()
        step = optimizer.apply_gradients([(tf.constant(gradient), variable)])
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        sess.run(optimizer.lr.assign(0.5))
        path = checkpoint.save(str(tmp_path / "steps"), session=sess)
        sess.run(step)
        expected = sess.run([variable, *optimizer.weights, optimizer.lr])
    names = {name.partition("/.ATTR")[0] for name, _ in tf.train.list_variables(path)}
    slots = {f"variable/.OPTIMIZER_SLOT/optimizer/{name}" for name in ("m", "v")}
    hypers = {f"optimizer/{name}" for name in ("iter", "beta_1", "beta_2", "decay", "learning_rate")}
    assert names - {"_CHECKPOINTABLE_OBJECT_GRAPH", "save_counter"} == {"variable", *slots, *hypers}
    with tf.Graph().as_default(), tf.Session() as sess:
        variable, optimizer, checkpoint = made()
        status = checkpoint.restore(path) if late else None
        step = optimizer.apply_gradients([(tf.constant(gradient), variable)])
        sess.run(tf.global_variables_initializer())
        (status or checkpoint.restore(path)).initialize_or_restore(sess)
        sess.run(step)
        for found, value in zip(sess.run([variable, *optimizer.weights, optimizer.lr]), expected, strict=True):
            np.testing.assert_array_equal(found, value)
