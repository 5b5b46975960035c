"""`tf.keras.datasets.cifar100`: pictures of a hundred classes."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.datasets.keras_arrays import cifar100 as _cifar100

load_data = _cifar100

_tell_absent(globals())
