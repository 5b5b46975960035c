"""`tf.examples.tutorials`: modules of the tutorials."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow.examples.tutorials import mnist as mnist

_tell_absent(globals())
