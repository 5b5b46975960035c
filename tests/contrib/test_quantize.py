"""`tf.contrib.quantize`: the rewritten graphs and what they compute are those of TensorFlow 1.15.5."""

import json
import lzma
from pathlib import Path

import numpy as np
import pytest
from golden.quantize_programs import PROGRAMS, run
from hypothesis import given, settings, strategies as st

import ferroflow as tf

_FILE = Path(__file__).parent.parent / "golden" / "quantize.json.xz"
GOLDEN = json.loads(lzma.decompress(_FILE.read_bytes()))
# TensorFlow 1.15 has later versions of these ops, whose types are part of names.
VERSIONS = {"FusedBatchNormV3": "FusedBatchNorm", "AddV2": "Add"}
# TensorFlow does not place the decay with the average here, and does so elsewhere.
PLACED_APART = ("forced_updates, frozen, training", "slim_dense, frozen, training")
# A value is the end of its range up to the last bit, which decides if it has a gradient.
ON_THE_EDGE = ("slim_separable, frozen, training",)


def with_versions(golden):
    text = json.dumps(golden)
    for theirs, ours in VERSIONS.items():
        text = text.replace(theirs, ours)
    return json.loads(text)


def without_placement(changes):
    for *_, attributes in changes["new"]:
        attributes.pop("_class", None)
    return changes


@pytest.mark.parametrize("name", PROGRAMS)
def test_rewritten_graphs_are_those_of_tensorflow(name):
    expected, found = with_versions(GOLDEN[name]), json.loads(json.dumps(run(tf, name)))
    if "error" in expected:
        assert found == expected
        return
    if name in PLACED_APART:
        without_placement(expected["changes"])
        without_placement(found["changes"])
    assert found["changes"] == expected["changes"]
    if expected["measured"] is None:
        assert found["measured"] is None
        return
    variables = expected["measured"]["variables"]
    assert list(found["measured"]["variables"]) == list(variables)
    for variable, value in variables.items():
        np.testing.assert_allclose(found["measured"]["variables"][variable], value, 1e-4, 1e-6, err_msg=variable)
    for ours, theirs in zip(found["measured"]["steps"], expected["measured"]["steps"], strict=True):
        count = 1 if name in ON_THE_EDGE else len(theirs)
        for one, other in zip(ours[:count], theirs[:count], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)


def mobilenet(images, training):
    layers = tf.contrib.layers
    with tf.contrib.framework.arg_scope(
        [layers.conv2d, layers.separable_conv2d],
        activation_fn=tf.nn.relu6,
        normalizer_fn=layers.batch_norm,
        normalizer_params={"is_training": training, "decay": 0.9, "scale": True},
    ):
        out = layers.conv2d(images, 8, 3, stride=2, scope="Conv2d_0")
        for i in range(1, 4):
            out = layers.separable_conv2d(out, None, 3, depth_multiplier=1, scope=f"Conv2d_{i}_depthwise")
            out = layers.conv2d(out, 8, 1, scope=f"Conv2d_{i}_pointwise")
    out = tf.reduce_mean(out, [1, 2], keepdims=True)
    return tf.squeeze(layers.conv2d(out, 2, 1, activation_fn=None, normalizer_fn=None, scope="Logits"), [1, 2])


def test_a_mobilenet_is_trained_and_evaluated_with_quantization(tmp_path):
    random = np.random.RandomState(0)
    data = random.rand(8, 8, 8, 3).astype(np.float32)
    labels = np.arange(8) % 2
    data[labels == 1, :, :, 0] += 1.0
    tf.set_random_seed(3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, mobilenet(tf.constant(data), True))
    tf.contrib.quantize.create_training_graph(quant_delay=5)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        step = tf.train.AdamOptimizer(0.05).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run([loss, step])[0] for _ in range(20)]
        saved = tf.train.Saver().save(session, str(tmp_path / "model"))
        counted = session.run("fake_quantization_step:0")
    assert np.mean(losses[-3:]) < 0.5 * np.mean(losses[:3])
    assert counted == 20
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float32, [None, 8, 8, 3])
        logits = mobilenet(fed, False)
        tf.contrib.quantize.create_eval_graph()
        tf.train.Saver().restore(session, saved)
        predicted = session.run(logits, {fed: data})
        weights = session.run("Conv2d_3_pointwise/weights_quant/FakeQuantWithMinMaxVars:0")
    assert np.isfinite(predicted).all()
    assert len(np.unique(weights)) <= 255


def test_a_graph_with_an_optimizer_is_refused():
    loss = tf.reduce_sum(tf.layers.dense(tf.ones([2, 3]), 2))
    tf.train.AdamOptimizer().minimize(loss)
    with pytest.raises(ValueError, match=r"Training op found in graph, exiting .*ApplyAdam"):
        tf.contrib.quantize.create_training_graph()


def test_a_normalization_in_training_needs_moving_averages():
    images = tf.placeholder(tf.float32, [2, 4, 4, 3])
    out = tf.nn.conv2d(images, tf.get_variable("w", [1, 1, 3, 2]), [1, 1, 1, 1], "SAME", name="net/conv")
    tf.nn.relu(tf.nn.fused_batch_norm(out, [1.0, 1.0], [0.0, 0.0], name="net/norm")[0])
    with pytest.raises(ValueError, match=r"net/norm is in training, but no moving average follows net/norm:1"):
        tf.contrib.quantize.create_training_graph()


@given(
    values=st.lists(st.floats(-8, 8, width=32), min_size=2, max_size=12),
    bits=st.integers(2, 8),
    symmetric=st.booleans(),
    narrow=st.booleans(),
)
@settings(max_examples=30)
def test_last_values_span_the_range_that_is_quantized(values, bits, symmetric, narrow):
    from ferroflow.contrib.quantize.python import quant_ops

    given_values = np.array(values, np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        made = quant_ops.LastValueQuantize(
            tf.constant(given_values), num_bits=bits, symmetric=symmetric, narrow_range=narrow
        )
        session.run(tf.global_variables_initializer())
        found = session.run(made)
        low, high = session.run(["LastValueQuant/min:0", "LastValueQuant/max:0"])
    assert low <= min(0, given_values.min())
    assert high >= max(0, given_values.max())
    if symmetric:
        assert low == -high or not narrow
    else:
        assert (low, high) == (min(0, given_values.min()), max(0, given_values.max()))
    width = (high - low) / (2**bits - 1 - narrow)
    # The range is moved by up to half a step to have a step at 0.
    assert np.abs(found - given_values).max() <= 1.01 * width + 1e-6
    assert len(np.unique(found)) <= 2**bits - narrow


@pytest.mark.parametrize("shape", [[3], [2, 3], [2, 1, 2, 3]])
def test_channels_have_ranges_of_their_own(shape):
    from ferroflow.contrib.quantize.python import quant_ops

    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) - 2
    made = quant_ops.LastValueQuantize(tf.constant(values), per_channel=True)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(made)
        low, high = session.run(["LastValueQuant/min:0", "LastValueQuant/max:0"])
    flat = values.reshape(-1, 3)
    np.testing.assert_array_equal(low, np.minimum(flat.min(0), 0))
    np.testing.assert_array_equal(high, np.maximum(flat.max(0), 0))


def test_channels_need_a_known_rank():
    from ferroflow.contrib.quantize.python import quant_ops

    with pytest.raises(ValueError, match="Expected 1D, 2D or 4D input"):
        quant_ops.MovingAvgQuantize(tf.ones([2, 2, 2]), per_channel=True)
    assert quant_ops.FixedQuantize(tf.ones([2])).op.type == "FakeQuantWithMinMaxArgs"


def test_patterns_match_inputs_in_any_order_and_by_name():
    from ferroflow.contrib.quantize.python import graph_matcher

    x, y = tf.placeholder(tf.float32, []), tf.constant(2.0)
    total = tf.add(y, x)
    constant = graph_matcher.OpTypePattern("Const", name="constant")
    ordered = graph_matcher.OpTypePattern("Add", inputs=["Placeholder", constant])
    free = graph_matcher.OpTypePattern("Add|Sub", inputs=["Placeholder", constant], ordered_inputs=False)
    assert not list(graph_matcher.GraphMatcher(ordered).match_graph(tf.get_default_graph()))
    (match,) = graph_matcher.GraphMatcher(free).match_graph(tf.get_default_graph())
    assert match.get_op(free) is total.op
    assert match.get_tensor("constant") is y
    assert match.get_op("other") is None
    assert match.get_tensor(graph_matcher.OneofPattern([free])) is None
    with pytest.raises(ValueError, match="Expect Pattern or str"):
        match.get_op(3)
    with pytest.raises(ValueError, match="at most 8 inputs"):
        graph_matcher.OpTypePattern("Add", inputs=["*"] * 9)
