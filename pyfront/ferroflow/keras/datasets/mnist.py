"""`tf.keras.datasets.mnist`: the MNIST digits."""

from ferroflow._src.datasets.mnist_arrays import load_data as load_data
