"""`tf.keras.datasets`: data to learn from."""

from ferroflow.keras.datasets import mnist as mnist
