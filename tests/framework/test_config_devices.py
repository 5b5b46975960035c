"""`tf.config`: programs of 2019 look for GPUs before they start."""

import pytest

import ferroflow as tf


def test_the_usual_lines():
    gpus = tf.config.experimental.list_physical_devices("GPU")
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)
    assert gpus == []
    (cpu,) = tf.config.experimental.list_physical_devices()
    assert cpu.name == "/physical_device:CPU:0"
    assert [device.device_type for device in tf.config.experimental.list_logical_devices("CPU")] == ["CPU"]
    tf.config.experimental.set_visible_devices([], "GPU")
    assert tf.config.experimental.get_visible_devices() == [cpu]
    with pytest.raises(ValueError, match="memory growth"):
        tf.config.experimental.set_memory_growth(cpu, True)
    with pytest.raises(ValueError, match="Unrecognized device"):
        tf.config.experimental.get_memory_growth("GPU:0")
    limited = tf.config.experimental.VirtualDeviceConfiguration(memory_limit=10)
    with pytest.raises(ValueError, match="memory limit"):
        tf.config.experimental.set_virtual_device_configuration(cpu, [limited])


@pytest.mark.parametrize("kind", ["intra", "inter"])
def test_settings_are_kept(kind):
    threading = tf.config.threading
    before = getattr(threading, f"get_{kind}_op_parallelism_threads")()
    setter = getattr(threading, f"set_{kind}_op_parallelism_threads")
    setter(3)
    assert getattr(threading, f"get_{kind}_op_parallelism_threads")() == 3
    setter(before)
