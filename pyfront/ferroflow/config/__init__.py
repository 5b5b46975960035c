"""`tf.config`: the devices of this process, and settings that sessions take from `tf.ConfigProto` instead."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.internals.devices import (
    get_soft_device_placement as get_soft_device_placement,
    set_soft_device_placement as set_soft_device_placement,
)
from ferroflow._src.internals.eager_context import list_devices as _list_devices
from ferroflow.config import experimental as experimental, optimizer as optimizer, threading as threading

experimental_list_devices = _list_devices

_tell_absent(globals())
