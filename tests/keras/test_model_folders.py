"""SavedModels of models, `LinearModel` and `WideDeepModel`, as TensorFlow 1.15.5 has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ferroflow as tf

keras, layers = tf.keras, tf.keras.layers
X = np.random.RandomState(0).rand(4, 4).astype(np.float32)


@pytest.fixture(autouse=True)
def fresh() -> None:
    keras.backend.clear_session()


def _sequential() -> Any:
    return keras.Sequential([layers.Dense(3, activation="relu", input_shape=(4,)), layers.Dense(2)])


def _functional() -> Any:
    x = keras.Input((4,), name="x")
    hidden = layers.Dense(3)(x)
    return keras.Model(x, [layers.Dense(2, name="a")(hidden), layers.Dense(2, name="b")(hidden)])


@pytest.mark.parametrize("make", [_sequential, _functional])
def test_a_saved_model_goes_on_training(make: Any, tmp_path: Path) -> None:
    model = make()
    model.compile(keras.optimizers.Adam(0.1), "mse", metrics=["mae"])
    labels = [np.ones((4, 2))] * len(model.outputs)
    model.fit(X, labels, verbose=0)
    expected = model.predict(X)
    folder = tmp_path / "model"
    model.save(str(folder), save_format="tf")
    assert (folder / "saved_model.pb").is_file()
    model.reset_metrics()
    after = model.train_on_batch(X, labels), model.get_weights()

    keras.backend.clear_session()
    loaded = keras.models.load_model(str(folder))
    assert (type(loaded).__name__, loaded.name) == (type(model).__name__, model.name)
    for ours, theirs in zip(loaded.predict(X), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert loaded.metrics_names == model.metrics_names
    loaded.reset_metrics()
    # The optimizer has its variables, too: a step gives the same weights.
    np.testing.assert_allclose(loaded.train_on_batch(X, labels), after[0], rtol=1e-6)
    for ours, theirs in zip(loaded.get_weights(), after[1], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    assert keras.models.load_model(folder, compile=False).optimizer is None


def test_a_saved_model_serves(tmp_path: Path) -> None:
    model = _sequential()
    expected = model.predict(X)
    keras.models.save_model(model, str(tmp_path / "model"), save_format="tf")
    with tf.Graph().as_default(), tf.Session() as session:
        signature = tf.saved_model.load(session, ["serve"], str(tmp_path / "model")).signature_def["serving_default"]
        (given,), (made,) = signature.inputs.values(), signature.outputs.values()
        np.testing.assert_allclose(session.run(made.name, {given.name: X}), expected, rtol=1e-6)


def test_folders_without_a_model_are_refused(tmp_path: Path) -> None:
    module = tf.Module()
    module.v = tf.Variable(1.0, use_resource=True)
    with tf.Session() as session:
        session.run(module.v.initializer)
        tf.saved_model.save(module, str(tmp_path / "module"))
    with pytest.raises(ValueError, match="has no configuration of a model"):
        keras.models.load_model(str(tmp_path / "module"))
    with pytest.raises(ValueError, match="Unknown format"):
        _sequential().save(str(tmp_path / "other"), save_format="zip")


def test_exported_models_are_loaded(tmp_path: Path) -> None:
    model = _sequential()
    keras.experimental.export_saved_model(model, str(tmp_path / "model"), serving_only=True)
    assert (tmp_path / "model" / "assets" / "saved_model.json").is_file()
    expected = model.predict(X)
    keras.backend.clear_session()
    loaded = keras.experimental.load_from_saved_model(str(tmp_path / "model"))
    np.testing.assert_array_equal(loaded.predict(X), expected)


@pytest.mark.parametrize("use_bias", [True, False])
def test_a_linear_model_is_a_sum_of_products(use_bias: bool) -> None:
    parts, labels = [X[:, :1], X[:, 1:]], np.ones((4, 2), np.float32)
    model = keras.experimental.LinearModel(2, activation="sigmoid", use_bias=use_bias)
    model.compile(keras.optimizers.SGD(0.5), "mse")
    losses = model.fit(parts, labels, epochs=5, verbose=0).history["loss"]
    assert losses == sorted(losses, reverse=True)
    shapes = [w.shape.as_list() for w in model.weights]
    assert sorted(shapes) == sorted([[1, 2], [3, 2], *([[2]] if use_bias else [])])
    by_shape = {w.shape: w for w in model.get_weights()}
    total = parts[0] @ by_shape[1, 2] + parts[1] @ by_shape[3, 2] + by_shape.get((2,), 0)
    np.testing.assert_allclose(model.predict(parts), 1 / (1 + np.exp(-total)), rtol=1e-5)
    again = keras.experimental.LinearModel.from_config(model.get_config())
    assert again.get_config() == model.get_config()


def _wide_and_deep(activation: Any = None) -> Any:
    linear = keras.experimental.LinearModel(kernel_initializer="ones")
    deep = keras.Sequential([layers.Dense(1, kernel_initializer="ones")])
    return keras.experimental.WideDeepModel(linear, deep, activation)


def test_wide_and_deep_models_have_tensorflows_losses() -> None:
    """The numbers are TensorFlow 1.15.5's."""
    model = _wide_and_deep("sigmoid")
    model.compile(["sgd", "adam"], "mse")
    losses = model.fit([X, X], np.zeros((4, 1)), epochs=3, verbose=0, shuffle=False).history["loss"]
    np.testing.assert_allclose(losses, [0.8152910470962524, 0.8149107694625854, 0.814529538154602], rtol=1e-6)

    keras.backend.clear_session()
    model = _wide_and_deep()
    model.compile("sgd", "mse")
    losses = model.fit(X, np.zeros((4, 1)), epochs=3, verbose=0, shuffle=False).history["loss"]
    np.testing.assert_allclose(losses, [5.354008674621582, 5.108176231384277, 4.8737101554870605], rtol=1e-6)
    np.testing.assert_allclose(model.evaluate(X, np.zeros((4, 1)), verbose=0), 4.650084495544434, rtol=1e-6)


def test_each_part_of_a_wide_and_deep_model_has_its_optimizer() -> None:
    model = _wide_and_deep()
    model.compile([keras.optimizers.SGD(0.0), keras.optimizers.SGD(0.1)], "mse")
    model.fit(X, np.zeros((4, 1)), verbose=0)
    assert (model.linear_model.get_weights()[0] == 1).all()
    assert (model.dnn_model.get_weights()[0] != 1).all()
    config = model.get_config()
    again = type(model).from_config(config)
    assert again.linear_model.get_config() == model.linear_model.get_config()
    assert [type(layer).__name__ for layer in again.dnn_model.layers] == ["Dense"]
    other = _sequential()
    other.compile(["sgd", "sgd"], "mse")
    with pytest.raises(ValueError, match="several optimizers"):
        other.fit(X, np.zeros((4, 2)), verbose=0)
