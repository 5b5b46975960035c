"""Variables of models, and the finding of variables by scope, name and ending."""

import numpy as np
import pytest

import ferroflow as tf

F = tf.contrib.framework


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def names(variables):
    return [v.op.name for v in variables]


def test_each_kind_of_variable_is_in_its_collections():
    made = [F.local_variable(0.0, name="l"), F.global_variable(0.0, name="g"), F.model_variable("m", [2])]
    made.append(F.variable("v", [2], collections=["mine", "mine"]))
    assert names(tf.local_variables()) == ["l"]
    assert names(tf.global_variables()) == ["g", "m"]
    assert names(tf.model_variables()) == names(F.get_model_variables()) == ["m"]
    assert names(tf.trainable_variables()) == names(F.get_trainable_variables()) == ["m", "v"]
    assert names(tf.get_collection("mine")) == ["v"]
    F.add_model_variable(made[1])
    F.add_model_variable(made[1])
    assert names(tf.model_variables()) == ["m", "g"]
    assert F.get_local_variables() == [made[0]]


def test_variables_take_devices_getters_and_defaults_of_scopes():
    with F.arg_scope([F.variable], device="/cpu:0", initializer=tf.ones_initializer()):
        v = F.variable("v", [2])
    assert "CPU" in v.device.upper()
    w = F.variable("w", [2], custom_getter=lambda name, reuse, **kwargs: tf.get_variable(f"{name}_{reuse}", **kwargs))
    assert w.op.name == "w_False"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(v), [1, 1])


def test_variables_are_found_by_scope_ending_and_name():
    with tf.variable_scope("a") as scope:
        for name in ("weights", "biases"):
            F.variable(name, [1])
    with tf.variable_scope("b"):
        F.variable("weights", [1])
    F.variable("weights", [1])
    assert names(F.get_variables(scope)) == names(F.get_variables("a")) == ["a/weights", "a/biases"]
    assert names(F.get_variables_by_suffix("ses")) == ["a/biases"]
    assert names(F.get_variables("b", suffix="weights")) == ["b/weights"]
    assert names(F.get_variables_by_name("weights")) == ["a/weights", "b/weights", "weights"]
    assert names(F.get_variables_to_restore(exclude=["a"])) == ["b/weights", "weights"]
    assert names(F.get_variables_to_restore(["a", "b"], ["a/w"])) == ["a/biases", "b/weights"]
    assert F.get_unique_variable("b/weights") is F.get_variables("b")[0]
    assert names(F.filter_variables(F.get_variables(), ["weights"], ["^b"])) == ["a/weights", "weights"]
    assert names(F.filter_variables(F.get_variables(), ["weights"], reg_search=False)) == ["weights"]
    with pytest.raises(ValueError, match="Couldn't find"):
        F.get_unique_variable("c")
    with pytest.raises(ValueError, match="does not uniquely"):
        F.get_unique_variable("a")
    with pytest.raises(TypeError, match="include is provided"):
        F.get_variables_to_restore("a")


def test_slim_has_layers_and_variables_under_one_roof(capsys):
    slim = tf.contrib.slim
    with slim.arg_scope([slim.fully_connected], weights_regularizer=slim.l2_regularizer(0.1)):
        slim.stack(tf.ones([2, 3]), slim.fully_connected, [4, 5], scope="fc")
    assert slim.get_model_variables() == tf.global_variables()
    assert slim.losses.get_regularization_losses() == tf.losses.get_regularization_losses()
    total = 3 * 4 + 4 + 4 * 5 + 5
    assert slim.model_analyzer.analyze_vars(slim.get_variables(), print_info=True) == (total, 4 * total)
    assert "fc/fc_1/weights:0 (float32_ref 3x4) [12, bytes: 48]" in capsys.readouterr().out
    assert slim.model_analyzer.analyze_ops(tf.get_default_graph(), print_info=True) > total
    assert "(float32 2x5)" in capsys.readouterr().out
