"""`tf.config.optimizer`: settings that sessions take from `tf.ConfigProto` instead."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.framework.process_devices import (
    get_experimental_options as get_experimental_options,
    get_jit as get_jit,
    set_experimental_options as set_experimental_options,
    set_jit as set_jit,
)

_tell_absent(globals())
