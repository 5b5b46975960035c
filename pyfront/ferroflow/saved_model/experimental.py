"""`tf.saved_model.experimental`: another name of `tf.saved_model.save`."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.saved_model.object_saving import save as save

_tell_absent(globals())
