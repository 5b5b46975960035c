"""The devices of this process are its CPU devices, as many as a session has."""

from __future__ import annotations

import pytest

import ferroflow as tf
from ferroflow._src.session.devices import list_local_devices


@pytest.mark.parametrize(
    ("config", "count"),
    [
        (None, 1),
        (tf.ConfigProto(), 1),
        (tf.ConfigProto(device_count={"GPU": 2}), 1),
        (tf.ConfigProto(device_count={"CPU": 3}), 3),
    ],
    ids=["none", "empty", "other", "three"],
)
def test_the_devices_are_those_that_a_session_has(config, count):
    devices = list_local_devices(config)
    assert [d.name for d in devices] == [f"/device:CPU:{i}" for i in range(count)]
    assert {d.device_type for d in devices} == {"CPU"}
    assert all(d.memory_limit > 0 for d in devices)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        found = [d.name for d in session.list_devices() if d.device_type == "CPU"]
    assert [name.partition("/task:0")[2] for name in found] == [d.name for d in devices]
