"""`tf.examples.tutorials.mnist`: the digits of the tutorial and its model."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow.examples.tutorials.mnist import input_data as input_data, mnist as mnist

_tell_absent(globals())
