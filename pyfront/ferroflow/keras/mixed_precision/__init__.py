"""`tf.keras.mixed_precision`: loss scales for Keras's optimizers."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow.keras.mixed_precision import experimental as experimental

_tell_absent(globals())
