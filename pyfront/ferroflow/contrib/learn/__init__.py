"""`tf.contrib.learn`: text made numbers, data to learn from, and the modes of models."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.learn.learn_modes import ModeKeys as ModeKeys
from ferroflow.contrib.learn import python as python
from ferroflow.contrib.learn.python.learn import datasets as datasets, preprocessing as preprocessing

_tell_absent(globals())
