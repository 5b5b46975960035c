"""The networks for images with a program's own layers: `layers=`, as Keras's applications have it."""

import pytest

import ferroflow as tf

APPLICATIONS = [
    "DenseNet121",
    "InceptionV3",
    "MobileNet",
    "MobileNetV2",
    "NASNetMobile",
    "ResNet50",
    "VGG16",
    "Xception",
]
# Layers that programs replace, with the arguments by position that they expect.
POSITIONAL = {"DepthwiseConv2D": 0, "ZeroPadding2D": 0}


class Recording:
    """The layers of `tf.keras`, and which of them were made with which arguments by position."""

    def __init__(self):
        self.made = []

    def __getattr__(self, name):
        layer = getattr(tf.keras.layers, name)

        def make(*args, **kwargs):
            self.made.append((name, args, kwargs))
            return layer(*args, **kwargs)

        return make


@pytest.mark.parametrize("name", APPLICATIONS)
def test_every_layer_comes_from_the_namespace(name):
    function = getattr(tf.keras.applications, name)
    with tf.Graph().as_default():
        own = Recording()
        # As in TensorFlow 1.15, the other modules are those of tf.keras whatever is given.
        model = function(weights=None, layers=own, backend=object(), models=object(), utils=object())
        kinds = [type(layer).__name__ for layer in model.layers]
        assert sorted(kinds) == sorted(
            {"Input": "InputLayer", "add": "Add", "concatenate": "Concatenate"}.get(made, made)
            for made, _, _ in own.made
        )
    with tf.Graph().as_default():
        usual = function(weights=None)
        assert [type(layer).__name__ for layer in usual.layers] == kinds
        assert [layer.name for layer in usual.layers if layer.weights] == [
            layer.name for layer in model.layers if layer.weights
        ]


def test_the_second_mobile_net_names_its_arguments():
    own = Recording()
    with tf.Graph().as_default():
        tf.keras.applications.MobileNetV2(weights=None, layers=own, include_top=False)
    assert all(not args for name, args, _ in own.made if name in POSITIONAL)
    assert all(len(args) == 1 and "kernel_size" in kwargs for name, args, kwargs in own.made if name == "Conv2D")


def test_a_replaced_layer_changes_the_network_alone():
    class Narrow:
        def Conv2D(self, filters, kernel_size, **kwargs):  # noqa: N802  # Keras's spelling
            return tf.keras.layers.Conv2D(max(filters // 4, 1), kernel_size, **kwargs)

        def __getattr__(self, name):
            return getattr(tf.keras.layers, name)

    with tf.Graph().as_default():
        narrow = tf.keras.applications.VGG16(weights=None, layers=Narrow(), include_top=False)
        usual = tf.keras.applications.VGG16(weights=None, include_top=False)
        assert narrow.output_shape[-1] == 128
        assert usual.output_shape[-1] == 512


def test_a_missing_layer_raises_and_the_usual_layers_are_back():
    with tf.Graph().as_default():
        with pytest.raises(AttributeError, match="Input"):
            tf.keras.applications.VGG16(weights=None, layers=object())
        assert tf.keras.applications.VGG16(weights=None, include_top=False).output_shape[-1] == 512
