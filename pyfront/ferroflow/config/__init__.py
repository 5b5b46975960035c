"""`tf.config`: the devices of this process, and settings that sessions take from `tf.ConfigProto` instead."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.framework.process_devices import (
    connect_to_cluster as _connect_to_cluster,
    connect_to_host as _connect_to_host,
    get_soft_device_placement as get_soft_device_placement,
    run_functions_eagerly as _run_functions_eagerly,
    set_soft_device_placement as set_soft_device_placement,
)
from ferroflow._src.internals.eager_context import list_devices as _list_devices
from ferroflow.config import experimental as experimental, optimizer as optimizer, threading as threading

experimental_connect_to_cluster = _connect_to_cluster
experimental_connect_to_host = _connect_to_host
experimental_list_devices = _list_devices
experimental_run_functions_eagerly = _run_functions_eagerly

_tell_absent(globals())
