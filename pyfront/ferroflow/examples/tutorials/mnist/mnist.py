"""`tf.examples.tutorials.mnist.mnist`: a model with two hidden layers."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.datasets.mnist_model import (
    IMAGE_PIXELS as IMAGE_PIXELS,
    IMAGE_SIZE as IMAGE_SIZE,
    NUM_CLASSES as NUM_CLASSES,
    evaluation as evaluation,
    inference as inference,
    loss as loss,
    training as training,
)

_tell_absent(globals())
