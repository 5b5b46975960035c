"""`tf.config.experimental`: the devices of this process."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.framework.process_devices import (
    VirtualDeviceConfiguration as VirtualDeviceConfiguration,
    get_device_policy as get_device_policy,
    get_memory_growth as get_memory_growth,
    get_synchronous_execution as get_synchronous_execution,
    get_virtual_device_configuration as get_virtual_device_configuration,
    get_visible_devices as get_visible_devices,
    list_logical_devices as list_logical_devices,
    list_physical_devices as list_physical_devices,
    set_device_policy as set_device_policy,
    set_memory_growth as set_memory_growth,
    set_synchronous_execution as set_synchronous_execution,
    set_virtual_device_configuration as set_virtual_device_configuration,
    set_visible_devices as set_visible_devices,
)

_tell_absent(globals())
