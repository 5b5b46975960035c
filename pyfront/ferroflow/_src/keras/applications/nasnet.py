"""`NASNetLarge` and `NASNetMobile`: cells that a search has found."""

from __future__ import annotations

from typing import Any

from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.keras.applications.building import (
    Network,
    Weights,
    batch_normalized,
    channel_axis,
    channels_of,
    correct_pad,
    dense_head,
    network,
    relu,
    unbiased,
)
from ferroflow._src.keras.applications.chosen_layers import layers
from ferroflow._src.keras.model import Model

_URL = "https://github.com/titu1994/Keras-NASNet/releases/download/v1.2/"
_REPEATS_WIDER = 2  # the factor of filters from one part to the next


def _normalized(x: Any, name: str) -> Any:
    return batch_normalized(x, name, momentum=0.9997, epsilon=1e-3)


def _separable(x: Any, filters: int, size: int, name: str, stride: int = 1) -> Any:
    """Returns the output of two separable convolutions, the first of which has a stride."""
    with name_scope(f"separable_conv_block_{name}"):
        x = relu(x)
        padding = "same"
        if stride == 2:
            x = layers.ZeroPadding2D(correct_pad(x, size), name=f"separable_conv_1_pad_{name}")(x)
            padding = "valid"
        for i, (strides, pad) in enumerate(((stride, padding), (1, "same")), 1):
            if i == 2:
                x = relu(x)
            x = layers.SeparableConv2D(
                filters,
                size,
                strides=strides,
                name=f"separable_conv_{i}_{name}",
                padding=pad,
                use_bias=False,
                kernel_initializer="he_normal",
            )(x)
            x = _normalized(x, f"separable_conv_{i}_bn_{name}")
    return x


def _projected(x: Any, filters: int, name: str) -> Any:
    return unbiased(x, filters, 1, name, padding="same", kernel_initializer="he_normal")


def _adjusted(before: Any, x: Any, filters: int, name: str) -> Any:
    """Returns the output of the cell before the last one, with the shape of that of the last one."""
    columns = 3 if channel_axis() == 1 else 2
    with name_scope("adjust_block"):
        if before is None:
            return x
        if before.get_shape().as_list()[columns] != x.get_shape().as_list()[columns]:
            with name_scope(f"adjust_reduction_block_{name}"):
                before = relu(before, f"adjust_relu_1_{name}")
                one = layers.AveragePooling2D(1, strides=2, padding="valid", name=f"adjust_avg_pool_1_{name}")(before)
                one = _projected(one, filters // 2, f"adjust_conv_1_{name}")
                two = layers.Cropping2D(((1, 0), (1, 0)))(layers.ZeroPadding2D(((0, 1), (0, 1)))(before))
                two = layers.AveragePooling2D(1, strides=2, padding="valid", name=f"adjust_avg_pool_2_{name}")(two)
                two = _projected(two, filters // 2, f"adjust_conv_2_{name}")
                return _normalized(layers.concatenate([one, two], axis=channel_axis()), f"adjust_bn_{name}")
        if channels_of(before) != filters:
            with name_scope(f"adjust_projection_block_{name}"):
                before = _projected(relu(before), filters, f"adjust_conv_projection_{name}")
                return _normalized(before, f"adjust_bn_{name}")
    return before


def _normal_cell(x: Any, before: Any, filters: int, name: str) -> tuple[Any, Any]:
    def mean(of: Any, place: str) -> Any:
        return layers.AveragePooling2D(3, strides=1, padding="same", name=f"normal_{place}_{name}")(of)

    with name_scope(f"normal_A_block_{name}"):
        p = _adjusted(before, x, filters, name)
        h = _normalized(_projected(relu(x), filters, f"normal_conv_1_{name}"), f"normal_bn_1_{name}")
        with name_scope("block_1"):
            left = _separable(h, filters, 5, f"normal_left1_{name}")
            right = _separable(p, filters, 3, f"normal_right1_{name}")
            x1 = layers.add([left, right], name=f"normal_add_1_{name}")
        with name_scope("block_2"):
            left = _separable(p, filters, 5, f"normal_left2_{name}")
            right = _separable(p, filters, 3, f"normal_right2_{name}")
            x2 = layers.add([left, right], name=f"normal_add_2_{name}")
        with name_scope("block_3"):
            x3 = layers.add([mean(h, "left3"), p], name=f"normal_add_3_{name}")
        with name_scope("block_4"):
            x4 = layers.add([mean(p, "left4"), mean(p, "right4")], name=f"normal_add_4_{name}")
        with name_scope("block_5"):
            x5 = layers.add([_separable(h, filters, 3, f"normal_left5_{name}"), h], name=f"normal_add_5_{name}")
        joined = layers.concatenate([p, x1, x2, x3, x4, x5], axis=channel_axis(), name=f"normal_concat_{name}")
    return joined, x


def _reduction_cell(x: Any, before: Any, filters: int, name: str) -> tuple[Any, Any]:
    with name_scope(f"reduction_A_block_{name}"):
        p = _adjusted(before, x, filters, name)
        h = _normalized(_projected(relu(x), filters, f"reduction_conv_1_{name}"), f"reduction_bn_1_{name}")
        padded = layers.ZeroPadding2D(correct_pad(h, 3), name=f"reduction_pad_1_{name}")(h)
        with name_scope("block_1"):
            left = _separable(h, filters, 5, f"reduction_left1_{name}", 2)
            right = _separable(p, filters, 7, f"reduction_right1_{name}", 2)
            x1 = layers.add([left, right], name=f"reduction_add_1_{name}")
        with name_scope("block_2"):
            left = layers.MaxPooling2D(3, strides=2, padding="valid", name=f"reduction_left2_{name}")(padded)
            right = _separable(p, filters, 7, f"reduction_right2_{name}", 2)
            x2 = layers.add([left, right], name=f"reduction_add_2_{name}")
        with name_scope("block_3"):
            left = layers.AveragePooling2D(3, strides=2, padding="valid", name=f"reduction_left3_{name}")(padded)
            right = _separable(p, filters, 5, f"reduction_right3_{name}", 2)
            x3 = layers.add([left, right], name=f"reduction_add3_{name}")
        with name_scope("block_4"):
            x4 = layers.AveragePooling2D(3, strides=1, padding="same", name=f"reduction_left4_{name}")(x1)
            x4 = layers.add([x2, x4])
        with name_scope("block_5"):
            left = _separable(x1, filters, 3, f"reduction_left4_{name}")
            right = layers.MaxPooling2D(3, strides=2, padding="valid", name=f"reduction_right5_{name}")(padded)
            x5 = layers.add([left, right], name=f"reduction_add4_{name}")
        joined = layers.concatenate([x2, x3, x4, x5], axis=channel_axis(), name=f"reduction_concat_{name}")
    return joined, x


def _body(last_filters: int, repeats: int, stem_filters: int, skips_reductions: bool) -> Any:
    filters = last_filters // 24

    def body(x: Any) -> Any:
        x = unbiased(x, stem_filters, 3, "stem_conv1", strides=2, padding="valid", kernel_initializer="he_normal")
        x = _normalized(x, "stem_bn1")
        x, before = _reduction_cell(x, None, filters // _REPEATS_WIDER**2, "stem_1")
        x, before = _reduction_cell(x, before, filters // _REPEATS_WIDER, "stem_2")
        for part in range(3):
            width = filters * _REPEATS_WIDER**part
            if part:
                x, last = _reduction_cell(x, before, width, f"reduce_{part * repeats}")
                before = before if skips_reductions else last
            for i in range(repeats):
                x, before = _normal_cell(x, before, width, str(part * repeats + i + (1 if part else 0)))
        return relu(x)

    return body


def _nasnet(file: str, remote: str, size: int, hashes: tuple[str, str], *shape: Any) -> Network:
    weights = Weights(_URL, f"{file}.h5", f"{file}_no_top.h5", hashes, (f"{remote}.h5", f"{remote}-no-top.h5"))
    return Network("NASNet", _body(*shape), dense_head("predictions", None), size, 32, weights, fixed_size=True)


_LARGE = _nasnet(
    "nasnet_large",
    "NASNet-large",
    331,
    ("11577c9a518f0070763c2b964a382f17", "d81d89dc07e6e56530c4e77faddd61b5"),
    *(4032, 6, 96, True),
)
_MOBILE = _nasnet(
    "nasnet_mobile",
    "NASNet-mobile",
    224,
    ("020fb642bf7360b370c678b08e0adf61", "1ed92395b5b598bdda52abe5c0dbfd63"),
    *(1056, 4, 32, False),
)


def NASNetLarge(  # noqa: N802  # Keras's spelling
    input_shape: Any = None,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    layers: Any = None,
    backend: Any = None,
    models: Any = None,
    utils: Any = None,
) -> Model:
    """Returns the network NASNetLarge.

    Args:
        input_shape: tuple of int, the shape of an image; None for the network's own.
        include_top: bool. If True, the model ends with the predictions of classes.
        weights: "imagenet", str or None, as for `network`.
        input_tensor: Tensor of float32, of shape [batch, height, width, channels], the input; None for a new one.
        pooling: "avg", "max" or None, as for `network`.
        classes: int, the number of classes.
        layers: module or object whose layers the network has, as for `network`.
        backend: accepted; the network uses that of `tf.keras`.
        models: accepted, as `backend`.
        utils: accepted, as `backend`.

    Returns:
        Model.

    Raises:
        ValueError: on the same conditions as `network`.

    Source: Zoph et al., Learning Transferable Architectures for Scalable Image Recognition, 2018.
    """
    return network(_LARGE, include_top, weights, input_tensor, input_shape, pooling, classes, layers)


def NASNetMobile(  # noqa: N802  # Keras's spelling
    input_shape: Any = None,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    layers: Any = None,
    backend: Any = None,
    models: Any = None,
    utils: Any = None,
) -> Model:
    """Returns the network NASNetMobile.

    Args:
        input_shape: tuple of int, the shape of an image; None for the network's own.
        include_top: bool. If True, the model ends with the predictions of classes.
        weights: "imagenet", str or None, as for `network`.
        input_tensor: Tensor of float32, of shape [batch, height, width, channels], the input; None for a new one.
        pooling: "avg", "max" or None, as for `network`.
        classes: int, the number of classes.
        layers: module or object whose layers the network has, as for `network`.
        backend: accepted; the network uses that of `tf.keras`.
        models: accepted, as `backend`.
        utils: accepted, as `backend`.

    Returns:
        Model.

    Raises:
        ValueError: on the same conditions as `network`.

    Source: Zoph et al., Learning Transferable Architectures for Scalable Image Recognition, 2018.
    """
    return network(_MOBILE, include_top, weights, input_tensor, input_shape, pooling, classes, layers)
