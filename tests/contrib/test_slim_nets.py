"""Networks of `tf.contrib.slim.nets` are TensorFlow 1.15.5's: names, shapes, losses, updates and numbers."""

import json
import lzma
from pathlib import Path

import numpy as np
import pytest
from golden.slim_net_programs import CASES, describe

import ferroflow as tf

_FILE = Path(__file__).parent.parent / "golden" / "slim_nets.json.xz"
GOLDEN = json.loads(lzma.decompress(_FILE.read_bytes()))


@pytest.mark.parametrize("case", CASES)
def test_a_network_is_tensorflows(case):
    found, expected = describe(tf, case), GOLDEN[case]
    # TensorFlow 1.8 has no later versions of this op, and they compute the same.
    expected["ends"] = [
        [name, shape, op.replace("FusedBatchNormV3", "FusedBatchNorm")] for name, shape, op in expected["ends"]
    ]
    for part in ("variables", "model_variables", "ends", "net", "losses", "updates"):
        assert found[part] == expected[part], part
    if "numbers" in expected:
        np.testing.assert_allclose(found["numbers"], expected["numbers"], rtol=2e-4, atol=2e-4 * expected["size"])


def test_every_golden_case_is_compared():
    assert set(GOLDEN) == set(CASES)


def test_an_end_point_that_no_row_has_is_refused():
    images = tf.zeros([1, 96, 96, 3])
    for version in "123":
        base = getattr(tf.contrib.slim.nets.inception, f"inception_v{version}_base")
        with pytest.raises(ValueError, match="Unknown final endpoint Mixed_9z"):
            base(images, "Mixed_9z")


@pytest.mark.parametrize("version", "23")
def test_a_multiplier_is_positive(version):
    network = getattr(tf.contrib.slim.nets.inception, f"inception_v{version}")
    with pytest.raises(ValueError, match="depth_multiplier"):
        network(tf.zeros([1, 224, 224, 3]), depth_multiplier=0.0)


@pytest.mark.parametrize("stride", [3, 20, 64])
def test_an_output_stride_out_of_reach_is_refused(stride):
    with pytest.raises(ValueError, match="output_stride"):
        tf.contrib.slim.nets.resnet_v1.resnet_v1_50(tf.zeros([1, 33, 33, 3]), output_stride=stride)


def test_a_denser_output_has_the_coarse_one_at_every_second_place():
    """The law of atrous convolutions: with half the stride, every second row and column is as before."""
    images = tf.constant(np.random.RandomState(0).rand(1, 65, 65, 3).astype(np.float32))
    net = tf.contrib.slim.nets.resnet_v2
    with tf.contrib.slim.arg_scope(net.resnet_arg_scope()):
        blocks = [net.resnet_v2_block("block1", 1, 2, 2), net.resnet_v2_block("block2", 2, 2, 2)]
        coarse, _ = net.resnet_v2(images, blocks, is_training=False, global_pool=False, scope="net")
        dense, _ = net.resnet_v2(
            images, blocks, is_training=False, global_pool=False, output_stride=8, reuse=True, scope="net"
        )
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        whole, part = sess.run([dense, coarse])
    assert whole.shape[1] > part.shape[1]
    np.testing.assert_allclose(whole[:, ::2, ::2], part, rtol=1e-4, atol=1e-5)


def test_a_network_learns():
    slim, images = tf.contrib.slim, np.random.RandomState(0).rand(8, 33, 33, 3).astype(np.float32)
    labels = tf.one_hot(np.arange(8) % 2, 2)
    with slim.arg_scope(slim.nets.resnet_v1.resnet_arg_scope()):
        block = slim.nets.resnet_v1.resnet_v1_block("block1", 4, 2, 2)
        logits, _ = slim.nets.resnet_v1.resnet_v1(tf.constant(images), [block], num_classes=2, is_training=True)
    loss = tf.losses.softmax_cross_entropy(labels, tf.squeeze(logits, [1, 2]))
    train = slim.learning.create_train_op(loss, tf.train.AdamOptimizer(0.01))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        losses = [sess.run(train) for _ in range(30)]
    assert losses[-1] < 0.5 * losses[0]
