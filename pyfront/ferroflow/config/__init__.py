"""`tf.config`: the devices of this process, and settings that sessions take from `tf.ConfigProto` instead."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.internals.devices import (
    experimental_list_devices as experimental_list_devices,
    get_soft_device_placement as get_soft_device_placement,
    set_soft_device_placement as set_soft_device_placement,
)
from ferroflow.config import experimental as experimental, optimizer as optimizer, threading as threading

_tell_absent(globals())
