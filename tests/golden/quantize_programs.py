"""Networks that `tf.contrib.quantize` rewrites, which run alike on TensorFlow 1.15 and on ferroflow.

`PROGRAMS` has by name a network and how it is rewritten. `run` returns the nodes of the rewritten graph, and what the
network gives, in training for some steps.
"""

import importlib

import numpy as np

STEPS = 3


def _images(tf, channels=3, size=8):
    shape = [2, size, size, channels]
    data = np.linspace(-1.0, 1.0, int(np.prod(shape)), dtype=np.float32)
    # A constant as input would be folded into others.
    return tf.placeholder_with_default((np.sin(37.0 * data) + data).reshape(shape), shape, name="images")


def _start(tf, shape, seed):
    values = np.cos(np.arange(int(np.prod(shape))) * (0.7 + 0.1 * seed)).astype(np.float32)
    return values.reshape(shape) * np.float32(2.0 / np.sqrt(np.prod(shape[:-1])))


class _Initializer:
    """Gives values that do not depend on the random streams."""

    def __init__(self, tf):
        self._tf = tf
        self._made = 0

    def __call__(self, shape, dtype=None, partition_info=None):
        self._made += 1
        return self._tf.constant(_start(self._tf, [int(n) for n in shape], self._made))


def _slim_arguments(tf, training, **params):
    params = {"is_training": training, "decay": 0.9, "updates_collections": None, **params}
    return {
        "normalizer_fn": tf.contrib.layers.batch_norm,
        "normalizer_params": params,
        "weights_initializer": _Initializer(tf),
    }


def slim_conv(tf, training):
    out = tf.contrib.layers.conv2d(_images(tf), 4, 3, scope="conv", **_slim_arguments(tf, training, fused=True))
    return tf.contrib.layers.conv2d(out, 2, 1, normalizer_fn=None, scope="last", weights_initializer=_Initializer(tf))


def slim_conv_at_the_top(tf, training):
    layer = tf.layers.Conv2D(
        4, 3, padding="same", use_bias=False, kernel_initializer=_Initializer(tf), _scope="", name=""
    )
    del layer
    weights = tf.get_variable("weights", [3, 3, 3, 4], initializer=_Initializer(tf))
    out = tf.nn.conv2d(_images(tf), weights, [1, 1, 1, 1], "SAME")
    return tf.nn.relu(tf.layers.batch_normalization(out, training=training, momentum=0.9))


def slim_conv_with_scale(tf, training):
    arguments = _slim_arguments(tf, training, fused=True, scale=True, updates_collections=tf.GraphKeys.UPDATE_OPS)
    with tf.variable_scope("net"):
        out = tf.contrib.layers.conv2d(_images(tf), 4, 3, stride=2, activation_fn=tf.nn.relu6, **arguments)
        return tf.contrib.layers.conv2d(out, 4, 3, activation_fn=None, **arguments)


def slim_separable(tf, training):
    arguments = _slim_arguments(tf, training, fused=True)
    out = tf.contrib.layers.separable_conv2d(_images(tf), None, 3, depth_multiplier=1, scope="depthwise", **arguments)
    return tf.contrib.layers.conv2d(out, 5, 1, scope="pointwise", activation_fn=tf.nn.relu6, **arguments)


def slim_separable_whole(tf, training):
    arguments = _slim_arguments(tf, training, fused=True)
    return tf.contrib.layers.separable_conv2d(_images(tf), 4, 3, depth_multiplier=2, scope="separable", **arguments)


def slim_holes(tf, training):
    arguments = _slim_arguments(tf, training, fused=True)
    out = tf.contrib.layers.conv2d(_images(tf), 4, 3, rate=2, scope="atrous", **arguments)
    return tf.contrib.layers.separable_conv2d(out, None, 3, depth_multiplier=1, rate=2, scope="deep", **arguments)


def slim_residual(tf, training):
    arguments = _slim_arguments(tf, training, fused=True)
    out = tf.contrib.layers.conv2d(_images(tf), 4, 3, scope="block/first", **arguments)
    branch = tf.contrib.layers.conv2d(out, 4, 3, scope="block/second", activation_fn=None, **arguments)
    return tf.nn.relu(out + branch, name="block/out")


def slim_residual_after(tf, training):
    arguments = _slim_arguments(tf, training, fused=True)
    with tf.name_scope("outer"):
        out = tf.contrib.layers.conv2d(_images(tf), 3, 3, scope="conv", **arguments)
        return tf.identity(out + tf.identity(_images(tf)), name="sum")


def slim_linear_bottleneck(tf, training):
    arguments = _slim_arguments(tf, training, fused=True)
    out = tf.contrib.layers.conv2d(_images(tf), 6, 1, scope="expand", activation_fn=tf.nn.relu6, **arguments)
    out = tf.contrib.layers.conv2d(out, 3, 1, scope="project", activation_fn=tf.identity, **arguments)
    return tf.contrib.layers.conv2d(tf.add(out, 1.0), 3, 1, scope="next", **arguments)


def slim_dense(tf, training):
    arguments = _slim_arguments(tf, training, fused=True)
    out = tf.contrib.layers.flatten(_images(tf, size=4))
    out = tf.contrib.layers.fully_connected(out, 6, scope="dense", **arguments)
    return tf.contrib.layers.fully_connected(
        out, 3, activation_fn=None, scope="logits", weights_initializer=_Initializer(tf)
    )


def slim_partitioned(tf, training):
    with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(2, axis=3)):
        return tf.contrib.layers.conv2d(
            _images(tf), 4, 3, scope="conv", weights_initializer=tf.constant_initializer(0.25)
        )


def layers_conv(tf, training):
    out = tf.layers.conv2d(_images(tf), 4, 3, use_bias=False, name="conv", kernel_initializer=_Initializer(tf))
    out = tf.nn.relu(tf.layers.batch_normalization(out, training=training, momentum=0.9, name="norm"))
    out = tf.layers.max_pooling2d(out, 2, 2)
    out = tf.layers.conv2d(out, 3, 2, activation=tf.nn.relu6, name="biased", kernel_initializer=_Initializer(tf))
    out = tf.layers.dense(tf.layers.flatten(out), 5, name="dense", kernel_initializer=_Initializer(tf))
    return out


def layers_reshaped(tf, training):
    out = tf.layers.conv2d(_images(tf), 4, 3, use_bias=False, kernel_initializer=_Initializer(tf))
    out = tf.layers.batch_normalization(out, training=training, momentum=0.9)
    return tf.layers.dense(tf.reshape(out, [2, -1]), 2, kernel_initializer=_Initializer(tf))


def layers_channels_first(tf, training):
    images = tf.transpose(_images(tf), [0, 3, 1, 2])
    out = tf.contrib.layers.conv2d(
        images, 4, 3, scope="conv", data_format="NCHW", **_slim_arguments(tf, training, fused=True, data_format="NCHW")
    )
    return tf.reduce_max(out, [2, 3])


def layers_resources(tf, training):
    with tf.variable_scope("resources", use_resource=True):
        arguments = _slim_arguments(tf, training, fused=True, scale=True)
        out = tf.contrib.layers.conv2d(_images(tf), 4, 3, scope="conv", **arguments)
        return tf.layers.dense(tf.layers.flatten(out), 2, kernel_initializer=_Initializer(tf))


def sums_and_products(tf, training):
    out = tf.layers.conv2d(
        _images(tf), 3, 3, padding="same", activation=tf.nn.relu, kernel_initializer=_Initializer(tf)
    )
    other = tf.layers.conv2d(out, 3, 1, activation=tf.nn.relu, kernel_initializer=_Initializer(tf))
    both = out * other
    third = tf.reshape(both, [2, -1]) + 1.0
    return tf.nn.relu(third * 2.0) + tf.add(third, 3.0)


def shared_input(tf, training):
    out = tf.layers.conv2d(
        _images(tf), 3, 3, padding="same", activation=tf.nn.relu, kernel_initializer=_Initializer(tf)
    )
    return out + out


def unfused(tf, training):
    arguments = _slim_arguments(tf, training, fused=False)
    out = tf.contrib.layers.conv2d(_images(tf), 4, 3, scope="conv", **arguments)
    return tf.contrib.layers.fully_connected(tf.contrib.layers.flatten(out), 3, scope="dense", **arguments)


def unfused_scaled(tf, training):
    arguments = _slim_arguments(tf, training, fused=False, scale=True)
    out = tf.contrib.layers.conv2d(_images(tf), 4, 3, scope="net/conv", activation_fn=tf.nn.relu6, **arguments)
    return tf.contrib.layers.separable_conv2d(out, None, 3, depth_multiplier=1, scope="net/deep", **arguments)


def unfused_resources(tf, training):
    with tf.variable_scope("", use_resource=True):
        arguments = _slim_arguments(tf, training, fused=False, scale=True)
        return tf.contrib.layers.conv2d(_images(tf), 4, 3, scope="conv", **arguments)


def no_layers(tf, training):
    return tf.nn.softmax(tf.reshape(_images(tf), [2, -1]))


def mobilenet_like(tf, training):
    arguments = _slim_arguments(tf, training, fused=True, center=True, scale=True)
    with tf.variable_scope("Mobilenet"):
        out = tf.contrib.layers.conv2d(
            _images(tf), 4, 3, stride=2, scope="Conv2d_0", activation_fn=tf.nn.relu6, **arguments
        )
        for i in range(1, 4):
            out = tf.contrib.layers.separable_conv2d(
                out,
                None,
                3,
                depth_multiplier=1,
                activation_fn=tf.nn.relu6,
                scope="Conv2d_%d_depthwise" % i,
                **arguments,
            )
            out = tf.contrib.layers.conv2d(
                out, 4, 1, scope="Conv2d_%d_pointwise" % i, activation_fn=tf.nn.relu6, **arguments
            )
        out = tf.reduce_mean(out, [1, 2], keepdims=True)
        logits = tf.contrib.layers.conv2d(
            out, 3, 1, activation_fn=None, normalizer_fn=None, scope="Logits", weights_initializer=_Initializer(tf)
        )
        return tf.squeeze(logits, [1, 2])


def _rewrite(**arguments):
    """Returns an experimental rewrite by arguments, for training and for evaluation."""

    def rewrite(tf, training):
        module = tf.contrib.quantize
        kind = "training" if training else "eval"
        given = arguments if training else {k: v for k, v in arguments.items() if k != "freeze_bn_delay"}
        getattr(module, "experimental_create_%s_graph" % kind)(**given)

    return rewrite


def plain(tf, training):
    if training:
        tf.contrib.quantize.create_training_graph()
    else:
        tf.contrib.quantize.create_eval_graph()


def delayed(tf, training):
    if training:
        tf.contrib.quantize.create_training_graph(tf.get_default_graph(), quant_delay=2)
    else:
        tf.contrib.quantize.create_eval_graph(tf.get_default_graph())


def twice(tf, training):
    plain(tf, training)
    plain(tf, training)


NETWORKS = [
    slim_conv, slim_conv_with_scale, slim_separable, slim_separable_whole, slim_holes, slim_residual,
    slim_residual_after, slim_linear_bottleneck, slim_dense, slim_partitioned, layers_conv, layers_reshaped,
    layers_channels_first, layers_resources, sums_and_products, shared_input, unfused, unfused_scaled,
    unfused_resources, no_layers, mobilenet_like,
]  # fmt: skip
REWRITES = {
    "plain": plain,
    "delayed": delayed,
    "twice": twice,
    "symmetric": _rewrite(symmetric=True, weight_bits=4, activation_bits=6),
    "frozen": _rewrite(freeze_bn_delay=2, quant_delay=1),
    "scoped": _rewrite(scope="block"),
}
PROGRAMS = {
    "%s, %s, %s" % (network.__name__, name, "training" if training else "evaluation"): (network, rewrite, training)
    for network in NETWORKS
    for name, rewrite in REWRITES.items()
    for training in (True, False)
    if (name in ("plain", "frozen"))
    or (network in (slim_conv, slim_residual, layers_conv, unfused_scaled) and name not in ("plain", "frozen"))
}


def _value(value):
    text = str(value)
    return text if len(text) < 300 else text[:300]


def nodes(tf):
    """Returns the nodes of the default graph: name, op, inputs and attributes."""
    message = tf.get_default_graph().as_graph_def()
    found = []
    for node in message.node:
        attributes = {key: _value(node.attr[key]) for key in sorted(node.attr)}
        found.append([node.name, node.op, list(node.input), node.device, attributes])
    return found


def build(tf, name):
    """Builds a program in the default graph; returns the network's output."""
    network, rewrite, training = PROGRAMS[name]
    out = tf.identity(network(tf, training), name="out")
    rewrite(tf, training)
    return out


def measure(tf, name, out):
    """Returns the output after each step: of training, or of evaluation without it."""
    training = PROGRAMS[name][2]
    values = []
    train_op = tf.no_op()
    if training and tf.trainable_variables():
        loss = tf.reduce_mean(tf.square(out - 0.5))
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        with tf.control_dependencies(updates):
            train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(STEPS if training else 1):
            # The output is read in a step of its own: in the step of an update, its order would be open.
            values.append(session.run(out).tolist())
            session.run(train_op)
        variables = [[v.op.name, session.run(v).tolist()] for v in tf.global_variables()]
    return {"values": values, "variables": variables}


def run(tf, name):
    """Runs a program; returns its nodes and values."""
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        out = build(tf, name)
        made = nodes(tf)
        return {"nodes": made, **measure(tf, name, out)}
