"""`tf.examples.tutorials.mnist`: the digits of the tutorial and its model."""

from ferroflow.examples.tutorials.mnist import input_data as input_data
from ferroflow.examples.tutorials.mnist import mnist as mnist
