"""What a model is compiled to: losses and metrics heed masks and weights, and take labels in several forms."""

import numpy as np
import pytest

import ferroflow as tf

keras = tf.keras
layers = keras.layers
X = np.random.RandomState(0).rand(12, 3).astype(np.float32)
Y = X.sum(1, keepdims=True)


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield
        keras.backend.clear_session()


def linear(**compiled):
    model = keras.Sequential([layers.Dense(1, input_dim=3, kernel_initializer="zeros")])
    model.compile("sgd", "mse", **compiled)
    return model


def tagger(**compiled):
    """A model of padded sequences, and its words, tags and chances."""
    model = keras.Sequential(
        [
            layers.Embedding(6, 4, mask_zero=True, input_length=5),
            layers.TimeDistributed(layers.Dense(3, activation="softmax")),
        ]
    )
    model.compile("sgd", "sparse_categorical_crossentropy", **compiled)
    words = np.array([[1, 2, 3, 0, 0], [4, 5, 0, 0, 0], [3, 3, 1, 2, 4]])
    tags = np.random.RandomState(1).randint(0, 3, (3, 5, 1))
    return model, words, tags, model.predict(words)


def test_metrics_leave_out_the_steps_that_padding_fills():
    model, words, tags, chances = tagger(metrics=["accuracy", "ce"])
    counts = words != 0
    loss, accuracy, crossentropy = model.evaluate(words, tags, verbose=0)
    right = chances.argmax(-1) == tags[..., 0]
    assert accuracy == pytest.approx(right[counts].mean(), rel=1e-5)
    losses = -np.log(np.take_along_axis(chances, tags, -1)[..., 0])
    # TensorFlow 1.15 divides the loss by the number of all steps.
    assert loss == pytest.approx((losses * counts).mean(), rel=1e-5)
    assert crossentropy == pytest.approx(losses[counts].mean(), rel=1e-5)
    assert model.metrics_names == ["loss", "acc", "ce"]


def test_steps_have_weights_of_their_own():
    model, words, tags, chances = tagger(sample_weight_mode="temporal", weighted_metrics=["accuracy"])
    weights = np.random.RandomState(2).rand(3, 5).astype(np.float32)
    loss, accuracy = model.evaluate(words, tags, sample_weight=weights, verbose=0)
    scaled = (words != 0) * weights
    assert loss == pytest.approx((-np.log(np.take_along_axis(chances, tags, -1)[..., 0]) * scaled).mean(), rel=1e-5)
    right = chances.argmax(-1) == tags[..., 0]
    assert accuracy == pytest.approx((right * scaled).sum() / scaled.sum(), rel=1e-5)
    assert model.metrics_names == ["loss", "weighted_acc"]
    with pytest.raises(ValueError, match="you should pass a 2D sample_weight array"):
        model.evaluate(words, tags, sample_weight=weights[:, 0], verbose=0)


def test_weights_of_steps_are_to_be_announced():
    model, words, tags, _ = tagger()
    with pytest.raises(ValueError, match='sample_weight_mode="temporal"'):
        model.evaluate(words, tags, sample_weight=np.ones((3, 5)), verbose=0)
    with pytest.raises(ValueError, match="should be None or"):
        tagger(sample_weight_mode="steps")


def test_weighted_metrics_heed_sample_weights_and_others_do_not():
    model = linear(metrics=["mae"], weighted_metrics=["mae"])
    weights = np.linspace(0.5, 2, 12)
    loss, plain, weighted = model.evaluate(X, Y, sample_weight=weights, verbose=0)
    assert model.metrics_names == ["loss", "mean_absolute_error", "weighted_mean_absolute_error"]
    np.testing.assert_allclose(
        [loss, plain, weighted],
        [(Y[:, 0] ** 2 * weights).mean(), Y.mean(), np.average(Y[:, 0], weights=weights)],
        rtol=1e-5,
    )


def test_two_metrics_of_one_name_are_told_apart():
    assert linear(metrics=["mae", "mae"]).metrics_names[1:] == ["mean_absolute_error", "mean_absolute_error_1"]


def test_labels_may_be_tensors():
    model = linear(target_tensors=[tf.ones([12, 1])])
    assert model.evaluate(X, batch_size=12, verbose=0) == pytest.approx(1.0)
    assert linear(target_tensors=[]).evaluate(X, Y, verbose=0) == pytest.approx((Y**2).mean(), rel=1e-5)


def test_an_output_without_a_loss_takes_no_labels():
    start = layers.Input((3,))
    model = keras.Model(start, [layers.Dense(1, name="a")(start), layers.Dense(2, name="b")(start)])
    model.compile("sgd", {"a": "mse"}, metrics={"a": ["mae"]})
    assert len(model.test_on_batch(X, Y)) == len(model.metrics_names) == 3
    with pytest.raises(ValueError, match="no loss to optimize"):
        model.compile("sgd", {})
    with pytest.raises(ValueError, match="no loss to optimize"):
        model.compile("sgd")


def test_a_loss_that_is_added_is_minimized():
    start = layers.Input((3,))
    end = layers.Dense(1, kernel_initializer="ones", use_bias=False)(start)
    model = keras.Model(start, end)
    model.add_loss(tf.reduce_mean(tf.square(end)))
    model.compile(keras.optimizers.SGD(0.1))
    losses = [model.train_on_batch(X, None) for _ in range(20)]
    assert losses[0] == pytest.approx((X.sum(1) ** 2).mean(), rel=1e-5)
    assert losses[-1] < 0.1 * losses[0]


def test_a_list_of_one_array_is_that_array():
    model = linear()
    model.fit([X], [Y], verbose=0)
    np.testing.assert_array_equal(model.predict([X]), model.predict(X))
    assert model.evaluate([X], [Y], verbose=0) == model.evaluate(X, Y, verbose=0)


def test_numbers_are_examples_of_one_number():
    model = keras.Sequential([layers.Dense(1, input_dim=1, kernel_initializer="ones")])
    np.testing.assert_array_equal(model.predict(np.arange(3.0)), [[0.0], [1.0], [2.0]])


def test_a_programs_own_loss_takes_labels_of_any_shape():
    model = keras.Sequential([layers.Dense(1, input_dim=3, kernel_initializer="zeros")])
    model.compile("sgd", lambda labels, predictions: tf.reduce_mean(labels[:, 2:] - predictions, axis=-1))
    assert model.evaluate(X, X, verbose=0) == pytest.approx(X[:, 2].mean(), rel=1e-5)


def test_classes_without_a_weight_are_told():
    model = linear()
    with pytest.raises(ValueError, match=r"The classes \[2\] exist in the data"):
        model.fit(X, np.arange(12) % 3, class_weight={0: 1.0, 1: 2.0}, verbose=0)


def test_arguments_of_a_run_are_not_taken():
    with pytest.raises(NotImplementedError, match="total_loss"):
        linear(run_metadata=None)


@pytest.mark.parametrize(
    ("metrics", "error", "message"),
    [
        ("mae", TypeError, "Type of `metrics` argument not understood"),
        (3, TypeError, "Type of `metrics` argument not understood"),
        ({"nope": "mae"}, ValueError, "Unknown entries in metrics dictionary"),
        ([["mae"], ["mae"]], ValueError, "1 outputs"),
        ([None], ValueError, "Could not interpret metric"),
    ],
)
def test_metrics_of_no_output_are_refused(metrics, error, message):
    model = keras.Sequential([keras.layers.Dense(1, input_dim=3)])
    with pytest.raises(error, match=message):
        model.compile("sgd", "mse", metrics=metrics)


@pytest.mark.parametrize("metrics", [["mae"], [["mae"]], {"dense": "mae"}, {"dense": ["mae"]}])
def test_metrics_may_be_listed_for_each_output(metrics):
    keras.backend.clear_session()
    model = keras.Sequential([keras.layers.Dense(1, input_dim=3)])
    model.compile("sgd", "mse", metrics=metrics)
    assert model.metrics_names == ["loss", "mean_absolute_error"]


# TensorFlow 1.15.5's numbers.
@pytest.mark.parametrize(
    ("loss", "value"),
    [("hinge", 0.75), ("squared_hinge", 0.625), ("huber_loss", 0.15625)],
)
def test_labels_of_zero_stand_for_minus_one_in_hinges(loss, value):
    labels, predictions = tf.constant([[0.0, 1.0]]), tf.constant([[-0.5, 0.0]])
    if loss == "huber_loss":
        labels = tf.constant([[-0.25, 0.75]])
    with tf.Session() as session:
        assert session.run(tf.reduce_mean(keras.losses.get(loss)(labels, predictions))) == pytest.approx(value)
