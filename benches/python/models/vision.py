"""Models of pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .parts import (
    Model,
    batch_norm,
    conv,
    cross_entropy,
    dense,
    fed,
    integers,
    max_pool,
    minimized,
    normal,
    trained,
    weights,
)


def _resnet50(tf: Any, large: bool) -> Model:
    batch, side, classes = (4, 224, 1000) if large else (8, 64, 100)
    feeds: dict[Any, Any] = {}
    x, y = fed(tf, feeds, normal([batch, side, side, 3], 1)), fed(tf, feeds, integers(classes, [batch], 2))
    h = max_pool(tf, batch_norm(tf, conv(tf, x, 64, 7, "start", 2), "start_norm", tf.nn.relu), 3)
    for stage, (depth, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
        for block in range(blocks):
            with tf.variable_scope(f"stage{stage}_{block}"):
                stride = 2 if stage and not block else 1
                short = h if block else batch_norm(tf, conv(tf, h, 4 * depth, 1, "short", stride), "short_norm")
                h = batch_norm(tf, conv(tf, h, depth, 1, "a", stride), "a_norm", tf.nn.relu)
                h = batch_norm(tf, conv(tf, h, depth, 3, "b"), "b_norm", tf.nn.relu)
                h = tf.nn.relu(batch_norm(tf, conv(tf, h, 4 * depth, 1, "c"), "c_norm") + short)
    loss = cross_entropy(tf, y, dense(tf, tf.reduce_mean(h, [1, 2]), classes, "end"))
    return trained(tf, loss, feeds, tf.train.MomentumOptimizer(0.01, 0.9))


def _vgg(tf: Any, large: bool) -> Model:
    batch, side, classes, wide = (2, 224, 1000, 4096) if large else (16, 32, 10, 512)
    feeds: dict[Any, Any] = {}
    x, y = fed(tf, feeds, normal([batch, side, side, 3], 1)), fed(tf, feeds, integers(classes, [batch], 2))
    h = x
    for stage, (depth, convs) in enumerate(((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))):
        for i in range(convs):
            h = tf.nn.relu(conv(tf, h, depth, 3, f"conv{stage}_{i}", bias=True))
        h = max_pool(tf, h)
    h = tf.reshape(h, [-1, (side // 32) ** 2 * 512])
    for i in range(2):
        h = tf.nn.dropout(dense(tf, h, wide, f"fc{i}", tf.nn.relu), keep_prob=0.5, seed=i + 1)
    return trained(
        tf, cross_entropy(tf, y, dense(tf, h, classes, "end")), feeds, tf.train.MomentumOptimizer(0.001, 0.9)
    )


def _inception(tf: Any, large: bool) -> Model:
    batch, side, classes = (4, 192, 1000) if large else (8, 64, 100)
    feeds: dict[Any, Any] = {}
    x, y = fed(tf, feeds, normal([batch, side, side, 3], 1)), fed(tf, feeds, integers(classes, [batch], 2))

    def unit(h: Any, depth: int, size: int, name: str, stride: int = 1) -> Any:
        return batch_norm(tf, conv(tf, h, depth, size, name, stride), name + "_norm", tf.nn.relu)

    h = unit(unit(max_pool(tf, unit(x, 64, 7, "start", 2), 3), 64, 1, "second"), 192, 3, "third")
    h = max_pool(tf, h, 3)
    widths = ((64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64), (192, 96, 208, 16, 48, 64))
    widths += ((160, 112, 224, 24, 64, 64), (256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128))
    for number, (a, b1, b3, c1, c5, d) in enumerate(widths):
        with tf.variable_scope(f"mixed{number}"):
            towers = [unit(h, a, 1, "a"), unit(unit(h, b1, 1, "b1"), b3, 3, "b3")]
            towers.append(unit(unit(unit(h, c1, 1, "c1"), c5, 3, "c3"), c5, 3, "c5"))
            towers.append(unit(max_pool(tf, h, 3, 1), d, 1, "d"))
            h = tf.concat(towers, 3)
        if number in (1, 4):
            h = max_pool(tf, h, 3)
    h = tf.nn.dropout(tf.reduce_mean(h, [1, 2]), keep_prob=0.8, seed=1)
    return trained(
        tf, cross_entropy(tf, y, dense(tf, h, classes, "end")), feeds, tf.train.RMSPropOptimizer(0.001, 0.9, 0.9)
    )


def _mobilenet(tf: Any, large: bool) -> Model:
    batch, side, classes = (8, 160, 1000) if large else (16, 64, 10)
    feeds: dict[Any, Any] = {}
    x, y = fed(tf, feeds, normal([batch, side, side, 3], 1)), fed(tf, feeds, integers(classes, [batch], 2))
    h = tf.nn.relu6(batch_norm(tf, conv(tf, x, 32, 3, "start", 2), "start_norm"))
    steps = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1))
    for number, (depth, stride) in enumerate(steps):
        with tf.variable_scope(f"block{number}"):
            w = weights(tf, "depthwise", [3, 3, int(h.shape[-1]), 1])
            h = tf.nn.depthwise_conv2d(h, w, strides=[1, stride, stride, 1], padding="SAME")
            h = tf.nn.relu6(batch_norm(tf, h, "depthwise_norm"))
            h = tf.nn.relu6(batch_norm(tf, conv(tf, h, depth, 1, "pointwise"), "pointwise_norm"))
    loss = cross_entropy(tf, y, dense(tf, tf.reduce_mean(h, [1, 2]), classes, "end"))
    return trained(tf, loss, feeds, tf.train.RMSPropOptimizer(0.001, 0.9, 0.9))


def _transposed(tf: Any, x: Any, filters: int, size: int, name: str) -> Any:
    """Returns a transposed convolution with stride 2."""
    with tf.variable_scope(name):
        w = weights(tf, "kernel", [size, size, filters, int(x.shape[-1])])
        shape = [tf.shape(x)[0], 2 * int(x.shape[1]), 2 * int(x.shape[2]), filters]
        y = tf.nn.conv2d_transpose(x, w, output_shape=tf.stack(shape), strides=[1, 2, 2, 1], padding="SAME")
        y.set_shape([None, *shape[1:]])
        return y


def _dcgan(tf: Any, large: bool) -> Model:
    """The generator and the discriminator are trained by one loss each, in one step."""
    batch, side, depth = (32, 64, 64) if large else (16, 32, 32)
    feeds: dict[Any, Any] = {}
    x, z = fed(tf, feeds, normal([batch, side, side, 3], 1)), fed(tf, feeds, normal([batch, 100], 2))
    with tf.variable_scope("generator"):
        first = side // 8
        h = tf.reshape(dense(tf, z, first * first * 4 * depth, "start"), [-1, first, first, 4 * depth])
        h = batch_norm(tf, h, "norm0", tf.nn.relu)
        for i, filters in enumerate((2 * depth, depth)):
            h = batch_norm(tf, _transposed(tf, h, filters, 5, f"up{i}"), f"norm{i + 1}", tf.nn.relu)
        made = tf.tanh(_transposed(tf, h, 3, 5, "end"))

    def discriminator(h: Any) -> Any:
        with tf.variable_scope("discriminator", reuse=tf.AUTO_REUSE):
            for i in range(3):
                h = tf.nn.leaky_relu(conv(tf, h, depth * 2**i, 5, f"down{i}", 2, bias=True))
            return dense(tf, tf.reshape(h, [-1, (side // 8) ** 2 * depth * 4]), 1, "end")

    real, fake = discriminator(x), discriminator(made)
    entropy = tf.nn.sigmoid_cross_entropy_with_logits
    critic = tf.reduce_mean(entropy(labels=tf.ones_like(real), logits=real))
    critic += tf.reduce_mean(entropy(labels=tf.zeros_like(fake), logits=fake))
    maker = tf.reduce_mean(entropy(labels=tf.ones_like(fake), logits=fake))
    found = [tf.trainable_variables(name) for name in ("discriminator", "generator")]
    steps = [minimized(tf, tf.train.AdamOptimizer(2e-4, 0.5), *x) for x in ((critic, found[0]), (maker, found[1]))]
    return Model(critic, tf.group(*steps), feeds)


def _unet(tf: Any, large: bool) -> Model:
    batch, side, depth = (2, 128, 32) if large else (4, 64, 16)
    feeds: dict[Any, Any] = {}
    x, y = fed(tf, feeds, normal([batch, side, side, 1], 1)), fed(tf, feeds, integers(2, [batch, side, side], 2))

    def twice(h: Any, filters: int, name: str) -> Any:
        h = tf.nn.relu(conv(tf, h, filters, 3, name + "_a", bias=True))
        return tf.nn.relu(conv(tf, h, filters, 3, name + "_b", bias=True))

    kept, h = [], x
    for i in range(4):
        kept.append(twice(h, depth * 2**i, f"down{i}"))
        h = max_pool(tf, kept[-1])
    h = twice(h, depth * 16, "middle")
    for i in reversed(range(4)):
        h = twice(tf.concat([kept[i], _transposed(tf, h, depth * 2**i, 2, f"up{i}")], 3), depth * 2**i, f"join{i}")
    loss = cross_entropy(tf, y, conv(tf, h, 2, 1, "end", bias=True))
    return trained(tf, loss, feeds, tf.train.AdamOptimizer(1e-3))


def _vae(tf: Any, large: bool) -> Model:
    batch, hidden, latent = (256, 1024, 64) if large else (100, 500, 20)
    feeds: dict[Any, Any] = {}
    x = fed(tf, feeds, np.abs(np.tanh(normal([batch, 784], 1))))
    h = dense(tf, dense(tf, x, hidden, "in0", tf.nn.softplus), hidden, "in1", tf.nn.softplus)
    mean, log_variance = dense(tf, h, latent, "mean"), dense(tf, h, latent, "variance")
    z = mean + tf.exp(0.5 * log_variance) * tf.random_normal(tf.shape(mean), seed=1)
    h = dense(tf, dense(tf, z, hidden, "out0", tf.nn.softplus), hidden, "out1", tf.nn.softplus)
    logits = dense(tf, h, 784, "end")
    rebuilt = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits), 1)
    apart = -0.5 * tf.reduce_sum(1 + log_variance - tf.square(mean) - tf.exp(log_variance), 1)
    return trained(tf, tf.reduce_mean(rebuilt + apart), feeds, tf.train.AdamOptimizer(1e-3))


def _capsules(tf: Any, large: bool) -> Model:
    """Dynamic routing between 6x6x32 (8x8x8 if not large) and 10 capsules."""
    batch, kinds, side = (8, 32, 28) if large else (8, 8, 28)
    feeds: dict[Any, Any] = {}
    x, y = fed(tf, feeds, normal([batch, side, side, 1], 1)), fed(tf, feeds, integers(10, [batch], 2))

    def squash(v: Any) -> Any:
        norm = tf.reduce_sum(tf.square(v), -1, keep_dims=True)
        return v * norm / (1 + norm) / tf.sqrt(norm + 1e-9)

    w = weights(tf, "first", [9, 9, 1, 64])
    h = tf.nn.relu(tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="VALID"))
    h = tf.nn.conv2d(h, weights(tf, "second", [9, 9, 64, kinds * 8]), strides=[1, 2, 2, 1], padding="VALID")
    count = 36 * kinds
    capsules = squash(tf.reshape(h, [-1, count, 1, 8, 1]))
    matrix = weights(tf, "routes", [1, count, 10, 8, 16])
    tiled = tf.tile(capsules, [1, 1, 10, 1, 1])
    votes = tf.reduce_sum(matrix * tiled, 3)
    logits = tf.zeros([tf.shape(x)[0], count, 10, 1])
    for turn in range(3):
        votes_now = votes if turn == 2 else tf.stop_gradient(votes)
        out = squash(tf.reduce_sum(tf.nn.softmax(logits, 2) * votes_now, 1, keep_dims=True))
        if turn < 2:
            logits += tf.reduce_sum(votes_now * out, -1, keep_dims=True)
    length = tf.sqrt(tf.reduce_sum(tf.square(out), [1, 3]) + 1e-9)
    labels = tf.one_hot(y, 10)
    margin = labels * tf.square(tf.maximum(0.0, 0.9 - length))
    margin += 0.5 * (1 - labels) * tf.square(tf.maximum(0.0, length - 0.1))
    return trained(tf, tf.reduce_mean(tf.reduce_sum(margin, 1)), feeds, tf.train.AdamOptimizer(1e-3))


MODELS: dict[str, Callable[[Any, bool], Model]] = {
    "ResNet-50": _resnet50,
    "VGG-16": _vgg,
    "Inception": _inception,
    "MobileNet": _mobilenet,
    "DCGAN": _dcgan,
    "U-Net": _unet,
    "VAE": _vae,
    "capsules": _capsules,
}
