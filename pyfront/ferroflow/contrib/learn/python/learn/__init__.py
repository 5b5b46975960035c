"""`tf.contrib.learn.python.learn`: where `tf.contrib.learn` has its names from."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow.contrib.learn.python.learn import datasets as datasets, preprocessing as preprocessing

_tell_absent(globals())
