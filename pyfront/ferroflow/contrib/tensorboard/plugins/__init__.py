"""`tf.contrib.tensorboard.plugins`: a module for each plugin."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow.contrib.tensorboard.plugins import projector as projector

_tell_absent(globals())
