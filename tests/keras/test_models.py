"""Models fit, evaluate and predict as TensorFlow's do, and say what is wrong with what they are given."""

import gc
import json
import pathlib
import weakref

import numpy as np
import pytest
from golden import keras_programs

import ferroflow as tf

keras = tf.keras
layers = keras.layers
GOLDEN = json.loads((pathlib.Path(keras_programs.__file__).with_suffix(".json")).read_text(encoding="utf-8"))
X = np.random.RandomState(0).rand(60, 4).astype(np.float32)
Y = (X @ [[1.0], [-2.0], [0.5], [0.0]] + 0.3).astype(np.float32)


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield
        keras.backend.clear_session()


@pytest.fixture(scope="module")
def found():
    with tf.Graph().as_default():
        results = keras_programs.programs(keras, False)
        keras.backend.clear_session()
    return results


@pytest.mark.parametrize("name", GOLDEN)
def test_models_have_tensorflows_numbers(found, name):
    for part, expected in GOLDEN[name].items():
        np.testing.assert_allclose(found[name][part], expected, rtol=2e-5, atol=1e-6, err_msg=part)


def regression(**kwargs):
    model = keras.Sequential([layers.Dense(1, input_dim=4, **kwargs)])
    model.compile(keras.optimizers.SGD(0.2), "mse")
    return model


def test_adagrad_divides_by_the_root_of_the_sum_of_squares():
    model = keras.Sequential([layers.Dense(1, input_dim=4, use_bias=False, kernel_initializer="zeros")])
    model.compile(keras.optimizers.Adagrad(0.1), "mse")
    weights, total = np.zeros((4, 1)), np.full((4, 1), 0.1)
    for _ in range(3):
        gradient = 2 * X.T @ (X @ weights - Y) / len(X)
        total += gradient**2
        weights -= 0.1 * gradient / (np.sqrt(total) + 1e-7)
        model.train_on_batch(X, Y)
    np.testing.assert_allclose(model.get_weights()[0], weights, rtol=1e-4)


def test_cross_entropy_scales_predictions_to_sum_to_1():
    labels, predicted = np.array([[0.2, 0.8], [1.0, 0.0]], np.float32), np.array([[0.5, 1.5], [0.3, 0.3]], np.float32)
    with tf.Session() as sess:
        losses = sess.run(keras.losses.categorical_crossentropy(tf.constant(labels), tf.constant(predicted)))
    scaled = predicted / predicted.sum(1, keepdims=True)
    np.testing.assert_allclose(losses, -(labels * np.log(scaled)).sum(1), rtol=1e-5)


def test_fitting_learns_and_its_shuffling_is_numpys():
    ends = []
    for _ in range(2):
        model = regression(kernel_initializer="zeros")
        np.random.seed(4)
        history = model.fit(X, Y, epochs=30, batch_size=10, verbose=0)
        assert history.history["loss"][-1] < 1e-3 < history.history["loss"][0]
        ends.append(model.get_weights()[0])
    np.testing.assert_array_equal(*ends)


def test_a_model_is_a_layer_and_shares_its_variables():
    inner = keras.Sequential([layers.Dense(3, input_dim=4, activation="tanh"), layers.Dense(2)])
    first, second = layers.Input((4,)), layers.Input((4,))
    end = layers.Add()([inner(first), inner(second)])
    model = keras.Model([first, second], end)
    assert model.weights == inner.weights
    both = model.predict([X, X[::-1]])
    np.testing.assert_allclose(both, inner.predict(X) + inner.predict(X[::-1]), rtol=1e-5)


def test_several_outputs_have_losses_weights_and_metrics_of_their_own():
    start = layers.Input((4,), name="start")
    value = layers.Dense(1, name="value")(start)
    kind = layers.Dense(2, activation="softmax", name="kind")(start)
    model = keras.Model(start, [value, kind])
    labels = (Y > 0).astype(int)
    loss = {"value": "mse", "kind": "sparse_categorical_crossentropy"}
    model.compile("adam", loss, {"kind": ["accuracy"]}, loss_weights={"value": 0.5, "kind": 2.0})
    assert model.metrics_names == ["loss", "value_loss", "kind_loss", "kind_acc"]
    total, of_value, of_kind, right = model.evaluate(X, {"value": Y, "kind": labels}, batch_size=60)
    predicted, chances = model.predict({"start": X})
    np.testing.assert_allclose(of_value, np.mean((predicted - Y) ** 2), rtol=1e-5)
    np.testing.assert_allclose(of_kind, -np.log(chances[np.arange(60), labels[:, 0]]).mean(), rtol=1e-5)
    np.testing.assert_allclose(total, 0.5 * of_value + 2 * of_kind, rtol=1e-5)
    np.testing.assert_allclose(right, (chances.argmax(1) == labels[:, 0]).mean(), rtol=1e-5)


def test_dropout_and_normalization_follow_the_learning_phase():
    model = keras.Sequential([layers.Dropout(0.5, input_shape=(4,)), layers.BatchNormalization(momentum=0.5)])
    model.compile("sgd", "mse")
    np.testing.assert_allclose(model.predict(X), X / np.sqrt(1 + 1e-3), rtol=1e-5)
    before = model.get_weights()[2]
    model.train_on_batch(X, X)
    after = model.get_weights()[2]
    assert (after != before).all()
    model.test_on_batch(X, X)
    np.testing.assert_array_equal(model.get_weights()[2], after)


def test_weights_are_saved_and_restored(tmp_path):
    model = regression()
    weights = model.get_weights()
    model.save_weights(str(tmp_path / "weights"))
    model.fit(X, Y, verbose=0)
    assert not np.array_equal(model.get_weights()[0], weights[0])
    model.load_weights(str(tmp_path / "weights"))
    for actual, expected in zip(model.get_weights(), weights, strict=True):
        np.testing.assert_array_equal(actual, expected)


def test_class_weights_count_as_sample_weights():
    labels = (Y > 0).astype(np.float32)
    results = []
    for kwargs in ({"class_weight": {0: 1.0, 1: 3.0}}, {"sample_weight": 1 + 2 * labels[:, 0]}):
        model = keras.Sequential([layers.Dense(1, input_dim=4, activation="sigmoid", kernel_initializer="zeros")])
        model.compile("sgd", "binary_crossentropy")
        results.append(model.fit(X, labels, verbose=0, shuffle=False, **kwargs).history["loss"])
    assert results[0] == results[1]


def test_optimizers_of_the_graph_are_taken():
    model = keras.Sequential([layers.Dense(1, input_dim=4, kernel_initializer="zeros")])
    model.compile(tf.train.GradientDescentOptimizer(0.2), "mse")
    other = regression(kernel_initializer="zeros")
    for one in (model, other):
        one.train_on_batch(X, Y)
    np.testing.assert_allclose(model.get_weights()[0], other.get_weights()[0], rtol=1e-6)


def test_layers_work_in_a_graph_without_a_model():
    fed = tf.placeholder(tf.float32, [None, 4])
    output = layers.Dense(2, kernel_initializer="ones", name="layer")(fed)
    assert [v.name for v in tf.trainable_variables()] == ["layer/kernel:0", "layer/bias:0"]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        np.testing.assert_allclose(sess.run(output, {fed: X}), X.sum(1, keepdims=True) * [1, 1], rtol=1e-5)


def test_a_summary_names_layers_shapes_and_sizes():
    lines = []
    keras.Sequential([layers.Dense(3, input_dim=4, name="first"), layers.Dense(2)]).summary(print_fn=lines.append)
    text = "\n".join(lines)
    assert "first (Dense)" in text
    assert "(None, 3)" in text
    assert "Total params: 23" in text


def test_states_are_returned_and_given():
    start = layers.Input((5, 4))
    outputs, state, memory = layers.LSTM(3, return_sequences=True, return_state=True)(start)
    again = layers.GRU(3)(outputs, initial_state=state)
    steps = np.random.RandomState(1).rand(7, 5, 4)
    sequence, last, cell, end = keras.Model(start, [outputs, state, memory, again]).predict(steps)
    assert (sequence.shape, last.shape, cell.shape, end.shape) == ((7, 5, 3), (7, 3), (7, 3), (7, 3))
    np.testing.assert_array_equal(sequence[:, -1], last)


def logs_of(callbacks, epochs=6, **kwargs):
    model = regression(kernel_initializer="zeros")
    return model, model.fit(X, Y, 60, epochs, verbose=0, callbacks=callbacks, **kwargs)


def test_callbacks_are_called_in_order():
    seen = []

    class Note(keras.callbacks.Callback):
        def on_train_begin(self, logs=None):
            seen.append(("begin", self.params["epochs"]))

        def on_batch_end(self, batch, logs=None):
            seen.append(("batch", batch, logs["size"]))

        def on_epoch_end(self, epoch, logs=None):
            seen.append(("epoch", epoch, sorted(logs)))

    logs_of([Note()], epochs=1, validation_data=(X, Y))
    assert seen == [("begin", 1), ("batch", 0, 60), ("epoch", 0, ["loss", "val_loss"])]


def test_training_stops_early_and_the_rate_falls():
    stop = keras.callbacks.EarlyStopping("loss", min_delta=1e9, patience=2)
    assert len(logs_of([stop])[1].epoch) == 3
    fall = keras.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=1, min_delta=1e9, min_lr=0.03)
    model, history = logs_of([fall])
    np.testing.assert_allclose(history.history["lr"], [0.2, 0.2, 0.1, 0.05, 0.03, 0.03], rtol=1e-6)
    assert float(keras.backend.get_value(model.optimizer.lr)) == pytest.approx(0.03)


def test_checkpoints_and_events_are_written(tmp_path):
    save = keras.callbacks.ModelCheckpoint(str(tmp_path / "at-{epoch:02d}"), "loss", save_weights_only=True)
    board = keras.callbacks.TensorBoard(str(tmp_path / "logs"))
    model, history = logs_of([save, board], epochs=2)
    model.set_weights([w * 0 for w in model.get_weights()])
    model.load_weights(str(tmp_path / "at-02"))
    assert model.get_weights()[0].any()
    (path,) = (tmp_path / "logs").iterdir()
    values = [v for e in tf.train.summary_iterator(str(path)) for v in e.summary.value]
    np.testing.assert_allclose([v.simple_value for v in values], history.history["loss"], rtol=1e-6)


def compiled(**kwargs):
    return regression(**kwargs)


@pytest.mark.parametrize(
    ("act", "error", "reason"),
    [
        (lambda: keras.Sequential([layers.Dense(1)]).summary(), ValueError, "has not yet been built"),
        (lambda: keras.Sequential([layers.Dense(1, input_dim=2)]).fit(X, Y), RuntimeError, "must compile your model"),
        (lambda: compiled().fit(X[:, :2], Y), ValueError, "expected dense_input to have shape"),
        (lambda: compiled().fit(X, Y[:5]), ValueError, "same number of samples as target arrays"),
        (lambda: compiled().fit([X, X], Y), ValueError, "to have 2 dimensions"),
        (lambda: compiled().fit(X, np.zeros((60, 3))), ValueError, "A target array with shape"),
        (lambda: compiled().set_weights([]), ValueError, "expecting 2 weights"),
        (lambda: compiled().set_weights([X, X]), ValueError, "not compatible"),
        (lambda: compiled().get_layer("none"), ValueError, "No such layer"),
        (lambda: compiled().compile("newton", "mse"), ValueError, "Unknown optimizer: newton"),
        (lambda: compiled().compile("sgd", "none"), ValueError, "Unknown loss function"),
        (lambda: compiled().compile("sgd", ["mse", "mse"]), ValueError, "1 outputs"),
        (lambda: layers.Dense(1, activation="none"), ValueError, "Unknown activation"),
        (lambda: layers.Dense(1, kernel_initializer="none"), ValueError, "Unknown initializer"),
        (lambda: layers.Input(), ValueError, "should be passed either"),
        (lambda: layers.Add()([tf.ones([1])]), ValueError, "at least 2 inputs"),
        (lambda: keras.Model(tf.ones([1, 2]), tf.ones([1, 2])), ValueError, "must come from"),
        (lambda: keras.Model(layers.Input((2,)), tf.ones([1, 2])), ValueError, "Lambda layer"),
        (lambda: layers.RNN(3), ValueError, "should have a `call` method"),
        (lambda: layers.Bidirectional(layers.LSTM(2), "other"), ValueError, "Invalid merge mode"),
        (lambda: layers.Cropping2D(((1, 1),)), ValueError, "`cropping` should have 2 elements"),
        (lambda: layers.Dense(2, kernel_constraint="other"), ValueError, "Unknown constraint"),
        (
            lambda: layers.Flatten().compute_mask(layers.Input((3, 2)), tf.constant(True)),
            TypeError,
            "does not support masking",
        ),
        (lambda: layers.GRU(3, stateful=True)(layers.Input((4, 2))), ValueError, "needs to know its batch size"),
        (lambda: layers.GRU(3).reset_states(), AttributeError, "must be stateful"),
        (lambda: keras.optimizers.SGD(speed=1), TypeError, "Unexpected keyword argument"),
        (lambda: keras.callbacks.ReduceLROnPlateau(factor=1.0), ValueError, "factor >= 1.0"),
        (lambda: keras.backend.set_learning_phase(2), ValueError, "0 or 1"),
    ],
)
def test_arguments_are_checked(act, error, reason):
    with pytest.raises(error, match=reason):
        act()


def changed(model, step):
    """Of each variable of a model, whether a step changes it."""
    before = model.get_weights()
    step()
    return [bool((x != y).any()) for x, y in zip(before, model.get_weights(), strict=True)]


def test_a_part_that_is_made_not_trainable_is_trained_by_its_own_model_alone():
    tf.set_random_seed(1)
    examples, noise, ones = np.ones((8, 4)), np.ones((8, 3)), np.ones((8, 1))
    generator = keras.Sequential([keras.layers.Dense(4, input_shape=(3,))])
    judge = keras.Sequential([keras.layers.Dense(1, activation="sigmoid", input_shape=(4,))])
    judge.compile("sgd", "binary_crossentropy")
    judge.trainable = False
    start = keras.layers.Input((3,))
    both = keras.Model(start, judge(generator(start)))
    both.compile("sgd", "binary_crossentropy")
    assert (judge.trainable_weights, len(judge.non_trainable_weights), len(both.trainable_weights)) == ([], 2, 2)
    assert changed(judge, lambda: both.train_on_batch(noise, ones)) == [False, False]
    assert changed(generator, lambda: both.train_on_batch(noise, ones)) == [True, True]
    assert changed(judge, lambda: judge.train_on_batch(examples, ones)) == [True, True]
    judge.trainable = True
    assert len(both.trainable_weights) == 4


def test_averages_of_calls_in_another_model_need_no_inputs_of_that():
    inner = keras.Sequential([keras.layers.BatchNormalization(input_shape=(4,)), keras.layers.Dense(1)])
    inner.compile("sgd", "mse")
    start = keras.layers.Input((3,))
    keras.Model(start, inner(keras.layers.Dense(4)(start))).compile("sgd", "mse")
    # gamma, beta, kernel and bias, and then both averages
    assert sum(changed(inner, lambda: inner.train_on_batch(np.eye(4) * 3, np.ones((4, 1))))) == 6


def test_models_tell_their_shapes():
    left, right = keras.layers.Input((3,)), keras.layers.Input((4, 5))
    net = keras.layers.concatenate([left, keras.layers.Flatten()(right)])
    model = keras.Model([left, right], keras.layers.Dense(2)(net))
    assert model.input_shape == [(None, 3), (None, 4, 5)]
    assert model.output_shape == (None, 2)


def test_generators_train_evaluate_and_predict_as_arrays_do():
    def model():
        made = keras.Sequential([layers.Dense(1, input_shape=(4,), kernel_initializer="ones")])
        made.compile("sgd", "mse", metrics=["mae"])
        return made

    class Batches:
        def __len__(self):
            return 3

        def __getitem__(self, i):
            return X[20 * i : 20 * (i + 1)], Y[20 * i : 20 * (i + 1)]

    def forever():
        while True:
            yield from (Batches()[i] for i in range(3))

    found = []
    for given, steps in (forever(), 3), (Batches(), None):
        trained = model()
        history = trained.fit_generator(
            given, steps, epochs=2, verbose=0, validation_data=forever(), validation_steps=3, shuffle=False
        ).history
        assert sorted(history) == ["loss", "mean_absolute_error", "val_loss", "val_mean_absolute_error"]
        found.append((history, trained.evaluate_generator(given, steps), trained.predict_generator(given, steps)))
    trained = model()
    history = trained.fit(X, Y, batch_size=20, epochs=2, verbose=0, validation_data=(X, Y), shuffle=False).history
    found.append((history, trained.evaluate(X, Y), trained.predict(X)))
    for history, loss, predictions in found[:2]:
        for name, values in history.items():
            np.testing.assert_allclose(values, found[2][0][name], rtol=1e-5)
        np.testing.assert_allclose(loss, found[2][1], rtol=1e-5)
        np.testing.assert_allclose(predictions, found[2][2], rtol=1e-5)
    with pytest.raises(ValueError, match="ended before the last step"):
        trained.fit_generator(iter([(X, Y)]), 2, verbose=0)
    with pytest.raises(ValueError, match="should be a tuple"):
        trained.fit_generator(iter([X]), 1, verbose=0)
    with pytest.raises(ValueError, match="number of steps"):
        trained.evaluate_generator(forever())


def test_repeated_images_have_the_shape_that_layers_after_them_need():
    image = layers.Input((8, 6, 3))
    assert layers.UpSampling2D((2, 3))(image).shape.as_list() == [None, 16, 18, 3]
    assert layers.Flatten()(layers.UpSampling2D()(image)).shape.as_list() == [None, 16 * 12 * 3]


def test_graphs_end_with_their_models():
    def used():
        with tf.Graph().as_default() as graph:
            model = tf.keras.Sequential(
                [tf.keras.layers.Embedding(5, 2, mask_zero=True, input_length=3), tf.keras.layers.LSTM(2)]
            )
            model.compile("sgd", "mse")
            model.fit(np.zeros((4, 3)), np.zeros((4, 2)), epochs=1, verbose=0)
            column = tf.feature_column.categorical_column_with_identity("a", 3)
            shared.append(tf.feature_column.shared_embedding_columns([column], 2))
            tf.feature_column.input_layer({"a": tf.constant([[1]])}, shared[-1])
            tf.layers.dense(tf.placeholder(tf.float32, [None, 4]), 2)
        return weakref.ref(graph)

    shared = []
    graphs = [used() for _ in range(3)]
    gc.collect()
    assert [graph() for graph in graphs] == [None] * 3
