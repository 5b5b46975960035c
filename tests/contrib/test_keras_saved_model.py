"""`tf.contrib.saved_model`: models of Keras become SavedModels, and models again."""

import json

import numpy as np
import pytest

import ferroflow as tf

X = np.linspace(-1, 1, 24, dtype=np.float32).reshape(6, 4)


def sequential():
    return tf.keras.Sequential(
        [
            tf.keras.layers.Dense(3, activation="relu", input_shape=(4,), name="first"),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.Dropout(0.5),
            tf.keras.layers.Dense(2, name="last"),
        ]
    )


def functional():
    one, other = tf.keras.Input((4,), name="one"), tf.keras.Input((4,), name="other")
    total = tf.keras.layers.Dense(2, name="total")(tf.keras.layers.add([one, other]))
    return tf.keras.Model([one, other], [total, tf.keras.layers.Activation("tanh", name="bounded")(total)])


@pytest.mark.parametrize("as_text", [False, True])
def test_a_model_is_served_and_loaded(tmp_path, as_text):
    model = sequential()
    model.compile("sgd", "mse")
    model.fit(X, X[:, :2], epochs=1, verbose=0)
    expected = model.predict(X)
    folder = str(tmp_path / "model")
    tf.contrib.saved_model.save_keras_model(model, folder, as_text=as_text)
    assert (tmp_path / "model" / ("saved_model.pbtxt" if as_text else "saved_model.pb")).exists()
    served = tf.contrib.predictor.from_saved_model(folder)({"first_input": X})
    np.testing.assert_allclose(served["last"], expected, rtol=1e-6)
    with tf.Graph().as_default():
        loaded = tf.contrib.saved_model.load_keras_model(folder)
        assert type(loaded) is tf.keras.Sequential
        np.testing.assert_allclose(loaded.predict(X), expected, rtol=1e-6)


def test_the_graph_restores_the_checkpoint_by_the_paths_of_objects(tmp_path):
    tf.contrib.saved_model.save_keras_model(sequential(), str(tmp_path / "model"))
    stored = tf.train.NewCheckpointReader(str(tmp_path / "model" / "variables" / "variables"))
    assert "layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE" in stored.get_variable_to_shape_map()
    described = json.loads((tmp_path / "model" / "assets" / "saved_model.json").read_text())
    assert described["class_name"] == "Sequential"


def test_several_inputs_and_outputs_have_names(tmp_path):
    model = functional()
    folder = str(tmp_path / "model")
    tf.contrib.saved_model.save_keras_model(model, folder, serving_only=True)
    expected = model.predict([X, 2 * X])
    found = tf.contrib.predictor.from_saved_model(folder)({"one": X, "other": 2 * X})
    np.testing.assert_allclose(found["total"], expected[0], rtol=1e-6)
    np.testing.assert_allclose(found["bounded"], expected[1], rtol=1e-6)
    with tf.Graph().as_default():
        loaded = tf.contrib.saved_model.load_keras_model(folder)
        np.testing.assert_allclose(loaded.predict([X, 2 * X])[1], expected[1], rtol=1e-6)


def test_a_signature_sets_the_shapes_of_the_inputs(tmp_path):
    model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    expected = model.predict(X)
    folder = str(tmp_path / "model")
    signature = [tf.contrib.framework.TensorSpec([6, 4], tf.float32)]
    tf.contrib.saved_model.save_keras_model(model, folder, input_signature=signature)
    predictor = tf.contrib.predictor.from_saved_model(folder)
    (name,) = predictor.feed_tensors
    assert predictor.feed_tensors[name].shape.as_list() == [6, 4]
    (found,) = predictor({name: X}).values()
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_layers_of_the_program_are_given_by_name(tmp_path):
    class Twice(tf.keras.layers.Layer):
        def call(self, inputs):
            return 2 * inputs

    model = tf.keras.Sequential([Twice(input_shape=(4,)), tf.keras.layers.Dense(1)])
    folder = str(tmp_path / "model")
    tf.contrib.saved_model.save_keras_model(model, folder, custom_objects={"Twice": Twice})
    with pytest.raises(ValueError, match="Unknown layer: Twice"):
        tf.contrib.saved_model.load_keras_model(folder)
    loaded = tf.contrib.saved_model.load_keras_model(folder, custom_objects={"Twice": Twice})
    np.testing.assert_allclose(loaded.predict(X), model.predict(X), rtol=1e-6)


def test_what_cannot_be_saved_or_loaded_raises(tmp_path):
    class Own(tf.keras.Model):
        def call(self, inputs):
            return 2 * inputs

    save = tf.contrib.saved_model.save_keras_model
    with pytest.raises(NotImplementedError, match="no configuration"):
        save(Own(), str(tmp_path / "own"))
    with pytest.raises(ValueError, match="Weights for sequential model have not yet been created"):
        save(tf.keras.Sequential([tf.keras.layers.Dense(1)]), str(tmp_path / "unbuilt"))
    save(sequential(), str(tmp_path / "model"))
    with pytest.raises(AssertionError, match="already exists"):
        save(sequential(), str(tmp_path / "model"))
    with pytest.raises(tf.errors.NotFoundError):
        tf.contrib.saved_model.load_keras_model(str(tmp_path / "absent"))
    assert not (tmp_path / "own").exists()


class Doubling(tf.keras.layers.Layer):
    """A layer of a program, which is not in `custom_objects` when its model is written."""

    def call(self, inputs):
        return 2.0 * inputs


def test_classes_of_a_models_own_layers_are_known_when_it_is_written(tmp_path):
    inner = tf.keras.Sequential([Doubling(input_shape=(4,))])
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, input_shape=(3,)), Doubling(), inner])
    path = str(tmp_path / "model")
    tf.keras.experimental.export_saved_model(model, path)
    with pytest.raises(ValueError, match="Doubling"):
        tf.keras.experimental.load_from_saved_model(path)
    loaded = tf.keras.experimental.load_from_saved_model(path, {"Doubling": Doubling})
    x = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(loaded.predict(x), model.predict(x))
