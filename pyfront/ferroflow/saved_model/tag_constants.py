"""`tf.saved_model.tag_constants`: tags of graphs."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.saved_model.tag_constants import GPU as GPU, SERVING as SERVING, TPU as TPU, TRAINING as TRAINING

_tell_absent(globals())
