"""Models, layers, inputs, optimizers and their variables have the names that TensorFlow 1.8's have."""

import subprocess
import sys

import numpy as np
import pytest

import ferroflow as tf

keras = tf.keras
layers = keras.layers


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield
        keras.backend.clear_session()


def weights(made):
    return [w.op.name for w in made.weights]


def test_the_first_of_a_kind_has_no_number_and_its_variables_have_its_name():
    model = keras.Sequential([layers.Dense(3, input_shape=(2,)), layers.Dense(3), layers.BatchNormalization()])
    assert model.name == "sequential"
    assert [layer.name for layer in model.layers] == ["dense", "dense_1", "batch_normalization"]
    assert weights(model)[:4] == ["dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias"]
    assert weights(model)[-1] == "batch_normalization/moving_variance"
    assert model.input.op.name == "dense_input"
    other = keras.Sequential([layers.Dense(3, input_shape=(2,))])
    assert (other.name, other.layers[0].name, weights(other)[0]) == ("sequential_1", "dense_2", "dense_2/kernel")


def test_layers_that_are_called_in_another_order_keep_their_names():
    first, second = layers.Dense(1), layers.Dense(1)
    x = layers.Input((2,))
    second(x), first(x)
    assert weights(first) == ["dense/kernel", "dense/bias"]
    assert weights(second) == ["dense_1/kernel", "dense_1/bias"]


def test_inputs_count_from_1_and_models_are_named_by_their_class():
    class Mine(keras.Model):
        pass

    x, y = layers.Input((4,)), layers.Input((4,))
    assert [t.op.name for t in (x, y)] == ["input_1", "input_2"]
    models = [made(x, layers.Dense(1)(x)) for made in (keras.Model, keras.Model, Mine)]
    assert [model.name for model in models] == ["model", "model_1", "mine"]
    assert models[0].input_names == ["input_1"]
    with tf.Graph().as_default():
        assert layers.Input((4,)).op.name == "input_1"


def test_layers_around_layers_name_the_variables():
    x = layers.Input((5, 4))
    both = layers.Bidirectional(layers.LSTM(3, return_sequences=True))
    each = layers.TimeDistributed(layers.Dense(2))
    run = layers.RNN(layers.LSTMCell(3))
    model = keras.Model(x, run(each(both(x))))
    assert [layer.name for layer in model.layers] == ["input_1", "bidirectional", "time_distributed", "rnn"]
    assert (both.forward_layer.name, both.backward_layer.name) == ("forward_lstm", "backward_lstm")
    assert [weights(both)[i] for i in (0, 3)] == [
        "bidirectional/forward_lstm/kernel",
        "bidirectional/backward_lstm/kernel",
    ]
    assert weights(each) == ["time_distributed/kernel", "time_distributed/bias"]
    assert weights(run) == ["rnn/kernel", "rnn/recurrent_kernel", "rnn/bias"]
    assert layers.LSTM(2).name == "lstm_1"


def test_what_training_tells_has_the_outputs_names():
    x = layers.Input((4,))
    model = keras.Model(x, [layers.Dense(1)(x), layers.Dense(2)(x)])
    model.compile("sgd", "mse", metrics=["mae"])
    found = model.fit(np.zeros((4, 4)), [np.zeros((4, 1)), np.zeros((4, 2))], verbose=0)
    assert {"loss", "dense_loss", "dense_1_loss"} < set(found.history)
    assert model.output_names == ["dense", "dense_1"]


def test_layers_of_tf_layers_count_from_1_with_the_same_numbers():
    assert [made(2).name for made in (layers.Dense, tf.layers.Dense, layers.Dense)] == ["dense", "dense_2", "dense_2"]


def test_variables_of_an_optimizer_are_in_its_scope():
    first, second = keras.optimizers.SGD(momentum=0.9), keras.optimizers.SGD()
    variable = tf.Variable([1.0], name="v", use_resource=True)
    for optimizer in (first, second):
        optimizer.apply_gradients([(tf.ones([1]), variable)])
    assert [v.op.name for v in (first.iterations, first.lr, first.momentum, first.decay)] == [
        "SGD/iter",
        "SGD/learning_rate",
        "SGD/momentum",
        "SGD/decay",
    ]
    assert first.get_slot(variable, "momentum").op.name == "SGD/v/momentum"
    assert second.momentum.op.name == "SGD_1/momentum"


def test_numbers_start_anew():
    assert [keras.backend.get_uid("a") for _ in range(2)] == [1, 2]
    layers.Dense(1)
    keras.backend.reset_uids()
    assert keras.backend.get_uid("a") == 1
    assert layers.Dense(1).name == "dense"


def test_a_cleared_session_starts_a_fresh_graph():
    program = """
import ferroflow as tf
for _ in range(2):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    assert model.name == "sequential" and model.weights[0].name == "dense/kernel:0", model.weights
    model.get_weights()
    tf.keras.backend.clear_session()
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_weights_of_a_file_go_to_the_layers_of_their_names(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = str(tmp_path / "weights.h5")
    with h5py.File(path, "w") as file:  # as TensorFlow 1.8 writes a model of two layers
        file.attrs["layer_names"] = [b"dense", b"dense_1"]
        for i, name in enumerate(("dense", "dense_1")):
            part = file.create_group(name)
            part.attrs["weight_names"] = [f"{name}/kernel:0".encode(), f"{name}/bias:0".encode()]
            part[f"{name}/kernel:0"] = np.full((2, 2), i + 1.0)
            part[f"{name}/bias:0"] = np.zeros(2)
    model = keras.Sequential([layers.Dense(2, input_shape=(2,)), layers.Dense(2)])
    model.load_weights(path, by_name=True)
    assert [w[0, 0] for w in model.get_weights()[::2]] == [1.0, 2.0]
