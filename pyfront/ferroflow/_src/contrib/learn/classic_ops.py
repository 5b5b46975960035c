"""Functions of `tf.contrib.learn.ops`: embeddings, classifiers and sequence models of the first releases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.losses.classification import softmax_cross_entropy
from ferroflow._src.losses.regression import mean_squared_error
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.joining import stack, unstack
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.math.arithmetic import add_n, multiply
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.activation import xw_plus_b
from ferroflow._src.ops.nn.embedding import embedding_lookup as lookup
from ferroflow._src.ops.nn.softmax import softmax, softmax_cross_entropy_with_logits
from ferroflow._src.rnn.static_running import static_rnn
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import get_variable_scope

__all__ = [
    "categorical_variable",
    "embedding_lookup",
    "mean_squared_error_regressor",
    "rnn_decoder",
    "rnn_seq2seq",
    "seq2seq_inputs",
    "sequence_classifier",
    "softmax_classifier",
]


def embedding_lookup(params: TensorLike, ids: TensorLike, name: str = "embedding_lookup") -> Any:
    """Returns the rows of a table for numbers of any shape.

    Args:
        params: Tensor, of shape [n, ...].
        ids: Tensor of int32 or int64.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `params`, whose shape is that of `ids` followed by that of a row.
    """
    with name_scope(name, "embedding_lookup", [params, ids]):
        return lookup(convert_to_tensor(params), convert_to_tensor(ids))


def categorical_variable(tensor_in: TensorLike, n_classes: int, embedding_size: int, name: str) -> Any:
    """Returns rows of a new variable, the embeddings of classes.

    Args:
        tensor_in: Tensor of int32 or int64, the classes.
        n_classes: int.
        embedding_size: int.
        name: str, of the variable scope.

    Returns:
        Tensor of float32, whose shape is that of `tensor_in` followed by `embedding_size`.
    """
    with variable_scope(name):
        return embedding_lookup(get_variable(f"{name}_embeddings", [n_classes, embedding_size]), tensor_in)


def mean_squared_error_regressor(
    tensor_in: TensorLike, labels: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> tuple[Any, Any]:
    """Returns the predictions of a linear model and their mean squared error.

    Args:
        tensor_in: Tensor of float32, of shape [batch, inputs].
        labels: Tensor of float32, of shape [batch] or [batch, outputs].
        weights: Tensor of float32, of shape [inputs, outputs].
        biases: Tensor of float32, of shape [outputs].
        name: str, name scope of the operations.

    Returns:
        Tensor of float32, of the shape of `labels`, and a Tensor of float32, scalar.
    """
    with name_scope(name, "mean_squared_error_regressor", [tensor_in, labels]):
        predictions, labels = xw_plus_b(tensor_in, weights, biases), convert_to_tensor(labels)
        if labels.shape.ndims == 1 and predictions.shape.ndims == 2:
            predictions = shaping.squeeze(predictions, [1])
        return predictions, mean_squared_error(labels, predictions)


def softmax_classifier(
    tensor_in: TensorLike,
    labels: TensorLike,
    weights: TensorLike,
    biases: TensorLike,
    class_weight: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Returns the probabilities of a linear classifier and its mean cross entropy.

    Args:
        tensor_in: Tensor of float32, of shape [batch, inputs].
        labels: Tensor of float32, of shape [batch, classes], one-hot.
        weights: Tensor of float32, of shape [inputs, classes].
        biases: Tensor of float32, of shape [classes].
        class_weight: Tensor of float32, of shape [classes], factors of the logits; None for 1.
        name: str, name scope of the operations.

    Returns:
        Tensor of float32, of shape [batch, classes], and a Tensor of float32, scalar.
    """
    with name_scope(name, "softmax_classifier", [tensor_in, labels]):
        logits = xw_plus_b(tensor_in, weights, biases)
        if class_weight is not None:
            logits = multiply(logits, class_weight)
        return softmax(logits), softmax_cross_entropy(labels, logits)


def sequence_classifier(
    decoding: Sequence[Any],
    labels: Sequence[Any],
    sampling_decoding: Sequence[Any] | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Returns the probabilities of all steps and the sum of their cross entropies.

    Args:
        decoding: list of Tensors of float32, of shape [batch, classes], the logits of each step.
        labels: list of Tensors of that shape.
        sampling_decoding: list of Tensors of that shape, the logits of the probabilities; None for `decoding`.
        name: str, name scope of the operations.

    Returns:
        Tensor of float32, of shape [batch, steps, classes], and a Tensor of float32, scalar.
    """
    with name_scope(name, "sequence_classifier", [decoding, labels]):
        entropies = [
            softmax_cross_entropy_with_logits(labels=label, logits=logits, name=f"sequence_loss/xent_raw{i}")
            for i, (label, logits) in enumerate(zip(labels, decoding, strict=False))
        ]
        predictions = [softmax(logits) for logits in sampling_decoding or decoding]
        loss = reduce_sum(add_n(entropies, name="sequence_loss/xent"), name="sequence_loss")
        return stack(predictions, axis=1), loss


def seq2seq_inputs(
    x: TensorLike,
    y: TensorLike,
    input_length: int,
    output_length: int,
    sentinel: Any = None,
    name: str | None = None,
) -> tuple[list[Any], list[Any], list[Any]]:
    """Returns the inputs of an encoder, and the inputs and outputs of a decoder.

    Args:
        x: Tensor of float32, of shape [batch, input_length, depth].
        y: Tensor of float32, of shape [batch, output_length, depth].
        input_length: int, without an effect.
        output_length: int, without an effect.
        sentinel: Tensor of float32, of shape [batch, depth], before the decoder's inputs and after its outputs; None
            for zeros.
        name: str, name scope of the operations.

    Returns:
        Three lists of Tensors of float32, of shape [batch, depth].
    """
    with name_scope(name, "seq2seq_inputs", [x, y]):
        steps, expected = unstack(convert_to_tensor(x), axis=1), unstack(convert_to_tensor(y), axis=1)
        if sentinel is None:
            sentinel = zeros(stack([shaping.shape(x)[0], expected[0].shape[1].value]))
            sentinel.set_shape(expected[0].shape)
        return steps, [sentinel, *expected], [*expected, sentinel]


def rnn_decoder(
    decoder_inputs: Sequence[Any], initial_state: Any, cell: Any, scope: str | None = None
) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """Runs a cell twice over a sequence: with the inputs given, and with its own outputs after the first step.

    Args:
        decoder_inputs: list of Tensors of float32, of shape [batch, depth].
        initial_state: the state before the first step.
        cell: RNNCell.
        scope: str, of the variable scope; None for "dnn_decoder".

    Returns:
        Four lists: outputs and states with the inputs given, and those with the cell's own outputs.
    """
    with variable_scope(scope or "dnn_decoder"):
        states, own_states = [initial_state], [initial_state]
        outputs: list[Any] = []
        own_outputs: list[Any] = []
        with name_scope("training", values=[decoder_inputs, initial_state]):
            for i, step in enumerate(decoder_inputs):
                if i > 0:
                    get_variable_scope().reuse_variables()
                output, state = cell(step, states[-1])
                outputs.append(output)
                states.append(state)
        with name_scope("sampling", values=[initial_state]):
            for i in range(len(decoder_inputs)):
                output, state = cell(own_outputs[-1], own_states[-1]) if i else (outputs[0], states[0])
                own_outputs.append(output)
                own_states.append(state)
    return outputs, states, own_outputs, own_states


def rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    encoder_cell: Any,
    decoder_cell: Any = None,
    dtype: DTypeLike = dtypes.float32,
    scope: str | None = None,
) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """Runs an encoder's cell, then a decoder's from its last state.

    Args:
        encoder_inputs: list of Tensors of `dtype`, of shape [batch, depth].
        decoder_inputs: list of Tensors of `dtype`, of shape [batch, depth].
        encoder_cell: RNNCell.
        decoder_cell: RNNCell; None for the encoder's.
        dtype: dtype of the first state.
        scope: str, of the variable scope; None for "rnn_seq2seq".

    Returns:
        Four lists, as from `rnn_decoder`.
    """
    with variable_scope(scope or "rnn_seq2seq"):
        _, state = static_rnn(encoder_cell, encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, decoder_cell or encoder_cell)
