"""TensorFlow's tools for frozen graphs, by their paths: the graphs they return compute what the first one does."""

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.python.framework.ops import set_shapes_for_outputs
from ferroflow.python.tools.freeze_graph import freeze_graph
from ferroflow.python.tools.inspect_checkpoint import print_tensors_in_checkpoint_file
from ferroflow.python.tools.optimize_for_inference_lib import fold_batch_norms, optimize_for_inference
from ferroflow.python.tools.strip_unused_lib import strip_unused


def computed(graph_def, fetch, feeds):
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.import_graph_def(graph_def, name="")
        return sess.run(fetch, feeds)


def normalized(gamma, with_scale=True):
    """A convolution with a normalization behind it, as constants."""
    x = tf.placeholder(tf.float32, [None, 5, 5, 2], name="x")
    random = np.random.RandomState(0)
    weights = tf.constant(random.randn(3, 3, 2, 4).astype(np.float32), name="weights")
    mean, variance = (random.rand(4).astype(np.float32) for _ in range(2))
    y = tf.nn.conv2d(x, weights, [1, 1, 1, 1], "SAME", name="conv")
    beta = tf.constant([0.5, -1.0, 0.0, 2.0])
    if with_scale is None:
        y, _, _ = tf.nn.fused_batch_norm(y, tf.constant(gamma), beta, mean, variance, is_training=False, name="norm")
    else:
        # `tf.nn.batch_norm_with_global_normalization` adds elementary operations; graphs of the time hold this one.
        y = tf.raw_ops.BatchNormWithGlobalNormalization(
            t=y,
            m=tf.constant(mean),
            v=tf.constant(variance),
            beta=beta,
            gamma=tf.constant(gamma),
            variance_epsilon=0.001,
            scale_after_normalization=with_scale,
            name="norm",
        )
    return tf.nn.relu(y, name="out"), random.randn(2, 5, 5, 2).astype(np.float32)


@pytest.mark.parametrize("with_scale", [None, True, False])
def test_folded_normalizations_compute_the_same(with_scale):
    gamma = np.array([1.0, 0.5, 2.0, -1.0], np.float32)
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        out, x = normalized(gamma, with_scale)
        expected = sess.run(out, {"x:0": x})
        graph_def = graph.as_graph_def()
    folded = optimize_for_inference(graph_def, ["x"], ["out"], tf.float32.as_datatype_enum)
    np.testing.assert_allclose(computed(folded, "out:0", {"x:0": x}), expected, rtol=1e-5, atol=1e-5)
    types = [node.op for node in folded.node]
    assert not any("BatchNorm" in op for op in types)
    assert "BiasAdd" in types
    assert fold_batch_norms(tf.GraphDef()) == tf.GraphDef()


def test_a_frozen_graph_has_the_checkpoints_values(tmp_path, capsys):
    prefix = str(tmp_path / "model")
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        v = tf.get_variable("v", initializer=[[1.0], [2.0]])
        tf.matmul(x, v, name="out")
        sess.run(tf.global_variables_initializer())
        sess.run(v.assign([[3.0], [4.0]]))
        tf.train.Saver().save(sess, prefix)
        tf.train.write_graph(graph.as_graph_def(), str(tmp_path), "graph.pbtxt")
    for source in (
        {"input_graph": str(tmp_path / "graph.pbtxt"), "input_meta_graph": None, "input_binary": False},
        {"input_graph": None, "input_meta_graph": f"{prefix}.meta", "input_binary": True},
    ):
        frozen = freeze_graph(
            input_saver="",
            input_checkpoint=prefix,
            output_node_names="out",
            restore_op_name="save/restore_all",
            filename_tensor_name="save/Const:0",
            output_graph=str(tmp_path / "frozen.pb"),
            clear_devices=True,
            initializer_nodes="",
            **source,
        )
        assert computed(frozen, "out:0", {"x:0": [[1.0, 1.0]]}).tolist() == [[7.0]]
        assert tf.GraphDef.FromString((tmp_path / "frozen.pb").read_bytes()) == frozen
    part = strip_unused(frozen, ["x"], ["out"], tf.float32.as_datatype_enum)
    assert {node.op for node in part.node} <= {"Placeholder", "Const", "MatMul", "Identity"}
    with pytest.raises(ValueError, match="refer to a Tensor"):
        strip_unused(frozen, ["x:0"], ["out"], 1)
    with pytest.raises(KeyError, match="not found"):
        strip_unused(frozen, ["y"], ["out"], 1)
    print_tensors_in_checkpoint_file(prefix, "v", all_tensors=False)
    assert "[3.]" in capsys.readouterr().out
    print_tensors_in_checkpoint_file(f"{prefix}.index", "", all_tensors=True)
    assert "without what files add" in capsys.readouterr().out


def test_shapes_of_outputs_are_there():
    with tf.Graph().as_default():
        set_shapes_for_outputs(tf.constant(1.0).op)
        with pytest.raises(TypeError, match="Operation"):
            set_shapes_for_outputs(1.0)


def test_versions_have_a_module():
    assert tf.version.VERSION == tf.VERSION
    assert tf.version.GRAPH_DEF_VERSION == tf.GRAPH_DEF_VERSION
