"""`tf.contrib.learn`: text made numbers, data to learn from, and the modes of models."""

from ferroflow._src.estimator.learn_modes import ModeKeys as ModeKeys
from ferroflow.contrib.learn.python.learn import datasets as datasets
from ferroflow.contrib.learn.python.learn import preprocessing as preprocessing
