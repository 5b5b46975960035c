"""`tf.autograph.experimental`: what converted functions leave alone, and options of their loops."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.autograph.api import (
    do_not_convert as do_not_convert,
    set_loop_options as set_loop_options,
)

_tell_absent(globals())
