"""Layers compute the shapes of their outputs in advance, and have TensorFlow 1.15's configurations and outputs."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.keras_layer_programs import LAYERS, fed, programs, shapes
from hypothesis import given, strategies as st

import ferroflow as tf

keras = tf.keras
layers = keras.layers
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "keras_layer_results.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", GOLDEN)
def test_layers_are_tensorflows(name):
    found, expected = programs()[name](tf), GOLDEN[name]
    assert found["shape"] == expected["shape"]
    assert found["run"] == expected["run"]
    config = {k: v for k, v in found["config"].items() if k in expected["config"]}
    if "Separable" in name:
        # The layer has two kernels with initializers of their own, and does not use this one.
        del config["kernel_initializer"], expected["config"]["kernel_initializer"]
    assert config == expected["config"]
    if "Dropout" not in name and "Noise" not in name:
        for ours, theirs in zip(found["outputs"], expected["outputs"], strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=5e-5, atol=2e-5)


@pytest.mark.parametrize(("text", "shape"), LAYERS)
def test_computed_shapes_are_the_static_ones_and_those_of_a_run(text, shape):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        keras.backend.set_session(session)
        layer = eval(f"layers.{text}")
        before = len(graph.get_operations())
        computed = shapes(layer.compute_output_shape(shape))
        assert len(graph.get_operations()) == before
        assert not layer.built
        assert not layer.weights
        given_shapes = shape if isinstance(shape, list) else [shape]
        inputs = [tf.placeholder(tf.float32, s) for s in given_shapes]
        outputs = layer(inputs if isinstance(shape, list) else inputs[0])
        outputs = outputs if isinstance(outputs, list) else [outputs]
        assert [x.shape.as_list() for x in outputs] == computed
        session.run(tf.global_variables_initializer())
        phase = {keras.backend.learning_phase(): 0}
        values = session.run(outputs, {**dict(zip(inputs, fed(shape), strict=True)), **phase})
        for value, expected in zip(values, computed, strict=True):
            assert all(size in (None, found) for found, size in zip(value.shape, expected, strict=True))
        # A layer that is built computes shapes of other inputs.
        assert shapes(layer.compute_output_shape(shape)) == computed


def test_subclasses_of_layers_compute_the_shape_of_their_base_class_and_own_layers_none():
    class Table(layers.Embedding):
        pass

    class Own(layers.Layer):
        def call(self, inputs):
            return inputs

    assert Table(5, 3).compute_output_shape((None, 4)).as_list() == [None, 4, 3]
    with pytest.raises(NotImplementedError):
        Own().compute_output_shape((None, 4))


@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 3), st.integers(5, 9))
def test_a_causal_convolution_depends_on_no_later_input(size, rate, change, length):
    with tf.Graph().as_default(), tf.Session() as session:
        keras.backend.set_session(session)
        steps = tf.placeholder(tf.float32, [1, length, 2])
        outputs = layers.Conv1D(3, size, padding="causal", dilation_rate=rate)(steps)
        assert outputs.shape.as_list() == [1, length, 3]
        session.run(tf.global_variables_initializer())
        x = np.random.RandomState(0).uniform(size=(1, length, 2)).astype(np.float32)
        later = x.copy()
        later[:, -change:] += 1.0
        before, after = (session.run(outputs, {steps: a}) for a in (x, later))
        np.testing.assert_array_equal(before[:, :-change], after[:, :-change])
        assert not np.array_equal(before[:, -change:], after[:, -change:])


@given(st.floats(-3, 3), st.floats(0, 2), st.one_of(st.none(), st.floats(0, 5)))
def test_relu_has_the_slope_below_the_threshold_and_the_limit_above(threshold, slope, limit):
    x = np.linspace(-6, 6, 25).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        layer = layers.ReLU(limit, slope, threshold)
        found = session.run(layer(tf.constant(x)))
    kept = np.where(x > np.float32(threshold), x, 0.0)
    if limit is not None:
        kept = np.clip(kept, 0.0, limit)
    elif threshold == 0:
        kept = np.maximum(kept, 0)
    below = slope * np.maximum(threshold - x, 0.0)
    np.testing.assert_allclose(found, kept - below, rtol=1e-5, atol=1e-5)


def test_wrong_arguments_raise_tensorflows_errors():
    with pytest.raises(ValueError, match="Causal padding is only supported for `Conv1D`"):
        layers.Conv2D(3, 2, padding="causal")
    with pytest.raises(ValueError, match="must be greater than output padding"):
        layers.Conv2DTranspose(3, 2, strides=2, output_padding=2)
    with pytest.raises(ValueError, match="`interpolation` argument should be one of"):
        layers.UpSampling2D(2, interpolation="bicubic")
    with pytest.raises(ValueError, match="should have different `go_backwards` value"):
        layers.Bidirectional(layers.LSTM(3), backward_layer=layers.LSTM(3))
    with pytest.raises(ValueError, match="same value for attribute return_sequences"):
        layers.Bidirectional(layers.LSTM(3), backward_layer=layers.LSTM(3, return_sequences=True, go_backwards=True))
    with pytest.raises(ValueError, match="another version of Python"):
        layers.Lambda.from_config({"function": ["4w==", None, None], "function_type": "lambda"})


def test_time_major_layers_in_both_directions_give_the_transposed_outputs():
    x = np.random.RandomState(0).uniform(size=(4, 3, 2)).astype(np.float32)
    made = [
        layers.Bidirectional(layers.GRU(3, return_sequences=True, return_state=True, time_major=is_major))
        for is_major in (True, False)
    ]
    with tf.Graph().as_default(), tf.Session() as session:
        keras.backend.set_session(session)
        steps, *states = made[0](tf.constant(x))
        others, *their_states = made[1](tf.constant(x.swapaxes(0, 1)))
        made[1].set_weights(made[0].get_weights())
        ours, theirs = session.run([[steps, *states], [tf.transpose(others, [1, 0, 2]), *their_states]])
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)


def test_depthwise_convolutions_are_dilated():
    with tf.Graph().as_default(), tf.Session() as session:
        keras.backend.set_session(session)
        images = tf.constant(np.random.RandomState(0).uniform(size=(2, 7, 6, 2)).astype(np.float32))
        layer = layers.DepthwiseConv2D(2, dilation_rate=2, use_bias=False)
        outputs = layer(images)
        expected = tf.nn.depthwise_conv2d(images, layer.depthwise_kernel, [1] * 4, "VALID", rate=[2, 2])
        session.run(tf.global_variables_initializer())
        assert layer.compute_output_shape(images.shape).as_list() == [2, 5, 4, 2]
        np.testing.assert_array_equal(*session.run([outputs, expected]))


# TF 1.x: UpSampling3D checks no rank.
_RANKS = {
    "UpSampling1D()": 3,
    "UpSampling2D()": 4,
    "ZeroPadding1D()": 3,
    "ZeroPadding2D()": 4,
    "ZeroPadding3D()": 5,
    "Cropping1D()": 3,
    "Cropping2D()": 4,
    "Cropping3D()": 5,
    "GlobalMaxPooling1D()": 3,
    "GlobalAveragePooling2D()": 4,
    "GlobalMaxPooling3D()": 5,
    "SpatialDropout1D(0.5)": 3,
    "SpatialDropout2D(0.5)": 4,
    "MaxPooling2D()": 4,
    "Conv1D(1, 1)": 3,
    "SeparableConv2D(1, 1)": 4,
    "DepthwiseConv2D(1)": 4,
    "LocallyConnected1D(1, 1)": 3,
    "LocallyConnected2D(1, 1)": 4,
    "ConvLSTM2D(1, 1)": 5,
    "LSTM(1)": 3,
    "Bidirectional(layers.GRU(1))": 3,
}


@given(st.sampled_from(sorted(_RANKS)), st.integers(0, 6))
def test_inputs_of_another_rank_are_refused_by_the_rank(text, rank):
    if rank == _RANKS[text]:
        return
    told = pytest.raises(ValueError, match=f"expected ndim={_RANKS[text]}, found ndim={rank}")
    with tf.Graph().as_default(), told:
        eval(text, {**vars(layers), "layers": layers})(tf.zeros([2] * rank))


@pytest.mark.parametrize("rank", range(3))
def test_inputs_without_steps_are_refused_by_time_distributed(rank):
    with tf.Graph().as_default(), pytest.raises(ValueError, match="at least 3 dimensions"):
        layers.TimeDistributed(layers.Dense(1))(tf.zeros([2] * rank))


@pytest.mark.parametrize("number", [3, 2.5, True, np.float64(1.5), np.ones(3)])
def test_numbers_and_arrays_are_inputs_as_tensors_are(number):
    with tf.Graph().as_default(), tf.Session() as session:
        found = layers.Activation("linear")(number)
        assert isinstance(found, tf.Tensor)
        np.testing.assert_array_equal(session.run(found), number)
        with pytest.raises(ValueError, match="expected ndim=4, found ndim="):
            tf.layers.average_pooling2d(number, 2, 1)


@pytest.mark.parametrize("padding", ["SAME", "causal", 5, None])
def test_backend_functions_refuse_other_paddings(padding):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=f"Invalid padding: {padding}"):
        keras.backend.conv2d(tf.zeros([1, 3, 3, 1]), tf.zeros([1, 1, 1, 1]), padding=padding)
