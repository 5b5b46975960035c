"""Networks for pictures have Keras's layers, and read its files of weights and checkpoints."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import numpy as np
import pytest
from golden.keras_application_programs import described, networks

import ferroflow as tf

applications = tf.keras.applications
EXPECTED = json.loads((Path(__file__).parents[1] / "golden" / "keras_applications.json").read_text(encoding="utf-8"))
# The others are of the same functions, and take seconds to build.
BUILT = ["VGG16", "ResNet50", "ResNet50V2", "MobileNetV2", "Xception", "InceptionV3"]
PICTURES = np.random.RandomState(0).uniform(0, 255, [2, 32, 32, 3]).astype(np.float32)


@pytest.fixture(autouse=True)
def fresh_graph():
    tf.keras.backend.clear_session()


def test_a_searched_network_has_tensorflows_size():
    # Its variables have the names of Keras's name scopes there, which layers here leave out.
    assert described(tf, "NASNetMobile")[:3] == EXPECTED["NASNetMobile"][:3]


def test_golden_descriptions_are_those_of_networks():
    assert set(EXPECTED) <= set(networks(tf))


@pytest.mark.parametrize("network", BUILT)
def test_the_layers_are_tensorflows(network):
    assert described(tf, network) == EXPECTED[network]


def small(**options):
    return applications.MobileNetV2(input_shape=(32, 32, 3), alpha=0.35, classes=5, **options)


def test_weights_of_a_file_and_of_a_checkpoint(tmp_path):
    pytest.importorskip("h5py", reason="h5py is not installed")
    model = small(weights=None)
    expected = model.predict(PICTURES)
    model.save_weights(str(tmp_path / "weights.h5"))
    model.save_weights(str(tmp_path / "model"))
    for place in ("weights.h5", "model"):
        tf.keras.backend.clear_session()
        np.testing.assert_array_equal(small(weights=str(tmp_path / place)).predict(PICTURES), expected)


def test_weights_without_the_head_are_found_by_name(tmp_path):
    pytest.importorskip("h5py", reason="h5py is not installed")
    whole = small(weights=None)
    whole.save_weights(str(tmp_path / "weights.h5"))
    features = tf.keras.Model(whole.inputs, whole.get_layer("out_relu").output).predict(PICTURES)
    tf.keras.backend.clear_session()
    bare = small(weights=None, include_top=False)
    bare.load_weights(str(tmp_path / "weights.h5"), by_name=True)
    np.testing.assert_array_equal(bare.predict(PICTURES), features)


def test_imagenets_weights_are_read_from_kerass_folder(tmp_path, monkeypatch):
    pytest.importorskip("h5py", reason="h5py is not installed")
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".keras" / "models"
    folder.mkdir(parents=True)
    made = applications.MobileNet(weights=None, include_top=False, alpha=0.25, input_shape=(128, 128, 3))
    made.save_weights(str(folder / "mobilenet_2_5_128_tf_no_top.h5"))
    pictures = np.resize(PICTURES, [1, 128, 128, 3])
    expected = made.predict(pictures)
    tf.keras.backend.clear_session()
    found = applications.MobileNet(include_top=False, alpha=0.25, input_shape=(128, 128, 3))
    np.testing.assert_array_equal(found.predict(pictures), expected)


def test_a_network_on_a_tensor_of_other_layers():
    start = tf.keras.layers.Input((32, 32, 1))
    colored = tf.keras.layers.Concatenate()([start] * 3)
    model = applications.VGG16(weights=None, include_top=False, pooling="avg", input_tensor=colored)
    assert model.inputs[0] is start
    assert model.predict(PICTURES[..., :1]).shape == (2, 512)


def test_a_network_is_trained_on_top_of_frozen_layers():
    base = small(weights=None, include_top=False, pooling="max")
    base.trainable = False
    model = tf.keras.Sequential([base, tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    before = base.get_weights()
    model.fit(PICTURES / 255, np.zeros(2), verbose=0)
    for old, new in zip(before, base.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": "none.h5"}, "there is no file none.h5"),
        ({"weights": "imagenet", "classes": 3}, "`classes` should be 1000"),
        ({"weights": None, "input_shape": (31, 40, 3)}, "Input size must be at least 32x32"),
        ({"weights": None, "input_shape": (None, None, 3)}, "static `input_shape`"),
        ({"weights": None, "input_shape": (40, 40)}, "tuple of three integers"),
        ({"weights": "imagenet", "input_shape": (40, 40, 3)}, r"`input_shape` should be \(224, 224, 3\)"),
    ],
)
def test_arguments_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        applications.VGG16(**options)


def test_names_of_classes(tmp_path, monkeypatch):
    from ferroflow._src.keras.applications import imagenet

    names = {str(i): [f"n{i}", f"class {i}"] for i in range(1000)}
    monkeypatch.setattr(imagenet, "_class_names", lambda: names)
    scores = np.zeros([1, 1000])
    scores[0, [3, 7]] = [0.25, 0.75]
    assert applications.vgg16.decode_predictions(scores, top=2) == [[("n7", "class 7", 0.75), ("n3", "class 3", 0.25)]]
    with pytest.raises(ValueError, match="a 2D array of shape"):
        applications.vgg16.decode_predictions(scores[0])


def test_a_tensor_is_put_on_the_scale_of_arrays():
    for module in (applications.vgg16, applications.xception, applications.densenet):
        tensor = module.preprocess_input(tf.constant(PICTURES))
        with tf.Session() as session:
            np.testing.assert_allclose(session.run(tensor), module.preprocess_input(PICTURES.copy()), atol=1e-4)


# The last four are keywords in TensorFlow.
_PICTURES = (
    "(include_top=True, weights='imagenet', input_tensor=None, input_shape=None, pooling=None, classes=1000, "
    "layers=None, backend=None, models=None, utils=None)"
)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "DenseNet121",
            "DenseNet169",
            "DenseNet201",
            "InceptionResNetV2",
            "InceptionV3",
            "VGG16",
            "VGG19",
            "Xception",
        ),
        *("ResNet50", "ResNet101", "ResNet152", "ResNet50V2", "ResNet101V2", "ResNet152V2"),
    ],
)
def test_networks_have_the_arguments_of_tensorflow_1_15(name):
    signature = inspect.signature(getattr(tf.keras.applications, name))
    bare = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    assert str(inspect.Signature(bare)) == _PICTURES
