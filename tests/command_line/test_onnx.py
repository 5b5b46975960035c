"""ONNX models of frozen graphs compute in onnxruntime what the graphs compute here."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from command_line.onnx_cases import CASES, Fed

import ferroflow as tf
from ferroflow import _core
from ferroflow.command_line.main import main
from ferroflow.command_line.onnx_export.calls import NotConvertible
from ferroflow.command_line.onnx_export.export import export
from ferroflow.command_line.onnx_export.table import CONVERSIONS

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")
# The table of ops is a table of the engine's: an op that the engine lacks cannot be in a graph.
KNOWN = sorted(op for op in CONVERSIONS if hasattr(tf.raw_ops, op))


@pytest.fixture(autouse=True)
def _new_graph():
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        yield


def compared(outputs, feeds, tolerance=1e-5):
    """Converts the default graph and compares the outputs, relative to the largest of each."""
    names = [output.name for output in outputs]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        expected = sess.run(outputs, {f"{name}:0": value for name, value in feeds.items()})
        nodes = [output.op.name for output in outputs]
        frozen = tf.graph_util.convert_variables_to_constants(sess, sess.graph_def, nodes)
    model = runtime.InferenceSession(export(frozen, names), providers=["CPUExecutionProvider"])
    given = {end.name for end in model.get_inputs()}
    found = model.run(names, {f"{name}:0": value for name, value in feeds.items() if f"{name}:0" in given})
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        scale = np.abs(other[np.isfinite(other)]).max(initial=1.0) if other.dtype.kind == "f" else 0
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * scale)


def built(op, inputs, attrs):
    """Adds one operation and returns its outputs and feeds."""
    feeds = {}

    def tensor(value):
        if isinstance(value, list) and any(isinstance(one, Fed) for one in value):
            return [tensor(one) for one in value]
        if not isinstance(value, Fed):
            return value
        name = f"input_{len(feeds)}"
        feeds[name] = value.array
        shape = value.array.shape if value.known else [None] * value.array.ndim
        if op in ("Conv2D", "Conv2DBackpropInput", "DepthwiseConv2dNative", "Conv3D"):
            shape = value.array.shape
        return tf.placeholder(value.array.dtype, shape, name)

    names = [one["name"] for one in _core.op_info(op)["inputs"]]
    made = getattr(tf.raw_ops, op)(**{n: tensor(value) for n, value in zip(names, inputs, strict=True)}, **attrs)
    outputs = made if isinstance(made, (list, tuple)) else [made]
    return [outputs[0]] if op.startswith("FusedBatchNorm") else list(outputs), feeds


@pytest.mark.parametrize("op", [op for op in KNOWN if op != "PlaceholderWithDefault"])
def test_an_op_computes_the_same(op):
    for inputs, attrs in CASES[op]:
        with tf.Graph().as_default():
            outputs, feeds = built(op, inputs, attrs)
            assert outputs[0].op.type == op
            compared(outputs, feeds)
    assert CASES[op]


def test_a_default_is_used():
    compared(
        [tf.placeholder_with_default([1.0, 2.0], [2]) * tf.placeholder(tf.float32, [2], "x")], {"x": np.ones(2, "f")}
    )


def test_what_no_feed_changes_becomes_constants():
    x = tf.placeholder(tf.float32, [2, 3], "x")
    wide = tf.reshape(x, tf.stack([tf.shape(x)[0] * tf.size(x) // 2, -1])) * tf.reduce_sum(tf.range(5.0))
    model = onnx.load_from_string(export(tf.get_default_graph().as_graph_def(), [wide.op.name]))
    assert [node.op_type for node in model.graph.node] == ["Reshape", "Mul"]
    compared([wide], {"x": np.ones([2, 3], np.float32)})


NETS = ("inception.inception_v1", "resnet_v1.resnet_v1_50")


@pytest.mark.parametrize("name", NETS)
def test_a_network_of_slim(name):
    module, function = name.split(".")
    net = getattr(getattr(tf.contrib.slim.nets, module), function)
    size = 33 if "resnet" in name else net.default_image_size
    images = tf.placeholder(tf.float32, [None, size, size, 3], "images")
    names = {"resnet_v1": "resnet_arg_scope"}
    scope = getattr(getattr(tf.contrib.slim.nets, module), names.get(module, f"{function}_arg_scope"))
    with tf.contrib.slim.arg_scope(scope()):
        logits, _ = net(images, 10, is_training=False)
    # Logits of random weights are hundreds, and the exponential would amplify their rounding as much.
    likely = tf.nn.softmax(logits / tf.reduce_max(tf.abs(logits)))
    compared([likely, logits], {"images": np.random.RandomState(0).rand(1, size, size, 3).astype("f")})


def test_an_lstm_of_known_length():
    x = tf.placeholder(tf.float32, [None, 5, 4], "x")
    cells = [tf.nn.rnn_cell.LSTMCell(6, use_peepholes=True), tf.nn.rnn_cell.GRUCell(3)]
    cell = tf.nn.rnn_cell.MultiRNNCell(cells)
    outputs, state = tf.nn.static_rnn(cell, tf.unstack(x, axis=1), dtype=tf.float32)
    compared([tf.stack(outputs, 1), state[0].c], {"x": np.random.RandomState(0).randn(2, 5, 4).astype("f")})


def test_a_small_bert():
    words = tf.placeholder(tf.int32, [None, None], "words")
    mask = tf.placeholder(tf.int32, [None, None], "mask")
    batch, length, width, heads = tf.shape(words)[0], tf.shape(words)[1], 16, 4
    table = tf.get_variable("table", [30, width])
    places = tf.get_variable("places", [12, width])

    def dense(x, units, activation=None):
        return tf.layers.dense(x, units, activation)

    def gelu(x):
        return x * 0.5 * (1.0 + tf.erf(x / np.sqrt(2.0).astype("f")))

    def split_heads(x):
        return tf.transpose(tf.reshape(x, [batch, length, heads, width // heads]), [0, 2, 1, 3])

    x = tf.gather(table, words) + tf.expand_dims(tf.slice(places, [0, 0], [length, -1]), 0)
    bias = (1.0 - tf.cast(mask[:, None, None, :], tf.float32)) * -10000.0
    for _ in range(2):
        x = tf.contrib.layers.layer_norm(x, begin_norm_axis=-1)
        query, key, value = (split_heads(dense(x, width)) for _ in range(3))
        weights = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) / 2.0 + bias)
        joined = tf.reshape(tf.transpose(tf.matmul(weights, value), [0, 2, 1, 3]), [batch, length, width])
        x += dense(joined, width)
        x += dense(dense(x, 32, gelu), width)
    pooled = dense(tf.squeeze(x[:, 0:1, :], axis=1), width, tf.tanh)
    random = np.random.RandomState(0)
    ids, kept = random.randint(0, 30, [3, 7]).astype("i"), (random.rand(3, 7) < 0.8).astype("i")
    compared([x, pooled], {"words": ids, "mask": kept})


@pytest.fixture
def graph_file(tmp_path):
    def write(*outputs):
        path = tmp_path / "frozen.pb"
        path.write_bytes(tf.get_default_graph().as_graph_def().SerializeToString())
        return path

    return write


def test_the_command_writes_a_model(graph_file, tmp_path, capsys):
    tf.identity(tf.matmul(tf.placeholder(tf.float32, [None, 2], "x"), tf.ones([2, 3]), name="MatMul"), name="y")
    path = graph_file()
    assert main(["convert", str(path), "--to", "onnx"]) == 0
    assert "y" in capsys.readouterr().out
    model = runtime.InferenceSession(str(tmp_path / "frozen.onnx"))
    assert model.run(None, {"x:0": np.ones([1, 2], "f")})[0].tolist() == [[2, 2, 2]]
    assert main(["convert", str(path), str(tmp_path / "other.onnx"), "--outputs", "MatMul"]) == 0
    assert main(["convert", str(path), str(tmp_path / "third.onnx"), "--outputs", "nowhere"]) == 1
    assert "nowhere:0" in capsys.readouterr().err
    assert not (tmp_path / "third.onnx").exists()


def test_what_does_not_convert_is_named(graph_file, tmp_path, capsys):
    x = tf.placeholder(tf.float32, [None, 2], "x")
    tf.add(tf.lgamma(x, name="first"), tf.digamma(x, name="second"), name="y")
    tf.reduce_sum(x, tf.placeholder(tf.int32, [1], "axes"), name="z")
    assert main(["convert", str(graph_file()), "--to", "onnx", "--outputs", "y,z"]) == 1
    errors = capsys.readouterr().err
    assert "Lgamma (node 'first')" in errors
    assert "Digamma (node 'second')" in errors
    assert main(["convert", str(graph_file()), "--to", "onnx", "--outputs", "z"]) == 1
    assert "Sum (node 'z'): the axes depends on what is fed" in capsys.readouterr().err
    assert not (tmp_path / "frozen.onnx").exists()


def test_an_input_is_no_output():
    tf.placeholder(tf.float32, [2], "x")
    with pytest.raises(NotConvertible, match="x:0 is an input"):
        export(tf.get_default_graph().as_graph_def(), ["x"])


def test_the_page_is_the_table():
    path = Path(__file__).parents[2] / "docs" / "make_onnx_page.py"
    made = runpy.run_path(str(path))
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"]()
