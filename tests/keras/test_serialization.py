"""Keras objects as names and dicts, and made of these again."""

import numpy as np
import pytest

import ferroflow as tf

keras = tf.keras


@pytest.mark.parametrize("name", ["layers", "losses", "metrics", "regularizers", "constraints", "initializers"])
def test_modules_have_both_functions(name):
    module = getattr(keras, name)
    assert module.serialize(len) == keras.utils.serialize_keras_object(len) == "len"
    assert callable(module.deserialize)


def test_objects_come_back():
    for module, given in (
        (keras.initializers, keras.initializers.RandomNormal(stddev=0.25, seed=3)),
        (keras.regularizers, keras.regularizers.l1_l2(0.5, 0.25)),
        (keras.constraints, keras.constraints.max_norm(2.0)),
    ):
        described = module.serialize(given)
        back = module.deserialize(described)
        assert set(described) == {"class_name", "config"}
        assert type(back) is type(given)
        assert back.get_config() == given.get_config()
    assert keras.losses.deserialize(keras.losses.serialize(keras.losses.mean_squared_error)) is (
        keras.losses.mean_squared_error
    )


def test_losses_and_metrics_come_back():
    loss, metric = keras.losses.Huber(delta=3.0), keras.metrics.TopKCategoricalAccuracy(k=3)
    for module, given in ((keras.losses, loss), (keras.metrics, metric)):
        for back in (module.deserialize(module.serialize(given)), module.get(module.serialize(given))):
            assert type(back) is type(given)
            assert back.get_config() == given.get_config()
    assert isinstance(keras.losses.get("MeanSquaredError"), keras.losses.MeanSquaredError)
    assert isinstance(keras.metrics.get("MeanSquaredError"), keras.metrics.MeanSquaredError)
    assert keras.metrics.get("mse") is keras.losses.get("mse") is keras.losses.mean_squared_error
    for described in ({"class_name": "Huber", "config": {}}, {"class_name": "Hinge"}, "Huber"):
        with pytest.raises(ValueError, match=r"Unknown metric function|Improper config format"):
            keras.metrics.get(described)


def test_models_take_descriptions_of_metrics():
    model = keras.Sequential([keras.layers.Dense(3, input_shape=(1,))])
    described = keras.metrics.serialize(keras.metrics.TopKCategoricalAccuracy(k=3, name="top"))
    model.compile("sgd", "mse", metrics=[described, "mae"])
    assert model.metrics_names == ["loss", "top", "mean_absolute_error"]
    labels = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    assert model.test_on_batch(np.ones((2, 1)), np.array(labels))[1] == 1.0


def test_layers_come_back():
    layer = keras.layers.Dense(3, activation="relu", name="wide")
    back = keras.layers.deserialize(keras.layers.serialize(layer))
    assert (back.name, back.units, back.get_config()) == ("wide", 3, layer.get_config())

    class Own(keras.layers.Layer):
        def get_config(self):
            return {"name": self.name}

    described = keras.layers.serialize(Own(name="mine"))
    assert isinstance(keras.layers.deserialize(described, {"Own": Own}), Own)
    with pytest.raises(ValueError, match="Unknown layer"):
        keras.layers.deserialize({"class_name": "NoSuch", "config": {}})


def test_objects_of_programs():
    class Thing:
        def __init__(self, size=1):
            self.size = size

        def get_config(self):
            return {"size": self.size}

        @classmethod
        def from_config(cls, config):
            return cls(**config)

    utils = keras.utils
    described = utils.serialize_keras_object(Thing(4))
    assert described == {"class_name": "Thing", "config": {"size": 4}}
    assert utils.deserialize_keras_object(described, {"Thing": Thing}).size == 4
    assert utils.deserialize_keras_object("Thing", custom_objects={"Thing": Thing}).size == 1
    assert utils.serialize_keras_object(None) is utils.deserialize_keras_object(None) is None
    assert utils.deserialize_keras_object("len", {"len": len}) is len
    with pytest.raises(ValueError, match="Unknown thing: Other"):
        utils.deserialize_keras_object("Other", {"Thing": Thing}, printable_module_name="thing")
    with pytest.raises(ValueError, match="Improper config"):
        utils.deserialize_keras_object({"class_name": "Thing"}, {"Thing": Thing})
    with pytest.raises(ValueError, match="Could not interpret"):
        utils.deserialize_keras_object(3)
    with pytest.raises(ValueError, match="neither"):
        utils.serialize_keras_object(3)


def test_hooks_are_public_below_estimator():
    for name in ("SessionRunHook", "SessionRunArgs", "CheckpointSaverHook", "LoggingTensorHook", "StopAtStepHook"):
        assert getattr(tf.estimator, name) is getattr(tf.train, name)
