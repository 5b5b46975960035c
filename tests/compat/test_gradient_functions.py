"""Gradient functions and statistics of operations at TensorFlow's internal paths, with what 1.15.5 gives."""

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.python.framework import ops
from ferroflow.python.ops import array_grad, math_grad, nn_grad


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


@pytest.mark.parametrize(
    ("module", "name", "make", "slope"),
    [
        (nn_grad, "_ReluGrad", tf.nn.relu, lambda x: (x > 0).astype(np.float32)),
        (nn_grad, "_SoftplusGrad", tf.nn.softplus, lambda x: 1 / (1 + np.exp(-x))),
        (math_grad, "_TanhGrad", tf.tanh, lambda x: 1 - np.tanh(x) ** 2),
        (math_grad, "_SquareGrad", tf.square, lambda x: 2 * x),
        (array_grad, "_IdGrad", tf.identity, np.ones_like),
    ],
)
def test_a_gradient_function_gives_a_tensor(session, module, name, make, slope):
    x = np.array([-1.5, 0.5, 2.0], np.float32)
    function = getattr(module, name)
    assert function.__name__ == name
    gradient = function(make(tf.constant(x)).op, tf.constant([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(session.run(gradient), [1, 2, 3] * slope(x), rtol=1e-6)


def test_gradient_functions_of_several_inputs_give_one_each(session):
    a, b = tf.constant([[1.0, 2.0]]), tf.constant([[3.0], [4.0]])
    of_a, of_b = math_grad._MatMulGrad(tf.matmul(a, b).op, tf.constant([[2.0]]))
    assert [x.tolist() for x in session.run([of_a, of_b])] == [[[6, 8]], [[2], [4]]]


def test_each_module_has_its_own_functions():
    assert not hasattr(nn_grad, "_TanhGrad")
    assert not hasattr(math_grad, "_ReluGrad")
    assert {"_TanhGrad", "_AddGrad"} <= {*dir(math_grad)}


def test_flops_are_tensorflows(session):
    def flops(tensor):
        return ops.get_stats_for_node_def(session.graph, tensor.op.node_def, "flops").value

    rows = tf.placeholder(tf.float32, [None, 3])
    image = tf.zeros([1, 3, 4, 4])
    assert flops(tf.matmul(tf.zeros([2, 3]), tf.ones([3, 4]))) == 48
    assert flops(tf.nn.conv2d(image, tf.zeros([1, 1, 3, 3]), [1, 1, 1, 1], "SAME", data_format="NCHW")) == 288
    assert flops(tf.nn.conv3d(tf.zeros([1, 5, 6, 7, 3]), tf.zeros([2, 3, 4, 3, 5]), [1] * 5, "SAME")) == 151200
    assert flops(tf.nn.relu(rows)) is None
    with pytest.raises(ValueError, match=r"Shape \(\?, 3\) is not fully defined"):
        flops(tf.square(rows))
    with pytest.raises(ValueError, match="Only NHWC format is supported in flops computations"):
        flops(tf.nn.max_pool(image, [1, 1, 2, 2], [1, 1, 1, 1], "SAME", data_format="NCHW"))


def test_statistics_of_a_program_are_registered(session):
    @ops.RegisterStatistics("Cosh", "steps of a test")
    def _steps(graph, node):
        return ops.OpStats("steps of a test", graph.as_graph_element(node.name).outputs[0].shape.num_elements())

    node = tf.cosh(tf.zeros([2, 3])).op.node_def
    assert ops.get_stats_for_node_def(session.graph, node, "steps of a test").value == 6
    with pytest.raises(KeyError, match="Registering two statistical functions with name 'Cosh,steps of a test'!"):
        ops.RegisterStatistics("Cosh", "steps of a test")(_steps)
    with pytest.raises(KeyError, match="Registering two statistical functions with name 'Square,flops'!"):
        ops.RegisterStatistics("Square", "flops")(_steps)
    with pytest.raises(TypeError, match="statistic_type must not contain a comma"):
        ops.RegisterStatistics("Cosh", "a,b")


@pytest.mark.parametrize(("a", "b", "total"), [(3, None, 3), (None, 4, 4), (2, 4, 6)])
def test_statistics_add_up(a, b, total):
    sum_ = ops.OpStats("flops", a)
    sum_ += ops.OpStats("flops", b)
    assert sum_.value == total
    with pytest.raises(ValueError, match="Can't add an OpStat of type flops to one of bytes"):
        sum_ += ops.OpStats("bytes", 1)
