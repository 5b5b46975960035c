"""Layers give TensorFlow's outputs, disturb in training alone, and pass on which steps count."""

import json
import pathlib

import numpy as np
import pytest
from golden import keras_layers

import ferroflow as tf
from ferroflow._src.layers.nodes import mask_of as mask_in

keras, K = tf.keras, tf.keras.backend
layers = keras.layers
GOLDEN = json.loads(pathlib.Path(keras_layers.__file__).with_suffix(".json").read_text(encoding="utf-8"))
X = np.random.RandomState(2).randn(40, 6, 4).astype(np.float32)


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield
        K.clear_session()


@pytest.fixture(scope="module")
def found():
    with tf.Graph().as_default():
        results = keras_layers.results(keras, False)
        K.clear_session()
    return results


@pytest.mark.parametrize("name", GOLDEN)
def test_layers_have_tensorflows_numbers(found, name):
    assert found[name].keys() == GOLDEN[name].keys()
    for part, expected in GOLDEN[name].items():
        for mine, theirs in zip(found[name][part], expected, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=2e-6, err_msg=part)


def in_training_and_not(layer, x=X):
    start = layers.Input(x.shape[1:])
    compute = K.function([start, K.learning_phase()], [layer(start)])
    return compute([x, True])[0], compute([x, False])[0]


@pytest.mark.parametrize(
    "layer",
    [
        lambda: layers.GaussianNoise(0.5),
        lambda: layers.GaussianDropout(0.2),
        lambda: layers.SpatialDropout1D(0.5),
        lambda: layers.LSTM(3, dropout=0.5, recurrent_dropout=0.25, return_sequences=True),
        lambda: layers.GRU(3, dropout=0.5),
    ],
)
def test_layers_disturb_in_training_alone(layer):
    tf.set_random_seed(3)
    made = layer()
    disturbed, plain = in_training_and_not(made)
    assert not np.allclose(disturbed, plain)
    if not made.weights:
        np.testing.assert_allclose(plain, X)


def test_noise_and_dropout_have_the_moments_that_they_say():
    tf.set_random_seed(3)
    ones = np.ones((200, 6, 4), np.float32)
    noisy, _ = in_training_and_not(layers.GaussianNoise(0.5), ones)
    assert abs(noisy.mean() - 1) < 0.05
    assert abs(noisy.std() - 0.5) < 0.05
    scaled, _ = in_training_and_not(layers.GaussianDropout(0.2), 2 * ones)
    assert abs(scaled.mean() - 2) < 0.05
    assert abs(scaled.std() - 1) < 0.05
    # Whole channels are left out.
    kept, _ = in_training_and_not(layers.SpatialDropout1D(0.5), ones)
    assert set(np.unique(kept)) == {0.0, 2.0}
    assert (kept == kept[:, :1]).all()
    images = np.ones((50, 3, 3, 8), np.float32)
    kept, _ = in_training_and_not(layers.SpatialDropout2D(0.5), images)
    assert (kept == kept[:, :1, :1]).all()
    assert 0.3 < (kept == 0).mean() < 0.7


def test_dropout_of_a_recurrent_layer_is_one_for_all_steps():
    tf.set_random_seed(1)
    start = layers.Input((6, 4))
    layer = layers.SimpleRNN(
        4, activation="linear", kernel_initializer="identity", recurrent_initializer="zeros", dropout=0.5,
        return_sequences=True,
    )  # fmt: skip
    compute = K.function([start, K.learning_phase()], [layer(start)])
    (given,) = compute([np.ones((30, 6, 4), np.float32), True])
    assert set(np.unique(given)) == {0.0, 2.0}
    assert (given == given[:, :1]).all()


def test_a_loss_is_zero_for_the_steps_that_do_not_count():
    start = layers.Input((6, 4))
    output = layers.Dense(1, kernel_initializer="ones")(layers.Masking()(start))
    model = keras.Model(start, output)
    model.compile("sgd", "mse")
    x = X[:2].copy()
    x[0, 3:] = 0
    x[1, 5:] = 0
    target = np.ones((2, 6, 1), np.float32)
    errors = (x.sum(-1) - 1) ** 2
    counts = np.array([[1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 1, 0]])
    assert model.evaluate(x, target) == pytest.approx((errors * counts).mean(), rel=1e-5)


def test_masks_go_through_and_end_where_steps_end():
    words = layers.Input((5,))
    net = layers.Embedding(6, 3, mask_zero=True)(words)
    mask_of = layers.Layer().compute_mask
    assert mask_of(net) is None
    net = layers.Activation("tanh")(layers.Dropout(0.5)(net))
    both = layers.add([net, layers.Dense(3)(net)])
    ended = layers.LSTM(2)(both)
    assert [mask_in(x) is None for x in (net, both, ended)] == [False, False, True]


# What TensorFlow 1.15's layers do with a mask: True where it goes on.
ON = {
    "Flatten": (layers.Flatten, (), False),
    "Reshape": (layers.Reshape, ((8, 2),), False),
    "Permute": (layers.Permute, ((2, 1),), False),
    "Conv1D": (layers.Conv1D, (3, 2), False),
    "SeparableConv1D": (layers.SeparableConv1D, (3, 2), False),
    "LocallyConnected1D": (layers.LocallyConnected1D, (3, 2), False),
    "MaxPooling1D": (layers.MaxPooling1D, (2,), False),
    "AveragePooling1D": (layers.AveragePooling1D, (2,), False),
    "GlobalMaxPooling1D": (layers.GlobalMaxPooling1D, (), False),
    "GlobalAveragePooling1D": (layers.GlobalAveragePooling1D, (), False),
    "UpSampling1D": (layers.UpSampling1D, (2,), False),
    "ZeroPadding1D": (layers.ZeroPadding1D, (1,), False),
    "Cropping1D": (layers.Cropping1D, (1,), False),
    "Lambda": (layers.Lambda, (lambda x: x,), False),
    "Dense": (layers.Dense, (3,), True),
    "SpatialDropout1D": (layers.SpatialDropout1D, (0.1,), True),
    "LeakyReLU": (layers.LeakyReLU, (), True),
    "BatchNormalization": (layers.BatchNormalization, (), True),
}


@pytest.mark.parametrize("case", ON)
def test_a_layer_that_knows_no_masks_ends_them(case):
    layer, arguments, goes_on = ON[case]
    steps = layers.Embedding(5, 4, mask_zero=True)(layers.Input((4,)))
    assert (mask_in(layer(*arguments)(steps)) is not None) == goes_on
    assert mask_in(steps) is not None


def test_the_mean_of_steps_is_of_those_that_count():
    table = np.arange(10.0).reshape(5, 2)
    embedding = layers.Embedding(5, 2, mask_zero=True, weights=[table], input_length=4)
    model = keras.Sequential([embedding, layers.GlobalAveragePooling1D()])
    np.testing.assert_array_equal(model.predict(np.array([[1, 2, 0, 0], [0, 0, 0, 3]])), [[3, 4], [6, 7]])


class Unmasked(layers.Layer):
    """Gives what it is given, without its mask."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, inputs, mask=None):
        return inputs

    def compute_mask(self, inputs, mask=None):
        return None


def test_a_layer_that_gives_its_input_can_end_its_mask():
    start = layers.Input((4,))
    steps = layers.Embedding(5, 4, mask_zero=True)(start)
    plain = Unmasked(name="plain")(steps)
    assert plain is not steps
    assert plain.name == "plain/plain/Identity:0"
    assert mask_in(plain) is None
    assert mask_in(steps) is not None
    assert [x.name for x in keras.Model(start, plain).layers][-1] == "plain"


class Scaled(layers.Layer):
    """A layer of a program, as programs write them."""

    def __init__(self, units, **kwargs):
        self.units = units
        super().__init__(**kwargs)

    def build(self, input_shape):
        self.kernel = self.add_weight(
            name="kernel", shape=(input_shape[-1], self.units), initializer="ones", regularizer="l2", trainable=True
        )
        super().build(input_shape)

    def call(self, x):
        return K.dot(x, self.kernel)


def test_programs_write_layers():
    tf.set_random_seed(5)
    model = keras.Sequential([Scaled(2, input_shape=(4,)), layers.Dense(1, kernel_constraint="non_neg")])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    x = X[:, 0]
    assert [w.shape.as_list() for w in model.weights] == [[4, 2], [2, 1], [1]]
    np.testing.assert_allclose(
        K.function([model.input], [model.layers[0].output])([x])[0], x.sum(-1)[:, None] + [0, 0], rtol=1e-4
    )
    before = model.evaluate(x, x[:, :1], verbose=0)
    model.fit(x, x[:, :1], epochs=5, verbose=0)
    assert model.evaluate(x, x[:, :1], verbose=0) < before
    assert len(model.losses) == 1
    assert (model.get_weights()[1] >= 0).all()


class Minimal(layers.Layer):
    """A cell of a program."""

    def __init__(self, units):
        super().__init__()
        self.units = self.state_size = units

    def build(self, input_shape):
        self.kernel = self.add_weight("kernel", (input_shape[-1], self.units), initializer="ones")
        self.built = True

    def call(self, inputs, states):
        output = K.dot(inputs, self.kernel) + 0.5 * states[0]
        return output, [output]


def test_programs_write_cells_and_stack_them():
    start = layers.Input((6, 4))
    layer = layers.RNN([Minimal(2), Minimal(3)], return_sequences=True)
    output = layer(start)
    assert [w.shape.as_list() for w in layer.trainable_weights] == [[4, 2], [2, 3]]
    (given,) = K.function([start], [output])([X])
    low, high, expected = np.zeros((40, 2)), np.zeros((40, 3)), []
    for step in range(6):
        low = X[:, step] @ np.ones((4, 2)) + 0.5 * low
        high = low @ np.ones((2, 3)) + 0.5 * high
        expected.append(high)
    np.testing.assert_allclose(given, np.stack(expected, 1), rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="state_size"):
        layers.RNN(Scaled(2))


def test_constraints_hold_after_updates():
    constraints = keras.constraints
    w = np.array([[3.0, -0.3], [4.0, 0.4]], np.float32)
    for made, expected in (
        (constraints.MaxNorm(1.0), w / [5, 1] * [1, 1]),
        (constraints.NonNeg(), np.maximum(w, 0)),
        (constraints.unit_norm(), w / [5, 0.5]),
        (constraints.get("max_norm"), w / [2.5, 1]),
        (constraints.Constraint(), w),
    ):
        np.testing.assert_allclose(K.eval(K.identity(made(K.constant(w)))), expected, rtol=1e-5)
    layer = layers.PReLU(alpha_initializer="ones", alpha_constraint=constraints.MaxNorm(0.1))
    model = keras.Sequential([layers.Dense(2, input_dim=4), layer])
    model.compile("adam", "mse")
    model.train_on_batch(X[:, 0], X[:, 0, :2])
    assert model.get_weights()[-1].shape == (2,)
    assert np.abs(model.get_weights()[-1]).max() <= 0.1 + 1e-6


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_global_pooling_reduces_all_places(dimensions, data_format):
    x = np.random.RandomState(0).rand(2, *range(3, 4 + dimensions)).astype(np.float32)
    places = tuple(range(1, 1 + dimensions)) if data_format == "channels_last" else tuple(range(2, 2 + dimensions))
    for kind, reduced in (("Max", x.max(places)), ("Average", x.mean(places))):
        layer = getattr(layers, f"Global{kind}Pooling{dimensions}D")(data_format=data_format)
        model = keras.Sequential([layers.InputLayer(x.shape[1:]), layer])
        np.testing.assert_allclose(model.predict(x), reduced, rtol=1e-5)
        assert model.output_shape == (None, reduced.shape[1])


def test_alpha_dropout_keeps_mean_and_variance_of_normal_numbers():
    x = tf.constant(np.random.RandomState(0).randn(100_000).astype(np.float32))
    found = layers.AlphaDropout(0.3, seed=1)(x, training=True)
    with tf.Session() as sess:
        values, same = sess.run([found, layers.AlphaDropout(0.3)(x, training=False)])
        np.testing.assert_array_equal(same, sess.run(x))
    assert abs(values.mean()) < 0.02
    assert abs(values.var() - 1) < 0.02


def test_locally_connected_layers_have_weights_for_each_place():
    rng = np.random.RandomState(0)
    x = rng.rand(2, 7, 6, 3).astype(np.float32)
    model = keras.Sequential([layers.LocallyConnected2D(4, (3, 2), strides=(2, 1), input_shape=x.shape[1:])])
    kernel, bias = (rng.rand(*w.shape).astype(np.float32) for w in model.get_weights())
    assert (kernel.shape, bias.shape, model.output_shape) == ((15, 18, 4), (3, 5, 4), (None, 3, 5, 4))
    model.set_weights([kernel, bias])
    expected = [
        [x[:, 2 * i : 2 * i + 3, j : j + 2].reshape(2, -1) @ kernel[5 * i + j] + bias[i, j] for j in range(5)]
        for i in range(3)
    ]
    np.testing.assert_allclose(model.predict(x), np.transpose(expected, [2, 0, 1, 3]), rtol=1e-5)


def test_locally_connected_steps_learn():
    rng = np.random.RandomState(0)
    x = rng.rand(2, 7, 3).astype(np.float32)
    layer = layers.LocallyConnected1D(4, 3, strides=2, activation="relu", input_shape=x.shape[1:])
    model = keras.Sequential([layer])
    kernel, bias = model.get_weights()
    assert (kernel.shape, bias.shape, model.output_shape) == ((3, 9, 4), (3, 4), (None, 3, 4))
    expected = [np.maximum(x[:, 2 * i : 2 * i + 3].reshape(2, -1) @ kernel[i] + bias[i], 0) for i in range(3)]
    np.testing.assert_allclose(model.predict(x), np.transpose(expected, [1, 0, 2]), rtol=1e-4, atol=1e-6)
    model.compile("sgd", "mse")
    before = model.train_on_batch(x, np.ones((2, 3, 4)))
    assert model.train_on_batch(x, np.ones((2, 3, 4))) < before
    with pytest.raises(ValueError, match='only "valid" is supported'):
        layers.LocallyConnected1D(4, 3, padding="same")


@pytest.mark.parametrize(
    ("make", "shape", "message"),
    [
        (lambda: layers.Reshape((2,)), (3,), "total size of new array must be unchanged"),
        (lambda: layers.Reshape((2, -1)), (3,), "total size of new array must be unchanged"),
        (lambda: layers.Reshape((-1, -1)), (4,), "Can only specify one unknown dimension"),
        (lambda: layers.Permute((0, 1)), (2, 3), "consecutive and start from 1"),
        (lambda: layers.Permute((2, 1)), (3,), "expected ndim=3, found ndim=2"),
        (lambda: layers.RepeatVector(2), (2, 3), "expected ndim=2, found ndim=3"),
        (lambda: layers.ReLU(max_value=-1), (3,), "max_value of Relu layer cannot be negative value: -1"),
        (lambda: layers.ReLU(negative_slope=-1), (3,), "negative_slope of Relu layer cannot be negative value: -1"),
        (
            lambda: layers.TimeDistributed(3),
            (2, 3),
            "Please initialize `TimeDistributed` layer with a `Layer` instance",
        ),
        (lambda: layers.Bidirectional(3), (2, 3), "Please initialize `Bidirectional` layer with a `Layer` instance"),
    ],
)
def test_wrong_arguments_and_inputs_are_refused(make, shape, message):
    with pytest.raises(ValueError, match=message):
        make()(tf.keras.Input(shape))


@pytest.mark.parametrize(
    ("make", "given", "expected"),
    [
        (lambda: layers.Reshape((2, -1)), (None, 6), (None, 2, 3)),
        (lambda: layers.Permute((2, 1)), (None, 4, 3), (None, 3, 4)),
        (lambda: layers.RepeatVector(2), (None, 3), (None, 2, 3)),
        (lambda: layers.Activation("relu"), (None, 3), (None, 3)),
        (lambda: layers.GaussianNoise(0.5), (None, 3), (None, 3)),
        (lambda: layers.ZeroPadding2D(1), (None, 4, 5, 3), (None, 6, 7, 3)),
        (lambda: layers.Cropping2D(1), (None, 4, 5, 3), (None, 2, 3, 3)),
        (lambda: layers.UpSampling2D(2), (None, 4, 5, 3), (None, 8, 10, 3)),
        (lambda: layers.GlobalMaxPooling1D(), (None, 4, 3), (None, 3)),
    ],
)
def test_layers_without_variables_compute_their_output_shapes(make, given, expected):
    assert tuple(tf.TensorShape(make().compute_output_shape(given)).as_list()) == expected
    count = len(tf.get_default_graph().get_operations())
    make().compute_output_shape(tf.TensorShape(given))
    assert len(tf.get_default_graph().get_operations()) == count


def test_layers_take_arrays():
    assert layers.Dense(2)(np.ones((5, 3), np.float32)).shape == [5, 2]


def test_an_input_has_one_shape():
    with pytest.raises(ValueError, match="Only provide the `shape` OR `batch_shape`"):
        tf.keras.Input((3,), batch_shape=(2, 3))


def test_a_function_gets_the_phase_as_training():
    inputs = tf.keras.Input((2,))
    double = tf.keras.layers.Lambda(lambda x, training=None: tf.keras.backend.in_train_phase(x * 2, x, training))
    model = tf.keras.Model(inputs, double(inputs))
    model.compile("sgd", "mse")
    assert model.predict(np.ones((1, 2))).tolist() == [[1.0, 1.0]]
    assert model.train_on_batch(np.ones((1, 2)), np.zeros((1, 2))) == 4.0
