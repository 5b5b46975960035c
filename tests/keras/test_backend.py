"""The functions of Keras's backend give NumPy's numbers, with Keras's arguments and defaults."""

import inspect
import operator

import numpy as np
import pytest
from scipy import special

import ferroflow as tf

K = tf.keras.backend
RNG = np.random.RandomState(5)
A = RNG.randn(2, 3).astype(np.float32)
B = RNG.rand(2, 3, 4).astype(np.float32)
IMAGES = RNG.rand(2, 4, 4, 3).astype(np.float32)


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield
        K.clear_session()


def softmax(x):
    return np.exp(x) / np.exp(x).sum(-1, keepdims=True)


def causal(x, kernel, rate):
    steps, _, filters = kernel.shape
    padded = np.pad(x, [[0, 0], [rate * (steps - 1), 0], [0, 0]])
    found = np.zeros((*x.shape[:2], filters), np.float32)
    for i in range(steps):
        found += padded[:, i * rate : i * rate + x.shape[1]] @ kernel[i]
    return found


KERNEL = RNG.rand(2, 4, 5).astype(np.float32)
LABELS = softmax(RNG.randn(2, 3)).astype(np.float32)
CASES = {
    "max": (lambda: K.max(A, axis=1), A.max(1)),
    "min": (lambda: K.min(A), A.min()),
    "sum": (lambda: K.sum(A, axis=-1, keepdims=True), A.sum(-1, keepdims=True)),
    "prod": (lambda: K.prod(A, axis=[0, 1]), A.prod()),
    "mean": (lambda: K.mean(A, axis=0), A.mean(0)),
    "mean of bools": (lambda: K.mean(K.greater(A, 0)), (A > 0).mean()),
    "var": (lambda: K.var(A, axis=1), A.var(1)),
    "std": (lambda: K.std(A), A.std()),
    "logsumexp": (lambda: K.logsumexp(A, axis=1), special.logsumexp(A, axis=1)),
    "any": (lambda: K.any(K.constant([[0, 2], [0, 0]]), axis=1), [True, False]),
    "all": (lambda: K.all(K.constant([[0, 2], [1, 3]]), axis=1), [False, True]),
    "argmax": (lambda: K.argmax(A), A.argmax(-1)),
    "argmin": (lambda: K.argmin(A, axis=0), A.argmin(0)),
    "sqrt": (lambda: K.sqrt(A), np.sqrt(np.maximum(A, 0))),
    "pow": (lambda: K.pow(A, 2), A**2),
    "clip": (lambda: K.clip(A, -0.5, 0.25), A.clip(-0.5, 0.25)),
    "clip from below": (lambda: K.clip(A, 0.1, None), np.maximum(A, 0.1)),
    "clip of crossed ends": (lambda: K.clip(A, 0.5, 0.25), np.full_like(A, 0.5)),
    "dot": (lambda: K.dot(K.variable(A), K.variable(A.T)), A @ A.T),
    "dot of more": (lambda: K.dot(K.variable(B), K.variable(B[0].T)), B @ B[0].T),
    "batch_dot": (lambda: K.batch_dot(B, B, axes=(1, 1)), np.einsum("bij,bik->bjk", B, B)),
    "batch_dot of rows": (lambda: K.batch_dot(A, A, axes=1), (A * A).sum(1, keepdims=True)),
    "batch_dot of matrices": (lambda: K.batch_dot(B, B.transpose(0, 2, 1)), B @ B.transpose(0, 2, 1)),
    "cumsum": (lambda: K.cumsum(A, axis=1), A.cumsum(1)),
    "cumprod": (lambda: K.cumprod(A), A.cumprod(0)),
    "square": (lambda: K.square(A), A**2),
    "ones": (lambda: K.ones((2, 2)), np.ones((2, 2))),
    "zeros": (lambda: K.zeros((2,), dtype="int32"), np.zeros(2)),
    "eye": (lambda: K.eye(3), np.eye(3)),
    "zeros_like": (lambda: K.zeros_like(A), A * 0),
    "ones_like": (lambda: K.ones_like(A), A * 0 + 1),
    "gather": (lambda: K.gather(K.variable(B), [1, 0, 1]), B[[1, 0, 1]]),
    "concatenate": (lambda: K.concatenate([A, A]), np.concatenate([A, A], -1)),
    "permute_dimensions": (lambda: K.permute_dimensions(B, (2, 0, 1)), B.transpose(2, 0, 1)),
    "expand_dims": (lambda: K.expand_dims(A), A[..., None]),
    "squeeze": (lambda: K.squeeze(A[None], 0), A),
    "repeat_elements": (lambda: K.repeat_elements(B, 3, 1), B.repeat(3, 1)),
    "repeat": (lambda: K.repeat(A, 2), np.stack([A, A], 1)),
    "arange": (lambda: K.arange(1, 7, 2), [1, 3, 5]),
    "arange to an end": (lambda: K.arange(3, dtype="float32"), [0, 1, 2]),
    "arange below 0": (lambda: K.arange(-3), []),
    "tile": (lambda: K.tile(A, [2, 1]), np.tile(A, [2, 1])),
    "flatten": (lambda: K.flatten(B), B.ravel()),
    "batch_flatten": (lambda: K.batch_flatten(B), B.reshape(2, 12)),
    "batch_flatten of a scalar": (lambda: K.batch_flatten(3.0), [[3.0]]),
    "temporal_padding": (lambda: K.temporal_padding(B, (2, 1)), np.pad(B, [[0, 0], [2, 1], [0, 0]])),
    "spatial_2d_padding": (
        lambda: K.spatial_2d_padding(IMAGES, ((1, 0), (0, 2))),
        np.pad(IMAGES, [[0, 0], [1, 0], [0, 2], [0, 0]]),
    ),
    "resize_images": (
        lambda: K.resize_images(IMAGES, 2, 3, "channels_last"),
        IMAGES.repeat(2, 1).repeat(3, 2),
    ),
    "stack": (lambda: K.stack([A, A], axis=1), np.stack([A, A], 1)),
    "one_hot": (lambda: K.one_hot([2, 0], 3), [[0, 0, 1], [1, 0, 0]]),
    "reverse": (lambda: K.reverse(B, 1), B[:, ::-1]),
    "relu": (lambda: K.relu(A, alpha=0.1, max_value=0.5), np.where(A > 0, np.minimum(A, 0.5), 0.1 * A)),
    "elu": (lambda: K.elu(A, alpha=0.5), np.where(A > 0, A, 0.5 * np.expm1(A))),
    "softmax": (lambda: K.softmax(A), softmax(A)),
    "hard_sigmoid": (lambda: K.hard_sigmoid(A), (0.2 * A + 0.5).clip(0, 1)),
    "l2_normalize": (lambda: K.l2_normalize(A, axis=1), A / np.linalg.norm(A, axis=1, keepdims=True)),
    "in_top_k": (lambda: K.in_top_k(A, A.argmax(1), 1), [True, True]),
    "bias_add": (lambda: K.bias_add(B, np.arange(4, dtype=np.float32)), B + np.arange(4)),
    "bias_add to channels before": (
        lambda: K.bias_add(B, np.arange(3, dtype=np.float32), "channels_first"),
        B + np.arange(3)[:, None],
    ),
    "batch_normalization": (
        lambda: K.batch_normalization(A, A.mean(0), A.var(0), np.float32(1), np.float32(2), epsilon=0.1),
        (A - A.mean(0)) / np.sqrt(A.var(0) + 0.1) * 2 + 1,
    ),
    "normalize_batch_in_training": (
        lambda: K.normalize_batch_in_training(B, None, None, [0, 1])[0],
        (B - B.mean((0, 1))) / np.sqrt(B.var((0, 1)) + 1e-3),
    ),
    "categorical_crossentropy": (
        lambda: K.categorical_crossentropy(LABELS, K.constant(2 * softmax(A))),
        -(LABELS * np.log(softmax(A))).sum(-1),
    ),
    "categorical_crossentropy of logits": (
        lambda: K.categorical_crossentropy(LABELS, K.constant(A), from_logits=True),
        -(LABELS * np.log(softmax(A))).sum(-1),
    ),
    "sparse_categorical_crossentropy": (
        lambda: K.sparse_categorical_crossentropy([2.0, 0.0], K.constant(softmax(A))),
        -np.log(softmax(A)[[0, 1], [2, 0]]),
    ),
    "binary_crossentropy": (
        lambda: K.binary_crossentropy(LABELS, K.constant(special.expit(A))),
        -(LABELS * np.log(special.expit(A)) + (1 - LABELS) * np.log(1 - special.expit(A))),
    ),
    "conv1d": (lambda: K.conv1d(B, KERNEL, padding="causal", dilation_rate=2), causal(B, KERNEL, 2)),
    "conv2d": (
        lambda: K.conv2d(IMAGES, np.ones((2, 2, 3, 1), np.float32), strides=(2, 2)),
        IMAGES.reshape(2, 2, 2, 2, 2, 3).sum((2, 4, 5))[..., None],
    ),
    "separable_conv2d": (
        lambda: K.separable_conv2d(
            IMAGES, np.ones((1, 1, 3, 1), np.float32), np.ones((1, 1, 3, 2), np.float32), padding="same"
        ),
        np.repeat(IMAGES.sum(-1, keepdims=True), 2, -1),
    ),
    "pool2d": (
        lambda: K.pool2d(IMAGES, (2, 2), (2, 2), pool_mode="avg"),
        IMAGES.reshape(2, 2, 2, 2, 2, 3).mean((2, 4)),
    ),
    "switch": (lambda: K.switch(K.constant([1, 0]), A[:, 0], A[:, 1]), [A[0, 0], A[1, 1]]),
    "switch of functions": (lambda: K.switch(tf.constant(False), lambda: A, lambda: -A), -A),
    "switch of matrices": (lambda: K.switch(tf.constant([[True, False, True]] * 2), B, -B), B * [[[1], [-1], [1]]]),
    "in_test_phase": (lambda: K.in_test_phase(A, -A), A),
    "in_train_phase": (lambda: K.in_train_phase(K.constant(A), -A, training=1), A),
    "map_fn": (lambda: K.map_fn(lambda x: 2 * x, A), 2 * A),
    "foldl": (lambda: K.foldl(lambda a, x: a + x, A), A.sum(0)),
}


@pytest.mark.parametrize("name", CASES)
def test_functions_give_numpys_numbers(name):
    make, expected = CASES[name]
    made = make()
    value = K.eval(made)
    np.testing.assert_allclose(value, expected, rtol=2e-5, atol=1e-6)
    assert K.int_shape(made) is None or len(K.int_shape(made)) == np.ndim(expected)


def test_variables_and_what_is_known_of_them():
    v = K.variable(A, name="v")
    assert (K.ndim(v), K.dtype(v), K.count_params(v), K.int_shape(v)) == (2, "float32", 6, (2, 3))
    p = K.placeholder(ndim=3, dtype="int32")
    assert (K.int_shape(p), K.dtype(p), K.is_sparse(p)) == ((None, None, None), "int32", False)
    assert K.is_sparse(K.placeholder((2, 2), sparse=True))
    assert K.zeros(K.shape(p)).__class__ is tf.Tensor
    other = K.variable(A)
    updates = [K.update_add(v, A), K.update_sub(other, A)]
    K.get_session().run(updates)
    np.testing.assert_allclose(K.get_value(v), 2 * A)
    assert not K.get_value(other).any()
    K.get_session().run(K.update(v, -A))
    np.testing.assert_allclose(K.get_value(v), -A)


def test_random_values_are_what_they_are_said_to_be():
    normal = K.eval(K.random_normal((2000,), 3.0, 0.5, seed=1))
    assert abs(normal.mean() - 3) < 0.05
    assert abs(normal.std() - 0.5) < 0.05
    uniform = K.eval(K.random_uniform_variable((2000,), 2.0, 4.0, seed=1))
    assert 2 <= uniform.min() < 2.1 < 3.9 < uniform.max() <= 4
    drawn = K.eval(K.random_binomial((2000,), p=0.25, seed=1))
    assert set(drawn) == {0.0, 1.0}
    assert abs(drawn.mean() - 0.25) < 0.05
    kept = K.eval(K.dropout(K.ones((2000,)), 0.75, seed=1))
    assert set(kept) == {0.0, 4.0}
    assert np.abs(K.eval(K.truncated_normal((2000,), seed=2))).max() <= 2
    assert K.eval(K.random_normal_variable((5,), 0.0, 1.0)).shape == (5,)


def test_a_function_computes_and_updates():
    x, v = K.placeholder((None, 3)), K.variable([0.0])
    compute = K.function([x, K.learning_phase()], [K.sum(x), K.in_train_phase(x, -x)], updates=[(v, v + 1.0)])
    total, chosen = compute([A, True])
    np.testing.assert_allclose(total, A.sum(), rtol=1e-5)
    assert chosen.tolist() == A.tolist()
    assert compute([A, False])[1].tolist() == (-A).tolist()
    assert K.get_value(v) == [2.0]
    (gradient,) = K.gradients(K.sum(K.square(x)), [x])
    assert K.function([x], [gradient])([A])[0].tolist() == (2 * A).tolist()
    assert K.function(x, x * 2)(A).tolist() == (2 * A).tolist()
    with pytest.raises(TypeError, match="should be a list or tuple"):
        K.function([x], [x], updates=3)
    with pytest.raises(ValueError, match="Invalid argument"):
        K.function([x], [x], other=3)


def test_a_function_takes_tensors_and_changing_feeds():
    x, y = K.placeholder(()), K.placeholder(())
    feeds = {y: 3.0}
    compute = K.function([x], [x + y], feed_dict=feeds)
    assert compute([1.0]) == [4.0]
    feeds[y] = 5.0
    assert compute([K.variable(2.0)]) == [7.0]


def test_a_vector_has_no_channels_for_a_bias():
    with pytest.raises(ValueError, match="at least rank 2"):
        K.bias_add(K.variable([1.0, 2.0]), K.variable([1.0, 2.0]))


@pytest.mark.parametrize("axes", [(0, 2), (1,), (0, 2, 3)])
def test_a_batch_is_scaled_along_any_dimensions(axes):
    values = np.random.RandomState(0).rand(4, 3, 2, 5).astype(np.float32)
    scaled, mean, _ = K.normalize_batch_in_training(K.variable(values), None, None, axes)
    np.testing.assert_allclose(K.eval(mean), values.mean(axes), rtol=1e-5)
    np.testing.assert_allclose(K.eval(scaled).mean(axes), np.zeros_like(values.mean(axes)), atol=1e-4)


def test_a_moving_average_moves():
    v = K.variable([1.0])
    update = K.moving_average_update(v, [3.0], 0.75)
    K.get_session().run(update)
    assert K.get_value(v).tolist() == pytest.approx([3.0])  # what it starts from does not count


def test_defaults_are_settings():
    try:
        K.set_floatx("float64")
        K.set_epsilon(1e-3)
        K.set_image_data_format("channels_first")
        assert (K.floatx(), K.epsilon(), K.image_data_format()) == ("float64", 1e-3, "channels_first")
        assert K.constant(1.0).dtype == tf.float64
        assert K.cast_to_floatx([1, 2]).dtype == np.float64
    finally:
        K.set_floatx("float32")
        K.set_epsilon(1e-7)
        K.set_image_data_format("channels_last")
    K.reset_uids()
    assert [K.get_uid("a"), K.get_uid("a"), K.get_uid("b")] == [1, 2, 1]
    for set_wrong in (K.set_floatx, K.set_image_data_format):
        with pytest.raises(ValueError, match="Unknown"):
            set_wrong("wrong")
    with pytest.raises(ValueError, match="pooling mode"):
        K.pool2d(IMAGES, (2, 2), pool_mode="mean")
    with pytest.raises(ValueError, match="data_format"):
        K.conv2d(IMAGES, IMAGES, data_format="wrong")
    with pytest.raises(ValueError, match="Rank of `condition`"):
        K.switch(tf.constant([[True]]), A[0], A[1])


# Arguments as TensorFlow 1.8's API goldens have them.
ARGUMENTS = {
    "activations.deserialize": ["name", "custom_objects"],
    "activations.elu": ["x", "alpha"],
    "activations.get": ["identifier"],
    "activations.hard_sigmoid": ["x"],
    "activations.linear": ["x"],
    "activations.relu": ["x", "alpha", "max_value", "threshold"],
    "activations.selu": ["x"],
    "activations.serialize": ["activation"],
    "activations.sigmoid": ["x"],
    "activations.softmax": ["x", "axis"],
    "activations.softplus": ["x"],
    "activations.softsign": ["x"],
    "activations.tanh": ["x"],
    "backend.foldl": ["fn", "elems", "initializer", "name"],
    "backend.foldr": ["fn", "elems", "initializer", "name"],
    "backend.map_fn": ["fn", "elems", "name", "dtype"],
    "backend.reshape": ["x", "shape"],
    "backend.shape": ["x"],
    "backend.sigmoid": ["x"],
    "backend.softmax": ["x", "axis"],
    "backend.softplus": ["x"],
    "backend.softsign": ["x"],
    "backend.squeeze": ["x", "axis"],
    "backend.stop_gradient": ["variables"],
    "backend.tanh": ["x"],
    "backend.transpose": ["x"],
    "constraints.get": ["identifier"],
    "initializers.get": ["identifier"],
    "regularizers.get": ["identifier"],
    "layers.GRU.call": ["self", "inputs", "mask", "training", "initial_state"],
    "layers.LSTM.call": ["self", "inputs", "mask", "training", "initial_state"],
    "layers.RNN.call": ["self", "inputs", "mask", "training", "initial_state", "constants"],
    "layers.Dense.add_weight": [
        *("self", "name", "shape", "dtype", "initializer", "regularizer", "trainable", "constraint"),
        *("partitioner", "use_resource", "synchronization", "aggregation", "kwargs"),
    ],
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_have_tensorflows_names_and_order(name):
    assert list(inspect.signature(operator.attrgetter(name)(tf.keras)).parameters) == ARGUMENTS[name]


def test_activations_take_keras_arguments():
    x = np.array([[-2.0, 3.0]], np.float32)
    activations, K = tf.keras.activations, tf.keras.backend  # Keras's spelling
    found = {
        "relu": (activations.relu(x=x, alpha=0.5, max_value=2.0), [[-1.0, 2.0]]),
        "elu": (activations.elu(x=x, alpha=2.0), [[2 * (np.exp(-2.0) - 1), 3.0]]),
        "softmax": (activations.softmax(x=x, axis=0), [[1.0, 1.0]]),
        "squeeze": (K.squeeze(x=tf.constant(x), axis=0), x[0]),
        "transpose": (K.transpose(x=x), x.T),
        "reshape": (K.reshape(x=x, shape=(2, 1)), x.reshape(2, 1)),
        "map_fn": (K.map_fn(lambda row: row * 2, tf.constant(x), "twice"), x * 2),
        "foldl": (K.foldl(lambda a, b: a - b, tf.constant(x[0]), 1.0, "less"), 0.0),
        "foldr": (K.foldr(lambda a, b: a - b, tf.constant(x[0])), 5.0),
        "stop_gradient": (K.stop_gradient([tf.constant(x)])[0], x),
    }
    with tf.Session() as sess:
        for name, (tensor, expected) in found.items():
            np.testing.assert_allclose(sess.run(tensor), expected, rtol=1e-6, err_msg=name)
    with pytest.raises(ValueError, match="1D"):
        activations.softmax(tf.constant(x[0]))
    assert activations.deserialize(activations.serialize(activations.relu)) is activations.relu
    assert activations.deserialize("mine", {"mine": abs}) is abs


@pytest.mark.parametrize("axis", [1, -1, 3, 2])
def test_images_are_normalized_along_an_axis(axis):
    draws = np.random.RandomState(0)
    x = draws.rand(2, 2, 3, 2).astype(np.float32)
    size = x.shape[axis] if axis != 2 else x.shape[-1]
    mean, var, beta, gamma = draws.rand(4, size).astype(np.float32)
    shape = [1, size, 1, 1] if axis == 1 else [size]
    expected = (x - mean.reshape(shape)) / np.sqrt(var.reshape(shape) + 0.1) * gamma.reshape(shape) + beta.reshape(
        shape
    )
    result = K.eval(K.batch_normalization(x, mean, var, beta, gamma, axis, 0.1))
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("shape", "rank"), [((None, None), 1), ((None, None, 3), 1), ((None, None, None), 2), ((None, 2, None), None)]
)
def test_placeholders_are_ragged_where_sizes_after_the_first_are_unknown(shape, rank):
    assert getattr(K.placeholder(shape, ragged=True), "ragged_rank", None) == rank


def test_a_placeholder_is_not_both_sparse_and_ragged():
    with pytest.raises(ValueError, match="both sparse and ragged"):
        K.placeholder((None,), sparse=True, ragged=True)
