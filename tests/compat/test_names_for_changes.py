"""Internal names by which libraries change or read what is behind the public ones; values are TensorFlow 1.15.5's."""

import copy
import pickle

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.contrib.compiler import jit
from ferroflow.contrib.layers.python.layers import layers as contrib_layers
from ferroflow.python import pywrap_tensorflow
from ferroflow.python.framework import ops
from ferroflow.python.keras.layers.recurrent import PeepholeLSTMCell
from ferroflow.python.keras.utils import conv_utils, generic_utils
from ferroflow.python.layers import utils
from ferroflow.python.ops import array_ops, gradient_checker, math_ops, nn_ops
from ferroflow.python.tools import saved_model_utils


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_rules_of_gradients_can_be_found_and_replaced(session):
    registry = ops._gradient_registry
    assert "MatMul" in registry._registry
    assert "RuleOfThisTest" not in registry._registry
    assert registry.lookup("Equal") is None
    with pytest.raises(LookupError, match="gradient registry has no entry for: RuleOfThisTest"):
        registry.lookup("RuleOfThisTest")
    saved = copy.copy(registry._registry)
    x = tf.constant(2.0)
    try:
        registry.register(lambda op, dy: dy * 5, "RuleOfThisTest")
        with tf.get_default_graph().gradient_override_map({"Identity": "RuleOfThisTest"}):
            y = tf.identity(x)
        assert session.run(tf.gradients(y, x)) == [5.0]
        registry._registry["Identity"] = {"type": lambda op, dy: dy * 7}
        assert session.run(tf.gradients(tf.identity(x), x)) == [7.0]
    finally:
        registry._registry = saved
    assert session.run(tf.gradients(tf.identity(x), x)) == [1.0]
    assert "RuleOfThisTest" not in registry.list()


def test_operations_are_marked_for_xla():
    with tf.Graph().as_default():
        x = tf.constant(2.0)
        with jit.experimental_jit_scope():
            a = tf.add(x, 1.0)
            with jit.experimental_jit_scope(lambda node_def: node_def.op == "Mul"):
                b, c = a * 2.0, a - 1.0
        with jit.experimental_jit_scope(False):
            d = tf.add(x, 3.0)
        marks = [(y.op.get_attr("_XlaCompile"), y.op.get_attr("_XlaScope")) for y in (a, b, c, d)]
    assert marks == [(True, b"jit_scope_0"), (True, b"jit_scope_0"), (False, b"jit_scope_0"), (False, b"jit_scope_1")]


def test_the_older_profiler_counts_parameters_and_operations(tmp_path):
    analyzer = tf.contrib.tfprof.model_analyzer
    with tf.Graph().as_default() as graph:
        tf.matmul(tf.ones([2, 3]), tf.get_variable("w", [3, 4]))
        tf.get_variable("b", [4])
        options = {**analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS, "dump_to_file": str(tmp_path / "costs")}
        assert analyzer.print_model_analysis(graph, tfprof_options=options).total_parameters == 16
        assert "w (3x4, 12/12 params)" in (tmp_path / "costs").read_text()
        none = {**analyzer.FLOAT_OPS_OPTIONS, "output": "none"}
        with_products = analyzer.print_model_analysis(graph, tfprof_options=none).total_float_ops
    assert with_products >= 2 * 2 * 3 * 4


def test_names_of_versions_are_those_of_the_functions(session):
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    assert session.run(math_ops.reduce_max_v1(x, reduction_indices=1)).tolist() == [2, 5]
    assert session.run(math_ops.argmax_v2(x)).tolist() == [1, 1]
    np.testing.assert_allclose(session.run(nn_ops.softmax_v2(x, axis=0))[0], [0.11920291, 0.04742587], rtol=1e-5)
    assert array_ops.expand_dims_v2(x, 0).shape == [1, 2, 2]
    assert not hasattr(math_ops, "no_such_name_v2")


def test_a_getter_makes_model_variables(session):
    with tf.variable_scope("s", custom_getter=contrib_layers._build_variable_getter({"kernel": "weights"})):
        kernel = tf.get_variable("kernel", [2])
    contrib_layers._add_variable_to_collections(kernel, {"weights": ["seen"]}, "weights")
    assert kernel.op.name == "s/weights"
    assert tf.model_variables() == tf.get_collection("seen") == [kernel]


def test_jacobians_of_gradients(session):
    w = tf.get_variable("w", [3, 4])
    dx, dy = gradient_checker._compute_dx_and_dy(w, tf.square(w), [3, 4])
    session.run(tf.global_variables_initializer())
    ones = np.ones([3, 4], np.float32)
    jacobian = gradient_checker._compute_theoretical_jacobian(w, [3, 4], ones, dy, [3, 4], dx, None)
    assert jacobian.tolist() == (2 * np.eye(12)).tolist()


def test_small_functions_of_layers():
    assert utils.convert_data_format("channels_first", 4) == "NCHW"
    with pytest.raises(ValueError, match="Input rank not supported"):
        utils.convert_data_format("channels_last", 6)
    with pytest.raises(ValueError, match="Invalid data_format"):
        utils.convert_data_format("NHWC", 4)
    assert [utils.conv_input_length(7, 3, kind, 2) for kind in ("same", "valid", "full")] == [13, 15, 11]
    assert [utils.deconv_output_length(7, 3, kind, 2) for kind in ("same", "valid", "full")] == [14, 15, 11]
    assert utils.deconv_output_length(None, 3, "full", 2) is None
    assert generic_utils.to_snake_case("MaxPooling2D") == "max_pooling2d"
    assert generic_utils.make_batches(5, 2) == [(0, 2), (2, 4), (4, 5)]
    with pytest.raises(TypeError, match="not understood"):
        generic_utils.validate_kwargs({"axes": 1}, {"axis"})


def test_subclasses_of_convolutions_compute_them_with_other_kernels(session):
    class Doubled(tf.layers.Conv2D):
        def call(self, inputs):
            return self._convolution_op(inputs, 2.0 * self.kernel)

    x = tf.ones([1, 3, 3, 1])
    options = {"kernel_initializer": tf.ones_initializer(), "use_bias": False}
    y = Doubled(1, 3, **options)(x)
    session.run(tf.global_variables_initializer())
    assert session.run(y).tolist() == [[[[18.0]]]]
    assert conv_utils.normalize_data_format(None) == tf.keras.backend.image_data_format()


def test_graphs_are_compared():
    def graph_of(value):
        with tf.Graph().as_default() as graph:
            tf.constant(value, name="a")
        return graph.as_graph_def().SerializeToString()

    assert pywrap_tensorflow.EqualGraphDefWrapper(graph_of(1.0), graph_of(1.0)) == b""
    assert b"Node named 'a' has attr 'value'" in pywrap_tensorflow.EqualGraphDefWrapper(graph_of(1.0), graph_of(2.0))


def test_graphs_of_saved_models_have_their_tags(session, tmp_path):
    x = tf.placeholder(tf.float32, [], name="x")
    tf.saved_model.simple_save(session, str(tmp_path / "m"), {"x": x}, {"y": x * 2})
    assert saved_model_utils.get_saved_model_tag_sets(str(tmp_path / "m")) == [["serve"]]
    assert saved_model_utils.get_meta_graph_def(str(tmp_path / "m"), "serve").graph_def.node[0].name == "x"
    with pytest.raises(RuntimeError, match="could not be found"):
        saved_model_utils.get_meta_graph_def(str(tmp_path / "m"), "train")
    with pytest.raises(IOError, match="does not exist"):
        saved_model_utils.read_saved_model(str(tmp_path / "none"))


def test_modules_that_contrib_passes_on():
    assert tf.contrib.slim.layers.conv2d is tf.contrib.layers.conv2d
    assert tf.contrib.slim.learning.supervisor.Supervisor is tf.train.Supervisor
    assert tf.contrib.layers.summaries.summarize_activation is tf.contrib.layers.summarize_activation
    assert callable(tf.contrib.losses.metric_learning.triplet_semihard_loss)


def test_messages_of_tensors_are_constants(session):
    message = tf.make_tensor_proto([2, 3])
    assert session.run(tf.constant(message)).tolist() == [2, 3]
    # As in TensorFlow, the message's dtype counts.
    assert tf.constant(message, dtype=tf.float32).dtype == tf.int32
    assert session.run(tf.reshape(tf.range(6), message)).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_files_take_what_pickle_writes(tmp_path):
    value = {"array": np.arange(100000), "view": memoryview(b"ab").tobytes()}
    with tf.gfile.Open(str(tmp_path / "value"), "wb") as file:
        pickle.dump(value, file, protocol=5)
    with tf.gfile.Open(str(tmp_path / "value"), "rb") as file:
        assert pickle.load(file)["array"].tolist() == value["array"].tolist()


def test_variables_behind_handles_take_initial_values_of_unknown_shape(session):
    initial = tf.placeholder_with_default(tf.zeros([3]), shape=[None])
    v = tf.Variable(initial, use_resource=True)
    session.run(v.initializer)
    assert v.shape.as_list() == [None]
    assert session.run(v.assign(tf.zeros([5]))).shape == (5,)
    w = tf.get_variable("w", initializer=tf.placeholder_with_default(2.0, shape=None), use_resource=True)
    session.run(w.initializer)
    assert (w.shape.ndims, session.run(w)) == (None, 2.0)


def test_keras_has_reductions_softmax_along_an_axis_and_holes_in_depthwise_convolutions(session):
    reduction = tf.compat.v2.losses.Reduction
    assert (reduction.AUTO, reduction.SUM_OVER_BATCH_SIZE) == ("auto", "sum_over_batch_size")
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    np.testing.assert_allclose(session.run(tf.keras.backend.softmax(x, axis=0))[0], [0.11920291, 0.04742587], rtol=1e-5)
    layer = tf.keras.layers.DepthwiseConv2D(3, dilation_rate=2)
    assert layer(tf.zeros([1, 9, 9, 2])).shape == [1, 5, 5, 2]
    assert list(layer.get_config()["dilation_rate"]) == [2, 2]


def test_gates_with_peepholes_compute_tensorflows_values():
    with tf.Graph().as_default():
        x = tf.keras.Input([4, 2])
        model = tf.keras.Model(x, tf.keras.layers.RNN(PeepholeLSTMCell(3), return_sequences=True)(x))
        random = np.random.RandomState(0)
        model.set_weights([random.rand(*w.shape.as_list()) for w in model.weights])
        found = model.predict(random.rand(1, 4, 2))
        tf.keras.backend.clear_session()
    np.testing.assert_allclose(found[0, 0], [0.25184, 0.21429, 0.36186], atol=1e-5)
    np.testing.assert_allclose(found[0, 3], [0.99228, 0.94684, 0.99463], atol=1e-5)


def test_an_argument_scope_of_model_variables_places_the_variables_of_layers():
    slim = tf.contrib.slim
    with tf.Graph().as_default(), tf.device("/gpu:0"):
        with slim.arg_scope([slim.model_variable, slim.variable], device="/cpu:0"):
            y = slim.fully_connected(slim.conv2d(tf.ones([1, 3, 3, 1]), 2, 3), 2)
        assert {v.device for v in slim.get_variables()} == {"/device:CPU:0"}
        assert y.op.device == "/device:GPU:0"
