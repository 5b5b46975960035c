"""The common parts of the networks for images: the input, the head and the weights."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ferroflow._src.base.function_families import FunctionFamily
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.applications.chosen_layers import chosen, layers
from ferroflow._src.keras.data_files import get_file
from ferroflow._src.keras.model import Model
from ferroflow._src.keras.model_sources import get_source_inputs
from ferroflow._src.keras.settings import image_data_format
from ferroflow._src.layers.nodes import call_of

_IMAGENET: Final = "imagenet"
_CLASSES: Final = 1000


@dataclass(frozen=True)
class Weights:
    """A network's files of weights that were trained on ImageNet.

    Attributes:
        url: str, the folder that they come from.
        file: str, the name of the file with the last layer.
        file_without_top: str, the name of the file without it.
        hashes: the MD5 of both; None for any files.
        remote: the names of both in `url`; None for `file` and `file_without_top`.
    """

    url: str
    file: str
    file_without_top: str
    hashes: tuple[str, str] | None = None
    remote: tuple[str, str] | None = None

    def fetched(self, include_top: bool) -> str:
        """Returns the path of a file, which is downloaded to `~/.keras/models` if it is missing.

        Args:
            include_top: bool. If True, the file with the last layer.

        Returns:
            str.

        Raises:
            tf.errors.UnavailableError: if the file is missing and cannot be downloaded.
        """
        part = 0 if include_top else 1
        name = (self.file, self.file_without_top)[part]
        remote = name if self.remote is None else self.remote[part]
        file_hash = None if self.hashes is None else self.hashes[part]
        return get_file(name, self.url + remote, cache_subdir="models", file_hash=file_hash)


Head = Callable[[Any, int], Any]


@dataclass(frozen=True)
class Network:
    """Parts that every use of an architecture shares.

    Attributes:
        name: str, the model's name.
        body: callable of the input that returns the last features.
        head: callable of the features and the number of classes that returns the predictions.
        default_size: int, height and width of images.
        min_size: int, the least height and width.
        weights: Weights.
        named_pools: bool. If True, pooling without the head has the name of that in the head.
        fixed_size: bool. If True, height and width must be known also without the head.
    """

    name: str
    body: Callable[[Any], Any]
    head: Head
    default_size: int
    min_size: int
    weights: Weights
    named_pools: bool = False
    fixed_size: bool = False


def channel_axis(data_format: str | None = None) -> int:
    """Returns the dimension of channels in batches of images.

    Args:
        data_format: "channels_last" or "channels_first"; None for Keras's setting.

    Returns:
        int, 1 or 3.
    """
    return 1 if (data_format or image_data_format()) == "channels_first" else 3


def channels_of(x: Any) -> int:
    """Returns the number of channels of a batch of images.

    Args:
        x: Tensor of shape [batch, height, width, channels], or as Keras's setting says.

    Returns:
        int.
    """
    return int(x.get_shape()[channel_axis()])


def batch_normalized(x: Any, name: str | None = None, **options: Any) -> Any:
    """Returns the output of a batch normalization of the channels.

    Args:
        x: Tensor of float32, of shape [batch, height, width, channels].
        name: str, the layer's name; None for one that is made.
        **options: further arguments of `BatchNormalization`.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    return layers.BatchNormalization(axis=channel_axis(), name=name, **options)(x)


def unbiased(x: Any, filters: int, size: Any, name: str | None = None, **options: Any) -> Any:
    """Returns the output of a convolution without bias.

    Args:
        x: Tensor of float32, of shape [batch, height, width, channels].
        filters: int, the number of filters.
        size: int or two ints, height and width of the filters.
        name: str, the layer's name; None for one that is made.
        **options: further arguments of `Conv2D`.

    Returns:
        Tensor of float32, of shape [batch, height, width, filters].
    """
    return layers.Conv2D(filters, size, use_bias=False, name=name, **options)(x)


def relu(x: Any, name: str | None = None) -> Any:
    """Returns the output of a layer `Activation("relu")`.

    Args:
        x: Tensor of float32, of any shape.
        name: str, the layer's name; None for one that is made.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    return layers.Activation("relu", name=name)(x)


def relu6(x: Any, name: str | None = None) -> Any:
    """Returns the output of a layer `ReLU(6.0)`.

    Args:
        x: Tensor of float32, of any shape.
        name: str, the layer's name; None for one that is made.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    return layers.ReLU(6.0, name=name)(x)


def correct_pad(x: Any, size: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Returns the padding after which a filter with a stride of 2 covers images as other frameworks do.

    Args:
        x: Tensor of shape [batch, height, width, channels].
        size: int, height and width of the filter.

    Returns:
        Two pairs of ints, for the rows and the columns.
    """
    first = 2 if channel_axis() == 1 else 1
    height, width = x.get_shape().as_list()[first : first + 2]
    taken = (1, 1) if height is None else (1 - height % 2, 1 - width % 2)
    half = size // 2
    return (half - taken[0], half), (half - taken[1], half)


def dense_head(name: str, pool_name: str | None = "avg_pool") -> Head:
    """Returns a head: the mean of all positions, and a dense layer with softmax.

    Args:
        name: str, the dense layer's name.
        pool_name: str, the pooling's name; None for one that is made.

    Returns:
        Callable of features and the number of classes.
    """

    def head(x: Any, classes: int) -> Any:
        x = layers.GlobalAveragePooling2D(name=pool_name)(x)
        return layers.Dense(classes, activation="softmax", name=name)(x)

    return head


def pooled(x: Any, pooling: str | None, is_named: bool) -> Any:
    """Returns features pooled for a network without its head.

    Args:
        x: Tensor of float32, of shape [batch, height, width, channels].
        pooling: "avg", "max", or None for no pooling.
        is_named: bool. If True, the pooling has the name of that in the head.

    Returns:
        Tensor of float32, of shape [batch, channels], or `x`.
    """
    if pooling == "avg":
        return layers.GlobalAveragePooling2D(name="avg_pool" if is_named else None)(x)
    if pooling == "max":
        return layers.GlobalMaxPooling2D(name="max_pool" if is_named else None)(x)
    return x


def check_weights(weights: Any, include_top: bool, classes: int) -> None:
    """Raises ValueError if weights cannot be loaded into the requested network."""
    if weights not in (_IMAGENET, None) and not os.path.exists(weights) and not os.path.exists(f"{weights}.index"):
        raise ValueError(
            "The `weights` argument should be either `None` (random initialization), `imagenet` (pre-training on "
            f"ImageNet), or the path to the weights file to be loaded; there is no file {weights}."
        )
    if weights == _IMAGENET and include_top and classes != _CLASSES:
        raise ValueError('If using `weights` as `"imagenet"` with `include_top` as true, `classes` should be 1000')


def input_shape_of(
    input_shape: Any, default_size: int, min_size: int, is_fixed: bool, weights: Any = None
) -> tuple[int | None, ...]:
    """Returns the shape of an image for a network.

    Args:
        input_shape: tuple of int or None, as the caller gave it; None for the network's own.
        default_size: int, the network's own height and width.
        min_size: int, the least height and width.
        is_fixed: bool. If True, height and width must be known.
        weights: "imagenet", whose images have three channels; anything else for other weights.

    Returns:
        tuple of int or None, without the batch.

    Raises:
        ValueError: if the shape has a wrong rank, too few pixels, or differs from the weights' shape.
    """
    axis = channel_axis() - 1
    usual: list[int | None] = [default_size] * 3
    usual[axis] = 3
    if weights != _IMAGENET and input_shape and len(input_shape) == 3:
        usual[axis] = input_shape[axis]
        if input_shape[axis] not in (1, 3):
            warnings.warn(
                "This model usually expects 1 or 3 input channels. However, it was passed an input_shape with "
                f"{input_shape[axis]} input channels.",
                stacklevel=4,
            )
    if weights == _IMAGENET and is_fixed:
        if input_shape is not None and tuple(input_shape) != tuple(usual):
            raise ValueError(
                "When setting `include_top=True` and loading `imagenet` weights, `input_shape` should be "
                f"{tuple(usual)}."
            )
        return tuple(usual)
    if not input_shape:
        return tuple(size if is_fixed or i == axis else None for i, size in enumerate(usual))
    if len(input_shape) != 3:
        raise ValueError("`input_shape` must be a tuple of three integers.")
    if weights == _IMAGENET and input_shape[axis] != 3:
        raise ValueError(f"The input must have 3 channels; got `input_shape={input_shape}`")
    if any(size is not None and size < min_size for i, size in enumerate(input_shape) if i != axis):
        raise ValueError(f"Input size must be at least {min_size}x{min_size}; got `input_shape={input_shape}`")
    if is_fixed and None in input_shape:
        raise ValueError(
            f"If `include_top` is True, you should specify a static `input_shape`. Got `input_shape={input_shape}`"
        )
    return tuple(input_shape)


def _inputs(input_tensor: Any, shape: tuple[int | None, ...]) -> Tensor:
    if input_tensor is None:
        made: Tensor = layers.Input(shape=shape)
        return made
    if call_of(input_tensor):
        given: Tensor = input_tensor
        return given
    made = layers.Input(tensor=input_tensor, shape=shape)
    return made


def network(
    made: Network,
    include_top: bool = True,
    weights: Any = _IMAGENET,
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = _CLASSES,
    layers: Any = None,
) -> Model:
    """Builds a network, and loads its weights.

    Args:
        made: Network, the architecture.
        include_top: bool. If True, the model ends with the predictions of classes.
        weights: "imagenet", whose file is downloaded to `~/.keras/models` if it is missing; str, a file of weights or
            the prefix of a checkpoint; None for random ones.
        input_tensor: Tensor of float32, of shape [batch, height, width, channels], the input; None for a new one.
        input_shape: tuple of int, the shape of an image; None for the architecture's own.
        pooling: without `include_top`: "avg" or "max" over all positions, None for no pooling.
        classes: int, the number of classes.
        layers: module or object whose attributes are the layers of the network (`layers.Conv2D`); None for those of
            `tf.keras`.

    Returns:
        Model.

    Raises:
        ValueError: if `weights` is not a file, or `classes` or `input_shape` do not fit them.
        tf.errors.UnavailableError: if the file of weights is missing and cannot be downloaded.
        ImportError: if the weights are in an HDF5 file and h5py is not installed.
    """
    check_weights(weights, include_top, classes)
    is_fixed = include_top or made.fixed_size
    shape = input_shape_of(input_shape, made.default_size, made.min_size, is_fixed, weights)
    with chosen(layers):
        inputs = _inputs(input_tensor, shape)
        features = made.body(inputs)
        outputs = made.head(features, classes) if include_top else pooled(features, pooling, made.named_pools)
    # A program that gives the output of other layers gets a model that starts at their inputs.
    model = Model(inputs if input_tensor is None else get_source_inputs(inputs), outputs, name=made.name)
    if weights is not None:
        model.load_weights(made.weights.fetched(include_top) if weights == _IMAGENET else weights)
    return model


@FunctionFamily
def application(
    made: Network,
    include_top: bool = True,
    weights: Any = _IMAGENET,
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = _CLASSES,
    layers: Any = None,
    backend: Any = None,
    models: Any = None,
    utils: Any = None,
) -> Model:
    """Returns the network {name}.

    Args:
        include_top: bool. If True, the model ends with the predictions of classes.
        weights: "imagenet", whose file is downloaded to `~/.keras/models` if it is missing; str, a file of weights or
            the prefix of a checkpoint; None for random ones.
        input_tensor: Tensor of float32, of shape [batch, height, width, channels], the input; None for a new one.
        input_shape: tuple of int, the shape of an image; None for the architecture's own.
        pooling: without `include_top`: "avg" or "max" over all positions, None for no pooling.
        classes: int, the number of classes.
        layers: module or object whose attributes are the layers of the network (`layers.Conv2D`); None for those of
            `tf.keras`.
        backend: accepted; the network uses that of `tf.keras`.
        models: accepted, as `backend`.
        utils: accepted, as `backend`.

    Returns:
        Model.

    Raises:
        ValueError: if `weights` is no file, or `classes` or `input_shape` do not fit them.
        tf.errors.UnavailableError: if the file of weights is missing and cannot be downloaded.
        ImportError: if the weights are in an HDF5 file and h5py is not installed.

    Source: {source}.
    """
    return network(made, include_top, weights, input_tensor, input_shape, pooling, classes, layers)
