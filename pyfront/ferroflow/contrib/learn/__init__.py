"""`tf.contrib.learn`: text made numbers, and data to learn from."""

from ferroflow.contrib.learn.python.learn import datasets as datasets
from ferroflow.contrib.learn.python.learn import preprocessing as preprocessing
