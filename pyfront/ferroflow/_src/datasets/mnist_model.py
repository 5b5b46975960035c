"""The model of the MNIST tutorial: two hidden layers, their loss, training and evaluation."""

from __future__ import annotations

import math
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import FloatLike, TensorLike
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.losses.classification import sparse_softmax_cross_entropy
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.ops.nn.ranking import in_top_k
from ferroflow._src.ops.random.sampling import truncated_normal
from ferroflow._src.summary.values import scalar
from ferroflow._src.training.gradient_descent import GradientDescentOptimizer
from ferroflow._src.variables.variable import Variable

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def _layer(name: str, inputs: Any, input_units: int, units: int) -> Tensor:
    with name_scope(name):
        start = truncated_normal([input_units, units], stddev=1.0 / math.sqrt(float(input_units)))
        weights = Variable(start, name="weights")
        biases = Variable(zeros([units]), name="biases")
        return matmul(inputs, weights) + biases


def inference(images: TensorLike, hidden1_units: int, hidden2_units: int) -> Tensor:
    """Builds the model.

    Args:
        images: Tensor of float32, of shape [batch, 784].
        hidden1_units: int, size of the first hidden layer.
        hidden2_units: int, size of the second hidden layer.

    Returns:
        Tensor of float32, of shape [batch, 10]: logits.
    """
    hidden1 = relu(_layer("hidden1", images, IMAGE_PIXELS, hidden1_units))
    hidden2 = relu(_layer("hidden2", hidden1, hidden1_units, hidden2_units))
    return _layer("softmax_linear", hidden2, hidden2_units, NUM_CLASSES)


def loss(logits: TensorLike, labels: TensorLike) -> Tensor:
    """Computes the cross entropy of logits and labels.

    Args:
        logits: Tensor of float32, of shape [batch, 10].
        labels: Tensor of an integer dtype, of shape [batch].

    Returns:
        Tensor of float32, of shape [].
    """
    return sparse_softmax_cross_entropy(labels=cast(labels, dtypes.int64), logits=logits)


def training(loss: Any, learning_rate: FloatLike) -> Operation:
    """Adds gradient descent, a global step, and a summary of the loss.

    Args:
        loss: Tensor of float32, of shape [].
        learning_rate: float or Tensor of shape [].

    Returns:
        Operation that does one step of training.
    """
    scalar("loss", loss)
    optimizer = GradientDescentOptimizer(learning_rate)
    global_step = Variable(0, name="global_step", trainable=False)
    return optimizer.minimize(loss, global_step=global_step)


def evaluation(logits: TensorLike, labels: TensorLike) -> Tensor:
    """Counts the examples whose label has the largest logit.

    Args:
        logits: Tensor of float32, of shape [batch, 10].
        labels: Tensor of int32 or int64, of shape [batch].

    Returns:
        Tensor of int32, of shape [].
    """
    return reduce_sum(cast(in_top_k(logits, labels, 1), dtypes.int32))
