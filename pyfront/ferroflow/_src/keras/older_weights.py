"""Weights of files that Keras 1, another backend, or layers for cuDNN wrote: their conversion to a layer's own."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ferroflow._src.keras.cudnn_layers import converted_weights

# Places of each gate's kernel, recurrent kernel and bias among Keras 1's weights; gates in the order of today.
_OLD_GATES: Final = {"GRU": (0, 3, 6), "LSTM": (0, 6, 3, 9), "ConvLSTM2D": (0, 6, 3, 9)}
_CONVOLUTIONS: Final = ("Conv1D", "Conv2D", "Conv3D", "Conv2DTranspose", "ConvLSTM2D")
# Axes of kernels that Keras 1 wrote for `channels_first`.
_OLD_AXES: Final = {"Conv2D": (2, 3, 1, 0), "Conv2DTranspose": (2, 3, 0, 1), "Conv3D": (2, 3, 4, 1, 0)}
_OIHW: Final = (3, 2, 0, 1)


def preprocess_weights_for_loading(
    layer: Any, weights: list[Any], original_keras_version: str | None = None, original_backend: str | None = None
) -> list[Any]:
    """Converts the weights of a file to those of a layer.

    Args:
        layer: Layer, or Model, which is built.
        weights: list of numpy.ndarray of any number dtype.
        original_keras_version: str, version of the Keras that wrote them: "1" for Keras 1.
        original_backend: str, the backend of that Keras: "theano", "tensorflow" or "cntk".

    Returns:
        list of numpy.ndarray, in the order of the layer's weights.

    Raises:
        ValueError: if the weights of a GRU have one bias where cuDNN has two.
    """
    origin = (original_keras_version, original_backend)
    kind = type(layer).__name__
    weights = list(weights)
    if kind == "Bidirectional":
        half = len(weights) // 2
        return [
            *preprocess_weights_for_loading(layer.forward_layer, weights[:half], *origin),
            *preprocess_weights_for_loading(layer.backward_layer, weights[half:], *origin),
        ]
    if kind == "TimeDistributed":
        return preprocess_weights_for_loading(layer.layer, weights, *origin)
    if kind in ("Model", "Sequential"):
        return _of_model(layer, weights, *origin)
    if original_keras_version == "1":
        weights = _of_keras_1(layer, kind, weights)
    if kind in _CONVOLUTIONS:
        kernels = 2 if kind == "ConvLSTM2D" else 1
        if original_backend == "theano":
            weights[:kernels] = [convert_kernel(kernel) for kernel in weights[:kernels]]
        if tuple(layer.weights[0].shape.as_list()) != weights[0].shape and weights[0].ndim == len(_OIHW):
            weights[:kernels] = [np.transpose(kernel, _OIHW) for kernel in weights[:kernels]]
    return converted_weights(layer, weights)


def convert_kernel(kernel: Any) -> Any:
    """Returns a kernel with its spatial dimensions reversed, as Theano and TensorFlow differ.

    Args:
        kernel: numpy.ndarray of shape [..., in, out], with one to three spatial dimensions.

    Raises:
        ValueError: if the kernel has another rank.
    """
    kernel = np.asarray(kernel)
    if not 3 <= kernel.ndim <= 5:
        raise ValueError("Invalid kernel shape:", kernel.shape)
    return np.copy(np.flip(kernel, tuple(range(kernel.ndim - 2))))


def _of_model(model: Any, weights: list[Any], version: str | None, backend: str | None) -> list[Any]:
    """Returns the weights of a model in a model: those that are trained, then the others."""
    count = len(model.trainable_weights)
    trained, others = weights[:count], weights[count:]
    new_trained: list[Any] = []
    new_others: list[Any] = []
    for layer in model.layers:
        if not layer.weights:
            continue
        first, second = len(layer.trainable_weights), len(layer.non_trainable_weights)
        found = preprocess_weights_for_loading(layer, trained[:first] + others[:second], version, backend)
        new_trained += found[:first]
        new_others += found[first:]
        trained, others = trained[first:], others[second:]
    return new_trained + new_others


def _of_keras_1(layer: Any, kind: str, weights: list[Any]) -> list[Any]:
    if kind == "Conv1D":
        shape = weights[0].shape
        if shape[:2] != (layer.kernel_size[0], 1) or shape[3] != layer.filters:
            weights[0] = np.transpose(weights[0], _OLD_AXES["Conv2D"])
        weights[0] = weights[0][:, 0, :, :]
    elif kind in _OLD_AXES and layer.data_format == "channels_first":
        weights[0] = np.transpose(weights[0], _OLD_AXES[kind])
    elif kind == "Conv2DTranspose":
        weights[0] = np.transpose(weights[0], (0, 1, 3, 2))
    gates = _OLD_GATES.get(kind, ())
    if gates and len(weights) == 3 * len(gates):
        joined = [np.concatenate([weights[gate + part] for gate in gates], axis=-1) for part in range(3)]
        if kind == "ConvLSTM2D" and layer.data_format == "channels_first":
            joined[:2] = [np.transpose(kernel, _OLD_AXES["Conv2D"]) for kernel in joined[:2]]
        return joined
    return weights
