"""`tf.tools`: tools of TensorFlow that programs call as functions."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent

_tell_absent(globals())
