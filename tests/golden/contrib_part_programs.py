"""Programs of smaller parts of `tf.contrib`, which run alike on TensorFlow 1.15 and on ferroflow.

A program builds in the default graph and returns what to fetch. A program in `STREAMS` returns ((values, updates), the
feeds of each step): the values are fetched after each step.
"""

import importlib

import numpy as np

LABELS = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1, 0])
SCORES = np.array([0.1, 0.8, 0.4, 0.4, 0.9, 0.05, 0.6, 0.6, 0.3, 0.2], np.float32)
VECTORS = np.linspace(-1.0, 1.0, 24, dtype=np.float32).reshape(6, 4) ** 3
CLASSES = np.array([0, 1, 0, 2, 1, 0], np.int32)
PICTURE = np.arange(2 * 5 * 4 * 3, dtype=np.float32).reshape(2, 5, 4, 3) % 17 / 17


def _module(tf, path):
    """Returns a module of `tf.contrib` that TensorFlow does not import by itself."""
    return importlib.import_module(f"{tf.__name__.partition('.')[0]}.contrib.{path}")


def monte_carlo(tf):
    """Estimates from given samples, and their gradients by the parameter of the sampled distribution."""
    parts = _module(tf, "bayesflow.python.ops.monte_carlo")
    distributions = tf.contrib.distributions
    mean = tf.constant([0.5, -1.0], tf.float64)
    p, q = distributions.Normal(mean, np.float64(1.5)), distributions.Normal(np.float64([0.0, 0.5]), np.float64(2.0))
    z = np.linspace(-3.0, 4.0, 14).reshape(7, 2)
    found = [
        parts.expectation_importance_sampler(lambda x: x**3 - x, p.log_prob, q, z=z),
        parts.expectation_importance_sampler_logspace(tf.abs, p.log_prob, q, z=z),
        parts.expectation(tf.square, tf.constant(z) * mean, axis=[0, 1], keep_dims=True),
        parts.expectation(tf.square, tf.constant(z), p.log_prob, use_reparametrization=False),
    ]
    return [*found, *(tf.gradients(one, mean)[0] for one in found)]


def streaming_concat(tf):
    batches = tf.placeholder(tf.int64, [2, None])
    return tf.contrib.metrics.streaming_concat(batches, axis=1), [
        {batches: np.arange(6).reshape(2, 3)},
        {batches: np.arange(8).reshape(2, 4)},
    ]


def dynamic_auc(tf):
    found = [
        tf.contrib.metrics.streaming_dynamic_auc(tf.constant(LABELS), tf.constant(SCORES), c) for c in ("ROC", "PR")
    ]
    return ([value for value, _ in found], [update for _, update in found]), [{}]


def confidence_intervals(tf):
    metric = _module(tf, "metrics.python.ops.metric_ops").auc_with_confidence_intervals
    labels, scores = tf.constant(LABELS), tf.constant(SCORES)
    weights = tf.constant(np.linspace(0.5, 2.0, 10, dtype=np.float32))
    found = [metric(labels, scores), metric(labels, scores, weights, 0.9, logit_transformation=False)]
    return ([list(value) for value, _ in found], [update for _, update in found]), [{}]


def equal_thresholds(tf):
    data, update = _module(tf, "metrics.python.ops.metric_ops").precision_recall_at_equal_thresholds(
        tf.constant(LABELS > 0), tf.constant(SCORES), num_thresholds=5
    )
    return (list(data), update), [{}]


def histogram_auc(tf):
    value, update = _module(tf, "metrics.python.ops.histogram_ops").auc_using_histogram(
        tf.constant(LABELS > 0), tf.constant(SCORES), [0.0, 1.0], nbins=20
    )
    return (value, update), [{}]


def metric_learning(tf):
    losses = _module(tf, "losses.python.metric_learning.metric_loss_ops")
    labels, vectors = tf.constant(CLASSES), tf.nn.l2_normalize(tf.constant(VECTORS), 1)
    triplet = losses.triplet_semihard_loss(labels, vectors)
    return [
        losses.contrastive_loss(tf.constant(CLASSES[:3] % 2), vectors[:3], vectors[3:]),
        triplet,
        tf.gradients(triplet, vectors)[0],
        losses.npairs_loss(labels[:3], vectors[:3], vectors[3:]),
        losses.lifted_struct_loss(labels, vectors),
    ]


def colors(tf):
    change = _module(tf, "image.python.ops.distort_image_ops").adjust_hsv_in_yiq
    return [
        change(tf.constant(PICTURE), 0.4, 1.3, 0.8),
        change(tf.constant(((PICTURE * 0.2 + 0.4) * 255).astype(np.uint8)), -0.3, 0.8),
    ]


def splines(tf):
    points = tf.constant([[[0.0, 1.0], [2.0, 0.5], [3.0, 3.0], [1.0, 4.0]]])
    values = tf.constant([[[1.0], [2.0], [-1.0], [0.5]]])
    asked = tf.constant([[[1.0, 1.0], [2.5, 2.5]]])
    spline = _module(tf, "image.python.ops.interpolate_spline").interpolate_spline
    warped = _module(tf, "image.python.ops.sparse_image_warp").sparse_image_warp(
        tf.constant(PICTURE[:1]), points[:, :2], points[:, :2] + 0.4, num_boundary_points=2
    )
    return [
        *(spline(points, values, asked, order) for order in (1, 2, 3, 4)),
        spline(points, values, asked, 2, 0.3),
        *warped,
    ]


def regions(tf):
    images = np.array(
        [[[1, 1, 0, 2], [0, 1, 0, 2], [3, 0, 2, 2]], [[0, 5, 5, 5], [5, 5, 0, 5], [1, 0, 0, 5]]], np.int64
    )
    texts = np.array([["a", "a", ""], ["b", "a", "a"]])
    return [tf.contrib.image.connected_components(images), tf.contrib.image.connected_components(texts)]


def matches(tf):
    distances = np.array([[0.5, 0.1, 0.8], [0.3, 0.2, 0.15], [0.05, 0.6, 0.7]], np.float32)
    match = _module(tf, "image.python.ops.image_ops").bipartite_match
    return [*match(distances, [3.0]), *match(distances, [2.0], 1)]


def crosses(tf):
    first = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "b", "c"], [2, 2])
    numbers = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([7, -3, 2**40], tf.int64), [2, 2])
    dense = tf.constant([["x"], ["y"]])
    cross = _module(tf, "layers.python.ops.sparse_feature_cross_op").sparse_feature_cross
    found = [
        cross([first, numbers, dense]),
        cross([first, numbers, dense], hashed_output=True),
        cross([dense, first], hashed_output=True, num_buckets=1000),
        cross([first, numbers], hashed_output=True, num_buckets=97, hash_key=0xDECAFCAFFE),
    ]
    return [[one.indices, one.values, one.dense_shape] for one in found]


def _features(tf):
    layers = tf.contrib.layers
    real = layers.real_valued_column("real", 2)
    text = layers.sparse_column_with_hash_bucket("text", 11)
    keys = layers.sparse_column_with_keys("keys", ["u", "v", "w"])
    bucketized = layers.bucketized_column(real, [0.0, 1.0])
    columns = {
        "real": real,
        "text": text,
        "keys": keys,
        "bucketized": bucketized,
        "crossed": layers.crossed_column([text, bucketized], 50),
        "weighted": layers.weighted_sparse_column(keys, "weights"),
    }
    features = {
        "real": tf.constant([[0.5, 2.0], [1.0, -1.0]]),
        "text": tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["x", "y", "z"], [2, 2]),
        "keys": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["w", "u", "v"], [2, 2]),
        "weights": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0.5, 2.0, 3.0], [2, 2]),
    }
    return columns, features


def _numbered(shape, dtype=None, partition_info=None):
    size = int(np.prod(shape))
    return np.arange(size, dtype=np.float32).reshape([int(n) for n in shape]) / size


def network_inputs(tf):
    columns, features = _features(tf)
    layers = tf.contrib.layers
    network = [
        columns["real"],
        columns["bucketized"],
        layers.one_hot_column(columns["keys"]),
        layers.one_hot_column(columns["weighted"]),
        layers.embedding_column(columns["text"], 2, initializer=_numbered),
        layers.embedding_column(columns["crossed"], 2, combiner="sum", initializer=_numbered),
        layers.scattered_embedding_column("text", 13, 3, hash_key=5, initializer=_numbered),
    ]
    made = layers.input_from_feature_columns(features, network)
    return [made]


def linear_sums(tf):
    columns, features = _features(tf)
    total, variables, bias = tf.contrib.layers.weighted_sum_from_feature_columns(features, list(columns.values()), 2)
    parts = [part for column in sorted(variables, key=lambda c: c.name) for part in variables[column]]
    steps = [tf.assign(part, _numbered(part.shape.as_list())) for part in parts]
    return [total, bias], steps


def variable_names(tf):
    """The names that checkpoints have."""
    network_inputs(tf)
    linear_sums(tf)
    return [sorted(variable.op.name for variable in tf.global_variables())]


def unbiased_batch_norm(tf):
    data = tf.placeholder(tf.float32, [4, 3])
    layers = tf.contrib.layers
    outputs = [
        layers.batch_norm(data, zero_debias_moving_mean=True, updates_collections=None, decay=0.9, scope="a"),
        layers.batch_norm(data, zero_debias_moving_mean=True, fused=False, decay=0.9, scope="b"),
        layers.batch_norm(data, batch_weights=tf.constant([1.0, 0.0, 2.0, 1.0]), decay=0.9, scope="c"),
    ]
    means = [v for v in tf.global_variables() if v.op.name.endswith(("moving_mean", "moving_variance", "biased"))]
    means.sort(key=lambda v: v.op.name)
    values = np.linspace(-2.0, 3.0, 24, dtype=np.float32).reshape(2, 4, 3)
    return (means, [*outputs, *tf.get_collection(tf.GraphKeys.UPDATE_OPS)]), [{data: one} for one in values]


def traced_beams(tf):
    parents = tf.constant([[[0, 0, 0]], [[0, 1, 1]], [[2, 1, 2]], [[-1, -1, -1]]])
    lengths = tf.constant([[3, 3, 3]])
    array = tf.constant(np.arange(12, dtype=np.int32).reshape(4, 1, 3))
    return [_module(tf, "seq2seq.python.ops.beam_search_decoder").gather_tree_from_array(array, parents, lengths)]


PLAIN = (
    metric_learning,
    colors,
    splines,
    regions,
    matches,
    crosses,
    network_inputs,
    traced_beams,
    monte_carlo,
)
STREAMS = (streaming_concat, dynamic_auc, confidence_intervals, equal_thresholds, histogram_auc, unbiased_batch_norm)


def run(tf, program):
    """Returns the values of a program, as nested lists."""
    with tf.Graph().as_default(), tf.Session() as sess:
        initial = [tf.global_variables_initializer, tf.local_variables_initializer, tf.tables_initializer]
        if program is variable_names:
            return program(tf)
        if program is linear_sums:
            fetches, steps = program(tf)
            sess.run([one() for one in initial])
            sess.run(steps)
            return listed(sess.run(fetches))
        if program in STREAMS:
            (value, update), feeds = program(tf)
            sess.run([one() for one in initial])
            found = []
            for feed in feeds:
                sess.run(update, feed)
                found.append(listed(sess.run(value)))
            return found
        fetches = program(tf)
        sess.run([one() for one in initial])
        return listed(sess.run(fetches))


def listed(value):
    """Returns arrays as lists, and bytes as text."""
    if isinstance(value, (list, tuple)):
        return [listed(one) for one in value]
    if isinstance(value, np.ndarray):
        return listed(value.tolist()) if value.dtype == object else value.tolist()
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if isinstance(value, np.generic) else value


PROGRAMS = {program.__name__: program for program in (*PLAIN, *STREAMS, linear_sums, variable_names)}
