"""Models are fitted to batches of programs' own, to tensors of the graph and to datasets."""

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


def linear(**kwargs):
    model = keras.Sequential([layers.Dense(1, kernel_initializer="zeros", **({"input_dim": 3} | kwargs))])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    return model


class Thirds(keras.utils.Sequence):
    """Three batches, which tell when they were taken and when a pass ended."""

    def __init__(self):
        self.taken = []

    def __len__(self):
        return 3

    def __getitem__(self, index):
        self.taken.append(index)
        return X[4 * index : 4 * index + 4], Y[4 * index : 4 * index + 4]

    def on_epoch_end(self):
        self.taken.append("end")


def test_a_sequence_is_told_when_a_pass_ends():
    batches = Thirds()
    linear().fit_generator(batches, epochs=2, verbose=0, shuffle=False)
    assert batches.taken == [0, 1, 2, "end", 0, 1, 2, "end"]


def test_passes_go_on_over_the_ends_of_epochs():
    longer, shorter = Thirds(), Thirds()
    linear().fit_generator(longer, 5, verbose=0, shuffle=False)
    assert longer.taken == [0, 1, 2, "end", 0, 1]
    linear().fit_generator(shorter, 2, epochs=2, verbose=0, shuffle=False)
    assert shorter.taken == [0, 1, 2, "end", 0]
    shuffled = Thirds()
    linear().fit_generator(shuffled, epochs=4, verbose=0)
    assert [sorted(shuffled.taken[4 * i : 4 * i + 3]) for i in range(4)] == [[0, 1, 2]] * 4


def test_each_validation_begins_anew_and_ends_no_pass():
    batches = Thirds()
    model = linear()
    model.fit_generator(Thirds(), epochs=2, verbose=0, validation_data=batches, validation_steps=2)
    assert batches.taken == [0, 1, 0, 1]
    model.evaluate_generator(batches, 4)
    model.predict_generator(batches)
    assert batches.taken[4:] == [0, 1, 2, 0, 0, 1, 2]


def test_a_sequence_says_what_is_to_be_defined():
    with pytest.raises(NotImplementedError, match="__len__"):
        linear().fit_generator(keras.utils.Sequence())
    with pytest.raises(ValueError, match="no batches"):
        linear().fit_generator([])
    batches = iter(Thirds())
    assert [next(batches)[0][0, 0] for _ in range(4)] == [X[0, 0], X[4, 0], X[8, 0], X[0, 0]]


@pytest.mark.parametrize("make", [Thirds, lambda: iter([Thirds()[i] for i in (0, 1, 2, 0, 1, 2)])])
def test_fit_evaluate_and_predict_take_batches_of_programs(make):
    one, other = linear(), linear()
    steps = None if make is Thirds else 3
    losses = one.fit(make(), epochs=2, steps_per_epoch=steps, shuffle=False, verbose=0).history["loss"]
    assert losses == other.fit_generator(make(), steps, epochs=2, shuffle=False, verbose=0).history["loss"]
    assert one.evaluate(make(), steps=steps) == other.evaluate_generator(make(), steps)
    np.testing.assert_array_equal(one.predict(make(), steps=steps), other.predict_generator(make(), steps))


@pytest.mark.parametrize("more", [{"y": Y}, {"batch_size": 4}, {"sample_weight": np.ones(12)}])
def test_batches_of_programs_are_complete(more):
    (name,) = more
    with pytest.raises(ValueError, match=f"`{name}` must not be given with a generator"):
        linear().fit(Thirds(), verbose=0, **more)


def test_an_epoch_is_a_whole_dataset(capsys):
    rows = tf.data.Dataset.from_tensor_slices((X, Y)).batch(5)
    one, other = linear(), linear()
    losses = one.fit(rows, epochs=2, validation_data=rows, verbose=2).history
    in_order = other.fit(X, Y, batch_size=5, epochs=2, shuffle=False, verbose=0)
    assert "Train on a dataset, validate on a dataset" in capsys.readouterr().out
    np.testing.assert_allclose(one.get_weights()[0], other.get_weights()[0], rtol=1e-5)
    assert len(losses["loss"]) == len(losses["val_loss"]) == len(in_order.history["loss"]) == 2
    # A batch counts as one, whatever its size.
    parts = [other.evaluate(X[i : i + 5], Y[i : i + 5], verbose=0) for i in (0, 5, 10)]
    assert one.evaluate(rows) == pytest.approx(np.mean(parts), rel=1e-4)
    np.testing.assert_allclose(one.predict(rows), other.predict(X), rtol=1e-4)


def test_datasets_that_do_not_fit_are_refused():
    rows = tf.data.Dataset.from_tensor_slices((X, Y)).batch(5)
    for call, name in ((linear().fit, "steps_per_epoch"), (linear().evaluate, "steps"), (linear().predict, "steps")):
        with pytest.raises(ValueError, match=f"infinitely repeating dataset, you must specify the `{name}`"):
            call(rows.repeat())
    with pytest.raises(ValueError, match="`batch_size` must be None, but is 2"):
        linear().fit(rows, batch_size=2)


def test_arrays_without_examples_are_refused():
    with pytest.raises(ValueError, match="Empty training data"):
        linear().fit(X[:0], Y[:0])


def test_weights_of_unknown_outputs_are_refused():
    with pytest.raises(ValueError, match=r"Unknown entries in sample_weight dictionary: \['nope'\]"):
        linear().fit(X, Y, sample_weight={"nope": np.ones(12)})


def test_one_hot_labels_have_the_width_of_the_output():
    model = keras.Sequential([layers.Dense(3, input_dim=3)])
    model.compile("sgd", "categorical_crossentropy")
    with pytest.raises(ValueError, match="A target array with shape"):
        model.fit(X, np.zeros(12))


def test_tensors_of_the_graph_are_fitted_evaluated_and_predicted():
    model, other = linear(), linear()
    x, y = tf.constant(X), tf.constant(Y)
    losses = model.fit(x, y, epochs=2, steps_per_epoch=3, verbose=0).history["loss"]
    expected = [other.train_on_batch(X, Y) for _ in range(6)]
    np.testing.assert_allclose(losses, [np.mean(expected[:3]), np.mean(expected[3:])], rtol=1e-5)
    assert model.evaluate(x, y, steps=2) == pytest.approx(model.evaluate(X, Y, verbose=0), rel=1e-5)
    np.testing.assert_allclose(model.predict(x, steps=2), np.concatenate([model.predict(X)] * 2), rtol=1e-5)
    assert model.train_on_batch(x, y) == pytest.approx(other.train_on_batch(X, Y), rel=1e-5)
    with pytest.raises(ValueError, match="specify the `steps_per_epoch`"):
        model.fit(x, y, verbose=0)
    with pytest.raises(ValueError, match="mix Numpy arrays"):
        model.fit(x, Y, steps_per_epoch=1)


def test_validation_by_tensors_takes_its_own_steps():
    model = linear()
    validation = (tf.constant(X), tf.constant(Y))
    history = model.fit(X, Y, steps_per_epoch=2, verbose=0, validation_data=validation, validation_steps=1).history
    assert history["val_loss"][0] == pytest.approx(model.evaluate(X, Y, verbose=0), rel=1e-5)
    with pytest.raises(ValueError, match="`steps_per_epoch` must be set"):
        model.fit(X, Y, validation_data=validation, validation_steps=1, verbose=0)


@pytest.mark.parametrize("as_iterator", [False, True])
def test_a_dataset_is_fitted_batch_by_batch(as_iterator):
    data = tf.data.Dataset.from_tensor_slices((X, Y)).repeat().batch(4)
    model, other = linear(), linear()
    given = data.make_one_shot_iterator() if as_iterator else data
    history = model.fit(given, epochs=2, steps_per_epoch=3, verbose=0).history
    expected = other.fit(X, Y, 4, 2, 0, shuffle=False).history
    np.testing.assert_allclose(history["loss"], expected["loss"], rtol=1e-5)
    assert model.evaluate(data, steps=3) == pytest.approx(other.evaluate(X, Y, verbose=0), rel=1e-5)
    np.testing.assert_allclose(model.predict(data, steps=3), other.predict(X), rtol=1e-5)
    with pytest.raises(ValueError, match="do not pass a target"):
        model.fit(data, Y, steps_per_epoch=1)


def test_a_dataset_that_ends_is_warned_of(caplog):
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(4).make_one_shot_iterator()
    history = linear().fit(data, steps_per_epoch=5, verbose=0).history
    assert len(history["loss"]) == 1
    assert "ran out of data" in caplog.text


def test_inputs_may_be_tensors_of_the_graph():
    start = layers.Input(tensor=tf.constant(X))
    model = keras.Model(start, layers.Dense(1, kernel_initializer="zeros")(start))
    model.compile("sgd", "mse", target_tensors=[tf.constant(Y)])
    history = model.fit(epochs=2, steps_per_epoch=2, verbose=0).history
    assert history["loss"][0] > history["loss"][1]
    assert model.evaluate(steps=2) < history["loss"][1]
    with pytest.raises(ValueError, match="steps_per_epoch"):
        model.fit(verbose=0)


def test_arrays_are_taken_whole_in_each_of_the_steps():
    model, other = linear(), linear()
    losses = model.fit(X, Y, steps_per_epoch=2, verbose=0).history["loss"]
    expected = [other.train_on_batch(X, Y) for _ in range(2)]
    assert losses[0] == pytest.approx(np.mean(expected), rel=1e-5)
    with pytest.raises(ValueError, match="`batch_size` must be None"):
        model.fit(X, Y, 4, steps_per_epoch=2)


def test_batches_of_neighbours_are_shuffled():
    seen = []

    class Note(layers.Layer):
        def call(self, inputs):
            noted = tf.numpy_function(lambda x: seen.append(x[:, 0].tolist()) or x, [inputs], tf.float32)
            noted.set_shape(inputs.shape)
            return noted

    model = keras.Sequential([Note(input_shape=(1,)), layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(np.arange(10.0), np.arange(10.0), 4, verbose=0, shuffle="batch")
    assert sorted(seen[:2]) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert seen[2] == [8, 9]


def test_older_names_are_taken_and_others_refused(caplog):
    assert len(linear().fit(X, Y, nb_epoch=2, verbose=0).history["loss"]) == 2
    assert "renamed `epochs`" in caplog.text
    with pytest.raises(TypeError, match="Unrecognized keyword arguments"):
        linear().fit(X, Y, speed=1)


def test_labels_that_are_missing_are_told():
    with pytest.raises(ValueError, match="Error when checking model target"):
        linear().fit(X, verbose=0)
