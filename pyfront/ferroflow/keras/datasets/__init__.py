"""`tf.keras.datasets`: data to learn from."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow.keras.datasets import mnist as mnist

_tell_absent(globals())
