"""A model's description makes a model of the same layers, whose variables have the same shapes."""

import functools
import json

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.keras import function_code

keras = tf.keras
layers, models = keras.layers, keras.models
X = np.random.RandomState(0).rand(6, 4).astype(np.float32)
SEQUENCES = np.random.RandomState(1).rand(3, 5, 4).astype(np.float32)
IMAGES = np.random.RandomState(2).rand(2, 8, 8, 3).astype(np.float32)


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield
        keras.backend.clear_session()


def again(model, inputs, **kwargs):
    """A model made of the JSON of another, which gives the same with the same weights."""
    text = model.to_json()
    made = models.model_from_json(text, **kwargs)
    assert type(made) is type(model)
    assert [layer.name for layer in made.layers] == [layer.name for layer in model.layers]
    assert [type(layer) for layer in made.layers] == [type(layer) for layer in model.layers]
    assert [w.shape for w in made.get_weights()] == [w.shape for w in model.get_weights()]
    made.set_weights(model.get_weights())
    np.testing.assert_allclose(made.predict(inputs), model.predict(inputs), rtol=1e-5, atol=1e-6)
    assert json.loads(made.to_json()) == json.loads(text)
    return made


def test_the_classes_make_models_of_what_get_config_gives():
    start = layers.Input((4,), name="start")
    model = models.Model(start, layers.Dense(2, name="end")(start))
    made = models.Model.from_config(model.get_config())
    assert [layer.name for layer in made.layers] == ["start", "end"]
    made.set_weights(model.get_weights())
    np.testing.assert_allclose(made.predict(X), model.predict(X), rtol=1e-6)

    class Twice(layers.Layer):
        def call(self, inputs):
            return inputs * 2

    sequence = models.Sequential([layers.Dense(3, input_shape=(4,)), Twice()])
    made = models.Sequential.from_config(sequence.get_config(), custom_objects={"Twice": Twice})
    assert type(made) is models.Sequential
    assert made.output_shape == (None, 3)


def test_a_sequence_of_layers():
    model = models.Sequential(
        [
            layers.Dense(5, activation="relu", input_shape=(4,), kernel_initializer="he_normal", name="first"),
            layers.BatchNormalization(),
            layers.Dropout(0.25),
            layers.Dense(3, kernel_regularizer=keras.regularizers.l2(0.01), bias_constraint="non_neg"),
            layers.LeakyReLU(0.1),
            layers.Dense(2, kernel_initializer=keras.initializers.RandomUniform(seed=3), activation=tf.nn.tanh),
        ]
    )
    made = again(model, X)
    assert (made.layers[0].name, made.layers[2].rate, made.layers[4].alpha) == ("first", 0.25, 0.1)
    assert len(made.losses) == 1
    assert json.loads(model.to_json())["config"]["layers"][0]["config"]["units"] == 5


def test_images_and_several_inputs():
    start, other = layers.Input((8, 8, 3), name="images"), layers.Input((4,), name="numbers")
    net = layers.Conv2D(4, (3, 3), padding="same", activation="elu")(start)
    net = layers.MaxPooling2D((2, 2))(layers.ZeroPadding2D(((1, 0), (0, 1)))(net))
    net = layers.concatenate([layers.Flatten()(net), layers.Dense(3)(other)])
    model = models.Model([start, other], layers.Dense(2, activation="softmax")(net), name="whole")
    assert again(model, [IMAGES, X[:2]]).name == "whole"


def test_layers_that_are_called_twice_and_models_in_models():
    shared = layers.Dense(3, activation="tanh")
    inner = models.Sequential([layers.Dense(3, input_dim=3), layers.Activation("sigmoid")])
    first, second = layers.Input((4,)), layers.Input((4,))
    end = layers.add([inner(shared(first)), shared(second)])
    again(models.Model([first, second], end), [X, X * 2])


def test_recurrent_layers_and_what_is_around_layers():
    start = layers.Input((5, 4))
    net = layers.Bidirectional(layers.LSTM(3, return_sequences=True, dropout=0.5))(layers.Masking()(start))
    net = layers.TimeDistributed(layers.Dense(4))(net)
    net = layers.RNN([layers.GRUCell(2), layers.SimpleRNNCell(3)])(net)
    made = again(models.Model(start, net), SEQUENCES)
    assert made.layers[2].forward_layer.dropout == 0.5


class Scaled(layers.Layer):
    """A layer of a program."""

    def __init__(self, factor, **kwargs):
        super().__init__(**kwargs)
        self.factor = factor

    def call(self, inputs):
        return inputs * self.factor

    def get_config(self):
        return {**super().get_config(), "factor": self.factor}


def halved(x):
    return x / 2


def test_what_is_the_programs_is_given():
    model = models.Sequential([Scaled(3.0, input_shape=(4,)), layers.Dense(2, activation=halved)])
    again(model, X, custom_objects={"Scaled": Scaled, "halved": halved})
    with pytest.raises(ValueError, match="Unknown layer: Scaled"):
        models.model_from_json(model.to_json())
    with pytest.raises(ValueError, match="Unknown activation function:halved"):
        models.model_from_json(model.to_json(), {"Scaled": Scaled})
    with pytest.raises(TypeError, match="expects a dictionary"):
        models.model_from_config(model.get_config()["layers"])


def test_a_sequence_has_its_name_and_the_shape_that_it_was_built_for():
    known = models.Sequential([layers.Dense(2, input_shape=(3,))], name="known")
    assert list(known.get_config()) == ["name", "layers"]
    assert models.Sequential.from_config(known.get_config()).name == "known"
    assert models.Sequential.from_config(known.get_config()["layers"]).output_shape == (None, 2)
    later = models.Sequential([layers.Dense(2)], name="later")
    assert list(later.get_config()) == ["name", "layers"]
    later.build((None, 4))
    assert later.get_config()["build_input_shape"] == (None, 4)
    made = models.model_from_json(later.to_json())
    assert made.weights[0].shape.as_list() == [4, 2]
    assert "batch_input_shape" not in made.get_config()["layers"][0]["config"]


def test_functions_of_lambda_layers_are_kept_as_code():
    factor = 3.0
    model = models.Sequential(
        [
            layers.Lambda(lambda x, plus=1.0: x * factor + plus, arguments={"plus": 2.0}, input_shape=(4,)),
            layers.Lambda(halved, output_shape=(4,)),
            layers.Lambda(lambda x: keras.backend.square(x), output_shape=lambda shape: shape),
        ]
    )
    made = models.model_from_json(model.to_json())
    np.testing.assert_allclose(made.predict(X), ((3 * X + 2) / 2) ** 2, rtol=1e-5)
    config = model.layers[0].get_config()
    assert {key: config[key] for key in ("function_type", "module", "output_shape_type", "arguments")} == {
        "function_type": "lambda",
        "module": __name__,
        "output_shape_type": "raw",
        "arguments": {"plus": 2.0},
    }


def test_code_of_another_process_is_read_only_where_it_is_trusted(monkeypatch):
    config = layers.Lambda(lambda x: x * 5).get_config()
    monkeypatch.setattr(function_code, "_written", {})
    monkeypatch.delenv("FERROFLOW_LAMBDA_CODE", raising=False)
    with pytest.raises(ValueError, match="FERROFLOW_LAMBDA_CODE=1"):
        layers.Lambda.from_config(config)
    monkeypatch.setenv("FERROFLOW_LAMBDA_CODE", "1")
    assert layers.Lambda.from_config(config).function(2) == 10


def test_code_of_another_python_is_refused():
    # As TensorFlow 1.15.5 wrote `lambda x: x * 2 + 1` with Python 3.7.
    code = (
        "4wEAAAAAAAAAAQAAAAIAAABDAAAAcwgAAAB8AGQBFABTACkCTukCAAAAqQApAdoBeHICAAAAcgIA\n"
        "AAD6BmxhbS5wedoFbmFtZWQLAAAA8wAAAAA=\n"
    )
    config = {"name": "l", "function": [code, None, None], "function_type": "lambda", "module": "__main__"}
    with pytest.raises(ValueError, match="load_weights"):
        layers.Lambda.from_config(config)


def test_functions_without_a_name_cannot_be_serialized_but_lambdas_have_one():
    assert layers.Dense(2, activation=lambda x: x).get_config()["activation"] == "<lambda>"
    with pytest.raises(ValueError, match="Cannot serialize"):
        layers.Dense(2, activation=functools.partial(tf.nn.leaky_relu, alpha=0.1)).get_config()


# What TensorFlow 1.8 wrote of a model of two layers, but for the initializers' seeds.
WRITTEN = """{"class_name": "Sequential", "config": [{"class_name": "Dense", "config": {"name": "dense",
"trainable": true, "batch_input_shape": [null, 4], "dtype": "float32", "units": 2, "activation": "linear",
"use_bias": true, "kernel_initializer": {"class_name": "VarianceScaling", "config": {"scale": 1.0, "mode": "fan_avg",
"distribution": "uniform", "seed": null, "dtype": "float32"}}, "bias_initializer": {"class_name": "Zeros", "config":
{"dtype": "float32"}}, "kernel_regularizer": {"class_name": "L1L2", "config": {"l1": 0.0, "l2": 0.5}},
"bias_regularizer": null, "activity_regularizer": null, "kernel_constraint": {"class_name": "MaxNorm", "config":
{"max_value": 2, "axis": 0}}, "bias_constraint": null}}, {"class_name": "LSTM_", "config": {}}],
"keras_version": "2.2.4-tf", "backend": "tensorflow"}"""


def test_tensorflows_descriptions_are_read():
    described = json.loads(WRITTEN)
    described["config"].pop()
    model = models.model_from_json(json.dumps(described))
    model.set_weights([np.ones((4, 2)), np.zeros(2)])
    np.testing.assert_allclose(model.predict(X), np.repeat(X.sum(1, keepdims=True), 2, 1), rtol=1e-5)
    (loss,) = model.losses
    assert keras.backend.eval(loss) == 4.0
    with pytest.raises(ValueError, match="Unknown layer: LSTM_"):
        models.model_from_json(WRITTEN)
    described["config"][0]["config"]["kernel_initializer"]["class_name"] = "Other"
    with pytest.raises(ValueError, match="Unknown initializer: 'Other'"):
        models.model_from_config(described)


def test_names_stand_for_what_is_the_programs_within_a_scope():
    class Twice(layers.Layer):
        def call(self, inputs):
            return 2 * inputs

    def halved(x):
        return x / 2

    utils = keras.utils
    described = keras.Sequential([layers.Dense(1, input_shape=(2,), activation=halved), Twice()]).to_json()
    for scope in (utils.custom_object_scope, utils.CustomObjectScope):
        with scope({"halved": halved}, {"Twice": Twice}):
            made = keras.models.model_from_json(described)
            assert layers.Activation("halved").activation is halved
        assert isinstance(made.layers[1], Twice)
        assert made.layers[0].activation is halved
    assert utils.get_custom_objects() == {}
    with pytest.raises(ValueError, match="halved"):
        layers.Activation("halved")


def test_a_layer_tells_every_argument():
    assert layers.Dense(3, name="d").get_config() == {
        "name": "d",
        "trainable": True,
        "units": 3,
        "activation": "linear",
        "use_bias": True,
        "kernel_initializer": {"class_name": "GlorotUniform", "config": {"seed": None, "dtype": "float32"}},
        "bias_initializer": {"class_name": "Zeros", "config": {"dtype": "float32"}},
        "kernel_regularizer": None,
        "bias_regularizer": None,
        "activity_regularizer": None,
        "kernel_constraint": None,
        "bias_constraint": None,
    }
    found = layers.Conv2D(4, 3, activation=tf.nn.relu, input_shape=(8, 8, 1)).get_config()
    expected = {"kernel_size": (3, 3), "strides": (1, 1), "data_format": "channels_last", "activation": "relu"}
    assert expected.items() <= found.items()
    assert found["batch_input_shape"] == (None, 8, 8, 1)
    assert "input_shape" not in found
    of_lstm = layers.LSTM(2, kernel_constraint="non_neg").get_config()
    assert of_lstm["kernel_constraint"] == {"class_name": "NonNeg", "config": {}}
    assert {"recurrent_activation": "hard_sigmoid", "unroll": False, "implementation": 1}.items() <= of_lstm.items()


@pytest.mark.parametrize(
    "name",
    [
        *("Dense", "LSTM", "GRU", "SimpleRNN", "LSTMCell", "GRUCell", "SimpleRNNCell", "Flatten", "PReLU", "ELU"),
        *("BatchNormalization", "MaxPooling1D", "AveragePooling2D", "MaxPooling3D", "GlobalMaxPooling2D", "Softmax"),
        *("Conv1D", "Conv2D", "Conv3D", "SeparableConv1D", "SeparableConv2D", "Conv2DTranspose", "Conv3DTranspose"),
        *("DepthwiseConv2D", "UpSampling2D", "ZeroPadding2D", "Cropping3D", "Embedding", "Dropout", "GaussianNoise"),
        *("SpatialDropout2D", "AlphaDropout", "Concatenate", "Dot", "Masking", "LeakyReLU", "ActivityRegularization"),
    ],
)
def test_what_a_layer_tells_makes_an_equal_one(name):
    given = {"Embedding": (4, 3), "Dropout": (0.5,), "GaussianNoise": (0.5,), "SpatialDropout2D": (0.5,), "Dot": (1,)}
    sizes = (2, 3) if "Conv" in name and "Depthwise" not in name else (3,)
    plain = ("Pooling", "Flatten", "LU", "Normalization", "UpSampling", "Padding", "Cropping", "Concatenate", "Softmax")
    of_none = any(part in name for part in plain) or name in ("Masking", "ActivityRegularization")
    made = getattr(layers, name)(*(given.get(name) or (() if of_none else (0.5,) if "Dropout" in name else sizes)))
    config = json.loads(json.dumps(made.get_config()))
    assert json.loads(json.dumps(type(made).from_config(config).get_config())) == config


class _Scaled(tf.keras.layers.Layer):
    def __init__(self, factor=2.0, **kwargs):
        self.factor = factor
        super().__init__(**kwargs)

    def call(self, inputs):
        return inputs * self.factor

    def get_config(self):
        return {**super().get_config(), "factor": self.factor}


def _plain(x):
    return x + 1.0


def test_classes_of_a_scope_are_found_by_every_way_from_a_configuration():
    inputs = tf.keras.layers.Input([3])
    model = tf.keras.models.Model(inputs, _Scaled(3.0, name="LayerNormalization")(inputs))
    config, text = model.get_config(), model.to_json()
    # A class of the scope stands before the one that Keras has under its name.
    for one in config["layers"]:
        if one["class_name"] == "_Scaled":
            one["class_name"] = "LayerNormalization"
    with tf.keras.utils.CustomObjectScope({"LayerNormalization": _Scaled, "_Scaled": _Scaled, "_plain": _plain}):
        again = tf.keras.models.Model.from_config(config)
        other = tf.keras.models.model_from_json(text)
        third = tf.keras.layers.deserialize({"class_name": "_Scaled", "config": {"factor": 4.0}})
        wrapped = tf.keras.layers.TimeDistributed.from_config(
            {"name": "t", "layer": {"class_name": "_Scaled", "config": {"factor": 5.0}}}
        )
        adam = tf.keras.optimizers.deserialize({"class_name": "Mine", "config": {}}, {"Mine": tf.keras.optimizers.Adam})
    assert [layer.layers[-1].factor for layer in (again, other)] == [3.0, 3.0]
    assert (third.factor, wrapped.layer.factor, type(adam)) == (4.0, 5.0, tf.keras.optimizers.Adam)
    with pytest.raises(ValueError, match="Unknown layer: _Scaled"):
        tf.keras.models.model_from_json(text)


@pytest.mark.parametrize(
    "make",
    [
        lambda: layers.deserialize({"class_name": "Dense"}),
        lambda: layers.deserialize({"class_name": "TimeDistributed", "config": {"layer": {"class_name": "Dense"}}}),
        lambda: models.model_from_config({"class_name": "Model"}),
        lambda: models.model_from_json('{"class_name": "Sequential"}'),
        lambda: keras.Sequential.from_config({"name": "s", "layers": [{"class_name": "Dense"}]}),
        lambda: keras.initializers.get({"class_name": "Zeros"}),
        lambda: keras.regularizers.deserialize({"config": {}}),
        lambda: keras.constraints.deserialize({"class_name": "NonNeg"}),
        lambda: keras.activations.deserialize({"config": {}}),
        lambda: keras.losses.deserialize({"config": {}}),
        lambda: keras.metrics.deserialize({"config": {}}),
        lambda: keras.optimizers.deserialize({"class_name": "SGD"}),
        lambda: layers.deserialize(
            {"class_name": "Dense", "config": {"units": 1, "kernel_initializer": {"config": {}}}}
        ),
    ],
)
def test_descriptions_without_a_part_are_refused(make):
    with pytest.raises(ValueError, match="Improper config format"):
        make()


def test_an_empty_description_of_a_sequence_makes_an_empty_one():
    assert models.model_from_config({"class_name": "Sequential", "config": {}}).layers == []


def test_a_variable_of_a_tensor_of_another_type_is_refused():
    with pytest.raises(ValueError, match="Tensor conversion requested dtype float32"):
        keras.backend.variable(tf.constant([1, 2]))
