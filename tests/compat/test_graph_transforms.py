"""`tf.tools.graph_transforms`: the results stay, and the nodes are those of TensorFlow 1.15.5."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow._src.internals.graph_transforms.applying import _ABSENT, _TRANSFORMS
from ferroflow.tools.graph_transforms import TransformGraph

IMAGES = np.random.RandomState(1).rand(2, 8, 8, 3).astype(np.float32)


def graph_of_net():
    """Returns the GraphDef of a small net: input `x`, output `out`."""
    random = np.random.RandomState(0)

    def parameter(name, *shape):
        return tf.constant(0.3 * random.randn(*shape).astype(np.float32), name=name)

    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 8, 8, 3], name="x")
        y = tf.nn.conv2d(x, parameter("w", 3, 3, 3, 4), [1, 1, 1, 1], "SAME", name="conv")
        y = tf.multiply(y, parameter("factors", 4), name="mul")
        y = tf.nn.bias_add(y, parameter("b", 4), name="bias")
        y = tf.nn.relu(tf.identity(y, name="same"), name="relu")
        y = tf.nn.conv2d(y, parameter("w2", 3, 3, 4, 8), [1, 1, 1, 1], "SAME", name="conv2")
        gamma, beta, mean = (parameter(name, 8) for name in ("gamma", "beta", "mean"))
        variance = tf.constant(random.rand(8).astype(np.float32) + 0.5, name="variance")
        y, _, _ = tf.nn.fused_batch_norm(y, gamma, beta, mean, variance, is_training=False, name="bn")
        two, three = tf.constant(2.0, name="two"), tf.constant(3.0, name="three")
        five = tf.add(two, three, name="five")
        y = tf.concat([y * five, y * five], 3, name="cat")
        with tf.control_dependencies([five]):
            y = tf.identity(y, name="after")
        size = tf.reduce_prod(tf.shape(y)[1:], name="size")
        y = tf.reshape(y, tf.stack([-1, size]), name="flat")
        y.set_shape([None, 1024])
        y = tf.matmul(y, parameter("w3", 1024, 5), name="mm")
        tf.square(tf.nn.softmax(y, name="out"), name="unused")
    graph_def = graph.as_graph_def()
    next(node for node in graph_def.node if node.name == "conv").device = "/cpu:0"
    return graph_def


NET = graph_of_net()


def output(graph_def, feed=True):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        return session.run("out:0", {"x:0": IMAGES} if feed else {})


EXACT = [
    "add_default_attributes",
    "backport_concatv2",
    "fold_constants",
    "fold_constants(ignore_errors=true)",
    "insert_logging(op=BiasAdd, show_name=true, message=seen, first_n=1)",
    "merge_duplicate_nodes",
    "obfuscate_names",
    "remove_attribute(attribute_name=_output_shapes)",
    "remove_control_dependencies",
    "remove_device",
    "remove_nodes(op=Identity)",
    "rename_attribute(old_attribute_name=missing, new_attribute_name=other)",
    "rename_node(old_node_name=relu, new_node_name=other)",
    "rename_op(old_op_name=Missing, new_op_name=Other)",
    'set_device(device="/cpu:0", if_default=true)',
    "sort_by_execution_order",
    "strip_unused_nodes",
]
NEAR = {
    "fold_batch_norms": 1e-4,
    "flatten_atrous_conv": 1e-4,
    "fold_old_batch_norms": 1e-4,
    "quantize_weights": 0.1,
    "round_weights(num_steps=4096)": 0.02,
}


@pytest.mark.parametrize("transform", [*EXACT, *NEAR])
def test_the_result_stays(transform):
    transformed = TransformGraph(NET, ["x"], ["out"], [transform])
    np.testing.assert_allclose(output(transformed), output(NET), rtol=1e-4, atol=NEAR.get(transform, 1e-5))


def test_every_transform_is_tested():
    assert {text.partition("(")[0] for text in (*EXACT, *NEAR)} == set(_TRANSFORMS)
    assert not _ABSENT & set(_TRANSFORMS)


@given(st.lists(st.sampled_from([*EXACT, "fold_batch_norms", "fold_old_batch_norms"]), min_size=2, max_size=5))
@settings(max_examples=8, deadline=None)
def test_transforms_follow_each_other(transforms):
    # A second use would give names that exist, or log what logs.
    transforms = list(dict.fromkeys(transforms))
    transformed = TransformGraph(NET, ["x"], ["out"], transforms)
    np.testing.assert_allclose(output(transformed), output(NET), rtol=1e-3, atol=1e-4)


def kinds(graph_def):
    return {node.name: node.op for node in graph_def.node}


@pytest.mark.parametrize(
    ("transform", "present", "absent"),
    [
        ("fold_constants", {"five": "Const", "size": "Prod"}, ["two", "three", "unused"]),
        ("fold_batch_norms", {"mul": "Conv2D", "conv2": "Conv2D"}, ["conv", "factors"]),
        ("fold_old_batch_norms", {"bn": "BiasAdd", "bn_offset": "Const"}, []),
        ("remove_nodes(op=Identity)", {"relu": "Relu"}, ["same", "after"]),
        ("strip_unused_nodes", {"out": "Softmax"}, ["unused"]),
        ("quantize_weights", {"w3": "Dequantize", "w3_quantized_const": "Const", "w2": "Const"}, []),
        ("quantize_weights(minimum_size=8)", {"gamma": "Dequantize", "two": "Const"}, []),
        ("backport_concatv2", {"cat": "Concat"}, []),
        ("insert_logging(op=Relu)", {"relu__print__": "Print"}, []),
        ("rename_op(old_op_name=Relu, new_op_name=Relu6)", {"relu": "Relu6"}, []),
        ("obfuscate_names", {"x": "Placeholder", "out": "Softmax", "0": "Const"}, ["relu"]),
    ],
)
def test_nodes_are_those_of_tensorflow(transform, present, absent):
    found = kinds(TransformGraph(NET, ["x"], ["out"], [transform]))
    assert present.items() <= found.items()
    assert not set(absent) & found.keys()


def test_an_inner_input_becomes_a_placeholder():
    specification = 'strip_unused_nodes(name=relu, type_for_name=float, shape_for_name="1,8,8,4")'
    transformed = TransformGraph(NET, ["relu"], ["out"], [specification])
    found = next(node for node in transformed.node if node.name == "relu")
    assert found.op == "Placeholder"
    assert found.attr["dtype"].type == tf.float32.as_datatype_enum
    assert [dim.size for dim in found.attr["shape"].shape.dim] == [1, 8, 8, 4]
    assert "x" not in kinds(transformed)


def test_known_shapes_are_folded_and_random_numbers_are_not():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 3], name="x")
        parts = tf.split(tf.range(6), 2, name="parts")
        known = tf.reduce_sum(tf.shape(x)) + tf.size(x) + tf.rank(x) + tf.reduce_sum(parts[0] * parts[1])
        noise = tf.random_normal([]) - tf.random_normal([])
        tf.add(tf.cast(known, tf.float32) + 0.0 * noise, tf.reduce_sum(x), name="out")
    transformed = TransformGraph(graph.as_graph_def(), ["x"], ["out"], ["fold_constants"])
    found = kinds(transformed)
    assert not {"Shape", "Size", "Rank", "Split", "Range", "Sum_1"} & set(found.values())
    assert list(found.values()).count("RandomStandardNormal") == 2
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(transformed, name="")
        assert session.run("out:0", {"x:0": np.ones((2, 3), np.float32)}) == pytest.approx(5 + 6 + 2 + 14 + 6)


def test_an_atrous_convolution_becomes_one_node():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 8, 8, 3], name="x")
        weights = tf.constant(np.random.RandomState(2).randn(3, 3, 3, 2).astype(np.float32))
        spread = tf.space_to_batch_nd(x, [2, 2], [[2, 2], [2, 2]])
        inner = tf.nn.conv2d(spread, weights, [1, 1, 1, 1], "VALID")
        tf.identity(tf.batch_to_space_nd(inner, [2, 2], [[0, 0], [0, 0]]), name="out")
    before = graph.as_graph_def()
    transformed = TransformGraph(before, ["x"], ["out"], ["flatten_atrous_conv"])
    assert "BatchToSpaceND" not in kinds(transformed).values()
    np.testing.assert_allclose(output(transformed), output(before), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("size", [1, 4, 15, 16, 100])
def test_weights_are_rounded_to_the_middles_of_intervals(size):
    values = np.random.RandomState(size).randn(size).astype(np.float32)
    with tf.Graph().as_default() as graph:
        tf.constant(values, name="out")
    transformed = TransformGraph(graph.as_graph_def(), [], ["out"], ["round_weights(num_steps=4)"])
    width = (values.max() - values.min()) / 4
    middles = values.min() + (np.floor((values - values.min()) / max(width, 1e-9)) + 0.5) * width
    np.testing.assert_allclose(output(transformed, feed=False), values if size < 16 else middles, rtol=1e-5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "Transform 'nonsense' not recognized."),
        ("remove_nodes", "at least one 'op'"),
        ("rename_op(old_op_name=Relu)", "'new_op_name'"),
        ("set_device(device=/gpu:0)", "Looking for parameter name, but found :0"),
        ("remove_device(x", "Looking for ="),
        ("round_weights(num_steps=many)", "as a number:many"),
        ("quantize_weights(ignore_errors=perhaps)", "as a bool:perhaps"),
        ("(", "Looking for transform name"),
    ],
)
def test_texts_that_are_not_valid_raise(text, message):
    with pytest.raises(tf.errors.InvalidArgumentError) as failure:
        TransformGraph(NET, ["x"], ["out"], [text])
    assert message in str(failure.value)


def test_a_transform_that_is_absent_raises():
    with pytest.raises(tf.errors.UnimplementedError, match="quantize_nodes"):
        TransformGraph(NET, ["x"], ["out"], ["quantize_nodes"])


def test_errors_can_be_ignored_and_the_graph_stays():
    before = NET.SerializeToString(deterministic=True)
    transformed = TransformGraph(NET, ["x"], ["out"], ["remove_nodes(ignore_errors=true)"])
    assert kinds(transformed) == kinds(NET)
    assert NET.SerializeToString(deterministic=True) == before
