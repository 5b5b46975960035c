"""`tf.keras.wrappers`: models with the interfaces of other libraries."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow.keras.wrappers import scikit_learn as scikit_learn

_tell_absent(globals())
