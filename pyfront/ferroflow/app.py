"""`tf.app`: running a program with flags."""

from ferroflow import flags as flags
from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.base.app import run as run

_tell_absent(globals())
