"""`tf.keras.datasets.mnist`: the MNIST digits."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.datasets.mnist_arrays import load_data as load_data

_tell_absent(globals())
