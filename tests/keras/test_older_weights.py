"""Weights that Keras 1 or another backend wrote are converted to a layer's own."""

import h5py
import numpy as np
import pytest

import ferroflow as tf
from ferroflow.python.keras.saving.hdf5_format import preprocess_weights_for_loading

L = tf.keras.layers


@pytest.fixture(autouse=True)
def _new_graph():
    tf.keras.backend.clear_session()
    tf.reset_default_graph()


def random(*shape):
    return np.random.RandomState(sum(shape)).rand(*shape).astype("f")


def built(layer, *shape):
    layer.build(tf.TensorShape([None, *shape]))
    return layer


def test_theanos_kernels_are_reversed():
    kernel, bias = random(3, 2, 1, 4), random(4)
    found, same = preprocess_weights_for_loading(built(L.Conv2D(4, (3, 2)), 5, 5, 1), [kernel, bias], "2", "theano")
    np.testing.assert_array_equal(found, kernel[::-1, ::-1])
    np.testing.assert_array_equal(same, bias)


def test_kernels_with_channels_first_are_transposed():
    kernel = random(4, 3, 5, 2)  # [out, in, height, width]
    found, _ = preprocess_weights_for_loading(built(L.Conv2D(4, (5, 2)), 6, 6, 3), [kernel, random(4)], "2")
    np.testing.assert_array_equal(found, kernel.transpose(3, 2, 0, 1))


@pytest.mark.parametrize(("kind", "order"), [(L.LSTM, "ifco"), (L.GRU, "zrh")])
def test_gates_of_keras_1_are_joined(kind, order):
    # Keras 1 wrote kernel, recurrent kernel and bias of each gate: an LSTM's in the order i, c, f, o.
    written = "icfo" if kind is L.LSTM else "zrh"
    gates = {gate: [random(3, 2) + n, random(2, 2) + n, random(2) + n] for n, gate in enumerate(written)}
    weights = [part for gate in written for part in gates[gate]]
    found = preprocess_weights_for_loading(built(kind(2), 4, 3), weights, "1")
    for part in range(3):
        np.testing.assert_array_equal(found[part], np.concatenate([gates[gate][part] for gate in order], -1))


def test_layers_in_wrappers_and_models_are_converted():
    kernel, bias = random(3, 3, 1, 2), random(2)
    inner = tf.keras.Sequential([L.Conv2D(2, 3, input_shape=(5, 5, 1)), L.BatchNormalization()])
    values = [kernel, bias, random(2), random(2), random(2) + 1, random(2) + 2]
    found = preprocess_weights_for_loading(inner, values, "2", "theano")
    np.testing.assert_array_equal(found[0], kernel[::-1, ::-1])
    for before, after in zip(values[1:], found[1:], strict=True):
        np.testing.assert_array_equal(before, after)


def test_a_file_of_theano_is_loaded(tmp_path):
    model = tf.keras.Sequential([L.Conv2D(2, 3, input_shape=(5, 5, 1), name="convolution")])
    kernel, bias = random(3, 3, 1, 2), random(2)
    with h5py.File(tmp_path / "weights.h5", "w") as file:
        file.attrs["layer_names"], file.attrs["backend"], file.attrs["keras_version"] = [b"c"], b"theano", b"2.0.8"
        group = file.create_group("c")
        group.attrs["weight_names"] = [b"kernel", b"bias"]
        group["kernel"], group["bias"] = kernel, bias
    model.load_weights(str(tmp_path / "weights.h5"))
    np.testing.assert_array_equal(model.get_weights()[0], kernel[::-1, ::-1])


def test_counts_at_several_thresholds_are_fitted():
    model = tf.keras.Sequential([L.Dense(1, input_shape=(1,), activation="sigmoid", kernel_initializer="ones")])
    counts = tf.keras.metrics.FalsePositives(thresholds=[0.2, 0.9])
    model.compile(tf.keras.optimizers.SGD(0.0), "binary_crossentropy", metrics=[counts])
    history = model.fit(np.array([[0.0], [1.0], [9.0]]), np.zeros([3, 1]), batch_size=1, shuffle=False, verbose=0)
    np.testing.assert_array_equal(history.history["false_positives"][0], [3, 1])


def test_a_sequential_model_that_is_built_later_may_have_several_outputs():
    model = tf.keras.Sequential([L.Dense(2), L.LSTM(3, return_state=True)])
    outputs = model(tf.ones([2, 4, 5]))
    assert [tensor.shape.as_list() for tensor in outputs] == [[2, 3]] * 3
    with pytest.raises(TypeError, match="single output tensor"):
        tf.keras.Sequential([L.LSTM(3, return_state=True, input_shape=(4, 5))])


def test_the_parts_of_a_model_have_their_depths():
    a, b = tf.keras.Input((3,), name="a"), tf.keras.Input((3,), name="b")
    d, e = L.Dense(3, name="d"), L.Dense(3, name="e")
    x = d(a)
    model = tf.keras.Model([a, b], [L.add([e(d(x)), b], name="sum"), x])
    depths = {depth: [call.outbound_layer.name for call in calls] for depth, calls in model._nodes_by_depth.items()}
    assert {depth: sorted(names) for depth, names in depths.items()} == {
        0: ["sum"],
        1: ["b", "e"],
        2: ["d"],
        3: ["d"],
        4: ["a"],
    }
    assert [layer.name for layer in model._input_layers] == ["a", "b"]
    assert [layer.name for layer in model._output_layers] == ["sum", "d"]
    assert model._trainable_weights == model.trainable_weights
