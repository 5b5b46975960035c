"""Objects with variables that have no values are not saved; the variables of tf.keras get theirs."""

import numpy as np
import pytest

import ferroflow as tf


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield
        tf.keras.backend.clear_session()


@pytest.mark.parametrize("use_resource", [True, False])
def test_variables_without_values_are_not_saved_without_a_session(tmp_path, use_resource):
    variable = tf.Variable(1.0, use_resource=use_resource)
    checkpoint = tf.train.Checkpoint(v=variable)
    for save in (checkpoint.save, checkpoint.write):
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
            save(str(tmp_path / "objects"))
    session = tf.Session()
    session.run(variable.initializer)
    tf.keras.backend.set_session(session)
    checkpoint = tf.train.Checkpoint(v=variable)
    assert checkpoint.save(str(tmp_path / "objects")).endswith("-1")


def test_a_module_without_values_is_not_saved(tmp_path):
    module = tf.Module()
    module.v = tf.Variable(1.0, use_resource=True)
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
        tf.saved_model.save(module, str(tmp_path / "model"))


def test_models_get_their_values(tmp_path):
    inputs = tf.keras.layers.Input((2,))
    model = tf.keras.Model(inputs, tf.keras.layers.BatchNormalization()(tf.keras.layers.Dense(1)(inputs)))
    model.compile(tf.keras.optimizers.Adam(), "mse")
    model._make_train_function()
    own = tf.keras.backend.variable(3.0)
    path = tf.train.Checkpoint(model=model, optimizer=model.optimizer, own=own).save(str(tmp_path / "m"))
    names = dict(tf.train.list_variables(path))
    assert "own/.ATTRIBUTES/VARIABLE_VALUE" in names
    tf.saved_model.save(model, str(tmp_path / "model"))
    with tf.Graph().as_default(), tf.Session() as session:
        loaded = tf.saved_model.load_v2(str(tmp_path / "model"))
        session.run(tf.global_variables_initializer())
        found = session.run(loaded.signatures["serving_default"](tf.ones([1, 2])))
        assert all(np.isfinite(x).all() for x in found.values())
