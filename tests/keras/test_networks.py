"""Models that learn their inputs late, subclasses and sequences of layers; and what layers tell of their calls."""

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


class Tower(keras.Model):
    """Layers in attributes and in a list, called in `call`."""

    def __init__(self, use_dropout=False):
        super().__init__(name="tower")
        self.first = layers.Dense(4, activation="tanh", kernel_initializer="ones")
        self.blocks = []
        self.blocks.append(layers.Dense(2, kernel_initializer="ones"))
        self.last = layers.Dense(1, kernel_initializer="ones")
        self.dropout = layers.Dropout(0.5) if use_dropout else None

    def call(self, inputs, training=None):
        x = self.first(inputs)
        if self.dropout is not None:
            x = self.dropout(x, training=training)
        for block in self.blocks:
            x = block(x)
        return self.last(x)


def chain():
    return keras.Sequential(
        [
            layers.Dense(4, activation="tanh", kernel_initializer="ones", input_shape=(3,)),
            layers.Dense(2, kernel_initializer="ones"),
            layers.Dense(1, kernel_initializer="ones"),
        ]
    )


def test_a_subclass_is_fitted_evaluated_and_predicts_as_the_same_layers_do():
    found = []
    for model in (Tower(), chain()):
        model.compile(keras.optimizers.SGD(0.01), "mse", metrics=["mae"])
        losses = model.fit(X, Y, 4, 3, 0, shuffle=False, validation_data=(X, Y)).history
        found.append((losses, model.evaluate(X, Y, verbose=0), model.predict(X)))
    assert sorted(found[0][0]) == ["loss", "mean_absolute_error", "val_loss", "val_mean_absolute_error"]
    for name, values in found[1][0].items():
        np.testing.assert_allclose(found[0][0][name], values, rtol=1e-5)
    for mine, expected in zip(found[0][1:], found[1][1:], strict=True):
        np.testing.assert_allclose(mine, expected, rtol=1e-5)


def test_a_subclass_has_the_layers_of_its_attributes():
    model = Tower()
    assert [layer.units for layer in model.layers] == [4, 2, 1]
    assert (model.weights, model.built) == ([], False)
    np.testing.assert_allclose(model.predict(X), 8 * np.tanh(Y), rtol=1e-5)
    assert [w.shape for w in model.get_weights()] == [(3, 4), (4,), (4, 2), (2,), (2, 1), (1,)]
    assert (model.input_names, model.output_names) == (["input_1"], ["output_1"])
    assert model.count_params() == 16 + 10 + 3


def test_dropout_in_a_subclass_follows_the_learning_phase():
    model = Tower(use_dropout=True)
    model.compile("sgd", "mse")
    np.testing.assert_allclose(model.predict(X), 8 * np.tanh(Y), rtol=1e-5)
    assert model.uses_learning_phase
    tf.set_random_seed(3)
    tested = model.test_on_batch(X, Y)
    assert model.train_on_batch(X, Y) != pytest.approx(tested)


def test_a_subclass_is_a_part_of_other_models():
    class Pair(keras.Model):
        def __init__(self):
            super().__init__()
            self.tower = Tower()
            self.scale = layers.Lambda(lambda x: 2 * x)

        def call(self, inputs):
            first, second = inputs
            return [self.tower(first), self.scale(self.tower(second))]

    pair = Pair()
    first, second = pair.predict([X, X])
    np.testing.assert_allclose(second, 2 * first, rtol=1e-6)
    assert len(pair.weights) == 6
    pair.compile("sgd", "mse")
    assert pair.metrics_names == ["loss", "output_1_loss", "output_2_loss"]
    assert len(pair.train_on_batch([X, X], [Y, Y])) == 3
    start = layers.Input((3,))
    tower = Tower()
    model = keras.Model(start, layers.Dense(1)(tower(start)))
    assert len(model.trainable_weights) == 8
    assert tower.built
    assert model.predict(X).shape == (12, 1)


def test_weights_of_a_subclass_are_saved_and_restored(tmp_path):
    path = str(tmp_path / "weights")
    first = Tower()
    first.compile("sgd", "mse")
    first.fit(X, Y, verbose=0)
    first.save_weights(path)
    expected = first.predict(X)
    first.set_weights([0 * w for w in first.get_weights()])
    first.load_weights(path)
    np.testing.assert_array_equal(first.predict(X), expected)
    with pytest.raises(ValueError, match="Call the model first"):
        Tower().save_weights(path)
    with pytest.raises(ValueError, match="Call the model first"):
        Tower().load_weights(f"{path}.h5")
    with pytest.raises(ValueError, match="Unknown format"):
        first.save_weights(path, save_format="zip")
    with pytest.raises(NotImplementedError, match=r"tf\.train\.Saver"):
        first.load_weights(path, by_name=True)


@pytest.mark.parametrize("make", [Tower, lambda: keras.Sequential([layers.Dense(2), layers.Dense(1)])])
def test_weights_are_loaded_when_there_are_variables(tmp_path, make):
    path = str(tmp_path / "weights")
    first = make()
    first.compile("sgd", "mse")
    first.fit(X, Y, verbose=0)
    first.save_weights(path)
    expected = first.predict(X)
    with tf.Graph().as_default():
        late_one = make()
        late_one.load_weights(path)
        np.testing.assert_array_equal(late_one.predict(X), expected)
        called = late_one(tf.constant(X))
        np.testing.assert_array_equal(keras.backend.get_value(called), expected)
        keras.backend.clear_session()


def test_a_subclass_may_make_layers_in_its_own_build():
    class Square(keras.Model):
        built_for = ()

        def build(self, input_shape):
            self.built_for += (input_shape.as_list(),)
            self.layer = layers.Dense(int(input_shape[-1]))
            super().build(input_shape)
            self.built = True

        def call(self, inputs):
            return self.layer(inputs)

    fitted, called = Square(), Square()
    assert fitted.predict(X).shape == (12, 3)
    assert called(tf.constant(X)).shape.as_list() == [12, 3]
    assert called(tf.constant(X)) is not None
    assert (fitted.built_for, called.built_for) == (([None, 3],), ([12, 3],))
    assert [len(model.weights) for model in (fitted, called)] == [2, 2]


def test_what_a_subclass_cannot_do_names_what_can():
    model = Tower()
    model.build((None, 3))
    assert len(model.weights) == 6
    for act in (model.get_config, model.to_json, lambda: model.save("nowhere.h5")):
        with pytest.raises(NotImplementedError, match="save_weights"):
            act()
    with pytest.raises(NotImplementedError, match="should implement a `call`"):
        keras.Model().predict(X)
    with pytest.raises(ValueError, match="has not yet been built"):
        Tower().summary()
    with pytest.raises(ValueError, match="array or a list of arrays"):
        Tower().predict({"x": X})

    class Forgetful(keras.Model):
        def __init__(self):
            self.layer = layers.Dense(1)

    with pytest.raises(RuntimeError, match="before `super"):
        Forgetful()


def test_a_subclass_is_fitted_to_tensors():
    model = Tower()
    model.compile(keras.optimizers.SGD(0.01), "mse")
    losses = model.fit(tf.constant(X), tf.constant(Y), epochs=2, steps_per_epoch=1, verbose=0).history["loss"]
    assert losses[0] == pytest.approx(((8 * np.tanh(Y) - Y) ** 2).mean(), rel=1e-5)
    assert model.predict(X).shape == (12, 1)


def late(**kwargs):
    return keras.Sequential(
        [layers.Dense(2, kernel_initializer="ones"), layers.Dense(1, kernel_initializer="ones")], **kwargs
    )


def test_a_sequence_of_layers_is_built_when_it_is_fitted():
    model = late()
    model.compile("sgd", "mse", metrics=["mae"])
    assert (model.weights, len(model.layers), model.built) == ([], 2, False)
    model.fit(X, Y, verbose=0)
    assert [w.shape for w in model.get_weights()] == [(3, 2), (2,), (2, 1), (1,)]
    assert [type(layer).__name__ for layer in model.layers] == ["Dense", "Dense"]
    np.testing.assert_allclose(late().predict(X), 2 * Y, rtol=1e-5)
    generated = late()
    generated.compile("sgd", "mse")
    assert len(generated.fit_generator(iter(lambda: (X, Y), None), 2, verbose=0).history["loss"]) == 1


def test_a_sequence_of_layers_is_built_by_a_shape_or_a_call():
    model = late()
    model.build((None, 3))
    model.add(layers.Dense(5))
    assert model.output_shape == (None, 5)
    assert len(model.weights) == 6
    called = late()
    assert called(tf.constant(X)).shape.as_list() == [12, 1]
    assert len(called.weights) == 4
    shorter = late()
    shorter.pop()
    assert shorter.predict(X).shape == (12, 2)
    with pytest.raises(TypeError, match="instance of class Layer"):
        late().add("dense")
    with pytest.raises(ValueError, match="input_shape"):
        late().build()
    with pytest.raises(RuntimeError, match="must compile"):
        late().fit(X, Y)
    with pytest.raises(TypeError, match="no layers"):
        keras.Sequential().pop()


def test_layers_tell_what_each_call_took_and_gave():
    layer = layers.Dense(2)
    with pytest.raises(RuntimeError, match="never been called and thus has no defined output"):
        layer.get_output_at(0)
    first, second = layers.Input((3,)), layers.Input((7, 3))
    outputs = [layer(first), layer(second)]
    assert [layer.get_output_at(i) for i in range(2)] == outputs
    assert [layer.get_input_at(i) for i in range(2)] == [first, second]
    assert [layer.get_input_shape_at(i) for i in range(2)] == [(None, 3), (None, 7, 3)]
    assert layer.get_output_shape_at(1) == (None, 7, 2)
    with pytest.raises(ValueError, match="only 2 inbound nodes"):
        layer.get_input_at(2)
    model = keras.Model(first, outputs[0])
    again = model(tf.keras.layers.Input((3,)))
    assert model.get_output_at(0) is outputs[0]
    assert model.get_output_at(1) is again
    assert layer.get_output_at(2) is again


def test_models_tell_what_each_call_took_and_gave():
    late = keras.Sequential([layers.Dense(2)])
    with pytest.raises(AttributeError, match="no inbound nodes"):
        late.output  # noqa: B018
    with pytest.raises(AttributeError, match="never been called"):
        late.output_shape  # noqa: B018
    words = layers.Input((4,))
    embedded = layers.Embedding(5, 2, mask_zero=True)(words)
    model = keras.Model(words, embedded)
    assert (model.input, model.output, model.input_mask) == (words, embedded, None)
    assert model.output_mask is model.get_output_mask_at(0) is not None
    assert (model.input_shape, model.output_shape) == ((None, 4), (None, 4, 2))
    longer = layers.Masking()(layers.Input((7,)))
    model(longer)
    assert model.get_input_at(1) is longer
    assert model.get_input_shape_at(1) == (None, 7)
    assert model.get_input_mask_at(1) is longer._keras_mask is not None
    source = longer._keras_history.layer
    assert model.inbound_nodes[1].inbound_layers is source
    assert model.inbound_nodes[1] in source.outbound_nodes
    assert model.output is embedded
    with pytest.raises(AttributeError, match="get_output_shape_at"):
        model.output_shape  # noqa: B018
    model._name = "renamed"
    assert model.name == "renamed"


def test_a_function_is_a_layer_with_a_shape_and_a_mask():
    layer = layers.Lambda(lambda x, scale: scale * x[:, :2], (2,), arguments={"scale": 3.0})
    assert layer.compute_output_shape((None, 3)).as_list() == [None, 2]
    assert layers.Lambda(lambda x: x, lambda s: (s[0], 9)).compute_output_shape((4, 3)).as_list() == [4, 9]
    assert layers.Lambda(lambda x: x[:, :1]).compute_output_shape((4, 3)).as_list() == [4, 1]
    np.testing.assert_allclose(keras.Sequential([layer]).predict(X), 3 * X[:, :2], rtol=1e-6)
    with pytest.raises(TypeError, match="`output_shape` must be"):
        layers.Lambda(lambda x: x, 3)
    start = layers.Input((4,))
    words = layers.Embedding(5, 2, mask_zero=True)(start)
    counted = layers.Lambda(lambda x, mask: tf.cast(mask, tf.float32))(words)
    kept = layers.LSTM(2, return_sequences=True)(layers.Lambda(lambda x: x, mask=lambda x, mask: mask)(words))
    model = keras.Model(start, [counted, kept])
    numbers, _ = model.predict(np.array([[1, 2, 0, 0]]))
    np.testing.assert_array_equal(numbers, [[1, 1, 0, 0]])
    model.compile("sgd", "mse")
    labels = np.zeros((1, 4, 2))
    labels[:, 2:] = 100.0
    assert model.evaluate(np.array([[1, 2, 0, 0]]), [numbers, labels], verbose=0)[2] < 1.0


def test_a_summary_tells_what_layers_are_called_on():
    first, second = layers.Input((3,), name="first"), layers.Input((3,), name="second")
    both = layers.Add(name="both")([first, layers.Dense(3, name="dense")(second)])
    lines = []
    keras.Model([first, second], both).summary(print_fn=lines.append)
    (row,) = [line for line in lines if line.startswith("both")]
    assert row.split()[-1] == "first[0][0]"
    assert lines[lines.index(row) + 1].split() == ["dense[0][0]"]
    assert (lines[0], len(lines[1])) == ('Model: "model"', 98)
    lines.clear()
    chain().summary(40, [20, 34, 40], lines.append)
    assert {len(line) for line in lines[1:4]} == {40}
    assert lines[2].index("Output Shape") == 20


def test_states_of_layers_are_forgotten():
    class Stateful(layers.Dense):
        forgotten = 0

        def reset_states(self):
            self.forgotten += 1

    layer = Stateful(1, input_shape=(3,))
    model = keras.Sequential([layer])
    model.reset_states()
    layer.stateful = True
    model.reset_states()
    assert layer.forgotten == 1


def test_names_of_layers_are_unique_in_a_model():
    x = tf.keras.Input((3,))
    twice = tf.keras.layers.Dense(2, name="q")(tf.keras.layers.Dense(3, name="q")(x))
    with pytest.raises(ValueError, match='The name "q" is used 2 times in the model'):
        tf.keras.Model(x, twice)
    with pytest.raises(ValueError, match="The list of inputs passed to the model is redundant"):
        tf.keras.Model([x, x], tf.keras.layers.Dense(2)(x))


def test_a_sequential_model_may_be_one_layer():
    assert [layer.name for layer in tf.keras.Sequential(tf.keras.layers.Dense(2, name="only")).layers] == ["only"]
