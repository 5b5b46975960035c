"""`tf.keras.datasets.cifar10`: pictures of ten classes."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.datasets.keras_arrays import cifar10 as _cifar10

load_data = _cifar10

_tell_absent(globals())
