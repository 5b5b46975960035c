"""`tf.examples.tutorials.mnist.mnist`: a model with two hidden layers."""

from ferroflow._src.datasets.mnist_model import IMAGE_PIXELS as IMAGE_PIXELS
from ferroflow._src.datasets.mnist_model import IMAGE_SIZE as IMAGE_SIZE
from ferroflow._src.datasets.mnist_model import NUM_CLASSES as NUM_CLASSES
from ferroflow._src.datasets.mnist_model import evaluation as evaluation
from ferroflow._src.datasets.mnist_model import inference as inference
from ferroflow._src.datasets.mnist_model import loss as loss
from ferroflow._src.datasets.mnist_model import training as training
