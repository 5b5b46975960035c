"""`tf.contrib.learn.python.learn`: where `tf.contrib.learn` has its names from."""

from ferroflow.contrib.learn.python.learn import datasets as datasets
from ferroflow.contrib.learn.python.learn import preprocessing as preprocessing
