"""Networks that `tf.contrib.quantize` rewrites, which run alike on TensorFlow 1.15 and on ferroflow.

`PROGRAMS` has by name a network, a rewrite, and whether both are for training.
"""

import numpy as np

STEPS = 3


def _images(tf, channels=3, size=8):
    shape = [2, size, size, channels]
    data = np.linspace(-1.0, 1.0, int(np.prod(shape)), dtype=np.float32)
    # With values symmetric about 0, the last bit of a range's ends decides where 0 is among the quantized values.
    data = np.sin(37.0 * data) + data + 0.4 * np.cos(11.0 * data)
    return tf.placeholder_with_default(data.reshape(shape), shape, name="images")


def _start(tf, shape, seed):
    values = np.cos(np.arange(int(np.prod(shape))) * (0.79 + 0.1 * seed)).astype(np.float32)
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
    params = {"is_training": training, "decay": 0.9, **params}
    return {
        "normalizer_fn": tf.contrib.layers.batch_norm,
        "normalizer_params": params,
        "weights_initializer": _Initializer(tf),
    }


def slim_conv(tf, training):
    out = tf.contrib.layers.conv2d(_images(tf), 4, 3, scope="conv", **_slim_arguments(tf, training, fused=True))
    return tf.contrib.layers.conv2d(out, 2, 1, normalizer_fn=None, scope="last", weights_initializer=_Initializer(tf))


def conv_at_the_top(tf, training):
    weights = tf.get_variable("weights", [3, 3, 3, 4], initializer=_Initializer(tf))
    out = tf.nn.conv2d(_images(tf), weights, [1, 1, 1, 1], "SAME")
    return tf.nn.relu(tf.layers.batch_normalization(out, training=training, momentum=0.9))


def forced_updates(tf, training):
    arguments = _slim_arguments(tf, training, fused=True, updates_collections=None)
    out = tf.contrib.layers.conv2d(_images(tf), 4, 3, scope="conv", **arguments)
    return tf.contrib.layers.fully_connected(tf.contrib.layers.flatten(out), 3, scope="dense", **arguments)


def unfused_forced_updates(tf, training):
    arguments = _slim_arguments(tf, training, fused=False, updates_collections=None)
    out = tf.contrib.layers.conv2d(_images(tf), 4, 3, scope="net/conv", **arguments)
    return tf.contrib.layers.separable_conv2d(out, None, 3, depth_multiplier=1, scope="net/deep", **arguments)


def slim_conv_with_scale(tf, training):
    arguments = _slim_arguments(tf, training, fused=True, scale=True)
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
    return tf.contrib.layers.separable_conv2d(
        _images(tf), None, 3, depth_multiplier=2, rate=2, scope="atrous", **arguments
    )


def unfused_holes(tf, training):
    arguments = _slim_arguments(tf, training, fused=False, scale=True)
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
    with tf.variable_scope("parts", partitioner=lambda shape, dtype: [1] * (shape.ndims - 1) + [2]):
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
                scope=f"Conv2d_{i}_depthwise",
                **arguments,
            )
            out = tf.contrib.layers.conv2d(
                out, 4, 1, scope=f"Conv2d_{i}_pointwise", activation_fn=tf.nn.relu6, **arguments
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
        getattr(module, "experimental_create_" + kind + "_graph")(**given)

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
    conv_at_the_top,
    forced_updates,
    unfused_forced_updates,
    slim_conv, slim_conv_with_scale, slim_separable, slim_separable_whole, slim_holes, unfused_holes, slim_residual,
    slim_residual_after, slim_linear_bottleneck, slim_dense, slim_partitioned, layers_conv, layers_reshaped,
    layers_channels_first, layers_resources, sums_and_products, shared_input, unfused, unfused_scaled,
    unfused_resources, no_layers, mobilenet_like,
]  # fmt: skip
# Networks whose averages are updated in the step that reads them.
UNORDERED = (forced_updates, unfused_forced_updates)
REWRITES = {
    "plain": plain,
    "delayed": delayed,
    "twice": twice,
    "symmetric": _rewrite(symmetric=True, weight_bits=4, activation_bits=6),
    "frozen": _rewrite(freeze_bn_delay=2, quant_delay=1),
    "scoped": _rewrite(scope="block"),
}
PROGRAMS = {
    ", ".join([network.__name__, name, "training" if training else "evaluation"]): (network, rewrite, training)
    for network in NETWORKS
    for name, rewrite in REWRITES.items()
    for training in (True, False)
    if (name in ("plain", "frozen"))
    or (network in (slim_conv, slim_residual, layers_conv, unfused_scaled) and name not in ("plain", "frozen"))
}


def _attribute(tf, key, value):
    if key == "value":
        return tf.contrib.util.make_ndarray(value.tensor).tolist()
    return str(value)


def _nodes(tf):
    """Returns the nodes of the default graph by name, in their order: op, inputs and attributes."""
    message = tf.get_default_graph().as_graph_def()
    found = [
        (
            node.name,
            [node.op, list(node.input), {key: _attribute(tf, key, node.attr[key]) for key in sorted(node.attr)}],
        )
        for node in message.node
    ]
    return dict(found)


def _changes(before, after):
    """Returns the new nodes, and of old ones the inputs and the attributes that are new."""
    new = [[name, *node] for name, node in after.items() if name not in before]
    inputs = {name: after[name][1] for name in before if after[name][1] != before[name][1]}
    attributes = {
        name: {key: value for key, value in after[name][2].items() if before[name][2].get(key) != value}
        for name in before
        if after[name][2] != before[name][2]
    }
    return {"new": new, "inputs": inputs, "attributes": attributes}


def measure(tf, name, out):
    """Returns the output, the gradients and the variables after steps that move averages and ranges.

    Each update of an average is a step of its own: TensorFlow leaves the order of reads and updates in one step open.
    Weights stay as they are: a difference in the last bit may move a value to the next quantized one.
    """
    network, _, training = PROGRAMS[name]
    if training and network in UNORDERED:
        return None
    trained = tf.trainable_variables() if training else []
    gradients = tf.gradients(tf.reduce_mean(tf.square(out - 0.5)), trained) if trained else []
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS) if training else []
    steps = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(STEPS if training else 1):
            steps.append([value.tolist() for value in session.run([out, *gradients])])
            for update in updates:
                session.run(update)
        variables = {v.op.name: session.run(v).tolist() for v in tf.global_variables()}
    return {"steps": steps, "variables": variables}


def run(tf, name):
    """Runs a program; returns what the rewrite changed and what the graph computes, or the class of an error."""
    network, rewrite, training = PROGRAMS[name]
    with tf.Graph().as_default():
        out = tf.identity(network(tf, training), name="out")
        before = _nodes(tf)
        try:
            rewrite(tf, training)
        except (ValueError, KeyError) as error:
            return {"error": type(error).__name__}
        return {"changes": _changes(before, _nodes(tf)), "measured": measure(tf, name, out)}
