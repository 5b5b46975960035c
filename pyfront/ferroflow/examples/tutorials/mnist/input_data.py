"""`tf.examples.tutorials.mnist.input_data`: reading MNIST."""

from ferroflow._src.datasets.mnist import read_data_sets as read_data_sets
