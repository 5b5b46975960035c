"""ImageNet's images as the networks were trained on them, and the names of its classes."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any, Final

import numpy as np

from ferroflow._src.framework.constant import constant
from ferroflow._src.keras.data_files import get_file
from ferroflow._src.keras.settings import floatx, image_data_format

_NAMES: Final = "https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json"
_NAMES_HASH: Final = "c2c37ea517e94d9795004a39431a14cb"
# Means of blue, green and red; of red, green and blue from 0 to 1; and their standard deviations.
_MEANS: Final = {"caffe": (103.939, 116.779, 123.68), "torch": (0.485, 0.456, 0.406)}
_DEVIATIONS: Final = (0.229, 0.224, 0.225)


def preprocess_input(x: Any, data_format: str | None = None, mode: str = "caffe") -> Any:
    """Scales images as in the networks' training.

    Args:
        x: array or Tensor of numbers from 0 to 255, of shape [height, width, 3] or [batch, height, width, 3]. An array
            of floats is changed in place.
        data_format: "channels_last", or "channels_first" for [..., 3, height, width]; None for Keras's setting.
        mode: "caffe" subtracts ImageNet's means, and reverses the channels; "tf" scales to -1 to 1; "torch" scales to 0
            to 1, subtracts the means and divides by the standard deviations.

    Returns:
        numpy.ndarray or Tensor of floats, of the shape of `x`.

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """
    data_format = data_format or image_data_format()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Unknown data_format {data_format}")
    is_array = isinstance(x, np.ndarray)
    if is_array and not np.issubdtype(x.dtype, np.floating):
        x = x.astype(floatx())
    if mode == "tf":
        x /= 127.5
        x -= 1.0
        return x
    rank = x.ndim if is_array else len(x.get_shape())
    axis = rank - 3 if data_format == "channels_first" else rank - 1
    if mode == "torch":
        x /= 255.0
    else:
        x = x[tuple(slice(None, None, -1) if i == axis else slice(None) for i in range(rank))]
    shape = [3 if i == axis else 1 for i in range(rank)]

    def per_channel(values: tuple[float, ...]) -> Any:
        array = np.array(values, dtype=x.dtype if is_array else x.dtype.as_numpy_dtype).reshape(shape)
        return array if is_array else constant(array)

    x -= per_channel(_MEANS["torch" if mode == "torch" else "caffe"])
    if mode == "torch":
        x /= per_channel(_DEVIATIONS)
    return x


def preprocess_input_tf(x: Any, data_format: str | None = None) -> Any:
    """Scales images to -1 to 1.

    Args:
        x: array or Tensor of numbers from 0 to 255, of shape [..., height, width, 3]. An array of floats is changed
            in place.
        data_format: str, accepted; all channels are treated alike.

    Returns:
        numpy.ndarray or Tensor of floats, of the shape of `x`.
    """
    return preprocess_input(x, data_format, mode="tf")


def preprocess_input_torch(x: Any, data_format: str | None = None) -> Any:
    """Subtracts ImageNet's means from images, and divides by the standard deviations.

    Args:
        x: array or Tensor of numbers from 0 to 255, of shape [..., height, width, 3]. An array of floats is changed
            in place.
        data_format: "channels_last" or "channels_first"; None for Keras's setting.

    Returns:
        numpy.ndarray or Tensor of floats, of the shape of `x`.
    """
    return preprocess_input(x, data_format, mode="torch")


@functools.cache
def _class_names() -> dict[str, list[str]]:
    path = get_file("imagenet_class_index.json", _NAMES, cache_subdir="models", file_hash=_NAMES_HASH)
    found: dict[str, list[str]] = json.loads(Path(path).read_text(encoding="utf-8"))
    return found


def decode_predictions(preds: Any, top: int = 5) -> list[list[tuple[str, str, float]]]:
    """Returns the names of the most likely classes of ImageNet.

    Args:
        preds: array of floats, of shape [batch, 1000].
        top: int, how many for each image.

    Returns:
        For each image a list of tuples: WordNet's number, the name, and the probability.

    Raises:
        ValueError: if `preds` has another shape.
        tf.errors.UnavailableError: if the table of names is not in `~/.keras/models` and cannot be downloaded.
    """
    if len(preds.shape) != 2 or preds.shape[1] != 1000:
        raise ValueError(
            "`decode_predictions` expects a batch of predictions (i.e. a 2D array of shape (samples, 1000)). Found "
            f"array with shape: {preds.shape}"
        )
    names = _class_names()
    found = []
    for row in preds:
        best = [int(i) for i in row.argsort()[-top:][::-1]]
        found.append([(names[str(i)][0], names[str(i)][1], row[i]) for i in best])
    return found
