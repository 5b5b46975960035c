"""Names that libraries import from TensorFlow's internal modules."""

import numpy as np

import ferroflow as tf
from ferroflow.python.estimator import model_fn
from ferroflow.python.estimator.export import export, export_lib
from ferroflow.python.framework import tensor_util
from ferroflow.python.keras import backend
from ferroflow.python.ops import resource_variable_ops


def test_names_of_the_losses_of_estimators() -> None:
    assert (model_fn.LOSS_METRIC_KEY, model_fn.AVERAGE_LOSS_METRIC_KEY) == ("loss", "average_loss")


def test_receivers_of_training_and_evaluation() -> None:
    assert export.SupervisedInputReceiver is export_lib.SupervisedInputReceiver
    assert (
        export.build_raw_supervised_input_receiver_fn
        is tf.estimator.experimental.build_raw_supervised_input_receiver_fn
    )


def test_sizes_of_a_message() -> None:
    assert tensor_util.TensorShapeProtoToList(tf.TensorShape([2, None]).as_proto()) == [2, -1]


def test_messages_of_variables() -> None:
    with tf.Graph().as_default():
        variable = tf.get_variable("x", [2], use_resource=True)
        message = resource_variable_ops._to_proto_fn(variable)
        assert message.variable_name == "x:0"
        assert resource_variable_ops._from_proto_fn(message).name == variable.name


def test_depthwise_convolutions_are_those_of_nn() -> None:
    x = np.random.RandomState(0).rand(2, 5, 6, 3).astype(np.float32)
    kernel = np.random.RandomState(1).rand(2, 3, 3, 2).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        made = backend.depthwise_conv2d(tf.constant(x), tf.constant(kernel), strides=(2, 2), padding="same")
        wanted = tf.nn.depthwise_conv2d(x, kernel, [1, 2, 2, 1], "SAME")
        np.testing.assert_array_equal(*sess.run([made, wanted]))


def test_variables_by_reference_are_described_as_such(capsys) -> None:
    with tf.Graph().as_default():
        named = [tf.get_variable("q", [3, 4], use_resource=False), tf.get_variable("r", [3, 4], use_resource=True)]
        tf.contrib.slim.model_analyzer.analyze_vars(named, print_info=True)
    lines = capsys.readouterr().out.splitlines()
    assert lines[3:5] == ["q:0 (float32_ref 3x4) [12, bytes: 48]", "r:0 (float32 3x4) [12, bytes: 48]"]
