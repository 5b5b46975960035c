"""`tf.contrib.learn.python`: the path that TensorFlow's sources have."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow.contrib.learn.python import learn as learn

_tell_absent(globals())
