"""`tf.keras.datasets.fashion_mnist`: pictures of clothes."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.datasets.keras_arrays import fashion_mnist as _fashion_mnist

load_data = _fashion_mnist

_tell_absent(globals())
