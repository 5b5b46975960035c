"""`tf.keras.datasets.boston_housing`: prices of houses."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.datasets.keras_arrays import boston_housing as _boston_housing

load_data = _boston_housing

_tell_absent(globals())
