"""`tf.contrib.tensorboard`: configurations for plugins of TensorBoard."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow.contrib.tensorboard import plugins as plugins

_tell_absent(globals())
